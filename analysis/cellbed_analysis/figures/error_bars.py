# SPDX-License-Identifier: GPL-2.0-or-later
"""Confidence intervals as Matplotlib wants them."""

from __future__ import annotations

from collections.abc import Sequence

from ..stats.interval import Estimate


def errors(values: Sequence[Estimate]) -> list[list[float]]:
    """Lengths of the intervals below and above each value, 0 where there is none."""
    return [
        [0.0 if v.low is None else v.value - v.low for v in values],
        [0.0 if v.high is None else v.high - v.value for v in values],
    ]
