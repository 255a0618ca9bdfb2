# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests that clean up take turns: what belongs to the whole machine, as trace buffers do, each of them removes."""

import contextlib
import fcntl
import tempfile
from collections.abc import Iterator
from pathlib import Path

_LOCK = Path(tempfile.gettempdir(), "cellbed-tests-clean.lock")


@contextlib.contextmanager
def the_only_cleaner() -> Iterator[None]:
    """Meanwhile no other test cleans up."""
    with _LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
