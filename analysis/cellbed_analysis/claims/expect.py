# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a measured value, or a series of them, is what a claim expects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..stats.interval import Estimate, difference


def meets(expect: dict[str, Any], measured: Estimate) -> bool:
    """Whether a measured value is what the paper expects.

    Values and ranges look at the estimate itself. `above` and `below` are
    statements of direction: the whole confidence interval must agree.
    """
    value = measured.value
    if "value" in expect:
        return abs(value - float(expect["value"])) <= float(expect["tolerance"])
    if "low" in expect:
        return float(expect["low"]) <= value <= float(expect["high"])
    if "above" in expect:
        return (value if measured.low is None else measured.low) > float(expect["above"])
    return (value if measured.high is None else measured.high) < float(expect["below"])


def trend(expect: dict[str, Any], points: Sequence[Estimate]) -> tuple[bool, Estimate]:
    """Whether a series has a trend, and the change that shows it.

    - rises: the last is above the first, and no later point lies below an earlier one;
      measured: last - first.
    - rises-first: some point is above the first; measured: peak - first.
    - falls: the last is below the first, and no later point lies above an earlier one;
      measured: last - first.
    - falls-somewhere: some later point is below an earlier one; measured: the largest fall, 0 without any.

    Differences up to the tolerance do not count, nor do those whose confidence
    interval holds zero.
    """
    tolerance = expect["tolerance"]
    pairs = [(before, after) for i, before in enumerate(points) for after in points[i + 1 :]]

    def exceeds(a: Estimate, b: Estimate) -> bool:
        gap = difference(a, b)
        return gap.value > tolerance and (gap.low is None or gap.low > 0)

    if expect["trend"] == "rises-first":
        peak = max(points, key=lambda point: point.value)
        return exceeds(peak, points[0]), difference(peak, points[0])
    if expect["trend"] == "falls-somewhere":
        high, low = max(pairs, key=lambda pair: pair[0].value - pair[1].value)
        return exceeds(high, low), difference(low, high) if high.value > low.value else Estimate(0.0)
    change = difference(points[-1], points[0])
    if expect["trend"] == "falls":
        return exceeds(points[0], points[-1]) and not any(exceeds(after, before) for before, after in pairs), change
    return exceeds(points[-1], points[0]) and not any(exceeds(before, after) for before, after in pairs), change
