# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of a run's interfaces: one process for all of them."""

from __future__ import annotations

import json
from pathlib import Path

from cellbed.host.process import Process, start_ready

# ipdump sees packets in blocks that the kernel hands over when they are full, or at the second tick of a timer of one
# second (TPACKET_V3); what is in a block when ipdump ends is lost, and counted nowhere.
HANDED_OVER_S = 2.1
# The kernel's buffer of each interface. In virtual time the program that empties it is never late.
_BUFFER_KIB, _VIRTUAL_BUFFER_KIB = 16384, 2048
_STATS = "captures.json"


class Captures:
    """Captures of interfaces, each named for its node or interface and kept in DIR/ip-NAME.pcap."""

    def __init__(self, program: str, wanted: list[tuple[str, int, str]], out: Path, snaplen: int,
                 virtual: bool) -> None:
        """
        Args:
            wanted: name, process in the namespace, and interface of each.
            snaplen: bytes kept of each packet.

        Raises:
            LabError: one of them cannot be captured.
        """
        self.stats = out / _STATS
        args = [program, "--stats", str(self.stats), "--snaplen", str(snaplen),
                "--buffer-kib", str(_VIRTUAL_BUFFER_KIB if virtual else _BUFFER_KIB)]
        each = [word for name, pid, interface in wanted
                for word in (name, f"/proc/{pid}/ns/net", interface, str(out / f"ip-{name}.pcap"))]
        self.process: Process = start_ready("ipdump", lambda fd: [*args, "--ready-fd", str(fd), *each], out / "log")

    def stop(self) -> dict[str, int]:
        """End them, once the kernel has handed over all packets. Return: packets that each missed.

        Raises:
            LabError: it had failed before, or an interface has gone.
        """
        self.process.stop()
        missed = json.loads(self.stats.read_text())
        self.stats.unlink()
        return missed

    def kill(self) -> None:
        self.process.kill()
