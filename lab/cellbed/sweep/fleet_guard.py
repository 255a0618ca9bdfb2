# SPDX-License-Identifier: GPL-2.0-or-later
"""Keeps connections that never become members from holding up a fleet; Dask's schedulers and workers load it.

Who reaches a port may open connections there and say nothing, each of which takes a descriptor. So a connection has
some time to show its key and to shake hands, and when too many of one address, or of all, have not yet, the oldest of
them makes room: a member is through in milliseconds.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from distributed.comm.registry import backends
from distributed.comm.tcp import BaseTCPListener, TCPBackend, TCPListener, TLSBackend, TLSListener

HANDSHAKE_S = 10.0
# At once, of connections that have not shaken hands. A machine's workers come all at once, with several each.
OF_AN_ADDRESS, OF_ALL = 128, 256


class Waiting:
    """Connections that have not shaken hands yet, the oldest first."""

    def __init__(self) -> None:
        self.streams: dict[Any, tuple[str, asyncio.TimerHandle]] = {}  # address of each, and when it is closed
        self.of: Counter[str] = Counter()

    def add(self, stream: Any, address: str) -> None:
        if self.of[address] >= OF_AN_ADDRESS:
            self._close(next(other for other, (at, _) in self.streams.items() if at == address))
        elif len(self.streams) >= OF_ALL:
            self._close(next(iter(self.streams)))
        timer = asyncio.get_running_loop().call_later(HANDSHAKE_S, self._close, stream)
        self.streams[stream] = address, timer
        self.of[address] += 1

    def _close(self, stream: Any) -> None:
        self.remove(stream)
        stream.close()

    def remove(self, stream: Any) -> None:
        """It has shaken hands, or has gone."""
        if stream in self.streams:
            address, timer = self.streams.pop(stream)
            timer.cancel()
            self.of[address] -= 1
            if not self.of[address]:
                del self.of[address]


_waiting = Waiting()


class _Guarded(BaseTCPListener):
    async def _handle_stream(self, stream: Any, address: Any) -> None:
        _waiting.add(stream, str(address[0]))
        try:
            await super()._handle_stream(stream, address)  # type: ignore[no-untyped-call]
        finally:
            _waiting.remove(stream)

    async def on_connection(self, comm: Any, handshake_overrides: dict[str, Any] | None = None) -> None:
        await super().on_connection(comm, handshake_overrides)
        _waiting.remove(comm.stream)


class GuardedTCP(_Guarded, TCPListener):
    """On the loopback."""


class GuardedTLS(_Guarded, TLSListener):
    """With a key."""


class _TCP(TCPBackend):
    _listener_class = GuardedTCP


class _TLS(TLSBackend):
    _listener_class = GuardedTLS


backends.update(tcp=_TCP(), tls=_TLS())


def dask_setup(server: Any) -> None:
    """No pages over HTTP, for which Dask listens even where there are none."""
    if (http := getattr(server, "http_server", None)) is not None:
        http.stop()
