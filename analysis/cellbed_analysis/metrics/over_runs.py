# SPDX-License-Identifier: GPL-2.0-or-later
"""A metric over runs: which rows count, their mean over seeds, ratios of runs of one seed, series over a parameter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..stats.interval import Estimate, over_seeds, proportion
from .catalog import METRICS

Row = dict[str, Any]


def select(rows: Sequence[Row], selector: dict[str, Any]) -> list[Row]:
    """Rows that match `where`: of a list any value does, and `largest` means the largest among them."""
    where = selector.get("where") or {}
    chosen = [row for row in rows if all(_matches(row.get(key), value) for key, value in where.items())]
    for key in (key for key, value in where.items() if value == "largest"):
        known = [row[key] for row in chosen if row.get(key) is not None]
        chosen = [row for row in chosen if known and row.get(key) == max(known)]
    return chosen


def _matches(value: Any, wanted: Any) -> bool:
    return bool(wanted == "largest" or (value in wanted if isinstance(wanted, list) else value == wanted))


def ratios(rows: Sequence[Row], other: Sequence[Row], metric: str, selector: dict[str, Any]) -> dict[Any, float]:
    """A metric over another run's, of pairs that have the seed and the columns of `by` in common.

    Runs of one seed met the same radio, so their ratio varies less than they do.

    Returns:
        Of each seed the mean over its pairs.
    """
    keys = ("seed", *selector.get("by", ()))
    base = {tuple(row.get(key) for key in keys): row.get(selector["metric"]) for row in other}
    by_seed: dict[Any, list[float]] = {}
    for row in rows:
        divisor = base.get(tuple(row.get(key) for key in keys))
        if divisor and row.get(metric) is not None:
            by_seed.setdefault(row["seed"], []).append(row[metric] / divisor)
    return {seed: sum(group) / len(group) for seed, group in by_seed.items()}


def seed_means(rows: Sequence[Row], metric: str) -> dict[Any, float]:
    """Of each seed the mean over its runs that have the metric."""
    by_seed: dict[Any, list[float]] = {}
    for row in rows:
        if row.get(metric) is not None and math.isfinite(row[metric]):
            by_seed.setdefault(row["seed"], []).append(row[metric])
    return {seed: sum(group) / len(group) for seed, group in by_seed.items()}


def is_event(metric: str) -> bool:
    """Whether a metric says of a run that something happened or not."""
    return metric in METRICS and METRICS[metric].event


def estimate(rows: Sequence[Row], metric: str) -> Estimate | None:
    """A metric over runs: Student's t over seeds, or a row's own interval, made of one run or (`runs`) of several.

    Runs of one seed that differ otherwise (a selector that spans
    combinations) are averaged per seed first. What happens in a run or does not is counted
    over all runs instead (Wilson).
    """
    if is_event(metric):
        counted = [row[metric] for row in rows if row.get(metric) is not None]
        return proportion(counted) if counted else None
    means = list(seed_means(rows, metric).values())
    if not means:
        return None
    if len(means) > 1:
        return over_seeds(means)
    group = [row for row in rows if row.get(metric) is not None and math.isfinite(row[metric])]
    low, high = group[0].get(f"{metric}_low"), group[0].get(f"{metric}_high")
    if len(group) > 1 or low is None or high is None:
        return Estimate(means[0])
    method = group[0].get("interval", "block bootstrap within one run")
    return Estimate(means[0], low, high, method, group[0].get("runs", 1))


def series_over(rows: Sequence[Row], metric: str, parameter: str) -> list[tuple[float, Estimate]]:
    """A metric against a parameter, in rising order of the parameter."""
    points = []
    for x in sorted({row[parameter] for row in rows if row.get(parameter) is not None}):
        at_x = estimate([row for row in rows if row.get(parameter) == x], metric)
        if at_x is not None:
            points.append((float(x), at_x))
    return points
