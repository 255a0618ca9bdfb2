# SPDX-License-Identifier: GPL-2.0-or-later
"""What runs have instead of a captured iperf3 flow: streams, flows that no scenario names, no captures, no flow."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from synthetic_bundle import PAYLOAD, SPORT, START_NS, tcp_packet, write_bundle, write_pcap

from cellbed_analysis.metrics import causes, flows, runs
from cellbed_analysis.metrics.asked import Asked
from cellbed_analysis.metrics.flow_table import FLOW_COLUMNS
from cellbed_analysis.metrics.flows import connection_metrics, flow_columns
from cellbed_analysis.metrics.probe import sampled_metrics
from cellbed_analysis.metrics.rows import compute, compute_others, flatten, lives_once
from cellbed_analysis.metrics.run import analyse
from cellbed_analysis.metrics.share import Arrivals, arrivals, shares
from cellbed_formats.bundle import Bundle, read_bundle
from cellbed_formats.error import DataError, MemoryShort, UnusableError
from cellbed_formats.flow import FOUND, Flow


def rewritten(path: Path, **settings: Any) -> Bundle:
    """The bundle with other settings of its run."""
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["description"]["settings"] |= settings
    (path / "manifest.json").write_text(json.dumps(manifest))
    return read_bundle(path)


STREAM = {"connected_s": 0.1, "received_bytes": 270_000, "duration_s": 1.8, "sent_bytes": 280_000}


def of_stream(results: Path, **facts: Any) -> Bundle:
    """A flow of the lab's own program over TCP."""
    path = write_bundle(results, duration_s=2)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["flows"][0]["kind"] = "stream"
    (path / "manifest.json").write_text(json.dumps(manifest))
    (path / "file.stream.json").write_text(json.dumps(STREAM | facts))
    return read_bundle(path)


def test_a_stream_says_what_its_receiver_got(tmp_path: Path) -> None:
    row = compute(of_stream(tmp_path))[0]
    assert row["goodput_stream_mbps"] == pytest.approx(1.2)
    assert "goodput_iperf3_mbps" not in row and row["goodput_mbps"] > 0


def test_a_handshake_that_never_ends_sends_nothing(tmp_path: Path) -> None:
    row, segments = compute(of_stream(tmp_path, connected_s=None, received_bytes=0))
    assert (row["ip_throughput_mbps"], row["ip_sent_pkts"], row["ip_lost_pkts"], row["ip_lost_pct"]) == (0, 0, 0, 0)
    assert row["goodput_stream_mbps"] == 0 and segments.is_empty() and "rtt_mean_ms" not in row


@pytest.mark.parametrize(("kind", "metric", "mbps"), [
    ("stream", "goodput_stream_mbps", 1.2), ("iperf3", "goodput_iperf3_mbps", 24 * 8e-6 / 2)])
def test_without_captures_programs_count(tmp_path: Path, kind: str, metric: str, mbps: float) -> None:
    bundle = of_stream(tmp_path)
    bundle.manifest["flows"][0]["kind"] = kind
    report = {"end": {"sum_received": {"bytes": 24, "bits_per_second": 24 * 8 / 2, "seconds": 2}}}
    (bundle.path / "file.iperf3.json").write_text(json.dumps(report))
    (bundle.path / "manifest.json").write_text(json.dumps(bundle.manifest))
    row = compute(rewritten(bundle.path, capture={"ip": False}))[0]
    assert row[metric] == pytest.approx(mbps)
    assert row["probe_lost"] == 0 and "rtt_mean_ms" not in row


def found_flow(results: Path) -> Bundle:
    """The same packets, of a flow that no scenario names."""
    path = write_bundle(results, duration_s=2, flows=[])
    return rewritten(path, nodes={"ue1": {"address": "10.45.0.1/24"}, "ue2": {"address": "10.45.0.2/24"}})


def test_a_flow_that_no_scenario_names_has_what_captures_say(tmp_path: Path) -> None:
    bundle = found_flow(tmp_path)
    row = compute(bundle)[0]
    assert row["flow"] == "ue1:40002-ue2:5201" and row["rtt_p50_ms"] == pytest.approx(29.99)
    assert row["goodput_mbps"] > 0 and "goodput_iperf3_mbps" not in row and "goodput_difference_pct" not in row


