# SPDX-License-Identifier: GPL-2.0-or-later
"""CPU seconds and memory that commands cost, with all that they start; wall time would count whatever else the machine
does.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


class Failed(Exception):
    """A command that is measured failed; what it said."""


@dataclass(frozen=True)
class Cost:
    """Of executing a scenario: a part that every run has, and one for each of its seconds."""

    start_s: float
    per_s: float


@dataclass(frozen=True)
class Spent:
    """By a command and all its descendants: CPU time, and the memory of the largest process."""

    cpu_s: float
    memory_mb: float


def cpu_s(command: list[str], cwd: Path | None = None) -> float:
    """CPU seconds, of user and system, of a command and all its descendants.

    Raises:
        Failed: its status is not 0.
    """
    return spent(command, cwd).cpu_s


def spent(command: list[str], cwd: Path | None = None) -> Spent:
    """What a command and all its descendants use.

    Raises:
        Failed: its status is not 0.
    """
    # As for a user: with PYTHONDONTWRITEBYTECODE every start would compile everything.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    # By a process of its own, which waits for nobody else's children.
    done = subprocess.run([sys.executable, __file__, *command], cwd=cwd, capture_output=True, text=True, check=False,
                          env=environment)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}: status {done.returncode}: {(done.stderr or done.stdout).strip()}")
    cpu_s, memory_mb = done.stdout.splitlines()[-1].split()
    return Spent(float(cpu_s), float(memory_mb))


def _measure(command: list[str]) -> int:
    """Run it, and print what it has cost. Return: its status."""
    # What loses its parent, as processes of a guest do, comes to this process to be waited for.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    status = subprocess.run(command, check=False).returncode
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"\n{used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024}")
    return status


def told(short_s: float, long_s: float, seconds: tuple[int, int]) -> Cost:
    """From the CPU seconds of a short and of a long run of so many seconds."""
    per_s = (long_s - short_s) / (seconds[1] - seconds[0])
    return Cost(short_s - seconds[0] * per_s, per_s)


def say(text: str) -> None:
    """What is under way, apart from the results."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(_measure(sys.argv[1:]))
