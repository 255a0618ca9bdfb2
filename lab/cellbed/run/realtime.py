# SPDX-License-Identifier: GPL-2.0-or-later
"""Real-time scheduling of the radio daemon where time is real; docs/native-lab.md has what it gives.

celld asks for SCHED_FIFO and locks its memory itself; here it gets a CPU, so that it never has to move, and what it was
granted is read back. celld's timeouts have no timer slack.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import Any

_RLIMIT_RTPRIO = 14  # of Linux
_POLICIES = {os.SCHED_OTHER: "other", os.SCHED_FIFO: "fifo", os.SCHED_RR: "rr"}


def wanted(rootless: bool = False) -> bool:
    """CELLBED_REALTIME=0 leaves the daemon an ordinary program, to compare. Without root it takes limits of
    /etc/security/limits.conf that allow both; with locked memory up to a limit the daemon could run out of it."""
    allowed = not rootless or (resource.getrlimit(_RLIMIT_RTPRIO)[0] != 0
                               and resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] == resource.RLIM_INFINITY)
    return allowed and os.environ.get("CELLBED_REALTIME", "1") != "0"


def pin(pid: int) -> None:
    """Give the process the last of the CPUs it may use: the first one usually serves the interrupts."""
    cpus = sorted(os.sched_getaffinity(pid))
    if len(cpus) > 1:
        os.sched_setaffinity(pid, cpus[-1:])


def read(pid: int) -> dict[str, Any]:
    """Scheduling of a process as the kernel tells it: policy, priority, CPUs, locked memory."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    policy = os.sched_getscheduler(pid) & ~os.SCHED_RESET_ON_FORK
    return {"policy": _POLICIES.get(policy, str(policy)), "priority": os.sched_getparam(pid).sched_priority,
            "cpus": sorted(os.sched_getaffinity(pid)), "locked_kib": int(status["VmLck"].split()[0])}
