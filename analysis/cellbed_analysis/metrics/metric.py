# SPDX-License-Identifier: GPL-2.0-or-later
"""What a column of metrics.parquet is. Those that one module computes are described in it; `catalog` has them all."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """A column; `interval` says that `<name>_low` and `<name>_high` exist beside it, `event` that a run has 0 or 1."""

    name: str
    unit: str
    meaning: str
    interval: bool = False
    event: bool = False
