# SPDX-License-Identifier: GPL-2.0-or-later
"""Containers: pcapng of any interface, what is cut short, and files that are none."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellbed_formats.error import FileError
from cellbed_formats.pcap_file import read_records


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    """A block of pcapng, padded to fours."""
    body += b"\0" * (-len(body) % 4)
    length = struct.pack(f"{order}I", len(body) + 12)
    return struct.pack(f"{order}I", kind) + length + body + length


def section(order: str = "<") -> bytes:
    return block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1), order)


def interface(link: int, options: bytes = b"", order: str = "<") -> bytes:
    return block(1, struct.pack(f"{order}HHI", link, 0, 0) + options, order)


def packet(which: int, time: int, data: bytes, order: str = "<", original: int | None = None) -> bytes:
    head = struct.pack(f"{order}5I", which, time >> 32, time & 0xFFFFFFFF, len(data), original or len(data))
    return block(6, head + data, order)


def written(folder: Path, content: bytes) -> Path:
    path = folder / "x.pcapng"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("order", ["<", ">"])
def test_times_have_the_units_of_their_interface(tmp_path: Path, order: str) -> None:
    nano = struct.pack(f"{order}HHB3x", 9, 1, 9)
    binary = struct.pack(f"{order}HHB3x", 9, 1, 0x80 | 10)  # 1024 in a second
    late = struct.pack(f"{order}HHq", 14, 8, 1_000_000)
    path = written(tmp_path, section(order) + interface(1, order=order) + interface(101, nano, order)
                   + interface(113, binary + late, order)
                   + packet(0, 1_600_000_000_000_001, b"abc", order)
                   + packet(1, 1_600_000_000_000_000_002, b"defgh", order, original=1500)
                   + packet(2, 600_000_000 * 1024 + 512, b"", order))
    found = read_records(path)
    assert found.t_ns.tolist() == [1_600_000_000_000_001_000, 1_600_000_000_000_000_002, 600_000_000_500_000_000
                                   + 1_000_000 * 10**9]
    assert found.link.tolist() == [1, 101, 113] and found.links == (1, 101, 113)
    assert found.captured.tolist() == [3, 5, 0] and found.original.tolist() == [3, 1500, 0]
    assert [bytes(found.content[a : a + n]) for a, n in zip(found.begin, found.captured, strict=True)] == [
        b"abc", b"defgh", b""]
    assert found.cut is None


def test_interfaces_begin_anew_with_each_section(tmp_path: Path) -> None:
    path = written(tmp_path, section() + interface(1) + packet(0, 5, b"a") + section(">") + interface(101, order=">")
                   + packet(0, 6, b"b", ">"))
    assert read_records(path).link.tolist() == [1, 101]


def test_obsolete_packets_and_unknown_blocks_are_known(tmp_path: Path) -> None:
    old = block(2, struct.pack("<HHIIII", 0, 7, 0, 9, 2, 2) + b"xy")
    path = written(tmp_path, section() + interface(101) + block(0xBAD, b"whatever") + old)
    found = read_records(path)
    assert found.t_ns.tolist() == [9000] and found.captured.tolist() == [2]


@pytest.mark.parametrize(("content", "message"), [
    (section() + block(3, struct.pack("<I", 4) + b"abcd"), "a packet without a time"),
    (section() + packet(0, 1, b"a"), "a packet of interface 0: the section has 0"),
    (section() + interface(1) + block(6, struct.pack("<5I", 0, 0, 0, 9000, 9000)), "a packet of 9000 bytes in a block"),
    (section() + struct.pack("<II", 6, 13) + b"x" * 40, "a block of 13 bytes: allowed 12 or more, in fours"),
    (section()[:8] + b"\0" * 20, "a section of pcapng without its byte order"),
    (section() + interface(1) + packet(0, 2**63 + 5, b"a"), "beyond the year 2262"),
])
def test_blocks_that_make_no_sense_are_one_message(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(FileError, match=message):
        read_records(written(tmp_path, content))


def test_an_end_that_is_cut_off_leaves_what_is_whole(tmp_path: Path) -> None:
    whole = section() + interface(101) + packet(0, 1, b"abcd") + packet(0, 2, b"efgh")
    for cut in range(1, len(packet(0, 2, b"efgh"))):
        found = read_records(written(tmp_path, whole[:-cut]))
        assert len(found) == 1 and found.cut is not None and "truncated" in found.cut


@given(st.binary(max_size=300), st.sampled_from([b"", b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\x3c\x4d", section(),
                                                 section(">") + interface(1, order=">")]))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes, begin: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.pcap"
    path.write_bytes(begin + content)
    try:
        found = read_records(path)
    except FileError:
        return
    assert (found.begin + found.captured <= len(found.content)).all()
