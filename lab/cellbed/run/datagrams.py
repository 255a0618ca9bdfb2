# SPDX-License-Identifier: GPL-2.0-or-later
"""UDP at a rate for a given time.

As in `stream`, both ends are started by this one program, so nothing but the data crosses the link; iperf3 over UDP
keeps a TCP connection beside it, which a queue full of datagrams holds up. The sender sleeps until one is due, at
most once a millisecond, and all that is due goes out by one system call. The receiver lets datagrams gather in its
socket, takes all that there are, and asks the kernel when the last one came.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import math
import os
import socket
import struct
import time

from cellbed.host.child import TYPE_CHECKING, await_child, ended, in_a_child
from cellbed.host.clock import sleep_until
from cellbed.host.netns import in_netns
from cellbed.run.address import socket_family

if TYPE_CHECKING:
    from typing import Any

_TICK_S = 0.001
# The receiver takes what gathered in so long, or sooner what fills a quarter of its socket's memory. Packets that
# waited for one before them in PDCP or RLC come at once: some 3,000 at 1 Gbit/s.
_GATHER_S, _GATHER_SHARE, _MEMORY_BYTES = 0.01, 0.25, 64 << 20
# What a datagram takes of that memory beside itself: a struct sk_buff and its shared part, and rounding.
# Source: linux/skbuff.h, SKB_TRUESIZE
_OVERHEAD_BYTES = 1024
# What is queued may arrive after the end: a megabyte at 0.5 Mbit/s takes 17 s.
_DRAIN_S, _SILENCE_S = 25.0, 3.0
_NUMBER = struct.Struct(">Q")
_SO_RCVBUFFORCE = 33
_SIOCGSTAMPNS, _TIME = 0x8907, struct.Struct("ll")
_MSG_WAITFORONE = 0x10000
# Source: Linux, linux/udp.h
_UDP_SEGMENT, _UDP_GRO = 103, 104
_UDP_BYTES_MAX = 65507
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


class AtOnce:
    """Datagrams that the kernel gets as one piece and sends as they are, or has cut behind the interface.

    Source: Linux, udp(7), UDP_SEGMENT; linux/udp.h, UDP_MAX_SEGMENTS
    """

    def __init__(self, sock: socket.socket, datagram_bytes: int) -> None:
        self.PLACES = max(1, min(Batch.PLACES, _UDP_BYTES_MAX // datagram_bytes))
        self._whole = bytearray(self.PLACES * datagram_bytes)
        view = memoryview(self._whole)
        self.data = [view[i * datagram_bytes : (i + 1) * datagram_bytes] for i in range(self.PLACES)]
        self._datagram_bytes = datagram_bytes
        sock.setsockopt(socket.IPPROTO_UDP, _UDP_SEGMENT, datagram_bytes)

    def send(self, sock: socket.socket, number: int) -> int:
        """As Batch.send()."""
        return sock.send(memoryview(self._whole)[: number * self._datagram_bytes]) // self._datagram_bytes


def execute(source: tuple[int, str, int], sink: tuple[int, str, int], seconds: float, rate_bps: int,
         packet_bytes: int, at_ns: int, offload: bool = False) -> dict[str, Any]:
    """Send for so long from that time of the monotonic clock on, then wait for the last ones.

    Args:
        offload: several datagrams go out and come at once.

    Return: what was sent and what came; `received_s` is the time of the last one that came, after the first was sent.
    """
    sender, receiver = (_socket(*one) for one in (source, sink))
    sender.connect(sink[1:])
    packets_per_s = rate_bps / 8 / packet_bytes
    every = math.ceil(seconds * packets_per_s)
    gather_s = _prepare(receiver, packets_per_s, packet_bytes)
    begin = at_ns / 1e9
    if offload:
        receiver.setsockopt(socket.IPPROTO_UDP, _UDP_GRO, 1)
    sending = in_a_child(lambda: _send(sender, begin, every, packets_per_s, packet_bytes, offload))
    received = _receive(receiver, sending, begin, begin + seconds, packet_bytes, gather_s)
    await_child(sending)
    return {"sent_pkts": every, **received, "duration_s": seconds, "packet_bytes": packet_bytes,
            "congestion_control": None}


def _send(sender: socket.socket, begin: float, every: int, packets_per_s: float, packet_bytes: int,
          offload: bool) -> None:
    """Those that are due, at most once a tick; when it wakes up late, tick after tick without sleep.

    Args:
        begin: on the monotonic clock.
    """
    batch = AtOnce(sender, packet_bytes) if offload else Batch(packet_bytes)
    sent, tick = 0, begin
    while sent < every:
        sleep_until(int(tick * 1e9))
        due = min(every, int((tick - begin) * packets_per_s) + 1)
        while sent < due:
            number = min(due - sent, batch.PLACES)
            for i in range(number):
                _NUMBER.pack_into(batch.data[i], 0, sent + i)
            sent += batch.send(sender, number)
        tick = max(tick + _TICK_S, begin + sent / packets_per_s)


def _prepare(receiver: socket.socket, packets_per_s: float, packet_bytes: int) -> float:
    """Give the socket memory, and have the kernel stamp what comes.

    Return: how long datagrams may gather in it, in s.
    """
    seconds = int(_SILENCE_S)
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _TIME.pack(seconds, int((_SILENCE_S - seconds) * 1e6)))
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _MEMORY_BYTES // 2)  # which Linux doubles
    with contextlib.suppress(PermissionError):  # beyond net.core.rmem_max
        receiver.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _MEMORY_BYTES // 2)
    with contextlib.suppress(OSError):  # of the last one that came: none so far
        _stamp(receiver)
    places = _GATHER_SHARE * receiver.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) / (packet_bytes + _OVERHEAD_BYTES)
    return min(_GATHER_S, places / packets_per_s)


def _stamp(receiver: socket.socket) -> float:
    """When what was received last came, in s since 1970."""
    s, ns = _TIME.unpack(fcntl.ioctl(receiver, _SIOCGSTAMPNS, bytes(_TIME.size)))
    return float(s) + ns / 1e9


def _receive(receiver: socket.socket, sending: int, begin: float, end_s: float, packet_bytes: int,
             gather_s: float) -> dict[str, Any]:
    """Take what comes, until nothing has for a while after the process @sending has ended, at about @end_s."""
    pkts, received_bytes, since_1970_s = 0, 0, time.time() - time.monotonic()
    batch = Batch(packet_bytes)
    while True:
        lengths = batch.receive(receiver)
        pkts += sum(-(-length // packet_bytes) for length in lengths)
        received_bytes += sum(lengths)
        if len(lengths) == batch.PLACES:
            continue
        now = time.monotonic()
        if now >= end_s + _DRAIN_S or not lengths and now >= end_s + _SILENCE_S and ended(sending):
            break
        if lengths:
            sleep_until(int((now + gather_s) * 1e9))
    last_s = _stamp(receiver) - since_1970_s - begin if pkts else None
    return {"received_pkts": pkts, "received_bytes": received_bytes,
            "received_s": None if last_s is None else round(last_s, 6)}


def _socket(pid: int, address: str, port: int) -> socket.socket:
    with in_netns(pid):
        made = socket.socket(socket_family(address), socket.SOCK_DGRAM)
    made.bind((address, port))
    return made
