# SPDX-License-Identifier: GPL-2.0-or-later
"""A recorded link in the virtual lab: what arrives is what the trace has opportunities for, at their times."""

import itertools
import json
import re

import pytest
import yaml
from e2e import ROOT, bundles, cellbed, digests

from cellbed.run import cellreplay, mahimahi
from cellbed_analysis.metrics.rows import compute
from cellbed_analysis.studies.recorded_links.metrics import link_metrics
from cellbed_formats.bundle import Bundle

pytestmark = pytest.mark.lab

REPLAY = ROOT / "scenarios/packet-trace/replay.yaml"
DELAY_MS = 20
RADIO_START_NS = 4_000_000_000  # sub-frame 0 of the virtual lab


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    results = tmp_path_factory.mktemp("packet-trace")
    cellbed("run", REPLAY, "--results", results, "--variant", "UDP", "--variant", "cubic")
    return {path.name.split("-seed")[0]: path for path in bundles(results).values()}


def bundle_of(path):
    return Bundle(path, json.loads((path / "manifest.json").read_text()))


def test_runs_are_valid(executed):
    for path in executed.values():
        verdict = bundle_of(path).manifest["validity"]
        assert verdict["verdict"] == "valid", verdict


def departures_ms(bundle, flow, delay_ms):
    """Since sub-frame 0, of a UDP flow with full packets."""
    arrived = bundle.capture(flow.sink).filter(dport=flow.port)
    assert set(arrived["ip_bytes"]) == {mahimahi.BYTES}
    return [round((t - RADIO_START_NS) / 1e6 - delay_ms, 1) for t in arrived["t_ns"]]


def opportunities_ms(name, first_ms, last_ms):
    """Of a trace, between two times. The first packet comes at a millisecond's start, too late for one of that."""
    times = mahimahi.read(ROOT / f"scenarios/packet-trace/{name}.mahimahi")
    return [t for turn in range(3) for time in times if first_ms <= (t := turn * times[-1] + time) <= last_ms]


def test_full_packets_arrive_at_the_times_of_the_trace(executed):
    """UDP offers more than the link takes: from the first packet to the last no opportunity is left out."""
    bundle = bundle_of(executed["UDP"])
    found = departures_ms(bundle, bundle.flows[0], DELAY_MS)
    assert len(found) > 2500 and found[-1] > 10_000  # begun again
    assert found == opportunities_ms("down", found[0], found[-1])


def test_what_does_not_fit_the_queue_is_dropped_and_nothing_else(executed):
    stats = bundle_of(executed["UDP"]).radio_stats
    assert stats["pkts_in"] == stats["pkts_delivered"] + stats["pkts_dropped"]["queue_full"]
    assert stats["dl"]["mac_pdus"] == stats["pkts_delivered"] and stats["dl"]["mac_padding_bytes"] == 0


def test_tcp_gets_what_the_link_has_and_meets_its_delay(executed):
    row = compute(bundle_of(executed["cubic"]))[0]
    times = mahimahi.read(ROOT / "scenarios/packet-trace/down.mahimahi")
    assert row["ip_throughput_mbps"] < 1.5 * len(times) * mahimahi.BYTES * 8 / 1e3 / times[-1]
    assert row["ip_throughput_mbps"] > 1 and row["rtt_min_ms"] >= 2 * DELAY_MS


def test_why_tells_the_queue_from_the_delay(executed):
    said = cellbed("why", executed["cubic"], "--at", "3").stdout
    assert said.count(f" {DELAY_MS}.000 ms  data: sent, and on the way over the link") == 1, said
    assert "data: wait in the queue of the link" in said and "RLC" not in said


def test_same_seed_same_bytes(executed, tmp_path):
    cellbed("run", REPLAY, "--results", tmp_path, "--variant", "UDP")
    (again,) = bundles(tmp_path).values()
    assert digests(again) == digests(executed["UDP"])


