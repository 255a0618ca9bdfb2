# SPDX-License-Identifier: GPL-2.0-or-later
"""What a claim measures: a metric of some runs, or how it differs from that of other runs, and the part of chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..metrics.over_runs import estimate, is_event, ratios, seed_means, select
from ..stats.interval import Estimate, difference, over_seeds, paired_shares
from .explain import Row

#: Fewer runs tell too little of their spread: Student's t of two is 12.7.
SPREAD_RUNS = 3


def measure(claim: dict[str, Any], rows: Sequence[Row]) -> Estimate | None:
    """What a claim compares with the paper; None where the rows cannot give it.

    All arms of a seed met the same radio, and two metrics of a run belong together. So each seed gives one value of
    the whole claim, and the interval is Student's t over these. Events are counted over runs. Only arms without two
    seeds in common, and single runs, count as independent.

    Args:
        rows: each run once.
    """
    if not is_event(claim["measure"]["metric"]):
        values = _of_seeds(claim, rows)
        if "than" in claim:
            others = _of_seeds(claim["than"], rows)
            values = {seed: value - others[seed] for seed, value in values.items() if seed in others}
        if len(values) > 1:
            return over_seeds(list(values.values()))
    own = _compared(claim, rows)
    if own is None or "than" not in claim:
        return own
    other = _compared(claim["than"], rows)
    return None if other is None else difference(own, other)


def _of_seeds(part: dict[str, Any], rows: Sequence[Row]) -> dict[Any, float]:
    """A selector's metric, and what a second one makes of it, of each seed that all arms have."""
    chosen, metric = select(rows, part["measure"]), part["measure"]["metric"]
    if "ratio" in part:
        return ratios(chosen, select(rows, part["ratio"]), metric, part["ratio"])
    values = seed_means(chosen, metric)
    if "minus" not in part:
        return values
    subtracted = seed_means(select(rows, part["minus"]), part["minus"]["metric"])
    return {seed: value - subtracted[seed] for seed, value in values.items() if seed in subtracted}


def _compared(part: dict[str, Any], rows: Sequence[Row]) -> Estimate | None:
    """The same of events, of single runs, and of arms that are independent."""
    chosen, metric = select(rows, part["measure"]), part["measure"]["metric"]
    if "ratio" in part:
        values = list(_of_seeds(part, rows).values())
        return over_seeds(values) if values else None
    first = estimate(chosen, metric)
    if "minus" not in part or first is None:
        return first
    others, other_metric = select(rows, part["minus"]), part["minus"]["metric"]
    if is_event(metric) and is_event(other_metric):
        others_too = {id(row) for row in others}
        pairs = [(row[metric], row[other_metric]) for row in chosen if id(row) in others_too
                 and row.get(metric) is not None and row.get(other_metric) is not None]  # fmt: skip
        if pairs:
            return paired_shares(pairs)
    subtracted = estimate(others, other_metric)
    return None if subtracted is None else difference(first, subtracted)


def spread(claim: dict[str, Any], rows: Sequence[Row], measured: Estimate) -> float | None:
    """Half the 95 % interval of how far the measured value is from the paper's, both without their chance.

    The paper has the mean of `runs` runs, of unknown spread; that of our n runs of the same kind stands for it. Half
    the interval of one arm is t s sqrt(1/n + 1/runs), the prediction interval for the mean of so many further runs. A
    formula has no runs, and only the measured mean is uncertain. Our arms are paired, and @measured has their interval;
    the paper's did not share random numbers, so their spreads add in quadrature.

    Returns:
        None with fewer than three runs of an arm.

    Source: Hahn and Meeker
    """
    arms = [estimate(select(rows, claim[key]), claim[key]["metric"]) for key in ("measure", "minus", "ratio")
            if key in claim]  # fmt: skip
    known = [arm for arm in arms if arm is not None and arm.half_width is not None]
    own, runs = measured.half_width, claim["expect"].get("runs")
    if len(known) < len(arms) or min(arm.runs for arm in known) < SPREAD_RUNS or own is None:
        return None
    if runs is None:
        return own
    halves = [(arm.half_width or 0.0) * math.sqrt(arm.runs / runs) for arm in known]
    if "ratio" in claim:
        over, under = known
        halves = [halves[0] / under.value, halves[1] * over.value / under.value**2]
    return math.hypot(own, *halves)
