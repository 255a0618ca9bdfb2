# SPDX-License-Identifier: GPL-2.0-or-later
"""What running labs own on this machine, written down before it exists, so that `cellbed clean` finds it.

One JSON file per running lab names the process that answers for it (pid and start time), the lab's own process,
its temporary bundle and its cgroup.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def directory() -> Path:
    """Where this user's entries are; private to the user."""
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    path = Path(base) / f"cellbed-{os.getuid()}"
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def start_time(pid: int) -> str | None:
    """Start time of a process in clock ticks since boot: tells it from a later one with its pid."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] == "Z" else fields[19]


@contextlib.contextmanager
def entry(lab: str, lab_pid: int, temporary: Path, cgroup: Path | None = None) -> Iterator[None]:
    """Keep an entry while the block runs."""
    path = directory() / f"{os.getpid()}-{temporary.name}.json"
    path.write_text(json.dumps({
        "lab": lab, "owner_pid": os.getpid(), "owner_start": start_time(os.getpid()), "lab_pid": lab_pid,
        "lab_start": start_time(lab_pid), "temporary": str(temporary), "cgroup": str(cgroup) if cgroup else None}))
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def entries() -> list[tuple[Path, dict[str, Any], bool]]:
    """(file, content, owner is alive) of every entry."""
    found = []
    for path in sorted(directory().glob("*.json")):
        with contextlib.suppress(OSError, json.JSONDecodeError):
            content = json.loads(path.read_text())
            found.append((path, content, start_time(content["owner_pid"]) == content["owner_start"]))
    return found


def session_members(sid: int) -> list[int]:
    """Processes whose session is @sid."""
    members = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[3]) == sid and fields[0] != "Z":
                members.append(int(stat.parent.name))
    return members


def kill_session(sid: int, sig: signal.Signals) -> int:
    """Signal every process of a session that a lab began. Return: how many."""
    members = session_members(sid)
    for pid in members:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, sig)
    return len(members)