def test_what_was_exported_runs_again(executed, tmp_path):
    """The deliveries of the run are those of the link that executes them, at the same times."""
    cellbed("export", executed["UDP"], "--format", "mahimahi", "--output", tmp_path)
    (exported,) = tmp_path.glob("*.down")
    times = mahimahi.read(exported)
    cellbed("run", REPLAY, "--results", tmp_path / "r", "--variant", "UDP", "--set",
            f"radio.packet_trace.downlink={exported}", "--set", "radio.packet_trace.delay_ms=0",
            "--set", "traffic.0.duration_s=8")
    (again,) = bundles(tmp_path / "r").values()
    (tmp_path / "again").mkdir()
    cellbed("export", again, "--format", "mahimahi", "--output", tmp_path / "again")
    (exported,) = (tmp_path / "again").glob("*.down")
    found = mahimahi.read(exported)
    # The first time is that of traffic, the second one that of the radio, which began before it.
    before_ms = 1000
    assert len(found) > 1000
    assert found == [t - before_ms for t in times if found[0] <= t - before_ms][:len(found)]


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """Three UEs, of which the second has a link of its own, and 20 Mbit/s of datagrams to each."""
    folder = tmp_path_factory.mktemp("several")
    scenario = yaml.safe_load(REPLAY.read_text())
    link = scenario["radio"]["packet_trace"]
    link |= {way: str(REPLAY.parent / link[way]) for way in ("uplink", "downlink")}
    ues = [f"ue{n}" for n in (1, 2, 3)]
    scenario["nodes"] |= {ue: {"address": f"10.45.0.{i + 1}/24"} for i, ue in enumerate(ues)}
    scenario["radio"]["ues"] = {ue: {"peer": "enb"} for ue in ues}
    scenario["radio"]["ues"]["ue2"]["packet_trace"] = {"downlink": link["uplink"], "delay_ms": 5}
    scenario["traffic"] = [{"id": ue, "kind": "stream", "from": "server", "to": ue, "duration_s": 2, "transport": "udp",
                            "rate": "20Mbit", "packet_bytes": 1472, "port": 5201 + i} for i, ue in enumerate(ues)]
    path = folder / "several.yaml"
    path.write_text(yaml.safe_dump({key: value for key, value in scenario.items() if key not in ("claims", "sweep")}))
    cellbed("run", path, "--results", folder / "results")
    return bundle_of(next(iter(bundles(folder / "results").values())))


def test_each_ue_has_a_link_with_all_its_opportunities(several):
    """The first and the third UE each get what the trace has; the second that of its own, after its own delay."""
    assert several.manifest["validity"]["verdict"] == "valid", several.manifest["validity"]
    found = {flow.sink: departures_ms(several, flow, 5 if flow.sink == "ue2" else DELAY_MS) for flow in several.flows}
    assert sorted(found) == ["ue1", "ue2", "ue3"]
    for ue, times in found.items():
        assert len(times) > 100
        assert times == opportunities_ms("up" if ue == "ue2" else "down", times[0], times[-1])


def test_capacity_is_that_of_the_flows_own_link(several):
    found = {flow.sink: link_metrics(several, flow) for flow in several.flows}
    for values in found.values():
        assert values["link_used_share"] == pytest.approx(1, abs=0.01)
    capacity = {ue: values["link_capacity_mbps"] for ue, values in found.items()}
    assert capacity["ue1"] == pytest.approx(capacity["ue3"], rel=0.01) and capacity["ue1"] > capacity["ue2"]


@pytest.fixture(scope="module")
def trains(tmp_path_factory):
    results = tmp_path_factory.mktemp("cellreplay")
    cellbed("run", ROOT / "scenarios/packet-trace/cellreplay.yaml", "--results", results, "--variant", "cubic",
            "--set", "traffic.0.duration_s=3")
    return bundle_of(next(iter(bundles(results).values())))


def test_a_connection_begins_with_the_base_delay(trains):
    """The first packet of each way, a SYN and its answer, after a second of nothing."""
    assert trains.manifest["validity"]["verdict"] == "valid", trains.manifest["validity"]
    server, ue = trains.capture("server"), trains.capture("ue1")
    for way, sizes_ms, out, there in (("down", 0, server, ue), ("up", -2.79, ue, server)):
        recorded = cellreplay.read_trains(ROOT / f"scenarios/packet-trace/{way}.trains")
        port = {"dport" if way == "down" else "sport": trains.flows[0].port}
        sent_ns, there_ns = (packets.filter(**port)["t_ns"][0] for packets in (out, there))
        sent_ms = (sent_ns - RADIO_START_NS) / 1e6
        (begin, delay, *_), (end, after, *_) = next(
            (a, b) for a, b in itertools.pairwise(recorded) if a[0] <= sent_ms < b[0])
        expected_ms = delay + (after - delay) * (sent_ms - begin) / (end - begin) + sizes_ms
        assert (there_ns - sent_ns) / 1e6 == pytest.approx(expected_ms, abs=0.1)


def test_a_long_transfer_gets_the_busy_link(trains):
    row = compute(trains)[0]
    times = mahimahi.read(ROOT / "scenarios/packet-trace/down.mahimahi")
    window = [t for t in times if 1000 <= t <= 4600]
    assert 0.5 < row["ip_throughput_mbps"] * 3e6 / 8 / (len(window) * 1400) < 1.2


def test_a_trace_becomes_a_link_that_offers_what_it_says(tmp_path):
    trace = ROOT / "scenarios/packet-trace/down.mahimahi"
    said = cellbed("fit", trace, "--uplink", trace.with_name("up.mahimahi"), "--delay-ms", 10, "--queue-pkts", 200,
                   cwd=tmp_path).stdout
    found = json.loads((tmp_path / "down-fit/fit.json").read_text())
    assert f"{found['delivered_mbps']:.2f}"[:3] in said
    assert 0.97 * found["offered_mbps"] < found["delivered_mbps"] < 1.02 * found["offered_mbps"]
    assert found["rate_ks"] < 0.15 and found["rtt_ms"]["p5"] > 20
    link = yaml.safe_load((tmp_path / "down-fit/scenario.yaml").read_text())["radio"]["packet_trace"]
    assert link == {"uplink": "up.mahimahi", "downlink": "down.mahimahi", "delay_ms": 10, "queue_pkts": 200}
    assert (tmp_path / "down-fit/down.mahimahi").read_text() == trace.read_text()


