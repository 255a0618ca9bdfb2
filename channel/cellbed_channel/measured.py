# SPDX-License-Identifier: GPL-2.0-or-later
"""Measured channels: CSV files with a line for each measurement.

    t_ms,ue,direction,sinr_db,cqi
    0,ue1,ul,18.9,
    40,ue1,sl,,12

Columns in any order: `t_ms`, `ue` and `direction`, and at least one of `sinr_db` and `cqi`; a cell of these two may be
empty, not both. docs/channel-trace-format.md says what they mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from .cqi import HIGHEST, by_direction, cqi_of
from .error import FileError
from .link import DIRECTIONS, centi_db
from .table import Line, check_names, lines
from .trace import UNKNOWN_SINR, Series

NEEDED = ("t_ms", "ue", "direction")
VALUES = ("sinr_db", "cqi")
T_MAX_MS = 86_400_000.0
SINR_DB = (-100.0, 200.0)

_Sample = tuple[float, int, int]  # t_ms, sinr_cdb, cqi


def _sample(line: Line, table: str) -> _Sample:
    t_ms = line.needed("t_ms", 0.0, T_MAX_MS)
    sinr_db, cqi = line.quantity("sinr_db", *SINR_DB), line.quantity("cqi", 0, HIGHEST)
    if cqi is not None and cqi != int(cqi):
        raise line.wrong("cqi", f"whole numbers 0..{HIGHEST}")
    if sinr_db is None and cqi is None:
        raise FileError(line.path, "columns 'sinr_db' and 'cqi': both empty: allowed one of them", line.number)
    sinr_cdb = UNKNOWN_SINR if sinr_db is None else int(centi_db(np.array(sinr_db)))
    return t_ms, sinr_cdb, int(cqi_of(np.array(sinr_cdb), table)) if cqi is None else int(cqi)


def _check_columns(path: Path, columns: Sequence[str]) -> None:
    check_names(path, columns, NEEDED + VALUES, NEEDED)
    if not set(VALUES) & set(columns):
        raise FileError(path, "columns 'sinr_db' and 'cqi': missing: allowed one of them, or both", 1)


def read_csv(path: Path, ues: Sequence[str], tables: Mapping[str, str] | None = None) \
        -> dict[tuple[int, str], list[_Sample]]:
    """Measurements of each direction, in order of time.

    Args:
        ues: names of the UEs, in order of their numbers from 1.
        tables: mapping of each direction for measurements without a CQI; that of LTE where none is given.

    Returns:
        (UE number, direction) -> (t_ms, sinr_cdb, cqi) of each measurement.

    Raises:
        FileError: with file, line, column, value and what is allowed.
    """
    tables = tables or by_direction("kawser")
    directions: dict[tuple[int, str], list[_Sample]] = {}
    for line in lines(path, lambda columns: _check_columns(path, columns)):
        key = (list(ues).index(line.choice("ue", ues)) + 1, line.choice("direction", DIRECTIONS))
        sample = _sample(line, tables[key[1]])
        samples = directions.setdefault(key, [])
        if samples and sample[0] < samples[-1][0]:
            raise line.wrong("t_ms", f"at least {samples[-1][0]:g}, as times of a direction do not go back")
        samples.append(sample)
    if not directions:
        raise FileError(path, "no measurements: allowed one line or more below the names of the columns")
    return directions


def sampled(directions: Mapping[tuple[int, str], Sequence[_Sample]], t_ms: np.ndarray) -> list[Series]:
    """Each direction at the given times: the last measurement at or before, and the first one before that."""
    series = []
    for (ue, direction), samples in sorted(directions.items(),
                                           key=lambda item: (item[0][0], DIRECTIONS.index(item[0][1]))):
        times = np.array([sample[0] for sample in samples])
        at = np.maximum(np.searchsorted(times, t_ms, side="right") - 1, 0)
        series.append(Series(ue, direction, np.array([s[1] for s in samples], dtype=np.int64)[at],
                             np.array([s[2] for s in samples], dtype=np.uint8)[at]))
    return series
