# SPDX-License-Identifier: GPL-2.0-or-later
"""Retransmissions, reordering, counters and ACK spacing, against packets written by hand."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from synthetic_bundle import MS, PAYLOAD, START_NS, write_bundle

from cellbed_analysis.metrics import causes
from cellbed_analysis.metrics.catalog import METRICS
from cellbed_analysis.metrics.rows import compute, primary_flow
from cellbed_analysis.tcp.arrival import matched, reordering_extents, transmissions
from cellbed_formats.bundle import read_bundle

SYN, ACK = 0x02, 0x10
Packet = tuple[int, int, int]  # t_ns, sequence or acknowledgment number, IPv4 identification


def direction(packets: list[Packet], payload: int = 100, data: bool = True) -> pl.DataFrame:
    """Packets of one direction at one end, in the columns of `flow_packets`."""
    numbers = [number % 2**32 for _, number, _ in packets]
    return pl.DataFrame(
        {
            "row": range(len(packets)),
            "t_ns": [t for t, _, _ in packets],
            "seq": numbers if data else [7] * len(packets),
            "ack": [7] * len(packets) if data else numbers,
            "flags": [ACK] * len(packets),
            "ip_id": [ip_id for _, _, ip_id in packets],
            "payload_bytes": [payload if data else 0] * len(packets),
        },
        schema_overrides={"row": pl.UInt32, "t_ns": pl.Int64, "seq": pl.UInt32, "ack": pl.UInt32},
    )


BASE = 2**32 - 250  # sequence numbers wrap inside the third segment


def seq(k: int) -> int:
    return BASE + 100 * k


def test_a_copy_is_known_by_its_identification() -> None:
    sent = direction([(0, seq(0), 1), (10, seq(1), 2), (20, seq(0), 3)])
    there = direction([(15, seq(1), 2), (25, seq(0), 3)])
    assert matched(sent, there)["there_ns"].to_list() == [None, 15, 25]


def test_twins_match_in_their_order() -> None:
    sent = direction([(0, seq(0), 0), (10, seq(0), 0)])
    there = direction([(5, seq(0), 0), (16, seq(0), 0)])
    assert matched(sent, there)["there_ns"].to_list() == [5, 16]


def test_spurious_is_what_arrives_in_spite_of_an_arrival() -> None:
    sent = direction(
        [
            (0, seq(0), 1), (1, seq(1), 2), (2, seq(2), 3), (3, seq(3), 4),
            (30, seq(1), 5),  # the original arrives late, at 40: spurious
            (31, seq(2), 6),  # the original is lost: needed
            (60, seq(2), 7),  # and again, although the copy arrives: spurious, and itself lost
            (61, seq(4), 8),
        ]
    )  # fmt: skip
    there = direction([(10, seq(0), 1), (11, seq(3), 4), (40, seq(1), 2), (42, seq(1), 5), (43, seq(2), 6),
                       (71, seq(4), 8)])  # fmt: skip
    found = transmissions(sent, there)
    assert found["start"].to_list() == [0, 100, 200, 300, 100, 200, 200, 400]
    assert found["again"].to_list() == [False] * 4 + [True] * 3 + [False]
    assert found["spurious"].to_list() == [False] * 4 + [True, False, True, False]
    assert causes.retransmission_metrics(found) == {
        "transmissions": 8, "lost_transmissions": 2, "retransmissions": 3, "spurious_retransmits": 2,
    }  # fmt: skip
    # Arrivals by order of sending 0 3 1 4 5 7: the second, sent before the fourth, is one late.
    assert causes.reordering_metrics(found) == {
        "reordering_events": 1, "reordering_dupack_events": 0, "reordering_extent_max": 1,
    }  # fmt: skip


def test_what_the_senders_own_queue_dropped_is_resent_for_a_reason() -> None:
    """The second segment is in no capture before its retransmission; a second one of that is needless."""
    sent = direction([(0, seq(0), 1), (2, seq(2), 3), (30, seq(1), 4), (60, seq(1), 5)])
    there = direction([(10, seq(0), 1), (12, seq(2), 3), (40, seq(1), 4), (70, seq(1), 5)])
    found = transmissions(sent, there)
    assert found["again"].to_list() == [False, False, True, True]
    assert found["spurious"].to_list() == [False, False, False, True]


def test_a_retransmission_that_joins_two_segments_looks_at_its_first_byte() -> None:
    sent = direction([(0, seq(0), 1), (1, seq(1), 2), (2, seq(0), 3)]).with_columns(
        payload_bytes=pl.Series([100, 100, 200])
    )
    only_second = direction([(9, seq(1), 2)])
    assert transmissions(sent, only_second)["spurious"].to_list() == [False, False, False]
    only_first = direction([(9, seq(0), 1)])
    assert transmissions(sent, only_first)["spurious"].to_list() == [False, False, True]


@pytest.mark.parametrize(
    ("order", "extents"),
    [
        ([0, 1, 2, 3], [0, 0, 0, 0]),
        ([1, 2, 3, 0, 4], [0, 0, 0, 3, 0]),  # one packet behind three later ones
        ([3, 4, 0, 1, 2, 5], [0, 0, 2, 3, 4, 0]),  # a burst of three
        ([0, 9, 3], [0, 0, 1]),  # losses make no extent
        ([], []),
    ],
)
def test_reordering_extents(order: list[int], extents: list[int]) -> None:
    assert reordering_extents(np.array(order, dtype=np.int64)).tolist() == extents


def test_extent_of_three_is_enough_for_a_fast_retransmit() -> None:
    sent = direction([(k, seq(k), k) for k in range(6)])
    there = direction([(20 + i, seq(k), k) for i, k in enumerate([3, 4, 0, 1, 2, 5])])
    assert causes.reordering_metrics(transmissions(sent, there)) == {
        "reordering_events": 3, "reordering_dupack_events": 2, "reordering_extent_max": 4,
    }  # fmt: skip


def test_what_tcp_resends_is_no_reordering() -> None:
    sent = direction([(0, seq(0), 1), (1, seq(1), 2), (2, seq(2), 3), (30, seq(0), 4)])
    there = direction([(11, seq(1), 2), (12, seq(2), 3), (40, seq(0), 4)])
    assert causes.reordering_metrics(transmissions(sent, there))["reordering_events"] == 0


def test_counters_are_those_of_the_sender_and_absent_ones_are_zero() -> None:
    counters: dict[str, Any] = {
        "server": {
            "TcpExt": {"TCPFastRetrans": 12, "TCPTimeouts": 2, "TCPSackRecovery": 5, "TCPRenoRecovery": 1,
                       "TCPLossProbeRecovery": 4, "TCPFullUndo": 1, "TCPPartialUndo": 2, "TCPDSACKUndo": 3,
                       "TCPLossUndo": 4, "TCPLossProbes": 9},
            "Tcp": {"RetransSegs": 14},
        },
        "ue1": {"TcpExt": {"TCPTimeouts": 7}},
    }  # fmt: skip
    assert causes.counter_metrics(counters, "server") == {
        "fast_retransmits": 12, "recoveries": 6, "rto_count": 2, "cwnd_reductions": 12, "cwnd_undos": 10,
    }  # fmt: skip
    assert causes.counter_metrics(counters, "ue1") == {
        "fast_retransmits": 0, "recoveries": 0, "rto_count": 7, "cwnd_reductions": 7, "cwnd_undos": 0,
    }  # fmt: skip
    assert causes.counter_metrics(counters, "ue2") == {}
    assert causes.counter_metrics(None, "server") == {}


def test_compressed_is_less_than_half_the_spacing() -> None:
    # Spacings of 10, 10, 10, 0 and -5 ms become 5, 4, 30, 1, 1: of three that lay apart one is compressed.
    left = MS * np.array([0, 10, 20, 30, 30, 25])
    came = MS * np.cumsum([100, 5, 4, 30, 1, 1])
    assert causes.compressed_share(left, came) == pytest.approx(1 / 3)
    assert causes.compressed_share(left[:1], came[:1]) is None
    assert causes.compressed_share(left[:0], came[:0]) is None
    assert causes.compressed_share(MS * np.array([5, 9]), MS * np.array([6, 7])) is None


def test_the_grid_of_sub_frames_is_no_compression() -> None:
    """ACKs 0.1 ms apart: sub-frames on two hops bunch them by tens, and a stall of 40 ms those it held."""
    left = np.arange(10_000) * MS // 10
    grid = -(-left // MS) * MS + np.random.default_rng(3).integers(0, MS, 10_000) // 10
    twice = -(-np.sort(grid) // MS) * MS
    assert causes.compressed_share(left, twice) == 0
    stalled = np.where((left >= 500 * MS) & (left < 540 * MS), 540 * MS, twice)
    share = causes.compressed_share(left, stalled)
    # Of the 400 held ones 350 have their partner among them; those whose partner comes up to 2.5 ms after
    # the stall are 5 to 25 more, by where the grids lie. 9950 have a partner at all.
    assert share is not None
    assert 355 <= share * 9950 <= 375


def test_ack_spacing_of_the_way_back_and_of_the_whole_loop() -> None:
    """Four segments leave 10 apart; a gap holds the middle two back, and their ACKs leave together with the third."""
    sent = direction([(10 * k * MS, seq(k), k) for k in range(4)])
    there = direction([(t * MS, seq(k), k) for k, t in enumerate((50, 80, 81, 82))])
    acks = [(40, seq(0), 90), *((t + 1, seq(k + 1), 91 + k) for k, t in enumerate((50, 80, 81, 82)))]

    def moved(times: list[int]) -> pl.DataFrame:
        return direction([(t * MS, number, ip_id) for t, (_, number, ip_id) in zip(times, acks, strict=True)],
                         data=False)  # fmt: skip

    left = [t for t, _, _ in acks]
    found = causes.spacing_metrics(transmissions(sent, there), matched(moved(left), moved([t + 50 for t in left])))
    # The way back keeps every spacing; of the three of the loop (10 each: 30, 1, 1) two are gone.
    assert found == {"ack_compression": 0, "ack_clock_compression": pytest.approx(2 / 3)}
    # Now the way back bunches them: spacings of 110, 300, 10, 10 become 11, 39, 1, 1.
    found = causes.spacing_metrics(
        transmissions(sent, there), matched(moved([t * 10 for t in left]), moved([900, 911, 950, 951, 952]))
    )
    assert found["ack_compression"] == 1


def test_acks_of_retransmitted_bytes_do_not_count_in_the_loop() -> None:
    sent = direction([(0, seq(0), 0), (10 * MS, seq(1), 1), (20 * MS, seq(2), 2), (60 * MS, seq(1), 3)])
    there = direction([(50 * MS, seq(0), 0), (51 * MS, seq(2), 2), (99 * MS, seq(1), 3)])
    back = direction([(MS, seq(0), 8), (51 * MS, seq(1), 9), (99 * MS, seq(3), 10)], data=False)
    found = causes.spacing_metrics(transmissions(sent, there), matched(back, back))
    # The last ACK's last segment was sent once, the one before it too: 20 became 48.
    assert found["ack_clock_compression"] == 0
    twice = direction([(0, seq(0), 0), (10 * MS, seq(1), 1), (60 * MS, seq(1), 3)])
    late = direction([(MS, seq(0), 8), (51 * MS, seq(1), 9), (52 * MS, seq(2), 10)], data=False)
    found = causes.spacing_metrics(transmissions(twice, there), matched(late, late))
    assert found["ack_clock_compression"] is None


def file_bundle(results: Path, size: int, **more: Any) -> Path:
    """One segment per 31 ms of a file; `size` as the scenario asked."""
    path = write_bundle(results, duration_s=2)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["flows"][0] |= {"duration_s": None, "bytes": size}
    manifest["clock"]["end_ns"] = START_NS + 3_000 * MS
    (path / "manifest.json").write_text(json.dumps(manifest))
    for name, content in more.items():
        (path / f"{name}.json").write_text(json.dumps(content))
    return path


def test_file_transfer(tmp_path: Path) -> None:
    """The last of 64 segments is requested at 20 + 31 * 63 = 1973 ms; its ACK leaves the receiver at 14.758."""
    size = 100 * PAYLOAD
    path = file_bundle(tmp_path, size, counters={"ue1": {"TcpExt": {"TCPTimeouts": 3}}})
    bundle = read_bundle(path)
    row = compute(bundle)[0]
    assert row["file_bytes"] == size
    assert row["file_received_bytes"] == 63 * PAYLOAD  # the first segment is the cookie
    # From 51 - 0.23 ms, the first segment of the file, to 1973 + 14.758 ms.
    assert row["completion_time_s"] == pytest.approx((1973 + 14.758 - 50.77) / 1e3)
    assert row["file_goodput_mbps"] == pytest.approx(63 * PAYLOAD * 8 / row["completion_time_s"] / 1e6)
    assert causes.finished(bundle, primary_flow(bundle)).end_ns == START_NS + 1_987_758_000
    assert row["window_start_s"] == pytest.approx(1.987758 / 5)
    assert (row["rto_count"], row["cwnd_undos"]) == (3, 0)


def test_a_flow_of_given_duration_has_no_completion(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, duration_s=2)
    row = compute(read_bundle(path))[0]
    assert {"completion_time_s", "file_bytes", "rto_count"} & set(row) == set()
    assert (row["transmissions"], row["retransmissions"], row["spurious_retransmits"]) == (64, 0, 0)
    assert (row["reordering_events"], row["reordering_extent_max"]) == (0, 0)
    assert (row["ack_compression"], row["ack_clock_compression"]) == (0, 0)
    assert set(row) & {name for name in METRICS if name.startswith("reordering")}


def test_90k_packets_take_little_time() -> None:
    n = 90_000
    sent = direction([(k * 100_000, k * 100, k % 65_536) for k in range(n)])
    order = np.arange(n).reshape(-1, 100)[:, [*range(40), *range(50, 60), *range(40, 50), *range(60, 100)]].ravel()
    there = direction([(k * 100_000 + 10**7, int(i) * 100, int(i) % 65_536) for k, i in enumerate(order)])
    acks = direction([(k * 200_000, k * 200, k % 65_536) for k in range(n // 2)], data=False)
    begin = time.process_time()
    found = transmissions(sent, there)
    assert causes.retransmission_metrics(found)["spurious_retransmits"] == 0
    assert causes.reordering_metrics(found)["reordering_events"] == n // 10
    causes.spacing_metrics(found, matched(acks, acks))
    assert time.process_time() - begin < 1.5


def of_file(results: Path, kind: str, n_bytes: int, duration_s: float = 1.0) -> dict[str, Any]:
    """Metrics of a transfer over TCP of which the captures have @duration_s."""
    path = write_bundle(results, duration_s=duration_s)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["flows"][0] |= {"kind": kind, "bytes": n_bytes, "duration_s": None}
    manifest["clock"]["end_ns"] = START_NS + 10**10
    (path / "manifest.json").write_text(json.dumps(manifest))
    bundle = read_bundle(path)
    return causes.file_metrics(bundle, bundle.flows[0])


def test_a_file_that_no_iperf3_sends_has_no_cookie(tmp_path: Path) -> None:
    """Segments leave each 31 ms from 19.77 ms on, 32 of them within a second; the last one's ACK leaves the receiver
    14.978 ms after it."""
    stream, iperf3 = of_file(tmp_path / "s", "stream", 10**6), of_file(tmp_path / "i", "iperf3", 10**6)
    assert stream["file_received_bytes"] == 31 * PAYLOAD + 37 and iperf3["file_received_bytes"] == 31 * PAYLOAD
    assert stream["completion_time_s"] == pytest.approx(31 * 0.031 + 0.014988, abs=1e-6)
    assert iperf3["completion_time_s"] == pytest.approx(30 * 0.031 + 0.014988, abs=1e-6)
    assert stream["file_goodput_mbps"] == pytest.approx((31 * PAYLOAD + 37) * 8e-6 / stream["completion_time_s"])


def test_a_file_of_which_only_the_cookie_came(tmp_path: Path) -> None:
    assert of_file(tmp_path, "iperf3", 5000, duration_s=0.03) == {"file_bytes": 5000, "file_received_bytes": 0}


def test_acks_that_never_came_have_no_spacing() -> None:
    sent = transmissions(direction([(0, seq(0), 1)]), direction([(5, seq(0), 1)]))
    left = direction([(6, seq(1), 1)], data=False)
    acks = matched(left, left.clear())
    assert causes.spacing_metrics(sent, acks) == {"ack_compression": None}
