# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a modelled link is as near to recorded ones as these are to each other, statistic by statistic.

The distance of two samples is that of Kolmogorov and Smirnov. The bar is the 90th percentile of the distances between
two groups of recordings: two days, operators or walks. The model passes where its distance from the held-out
recordings, all together, is not larger.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from cellbed_formats.error import DataError

from ..stats.distance import ks_distance
from .recording import PART_S, Recording
from .statistic import STATISTICS, Statistic

#: Of the distances between groups, in percent.
BAR_PERCENTILE = 90


@dataclass(frozen=True)
class Row:
    """One statistic of the table.

    Attributes:
        field, model: p5, p50 and p95 of the samples; None: there are none.
        distance: of the model from the held-out recordings, 0..1.
        bar: None: fewer than two groups have the statistic.
        pairs: of groups that the bar comes from.
    """

    statistic: str
    field: tuple[float, float, float]
    model: tuple[float, float, float] | None
    distance: float
    bar: float | None
    pairs: int

    @property
    def passed(self) -> bool | None:
        """None: there is no bar."""
        return None if self.bar is None else self.distance <= self.bar


@dataclass(frozen=True)
class Curves:
    """Sorted samples of one statistic: of each group of held-out recordings, and of the model."""

    field: list[np.ndarray]
    model: np.ndarray


@dataclass(frozen=True)
class Acceptance:
    """The table of a link, and what it was made of, by statistic."""

    rows: list[Row]
    curves: dict[str, Curves]
    part_s: float  # length of the parts that recordings were cut into
    tests: int  # held-out parts

    def to_json(self) -> dict[str, Any]:
        """Names with units."""
        return {"part_s": self.part_s, "tests": self.tests,
                "rows": [asdict(row) | {"passed": row.passed} for row in self.rows]}


def part_s(recordings: Sequence[Recording]) -> float:
    """The length to cut recordings to: PART_S, or the usual one where they are shorter."""
    lengths = [len(one.rate) * one.step_s for one in recordings if len(one.rate)]
    return min(float(np.median(lengths)), PART_S) if lengths else PART_S


def judge(model: Sequence[Recording], held_out: Sequence[Recording], others: Sequence[Recording] = ()) -> Acceptance:
    """Compare a model with recordings.

    Args:
        model: runs of it, with a rate at steps of STEP_S.
        held_out: what it is compared with.
        others: recordings that only the bar knows, such as those that the model was fitted to.

    Raises:
        DataError: no statistic can be had of the recordings.
    """
    length_s = part_s([*held_out, *others])
    field, every, made = ([part for one in some for part in one.parts(length_s)]
                          for some in (held_out, [*held_out, *others], model))
    step_s = max((one.step_s for one in every if len(one.rate)), default=0.0)
    made = [_coarser(one, step_s) for one in made]
    rows = [row for statistic in STATISTICS if (row := _row(statistic, made, field, every)) is not None]
    if not rows:
        raise DataError("the recordings have no statistic that could be compared; they are too short, or empty")
    named = {row.statistic for row in rows}
    curves = {statistic.name: Curves(_by_group(statistic, field), _pooled(statistic, made))
              for statistic in STATISTICS if statistic.name in named}
    return Acceptance(rows, curves, length_s, len(field))


def _coarser(one: Recording, step_s: float) -> Recording:
    """With the steps of the field, as an outage is what a step shows."""
    if step_s <= one.step_s or not len(one.rate):
        return one
    steps = max(round(step_s / one.step_s), 1)
    return replace(one, step_s=steps * one.step_s, rate=one.over(steps * one.step_s))


def _pooled(statistic: Statistic, some: Sequence[Recording]) -> np.ndarray:
    fitting = [piece for one in some if _fits(statistic, one)
               for piece in (one.parts(statistic.piece_s) if statistic.piece_s else (one,))]
    return np.sort(np.concatenate([np.zeros(0), *(statistic.sample(one) for one in fitting)]))


def _fits(statistic: Statistic, one: Recording) -> bool:
    """Whether windows of the statistic are whole steps of the recording."""
    if statistic.finest_s == np.inf:
        return True
    steps = statistic.finest_s / one.step_s
    return steps >= 1 - 1e-9 and abs(steps - round(steps)) < 1e-6


def _by_group(statistic: Statistic, some: Sequence[Recording]) -> list[np.ndarray]:
    groups: dict[str, list[Recording]] = {}
    for one in some:
        groups.setdefault(one.group, []).append(one)
    return [sample for group in groups.values() if len(sample := _pooled(statistic, group))]


def bar_of(samples: Sequence[np.ndarray], distance: Callable[[np.ndarray, np.ndarray], float] = ks_distance) \
        -> tuple[float | None, int]:
    """The bar of sorted samples of groups, and how many pairs it comes from."""
    apart = [distance(a, b) for a, b in itertools.combinations(samples, 2)]
    return (float(np.percentile(apart, BAR_PERCENTILE)) if apart else None), len(apart)


def _row(statistic: Statistic, model: Sequence[Recording], field: Sequence[Recording],
         every: Sequence[Recording]) -> Row | None:
    """None: the field does not have it."""
    there, here = _pooled(statistic, field), _pooled(statistic, model)
    if not len(there):
        return None
    bar, pairs = bar_of(_by_group(statistic, every))
    return Row(statistic.name, _quantiles(there), _quantiles(here) if len(here) else None,
               ks_distance(here, there) if len(here) else 1.0, bar, pairs)


def _quantiles(sample: np.ndarray) -> tuple[float, float, float]:
    low, middle, high = np.percentile(sample, [5, 50, 95])
    return float(low), float(middle), float(high)
