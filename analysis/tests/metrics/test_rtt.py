# SPDX-License-Identifier: GPL-2.0-or-later
"""RTTs and their parts, of segments written by hand."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from synthetic_bundle import MS

from cellbed_analysis.metrics.rtt import part_metrics, rtt_metrics
from cellbed_analysis.tcp.segment import RTT_PARTS


def segment(at_ms: int, rtt_ms: float | None, **parts_ms: float) -> dict[str, Any]:
    """A segment that waits for nothing but what @parts_ms say; its data take 20 ms there and its ACK 10 ms back."""
    row: dict[str, Any] = {part: round(parts_ms.get(part, 0) * MS) for part in RTT_PARTS}
    for side, ms in (("data", 20), ("ack", 10)):
        waits = parts_ms.get(f"{side}_queue", 0)
        row |= {f"{side}_in_ns": at_ms * MS, f"{side}_out_ns": round((at_ms + ms + waits) * MS),
                f"{side}_request_ns": at_ms * MS}  # fmt: skip
    rtt_ns = None if rtt_ms is None else round(rtt_ms * MS)
    return row | {"out_ns": at_ms * MS, "rtt_ns": rtt_ns, "retransmitted": False, "data_buffer_empty": True,
                  "flight_bytes": 1000}


def test_what_blocked_segments_and_acks_cost() -> None:
    """Two of four segments wait 5 and 7 ms for their turn, one ACK 3 ms; a wait of one sub-frame is none."""
    rows = [segment(0, 30, data_queue=1), segment(10, 35, data_queue=5), segment(20, 37, data_queue=7),
            segment(30, 33, ack_queue=3)]  # fmt: skip
    values = part_metrics(pl.DataFrame(rows))
    assert values["data_blocked_share"].value == 0.5
    assert values["data_blocked_extra_rtt_ms"] == pytest.approx((35 + 37) / 2 - (30 + 33) / 2)
    assert values["data_blocked_extra_delay_ms"] == pytest.approx((25 + 27) / 2 - (21 + 20) / 2)
    assert values["ack_blocked_extra_rtt_ms"] == pytest.approx(33 - (30 + 35 + 37) / 3)
    assert values["ack_blocked_extra_delay_ms"] == pytest.approx(3)


def test_nothing_to_compare_with_what_was_blocked() -> None:
    values = part_metrics(pl.DataFrame([segment(0, 30, data_queue=5), segment(10, 31, data_queue=6)]))
    assert values["data_blocked_share"].value == 1 and values["ack_blocked_share"].value == 0
    assert not {"data_blocked_extra_rtt_ms", "ack_blocked_extra_rtt_ms"} & values.keys()


def test_the_receiver_holds_acks_back() -> None:
    values = part_metrics(pl.DataFrame([segment(0, 30, receiver=40), segment(10, 31, receiver=1)]))
    assert values["receiver_delayed_share"].value == 0.5
    assert values["receiver_delayed_mean_ms"] == 40
    assert values["part_receiver_ms"] == 20.5 and values["part_receiver_std_ms"] == 19.5


def test_segments_that_nothing_acknowledged_have_no_rtt() -> None:
    lost = pl.DataFrame([segment(0, None), segment(10, None)], schema_overrides={"rtt_ns": pl.Int64})
    assert rtt_metrics(lost) == {"segments": 2, "retransmitted_segments": 0}
    assert part_metrics(lost) == {}
    one = pl.DataFrame([segment(0, None), segment(10, 30)])
    assert part_metrics(one)["parts_segments_share"] == 0.5
    assert rtt_metrics(one)["rtt_mean_ms"].value == 30
