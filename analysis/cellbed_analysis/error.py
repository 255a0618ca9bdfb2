# SPDX-License-Identifier: GPL-2.0-or-later
"""The one error people see: what file, what is wrong, what was expected."""

from __future__ import annotations

from pathlib import Path


class AnalysisError(Exception):
    """Result data that cannot be read or does not mean what it should."""


class FileError(AnalysisError):
    """A file that is truncated, foreign or inconsistent."""

    def __init__(self, path: Path | str, problem: str) -> None:
        """Name the file and what is wrong with it."""
        super().__init__(f"{path}: {problem}")
        self.path = Path(path)
        self.problem = problem
