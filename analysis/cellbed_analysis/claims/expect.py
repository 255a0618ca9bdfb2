# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a measured value, or a series of them, is what a claim expects, and how far it is from that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..stats.interval import Estimate, difference

Points = Sequence[Estimate]


@dataclass(frozen=True)
class Judgement:
    """What was measured beside what was expected.

    Attributes:
        holds: whether it is as expected.
        measured: the value; of a trend the change that shows it.
        distance: measured minus expected, in the claim's unit.
        multiple: the same in multiples of `of`; None where that is nothing.
        of: "tolerance" of a value, and half the width of a range; of bounds, orders and trends the least "effect" or
            half the "interval", whichever is more.
        tolerance: distance that a value may have; None of the others.

    Source: docs/claims.md
    """

    holds: bool
    measured: Estimate
    distance: float
    multiple: float | None
    of: str
    tolerance: float | None = None


def judge_value(expect: dict[str, Any], measured: Estimate, spread: float = 0.0) -> Judgement:
    """A measured value against what the paper expects.

    Values and ranges look at the estimate itself. Of bounds and orders the whole confidence interval has to lie
    beyond the bound, and of an order the estimate by the least effect or more.

    Args:
        expect: not that of a trend.
        measured: with its interval.
        spread: the part of chance, added to the rounding of a value that claims a spread.
    """
    if "value" in expect:
        tolerance = float(expect["tolerance"]) if "tolerance" in expect else float(expect["rounding"]) + spread
        distance = measured.value - float(expect["value"])
        holds = abs(distance) <= tolerance
        return Judgement(holds, measured, distance, _over(distance, tolerance), "tolerance", tolerance)
    if "low" in expect:
        low, high = float(expect["low"]), float(expect["high"])
        outside = measured.value - min(max(measured.value, low), high)
        return Judgement(outside == 0, measured, outside, _over(outside, (high - low) / 2), "tolerance")
    sign = 1 if "above" in expect else -1
    bound, effect = float(expect["above" if sign > 0 else "below"]), float(expect.get("effect", 0.0))
    end = measured.low if sign > 0 else measured.high
    nearest = measured.value if end is None else end
    beyond = sign * (measured.value - bound) >= effect and sign * (nearest - bound) > 0
    return _order(beyond, measured, measured.value - bound - sign * effect, effect)


def judge_trend(expect: dict[str, Any], points: Points) -> Judgement:
    """Whether a series has a trend.

    - rises: the last point is above the first, and no later point lies below an earlier one; measured: last - first.
    - falls: the same the other way round.
    - rises-first: the first point that is away from the first one lies above it; measured: highest - first, or, where
      it lies below, that step.
    - rises-then-falls: as `rises-first`, and behind a point above the first one lies a lower one; measured: the largest
      such fall, 0 without any.

    Changes below the least effect do not count, nor do those whose confidence interval holds zero. The distance is that
    of the change from the least effect; of a series that turns back, the largest step back.
    """
    effect, kind = float(expect["effect"]), expect["trend"]
    if kind in ("rises", "falls"):
        return _one_way(points, effect, 1 if kind == "rises" else -1)
    from_first = [difference(point, points[0]) for point in points[1:]]
    step = next((change for change in from_first if _counts(change, effect)), None)
    rises = step is not None and step.value > 0
    if kind == "rises-first":
        change = max(from_first, key=lambda found: found.value) if rises or step is None else step
        return _order(rises, change, change.value - effect, effect)
    risen = [at for at, change in enumerate(from_first, 1) if change.value > 0 and _counts(change, effect)]
    later = [difference(after, points[at]) for at in risen for after in points[at + 1 :]] if rises else []
    fall = min([Estimate(0.0), *later], key=lambda found: found.value)
    return _order(fall.value < 0 and _counts(fall, effect), fall, fall.value + effect, effect)


def _one_way(points: Points, effect: float, sign: int) -> Judgement:
    """A series that goes up (sign 1) or down (-1) and never back."""
    change = difference(points[-1], points[0])
    steps = [difference(after, before) for i, before in enumerate(points) for after in points[i + 1 :]]
    back = min(steps, key=lambda step: sign * step.value)
    if sign * back.value < 0 and _counts(back, effect):
        return replace(_order(False, back, back.value, effect), measured=change)
    return _order(sign * change.value > 0 and _counts(change, effect), change, change.value - sign * effect, effect)


def _counts(change: Estimate, effect: float) -> bool:
    """As large as the least effect, and away from zero by its interval."""
    low, high = (change.value if end is None else end for end in (change.low, change.high))
    return abs(change.value) >= effect and not low <= 0 <= high


def _order(holds: bool, measured: Estimate, distance: float, effect: float) -> Judgement:
    """In multiples of the least effect or of half the interval, whichever is more."""
    half = measured.half_width or 0.0
    of = "effect" if effect >= half else "interval"
    return Judgement(holds, measured, distance, _over(distance, max(effect, half)), of)


def _over(distance: float, unit: float) -> float | None:
    """A distance in multiples of a unit; None of a unit that is nothing."""
    return distance / unit if unit > 0 and math.isfinite(distance) else None