def test_a_recording_of_cellreplay_becomes_a_link_with_its_trains(tmp_path):
    """Its first packets take what the trains say; the transfer gets the busy link."""
    recording = ROOT / "scenarios/packet-trace"
    options = [word for option, name in (("--uplink", "up.mahimahi"), ("--trains", "down.trains"),
                                         ("--uplink-trains", "up.trains")) for word in (option, recording / name)]
    cellbed("fit", recording / "down.mahimahi", *options, "--output", "r", cwd=tmp_path)
    link = yaml.safe_load((tmp_path / "r/scenario.yaml").read_text())["radio"]["packet_trace"]
    assert link == {"uplink": "up.mahimahi", "downlink": "down.mahimahi", "delay_ms": 0, "queue_pkts": 1000,
                    "downlink_trains": "downlink.trains", "uplink_trains": "uplink.trains", "bytes": 1400}
    assert (tmp_path / "r/downlink.trains").read_text() == (recording / "down.trains").read_text()
    found = json.loads((tmp_path / "r/fit.json").read_text())
    assert 0.85 * found["offered_mbps"] < found["delivered_mbps"] < 1.02 * found["offered_mbps"]
    trains = [list(map(int, line.split())) for line in (recording / "down.trains").read_text().splitlines()]
    handshake_ms = json.loads(cellbed("pcap", *(tmp_path / "r").glob("results/*/ip-server.pcap"), "--json").stdout)[
        "flows"][0]["handshake_ms"]
    assert handshake_ms > min(train[1] for train in trains)
    done = cellbed("fit", recording / "down.mahimahi", *options, "--delay-ms", 5, "--output", "n", cwd=tmp_path,
                   check=False)
    assert (done.returncode, done.stderr) == (1, "cellbed: --delay-ms 5: trains have the delay; leave it out\n")
    assert not (tmp_path / "n").exists()


@pytest.mark.parametrize(("content", "options", "message"), [
    ("1\n5\n4\n", [], "trace: line 3: value '4': allowed whole milliseconds, 5..4294967295, not less than in the line "
                      "before"),
    ("0\n", [], "trace: line 1: value '0': allowed more than 0 in the last line, which is the period"),
    ("1\n5\n", ["--flow", "x"], "--flow x: allowed with a capture, and this is a trace; leave it out")])
def test_a_trace_that_is_wrong_is_one_line(tmp_path, content, options, message):
    (tmp_path / "trace").write_text(content)
    done = cellbed("fit", "trace", *options, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (1, f"cellbed: {message}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["trace"]


LOSSY = """
format: 1
id: lossy
nodes: {server: {kind: server, address: 10.46.0.1/24}, enb: {kind: enb}, ue1: {address: 10.45.0.1/24}}
links: [{a: server, b: enb, rate: 1Gbit, queue_pkts: 10000}]
radio:
  system: constant_rate
  constant_rate: {dl_rate: 10Mbit, ul_rate: 10Mbit, delay_ms: 20, queue_pkts: 100}
  ues: {ue1: {peer: enb}}
traffic: [{id: flow, from: server, to: ue1, duration_s: 20}]
validity: {queue_drops_allowed: true}
"""


@pytest.mark.parametrize("loss_percent", [0, 1])
def test_a_capture_tells_loss_of_the_link_from_loss_of_its_queue(tmp_path, loss_percent):
    (tmp_path / "lossy.yaml").write_text(LOSSY)
    lossy = ["--set", f"radio.constant_rate.downlink_netem=loss {loss_percent}%"] if loss_percent else []
    cellbed("run", "lossy.yaml", *lossy, cwd=tmp_path)
    (capture,) = tmp_path.glob("results/*/ip-server.pcap")
    said = cellbed("fit", capture, "--no-run", "--output", "fitted", cwd=tmp_path).stdout
    link = yaml.safe_load((tmp_path / "fitted/scenario.yaml").read_text())["radio"]["packet_trace"]
    assert link["delay_ms"] == 20
    if loss_percent:
        low, high = map(float, re.search(r"loss [\d.]+ % \(([\d.]+) to ([\d.]+) %\)", said).groups())
        assert low < loss_percent < high < 2 * loss_percent
        assert low < float(link["downlink_netem"].removeprefix("loss ").removesuffix("%")) < high
        assert link["queue_pkts"] > 200  # it was never full
    else:
        assert "loss" not in said and "downlink_netem" not in link
        assert 90 <= link["queue_pkts"] <= 115


def test_options_of_traces_are_refused_with_a_capture(executed, tmp_path):
    capture = executed["cubic"] / "ip-server.pcap"
    done = cellbed("fit", capture, "--delay-ms", 10, "--output", tmp_path / "out", check=False)
    assert (done.returncode, done.stderr) == \
        (1, "cellbed: --delay-ms 10: allowed with a trace, and this is a capture; leave it out\n")
    assert not (tmp_path / "out").exists()
