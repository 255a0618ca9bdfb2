# SPDX-License-Identifier: GPL-2.0-or-later
"""Modes of files: nothing that a command creates can be written by others, whatever the umask of its caller.

What others have to read gets its mode by name. A command behind a link has its caller's umask.
"""

from __future__ import annotations

import os
from pathlib import Path

#: Takes the right to write from all but the owner.
OTHERS = 0o022
_callers: int | None = None


def keep_from_others() -> None:
    """From now on, in this process and its children."""
    global _callers
    _callers = os.umask(OTHERS)
    os.umask(_callers | OTHERS)


def callers_umask() -> int:
    """As this process got it."""
    if _callers is not None:
        return _callers
    # Not by umask(), which would change it for other threads.
    said = Path("/proc/self/status").read_text()
    return int(next(line.split()[1] for line in said.splitlines() if line.startswith("Umask:")), 8)
