# SPDX-License-Identifier: GPL-2.0-or-later
"""UDP at a rate for a given time.

As in `stream`, both ends are started by this one program, so nothing but the data crosses the link; iperf3 over UDP
keeps a TCP connection beside it, which a queue full of datagrams holds up. The sender wakes up when one is due, at
most once a millisecond, and all that is due goes out by one system call; the receiver takes by one what there is.
"""

from __future__ import annotations

import ctypes
import math
import os
import socket
import struct
import time

from cellbed.host.child import TYPE_CHECKING, await_child, ended, in_a_child
from cellbed.host.clock import sleep_until
from cellbed.host.netns import in_netns

if TYPE_CHECKING:
    from typing import Any

_TICK_S = 0.001
# What is queued may arrive after the end: a megabyte at 0.5 Mbit/s takes 17 s.
_DRAIN_S, _SILENCE_S = 25.0, 3.0
_NUMBER = struct.Struct(">Q")
_MSG_WAITFORONE = 0x10000
_LIBC = ctypes.CDLL(None, use_errno=True)


class _Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


class _Header(ctypes.Structure):
    """struct msghdr."""

    _fields_ = [("name", ctypes.c_void_p), ("name_bytes", ctypes.c_uint32), ("iov", ctypes.POINTER(_Iovec)),
                ("n_iov", ctypes.c_size_t), ("control", ctypes.c_void_p), ("control_bytes", ctypes.c_size_t),
                ("flags", ctypes.c_int)]


class _Message(ctypes.Structure):
    """struct mmsghdr."""

    _fields_ = [("header", _Header), ("bytes", ctypes.c_uint32)]


class Batch:
    """Datagrams that one system call sends or receives."""

    PLACES = 64

    def __init__(self, datagram_bytes: int) -> None:
        self.data = [bytearray(datagram_bytes) for _ in range(self.PLACES)]
        kind = ctypes.c_char * datagram_bytes
        self.iov = (_Iovec * self.PLACES)(
            *(_Iovec(ctypes.addressof(kind.from_buffer(data)), datagram_bytes) for data in self.data))
        self.messages = (_Message * self.PLACES)(
            *(_Message(_Header(iov=ctypes.pointer(self.iov[i]), n_iov=1)) for i in range(self.PLACES)))

    def send(self, sock: socket.socket, number: int) -> int:
        """The first so many. Return: how many were sent."""
        return self._done(_LIBC.sendmmsg(sock.fileno(), self.messages, number, 0))

    def receive(self, sock: socket.socket) -> list[int]:
        """What there is, once there is something.

        Return: bytes of each; none when the socket's time was over, or a signal came.
        """
        try:
            number = self._done(_LIBC.recvmmsg(sock.fileno(), self.messages, self.PLACES,
                                               _MSG_WAITFORONE | socket.MSG_TRUNC, None))
        except (BlockingIOError, InterruptedError):
            return []
        return [self.messages[i].bytes for i in range(number)]

    @staticmethod
    def _done(result: int) -> int:
        if result < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return result


def execute(source: tuple[int, str, int], sink: tuple[int, str, int], seconds: float, rate_bps: int,
         packet_bytes: int) -> dict[str, Any]:
    """Send for so long, then wait for the last ones.

    Return: what was sent and what came; `received_s` is the time of the last one that came, after the first was sent.
    """
    sender, receiver = (_socket(*one) for one in (source, sink))
    sender.connect(sink[1:])
    packets_per_s = rate_bps / 8 / packet_bytes
    every = math.ceil(seconds * packets_per_s)
    begin = time.monotonic()
    sending = in_a_child(lambda: _send(sender, begin, every, packets_per_s, packet_bytes))
    received = _receive(receiver, sending, begin, begin + seconds, packet_bytes)
    await_child(sending)
    return {"sent_pkts": every, **received, "duration_s": seconds, "packet_bytes": packet_bytes,
            "congestion_control": None}


def _send(sender: socket.socket, begin: float, every: int, packets_per_s: float, packet_bytes: int) -> None:
    """Those that are due, at most once a tick. Args: begin: on the monotonic clock."""
    batch, sent = Batch(packet_bytes), 0
    while sent < every:
        now = time.monotonic()
        due = min(every, int((now - begin) * packets_per_s) + 1)
        while sent < due:
            number = min(due - sent, batch.PLACES)
            for i in range(number):
                _NUMBER.pack_into(batch.data[i], 0, sent + i)
            sent += batch.send(sender, number)
        sleep_until(int(max(now + _TICK_S, begin + sent / packets_per_s) * 1e9))


def _receive(receiver: socket.socket, sending: int, begin: float, end_s: float, packet_bytes: int) -> dict[str, Any]:
    """Take what comes, until nothing has for a while after the process @sending has ended, at about @end_s."""
    pkts, received_bytes, last = 0, 0, None
    batch = Batch(packet_bytes)
    seconds = int(_SILENCE_S)
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO,
                        struct.pack("ll", seconds, int((_SILENCE_S - seconds) * 1e6)))
    while True:
        lengths = batch.receive(receiver)
        now = time.monotonic()
        if lengths:
            pkts, received_bytes, last = pkts + len(lengths), received_bytes + sum(lengths), now
        elif now >= end_s + _SILENCE_S and ended(sending):
            break
        if now >= end_s + _DRAIN_S:
            break
    return {"received_pkts": pkts, "received_bytes": received_bytes,
            "received_s": None if last is None else round(last - begin, 6)}


def _socket(pid: int, address: str, port: int) -> socket.socket:
    with in_netns(pid):
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind((address, port))
    return made
