# SPDX-License-Identifier: GPL-2.0-or-later
"""How often the interval of a claim holds the truth: 95 %, for every form of claim that the claims files have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from synthetic_claim import claim, of, row

from cellbed_analysis.claims.judge import evaluate_one
from cellbed_analysis.claims.measure import measure, spread

DRAWS = 2000
SEEDS = 12
RUNS = 200  # of events, as the handovers of Pacifico have them

Rows = list[dict[str, Any]]
OTHER_METRIC = {"metric": "rtt_p99_ms", "where": {"combination": "DM-DM"}}
TIMEOUT = {"metric": "ho_timeout", "where": {"combination": "DM-DM"}}
HALVING = {"metric": "ho_halving", "where": {"combination": "DM-DM"}}


def arms(random: np.random.Generator, *means: float) -> Rows:
    """An arm for each mean; what a seed did to its radio is in all of them."""
    combinations = ("DM-DM", "IM-IM", "DM-IM", "IM-DM")
    common = random.normal(0, 2, SEEDS)
    return [row(mean + common[seed] + noise, combination=combination, seed=seed)
            for combination, mean in zip(combinations, means, strict=False)
            for seed, noise in enumerate(random.normal(0, 1, SEEDS))]  # fmt: skip


def two_metrics(random: np.random.Generator) -> Rows:
    """Both of each run, which depend on each other."""
    first = random.normal(30, 3, SEEDS)
    second = first + random.normal(5, 1, SEEDS)
    return [row(a, seed=seed, rtt_p99_ms=b) for seed, (a, b) in enumerate(zip(first, second, strict=True))]


def exclusive(random: np.random.Generator) -> Rows:
    """A run has the one first, or the other, or none of them."""
    drawn = random.choice(3, RUNS, p=[0.55, 0.25, 0.2])
    return [row(30, seed=seed, ho_timeout=int(kind == 0), ho_halving=int(kind == 1))
            for seed, kind in enumerate(drawn)]  # fmt: skip


def events(random: np.random.Generator) -> Rows:
    return [row(30, combination=combination, seed=seed, ho_timeout=int(happened))
            for combination, share in (("DM-DM", 0.4), ("IM-IM", 0.25))
            for seed, happened in enumerate(random.random(RUNS) < share)]  # fmt: skip


@pytest.mark.parametrize(("form", "draw", "truth"), [
    (claim(), lambda random: arms(random, 30), 30.0),
    (claim(minus=of("IM-IM")), lambda random: arms(random, 30, 20), 10.0),
    (claim(minus=OTHER_METRIC), two_metrics, -5.0),
    (claim(minus=of("IM-IM"), than={"measure": of("DM-IM"), "minus": of("IM-DM")}),
     lambda random: arms(random, 30, 20, 18, 15), 7.0),
    (claim(ratio=of("IM-IM")), lambda random: [one | {"rtt_mean_ms": np.exp(one["rtt_mean_ms"] / 100)}
                                               for one in arms(random, 30, 20)], None),
    (claim(measure=TIMEOUT), events, 0.4),
    (claim(measure=TIMEOUT, minus=TIMEOUT | {"where": {"combination": "IM-IM"}}), events, 0.15),
    (claim(measure=TIMEOUT, minus=HALVING), exclusive, 0.3),
], ids=["mean", "two arms", "two metrics", "than", "ratio", "event", "event of two arms", "events of one run"])
def test_interval_holds_the_truth(form: dict[str, Any], draw: Callable[[np.random.Generator], Rows],
                                  truth: float | None) -> None:
    random = np.random.default_rng(7)
    if truth is None:  # of exp((10 + a - b) / 100), with a and b of variance 1
        truth = float(np.exp(0.1 + (2 / 100**2) / 2))
    found = [measure(form, draw(random)) for _ in range(DRAWS)]
    held = sum(one is not None and one.low is not None and one.high is not None and one.low <= truth <= one.high
               for one in found)  # fmt: skip
    assert held / DRAWS == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize("other", [None, of("IM-IM")], ids=["mean", "two arms"])
def test_the_papers_number_lies_within_the_spread_of_both_experiments(other: dict[str, Any] | None) -> None:
    """The interval of a spread has the chance of the paper's ten runs in it, whose arms share no random numbers."""
    random, papers = np.random.default_rng(7), 10
    form = claim(tests="spread", expect={"value": 0, "rounding": 0, "runs": papers})
    form |= {"minus": other} if other else {}
    held = 0
    for _ in range(DRAWS):
        rows = arms(random, 30, 20)
        means = [random.normal(mean, 5**0.5, papers).mean() for mean in (30, 20)]
        measured = measure(form, rows)
        half = spread(form, rows, measured) if measured else None
        assert measured is not None and half is not None
        held += abs(measured.value - (means[0] - means[1] if other else means[0])) <= half
    assert held / DRAWS == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize(("truth", "wrong"), [(30.0, "differs"), (33.0, "reproduced"), (27.0, "reproduced"),
                                              (33.0, "differs")])  # fmt: skip
def test_a_verdict_is_seldom_wrong(truth: float, wrong: str) -> None:
    """At the edge of the tolerance each of both is wrong in one experiment of forty."""
    random = np.random.default_rng(7)
    form = claim(expect={"value": 30, "tolerance": 3})
    share = np.mean([evaluate_one(form, arms(random, truth)).verdict == wrong for _ in range(DRAWS)])
    assert share <= 0.025 + 0.01
    assert truth == 30 or share > 0.01  # it has a power to be wrong


def test_a_run_counts_once_however_many_arms_have_it() -> None:
    """Two metrics of the same runs: the interval is that of so many runs."""
    random = np.random.default_rng(1)
    rows = [one | {"bundle": f"b{one['seed']}"} for one in exclusive(random)]
    found = evaluate_one(claim(measure=TIMEOUT, minus=HALVING, tests="direction", unit="1",
                               expect={"above": 0, "effect": 0.02}), rows)  # fmt: skip
    assert found.measured is not None and found.measured.runs == RUNS
    assert len(found.runs) == len(set(found.runs)) == RUNS
