# SPDX-License-Identifier: GPL-2.0-or-later
"""Mode switches in both labs: at given times, by the channel, with what they flush; long runs that stay small."""

import json
from itertools import pairwise

import pytest
from e2e import bundles, cellbed, digests, needs_native
from tracereader import read_trace

pytestmark = pytest.mark.lab

LABS = ["virtual", pytest.param("native", marks=needs_native)]
SCENARIO = """
format: 1
id: switching
nodes: {ue1: {address: 10.45.0.1/24}, ue2: {address: 10.45.0.2/24}}
radio:
  ues: {ue1: {peer: ue2}, ue2: {peer: ue1}}
  events: [{at_s: 2.5, ue: ue1, mode: im}, {at_s: 3.5, ue: ue1, mode: dm}]
tcp: {profile: paper, congestion_control: reno, receive_window: 128KiB, mss: 1460}
traffic: [{id: file, from: ue1, to: ue2, duration_s: 4}]
validity: {lateness_p99_us: 100000, missed_ttis: 100000, cpu_steal_percent: 100}
"""
INTERVAL_MS = 20
DROP_MODE_SWITCH = 5  # enum cell_drop


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "switching.yaml"
    path.write_text(SCENARIO)
    return path


def execute(scenario, results, *options):
    cellbed("run", scenario, "--results", results, *options)
    return bundles(results)["run"]


@pytest.fixture(scope="module")
def in_virtual_time(tmp_path_factory):
    folder = tmp_path_factory.mktemp("switching")
    (folder / "switching.yaml").write_text(SCENARIO)
    return execute(folder / "switching.yaml", folder / "r")


def rows(bundle, event):
    return [row for row in read_trace(bundle / "radio.trace") if row["event"] == event]


def what(row):
    return row["t_ns"], row["node"], row["pkt"], row["value"]


@pytest.mark.parametrize("lab", LABS)
def test_a_switch_flushes_what_is_under_way(scenario, tmp_path, lab, in_virtual_time):
    bundle = in_virtual_time if lab == "virtual" else execute(scenario, tmp_path / "r", "--lab", lab)
    radio = json.loads((bundle / "radio.json").read_text())
    routes = rows(bundle, "route")
    assert [(row["t_ns"] - radio["start_ns"], row["value"]) for row in routes] == [
        (2_500_000_000, 0), (3_500_000_000, 1)]
    flushed = sum(row["value"] for row in rows(bundle, "flush"))
    assert flushed > 5
    assert flushed == radio["pkts_dropped"]["mode_switch"] == len(
        [row for row in rows(bundle, "pkt_drop") if row["value"] == DROP_MODE_SWITCH])
    assert radio["pkts_in"] == radio["pkts_delivered"] + sum(radio["pkts_dropped"].values()) + radio["pkts_held"]
    counters = json.loads((bundle / "counters.json").read_text())
    assert counters["ue1"]["Tcp"]["RetransSegs"] >= flushed / 2  # the data; flushed ACKs are not sent again


@pytest.mark.parametrize("flush", ["keep", "retransmit"])
def test_alternatives_lose_nothing(scenario, tmp_path, flush):
    bundle = execute(scenario, tmp_path / "r", "--set", f"radio.mode_switch.flush={flush}")
    radio = json.loads((bundle / "radio.json").read_text())
    assert radio["mode_switches"] == 2
    assert sum(radio["pkts_dropped"].values()) == 0
    assert radio["pkts_delivered"] == radio["pkts_in"] - radio["pkts_held"]


def test_the_channel_decides(tmp_path, scenario):
    """UEs that move apart: from direct to infrastructure mode when the direct link is worse than the uplink."""
    moving = [line for line in SCENARIO.splitlines() if "events" not in line]
    channel = "{model: swing, swing: {distance_m: [90, 160], speed_mps: 20}}"
    moving.insert(moving.index("radio:") + 1, f"  channel: {channel}")
    moving.insert(moving.index("radio:") + 1, "  mode_switch: {select_ms: 500}")
    scenario.write_text("\n".join(moving))
    bundle = execute(scenario, tmp_path / "r")
    assert (bundle / "channel.trace").exists()
    cqi = {"ul": 15, "sl": 15}
    for row in read_trace(bundle / "radio.trace"):
        if row["event"] == "channel" and row["node"] == 1:
            cqi[row["dir"]] = row["cqi"]
        elif row["event"] == "route" and row["node"] == 1:
            assert row["value"] == (cqi["sl"] >= cqi["ul"])
            assert (row["t_ns"] - 4_000_000_000) % 500_000_000 == 0
    assert rows(bundle, "route")


def test_a_long_run_stays_small(scenario, tmp_path, in_virtual_time):
    """Only rare rows in radio.trace and a segment every so often in tcp.trace.

    Without captures the hosts draw other initial sequence numbers; what happened is the same.
    """
    small = execute(scenario, tmp_path / "small", "--set", "capture.radio_trace=events", "--set", "capture.ip=false",
                 "--set", "capture.radio=false", "--set", f"capture.tcp_interval_ms={INTERVAL_MS}")
    for event in ("route", "flush", "pkt_drop"):
        assert [what(row) for row in rows(small, event)] == [what(row) for row in rows(in_virtual_time, event)]
    assert not rows(small, "mac_tx") and not rows(small, "pkt_in")
    assert not list(small.glob("*.pcap"))
    tcp = list(read_trace(small / "tcp.trace"))
    times = [row["t_ns"] for row in tcp if row["kind"] == "segment_out" and row["sport"] == 35201]
    assert len(times) > 50
    assert min(b - a for a, b in pairwise(times)) >= INTERVAL_MS * 1_000_000
    lost = [kinds(bundle) for bundle in (in_virtual_time, small)]
    assert lost[0] == lost[1] != []


def kinds(bundle):
    """Losses as the sender saw them, in order."""
    return [row["kind"] for row in read_trace(bundle / "tcp.trace") if row["kind"] in ("retransmit", "rto")]


def test_same_run_same_bytes(scenario, tmp_path, in_virtual_time):
    assert digests(in_virtual_time) == digests(execute(scenario, tmp_path / "again"))
