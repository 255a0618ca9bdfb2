# SPDX-License-Identifier: GPL-2.0-or-later
"""Checksums for datagrams of IPv4 that have none, on their way into a NAT64.

IPv6 has no datagrams without, so a translator drops them or calculates what is missing. tayga drops them, and pasta
sends all its datagrams of IPv4 so. This looks at what leaves by the translator's interface and sends a datagram without
checksum once more, with it; the first one ends at tayga.

Source: RFC 7915 4.5; RFC 768; RFC 1071 1; packet(7)
"""

from __future__ import annotations

import contextlib
import ctypes
import socket
import struct

_ETH_P_ALL = 3
_SO_ATTACH_FILTER = 26
_PACKET_BYTES_MAX = 1 << 16
_IPV4_BYTES = 20
_INSTRUCTION = struct.Struct("=HBBI")  # code, where to go on if true and if false, value
_LOAD_BYTE, _LOAD_HALF, _EQUAL, _ANY_BIT, _RETURN = 0x30, 0x28, 0x15, 0x45, 0x06
# Of a packet of IPv4 without options: UDP, no fragment, checksum 0.
_WITHOUT_CHECKSUM = b"".join(_INSTRUCTION.pack(*instruction) for instruction in (
    (_LOAD_BYTE, 0, 0, 0), (_EQUAL, 0, 7, 0x45), (_LOAD_BYTE, 0, 0, 9), (_EQUAL, 0, 5, socket.IPPROTO_UDP),
    (_LOAD_HALF, 0, 0, 6), (_ANY_BIT, 3, 0, 0x3FFF), (_LOAD_HALF, 0, 0, 26), (_EQUAL, 0, 1, 0),
    (_RETURN, 0, 0, _PACKET_BYTES_MAX), (_RETURN, 0, 0, 0)))


class Sockets:
    """What sees the packets of an interface of the current network, and what sends there."""

    def __init__(self, interface: str) -> None:
        self._seen = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)  # none before it has its filter
        instructions = ctypes.create_string_buffer(_WITHOUT_CHECKSUM, len(_WITHOUT_CHECKSUM))
        program = struct.pack("@HP", len(_WITHOUT_CHECKSUM) // _INSTRUCTION.size, ctypes.addressof(instructions))
        self._seen.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)
        self._seen.bind((interface, _ETH_P_ALL))
        self._sent = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        self._sent.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode() + b"\0")

    def fill(self) -> None:
        """Give each datagram its checksum, for ever."""
        while True:
            packet = self._seen.recv(_PACKET_BYTES_MAX)
            with contextlib.suppress(OSError):  # as any network may lose it
                self._sent.sendto(with_checksum(packet), (socket.inet_ntoa(packet[16:20]), 0))


def with_checksum(packet: bytes) -> bytes:
    """A packet of IPv4 without options, with a whole datagram, and the checksum of this."""
    datagram = packet[_IPV4_BYTES:]
    covered = packet[12:20] + bytes((0, socket.IPPROTO_UDP)) + datagram[4:6] + datagram
    covered += bytes(len(covered) % 2)
    total: int = sum(struct.unpack(f"!{len(covered) // 2}H", covered))
    checksum = 0xFFFF - total % 0xFFFF  # never 0, which means none
    return packet[:_IPV4_BYTES + 6] + struct.pack("!H", checksum) + datagram[8:]
