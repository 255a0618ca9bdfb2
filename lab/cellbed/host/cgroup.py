# SPDX-License-Identifier: GPL-2.0-or-later
"""The cgroup of a native run: every process of the run is in it, so it is what clean-up goes by."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

from cellbed.error import LabError

PREFIX = "cellbed-"
_GONE_DEADLINE_S = 5.0


def mount_point() -> Path | None:
    """Where cgroup v2 is mounted, or None."""
    for line in Path("/proc/self/mounts").read_text().splitlines():
        fields = line.split()
        if fields[2] == "cgroup2":
            return Path(fields[1])
    return None


def _mounted() -> Path:
    root = mount_point()
    if root is None:
        raise LabError("no cgroup v2 is mounted; `mount -t cgroup2 none /sys/fs/cgroup/unified` mounts one")
    return root


def own() -> Path:
    """The cgroup that this process is in.

    Raises:
        LabError: no cgroup v2 is mounted.
    """
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    path = next((line[3:] for line in lines if line.startswith("0::")), "/")
    return _mounted() / path.lstrip("/")


def cpu_wait_us() -> int | None:
    """How long processes of this process's cgroup have waited for a CPU, while none or while others had one.

    Return: None where the kernel does not count it.

    Source: Linux, Documentation/accounting/psi.rst
    """
    try:
        some = next(line for line in (own() / "cpu.pressure").read_text().splitlines() if line.startswith("some "))
        return int(some.rpartition("total=")[2])
    except (OSError, LabError, StopIteration, ValueError):
        return None


def path_of(name: str) -> Path | None:
    """The cgroup of a run; None without cgroup v2."""
    root = mount_point()
    return root / f"{PREFIX}{name}" if root else None


def create(name: str) -> Path:
    """Make the run's cgroup.

    Raises:
        LabError: no cgroup v2, or no permission.
    """
    path = _mounted() / f"{PREFIX}{name}"
    try:
        path.mkdir()
    except OSError as error:
        raise LabError(f"cgroup {path}: {error.strerror}; the native lab needs root") from error
    return path


def part(name: str) -> Path:
    """A cgroup inside this process's own, for what one command of a run starts: whose a socket is, is told by it."""
    path = own() / name
    path.mkdir(exist_ok=True)
    return path


def join(path: Path) -> None:
    """Move this process there."""
    (path / "cgroup.procs").write_text("0")


def members(path: Path) -> list[int]:
    """Processes in the cgroup and those inside it."""
    found = []
    for procs in (path / "cgroup.procs", *path.glob("*/cgroup.procs")):
        with contextlib.suppress(OSError):
            found += [int(pid) for pid in procs.read_text().split()]
    return found


def kill_others(path: Path) -> None:
    """Kill what is in the cgroup but for this process: what programs of a run have started and left."""
    for pid in members(path):
        if pid != os.getpid():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def remove(path: Path) -> int:
    """Kill what is in the cgroup and remove it. Return: processes killed."""
    killed = set()
    end = time.monotonic() + _GONE_DEADLINE_S
    while (pids := members(path)) and time.monotonic() < end:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            killed.add(pid)
        time.sleep(0.01)  # the kernel takes a moment to reap them
    while time.monotonic() < end:
        try:
            for inner in path.glob("*/"):
                inner.rmdir()
            path.rmdir()
            break
        except FileNotFoundError:
            break
        except OSError:
            time.sleep(0.01)
    return len(killed)


def leftovers() -> list[Path]:
    """cgroups of ours."""
    root = mount_point()
    return sorted(root.glob(f"{PREFIX}*")) if root else []
