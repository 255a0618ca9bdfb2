# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures as files: pcap of both orders and units, pcapng with interfaces, packed."""

import bz2
import gzip
import lzma
import struct
from dataclasses import dataclass, field

import zstandard
from packets import Link

EPOCH_NS = 1_700_000_000 * 10**9


@dataclass
class Frame:
    """What one interface captured."""

    t_ns: int
    data: bytes
    interface: int = 0
    original: int | None = None


@dataclass
class Recording:
    """Frames in the file's order."""

    frames: list = field(default_factory=list)
    link: int = 1
    names: tuple = ("eth0",)
    drops: int = 0

    def pcap(self, order="<", nano=False):
        """Classic pcap."""
        magic = 0xA1B23C4D if nano else 0xA1B2C3D4
        made = [struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 262144, self.link)]
        for one in self.frames:
            t_ns = EPOCH_NS + one.t_ns
            made.append(struct.pack(f"{order}4I", t_ns // 10**9, t_ns % 10**9 // (1 if nano else 1000), len(one.data),
                                    one.original or len(one.data)) + one.data)
        return b"".join(made)

    def pcapng(self, order="<", sections=1, simple=False, padding=0):
        """Pcapng, in one section or in some that each tell their interfaces."""
        made = []
        size = -(-len(self.frames) // sections)
        for number in range(sections):
            made.append(_block(order, 0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1)))
            for name in self.names:
                text = name.encode()
                told = struct.pack(f"{order}HH", 2, len(text)) + text + b"\0" * (-len(text) % 4)
                made.append(_block(order, 1, struct.pack(f"{order}HHI", self.link, 0, 0) + told
                                   + struct.pack(f"{order}HHB3x", 9, 1, 9)))
            for one in self.frames[number * size:(number + 1) * size]:
                t_ns = EPOCH_NS + one.t_ns
                original = one.original or len(one.data)
                made.append(_block(order, 3, struct.pack(f"{order}I", original) + one.data) if simple else _block(
                    order, 6, struct.pack(f"{order}5I", one.interface, t_ns >> 32, t_ns & 0xFFFFFFFF, len(one.data),
                                          original) + one.data))
                made.append(b"\0" * padding)
        if self.drops:
            count = struct.pack(f"{order}HHQ", 5, 8, self.drops)
            made.append(_block(order, 5, struct.pack(f"{order}III", 0, 0, 0) + count))
        return b"".join(made)


def _block(order, kind, body):
    body += b"\0" * (-len(body) % 4)
    length = struct.pack(f"{order}I", len(body) + 12)
    return struct.pack(f"{order}I", kind) + length + body + length


PACKINGS = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress,
            "zst": lambda content: zstandard.ZstdCompressor().compress(content)}


def recording(seen, link=None, wrap=None, snap=None):
    """Frames of packets as one interface captures them. Args: wrap: a tunnel around them."""
    link = link or Link()
    frames = []
    for one in seen:
        ip = one.packet.bytes()
        ip = wrap.around(ip, one.up) if wrap else ip
        data = link.frame(ip, one.up)
        frames.append(Frame(one.t_ns, data[:snap], 0, len(data)))
    return Recording(frames, link.kind)
