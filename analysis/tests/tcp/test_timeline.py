# SPDX-License-Identifier: GPL-2.0-or-later
"""The sequence chart is Figure 4's, and disturbed segments are not taken for it."""

from __future__ import annotations

import polars as pl
import pytest

from cellbed_analysis.metrics.rows import compute
from cellbed_analysis.tcp.timeline import sequence_of, table, typical, undisturbed
from cellbed_formats.bundle import Bundle


def chart(bundle: Bundle) -> pl.DataFrame:
    segments = compute(bundle)[1]
    segment = typical(segments)
    assert segment is not None
    return table(sequence_of(bundle.flows[0], segment))


def test_direct_mode_is_figure_4(dm_dm: Bundle) -> None:
    found = chart(dm_dm)
    assert found.rows() == [
        (-0.22, "ue1", "data enters the buffer", None),
        (0.0, "ue1 to eNB", "RAC request", 3.0),
        (3.0, "eNB to ue1", "RAR: grant of one RB", 5.0),
        (5.0, "ue1 to eNB", "BSR", 8.75),
        (9.0, "eNB to ue1", "grant for data", 11.0),
        (11.0, "ue1 to ue2", "data", 14.75),
        (14.75, "ue2", "data delivered to TCP", None),
        (14.76, "ue2", "ACK enters the buffer", None),
        (15.0, "ue2 to eNB", "RAC request", 18.0),
        (18.0, "eNB to ue2", "RAR: grant of one RB", 20.0),
        (20.0, "ue2 to eNB", "BSR", 23.75),
        (24.0, "eNB to ue2", "grant for ACK", 26.0),
        (26.0, "ue2 to ue1", "ACK", 29.75),
        (29.75, "ue1", "ACK delivered to TCP", None),
    ]


def test_infrastructure_mode_shows_downlink_and_stealing(im_im: Bundle) -> None:
    found = chart(im_im)
    events = list(zip(found["where"], found["event"], strict=True))
    assert ("eNB to ue2", "data") in events
    assert ("ue2 to eNB", "BSR and ACK") in events
    assert ("eNB to ue2", "grant for ACK") not in events


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("data_buffer_empty", False),
        ("ack_buffer_empty", False),
        ("receiver", 2_000_000),  # a delayed ACK
        ("data_queue", 1),
        ("ack_rac_wait", 1_100_000),
        ("data_schedule", 1_000_000),
        ("ack_reorder", 1_000_000),
        ("ack_harq", 8_000_000),
        ("data_bsr_harq", 8_000_000),
        ("data_arq", 1),
    ],
)
def test_a_disturbed_segment_is_left_out(dm_dm: Bundle, column: str, value: object) -> None:
    segments = compute(dm_dm)[1].drop_nulls("rtt_ns").head(2)
    assert len(undisturbed(segments)) == 2
    kind = segments.schema[column]
    disturbed = segments.with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(pl.lit(value, kind)).otherwise(column).alias(column)
    )
    assert undisturbed(disturbed)["seq"].to_list() == segments["seq"][1:].to_list()


def test_retransmissions_are_steps_of_their_own(dm_dm: Bundle) -> None:
    """HARQ brings the BSR at its second attempt and gives the data up; RLC sends them again."""
    calm = typical(compute(dm_dm)[1])
    assert calm is not None
    tx, tried, sent = calm["data_bsr_tx_ns"], calm["data_bsr_rx_ns"], calm["data_tried_ns"]
    late = {"data_bsr_rx_ns": tried + 8 * 10**6, "data_harq_ns": sent + 8 * 10**6, "data_rx_ns": sent + 50 * 10**6}
    found = table(sequence_of(dm_dm.flows[0], calm | late))
    steps = list(zip(found["event"], found["t_ms"], found["arrival_ms"], strict=True))
    at = 5 + (tried - tx) / 1e6
    assert steps[3:9] == [
        ("BSR", 5.0, at), ("not decoded: HARQ sends the BSR again", at, at + 8), ("grant for data", 9.0, 11.0),
        ("data", 11.0, 14.75), ("not decoded: HARQ sends data again", 14.75, 22.75),
        ("given up by HARQ: RLC sends data again", 22.75, 64.75),
    ]  # fmt: skip


def test_a_segment_served_by_another_ones_request_is_left_out(dm_dm: Bundle) -> None:
    segments = compute(dm_dm)[1].drop_nulls("rtt_ns").head(1)
    joined = segments.with_columns(data_in_ns=pl.col("data_request_ns") + 1)
    assert undisturbed(joined).is_empty()
    trailing = segments.with_columns(data_access=pl.lit("trailing", segments.schema["data_access"]))
    assert undisturbed(trailing).is_empty()


def test_no_calm_segment_gives_no_chart(dm_dm: Bundle) -> None:
    segments = compute(dm_dm)[1].with_columns(data_buffer_empty=False)
    assert typical(segments) is None
