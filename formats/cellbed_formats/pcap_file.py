# SPDX-License-Identifier: GPL-2.0-or-later
"""Capture files as containers: where the packets of a pcap or pcapng file lie in it, and when they were captured.

Only the chain of records is walked in Python; what they say is read with numpy, of all of them together.

Source: draft-ietf-opsawg-pcap; draft-ietf-opsawg-pcapng
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from . import foreign, pcapng, unpacked
from .error import FileError
from .inside import Inside
from .pcapng import SECOND_NS

#: Byte order, ns per unit of a record's fraction of a second, bytes of a record's header; by the file's first bytes.
CLASSIC = {
    b"\xd4\xc3\xb2\xa1": ("<", 1000, 16),
    b"\xa1\xb2\xc3\xd4": (">", 1000, 16),
    b"\x4d\x3c\xb2\xa1": ("<", 1, 16),
    b"\xa1\xb2\x3c\x4d": (">", 1, 16),
    b"\x34\xcd\xb2\xa1": ("<", 1000, 24),  # of patched libpcaps, Source: Wireshark, wiretap/libpcap.h
    b"\xa1\xb2\xcd\x34": (">", 1000, 24),
}
FILE_HEADER_BYTES = 24
#: So much of a file is walked through before its pages are given back.
WALKED_BYTES = 1 << 26
READABLE = "readable: pcap in us or ns, pcapng, plain or as .gz, .xz, .zst, .bz2"


@dataclass(frozen=True)
class Records:
    """The packets of a file in its order. Times in ns since 1970, lengths in bytes; arrays are (n,) int64."""

    content: np.ndarray  # uint8, all of the file
    t_ns: np.ndarray
    start: np.ndarray  # where a packet's bytes lie in the content
    captured: np.ndarray  # how many of them there are
    original: np.ndarray  # how many the packet had
    link: np.ndarray  # type of the link
    links: tuple[int, ...]  # those of the file, also of one without packets
    cut: str | None  # what its end lacks; the packets before that are whole
    interface: np.ndarray  # number of the interface among those of the file
    interfaces: tuple[str, ...] = ()  # their names, where the file tells them
    notes: tuple[str, ...] = ()  # what the file says of its own packets, such as those that were not captured
    timed: bool = True  # False: there are packets without a time

    def __len__(self) -> int:
        return len(self.t_ns)

    def part(self, start: int, end: int) -> Records:
        """Some of the packets, by their places in the file."""
        return self.at(slice(start, end))

    def at(self, rows: np.ndarray | slice) -> Records:
        """Some of the packets: places, a mask or a slice."""
        return replace(self, **{name: getattr(self, name)[rows] for name in (
            "t_ns", "start", "captured", "original", "link", "interface")})


def read_records(path: Path | Inside) -> Records:
    """Find the packets of a capture.

    Args:
        path: pcap or pcapng, plain or compressed; what tshark can make a pcapng of; `-` is standard input.

    Raises:
        FileError: it is no capture, or nothing in it makes sense.
        OSError: it cannot be read.
    """
    content, cut = unpacked.content(path, _starts_well)
    content, cut = foreign.as_pcapng(path, content, cut)
    start = content[:4].tobytes()
    if start in CLASSIC and len(content) >= FILE_HEADER_BYTES:
        found = _classic(content, *CLASSIC[start])
    elif start == pcapng.MAGIC:
        found = _from_blocks(pcapng.walk(path, content), content)
    elif cut is not None:
        raise FileError(path, cut)
    else:
        raise FileError(path, f"not a pcap file: {READABLE}")
    return found if cut is None else replace(found, cut=cut)


def _starts_well(start: bytes) -> bool:
    return start[:4] in CLASSIC or start[:4] == pcapng.MAGIC or foreign.known(start)


def words(content: np.ndarray, at: np.ndarray, order: str, n_bytes: int = 4) -> np.ndarray:
    """Unsigned numbers of some bytes at places of a file that it has, (n,) int64."""
    return sliding_window_view(content, n_bytes)[at].view(f"{order}u{n_bytes}")[:, 0].astype(np.int64)


def _classic(content: np.ndarray, order: str, fraction_ns: int, header: int) -> Records:
    length: Callable[[memoryview, int], tuple[int]] = struct.Struct(f"{order}I").unpack_from
    view, size, at = content.data, len(content), FILE_HEADER_BYTES
    cut: str | None = None
    found = array("q")  # a list takes five times the memory
    while at < size and cut is None:
        here = at
        while at < size and at - here < WALKED_BYTES:
            if at + header > size:
                cut = "truncated: ends inside a packet header"
                break
            (captured,) = length(view, at + 8)
            after = at + header + captured
            if after > size:
                have = size - at - header
                cut = f"truncated: its last packet has {have} of {captured} bytes"
                break
            if not captured and not content[at : at + header].any() and not content[at:].any():
                at = size  # room that nobody wrote to
                break
            found.append(at)
            at = after
        unpacked.release(content)
    head = np.array(found, dtype=np.int64)
    del found
    seconds, fraction, captured_bytes, original = (words(content, head + 4 * i, order) for i in range(4))
    (link,) = words(content, np.array([20]), order) & 0xFFFF
    return Records(content, seconds * SECOND_NS + fraction * fraction_ns, head + header, captured_bytes, original,
                   np.broadcast_to(link, len(head)), (int(link),), cut, np.broadcast_to(np.int64(0), len(head)))


def _from_blocks(found: pcapng.Blocks, content: np.ndarray) -> Records:
    t_ns, which, start, captured, original = found.columns()
    link = np.array([interface.link for interface in found.interfaces], dtype=np.int64)
    links = tuple(dict.fromkeys(interface.link for interface in found.interfaces))
    return Records(content, t_ns, start, captured, original, link[which] if len(which) else which, links, found.cut,
                   which, tuple(one.name for one in found.interfaces), tuple(found.notes()), not found.timeless)
