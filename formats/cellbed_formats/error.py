# SPDX-License-Identifier: GPL-2.0-or-later
"""The one error people see: what file, what is wrong, what was expected."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator
from pathlib import Path


class DataError(Exception):
    """Result data that cannot be read or does not mean what it should."""


class FileError(DataError):
    """A file that is truncated, foreign or inconsistent."""

    def __init__(self, path: Path | str, problem: str) -> None:
        """Name the file and what is wrong with it."""
        super().__init__(f"{path}: {problem}")
        self.path = Path(path)
        self.problem = problem


@contextlib.contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """Whatever goes wrong in the block with data of @path is a FileError.

    Readers say what is wrong where they can. But a file may hold anything, such as a word in the place of a number deep
    in a list, and what is computed of it is not asked to expect that everywhere.
    """
    from jinja2 import TemplateError
    from polars.exceptions import PanicException, PolarsError

    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, AssertionError, MemoryError,
            RecursionError, StopIteration, struct.error, PolarsError, PanicException, TemplateError) as error:
        said = " ".join(str(error).split())[:200]
        raise FileError(path, f"holds what no run writes ({type(error).__name__}: {said})") from error
