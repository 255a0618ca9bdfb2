# SPDX-License-Identifier: GPL-2.0-or-later
"""Names the program of a virtual lab that computes without end: without a system call it takes no virtual time.

The guest's kernel does not run meanwhile and cannot see it. From outside it shows: of the guest's processes here one
takes all the time, and the one that is the kernel none. The kernel says which program it is when it is asked.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from pathlib import Path

from cellbed_formats.inside import Inside

_LOOK_S = 0.5
_LONG_S = 1.0
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# What the kernel prints at SIGUSR1, by kernel/patches/0006-um-busy-guest.patch.
_SAID = re.compile(r"cellbed: (.+ \(pid \d+\)) computes without a system call")


def _ticks(pid: int) -> int:
    """CPU time that a process has had. Source: proc_pid_stat(5), utime and stime."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


class BusyLoop:
    """Of one guest.

    Args:
        pid: of the guest's kernel.
        console: the file with what it prints.
    """

    def __init__(self, pid: int, console: Path) -> None:
        self.pid, self.console = pid, console
        self.next_look = time.monotonic() + _LOOK_S
        self.kernel_ticks = -1
        self.before: dict[int, int] = {}  # CPU time of the guest's processes when the kernel last did something
        self.asked = False
        self.named: str | None = None

    def look(self) -> str | None:
        """Return: who has been computing for a second or longer, in words; None: nobody."""
        if time.monotonic() < self.next_look:
            return self.named
        self.next_look = time.monotonic() + _LOOK_S
        with contextlib.suppress(OSError, IndexError):  # the guest is ending
            self._compare()
        return self.named

    def _compare(self) -> None:
        kernel, now = _ticks(self.pid), self._children()
        if kernel > self.kernel_ticks + 1:
            self.kernel_ticks, self.before, self.asked, self.named = kernel, now, False, None
            return
        for pid, ticks in now.items():
            if ticks - self.before.get(pid, 0) >= _LONG_S * _TICKS_PER_S and not self.asked:
                self.asked = True
                os.kill(pid, signal.SIGUSR1)
                self.next_look = time.monotonic()
                return
        if self.asked and self.named is None:
            said = _SAID.findall(Inside(self.console.parent, self.console.name).text("replace"))
            if said:
                self.named = f"{said[-1]} computes without a system call, which takes no virtual time"

    def _children(self) -> dict[int, int]:
        pids = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return {int(pid): _ticks(int(pid)) for pid in pids}
