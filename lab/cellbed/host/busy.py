# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a program computes: one that starts on a busy machine is told from one that waits."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path


class Busy:
    """A process; asked again and again, it tells since when it has not computed."""

    def __init__(self, pid: int) -> None:
        self._schedstat = Path(f"/proc/{pid}/schedstat")
        self._on_cpu_ns = -1
        self._since = time.monotonic()

    def idle_s(self) -> float:
        """For how long no call has seen it compute, in s. In a lab kernel computing takes no time, so it never does.

        Source: Documentation/scheduler/sched-stats.rst of Linux: the first number is the time on a CPU in ns.
        """
        with contextlib.suppress(OSError, ValueError, IndexError):
            on_cpu_ns = int(self._schedstat.read_text().split()[0])
            if on_cpu_ns != self._on_cpu_ns:
                self._on_cpu_ns, self._since = on_cpu_ns, time.monotonic()
        return time.monotonic() - self._since
