# SPDX-License-Identifier: GPL-2.0-or-later
"""RTT of segments, Karn's rule, and the parts that add up to the RTT."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_bundle import ISN_ACK, MS, PAYLOAD, SPORT, tcp_packet, write_pcap

from cellbed_analysis.radio.packet_path import RadioLog, packet_paths
from cellbed_analysis.tcp.segment import (
    RTT_PARTS,
    data_segments,
    decomposed_segments,
    flow_packets,
    part_label,
    tcp_tag,
    unwrap,
)
from cellbed_formats.bundle import Bundle
from cellbed_formats.capture import read_capture
from cellbed_formats.error import DataError


def segments_of(tmp_path: Path, *events: tuple[float, bool, int, int]) -> pl.DataFrame:
    """Segments from (ms, forward, seq or ack number, payload); the data's ISN is 1000."""
    packets = []
    for ms, forward, number, payload in events:
        seq, ack = (number, ISN_ACK) if forward else (ISN_ACK, number)
        packets.append((round(ms * MS), tcp_packet(forward, seq, ack, payload)))
    path = tmp_path / "ip.pcap"
    write_pcap(path, packets)
    frame = read_capture(path).with_row_index("row").with_columns(tag=tcp_tag())
    forward = frame.filter(pl.col("sport") == SPORT)
    return data_segments(forward, frame.filter(pl.col("dport") == SPORT))


def rtts_ms(segments: pl.DataFrame) -> list[float | None]:
    return [None if v is None else v / MS for v in segments["rtt_ns"]]


def test_first_ack_that_covers_the_segment_ends_its_rtt(tmp_path: Path) -> None:
    found = segments_of(
        tmp_path,
        (0, True, 1000, 100),
        (1, True, 1100, 100),
        (5, False, 1050, 0),  # covers neither whole
        (7, False, 1200, 0),  # covers both
        (9, False, 1200, 0),
        (10, True, 1200, 100),
    )
    assert rtts_ms(found) == [7, 6, None]  # the last was never acknowledged
    assert found["seq"].to_list() == [0, 100, 200]
    assert found["oldest"].to_list() == [True, False, False]
    # Each sees itself and what is not acknowledged before it; 1050 confirmed 50 in between.
    assert found["flight_bytes"].to_list() == [100, 200, 100]


def test_retransmitted_segments_have_no_rtt(tmp_path: Path) -> None:
    """Karn's rule: which transmission does the ACK at 9 answer?"""
    found = segments_of(
        tmp_path,
        (0, True, 1000, 100),
        (1, True, 1100, 100),
        (5, True, 1000, 100),
        (9, False, 1200, 0),
    )
    assert found["retransmitted"].to_list() == [True, False, True]
    assert rtts_ms(found) == [None, 8, None]


def test_a_retransmission_of_another_size_counts_too(tmp_path: Path) -> None:
    found = segments_of(
        tmp_path,
        (0, True, 1000, 100),
        (1, True, 1100, 100),
        (2, True, 1200, 100),
        (5, True, 1050, 100),  # the end of the first and half of the second
        (9, False, 1300, 0),
    )
    assert found["retransmitted"].to_list() == [True, True, False, True]


def test_an_old_ack_takes_nothing_back(tmp_path: Path) -> None:
    found = segments_of(
        tmp_path,
        (0, True, 1000, 100),
        (3, False, 1100, 0),
        (4, False, 1000, 0),  # reordered
        (5, True, 1100, 100),
        (8, False, 1200, 0),
    )
    assert rtts_ms(found) == [3, 3]
    assert found["flight_bytes"].to_list() == [100, 100]


def test_handshake_counts_one_number(dm_dm: Bundle) -> None:
    data, acks = flow_packets(dm_dm, dm_dm.flows[0], "ue1")
    segments = data_segments(data, acks)
    assert segments["seq"][:3].to_list() == [0, 37, 37 + PAYLOAD]


def test_the_flow_is_the_connection_with_most_data(dm_dm: Bundle) -> None:
    data, acks = flow_packets(dm_dm, dm_dm.flows[0], "ue1")
    assert set(data["sport"]) == {SPORT}
    assert set(acks["dport"]) == {SPORT}


def test_a_capture_without_the_flow_is_an_error(dm_dm: Bundle, tmp_path: Path) -> None:
    write_pcap(tmp_path / "ip-ue1.pcap", [(0, tcp_packet(True, 0, 0, 0))])
    with pytest.raises(DataError, match=r"flow file: ip-ue1\.pcap has no data of it"):
        flow_packets(Bundle(tmp_path, dm_dm.manifest), dm_dm.flows[0], "ue1")


@given(st.lists(st.integers(-(2**31) + 1, 2**31 - 1), max_size=30), st.integers(0, 2**32 - 1))
def test_unwrapped_numbers_keep_every_step(steps: list[int], first: int) -> None:
    path = np.cumsum([first, *steps])
    unwrapped = unwrap((path % 2**32).astype(np.uint32))
    assert unwrapped.tolist() == path.tolist()


def decomposed(bundle: Bundle) -> pl.DataFrame:
    lives = packet_paths(RadioLog(bundle.radio), 2)
    return decomposed_segments(bundle, bundle.flows[0], lives)


def test_parts_of_direct_mode_by_hand(dm_dm: Bundle) -> None:
    segments = decomposed(dm_dm)
    row = segments.row(10, named=True)
    found = {part: row[part] / MS for part in RTT_PARTS if row[part]}
    way = {"rar": 3, "bsr": 2, "bsr_decode": 3.75, "schedule": 0.25, "grant": 2, "air": 3.75}
    assert found == pytest.approx(
        {"host_tx": 0.01, "data_rac_wait": 0.22, "receiver": 0.01, "ack_rac_wait": 0.24,
         "host_rx": 0.01}
        | {f"data_{k}": v for k, v in way.items()}
        | {f"ack_{k}": v for k, v in way.items()}
    )  # fmt: skip


def test_parts_add_up_to_the_measured_rtt(dm_dm: Bundle, im_im: Bundle) -> None:
    for bundle in (dm_dm, im_im):
        segments = decomposed(bundle).drop_nulls("rtt_ns")
        assert len(segments) > 150
        total = segments.select(pl.sum_horizontal(RTT_PARTS)).to_series()
        assert total.to_list() == segments["rtt_ns"].to_list()  # to the nanosecond
        assert min(segments.select(pl.min_horizontal(RTT_PARTS)).to_series()) >= 0


def test_every_part_has_words() -> None:
    assert part_label("host_tx") == "sender's host, capture to radio"
    assert part_label("data_rac_wait") == "data: wait before the RAC request"
    assert part_label("ack_bsr_decode") == "ACK: BSR on the air and decoded"
    assert all(part_label(part) for part in RTT_PARTS)
