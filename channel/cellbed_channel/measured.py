# SPDX-License-Identifier: GPL-2.0-or-later
"""Measured channels: CSV files with a line for each measurement.

    t_ms,ue,leg,sinr_db,cqi
    0,ue1,ul,18.9,
    40,ue1,sl,,12

Columns in any order: `t_ms`, `ue` and `leg`, and at least one of `sinr_db` and `cqi`; a cell of these two may be
empty, not both. docs/channel-trace-format.md says what they mean.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from .cqi import HIGHEST, cqi_of
from .error import FileError
from .link import LEGS, centi_db
from .trace import UNKNOWN_SINR, Series

NEEDED = ("t_ms", "ue", "leg")
VALUES = ("sinr_db", "cqi")
T_MAX_MS = 86_400_000.0
SINR_DB = (-100.0, 200.0)

_Sample = tuple[float, int, int]  # t_ms, sinr_cdb, cqi


class _Line:
    """One line of the file, with its errors."""

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

    def choice(self, column: str, names: Sequence[str]) -> str:
        text = self.cells[column].strip()
        if text not in names:
            raise self.wrong(column, ", ".join(names))
        return text

    def sample(self, table: str) -> _Sample:
        t_ms = self.quantity("t_ms", 0.0, T_MAX_MS)
        if t_ms is None:
            raise self.wrong("t_ms", f"0..{T_MAX_MS:g}")
        sinr_db, cqi = self.quantity("sinr_db", *SINR_DB), self.quantity("cqi", 0, HIGHEST)
        if cqi is not None and cqi != int(cqi):
            raise self.wrong("cqi", f"whole numbers 0..{HIGHEST}")
        if sinr_db is None and cqi is None:
            raise FileError(self.path, "columns 'sinr_db' and 'cqi': both empty: allowed one of them", self.number)
        sinr_cdb = UNKNOWN_SINR if sinr_db is None else int(centi_db(np.array(sinr_db)))
        return t_ms, sinr_cdb, int(cqi_of(np.array(sinr_cdb), table)) if cqi is None else int(cqi)


def _lines(path: Path) -> list[_Line]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.reader(file, strict=True)
            columns = [name.strip() for name in next(reader, [])]
            _check_columns(path, columns)
            lines = []
            for cells in reader:
                if not cells:
                    continue
                if len(cells) != len(columns):
                    raise FileError(path, f"{len(cells)} cells: allowed {len(columns)}, as in line 1", reader.line_num)
                lines.append(_Line(path, reader.line_num, dict(zip(columns, cells, strict=True))))
            return lines
    except OSError as error:
        raise FileError(path, error.strerror or "unreadable") from error
    except (csv.Error, UnicodeDecodeError) as error:
        raise FileError(path, f"not CSV: {error}") from error


def _check_columns(path: Path, columns: Sequence[str]) -> None:
    for name in columns:
        if name not in NEEDED + VALUES:
            raise FileError(path, f"column '{name}': unknown: allowed {', '.join(NEEDED + VALUES)}", 1)
        if columns.count(name) > 1:
            raise FileError(path, f"column '{name}': given twice", 1)
    for name in NEEDED:
        if name not in columns:
            raise FileError(path, f"column '{name}': missing", 1)
    if not set(VALUES) & set(columns):
        raise FileError(path, "columns 'sinr_db' and 'cqi': missing: allowed one of them, or both", 1)


def read_csv(path: Path, ues: Sequence[str], table: str = "kawser") -> dict[tuple[int, str], list[_Sample]]:
    """Measurements of each leg, in order of time.

    Args:
        ues: names of the UEs, in order of their numbers from 1.
        table: mapping for measurements without a CQI.

    Returns:
        (UE number, leg) -> (t_ms, sinr_cdb, cqi) of each measurement.

    Raises:
        FileError: with file, line, column, value and what is allowed.
    """
    legs: dict[tuple[int, str], list[_Sample]] = {}
    for line in _lines(path):
        key = (list(ues).index(line.choice("ue", ues)) + 1, line.choice("leg", LEGS))
        sample = line.sample(table)
        samples = legs.setdefault(key, [])
        if samples and sample[0] < samples[-1][0]:
            raise line.wrong("t_ms", f"at least {samples[-1][0]:g}, as times of a leg do not go back")
        samples.append(sample)
    if not legs:
        raise FileError(path, "no measurements: allowed one line or more below the names of the columns")
    return legs


def sampled(legs: Mapping[tuple[int, str], Sequence[_Sample]], t_ms: np.ndarray) -> list[Series]:
    """Each leg at the given times: the last measurement at or before, and the first one before that."""
    series = []
    for (ue, leg), samples in sorted(legs.items(), key=lambda item: (item[0][0], LEGS.index(item[0][1]))):
        times = np.array([sample[0] for sample in samples])
        at = np.maximum(np.searchsorted(times, t_ms, side="right") - 1, 0)
        series.append(Series(ue, leg, np.array([s[1] for s in samples], dtype=np.int64)[at],
                             np.array([s[2] for s in samples], dtype=np.uint8)[at]))
    return series
