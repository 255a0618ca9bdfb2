# SPDX-License-Identifier: GPL-2.0-or-later
"""The blocks of a pcapng file: its interfaces and packets, section by section, and what the capture itself lost.

Source: draft-ietf-opsawg-pcapng
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .error import FileError
from .inside import Inside
from .printable import shown

#: Types of blocks, the least length of any, and the number that tells the byte order of a section.
SECTION, INTERFACE, OLD_PACKET, SIMPLE_PACKET, STATISTICS, PACKET = 0x0A0D0D0A, 1, 2, 3, 5, 6
BLOCK_BYTES_MIN, BYTE_ORDER = 12, 0x1A2B3C4D
MAGIC = struct.pack(">I", SECTION)
#: Options: an interface's name, units of its times, seconds that they are behind; packets that it, and the system lost;
#: packets lost since the one before.
IF_NAME, IF_TSRESOL, IF_TSOFFSET, ISB_IFDROP, ISB_OSDROP, EPB_DROPCOUNT = 2, 9, 14, 5, 7, 4
SECOND_NS = 1_000_000_000
#: A count of lost packets beyond this is none.
DROPS_MAX = 1 << 48
NAME_MAX = 40


@dataclass
class Interface:
    """Where packets were captured."""

    name: str
    link: int
    units: int  # of its times, in a second
    offset_s: int
    snap_bytes: int  # 0: no bound
    drops: int = 0  # packets that it, or the system, did not capture, by its own count
    packet_drops: int = 0  # the same as the packets tell


def walk(path: Path | Inside, content: np.ndarray) -> Blocks:
    """Read all blocks, or those before the first that makes no sense.

    Raises:
        FileError: that is before the first packet.
    """
    found = Blocks(path, content)
    found.walk()
    if found.broken and not found.packets:
        raise FileError(path, found.broken)
    found.cut = found.broken or found.cut
    return found


class Blocks:
    """What a file's blocks say; packets: interface, time in its units, start, captured, original."""

    def __init__(self, path: Path | Inside, content: np.ndarray) -> None:
        """Nothing is read yet."""
        self.path, self.content, self.view = path, content, content.data
        self.order = "<"
        self.section: list[int] = []  # numbers of the section's interfaces among all of the file
        self.interfaces: list[Interface] = []
        self.packets: list[tuple[int, int, int, int, int]] = []
        self.timeless: list[int] = []  # places of packets without a time
        self.cut: str | None = None
        self.broken = ""
        self.zeros = 0

    def walk(self) -> None:
        """Go from block to block."""
        at, size = 0, len(self.content)
        while at < size and not self.broken:
            if at + BLOCK_BYTES_MIN > size:
                self.cut = "truncated: ends inside the header of a block" if self.content[at:].any() else None
                return
            if self.content[at : at + 4].tobytes() == MAGIC and not self._start_section(at):
                return
            kind, length = struct.unpack_from(f"{self.order}II", self.view, at)
            if not kind and not length:
                at = self._padding(at)
                continue
            if length < BLOCK_BYTES_MIN or length % 4:
                self.broken = f"byte {at}: a block of {length} bytes: allowed {BLOCK_BYTES_MIN} or more, in fours"
            elif at + length > size:
                self.cut = f"truncated: its last block has {size - at} of {length} bytes"
                return
            else:
                self._block(kind, at + 8, at + length - 4)
                at += length

    def _padding(self, at: int) -> int:
        """Where the zeros that start here end, in fours."""
        start = at
        while at < len(self.content):
            other = np.flatnonzero(self.content[at : at + (1 << 20)])
            if len(other):
                at += int(other[0]) // 4 * 4
                break
            at = min(at + (1 << 20), len(self.content))
        self.zeros += at - start
        return max(at, start + 4)

    def _start_section(self, at: int) -> bool:
        self.order = next((o for o in "<>" if struct.unpack_from(f"{o}I", self.view, at + 8)[0] == BYTE_ORDER), "")
        if not self.order:
            self.broken = f"byte {at}: a section of pcapng without its byte order"
        self.section = []
        return bool(self.order)

    def _block(self, kind: int, at: int, end: int) -> None:
        if kind == PACKET and end - at >= 20:
            which, high, low, captured, original = struct.unpack_from(f"{self.order}5I", self.view, at)
            self._packet(which, high << 32 | low, at + 20, captured, original, end)
        elif kind == INTERFACE and end - at >= 8:
            self.section.append(len(self.interfaces))
            self.interfaces.append(self._interface(at, end))
        elif kind == OLD_PACKET and end - at >= 20:
            which, lost, high, low, captured, original = struct.unpack_from(f"{self.order}HHIIII", self.view, at)
            self._packet(which, high << 32 | low, at + 20, captured, original, end)
            if which < len(self.section) and lost != 0xFFFF:
                self.interfaces[self.section[which]].packet_drops += lost
        elif kind == SIMPLE_PACKET and end - at >= 4:
            (original,) = struct.unpack_from(f"{self.order}I", self.view, at)
            snap = self.interfaces[self.section[0]].snap_bytes if self.section else 0
            captured = min(original, snap or original, end - at - 4)
            self.timeless.append(len(self.packets))
            self._packet(0, self.packets[-1][1] if self.packets else 0, at + 4, captured, original, end)
        elif kind == STATISTICS and end - at >= 12:
            (which,) = struct.unpack_from(f"{self.order}I", self.view, at)
            if which < len(self.section):
                interface = self.interfaces[self.section[which]]
                interface.drops = max(interface.drops, self._lost(at + 12, end))

    def _packet(self, which: int, time: int, at: int, captured: int, original: int, end: int) -> None:
        if which >= len(self.section):
            self.broken = f"byte {at}: a packet of interface {which}: the section has {len(self.section)}"
        elif at + captured > end:
            self.broken = f"byte {at}: a packet of {captured} bytes in a block with {end - at}"
        elif time >= 2**63:
            self.broken = f"byte {at}: a packet's time is beyond the year 2262"
        else:
            self.packets.append((self.section[which], time, at, captured, original))
            behind = at + (captured + 3) // 4 * 4
            if end - behind > 8:
                for code, value in self._options(behind, end):
                    if code == EPB_DROPCOUNT and len(value) == 8:
                        lost = int.from_bytes(value, "little" if self.order == "<" else "big")
                        self.interfaces[self.section[which]].packet_drops += lost if lost < DROPS_MAX else 0

    def _lost(self, at: int, end: int) -> int:
        lost = 0
        for code, value in self._options(at, end):
            if code in (ISB_IFDROP, ISB_OSDROP) and len(value) == 8:
                count = int.from_bytes(value, "little" if self.order == "<" else "big")
                lost += count if count < DROPS_MAX else 0
        return lost

    def _interface(self, at: int, end: int) -> Interface:
        link, _, snap = struct.unpack_from(f"{self.order}HHI", self.view, at)
        name, units, offset_s = "", 10**6, 0
        for code, value in self._options(at + 8, end):
            if code == IF_TSRESOL and len(value) == 1:
                units = 2 ** (value[0] & 0x7F) if value[0] & 0x80 else 10 ** value[0]
            elif code == IF_TSOFFSET and len(value) == 8:
                (offset_s,) = struct.unpack(f"{self.order}q", value)
            elif code == IF_NAME:
                name = shown(value.rstrip(b"\0").decode(errors="replace"))[:NAME_MAX]
        return Interface(name or f"interface {len(self.interfaces)}", link, units, offset_s, snap)

    def _options(self, at: int, end: int) -> Iterator[tuple[int, bytes]]:
        while at + 4 <= end:
            code, length = struct.unpack_from(f"{self.order}HH", self.view, at)
            at += 4
            if not code or at + length > end:
                return
            yield code, bytes(self.view[at : at + length])
            at += (length + 3) // 4 * 4

    def columns(self) -> tuple[np.ndarray, ...]:
        """Of all packets: time in ns since 1970, interface, start, captured, original; (n,) int64."""
        which, time, start, captured, original = np.array(self.packets, dtype=np.int64).reshape(-1, 5).T
        t_ns = np.zeros(len(which), dtype=np.int64)
        for number, interface in enumerate(self.interfaces):
            own = which == number
            t_ns[own] = interface.offset_s * SECOND_NS + _nanoseconds(time[own], interface.units)
        for place in self.timeless:
            t_ns[place] = t_ns[place - 1] if place else 0
        return t_ns, which, start, captured, original

    def notes(self) -> Iterator[str]:
        """What a reader should know of the packets."""
        for one in self.interfaces:
            if lost := max(one.drops, one.packet_drops):
                yield (f"{one.name} lost {lost} packets, by its own count: they are missing here, and segments, "
                       "retransmissions and RTT are of the others only")
        if self.timeless:
            yield (f"{len(self.timeless)} packets have no time (simple packet blocks): RTT, rates and kinds of "
                   "retransmissions are not measured")


def _nanoseconds(time: np.ndarray, units: int) -> np.ndarray:
    """Times in units, so many of them in a second, as ns; without rounding where they are tens."""
    seconds, fraction = np.divmod(time, units) if units < 2**62 else (time * 0, time)
    if units <= SECOND_NS and SECOND_NS % units == 0:
        return seconds * SECOND_NS + fraction * (SECOND_NS // units)
    return seconds * SECOND_NS + np.floor(fraction * (SECOND_NS / units)).astype(np.int64)
