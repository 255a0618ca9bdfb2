# SPDX-License-Identifier: GPL-2.0-or-later
"""PDUs of MAC and RLC, in every way in which captures frame them."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from cellbed_analysis.pcap.analysis import analyse
from cellbed_formats.error import FileError

MS = 1_000_000


def capture(path: Path, link: int, frames: list[tuple[int, bytes]]) -> Path:
    head = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, link)
    path.write_bytes(head + b"".join(
        struct.pack("<IIII", t_ms // 1000, t_ms % 1000 * MS, len(frame), len(frame)) + frame for t_ms, frame in frames))
    return path


def mac(attempt: int, ok: bool, pdu: bytes, direction: int = 1) -> bytes:
    """FDD, direction, C-RNTI; RNTI, UE, attempt, CRC, PHY of 2 bytes."""
    return bytes([1, direction, 3, 2, 0, 61, 3, 0, 7, 6, attempt, 7, ok, 0x0B, 2, 9, 9, 1]) + pdu


def in_udp(content: bytes) -> bytes:
    length = 28 + len(content)
    return struct.pack(">BBHHHBBH", 0x45, 0, length, 1, 0, 64, 17, 0) + b"\x7f\0\0\1" * 2 + \
        struct.pack(">HHHH", 9999, 9999, length - 20, 0) + content


def exported(content: bytes) -> bytes:
    return struct.pack(">HH", 12, 16) + b"mac-lte-framed\0\0" + b"\0" * 4 + content


#: Block A is decoded at the third attempt, B at the first, and then A's content comes again as a block of its own.
BLOCKS = [(0, mac(0, False, b"AAAA")), (4, mac(0, True, b"BBBBB")), (8, mac(1, False, b"AAAA")),
          (16, mac(2, True, b"AAAA")), (100, mac(0, True, b"AAAA"))]


@pytest.mark.parametrize("framing", ["exported", "udp", "user"])
def test_harq_takes_the_time_from_the_first_attempt_to_the_last(tmp_path: Path, framing: str) -> None:
    frame, link = {"exported": (exported, 252), "udp": (lambda one: in_udp(b"mac-lte" + one), 101),
                   "user": (lambda one: one, 147)}[framing]
    path = capture(tmp_path / "x.pcap", link, [(t_ms, frame(one)) for t_ms, one in BLOCKS])
    (row,) = analyse([path]).radio[0].rows()
    assert (row["layer"], row["ue"], row["direction"], row["pdus"], row["bytes"]) == ("mac-lte", 7, "downlink", 5, 21)
    assert (row["sent_again"], row["failed"], row["repair_max_ms"]) == (2, 2, 16)


def test_rlc_sends_the_same_sequence_number_again(tmp_path: Path) -> None:
    """Of 10 bits, which wrap."""
    def rlc(number: int) -> bytes:
        return in_udp(b"rlc-lte" + bytes([4, 3, 0, 5, 0, 3, 7, 0, 1, 1, 0x80 | number >> 8, number & 255, 0xAA]))

    frames = [(number, rlc(number % 1024)) for number in range(1500)] + [(1530, rlc(1490 - 1024))]
    (row,) = analyse([capture(tmp_path / "x.pcap", 101, frames)]).radio[0].rows()
    assert (row["layer"], row["ue"], row["direction"], row["sent_again"]) == ("rlc-lte", 3, "uplink", 1)
    assert row["repair_max_ms"] == 40 and row["failed"] is None


def nr(name: bytes, layer: bytes, content: bytes) -> bytes:
    """An exported PDU for a heuristic dissector."""
    return struct.pack(">HH", 13, 12) + name.ljust(12, b"\0") + b"\0" * 4 + layer + content


@pytest.mark.parametrize("framing", ["exported", "udp"])
def test_mac_of_nr_does_not_say_what_was_sent_again(tmp_path: Path, framing: str) -> None:
    """TDD, downlink, C-RNTI; RNTI, UE, SFN and slot, HARQ process."""
    context = bytes([2, 1, 3, 2, 70, 1, 3, 0, 4, 7, 0, 9, 0, 17, 6, 5, 1])
    frames = [context + b"AAAA", context + b"AAAA", context + b"BB"]
    made = {"exported": lambda one: nr(b"mac_nr_udp", b"mac-nr", one), "udp": lambda one: in_udp(b"mac-nr" + one)}
    path = capture(tmp_path / "x.pcap", {"exported": 252, "udp": 101}[framing],
                   [(t_ms, made[framing](one)) for t_ms, one in enumerate(frames)])
    (row,) = analyse([path]).radio[0].rows()
    assert (row["layer"], row["ue"], row["direction"], row["pdus"], row["bytes"]) == ("mac-nr", 4, "downlink", 3, 10)
    assert row["sent_again"] is None and row["sent_again_share"] is None and row["failed"] is None


@pytest.mark.parametrize("bits", [12, 18])
def test_segments_of_one_sdu_are_not_sent_again(tmp_path: Path, bits: int) -> None:
    """Three segments of every SDU in turn, past the end of 12 bits; the middle one of SDU 4090 comes twice."""
    def rlc(number: int, segment: int, offset: int) -> bytes:
        first = 0x80 | segment << 4
        sn = (number % 2**bits).to_bytes(3 if bits == 18 else 2)
        header = bytes([first | sn[0]]) + sn[1:] + (struct.pack(">H", offset) if segment > 1 else b"")
        return nr(b"rlc_nr_udp", b"rlc-nr", bytes([4, bits, 2, 0, 3, 0, 6, 4, 5, 5, 1, 1]) + header + b"data")

    sent = [(number, *cut) for number in range(4000, 4200) for cut in ((1, 0), (3, 500), (2, 900))]
    frames = [*enumerate(rlc(*one) for one in sent), (1000, rlc(4090, 3, 500))]
    (row,) = analyse([capture(tmp_path / "x.pcap", 252, list(frames))]).radio[0].rows()
    assert (row["layer"], row["ue"], row["direction"], row["sent_again"]) == ("rlc-nr", 6, "uplink", 1)
    assert row["repair_max_ms"] == 1000 - (3 * 90 + 1)


def test_a_preamble_and_unknown_tags_are_left_out(tmp_path: Path) -> None:
    path = capture(tmp_path / "x.pcap", 252, [(0, exported(bytes([1, 0, 0, 9, 5, 1, 1]))),
                                              (1, exported(bytes([1, 1, 3, 0xEE, 1]) + b"AAAA")), *[
        (t_ms, exported(one)) for t_ms, one in BLOCKS[:1]]])
    (row,) = analyse([path]).radio[0].rows()
    assert row["pdus"] == 1


def test_a_capture_of_nothing_known_is_one_message(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="x.pcap: link type 105 .IEEE 802.11.: readable: "):
        analyse([capture(tmp_path / "x.pcap", 105, [(0, b"abc")])])
    with pytest.raises(FileError, match="y.pcap: no TCP or UDP among 1 packets"):
        analyse([capture(tmp_path / "y.pcap", 101, [(0, b"\x45" + b"\0" * 30)])])