def test_a_run_without_any_flow_says_why(tmp_path: Path) -> None:
    bundle = found_flow(tmp_path)
    for node in ("ue1", "ue2"):
        (bundle.path / f"ip-{node}.pcap").unlink()
    (bundle.path / "tcp.trace").unlink()
    with pytest.raises(DataError, match="no flow is known: the scenario names none"):
        compute(Bundle(bundle.path, bundle.manifest))


def test_traces_of_events_have_no_access_metrics(tmp_path: Path) -> None:
    full, events = (compute(rewritten(write_bundle(tmp_path / kind, duration_s=2), capture={"radio_trace": kind}))[0]
                    for kind in ("full", "events"))
    assert full["data_rac_per_packet"] == 1 and "data_rac_per_packet" not in events
    assert full["rtt_mean_ms"] == events["rtt_mean_ms"]


def test_segments_are_read_again_where_none_are_kept(tmp_path: Path) -> None:
    run = analyse(read_bundle(write_bundle(tmp_path, duration_s=2)))
    kept = run.segments()
    assert len(kept) > 0
    assert run.segments(columns=("out_ns", "rtt_ns", "none")).equals(kept.select("out_ns", "rtt_ns"))
    shutil.rmtree(run.bundle.path / "derived")
    assert run.segments().equals(kept) and run.segments("file").equals(kept)
    assert run.segments("other").is_empty()


def test_another_process_hands_back_what_this_one_would(tmp_path: Path) -> None:
    bundle = read_bundle(write_bundle(tmp_path, duration_s=1))
    row, problem, others = runs._rows_of(bundle)
    assert (row, problem, others) == (analyse(bundle).row, None, ())


def test_a_killed_worker_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Linux kills the largest process when memory is short."""
    bundles = [read_bundle(write_bundle(tmp_path, seed=seed, duration_s=0.2)) for seed in range(8)]
    monkeypatch.setattr(runs, "_end_with_parent", os.abort)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})
    with pytest.raises(MemoryShort, match="^a process that analyses runs was killed, as Linux does when memory"):
        runs.analyse_all(bundles)


def test_a_run_for_which_memory_is_short_is_not_called_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(*_: Any) -> None:
        raise MemoryError

    bundle = read_bundle(write_bundle(tmp_path, duration_s=0.2))
    monkeypatch.setattr("cellbed_analysis.metrics.run.compute", greedy)
    with pytest.raises(MemoryShort, match="too little memory for it; free some"):
        analyse(bundle)


def test_a_worker_ends_with_its_parent(tmp_path: Path) -> None:
    """The parent starts one and is killed: what the worker holds open is closed at once."""
    held, write = os.pipe()
    parent = os.fork()
    if parent == 0:
        if os.fork() == 0:
            runs._end_with_parent()
            os.write(write, b"x")
            time.sleep(60)
            os._exit(0)
        os.close(write)
        time.sleep(60)
        os._exit(0)
    os.close(write)
    assert os.read(held, 1) == b"x"
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    began = time.monotonic()
    assert os.read(held, 1) == b"" and time.monotonic() - began < 20
    os.close(held)


def test_a_connection_beside_the_first_one_has_its_own_metrics(dm_dm: Bundle) -> None:
    """All that captures and probe say, as the first one has."""
    (flow,) = dm_dm.flows
    values, segments = connection_metrics(dm_dm, flow, lives_once(dm_dm))
    row = flatten(values)
    whole = compute(dm_dm)[0]
    assert row["rtt_mean_ms"] == whole["rtt_mean_ms"] == pytest.approx(29.99) and len(segments) == 193
    assert (row["window_start_s"], row["window_s"], row["ip_lost_pkts"]) == (1.2, 4.8, 0)
    assert not set(causes.COUNTERS) & row.keys()


def test_what_a_host_counts_is_of_none_of_its_connections(tmp_path: Path) -> None:
    bundle = found_flow(tmp_path)
    first, second = bundle.all_flows
    assert first.source == second.source == "ue1"
    values = connection_metrics(bundle, first, lives_once(bundle))[0]
    assert all(values[name] is None for name in causes.COUNTERS)


def test_a_connection_captured_at_one_end_has_what_the_probe_saw(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, duration_s=2)
    (path / "ip-ue2.pcap").unlink()
    bundle = read_bundle(path)
    flow = replace(bundle.flows[0], sport=SPORT)
    values, segments = connection_metrics(bundle, flow, lives_once(bundle))
    assert values["cwnd_mean_pkts"] == 10 and "ip_sent_pkts" not in values and segments.is_empty()
    counted = {"goodput_iperf3_mbps": pytest.approx(values["goodput_iperf3_mbps"])}
    assert connection_metrics(bundle, replace(flow, sport=None), lives_once(bundle))[0] == counted
    (path / "tcp.trace").unlink()
    assert connection_metrics(Bundle(path, bundle.manifest), flow, lives_once(bundle))[0] == counted


def test_a_connection_that_nothing_acknowledges_has_no_metrics(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, duration_s=0.2)
    for node in ("ue1", "ue2"):
        write_pcap(path / f"ip-{node}.pcap", [(START_NS, tcp_packet(True, 5, 0, 100, flags=0x02))])
    (path / "tcp.trace").unlink()
    bundle = read_bundle(path)
    assert connection_metrics(bundle, bundle.flows[0], lives_once(bundle))[0] == {}


def test_of_very_many_flows_the_largest_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one is iperf3's connection of control."""
    bundle = found_flow(tmp_path)
    ((measured,), _), (first, second) = compute_others(bundle), bundle.all_flows
    assert (first.sport, second.sport, measured["flow"]) == (40002, 40000, second.id)
    assert (measured["ip_sent_pkts"], measured["ip_lost_pkts"]) == (1, 0)
    monkeypatch.setattr(flows, "MEASURED_MAX", 0)
    ((row,), segments) = compute_others(bundle)
    assert row["flow_sent_bytes"] == measured["flow_sent_bytes"] and "ip_sent_pkts" not in row and segments.is_empty()


