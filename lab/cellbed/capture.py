# SPDX-License-Identifier: GPL-2.0-or-later
"""tcpdump on an interface of a node."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

from cellbed.error import LabError
from cellbed.process import Process, wait_readable

# tcpdump sees packets in blocks that the kernel hands over when they are full, or at the second tick of a timer of one
# second (TPACKET_V3); what is in a block when tcpdump ends is lost, and counted nowhere.
HANDED_OVER_S = 2.1

_DROPPED = re.compile(rb"(\d+) packets? dropped by kernel")


class Tcpdump:
    """One capture, named for its node or interface; its stderr says when it listens and what it lost."""

    def __init__(self, name: str, pid: int, interface: str, path: Path, snaplen: int) -> None:
        self.name = name
        self.stderr = b""
        # To standard output: tcpdump would change the owner of a file, which the guest of an ordinary user cannot.
        args = ["tcpdump", "-i", interface, "-n", "-s", str(snaplen), "-w", "-",
                "--time-stamp-precision=nano", "-B", "16384", "-Z", "root"]
        with open(path, "wb") as out:
            self.process = Process(f"tcpdump on {name}", args, path.parent / "log", pid, stdout=out,
                                   stderr=subprocess.PIPE)
        pipe = self.process.popen.stderr
        while b"listening on" not in self.stderr:
            try:
                self.stderr += wait_readable(pipe.fileno(), 10, self.process, "'listening on'")
            except LabError as error:
                self.process.kill()
                said = (self.stderr + pipe.read()).decode(errors="replace").strip()
                raise LabError(f"tcpdump on {name}: {said or error}") from error

    def stop(self) -> int:
        """Flush and end. Return: packets the kernel dropped before tcpdump read them."""
        self.process.popen.send_signal(signal.SIGINT)
        _, rest = self.process.popen.communicate(timeout=20)
        self.stderr += rest
        if self.process.popen.returncode != 0:
            raise LabError(f"tcpdump on {self.name}: status {self.process.popen.returncode}: "
                           f"{self.stderr.decode(errors='replace').strip()}")
        match = _DROPPED.search(self.stderr)
        return int(match[1]) if match else 0

    def kill(self) -> None:
        self.process.kill()
        self.process.popen.stderr.close()
