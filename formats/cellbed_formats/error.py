# SPDX-License-Identifier: GPL-2.0-or-later
"""The one error people see: what file, what is wrong, what was expected."""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Iterator
from pathlib import Path


class DataError(Exception):
    """Result data that cannot be read or does not mean what it should."""


class MemoryShort(DataError):
    """Data that may be good need more memory than there is."""


class UnusableError(DataError):
    """What a run has left is not what it should be: it is damaged, incomplete or foreign."""


class FileError(UnusableError):
    """A file that is truncated, foreign or inconsistent."""

    def __init__(self, path: os.PathLike[str] | str, problem: str) -> None:
        """Name the file and what is wrong with it."""
        super().__init__(f"{path}: {problem}")
        self.path = Path(path)
        self.problem = problem


def in_words(error: DataError | OSError) -> str:
    """File and what is wrong with it."""
    return f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else str(error)


@contextlib.contextmanager
def reading(path: os.PathLike[str] | str) -> Iterator[None]:
    """Whatever goes wrong in the block with data of @path is a FileError, but for a want of memory.

    Readers say what is wrong where they can. But a file may hold anything, such as a word in the place of a number deep
    in a list, and what is computed of it is not asked to expect that everywhere.
    """
    from jinja2 import TemplateError
    from polars.exceptions import PanicException, PolarsError

    try:
        yield
    except MemoryError as error:
        raise MemoryShort(f"{path}: there is too little memory for it; free some, or record less") from error
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, AssertionError,
            RecursionError, StopIteration, struct.error, PolarsError, PanicException, TemplateError) as error:
        said = " ".join(str(error).split())[:200]
        raise FileError(path, f"holds what no run writes ({type(error).__name__}: {said})") from error
