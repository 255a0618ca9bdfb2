# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a measured value, or a series of them, is what a claim expects, and how far it is from that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..stats.interval import Estimate, difference

Points = Sequence[Estimate]
#: What runs decide, and that they do not.
REPRODUCED, DIFFERS, UNDECIDED = "reproduced", "differs", "undecided"


@dataclass(frozen=True)
class Judgement:
    """What was measured beside what was expected.

    Attributes:
        verdict: "reproduced", "differs", or "undecided" where the interval allows both.
        measured: the value; of a trend the change that shows it.
        distance: measured minus expected, in the claim's unit.
        multiple: the same in multiples of `of`; None where that is nothing.
        of: what the paper allows ("tolerance"; half the width of a range; the least "effect" of a direction), or half
            the "interval", whichever is more.
        compared: the measured value with the interval that decided: its own, or with the chance in the paper's number.
        within: of a value the smallest tolerance with which these runs would reproduce it; None of the others.

    Source: docs/claims.md
    """

    verdict: str
    measured: Estimate
    distance: float
    multiple: float | None
    of: str
    compared: Estimate
    within: float | None = None

    @property
    def holds(self) -> bool:
        """Whether it is as expected."""
        return self.verdict == REPRODUCED


def tolerance(expect: dict[str, Any]) -> float:
    """What the paper does not specify of a value, by its digits or words."""
    return float(expect["tolerance"] if "tolerance" in expect else expect["rounding"])


def judge_value(expect: dict[str, Any], measured: Estimate, chance: float | None = None) -> Judgement:
    """A measured value against what the paper expects, by an equivalence test.

    A value is reproduced where the whole interval lies within the tolerance or range, and differs where it lies
    outside. A bound needs the whole interval beyond it, and a direction the estimate beyond it by the least effect as
    well; it differs where the interval excludes that effect. What has no interval is judged as it is.

    Args:
        expect: not that of a trend.
        measured: with its interval.
        chance: half of the interval that decides, where that of the measured value is not all: the paper's number has
            chance in it too.

    Source: Schuirmann
    """
    value = measured.value
    compared = measured if chance is None else replace(measured, low=value - chance, high=value + chance)
    if "above" in expect or "below" in expect:
        return _bound(expect, compared, measured)
    low, high = _ends(compared)
    if "value" in expect:
        paper, accepted = float(expect["value"]), tolerance(expect)
        distance, near, far = value - paper, max(low - paper, paper - high, 0.0), max(high - paper, paper - low)
    else:
        least, most = float(expect["low"]), float(expect["high"])
        distance, near, accepted = value - min(max(value, least), most), max(low - most, least - high, 0.0), 0.0
        far = max(high - most, least - low)
    verdict = REPRODUCED if far <= accepted else DIFFERS if near > accepted else UNDECIDED
    found = _order(verdict, compared, distance, accepted if "value" in expect else (most - least) / 2, "tolerance")
    return replace(found, measured=measured, within=far if "value" in expect else None)


def _bound(expect: dict[str, Any], compared: Estimate, measured: Estimate) -> Judgement:
    """A bound, and a direction, which is a bound with a least effect."""
    sign = 1 if "above" in expect else -1
    bound, effect = float(expect["above" if sign > 0 else "below"]), float(expect.get("effect", 0.0))
    near, far = sorted(sign * (end - bound) for end in _ends(compared))
    verdict = REPRODUCED if sign * (measured.value - bound) >= effect and near > 0 else UNDECIDED
    if verdict == UNDECIDED and (far < effect or far <= 0):
        verdict = DIFFERS
    found = _order(verdict, compared, measured.value - bound - sign * effect, effect)
    return replace(found, measured=measured)


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
    flat = all(_ends(change)[1] < effect for change in from_first)
    rise = REPRODUCED if rises else DIFFERS if flat or step is not None else UNDECIDED
    if kind == "rises-first":
        change = max(from_first, key=lambda found: found.value) if rises or step is None else step
        return _order(rise, change, change.value - effect, effect)
    risen = [at for at, change in enumerate(from_first, 1) if change.value > 0 and _counts(change, effect)]
    later = [difference(after, points[at]) for at in risen for after in points[at + 1 :]] if rises else []
    fall = min([Estimate(0.0), *later], key=lambda found: found.value)
    if rises and not (fall.value < 0 and _counts(fall, effect)):
        rise = DIFFERS if all(_ends(change)[0] > -effect for change in later) else UNDECIDED
    return _order(rise, fall, fall.value + effect, effect)


def _one_way(points: Points, effect: float, sign: int) -> Judgement:
    """A series that goes up (sign 1) or down (-1) and never back."""
    change = difference(points[-1], points[0])
    steps = [difference(after, before) for i, before in enumerate(points) for after in points[i + 1 :]]
    back = min(steps, key=lambda step: sign * step.value)
    if sign * back.value < 0 and _counts(back, effect):
        return replace(_order(DIFFERS, back, back.value, effect), measured=change)
    most = max(sign * end for end in _ends(change))
    holds = sign * change.value > 0 and _counts(change, effect)
    verdict = REPRODUCED if holds else DIFFERS if most < effect else UNDECIDED
    return _order(verdict, change, change.value - sign * effect, effect)


def _ends(estimate: Estimate) -> tuple[float, float]:
    """Both ends of an interval; the value itself, twice, where there is none."""
    low, high = (estimate.value if end is None else end for end in (estimate.low, estimate.high))
    return low, high


def _counts(change: Estimate, effect: float) -> bool:
    """As large as the least effect, and away from zero by its interval."""
    low, high = _ends(change)
    return abs(change.value) >= effect and not low <= 0 <= high


def _order(verdict: str, compared: Estimate, distance: float, least: float, of: str = "effect") -> Judgement:
    """In multiples of what the paper does not specify or of half the interval, whichever is more."""
    half = compared.half_width or 0.0
    multiple = _over(distance, max(least, half))
    return Judgement(verdict, compared, distance, multiple, of if least >= half else "interval", compared)


def _over(distance: float, unit: float) -> float | None:
    """A distance in multiples of a unit; None of a unit that is nothing."""
    return distance / unit if 0 < unit < math.inf and math.isfinite(distance) else None
