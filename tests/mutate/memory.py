# SPDX-License-Identifier: GPL-2.0-or-later
"""What was measured of a checkout's tests, for the next seed."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Measured = TypeVar("Measured")


class Memory:
    """Measurements in @file, which hold for files with that @digest and for no others. Threads may share it."""

    def __init__(self, file: Path, digest: str) -> None:
        self._file, self._lock = file, threading.Lock()
        self._known: dict = {"digest": digest}
        with contextlib.suppress(OSError, ValueError):
            known = json.loads(file.read_text())
            if known["digest"] == digest:
                self._known = known

    def recall(self, what: str, measure: Callable[[], Measured]) -> Measured:
        """Return: what @measure says, now or when it was asked the same before. JSON has to have its type."""
        if what not in self._known:
            measured = measure()
            with self._lock:
                self._known[what] = measured
                self._file.write_text(json.dumps(self._known))
        return self._known[what]
