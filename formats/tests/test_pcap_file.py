# SPDX-License-Identifier: GPL-2.0-or-later
"""Containers: pcapng of any interface, what is cut short, and files that are none."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import shutil
import struct
import subprocess
import time
from pathlib import Path

import pytest
import zstandard
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
    assert [bytes(found.content[a : a + n]) for a, n in zip(found.start, found.captured, strict=True)] == [
        b"abc", b"defgh", b""]
    assert found.cut is None


def test_interfaces_start_again_with_each_section(tmp_path: Path) -> None:
    path = written(tmp_path, section() + interface(1) + packet(0, 5, b"a") + section(">") + interface(101, order=">")
                   + packet(0, 6, b"b", ">"))
    assert read_records(path).link.tolist() == [1, 101]


def test_obsolete_packets_and_unknown_blocks_are_known(tmp_path: Path) -> None:
    old = block(2, struct.pack("<HHIIII", 0, 7, 0, 9, 2, 2) + b"xy")
    path = written(tmp_path, section() + interface(101) + block(0xBAD, b"whatever") + old)
    found = read_records(path)
    assert found.t_ns.tolist() == [9000] and found.captured.tolist() == [2]


@pytest.mark.parametrize(("content", "message"), [
    (section() + block(3, struct.pack("<I", 4) + b"abcd"), "a packet of interface 0: the section has 0"),
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
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes, start: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.pcap"
    path.write_bytes(start + content)
    try:
        found = read_records(path)
    except FileError:
        return
    assert (found.start + found.captured <= len(found.content)).all()


def test_what_makes_no_sense_in_the_middle_ends_the_file_there(tmp_path: Path) -> None:
    good = section() + interface(101) + packet(0, 1, b"abcd")
    for broken in (packet(7, 1, b"a"), block(6, struct.pack("<5I", 0, 0, 0, 9000, 9000)), struct.pack("<II", 6, 13),
                   packet(0, 2**63 + 5, b"a")):
        found = read_records(written(tmp_path, good + broken + b"x" * 40 + good))
        assert len(found) == 1 and found.cut is not None and found.cut.startswith("byte "), broken


@pytest.mark.parametrize("zeros", [4, 8, 12, 400])
def test_zeros_between_and_behind_blocks_are_padding(tmp_path: Path, zeros: int) -> None:
    good = section() + interface(101) + packet(0, 1, b"abcd")
    found = read_records(written(tmp_path, good + b"\0" * zeros + packet(0, 2, b"efgh") + b"\0" * zeros))
    assert len(found) == 2 or zeros < 12
    assert len(found) >= 1 and (found.cut is None or zeros < 12)
    path = tmp_path / "classic.pcap"
    header = b"\xd4\xc3\xb2\xa1\2\0\4\0" + b"\0" * 12 + b"\x65\0\0\0"
    path.write_bytes(header + struct.pack("<4I", 1, 2, 4, 4) + b"abcd" + b"\0" * 16 * zeros)
    assert len(read_records(path)) == 1


def test_simple_packets_have_no_time(tmp_path: Path) -> None:
    simple = block(3, struct.pack("<I", 1500) + b"abcd")
    snapped = block(1, struct.pack("<HHI", 101, 0, 4))
    found = read_records(written(tmp_path, section() + snapped + packet(0, 5, b"xy") + simple + simple))
    assert found.captured.tolist() == [2, 4, 4] and found.original.tolist() == [2, 1500, 1500]
    assert not found.timed and found.t_ns.tolist() == [5000] * 3
    assert any("2 packets have no time" in note for note in found.notes)


@pytest.mark.parametrize("order", ["<", ">"])
def test_what_an_interface_lost_is_told_with_its_name(tmp_path: Path, order: str) -> None:
    named = struct.pack(f"{order}HH8s", 2, 8, b"wlan0\0\0\0")
    drops = struct.pack(f"{order}HHQ", 5, 8, 17) + struct.pack(f"{order}HHQ", 7, 8, 3)
    found = read_records(written(tmp_path, section(order) + interface(101, named, order) + packet(0, 1, b"a", order)
                                 + block(5, struct.pack(f"{order}III", 0, 0, 0) + drops, order)))
    assert found.interfaces == ("wlan0",) and found.interface.tolist() == [0]
    assert found.notes == ("wlan0 lost 20 packets, by its own count: they are missing here, and segments, "
                           "retransmissions and RTT are of the others only",)


def test_what_was_lost_in_front_of_a_packet_counts(tmp_path: Path) -> None:
    body = struct.pack("<5I", 0, 0, 1, 4, 4) + b"abcd" + struct.pack("<HHQ", 4, 8, 7) + b"\0\0\0\0"
    found = read_records(written(tmp_path, section() + interface(101) + block(6, body)))
    assert "lost 7 packets" in found.notes[0]


def _zst(content: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(content)


PACKING = {"gz": gzip.compress, "xz": lzma.compress, "zst": _zst, "bz2": bz2.compress}


@pytest.mark.parametrize("suffix", PACKING)
def test_compressed_files_are_read_and_read_as_far_as_they_go(tmp_path: Path, suffix: str) -> None:
    plain = section() + interface(101) + b"".join(packet(0, i, random.Random(i).randbytes(400)) for i in range(2000))
    path = tmp_path / "x.anything"
    path.write_bytes(PACKING[suffix](plain))
    assert len(read_records(path)) == 2000 and read_records(path).cut is None
    path.write_bytes(PACKING[suffix](plain[:500_000]) + PACKING[suffix](plain[500_000:]))
    assert len(read_records(path)) == 2000  # one stream behind the other
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    found = read_records(path)
    assert 0 < len(found) < 2000 and found.cut is not None
    path.write_bytes(whole[: len(whole) * 2 // 3] + b"\xff" * 1000 + whole[len(whole) * 2 // 3 + 1000 :])
    found = read_records(path)
    assert 0 < len(found) <= 2000 and found.cut is not None


@pytest.mark.parametrize("suffix", PACKING)
def test_what_is_packed_in_a_file_may_be_no_capture(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(PACKING[suffix](b"hello" * 100))
    with pytest.raises(FileError, match="its content is not a capture"):
        read_records(path)


def test_a_bomb_that_is_no_capture_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(gzip.compress(b"\0" * 50_000_000))
    before = time.process_time()
    with pytest.raises(FileError, match="not a capture"):
        read_records(path)
    assert time.process_time() - before < 0.5


@pytest.mark.skipif(shutil.which("editcap") is None, reason="editcap is not installed")
@pytest.mark.parametrize("kind", ["snoop", "modpcap", "ngwsniffer_2_0", "netmon2"])
def test_other_formats_go_through_tshark(tmp_path: Path, kind: str) -> None:
    source, made = tmp_path / "x.pcap", tmp_path / "made"
    frame = b"\2" * 12 + b"\x08\0" + b"E" + b"\0" * 60
    source.write_bytes(b"\xd4\xc3\xb2\xa1\2\0\4\0" + b"\0" * 10 + b"\4\0\1\0\0\0"
                       + b"".join(struct.pack("<4I", 1 + i, 2, len(frame), len(frame)) + frame for i in range(5)))
    done = subprocess.run(["editcap", "-F", kind, source, made], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(done.stderr)
    found = read_records(made)
    assert len(found) == 5 and found.captured.tolist() == [len(frame)] * 5