def test_what_came_of_a_flow(dm_dm: Bundle) -> None:
    """At the receiver; of a named connection only its own, without captures what was acknowledged."""
    (flow,) = dm_dm.flows
    both, own = arrivals(dm_dm, flow), arrivals(dm_dm, replace(flow, sport=SPORT))
    assert own.total == 192 * PAYLOAD + 37 and both.total == own.total + 37
    for sport in (SPORT, None):
        assert arrivals(dm_dm, replace(flow, source="a", sink="b", sport=sport)).total == own.total - 37


def uncaptured(results: Path, **facts: Any) -> tuple[Bundle, Flow]:
    """A run without captures whose flow was of datagrams, which the receiving program counted."""
    bundle = of_stream(results, sent_pkts=200, received_pkts=193, received_s=1.9, **facts)
    for capture in bundle.path.glob("ip-*.pcap"):
        capture.unlink()
    return bundle, replace(bundle.flows[0], transport="udp")


def test_without_captures_it_is_known_how_many_datagrams_came_and_not_when(tmp_path: Path) -> None:
    bundle, flow = uncaptured(tmp_path)
    came = arrivals(bundle, flow)
    assert (came.total, came.between(0, 2**62), came.t_ns.size) == (270_000, None, 0)
    assert arrivals(bundle, replace(flow, kind=FOUND)).total is None  # no program of the lab's received them
    values, _ = connection_metrics(bundle, flow, lives_once(bundle))
    assert values == {"goodput_stream_mbps": pytest.approx(270_000 * 8e-6 / 1.9), "udp_lost_pkts": 7}


def test_the_probe_says_the_same_of_windows_without_captures(dm_dm: Bundle) -> None:
    row = compute(dm_dm)[0]
    found = sampled_metrics(dm_dm, replace(dm_dm.flows[0], sport=SPORT))
    assert found == {name: row[name] for name in found} and found["cwnd_mean_pkts"] == 10
    assert sampled_metrics(dm_dm, replace(dm_dm.flows[0], sport=None)) == {}  # not known which connection it was


def test_shares_of_what_programs_counted(tmp_path: Path) -> None:
    """Nobody knows what came while all were active; who has nothing that counted does not contend."""
    bundle, flow = uncaptured(tmp_path)
    flows = [replace(flow, id=name) for name in "ab"] + [replace(flow, id="found", kind=FOUND)]
    vars(bundle)["all_flows"] = flows
    found = shares(bundle, {"a": Arrivals(timed=False, counted=300), "b": Arrivals(timed=False, counted=100),
                            "found": Arrivals(timed=False)})
    assert found.keys() == {"a", "b"}
    assert found["a"] == {"jain": 0.8, "jain_together": None, "flows_together": 2, "together_s": 2.0,
                          "flow_share": 0.75, "flow_share_together": None}


