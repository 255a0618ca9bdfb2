# SPDX-License-Identifier: GPL-2.0-or-later
"""Delays between two captures: of one clock or of two, of addresses that were translated, of packets that were lost."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from conversation import CLIENT, SERVER, Conversation

from cellbed_analysis.pcap.one_way import one_way

OTHER = b"\xc0\0\2\1"


def both_ends(folder: Path, there_ms: float = 30, back_ms: float = 10, clock_ms: float = 0,
              client: bytes = CLIENT) -> tuple[Conversation, Conversation]:
    """At the client and at the server; every tenth data packet is lost, as the server has it."""
    ends = Conversation(), Conversation(addresses=(client, SERVER))
    for place, talk in enumerate(ends):
        late, early = (there_ms, -back_ms) if place else (0, 0)
        shift = clock_ms if place else 0
        talk.opened(t_ms=0, rtt_ms=there_ms + back_ms)
        talk.packets = [(t + shift + (early if packet[12:16] == SERVER else late), packet)
                        for t, packet in talk.packets]
        for number in range(50):
            talk.data(100 + number + late + shift, number)
            talk.ack(100 + there_ms + back_ms + number + early + shift, number + 1)
        if place:
            talk.packets = [one for i, one in enumerate(talk.packets) if i % 20 != 3]
    return ends


def of_ipv6(packet: bytes) -> bytes:
    """A packet of IPv4 as a translator makes it, whose payload the snap length has cut off."""
    content = packet[20:]
    ends = (bytes.fromhex("0064ff9b") + bytes(8) + packet[at:at + 4] for at in (12, 16))
    whole = int.from_bytes(packet[2:4]) - 20
    return struct.pack(">IHBB", 6 << 28, whole, 6, 64) + b"".join(ends) + content


@pytest.mark.parametrize("order", [1, -1])
def test_delays_go_from_one_end_to_the_other_whichever_is_named_first(tmp_path: Path, order: int) -> None:
    captures = [end.capture(tmp_path, f"{i}.pcap") for i, end in enumerate(both_ends(tmp_path))][::order]
    (found,) = one_way(*captures)
    row = found.row()
    assert (row["delay_min_ms"], row["delay_max_ms"], row["back_delay_p50_ms"]) == (30, 30, 10)
    assert (row["lost_pkts"], row["back_lost_pkts"]) == (5, 0) and row["pkts"] == 52


def test_two_clocks_are_taken_as_equally_far_apart_both_ways(tmp_path: Path) -> None:
    ends = both_ends(tmp_path, there_ms=20, back_ms=20, clock_ms=-5000)
    here, there = (end.capture(tmp_path, f"{i}.pcap") for i, end in enumerate(ends))
    row = one_way(here, there, two_clocks=True)[0].row()
    assert (row["clock_offset_ms"], row["delay_p50_ms"], row["back_delay_p50_ms"]) == (-5000, 20, 20)


def test_a_connection_is_known_behind_an_address_translation(tmp_path: Path) -> None:
    ends = both_ends(tmp_path, client=OTHER)
    (found,) = one_way(*(end.capture(tmp_path, f"{i}.pcap") for i, end in enumerate(ends)))
    assert found.row()["delay_p50_ms"] == 30 and found.flow.startswith("10.0.0.1:")


@pytest.mark.parametrize("order", [1, -1])
def test_a_connection_is_known_behind_a_translation_to_ipv6(tmp_path: Path, order: int) -> None:
    """As by 464XLAT: other addresses, and no identification. RFC 7915 4.1"""
    here, there = both_ends(tmp_path)
    here.packets = [(t_ms, of_ipv6(packet)) for t_ms, packet in here.packets]
    (found,) = one_way(*[end.capture(tmp_path, f"{i}.pcap") for i, end in enumerate((here, there))][::order])
    row = found.row()
    assert (row["delay_min_ms"], row["delay_max_ms"], row["back_delay_p50_ms"]) == (30, 30, 10)
    assert (row["lost_pkts"], row["back_lost_pkts"], row["pkts"]) == (5, 0, 52)


def test_captures_of_other_connections_have_nothing_in_common(tmp_path: Path) -> None:
    here = both_ends(tmp_path)[0].capture(tmp_path, "a.pcap")
    other = Conversation(isn=5, port=41000).opened()
    other.data(50, 0)
    assert one_way(here, other.capture(tmp_path, "b.pcap")) == []
