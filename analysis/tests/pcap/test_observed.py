# SPDX-License-Identifier: GPL-2.0-or-later
"""What a capture tells of a connection: round trips, windows, slow start, gaps; flows one after another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conversation import MSS, Conversation

from cellbed_analysis.pcap import measures
from cellbed_analysis.pcap.connection import names
from cellbed_analysis.pcap.segments import Direction
from cellbed_formats.packet import ACK


def row_of(talk: Conversation, folder: Path) -> dict[str, Any]:
    (one,) = measures.measure(talk.capture(folder))
    return one.row


def rtts_ms(way: Direction) -> list[float]:
    return [ns / 1e6 for ns in way.segments["rtt_ns"].tolist()]


def test_a_round_trip_ends_with_the_first_ack_or_sack(tmp_path: Path) -> None:
    """Segment 1 is lost. 2 is told of by SACK; 1 was sent again, so it has none, nor has 3, whose SACK was lost."""
    talk = Conversation().opened()
    for number in range(4):
        talk.data(40, number)
    talk.ack(80, 1)
    talk.ack(81, 1, (2, 3))
    talk.data(81, 1)
    talk.ack(125, 4)
    none = -1e-6
    assert rtts_ms(talk.direction(tmp_path)) == [40, none, 41, none, none]


def test_flight_counts_what_is_not_acknowledged(tmp_path: Path) -> None:
    talk = Conversation().opened()
    for number in range(4):
        talk.data(40 + number, number)
    talk.ack(80, 3)
    talk.data(81, 4)
    assert talk.direction(tmp_path).segments["flight_bytes"].tolist() == [n * MSS for n in (1, 2, 3, 4, 2)]


def test_the_handshake_and_what_was_agreed_on(tmp_path: Path) -> None:
    talk = Conversation(stamps=True).opened(rtt_ms=30)
    talk.data(31, 0)
    talk.ack(61, 1)
    row = row_of(talk, tmp_path)
    assert {name: row[name] for name in ("handshake_ms", "handshake_there_ms", "syns", "mss_bytes", "sack",
                                         "timestamps", "ecn", "window_max_bytes", "seen_at")} == {
        "handshake_ms": 30, "handshake_there_ms": 30, "syns": 1, "mss_bytes": MSS, "sack": True, "timestamps": True,
        "ecn": False, "window_max_bytes": 60000 << 2, "seen_at": "sender"}


def test_a_syn_that_was_repeated_gives_no_round_trip(tmp_path: Path) -> None:
    talk = Conversation().opened()
    talk.packets.append((20, talk.packets[0][1]))
    talk.data(50, 0)
    row = row_of(talk, tmp_path)
    assert (row["syns"], row["handshake_ms"]) == (2, None)


def test_timestamps_show_the_way_back_at_the_receiver(tmp_path: Path) -> None:
    """The capture is at the server: ACKs leave at once, and their echo takes 40 ms."""
    talk = Conversation(stamps=True).opened(rtt_ms=0)
    talk.packets[2] = (40, talk.packets[2][1])
    for turn in range(5):
        talk.data(100 + 40 * turn, turn, stamp=(100 + 40 * turn, 60 + 40 * turn))
        talk.ack(100 + 40 * turn, turn + 1, stamp=(100 + 40 * turn, 100 + 40 * turn))
    row = row_of(talk, tmp_path)
    assert (row["back_rtt_min_ms"], row["back_rtt_p50_ms"], row["rtt_max_ms"]) == (40, 40, 0)
    assert row["seen_at"] == "receiver"


def test_slow_start_ends_with_a_loss(tmp_path: Path) -> None:
    """Windows of 2, 4 and 8 segments; one of the last is lost."""
    talk = Conversation().opened()
    number = 0
    for turn, window in enumerate((2, 4, 8)):
        for i in range(window):
            talk.data(40 * (turn + 1) + i / 10, number)
            talk.ack(40 * (turn + 2) + i / 10 if number < 6 else 200, number + 1 if number < 6 else 6)
            number += 1
    talk.ack(161, 6, (7, 14))
    talk.data(161, 6)
    talk.ack(201, 14)
    row = row_of(talk, tmp_path)
    assert (row["initial_window_bytes"], row["slow_start_rounds"], row["slow_start_end"]) == (2 * MSS, 3, "loss")
    assert row["slow_start_flight_bytes"] == 8 * MSS and row["slow_start_s"] == pytest.approx(0.121)
    assert row["fast"] == row["retransmissions"] == 1


def test_the_first_window_is_that_of_the_data_behind_iperf3s_cookie(tmp_path: Path) -> None:
    """iperf3 sends 37 bytes, which were taken for the first window, and waits for its other connection."""
    talk = Conversation().opened()
    talk.add(40, True, 1, 1, ACK, payload=37)
    talk.add(80, False, 1, 38, ACK)
    number = 0
    for turn, window in enumerate((2, 4)):
        for i in range(window):
            talk.add(200 + 40 * turn + i / 10, True, 38 + number * MSS, 1, ACK, payload=MSS)
            number += 1
        talk.add(240 + 40 * turn, False, 1, 38 + number * MSS, ACK)
    row = row_of(talk, tmp_path)
    assert (row["initial_window_bytes"], row["slow_start_rounds"]) == (2 * MSS, 2)
    assert row["slow_start_s"] == pytest.approx(0.0403)


def test_slow_start_ends_where_the_window_grows_no_more(tmp_path: Path) -> None:
    talk = Conversation().opened()
    number = 0
    for turn, window in enumerate((2, 4, 4, 4, 4, 4)):
        for i in range(window):
            talk.data(40 * (turn + 1) + i / 10, number)
            number += 1
        talk.ack(40 * (turn + 2), number)
    row = row_of(talk, tmp_path)
    assert (row["slow_start_end"], row["slow_start_flight_bytes"], row["slow_start_rounds"]) == ("flat", 4 * MSS, 3)


def test_gaps_count_only_while_data_are_in_flight(tmp_path: Path) -> None:
    talk = Conversation().opened()
    for number in range(3):
        talk.data(40, number)
    for t_ms, number in ((80, 1), (85, 2), (90, 3)):
        talk.ack(t_ms, number)
    talk.data(5000, 3)
    talk.ack(5040, 4)
    row = row_of(talk, tmp_path)
    assert (row["acks"], row["ack_gap_max_ms"], row["bytes_per_ack_p50"]) == (4, 5, MSS)


def test_a_steady_link_delivers_at_its_rate(tmp_path: Path) -> None:
    """A segment and its ACK each millisecond are 8 Mbit/s, whatever the RTT."""
    talk = Conversation().opened()
    for number in range(300):
        talk.data(40 + number, number)
        talk.ack(80 + number, number + 1)
    row = row_of(talk, tmp_path)
    assert row["delivery_rate_p50_mbps"] == pytest.approx(8, rel=0.01)
    assert row["goodput_mbps"] == pytest.approx(300 * MSS * 8e-3 / 339)


def test_connections_between_the_same_ends_are_told_apart(tmp_path: Path) -> None:
    first, second = Conversation().opened(), Conversation(isn=77).opened(t_ms=1000)
    for talk, t_ms in ((first, 50), (second, 1050)):
        talk.data(t_ms, 0)
        talk.ack(t_ms + 40, 1)
    first.packets += second.packets
    capture = first.capture(tmp_path)
    assert names(capture.flows) == ["10.0.0.1:40000-10.0.0.2:5201", "10.0.0.1:40000-10.0.0.2:5201#2"]
    assert [one.row["segments"] for one in measures.measure(capture)] == [1, 1]


def test_a_connection_without_its_start_says_so(tmp_path: Path) -> None:
    talk = Conversation()
    for number in range(3):
        talk.data(number, number + 5)
        talk.ack(40 + number, number + 6)
    row = row_of(talk, tmp_path)
    assert (row["syns"], row["rtt_p50_ms"], row["slow_start_s"]) == (0, 40, None)
    assert row["remarks"] == "open before the capture began"


def test_every_number_has_a_meaning(tmp_path: Path) -> None:
    talk = Conversation().opened()
    talk.data(40, 0)
    assert row_of(talk, tmp_path).keys() == measures.COLUMNS.keys()
