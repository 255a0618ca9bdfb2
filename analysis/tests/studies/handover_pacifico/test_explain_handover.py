# SPDX-License-Identifier: GPL-2.0-or-later
"""Causes at a handover: counted facts, and what the wires allow."""

from __future__ import annotations

from typing import Any

from cellbed_analysis.studies.handover_pacifico.explain import handover

ROW: dict[str, Any] = {
    "param.radio.handover.procedure": "standard", "param.tcp.cwnd_max_pkts": 44, "param.tcp.rto_min_ms": 1000,
    "param.links.0.rate": 100_000_000, "param.links.4.rate": 12_000_000, "param.links.4.queue_pkts": 90,
    "ho_source_mes": 1, "ho_target_mes": 3, "ho_span_ms": 80.0, "ho_rtt_before_ms": 45.0,
    "ho_timeout": 1, "ho_timeout_spurious": 0, "ho_lost_pkts": 8, "ho_ack_gap_ms": 82.0,
}


def claim(metric: str, **expect: float) -> dict[str, Any]:
    return {"measure": {"metric": metric}, "expect": expect}


def test_facts_and_reasons_are_those_of_the_runs() -> None:
    said = handover(claim("ho_timeout", above=0.5), [ROW], [])
    assert "100% of the timeouts are about segments that were lost" in said
    assert "ACKs are at most 82 ms apart, the least RTO is 1000 ms" in said
    assert "lost" not in handover(claim("ho_timeout"), [ROW | {"ho_timeout_spurious": 1, "ho_lost_pkts": 0}], []).split(
        "transmissions lost in all")[1]


def test_rtt_of_a_lone_me_is_its_window_on_the_slowest_link() -> None:
    said = handover(claim("ho_rtt_before_ms", low=50, high=150), [ROW], [])
    assert "its window of 44 packets takes there, 44 ms" in said   # 44 x 12 kbit / 12 Mbit/s
    assert "takes there" not in handover(claim("ho_rtt_before_ms"), [ROW | {"ho_source_mes": 4}], [])


def test_delivered_data_are_bounded_by_the_link() -> None:
    said = handover(claim("ho_delivered_kb", low=70, high=700), [ROW], [])
    assert "In 80 ms a link of 12 Mbit/s carries at most 120 kB; 700 kB take it 467 ms" in said
    assert "carries" not in handover(claim("ho_delivered_kb", above=0), [ROW], [])


def test_a_drop_rate_is_told_apart_for_the_start() -> None:
    split = {"ho_lost_target_start_percent": 6.0, "ho_lost_target_steady_percent": 1.25}
    said = handover(claim("ho_drop_target_percent", value=3.9), [ROW | split], [])
    assert "those in the target cell 6.00 %, 1.25 % later" in said


def test_reasons_need_their_numbers() -> None:
    said = handover(claim("ho_timeout", above=0.5), [ROW | {"ho_ack_gap_ms": None}], [])
    assert "Delay alone" not in said
    assert "Delay alone" not in handover(claim("ho_timeout"), [ROW | {"ho_ack_gap_ms": 1000.0}], [])
    assert "End Marker" not in said
    lost = handover(claim("ho_timeout"), [ROW | {"ho_end_markers_lost": 1, "ho_held_ms": 205.0}], [])
    assert "waiting for it, up to 205 ms" in lost
    assert "waiting for it" not in handover(claim("ho_timeout"), [ROW | {"ho_end_markers_lost": 1}], [])
