# SPDX-License-Identifier: GPL-2.0-or-later
"""The PDUs of radio.pcap as UDP datagrams on the loopback, as a live Wireshark reads them.

A frame of radio.pcap is an exported PDU: tags that name the dissector, then its context, then the PDU. Behind the
string "mac-lte" the same context makes a datagram for Wireshark's heuristic dissector mac_lte_udp; for PDUs of NR and
the UTRAN the context begins with its string already. A transport block of NR that no datagram holds is left out.

Source: Wireshark epan/exported_pdu.h, epan/dissectors/packet-mac-lte.h (MAC_LTE_START_STRING), packet-mac-nr.h,
packet-umts_rlc.h
"""

from __future__ import annotations

import contextlib
import socket
import struct

from .place import Place
from .tail import PcapTail

_TAG_DISSECTOR, _TAG_HEURISTIC = 12, 13
_MAC_LTE_START = b"mac-lte"
LOOPBACK = "127.0.0.1"


def datagram(frame: bytes) -> bytes | None:
    """What Wireshark's heuristic dissectors know; None for a frame of another kind."""
    at, dissector = 0, b""
    while at + 4 <= len(frame):
        tag, length = struct.unpack_from(">HH", frame, at)
        at += 4
        if tag == 0:
            break
        if tag in (_TAG_DISSECTOR, _TAG_HEURISTIC):
            dissector = frame[at : at + length].rstrip(b"\0")
        at += length
    if dissector == b"mac-lte-framed":
        return _MAC_LTE_START + frame[at:]
    return frame[at:] if dissector in (b"mac_nr_udp", b"rlc_udp") else None


class Stream:
    """Sends what a run captures on the radio to a port of the loopback."""

    def __init__(self, place: Place, port: int) -> None:
        self.tail = PcapTail(lambda: place.path("radio.pcap"))
        self.to = (LOOPBACK, port)
        self.sent = 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        # Somebody has to have the port, or each datagram is answered by an ICMP error, which Wireshark shows too.
        self.holder: socket.socket | None = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self.holder.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            self.holder.bind(self.to)
        except OSError:
            self.holder.close()
            self.holder = None

    def pump(self) -> None:
        """Send what was captured since the last time."""
        for frame in self.tail.read():
            data = datagram(frame)
            if data is not None:
                with contextlib.suppress(OSError):  # a queue that is full, a block too large, or nobody there
                    self.socket.sendto(data, self.to)
                    self.sent += 1

    def close(self) -> None:
        self.tail.close()
        self.socket.close()
        if self.holder is not None:
            self.holder.close()
