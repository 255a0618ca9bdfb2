# SPDX-License-Identifier: GPL-2.0-or-later
"""A recorded link in the virtual lab: what arrives is what the trace has opportunities for, at their times."""

import json

import pytest
from e2e import ROOT, bundles, cellbed, digests

from cellbed import mahimahi
from cellbed_analysis.bundle import Bundle
from cellbed_analysis.metrics.run import compute

pytestmark = pytest.mark.lab

REPLAY = ROOT / "scenarios/packet-trace/replay.yaml"
DELAY_MS = 20
RADIO_START_NS = 4_000_000_000  # sub-frame 0 of the virtual lab


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    results = tmp_path_factory.mktemp("packet-trace")
    cellbed("run", REPLAY, "--results", results, "--variant", "UDP", "--variant", "cubic")
    return {path.name.split("-seed")[0]: path for path in bundles(results).values()}


def bundle_of(path):
    return Bundle(path, json.loads((path / "manifest.json").read_text()))


def test_runs_are_valid(played):
    for path in played.values():
        verdict = bundle_of(path).manifest["validity"]
        assert verdict["verdict"] == "valid", verdict


def test_full_packets_arrive_at_the_times_of_the_trace(played):
    """UDP offers more than the link takes: from the first packet to the last no opportunity is left out."""
    bundle = bundle_of(played["UDP"])
    arrived = bundle.capture("ue1").filter(dport=bundle.flows[0].port)
    assert set(arrived["ip_bytes"]) == {mahimahi.BYTES}
    found = [round((t - RADIO_START_NS) / 1e6 - DELAY_MS, 1) for t in arrived["t_ns"]]
    times = mahimahi.read(ROOT / "scenarios/packet-trace/down.mahimahi")
    turns = [turn * times[-1] + t for turn in range(3) for t in times]
    # The first packet comes at a millisecond's begin, too late for an opportunity of that one.
    expected = [t for t in turns if found[0] <= t <= found[-1]]
    assert len(found) > 2500 and found[-1] > times[-1]  # begun anew
    assert found == expected


def test_what_does_not_fit_the_queue_is_dropped_and_nothing_else(played):
    stats = bundle_of(played["UDP"]).radio_stats
    assert stats["pkts_in"] == stats["pkts_delivered"] + stats["pkts_dropped"]["queue_full"]
    assert stats["dl"]["mac_pdus"] == stats["pkts_delivered"] and stats["dl"]["mac_padding_bytes"] == 0


def test_tcp_gets_what_the_link_has_and_meets_its_delay(played):
    row = compute(bundle_of(played["cubic"]))[0]
    times = mahimahi.read(ROOT / "scenarios/packet-trace/down.mahimahi")
    assert row["ip_throughput_mbps"] < 1.5 * len(times) * mahimahi.BYTES * 8 / 1e3 / times[-1]
    assert row["ip_throughput_mbps"] > 1 and row["rtt_min_ms"] >= 2 * DELAY_MS


def test_same_seed_same_bytes(played, tmp_path):
    cellbed("run", REPLAY, "--results", tmp_path, "--variant", "UDP")
    (again,) = bundles(tmp_path).values()
    assert digests(again) == digests(played["UDP"])
