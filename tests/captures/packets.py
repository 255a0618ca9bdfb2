# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets as bytes: links, IPv4 and IPv6 with checksums, TCP, UDP, fragments, tunnels.

Source: RFC 791; RFC 8200; RFC 9293; RFC 7323; RFC 2018; RFC 2784; RFC 7348; TS 29.281; TS 38.415
"""

import ipaddress
import struct
from dataclasses import dataclass, field, replace

from dpkt.dpkt import in_cksum

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
ETHERNET, RAW, COOKED, COOKED_2 = 1, 101, 113, 276
TCP, UDP = 6, 17


@dataclass(frozen=True)
class Packet:
    """An IP packet; addresses as text."""

    src: str
    dst: str
    protocol: int
    body: bytes
    ip_id: int = 0
    ttl: int = 64
    fragment: int = 0  # offset in bytes
    more: bool = False
    extensions: tuple = ()  # of IPv6: (number, bytes)

    @property
    def six(self):
        return ":" in self.src

    def bytes(self):
        """As on the wire."""
        if self.six:
            return self._six()
        flags = self.fragment // 8 | (0x2000 if self.more else 0) | (0 if self.more or self.fragment else 0x4000)
        head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(self.body), self.ip_id, flags, self.ttl, self.protocol, 0,
                           ipaddress.ip_address(self.src).packed, ipaddress.ip_address(self.dst).packed)
        return head[:10] + struct.pack(">H", in_cksum(head)) + head[12:] + self.body

    def _six(self):
        chain, body = list(self.extensions), self.body
        if self.more or self.fragment:
            chain.append((44, struct.pack(">HI", self.fragment | self.more, self.ip_id)))
        numbers = [*(number for number, _ in chain), self.protocol]
        for at in reversed(range(len(chain))):
            number, content = chain[at]
            head = bytes([numbers[at + 1], 0 if number == 44 else (len(content) + 2) // 8 - 1]) + content
            body = head + body
        return struct.pack(">IHBB", 6 << 28, len(body), numbers[0], self.ttl) + ipaddress.ip_address(
            self.src).packed + ipaddress.ip_address(self.dst).packed + body


def with_sum(src, dst, protocol, body, at):
    """A transport's bytes with their checksum."""
    pair = ipaddress.ip_address(src).packed + ipaddress.ip_address(dst).packed
    pseudo = pair + (struct.pack(">IHBB", len(body), 0, 0, protocol) if ":" in src else struct.pack(
        ">BBH", 0, protocol, len(body)))
    return body[:at] + struct.pack(">H", in_cksum(pseudo + body) or 0xFFFF) + body[at + 2:]


def tcp(src, sport, dst, dport, seq, ack, flags, options=b"", payload=b"", window=60000, **of_ip):
    """A segment."""
    options += b"\1" * (-len(options) % 4)
    body = struct.pack(">HHIIBBHHH", sport, dport, seq % 2**32, ack % 2**32, (20 + len(options)) // 4 << 4, flags,
                       window, 0, 0) + options + payload
    return Packet(src, dst, TCP, with_sum(src, dst, TCP, body, 16), **of_ip)


def udp(src, sport, dst, dport, payload, **of_ip):
    """A datagram."""
    body = struct.pack(">HHHH", sport, dport, 8 + len(payload), 0) + payload
    return Packet(src, dst, UDP, with_sum(src, dst, UDP, body, 6), **of_ip)


def fragments(packet, size=1480):
    """The packet in pieces of so many bytes."""
    pieces = range(0, len(packet.body), size)
    return [replace(packet, body=packet.body[at:at + size], fragment=at, more=at + size < len(packet.body))
            for at in pieces] if len(packet.body) > size else [packet]


