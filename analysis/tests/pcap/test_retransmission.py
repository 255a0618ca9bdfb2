# SPDX-License-Identifier: GPL-2.0-or-later
"""Why something was sent again, by hand: every kind, and what must not be taken for one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conversation import MSS, Conversation, again

from cellbed_analysis.pcap.retransmission import timer_ns


def flight(talk: Conversation, t_ms: float, numbers: range) -> None:
    for number in numbers:
        talk.data(t_ms, number)


def test_three_duplicates_ask_for_a_fast_retransmission(tmp_path: Path) -> None:
    talk = Conversation().opened(sack=False)
    flight(talk, 40, range(6))
    talk.ack(80, 1)
    for i in range(4):
        talk.ack(81 + i, 1)
    talk.data(84, 1)
    talk.ack(124, 3)  # a partial ACK: 3 was lost, too
    talk.data(124, 3)
    talk.ack(164, 6)
    assert again(talk.direction(tmp_path)) == [(1, "fast"), (3, "fast")]


def test_one_sack_is_enough_where_there_is_sack(tmp_path: Path) -> None:
    talk = Conversation().opened()
    flight(talk, 40, range(6))
    talk.ack(80, 0, (3, 6))
    for number in range(3):
        talk.data(80, number)
    talk.ack(120, 6)
    assert again(talk.direction(tmp_path)) == [(0, "fast"), (1, "fast"), (2, "fast")]


def test_two_duplicates_without_sack_are_not_enough(tmp_path: Path) -> None:
    talk = Conversation().opened(sack=False)
    flight(talk, 40, range(6))
    talk.ack(80, 1)
    talk.ack(81, 1)
    talk.ack(82, 1)
    talk.data(83, 1)
    assert again(talk.direction(tmp_path)) == [(1, "unknown")]


def test_silence_is_a_timeout_and_what_follows_comes_after_it(tmp_path: Path) -> None:
    """40 ms of RTT and a deviation of 20 ms give a timer of 240 ms."""
    talk = Conversation().opened(sack=False)
    flight(talk, 40, range(5))
    talk.data(290, 0)
    talk.ack(330, 1)
    talk.data(330, 1)
    talk.data(330, 2)
    talk.ack(370, 5)
    talk.data(370, 5)
    talk.ack(410, 6)
    assert again(talk.direction(tmp_path)) == [(0, "timeout"), (1, "after timeout"), (2, "after timeout")]


def test_a_timer_that_runs_out_again_is_another_timeout(tmp_path: Path) -> None:
    talk = Conversation().opened(sack=False)
    flight(talk, 40, range(2))
    for t_ms in (290, 780, 1760):
        talk.data(t_ms, 0)
    assert again(talk.direction(tmp_path)) == [(0, "timeout")] * 3


def test_a_timeout_ends_a_fast_recovery_whose_retransmission_was_lost(tmp_path: Path) -> None:
    talk = Conversation().opened()
    flight(talk, 40, range(6))
    talk.ack(80, 0, (1, 6))
    talk.data(80, 0)
    talk.data(330, 0)
    talk.ack(370, 6)
    assert again(talk.direction(tmp_path)) == [(0, "fast"), (0, "timeout")]


def test_many_duplicates_that_the_sender_does_not_believe_end_in_a_timeout(tmp_path: Path) -> None:
    """As Linux without SACK after it has seen reordering: the timer, not an ACK, makes it send."""
    talk = Conversation().opened(sack=False)
    flight(talk, 40, range(8))
    talk.ack(80, 1)
    for i in range(6):
        talk.ack(81 + i, 1)
    talk.data(330, 1)
    assert again(talk.direction(tmp_path)) == [(1, "timeout")]


@pytest.mark.parametrize(("sack", "kinds"), [(True, ["tail probe", "timeout"]), (False, ["timeout", "timeout"])])
def test_the_last_segment_is_probed_once_before_a_timeout(tmp_path: Path, sack: bool, kinds: list[str]) -> None:
    talk = Conversation().opened(sack=sack)
    flight(talk, 40, range(3))
    talk.ack(80, 2)
    talk.data(290, 2)
    talk.data(540, 2)
    talk.ack(580, 3)
    assert again(talk.direction(tmp_path)) == [(2, kind) for kind in kinds]


def test_the_tail_of_a_whole_flight_is_a_probe(tmp_path: Path) -> None:
    talk = Conversation().opened()
    flight(talk, 40, range(4))
    talk.data(130, 3)
    talk.ack(170, 0, (3, 4))
    talk.data(170, 0)
    assert again(talk.direction(tmp_path)) == [(3, "tail probe"), (0, "fast")]


def test_a_keep_alive_is_no_retransmission(tmp_path: Path) -> None:
    talk = Conversation().opened()
    flight(talk, 40, range(2))
    talk.ack(80, 2)
    talk.add(9000, True, 2 * MSS, 1, 16, payload=1)
    talk.ack(9040, 2)
    way = talk.direction(tmp_path)
    assert again(way) == [] and len(way.segments) == 2


def test_a_dsack_makes_its_copy_spurious(tmp_path: Path) -> None:
    talk = Conversation().opened()
    flight(talk, 40, range(4))
    talk.ack(80, 0, (1, 2))
    talk.data(80, 0)
    talk.ack(85, 4)  # the first one came after all
    talk.ack(120, 4, (0, 1))
    way = talk.direction(tmp_path)
    assert again(way) == [(0, "fast")] and way.segments["spurious"].tolist() == [False] * 4 + [True]


def test_a_copy_that_passes_its_ack_is_spurious(tmp_path: Path) -> None:
    talk = Conversation().opened()
    flight(talk, 40, range(3))
    talk.ack(80, 3)
    talk.data(80.5, 1)
    assert talk.direction(tmp_path).segments["spurious"].tolist() == [False] * 3 + [True]


@pytest.mark.parametrize(("echo", "vain"), [(40, True), (290, False)])
def test_an_ack_that_echoes_the_first_copy_makes_the_second_spurious(tmp_path: Path, echo: int, vain: bool) -> None:
    talk = Conversation(stamps=True).opened()
    talk.data(40, 0, stamp=(40, 2))
    talk.data(290, 0, stamp=(290, 2))
    talk.ack(300, 1, stamp=(300, echo))
    assert talk.direction(tmp_path).segments["spurious"].tolist() == [False, vain]


@pytest.mark.parametrize(("t_ms", "late"), [(45, True), (95, False)])
def test_what_fills_a_hole_sooner_than_a_round_trip_was_only_late(tmp_path: Path, t_ms: float, late: bool) -> None:
    """At a capture on the way: the path has 40 ms."""
    talk = Conversation().opened()
    for number in (0, 2, 3):
        talk.data(40, number)
    talk.data(t_ms, 1)
    talk.ack(100, 4)
    way = talk.direction(tmp_path)
    assert way.segments["out_of_order"].tolist() == [False] * 3 + [late]
    assert way.segments["again"].tolist() == [False] * 3 + [not late]


@pytest.mark.parametrize(("stamp", "late"), [(39, True), (60, False)])
def test_timestamps_tell_what_was_late(tmp_path: Path, stamp: int, late: bool) -> None:
    talk = Conversation(stamps=True).opened()
    for number in (0, 2, 3):
        talk.data(40, number, stamp=(40, 2))
    talk.data(70, 1, stamp=(stamp, 2))
    talk.ack(100, 4, stamp=(100, 40))
    assert talk.direction(tmp_path).segments["out_of_order"].tolist() == [False] * 3 + [late]


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 1000])
def test_the_timer_is_that_of_rfc_6298_sample_by_sample(n: int) -> None:
    samples = np.random.default_rng(n).integers(10**6, 10**9, n)
    srtt, deviation, expected = float(samples[0]), samples[0] / 2, []
    for place, sample in enumerate(samples.tolist()):
        if place:
            deviation = 3 / 4 * deviation + 1 / 4 * abs(srtt - sample)
            srtt = 7 / 8 * srtt + 1 / 8 * sample
        expected.append(srtt + max(4 * deviation, 2e8))
    assert timer_ns(samples) == pytest.approx(expected, rel=1e-9)
