# SPDX-License-Identifier: GPL-2.0-or-later
"""A TCP connection that sends for a given time and nothing else: `python -m cellbed.stream`.

iperf3 agrees on a test over a second connection before the data and exchanges results after it. A link that loses
most of its packets never lets it, and how little TCP gets through there is what some experiments ask. Both ends live
in this one process, so nothing but the data crosses the link, and one clock ends it.
"""

from __future__ import annotations

import argparse
import json
import selectors
import socket
import struct
import time
from pathlib import Path
from typing import Any

from cellbed.process import in_netns

BLOCK = bytes(16384)
# Unsent bytes that the sender's socket keeps: always some to send, never megabytes of them.
UNSENT_MAX = 32768
# Ends a connection at once: nothing of it is sent after its time.
_ABORT = struct.pack("ii", 1, 0)
_RETRY_S = 0.1


class Stream:
    """Sender and receiver of one flow; a connection that fails is followed by another while time is left."""

    def __init__(self, source: tuple[int, str, int], sink: tuple[int, str, int], control: str | None = None) -> None:
        """Listen at the sink.

        Args:
            source, sink: process in the namespace, address and port of either end.
            control: congestion control of the sender; None: that of its namespace.
        """
        self.source, self.sink, self.control = source, sink, control
        self.selector = selectors.DefaultSelector()
        self.facts: dict[str, Any] = {
            "connections": 0, "connected_s": None, "sent_bytes": 0, "received_bytes": 0, "congestion_control": None}
        with in_netns(sink[0]):
            self.listener = _socket()
        self.listener.bind(sink[1:])
        self.listener.listen(8)
        self.selector.register(self.listener, selectors.EVENT_READ, self._accept)

    def play(self, duration_s: float) -> dict[str, Any]:
        """Send for so long. Return: what happened."""
        self.begin = time.monotonic()
        end = self.begin + duration_s
        self._connect()
        while (left := end - time.monotonic()) > 0:
            for key, _ in self.selector.select(left):
                key.data(key.fileobj)
        for key in list(self.selector.get_map().values()):
            self._close(key.fileobj)
        return {**self.facts, "duration_s": duration_s}

    def _connect(self) -> None:
        with in_netns(self.source[0]):
            sender = _socket()
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_MAX)
        if self.control is not None:
            sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, self.control.encode())
        self.facts["congestion_control"] = sender.getsockopt(
            socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()
        sender.bind(self.source[1:])
        sender.connect_ex(self.sink[1:])
        self.selector.register(sender, selectors.EVENT_WRITE, self._send)

    def _send(self, sender: socket.socket) -> None:
        try:
            sent = sender.send(BLOCK)
        except BlockingIOError:
            return
        except OSError:  # no connection came about, or TCP gave it up
            self._close(sender)
            time.sleep(_RETRY_S)
            self._connect()
            return
        if self.facts["connected_s"] is None:
            self.facts["connected_s"] = round(time.monotonic() - self.begin, 6)
        self.facts["sent_bytes"] += sent

    def _accept(self, listener: socket.socket) -> None:
        receiver, _ = listener.accept()
        receiver.setblocking(False)
        self.facts["connections"] += 1
        self.selector.register(receiver, selectors.EVENT_READ, self._receive)

    def _receive(self, receiver: socket.socket) -> None:
        try:
            data = receiver.recv(65536)
        except OSError:
            data = b""
        if not data:
            self._close(receiver)
        self.facts["received_bytes"] += len(data)

    def _close(self, sock: socket.socket) -> None:
        self.selector.unregister(sock)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABORT)
        sock.close()


def _socket() -> socket.socket:
    made = socket.socket()
    made.setblocking(False)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return made


def end(text: str) -> tuple[int, str, int]:
    pid, address, port = text.split(",")
    return int(pid), address, int(port)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--from", "--to"):
        parser.add_argument(name, dest=name.strip("-"), type=end, required=True, metavar="PID,ADDRESS,PORT")
    parser.add_argument("--congestion-control", metavar="NAME")
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--result", type=Path, required=True)
    chosen = parser.parse_args()
    facts = Stream(getattr(chosen, "from"), chosen.to, chosen.congestion_control).play(chosen.seconds)
    chosen.result.write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
