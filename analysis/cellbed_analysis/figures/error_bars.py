# SPDX-License-Identifier: GPL-2.0-or-later
"""Confidence intervals as Matplotlib wants them."""

from __future__ import annotations

from collections.abc import Sequence

from ..stats.interval import Estimate


def errors(values: Sequence[Estimate]) -> list[list[float]]:
    """Lengths of the intervals below and above each value, 0 where there is none or only rounding is left."""
    return [
        [0.0 if v.low is None else max(v.value - v.low, 0.0) for v in values],
        [0.0 if v.high is None else max(v.high - v.value, 0.0) for v in values],
    ]
