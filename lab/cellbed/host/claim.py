# SPDX-License-Identifier: GPL-2.0-or-later
"""The right to execute a run in a results folder: only one process has it, and it ends with the process."""

from __future__ import annotations

import os
from pathlib import Path

from cellbed_formats.inside import Inside

PREFIX = ".lock-"


class Claim:
    """A lock for one run, in the folder where its bundle belongs, so that all who write there see it."""

    def __init__(self, results: Path, name: str) -> None:
        self.file = Inside(results, f"{PREFIX}{name}")
        self.fd: int | None = None

    def take(self) -> bool:
        """Return: whether nobody else has it. Where files cannot be locked, everybody has it.

        Raises:
            OSError: the folder cannot be written into.
        """
        if self.fd is None:
            self.fd = self.file.locked()
        return self.fd is not None

    def release(self) -> None:
        if self.fd is not None:
            self.file.remove()
            os.close(self.fd)
            self.fd = None


def remove_free(results: Path) -> None:
    """Remove the locks of killed processes."""
    for path in results.resolve().glob(f"{PREFIX}*"):
        claim = Claim(path.parent, path.name.removeprefix(PREFIX))
        if path.is_file() and path.lstat().st_uid == os.geteuid() and claim.take():
            claim.release()
