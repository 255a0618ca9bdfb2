# SPDX-License-Identifier: GPL-2.0-or-later
"""Plain numbers out of Polars columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl


def mean(column: pl.Series) -> float | None:
    """Arithmetic mean of the values that are there; None without any."""
    values = _there(column)
    return float(np.mean(values)) if len(values) else None


def median(column: pl.Series) -> float | None:
    """Median of the values that are there; None without any."""
    values = _there(column)
    return float(np.median(values)) if len(values) else None


def _there(column: pl.Series) -> np.ndarray:
    return (column.drop_nulls() if column.null_count() else column).to_numpy()


def scaled(value: float | None, divisor: float) -> float | None:
    """value / divisor, None for None."""
    return None if value is None else value / divisor


def facts(rows: Sequence[Mapping[str, Any]], wordings: Iterable[tuple[str, str]]) -> str:
    """What rows have on average, in words; columns that none has are left out.

    Args:
        wordings: pairs of column and text with one replacement field.
    """
    found = [(mean_of(rows, name), text) for name, text in wordings]
    return ", ".join(text.format(value) for value, text in found if value is not None)


def mean_of(rows: Sequence[Mapping[str, Any]], name: str) -> float | None:
    """Mean of a column over the rows that have it; None without any."""
    values = [row[name] for row in rows if row.get(name) is not None]
    return sum(values) / len(values) if values else None
