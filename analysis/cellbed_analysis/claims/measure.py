# SPDX-License-Identifier: GPL-2.0-or-later
"""What a claim measures: a metric of some runs, or how it differs from that of others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..metrics.over_runs import estimate, ratio, select
from ..stats.interval import Estimate, difference
from .explain import Row


def measure(claim: dict[str, Any], rows: Sequence[Row]) -> Estimate | None:
    """What a claim compares with the paper; None where the rows cannot give it."""
    chosen, metric = select(rows, claim["measure"]), claim["measure"]["metric"]
    if "ratio" in claim:
        return ratio(chosen, select(rows, claim["ratio"]), metric, claim["ratio"])
    first = estimate(chosen, metric)
    if "minus" not in claim or first is None:
        return first
    subtracted = estimate(select(rows, claim["minus"]), claim["minus"]["metric"])
    return None if subtracted is None else difference(first, subtracted)
