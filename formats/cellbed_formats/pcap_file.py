# SPDX-License-Identifier: GPL-2.0-or-later
"""Capture files as containers: where the packets of a pcap or pcapng file lie in it, and when they were captured.

Only the chain of records is walked in Python; what they say is read with numpy, of all of them together.

Source: draft-ietf-opsawg-pcap; draft-ietf-opsawg-pcapng
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import named_file, stored
from .error import FileError
from .inside import Inside

#: Byte order and ns per unit of a record's fraction of a second, by the file's first bytes.
FRACTIONS_NS = {
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
    b"\xa1\xb2\x3c\x4d": (">", 1),
}
FILE_HEADER_BYTES, RECORD_HEADER_BYTES = 24, 16
#: Of pcapng: types of blocks, the least length of any, and the number that tells the byte order of a section.
SECTION, INTERFACE, OLD_PACKET, SIMPLE_PACKET, PACKET = 0x0A0D0D0A, 1, 2, 3, 6
BLOCK_BYTES_MIN, BYTE_ORDER = 12, 0x1A2B3C4D
#: Options of an interface: units of its times, and seconds that they are behind.
IF_TSRESOL, IF_TSOFFSET = 9, 14
SECOND_NS = 1_000_000_000
READABLE = "readable: pcap in us or ns, pcapng"


@dataclass(frozen=True)
class Records:
    """The packets of a file in its order. Times in ns since 1970, lengths in bytes; arrays are (n,) int64."""

    content: np.ndarray  # uint8, all of the file
    t_ns: np.ndarray
    begin: np.ndarray  # where a packet's bytes lie in the content
    captured: np.ndarray  # how many of them there are
    original: np.ndarray  # how many the packet had
    link: np.ndarray  # type of the link
    links: tuple[int, ...]  # those of the file, also of one without packets
    cut: str | None  # what its end lacks; the packets before that are whole

    def __len__(self) -> int:
        return len(self.t_ns)

    def part(self, begin: int, end: int) -> Records:
        """Some of the packets, by their places in the file."""
        some = slice(begin, end)
        return Records(self.content, self.t_ns[some], self.begin[some], self.captured[some], self.original[some],
                       self.link[some], self.links, self.cut)


def read_records(path: Path | Inside) -> Records:
    """Find the packets of a capture.

    Raises:
        FileError: it is no capture, or its blocks make no sense.
    """
    content = _content(path)
    begin = content[:4].tobytes()
    if begin in FRACTIONS_NS and len(content) >= FILE_HEADER_BYTES:
        return _classic(content, *FRACTIONS_NS[begin])
    if begin == struct.pack(">I", SECTION):
        return _Blocks(path, content).records()
    raise FileError(path, f"not a pcap file: {READABLE}")


def _content(path: Path | Inside) -> np.ndarray:
    """The file's bytes, without reading what nobody looks at where it is not compressed."""
    if path.suffix == stored.SUFFIX:
        return np.frombuffer(stored.content(path), dtype=np.uint8)
    with named_file.open_named(path, named_file.RECORDING_BYTES_MAX) as file:
        empty = not os.fstat(file.fileno()).st_size
        return np.zeros(0, dtype=np.uint8) if empty else np.memmap(file, dtype=np.uint8, mode="r")


def words(content: np.ndarray, at: np.ndarray, order: str, n_bytes: int = 4) -> np.ndarray:
    """Unsigned numbers of some bytes at places of a file that it has, (n,) int64."""
    value = np.zeros(len(at), dtype=np.int64)
    for i in range(n_bytes):
        shift = 8 * (i if order == "<" else n_bytes - 1 - i)
        value |= content[at + i].astype(np.int64) << shift
    return value


def _classic(content: np.ndarray, order: str, fraction_ns: int) -> Records:
    length: Callable[[memoryview, int], tuple[int]] = struct.Struct(f"{order}I").unpack_from
    view, size, at = content.data, len(content), FILE_HEADER_BYTES
    cut: str | None = None
    found: list[int] = []
    while at < size:
        if at + RECORD_HEADER_BYTES > size:
            cut = "truncated: ends inside a packet header"
            break
        after = at + RECORD_HEADER_BYTES + length(view, at + 8)[0]
        if after > size:
            have = size - at - RECORD_HEADER_BYTES
            cut = f"truncated: its last packet has {have} of {after - at - RECORD_HEADER_BYTES} bytes"
            break
        found.append(at)
        at = after
    head = np.array(found, dtype=np.int64)
    seconds, fraction, captured, original = (words(content, head + 4 * i, order) for i in range(4))
    (link,) = words(content, np.array([20]), order) & 0xFFFF
    return Records(content, seconds * SECOND_NS + fraction * fraction_ns, head + RECORD_HEADER_BYTES, captured,
                   original, np.full(len(head), link), (int(link),), cut)


@dataclass(frozen=True)
class _Interface:
    link: int
    units: int  # of its times, in a second
    offset_s: int


