# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory of the labs' guests: how much a run's guest has, whether this machine has it, and what to say of too little.

The amount follows from the scenario alone and is part of a run's identity: the guest's kernel sees it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from cellbed.error import LabError

# Measured with 20 UEs and a flow each: 21 MiB a UE with iperf3, 28 with streams, 125 for the rest, captures and
# programs included. These are about twice as much. What a guest does not touch costs the machine nothing.
_BASE_MIB, _NODE_MIB, _FLOW_MIB, _STEP_MIB = 384, 16, 24, 128
_KILLED = re.compile(r"Out of memory: Killed process \d+ \((.*?)\)")
# A guest that reads its programs again and again, this many times its memory, had too little of it.
_REREAD_TIMES = 1


def guest_mib(settings: dict[str, Any]) -> int:
    """Memory of the guest that executes a run: what the scenario names, else by its nodes and flows."""
    if settings["memory"] is not None:
        return settings["memory"] >> 20
    nodes = len(settings["nodes"]) + len(settings.get("radios") or {})  # a daemon takes no more than a node
    wanted = _BASE_MIB + _NODE_MIB * nodes + _FLOW_MIB * len(settings["traffic"])
    return -(-wanted // _STEP_MIB) * _STEP_MIB


def free_mib() -> int:
    """What programs can still have here: of the machine, or of the container that this process is in."""
    fields = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    free = [int(fields["MemAvailable"].split()[0]) << 10]
    own = next((line[3:] for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::")), "/")
    for group in (Path("/sys/fs/cgroup") / own[1:], *(Path("/sys/fs/cgroup") / own[1:]).parents):
        limit, used = group / "memory.max", group / "memory.current"
        if limit.exists() and used.exists() and (most := limit.read_text().strip()) != "max":
            free.append(int(most) - int(used.read_text()))
    return min(free) >> 20


def check(wanted_mib: int) -> None:
    """Raises LabError when this machine does not have so much memory for a guest."""
    free = free_mib()
    if wanted_mib > free:
        raise LabError(f"the guest of this run has {wanted_mib} MiB of memory, but only {free} MiB are free here; key "
                       "'memory' of the scenario sets another amount")


def side_by_side(wanted_mib: int) -> int:
    """How many guests of such a size there is memory for; at least one, which says itself when there is not."""
    return max(1, free_mib() // wanted_mib)


def killed(console: str) -> str | None:
    """The program that the guest's kernel ended for want of memory, by the guest's console; None: it ended none."""
    found = _KILLED.search(console)
    return found[1] if found else None


def reread_mib() -> int:
    """In a guest: MiB of files that had to be read again as there was too little memory to keep them, if it was much.

    A guest has no swap space, so its programs' own pages go first. Source: Linux, mm/workingset.c.
    """
    counted = dict(line.split() for line in Path("/proc/vmstat").read_text().splitlines())
    fields = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    reread = int(counted.get("workingset_refault_file", 0)) * 4 >> 10
    return reread if reread > _REREAD_TIMES * int(fields["MemTotal"].split()[0]) >> 10 else 0
