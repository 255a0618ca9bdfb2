# SPDX-License-Identifier: GPL-2.0-or-later
"""A TCP connection that sends for a given time and nothing else.

iperf3 agrees on a test over a second connection before the data and exchanges results after it. A link that loses
most of its packets never lets it, and how little TCP gets through there is what some experiments ask. Both ends are
started by this one program, so nothing but the data crosses the link, and one clock ends it.

Each end is a process that blocks in the kernel for a whole block: system calls are what a virtual lab costs. There the
kernel takes and gives bytes as they come, as for a program that asks for each of them. What a signal cuts off in the
end is part of no call's result, so the bytes are those that TCP itself has counted.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import time

from cellbed.host.child import TYPE_CHECKING, await_child, in_a_child
from cellbed.host.clock import sleep_for, sleep_until
from cellbed.host.netns import in_netns
from cellbed.run.address import socket_family

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

BLOCK_BYTES = 1 << 20
# Unsent bytes that the sender's socket keeps: always some to send, never megabytes of them.
UNSENT_MAX = 32768
# Ends a connection at once: nothing of it is sent after its time.
_ABORT = struct.pack("ii", 1, 0)
RETRY_NS = 100_000_000
# The end that waits for the other works so much longer at both of its own ends: the two do not wake up at once.
_APART_NS = 200_000
# Of struct tcp_info. Source: include/uapi/linux/tcp.h
_INFO_BYTES = 216
_RECEIVED, _NOT_SENT, _SENT = struct.Struct("128x Q"), struct.Struct("144x I"), struct.Struct("200x QQ")


class _Over(Exception):  # noqa: N818 (no error)
    """The time is over."""


class Stream:
    """Sender and receiver of one flow; a connection that fails is followed by another while time is left."""

    def __init__(self, source: tuple[int, str, int], sink: tuple[int, str, int], control: str | None = None) -> None:
        """Listen at the sink.

        Args:
            source, sink: process in the namespace, address and port of either end.
            control: congestion control of the sender; None: that of its namespace.
        """
        self.source, self.sink, self.control = source, sink, control
        self.facts: dict[str, Any] = {
            "connections": 0, "connected_s": None, "sent_bytes": 0, "received_bytes": 0, "congestion_control": None}
        with in_netns(sink[0]):
            self.listener = _socket(sink[1])
        self.listener.bind(sink[1:])
        self.listener.listen(8)

    def execute(self, duration_s: float, at_ns: int) -> dict[str, Any]:
        """Send for so long from that time of the monotonic clock on. Return: what happened."""
        self.start_ns = at_ns
        received = both_ends(at_ns, duration_s, self.listener, self._send, self._receive, self.facts)
        self.facts |= {key: received[key] for key in ("connections", "received_bytes")}
        return {**self.facts, "duration_s": duration_s}

    def _send(self) -> None:
        block = bytes(BLOCK_BYTES)
        while True:
            sender = self._sender()
            try:
                sender.connect(self.sink[1:])
                if self.facts["connected_s"] is None:
                    self.facts["connected_s"] = round((time.monotonic_ns() - self.start_ns) / 1e9, 6)
                while True:
                    sender.send(block)
            except OSError:  # no connection came about, or TCP gave it up
                pass
            finally:
                self.facts["sent_bytes"] += _sent_bytes(sender)
                abort(sender)
            sleep_for(RETRY_NS)

    def _sender(self) -> socket.socket:
        with in_netns(self.source[0]):
            sender = _socket(self.source[1])
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_MAX)
        if self.control is not None:
            sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, self.control.encode())
        self.facts["congestion_control"] = sender.getsockopt(
            socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()
        sender.bind(self.source[1:])
        return sender

    def _receive(self) -> None:
        """One connection after another: all have the same ports, so the next one comes about when one has ended."""
        block = bytearray(BLOCK_BYTES)
        while True:
            receiver, _ = self.listener.accept()
            self.facts["connections"] += 1
            try:
                while receiver.recv_into(block, 0, socket.MSG_WAITALL | socket.MSG_TRUNC):
                    pass
            except OSError:
                pass
            finally:
                self.facts["received_bytes"] += _info(receiver, _RECEIVED)[0]
                abort(receiver)


def both_ends(at_ns: int, duration_s: float, listener: socket.socket, work: Callable[[], None],
              accept: Callable[[], None], facts: dict[str, Any]) -> dict[str, Any]:
    """Do @work for so long from that time on, and @accept, at the other end, in a process of its own.

    Args:
        listener: closed here.
        facts: to which both add what happened.

    Returns: those of the other end.
    """
    read_fd, write_fd = os.pipe()

    def tell() -> None:
        during(at_ns - _APART_NS, duration_s + 2 * _APART_NS / 1e9, accept)
        with os.fdopen(write_fd, "wb") as pipe:
            pipe.write(json.dumps(facts).encode())

    other = in_a_child(tell)
    os.close(write_fd)
    listener.close()
    during(at_ns, duration_s, work)
    with os.fdopen(read_fd, "rb") as pipe:
        told = pipe.read()
    await_child(other)
    there: dict[str, Any] = json.loads(told)
    return there


def during(at_ns: int, duration_s: float, work: Callable[[], None]) -> None:
    """Do @work for so long from that time of the monotonic clock on."""
    def over(*_: object) -> None:
        raise _Over

    before = signal.signal(signal.SIGALRM, over)
    try:
        sleep_until(at_ns)
        signal.setitimer(signal.ITIMER_REAL, duration_s)
        work()
    except _Over:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _info(sock: socket.socket, fields: struct.Struct) -> tuple[int, ...]:
    return fields.unpack_from(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES))


def _sent_bytes(sender: socket.socket) -> int:
    """What the socket has taken, sent or not."""
    (not_sent,), (sent, again) = _info(sender, _NOT_SENT), _info(sender, _SENT)
    return sent - again + not_sent


def abort(sock: socket.socket) -> None:
    """End a connection at once."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABORT)
    sock.close()


def _socket(address: str) -> socket.socket:
    made = socket.socket(socket_family(address))
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return made