def test_a_flow_by_its_columns(dm_dm: Bundle) -> None:
    """193 segments, a connection of control, and two handshakes; 37 of all bytes are iperf3's cookie, twice."""
    sent, came = 193 * 40 + 192 * PAYLOAD + 37 + 3 * 40 + 37, 192 * PAYLOAD + 2 * 37
    assert flow_columns(dm_dm) == {"file": {
        "flow": "file", "flow_command": None, "flow_program": "iperf3", "flow_transport": "tcp", "flow_from": "ue1",
        "flow_to": "ue2", "flow_direction": "between UEs", "flow_start_s": 0, "flow_s": 6, "flow_sent_bytes": sent,
        "flow_back_bytes": 195 * 40, "flow_came_bytes": came, "flow_ect": "not-ECT", "flow_ce_pkts": 0,
        "flow_ce_share": 0, "flow_mbps": pytest.approx(came * 8e-6 / 6),
    }}  # fmt: skip


def test_columns_of_text_are_those_of_words(dm_dm: Bundle) -> None:
    """Numbers stand to the right in tables."""
    row = compute(dm_dm)[0] | flow_columns(dm_dm)["file"] | {"flow_delay_ms": 20.0, "flow_share": 0.5}
    assert {name: isinstance(row[name], str) for name, _, _ in FLOW_COLUMNS} == \
        {name: words for name, _, words in FLOW_COLUMNS}


def test_a_ping_that_is_not_there(dm_dm: Bundle) -> None:
    with pytest.raises(DataError, match="--flow ping: no node sent an echo request that a capture has"):
        Asked.of(dm_dm, "ping")


def test_nothing_is_told_of_a_run_whose_files_do_not_read(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, duration_s=0.2)
    (path / "radio.trace").write_bytes(b"no trace")
    with pytest.raises(UnusableError, match="radio.trace"):
        Asked.of(read_bundle(path), None)


def test_marks_are_counted_where_they_arrive(tmp_path: Path) -> None:
    """Of four packets two are sent with ECT(0), and one arrives with CE; an ACK has no data."""
    path = write_bundle(tmp_path, duration_s=0.2)
    for node, fields in (("ue1", (0, 2, 2, 1)), ("ue2", (0, 2, 3, 1))):
        packets = [bytearray(tcp_packet(True, n, 0, 0 if field == 1 else 100)) for n, field in enumerate(fields)]
        for packet, field in zip(packets, fields, strict=True):
            packet[1] = field
        write_pcap(path / f"ip-{node}.pcap", [(START_NS + n, bytes(packet)) for n, packet in enumerate(packets)])
    bundle = read_bundle(path)
    found = flows.ecn_columns(bundle, bundle.flows[0])
    assert found == {"flow_ect": "not-ECT ECT(0)", "flow_ce_pkts": 1, "flow_ce_share": 0.25}
    (path / "ip-ue2.pcap").unlink()
    assert flows.ecn_columns(read_bundle(path), bundle.flows[0]) == {"flow_ect": "not-ECT ECT(0)"}
    write_pcap(path / "ip-ue2.pcap", [])
    (path / "ip-ue1.pcap").unlink()
    assert flows.ecn_columns(read_bundle(path), bundle.flows[0]) == {"flow_ce_pkts": 0, "flow_ce_share": None}


def test_of_a_flow_outside_of_the_evaluated_time_nothing_is_said(dm_dm: Bundle) -> None:
    flow = dm_dm.flows[0]
    values, segments = connection_metrics(dm_dm, replace(flow, end_ns=flow.start_ns), lives_once(dm_dm))
    assert values == {} and len(segments) == 0


def test_a_first_flow_outside_of_the_evaluated_time_is_an_error(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, duration_s=2, evaluate={"from_s": 5})
    message = "key 'evaluate': allowed a time in which flow file lasts: it is from 0 to 2 s$"
    with pytest.raises(DataError, match=message):
        compute(read_bundle(path))
