# SPDX-License-Identifier: GPL-2.0-or-later
"""Losses at the IP layer: what is under way at the end of a connection is none of them."""

from pathlib import Path

import polars as pl
from synthetic_bundle import MS, PAYLOAD, START_NS, tcp_packet, write_bundle, write_pcap

from cellbed_analysis.metrics.datagrams import ip_metrics, iperf3_metrics, settled
from cellbed_analysis.metrics.window import Window
from cellbed_formats.bundle import read_bundle


def packets(*seq: int) -> pl.DataFrame:
    return pl.DataFrame({"seq": list(seq)}, schema={"seq": pl.UInt32})


def test_what_is_under_way_is_not_lost() -> None:
    sent, came = settled(packets(1, 2, 3, 4, 5), packets(1, 3))
    assert (sent["seq"].to_list(), len(came)) == ([1, 2, 3], 2)


def test_a_retransmission_settles_what_was_sent_before_it() -> None:
    assert len(settled(packets(1, 2, 3, 2, 4), packets(1, 3, 2))[0]) == 4


def test_what_was_not_captured_when_sent_does_not_count() -> None:
    sent, came = settled(packets(1, 2, 3), packets(1, 3, 4))
    assert (len(sent), len(came)) == (3, 2)


def test_nothing_came() -> None:
    assert settled(packets(1, 2), packets())[0].is_empty()


def test_what_a_connection_leaves_under_way_is_not_lost(tmp_path: Path) -> None:
    """Of four segments the second one is missing, and so is the last one, which may have been under way."""
    path = write_bundle(tmp_path, duration_s=1)
    segments = [(START_NS + n * MS, tcp_packet(True, 1 + n * PAYLOAD, 0, PAYLOAD)) for n in range(4)]
    write_pcap(path / "ip-ue1.pcap", segments)
    write_pcap(path / "ip-ue2.pcap", [segments[0], segments[2]])
    bundle = read_bundle(path)
    values = ip_metrics(bundle, bundle.flows[0], Window(START_NS, START_NS + 10**9))
    assert (values["ip_sent_pkts"], values["ip_lost_pkts"]) == (3, 1)


def test_what_iperf3_counted_of_udp() -> None:
    report = {"end": {"sum": {"bytes": 1_000_000, "lost_percent": 25.0, "lost_packets": 244, "seconds": 2.0}}}
    assert iperf3_metrics(report) == {"goodput_iperf3_mbps": 3.0, "udp_lost_pkts": 244}
