# SPDX-License-Identifier: GPL-2.0-or-later
"""Connections packet by packet, for tests: written as a capture, so that everything reads them as it reads any other.

Times are ms, sequence numbers bytes after the initial ones. The client has the lower address and opens.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

import dpkt

from cellbed_analysis.pcap.connection import Capture, read
from cellbed_analysis.pcap.segments import Direction, direction

CLIENT, SERVER = b"\x0a\0\0\1", b"\x0a\0\0\2"
SYN, ACK, RST = 2, 16, 4
MSS = 1000
EPOCH_NS = 1_600_000_000 * 10**9


@dataclass
class Conversation:
    """Data go from the client to the server; initial sequence numbers are near a wrap."""

    isn: int = 0xFFFFF000
    peer_isn: int = 0x7FFFFF00
    stamps: bool = False
    port: int = 40000
    addresses: tuple[bytes, bytes] = (CLIENT, SERVER)
    packets: list[tuple[float, bytes]] = field(default_factory=list)

    def add(self, t_ms: float, forth: bool, seq: int, ack: int, flags: int, options: bytes = b"", payload: int = 0,
            stamp: tuple[int, int] | None = None, window: int = 60000) -> None:
        """Any packet."""
        if stamp is not None:
            options = b"\1\1" + struct.pack(">BBII", 8, 10, *stamp) + options
        ports, (src, dst) = (self.port, 5201), self.addresses
        if not forth:
            ports, src, dst = (5201, self.port), dst, src
        own, other = (self.isn, self.peer_isn) if forth else (self.peer_isn, self.isn)
        segment = dpkt.tcp.TCP(sport=ports[0], dport=ports[1], seq=(own + seq) % 2**32, ack=(other + ack) % 2**32,
                               flags=flags, win=window, opts=options)
        segment.off = (20 + len(options)) // 4
        packet = bytearray(bytes(dpkt.ip.IP(src=src, dst=dst, p=6, id=len(self.packets), data=segment)))
        packet[2:4] = (40 + len(options) + payload).to_bytes(2)  # the payload is cut off, as by a snap length
        self.packets.append((t_ms, bytes(packet)))

    def opened(self, t_ms: float = 0, rtt_ms: float = 40, sack: bool = True) -> Conversation:
        """The handshake as the client sees it."""
        told = b"\x02\x04" + struct.pack(">H", MSS) + (b"\4\2" if sack else b"\1\1") + b"\3\3\2\1\1\1"
        stamps = [(1, 0), (2, 1), (3, 2)] if self.stamps else [None] * 3
        self.add(t_ms, True, 0, -self.peer_isn, SYN, told, stamp=stamps[0])
        self.add(t_ms + rtt_ms, False, 0, 1, SYN | ACK, told, stamp=stamps[1])
        self.add(t_ms + rtt_ms, True, 1, 1, ACK, stamp=stamps[2])
        return self

    def data(self, t_ms: float, number: int, payload: int = MSS, stamp: tuple[int, int] | None = None) -> None:
        """The segment of this number, from 0."""
        self.add(t_ms, True, 1 + number * MSS, 1, ACK, payload=payload, stamp=stamp)

    def ack(self, t_ms: float, number: int, *sacks: tuple[int, int], stamp: tuple[int, int] | None = None) -> None:
        """Everything before the segment of this number is there, and these from one number to another."""
        options = b""
        if sacks:
            blocks = b"".join(struct.pack(">II", *((self.isn + 1 + n * MSS) % 2**32 for n in one)) for one in sacks)
            options = b"\1\1" + bytes([5, 2 + len(blocks)]) + blocks
        self.add(t_ms, False, 1, 1 + number * MSS, ACK, options, stamp=stamp)

    def capture(self, folder: Path, name: str = "x.pcap", offset_ms: float = 0) -> Capture:
        """Written and read."""
        path = folder / name
        with path.open("wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 101))
            for t_ms, packet in sorted(self.packets, key=lambda one: one[0]):
                t_ns = EPOCH_NS + round((t_ms + offset_ms) * 1e6)
                length = int.from_bytes(packet[2:4]) if packet[0] >> 4 == 4 else 40 + int.from_bytes(packet[4:6])
                file.write(struct.pack("<IIII", t_ns // 10**9, t_ns % 10**9, len(packet), length) + packet)
        return read(path)

    def direction(self, folder: Path) -> Direction:
        """The data's direction."""
        (_, packets), = self.capture(folder).connections()
        found = direction(packets, True)
        assert found is not None
        return found


def again(way: Direction) -> list[tuple[int, str]]:
    """Number and kind of each retransmission."""
    rows = way.segments.where(way.segments["again"])
    return [(int(seq) // MSS, str(kind)) for seq, kind in zip(rows["seq"], rows["kind"], strict=True)]