def options(mss=None, sack_ok=False, stamp=None, scale=None, sacks=()):
    """Options of TCP."""
    made = b""
    if mss is not None:
        made += struct.pack(">BBH", 2, 4, mss)
    if sack_ok:
        made += b"\4\2"
    if stamp is not None:
        made += struct.pack(">BBII", 8, 10, *(value % 2**32 for value in stamp))
    if scale is not None:
        made += bytes([3, 3, scale])
    if sacks:
        made += b"\1\1" + bytes([5, 2 + 8 * len(sacks)]) + b"".join(struct.pack(">II", *one) for one in sacks)
    return made


@dataclass
class Link:
    """What a link puts in front of IP."""

    kind: int = ETHERNET
    macs: tuple = (b"\2\0\0\0\0\1", b"\2\0\0\0\0\2")
    vlan: int | None = None
    interface: int = 2
    labels: tuple = ()  # of MPLS

    def frame(self, ip, up):
        """Args: up: from the first MAC to the second."""
        typed = 0x86DD if ip[0] >> 4 == 6 else 0x0800
        if self.kind == RAW:
            return ip
        if self.kind == COOKED:
            return struct.pack(">HHH8sH", 0 if up else 4, 1, 6, self.macs[not up] + b"\0\0", typed) + ip
        if self.kind == COOKED_2:
            return struct.pack(">HHIHBB8s", typed, 0, self.interface, 1, 0 if up else 4, 6, b"\0" * 8) + ip
        head = self.macs[up] + self.macs[not up]
        if self.vlan is not None:
            head += struct.pack(">HH", 0x8100, self.vlan)
        if self.labels:
            stack = b"".join(struct.pack(">I", label << 12 | (at == len(self.labels) - 1) << 8 | 64)
                             for at, label in enumerate(self.labels))
            return head + b"\x88\x47" + stack + ip
        return head + struct.pack(">H", typed) + ip


@dataclass
class Tunnel:
    """Headers around an IP packet, by kind; ends as text."""

    kind: str
    ends: tuple = ("192.168.1.1", "192.168.1.2")
    count: int = field(default=0)

    def around(self, ip, up):
        """The outer packet's bytes."""
        src, dst = self.ends if up else self.ends[::-1]
        self.count += 1
        fields = {"ip_id": self.count % 65536}
        typed = 0x86DD if ip[0] >> 4 == 6 else 0x0800
        inner = b"\2" * 11 + bytes([1 + up]) + struct.pack(">H", typed) + ip
        if self.kind == "ipip":
            return Packet(src, dst, 4 if typed == 0x0800 else 41, ip, **fields).bytes()
        if self.kind == "gre":
            return Packet(src, dst, 47, struct.pack(">HH", 0, typed) + ip, **fields).bytes()
        if self.kind == "gre-key":
            return Packet(src, dst, 47, struct.pack(">HHII", 0x3000, typed, 7, self.count) + ip, **fields).bytes()
        if self.kind == "gretap":
            return Packet(src, dst, 47, struct.pack(">HH", 0, 0x6558) + inner, **fields).bytes()
        if self.kind == "erspan":
            head = struct.pack(">HHII", 0x1000, 0x88BE, self.count, 0x10000000)
            return Packet(src, dst, 47, head + b"\0" * 4 + inner, **fields).bytes()
        if self.kind == "gtpu":
            return udp(src, 2152, dst, 2152, struct.pack(">BBHI", 0x30, 255, len(ip), 0x1234) + ip, **fields).bytes()
        if self.kind == "gtpu-n3":
            extra = struct.pack(">HBB", 0, 0, 0x85) + bytes([1, 0x10 if up else 0, 9, 0])
            return udp(src, 2152, dst, 2152, struct.pack(">BBHI", 0x34, 255, len(ip) + 8, 0x1234) + extra + ip,
                       **fields).bytes()
        if self.kind == "vxlan":
            return udp(src, 50000 + up, dst, 4789, struct.pack(">II", 8 << 24, 42 << 8) + inner, **fields).bytes()
        assert self.kind == "geneve"
        return udp(src, 50000 + up, dst, 6081, struct.pack(">BBHI", 1, 0, 0x6558, 42 << 8) + b"\0" * 4 + inner,
                   **fields).bytes()
