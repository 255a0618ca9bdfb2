# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows as numpy columns: a capture has thousands of flows, most of a few packets, of which a frame each would cost more
than all that is computed of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

#: What stands for nothing in a column of times.
NONE = -1


@dataclass(frozen=True)
class Columns:
    """Columns of one length by name."""

    of: Mapping[str, np.ndarray]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.of[name]

    def __len__(self) -> int:
        return len(next(iter(self.of.values())))

    def where(self, rows: np.ndarray | slice) -> Columns:
        """Some rows: a mask, places or a slice."""
        if isinstance(rows, np.ndarray) and rows.dtype == bool:  # found once, not for each column
            rows = np.flatnonzero(rows)
        return Columns({name: column[rows] for name, column in self.of.items()})

    def plus(self, **more: np.ndarray) -> Columns:
        """With more columns, or others in their place."""
        return Columns({**self.of, **more})

    def frame(self, names: tuple[str, ...], empty: tuple[str, ...]) -> pl.DataFrame:
        """Some of them as a frame; @empty: those in which NONE is null."""
        columns = []
        for name in names:
            series = pl.Series(name, self.of[name])
            columns.append(series.set(pl.Series(self.of[name] == NONE), None) if name in empty else series)
        return pl.DataFrame(columns)


def of_frame(frame: pl.DataFrame) -> Columns:
    """Numeric and boolean columns of a frame without nulls."""
    return Columns({name: frame[name].to_numpy() for name in frame.columns})