class _Blocks:
    """Of a pcapng file: its interfaces and packets, section by section."""

    def __init__(self, path: Path | Inside, content: np.ndarray) -> None:
        self.path, self.content, self.view = path, content, content.data
        self.order = "<"
        self.section: list[int] = []  # numbers of the section's interfaces among all of the file
        self.interfaces: list[_Interface] = []
        self.packets: list[tuple[int, ...]] = []  # interface, time in its units, begin, captured, original
        self.cut: str | None = None

    def records(self) -> Records:
        at, size = 0, len(self.content)
        while at < size:
            if at + BLOCK_BYTES_MIN > size:
                self.cut = "truncated: ends inside the header of a block"
                break
            if self.content[at : at + 4].tobytes() == struct.pack(">I", SECTION):
                self._begin_section(at)
            kind, length = struct.unpack_from(f"{self.order}II", self.view, at)
            if length < BLOCK_BYTES_MIN or length % 4:
                raise FileError(self.path, f"byte {at}: a block of {length} bytes: allowed {BLOCK_BYTES_MIN} or more, "
                                           "in fours")
            if at + length > size:
                self.cut = f"truncated: its last block has {size - at} of {length} bytes"
                break
            self._block(kind, at + 8, at + length - 4)
            at += length
        return self._records()

    def _begin_section(self, at: int) -> None:
        self.order = next((o for o in "<>" if struct.unpack_from(f"{o}I", self.view, at + 8)[0] == BYTE_ORDER), "")
        if not self.order:
            raise FileError(self.path, f"byte {at}: a section of pcapng without its byte order")
        self.section = []

    def _block(self, kind: int, at: int, end: int) -> None:
        if kind == INTERFACE and end - at >= 8:
            self.section.append(len(self.interfaces))
            self.interfaces.append(self._interface(at, end))
        elif kind == PACKET and end - at >= 20:
            which, high, low, captured, original = struct.unpack_from(f"{self.order}5I", self.view, at)
            self._packet(which, high << 32 | low, at + 20, captured, original, end)
        elif kind == OLD_PACKET and end - at >= 20:
            which, _, high, low, captured, original = struct.unpack_from(f"{self.order}HHIIII", self.view, at)
            self._packet(which, high << 32 | low, at + 20, captured, original, end)
        elif kind == SIMPLE_PACKET:
            raise FileError(self.path, f"byte {at - 8}: a packet without a time (Simple Packet Block)")

    def _packet(self, which: int, time: int, at: int, captured: int, original: int, end: int) -> None:
        if which >= len(self.section):
            raise FileError(self.path, f"byte {at}: a packet of interface {which}: the section has {len(self.section)}")
        if at + captured > end:
            raise FileError(self.path, f"byte {at}: a packet of {captured} bytes in a block with {end - at}")
        self.packets.append((self.section[which], time, at, captured, original))

    def _interface(self, at: int, end: int) -> _Interface:
        (link,) = struct.unpack_from(f"{self.order}H", self.view, at)
        units, offset_s, at = 10**6, 0, at + 8
        while at + 4 <= end:
            code, length = struct.unpack_from(f"{self.order}HH", self.view, at)
            at += 4
            if not code or at + length > end:
                break
            if code == IF_TSRESOL and length == 1:
                power = int(self.content[at])
                units = 2 ** (power & 0x7F) if power & 0x80 else 10**power
            elif code == IF_TSOFFSET and length == 8:
                (offset_s,) = struct.unpack_from(f"{self.order}q", self.view, at)
            at += (length + 3) // 4 * 4
        return _Interface(link, units, offset_s)

    def _records(self) -> Records:
        try:
            which, time, begin, captured, original = np.array(self.packets, dtype=np.int64).reshape(-1, 5).T
        except OverflowError:
            raise FileError(self.path, "a packet's time is beyond the year 2262") from None
        t_ns = np.zeros(len(which), dtype=np.int64)
        for number, interface in enumerate(self.interfaces):
            own = which == number
            t_ns[own] = interface.offset_s * SECOND_NS + _nanoseconds(time[own], interface.units)
        link = np.array([interface.link for interface in self.interfaces], dtype=np.int64)
        links = tuple(dict.fromkeys(interface.link for interface in self.interfaces))
        return Records(self.content, t_ns, begin, captured, original, link[which] if len(which) else which, links,
                       self.cut)


def _nanoseconds(time: np.ndarray, units: int) -> np.ndarray:
    """Times in units, so many of them in a second, as ns; without rounding where they are tens."""
    seconds, fraction = np.divmod(time, units) if units < 2**62 else (time * 0, time)
    if units <= SECOND_NS and SECOND_NS % units == 0:
        return seconds * SECOND_NS + fraction * (SECOND_NS // units)
    return seconds * SECOND_NS + np.floor(fraction * (SECOND_NS / units)).astype(np.int64)
