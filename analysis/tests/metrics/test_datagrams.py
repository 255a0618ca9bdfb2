# SPDX-License-Identifier: GPL-2.0-or-later
"""Losses at the IP layer: what is under way at the end of a connection is none of them."""

import polars as pl

from cellbed_analysis.metrics.datagrams import iperf3_metrics, settled


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


def test_what_iperf3_counted_of_udp() -> None:
    report = {"end": {"sum": {"bytes": 1_000_000, "lost_percent": 25.0, "lost_packets": 244, "seconds": 2.0}}}
    assert iperf3_metrics(report) == {"goodput_iperf3_mbps": 3.0, "udp_lost_pkts": 244}
