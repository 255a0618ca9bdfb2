# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistics of drawn numbers: intervals, tests, distances, judgements. As in test_golden_metrics, what changed."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import numpy as np
from golden import compare

from cellbed_analysis.claims import claim
from cellbed_analysis.claims.expect import judge_trend, judge_value
from cellbed_analysis.claims.power import power
from cellbed_analysis.stats import interval
from cellbed_analysis.stats.blocks import block_length
from cellbed_analysis.stats.distance import ks_distance
from cellbed_analysis.stats.interval import Estimate
from cellbed_analysis.stats.significance import holm, paired_p

EXPECTATIONS: tuple[dict[str, Any], ...] = (
    {"value": 10, "rounding": 0.5}, {"value": 10, "tolerance": 2}, {"low": 8, "high": 12}, {"above": 9},
    {"above": 9, "effect": 2}, {"below": 11}, {"below": 11, "effect": 1})  # fmt: skip
TRENDS: tuple[dict[str, Any], ...] = tuple(
    {"trend": trend} | effect for trend in claim.TRENDS for effect in ({"effect": 0.5}, {"effect": 2}))


def numbers(draw: random.Random, n: int) -> list[float]:
    return [round(draw.gauss(10, 3), 2) for _ in range(n)]


def estimate(draw: random.Random) -> Estimate:
    value, half = round(draw.uniform(6, 14), 2), draw.choice((0, 0.2, 1, 5))
    alone = draw.random() < 0.1
    return Estimate(value) if alone else Estimate(value, value - half, value + half, runs=draw.randint(1, 9))


def as_json(found: Any) -> Any:
    """Of an estimate or judgement its fields."""
    return dataclasses.asdict(found) if dataclasses.is_dataclass(found) and not isinstance(found, type) else found


def series(draw: random.Random, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Times over so many seconds, and values that remember those before."""
    t_ns, value, values = np.sort(np.array([draw.randrange(n * 10**9) for _ in range(20 * n)])), 0.0, []
    for _ in t_ns:
        value = 0.9 * value + draw.gauss(1, 1)
        values.append(value)
    return t_ns, np.array(values)


def test_intervals(golden_update: bool) -> None:
    draw, found = random.Random(1), {}
    found["t95"] = [interval.t95(n) for n in (*range(1, 40), 100, 1000)]
    found["t_central"] = [interval.t_central(t, n) for t in (0.1, 1.0, 2.5, 12.0) for n in (1, 2, 3, 8, 50)]
    found["share"] = [as_json(interval.share_of(k, n)) for n in range(1, 8) for k in range(n + 1)]
    found["seeds"] = [as_json(interval.over_seeds(numbers(draw, n))) for n in range(1, 9)]
    found["proportion"] = [as_json(interval.proportion([draw.randint(0, 1) for _ in range(n)])) for n in range(1, 9)]
    found["pairs"] = [as_json(interval.paired_shares([(draw.random() < p, draw.random() < q) for _ in range(n)]))
                      for n in (1, 2, 3, 5, 20) for p in (0.0, 0.5, 1.0) for q in (0.0, 0.4, 1.0)]  # fmt: skip
    found["exclusive pairs"] = [as_json(interval.paired_shares([(one, 1 - one) for one in (0, 1, 1, 0, 1)[:n]]))
                                for n in range(1, 6)]  # fmt: skip
    found["difference"] = [as_json(interval.difference(estimate(draw), estimate(draw))) for _ in range(20)]
    for n in (1, 3, 8, 25):
        t_ns, values = series(draw, n)
        found[f"mean within {n} s"] = as_json(interval.mean_within_run(t_ns, values))
        found[f"deviation within {n} s"] = as_json(interval.std_within_run(t_ns, values))
        found[f"block length of {n} s"] = block_length(values)
    compare("intervals", found, golden_update)


def test_tests(golden_update: bool) -> None:
    draw = random.Random(2)
    found = {
        "paired": [paired_p(np.array(numbers(draw, n)) - 10) for n in range(1, 10)],
        "holm": [holm([draw.choice((None, round(draw.random() ** 3, 4))) for _ in range(n)]) for n in range(6)],
        "ks": [ks_distance(np.array(numbers(draw, n)), np.array(numbers(draw, m)))
               for n in (1, 5, 9) for m in (1, 4, 9)],
    }
    compare("tests", found, golden_update)


def test_judgements(golden_update: bool) -> None:
    draw, found = random.Random(3), {}
    for expect in EXPECTATIONS:
        for case in range(12):
            measured, chance = estimate(draw), draw.choice((None, 0.5, 3.0))
            judged = judge_value(expect, measured, chance)
            found[f"{expect} {case}"] = [as_json(judged), power(expect, judged.compared)]
    for expect in TRENDS:
        for case in range(12):
            judged = judge_trend(expect, [estimate(draw) for _ in range(draw.randint(3, 6))])
            found[f"{expect} {case}"] = [as_json(judged), power(expect, judged.compared)]
    compare("judgements", found, golden_update)
