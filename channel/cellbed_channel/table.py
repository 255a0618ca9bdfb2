# SPDX-License-Identifier: GPL-2.0-or-later
"""CSV files with named columns. Each mistake is one message with file, line, column and what is allowed."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from cellbed_formats import named_file
from cellbed_formats.renamed import current

from .error import FileError


class Line:
    """One line of a file, with its errors."""

    def __init__(self, path: Path, number: int, cells: Mapping[str, str]) -> None:
        self.path, self.number, self.cells = path, number, cells

    def wrong(self, column: str, allowed: str) -> FileError:
        value = self.cells.get(column, "")
        return FileError(self.path, f"column '{column}': value '{value}': allowed {allowed}", self.number)

    def quantity(self, column: str, low: float, high: float) -> float | None:
        """Value of a cell, None for an empty one."""
        text = self.cells.get(column, "").strip()
        if not text:
            return None
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise self.wrong(column, f"{low:g}..{high:g}")
        return value

    def needed(self, column: str, low: float, high: float) -> float:
        """Value of a cell that must have one."""
        value = self.quantity(column, low, high)
        if value is None:
            raise self.wrong(column, f"{low:g}..{high:g}")
        return value

    def choice(self, column: str, names: Sequence[str]) -> str:
        text = self.cells[column].strip()
        if text not in names:
            raise self.wrong(column, ", ".join(names))
        return text


def lines(path: Path, check_columns: Callable[[Sequence[str]], object]) -> list[Line]:
    """Lines below the names of the columns.

    Args:
        check_columns: raises FileError for columns that are wrong.

    Raises:
        FileError: unreadable, not CSV, or a line with another number of cells.
    """
    try:
        with named_file.open_named(path, named_file.TABLE_BYTES_MAX) as raw, \
                io.TextIOWrapper(raw, encoding="utf-8", newline="") as file:
            reader = csv.reader(file, strict=True)
            columns = [current("column", name.strip()) for name in next(reader, [])]
            check_columns(columns)
            found = []
            for cells in reader:
                if not cells:
                    continue
                if len(cells) != len(columns):
                    raise FileError(path, f"{len(cells)} cells: allowed {len(columns)}", reader.line_num)
                found.append(Line(path, reader.line_num, dict(zip(columns, cells, strict=True))))
            return found
    except OSError as error:
        raise FileError(path, error.strerror or "unreadable") from error
    except (csv.Error, UnicodeDecodeError) as error:
        raise FileError(path, f"not CSV: {error}") from error


def check_names(path: Path, columns: Sequence[str], known: Sequence[str], needed: Sequence[str] = ()) -> None:
    """Raises FileError for a column that is unknown, there twice, or missing."""
    for name in columns:
        if name not in known:
            raise FileError(path, f"column '{name}': unknown: allowed {', '.join(known)}", 1)
        if columns.count(name) > 1:
            raise FileError(path, f"column '{name}': given twice", 1)
    for name in needed:
        if name not in columns:
            raise FileError(path, f"column '{name}': missing", 1)
