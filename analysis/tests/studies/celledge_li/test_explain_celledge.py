# SPDX-License-Identifier: GPL-2.0-or-later
"""Causes at the edge of a cell: each follows from counts, and is not given without them."""

from __future__ import annotations

from typing import Any

from synthetic_edge import row

from cellbed_analysis.claims.explain import explain
from cellbed_analysis.claims.judge import evaluate_one

CLAIM = {"explain": "celledge"}


def counted(variant: str, distance_m: float = 300, **more: Any) -> dict[str, Any]:
    return row(variant, distance_m, **{"blocks_dl": 10_000, "block_dl_mean_bytes": 500.0, "harq_failures_dl": 5,
                                       "param.tcp.mss": 1024, "param.radio.rlc_am.max_retx_threshold": 8} | more)


def test_facts_name_the_configuration() -> None:
    text = explain(CLAIM, [counted("TCP-UM", control_missed_ttis=0)], [counted("UDP-UM", 40, ip_lost_pkts=7)])
    assert text.startswith("TCP-UM at 300 m: 4.00 Mbit/s, 0 of them lost, 10000 downlink blocks of 500 bytes on ")
    assert "UDP-UM at 40 m: 17.50 Mbit/s, 7 of them lost" in text


def test_of_a_trend_the_ends_are_told() -> None:
    text = explain(CLAIM, [counted("TCP-UM", distance) for distance in (40, 180, 300)], [])
    assert "at 40 m:" in text and "at 300 m:" in text and "180 m" not in text


def test_a_full_queue_takes_what_no_arq_brings_back() -> None:
    lost = {"dropped_queue_full_pkts": 990, "ip_lost_pkts": 1000, "ip_throughput_mbps": 2.0}
    text = explain(CLAIM, [counted("UDP-UM", **lost)], [])
    assert "99.0% of the datagrams lost found RLC's queue full: 40 Mbit/s are offered, 2.00 Mbit/s leave" in text
    assert "on the air 10 were lost" in text
    assert "queue full:" not in explain(CLAIM, [counted("UDP-UM", **lost | {"dropped_queue_full_pkts": 400})], [])


def test_a_window_beyond_the_path_is_a_queue() -> None:
    text = explain(CLAIM, [counted("TCP-UM", 40, rtt_min_ms=30.0)], [])
    assert "window of 128 KiB makes 35 Mbit/s at an RTT of 30 ms" in text
    for more in ({"rtt_min_ms": 300.0}, {"rtt_min_ms": 30.0, "harq_failures_dl": 500}):
        assert "makes" not in explain(CLAIM, [counted("TCP-UM", 40, **more)], [])


def test_packets_lie_in_several_blocks() -> None:
    text = explain(CLAIM, [counted("TCP-UM-control", harq_failures_dl=1000, block_dl_mean_bytes=266.0)], [])
    # 1064 bytes: 5 blocks; 1 - 0.9^5
    assert "1064 bytes lies in 5.0 blocks, of which 10.0% are lost: in UM that takes 41% of the packets" in text
    assert "lies in" not in explain(CLAIM, [counted("TCP-AM-control", harq_failures_dl=1000)], [])


def test_am_without_losses_and_without_failures() -> None:
    assert "HARQ leaves AM 0.050% of the blocks" in explain(CLAIM, [counted("TCP-AM")], [])
    text = explain(CLAIM, [counted("UDP-AM-control", harq_failures_dl=800, radio_link_failures=0)], [])
    assert "takes 9 transmissions of a PDU without success; 8.0% of the blocks are lost" in text
    assert "needless" not in explain(CLAIM, [counted("UDP-AM-control", radio_link_failures=2)], [])


def test_what_the_paper_leaves_open_is_added() -> None:
    claim = {
        "id": "x", "source": "x", "scenario": "celledge-li/distance", "statement": "x", "unit": "1", **CLAIM,
        "measure": {"metric": "ip_lost_pkts", "where": {"variant": "UDP-AM"}},
        "ratio": {"metric": "ip_lost_pkts", "where": {"variant": "UDP-UM"}}, "expect": {"value": 0.2, "tolerance": 0.1},
        "vary": {"scenario": "celledge-li/unstated-rate", "by": ["traffic.0.rate"]},
    }  # fmt: skip
    rows = [counted(variant) for variant in ("UDP-UM", "UDP-AM")]
    rows += [row(variant, 300, "celledge-li/unstated-rate", ip_lost_pkts=lost, **{"param.traffic.0.rate": 1_000_000})
             for variant, lost in (("UDP-UM", 100), ("UDP-AM", 3))]
    found = evaluate_one(claim, rows)
    assert found.verdict == "differs" and found.cause.endswith("does not state: 0.03 (rate 1000000).")
