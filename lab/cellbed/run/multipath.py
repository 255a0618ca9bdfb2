# SPDX-License-Identifier: GPL-2.0-or-later
"""A connection of Multipath TCP that sends for a given time, and the path manager of both its hosts.

The UE opens it, whichever way its data go, as one behind a network's address translation has to: it alone knows its
addresses, and its path manager opens the other subflows. As in `stream`, one program starts both ends, and one clock
ends them. What subflows are is in captures and tcp.trace; the connection is none of these, so the receiver notes how
far it has come.

Source: RFC 8684; Linux, include/uapi/linux/mptcp.h, net/mptcp/pm_kernel.c
"""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from pathlib import Path

from cellbed.error import LabError
from cellbed.host.child import TYPE_CHECKING
from cellbed.host.clock import sleep_for
from cellbed.host.netns import in_netns
from cellbed.run import address, radios
from cellbed.run.stream import BLOCK_BYTES, RETRY_NS, UNSENT_MAX, abort, both_ends

if TYPE_CHECKING:
    from typing import Any

_IPPROTO_MPTCP, _SOL_MPTCP, _MPTCP_INFO, _FALLBACK = 262, 284, 1, 1
# Of struct mptcp_info; a kernel before 6.6 has none of the last four.
_INFO = struct.Struct("8xI36xQQQQ")  # flags; bytes sent again by another subflow, sent, received, acknowledged
# The receiver takes so much at a time, and notes how far it is not more often than this.
_CHUNK_BYTES, _NOTE_NS = 16384, 10_000_000
_SYSCTLS = Path("/proc/sys/net/mptcp")


def manage_paths(pid: int, node: str, settings: dict[str, Any]) -> None:
    """Have a host's path manager open a subflow from each address of a UE; a server takes them.

    Raises:
        LabError: the kernel has no MPTCP, or it or ip(8) refuses.
    """
    if not _SYSCTLS.exists():
        raise LabError("key 'mptcp': this kernel has no MPTCP (CONFIG_MPTCP); the lab kernels have it")
    most = str(len(radios.names(settings)))
    wanted = [["limits", "set", "subflows", most, "add_addr_accepted", most]]
    if settings["nodes"][node]["kind"] == "ue":
        wanted += [["endpoint", "add", *words] for words in _endpoints(settings, node)]
    for words in wanted:
        _ip_mptcp(pid, node, words)


def _endpoints(settings: dict[str, Any], node: str) -> list[list[str]]:
    """A UE's addresses in the words of `ip mptcp endpoint add`."""
    found = []
    for name in (None, *(settings["nodes"][node].get("radios") or {})):
        there = address.on_radio(settings["nodes"][node], name)
        at = [[str(own.ip), "dev", name or radios.FIRST_INTERFACE] for own in address.interfaces(there)]
        at += [[address.CLAT_HOST, "dev", address.CLAT]] if "clat" in there else []
        backup = ["backup"] if (name or "radio") in settings["mptcp"]["backup"] else []
        found += [[*words, "subflow", *backup] for words in at]
    return found


def _ip_mptcp(pid: int, node: str, words: list[str]) -> None:
    import subprocess  # of no use in most runs

    from cellbed.host import programs

    with in_netns(pid):
        try:
            done = subprocess.run([programs.command("ip"), "mptcp", *words], capture_output=True, text=True,
                                  check=False)
        except OSError as error:
            raise LabError(f"ip: {error.strerror}; MPTCP needs it, which is in the package iproute2") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()[:1]
        raise LabError(f"node {node}: ip mptcp {' '.join(words)}: {''.join(said) or 'refused'}")


class Multipath:
    """Both ends of one flow; a connection that fails is followed by another while time is left."""

    def __init__(self, ue: tuple[int, str, int], server: tuple[int, str, int], uplink: bool,
                 control: str | None = None) -> None:
        """Listen at the server.

        Args:
            ue, server: process in the namespace, address and port of either end.
            uplink: the UE sends; else the server does.
            control: congestion control of the sender; None: that of its namespace.
        """
        self.ue, self.server, self.uplink, self.control = ue, server, uplink, control
        self.facts: dict[str, Any] = {}
        with in_netns(server[0]):
            self.listener = _socket(server[1])
        self.listener.bind(server[1:])
        self.listener.listen(8)

    def execute(self, duration_s: float, at_ns: int) -> dict[str, Any]:
        """Send for so long from that time of the monotonic clock on. Return: what happened."""
        self.start_ns = at_ns
        told = both_ends(at_ns, duration_s, self.listener, self._open, self._accept, self.facts)
        facts = {"received_bytes": 0, "sent_bytes": 0, "reinjected_bytes": 0, "congestion_control": None,
                 "came": {"t_ns": [], "bytes": []}, **told, **self.facts, "duration_s": duration_s}
        if facts.get("fallback"):
            facts["error"] = "the connection fell back to TCP: one end, or what is between them, has no MPTCP"
        return facts

    def _open(self) -> None:
        """At the UE."""
        self.facts |= {"connections": 0, "connected_s": None}
        work = self._send if self.uplink else self._receive
        while True:
            with in_netns(self.ue[0]):
                sock = _socket(self.ue[1])
            sock.bind(self.ue[1:])
            try:
                sock.connect(self.server[1:])
                self.facts["connections"] += 1
                if self.facts["connected_s"] is None:
                    self.facts["connected_s"] = round((time.monotonic_ns() - self.start_ns) / 1e9, 6)
                work(sock)
            except OSError:  # no connection came about, or MPTCP gave it up
                pass
            finally:
                abort(sock)
            sleep_for(RETRY_NS)

    def _accept(self) -> None:
        work = self._receive if self.uplink else self._send
        while True:
            sock, _ = self.listener.accept()
            try:
                work(sock)
            except OSError:
                pass
            finally:
                abort(sock)

    def _send(self, sock: socket.socket) -> None:
        with contextlib.suppress(OSError):  # which kernels before 6.10 do not know of MPTCP
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT_MAX)
        if self.control is not None:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, self.control.encode())
        self.facts["congestion_control"] = sock.getsockopt(
            socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()
        block = bytes(BLOCK_BYTES)
        try:
            while True:
                sock.send(block)
        finally:
            flags, again, sent, _, _ = _info(sock)
            self._count(sent_bytes=sent, reinjected_bytes=again)
            self.facts["fallback"] = bool(flags & _FALLBACK)

    def _receive(self, sock: socket.socket) -> None:
        """Take what comes, and note how far it is."""
        chunk, noted_ns = bytearray(_CHUNK_BYTES), 0
        came: dict[str, list[int]] = self.facts.setdefault("came", {"t_ns": [], "bytes": []})
        while n := sock.recv_into(chunk, 0, socket.MSG_WAITALL | socket.MSG_TRUNC):
            self._count(received_bytes=n)
            if (now_ns := time.monotonic_ns()) >= noted_ns + _NOTE_NS:
                came["t_ns"].append(now_ns)
                came["bytes"].append(self.facts["received_bytes"])
                noted_ns = now_ns

    def _count(self, **more: int) -> None:
        for name, n in more.items():
            self.facts[name] = self.facts.get(name, 0) + n


def _info(sock: socket.socket) -> tuple[int, ...]:
    told = sock.getsockopt(_SOL_MPTCP, _MPTCP_INFO, _INFO.size)
    return _INFO.unpack(told.ljust(_INFO.size, b"\0"))


def _socket(own: str) -> socket.socket:
    made = socket.socket(address.socket_family(own), socket.SOCK_STREAM, _IPPROTO_MPTCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return made
