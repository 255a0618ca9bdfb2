# SPDX-License-Identifier: GPL-2.0-or-later
"""The quick part of the cell edge: losses that follow from the channel, UDP beside TCP, a run that repeats itself."""

import json

import pytest
from e2e import ROOT, bundles, cellbed, digests

from cellbed_analysis.metrics.rows import compute
from cellbed_formats.bundle import Bundle

pytestmark = pytest.mark.lab

QUICK = ROOT / "scenarios/celledge-li/quick.yaml"
UDP, TCP, CONTROL = (f"{name}_distance_m=240" for name in ("UDP-UM", "TCP-AM", "TCP-UM-control"))


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    results = tmp_path_factory.mktemp("cell-edge")
    cellbed("run", QUICK, "--results", results, *(word for name in (UDP, TCP, CONTROL) for word in ("--variant", name)))
    return {path.name.split("-seed")[0]: path for path in bundles(results).values()}


def radio(bundle):
    return json.loads((bundle / "radio.json").read_text())


def row(bundle):
    return compute(Bundle(bundle, json.loads((bundle / "manifest.json").read_text())))[0]


def test_runs_are_valid(executed):
    assert set(executed) == {UDP, TCP, CONTROL}
    for bundle in executed.values():
        verdict = json.loads((bundle / "manifest.json").read_text())["validity"]
        assert verdict["verdict"] == "valid", verdict
        assert radio(bundle)["dl"]["harq_retx"] > 0


def test_control_channels_are_missed_where_errors_are_on(executed):
    assert radio(executed[CONTROL])["control_missed"] > 0
    assert radio(executed[CONTROL])["dl"]["harq_failures"] >= radio(executed[CONTROL])["control_missed"] / 2
    assert radio(executed[TCP])["control_missed"] == 0


def test_every_lost_datagram_has_a_reason(executed):
    """Captures, the receiving application and the radio's own counts agree."""
    found = row(executed[UDP])
    assert found["ip_lost_pkts"] > 1000
    assert found["udp_lost_difference_pkts"] == 0
    dropped = radio(executed[UDP])["pkts_dropped"]
    assert found["ip_lost_pkts"] == sum(dropped.values())
    assert dropped["queue_full"] > 0


def test_same_seed_same_bytes(executed, tmp_path):
    cellbed("run", QUICK, "--results", tmp_path, "--variant", UDP)
    (again,) = bundles(tmp_path).values()
    assert digests(again) == digests(executed[UDP])


def test_a_recorded_channel_takes_the_place_of_the_one_it_recorded(executed, tmp_path):
    channel = executed[CONTROL] / "channel.trace"
    cellbed("run", QUICK, "--results", tmp_path, "--variant", CONTROL, "--set", "radio.channel.model=trace",
            "--set", f"radio.channel.trace={channel}")
    (again,) = bundles(tmp_path).values()
    assert radio(again) == radio(executed[CONTROL])
    for name in ("ip-server.pcap", "ip-ue1.pcap", "tcp.trace"):
        assert (again / name).read_bytes() == (executed[CONTROL] / name).read_bytes()


def test_radio_link_failures_lose_no_packet(tmp_path):
    """With one retransmission each fade of the control channels fails the link; re-establishment sends the rest."""
    cellbed("run", QUICK, "--results", tmp_path, "--variant", TCP, "--set", "radio.control.errors=true",
            "--set", "radio.rlc_am.max_retx_threshold=1")
    (bundle,) = bundles(tmp_path).values()
    assert radio(bundle)["radio_link_failures"] > 3
    dropped = radio(bundle)["pkts_dropped"]
    assert sum(dropped.values()) == dropped["shutdown"]
    found = row(bundle)
    assert found["ip_lost_pkts"] == 0 and found["radio_link_failures"] == radio(bundle)["radio_link_failures"]


def test_iperf3_counts_the_losses_that_the_captures_have(tmp_path):
    """Below the capacity but for a short queue: some are lost, and iperf3's own connection gets through."""
    cellbed("run", QUICK, "--results", tmp_path, "--variant", UDP, "--set", "traffic.0.kind=iperf3",
            "--set", "traffic.0.transport=udp", "--set", "traffic.0.packet_bytes=1024", "--set", "traffic.0.rate=2Mbit",
            "--set", "radio.rlc.queue_bytes=12KiB")
    (bundle,) = bundles(tmp_path).values()
    found = row(bundle)
    assert found["ip_lost_pkts"] > 0
    assert found["udp_lost_difference_pkts"] == 0


def test_a_connection_that_never_comes_about_is_a_throughput_of_nothing(tmp_path):
    """On the border of three sectors no transport format is robust enough."""
    cellbed("run", QUICK, "--results", tmp_path, "--variant", TCP, "--set", "radio.channel.cell_edge.azimuth_deg=60",
            "--set", "radio.channel.cell_edge.distance_m=300")
    (bundle,) = bundles(tmp_path).values()
    found = row(bundle)
    assert json.loads((bundle / "flow.stream.json").read_text())["connected_s"] is None
    assert found["ip_throughput_mbps"] == found["ip_sent_pkts"] == 0 and found["rto_count"] > 0
