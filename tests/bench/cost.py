# SPDX-License-Identifier: GPL-2.0-or-later
"""CPU seconds that commands cost, with all that they start; wall time would count whatever else the machine does."""

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
    """Of playing a scenario: a part that every run has, and one for each of its seconds."""

    start_s: float
    per_s: float


def cpu_s(command: list[str], cwd: Path | None = None) -> float:
    """CPU seconds, of user and system, of a command and all its descendants.

    Raises:
        Failed: its status is not 0.
    """
    # What loses its parent, as processes of a guest do, comes to this process to be waited for.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # As for a user: with PYTHONDONTWRITEBYTECODE every start would compile everything.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=environment)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}: status {done.returncode}: {(done.stderr or done.stdout).strip()}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def told(short_s: float, long_s: float, seconds: tuple[int, int]) -> Cost:
    """From the CPU seconds of a short and of a long play of so many seconds."""
    per_s = (long_s - short_s) / (seconds[1] - seconds[0])
    return Cost(short_s - seconds[0] * per_s, per_s)


def say(text: str) -> None:
    """What is under way, apart from the results."""
    print(text, file=sys.stderr, flush=True)
