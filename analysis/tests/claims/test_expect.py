# SPDX-License-Identifier: GPL-2.0-or-later
"""Every form of expectation, what chance adds to it, and how it is said."""

from __future__ import annotations

from typing import Any

import pytest
from synthetic_claim import claim, row

from cellbed_analysis.claims.claim import tolerance_text
from cellbed_analysis.claims.expect import judge_trend, judge_value
from cellbed_analysis.claims.judge import evaluate_one
from cellbed_analysis.claims.measure import spread
from cellbed_analysis.stats.interval import Estimate


@pytest.mark.parametrize(
    ("expect", "measured", "holds", "distance", "multiple"),
    [
        ({"value": 5, "tolerance": 0.5}, Estimate(5.5, 4, 7), True, 0.5, 1),
        ({"value": 5, "tolerance": 0.5}, Estimate(3.5), False, -1.5, -3),
        ({"value": 0, "tolerance": 0}, Estimate(0), True, 0, None),
        ({"low": 1, "high": 2}, Estimate(1), True, 0, 0),
        ({"low": 1, "high": 2}, Estimate(2.25), False, 0.25, 0.5),
        ({"low": 1, "high": 2}, Estimate(0.5), False, -0.5, -1),
        ({"above": 0}, Estimate(1, 0.1, 2), True, 1, 1 / 0.95),
        ({"above": 0}, Estimate(1, -0.1, 2), False, 1, 1 / 1.05),
        ({"above": 0}, Estimate(1), True, 1, None),
        ({"below": 1}, Estimate(0.9, 0.8, 1.0), False, -0.1, -1),
        ({"below": 1}, Estimate(0.9, 0.8, 0.99), True, -0.1, -0.1 / 0.095),
        ({"above": 0, "effect": 2}, Estimate(2, 1, 3), True, 0, 0),
        ({"above": 0, "effect": 2}, Estimate(1.5, 1, 2), False, -0.5, -0.25),
        ({"above": 0, "effect": 2}, Estimate(6, -1, 13), False, 4, 4 / 7),  # more than the effect, yet perhaps nothing
        ({"below": 1, "effect": 0.05}, Estimate(0.9), True, -0.05, -1),
        ({"below": 1, "effect": 0.05}, Estimate(0.96), False, 0.01, 0.2),
    ],
)
def test_expectations(
    expect: dict[str, Any], measured: Estimate, holds: bool, distance: float, multiple: float | None
) -> None:
    found = judge_value(expect, measured)
    assert found.holds is holds
    assert found.distance == pytest.approx(distance)
    assert found.multiple == (None if multiple is None else pytest.approx(multiple))


@pytest.mark.parametrize(
    ("kind", "points", "holds", "change", "distance"),
    [
        ("rises", [10, 12, 20], True, 10, 9),
        ("rises", [10, 30, 20], False, 10, -10),  # falls by the effect or more
        ("rises", [10, 20.5, 20], True, 10, 9),  # a step down that is less
        ("rises", [10, 10.5, 10.9], False, 0.9, -0.1),  # too little to be seen
        ("rises-first", [10, 30, 5], True, 20, 19),
        ("rises-first", [10, 9, 8], False, -1, -2),
        ("rises-first", [10, 5, 30], False, -5, -6),  # what comes later does not count
        ("rises-first", [10, 10.5, 9.5], False, 0.5, -0.5),
        ("falls", [20, 12, 10], True, -10, -9),
        ("falls", [20, 5, 10], False, -10, 5),  # rises by the effect or more
        ("falls", [20, 10, 10.5], True, -9.5, -8.5),  # a step up that is less
        ("falls", [10.9, 10.5, 10], False, -0.9, 0.1),  # too little to be seen
        ("rises-then-falls", [10, 30, 5], True, -25, -24),
        ("rises-then-falls", [10, 30, 20, 90], True, -10, -9),  # a saturated cell later changes nothing
        ("rises-then-falls", [10, 20, 15, 40, 28], True, -12, -11),  # the largest of two falls
        ("rises-then-falls", [35, 35, 31, 33], False, 0, 1),  # it never rose
        ("rises-then-falls", [10, 5, 20, 12], False, 0, 1),  # it fell first
        ("rises-then-falls", [10, 20, 30], False, 0, 1),
        ("rises-then-falls", [10, 20, 19.5], False, -0.5, 0.5),  # too little to be seen
    ],
)
def test_trends(kind: str, points: list[float], holds: bool, change: float, distance: float) -> None:
    found = judge_trend({"trend": kind, "effect": 1}, [Estimate(p) for p in points])
    assert found.holds is holds
    assert found.measured.value == pytest.approx(change)
    assert (found.distance, found.of, found.multiple) == (pytest.approx(distance), "effect", pytest.approx(distance))


def test_a_trend_needs_steps_beyond_their_intervals() -> None:
    wide = [Estimate(10, 0, 20), Estimate(15, 5, 25), Estimate(20, 10, 30)]
    found = judge_trend({"trend": "rises", "effect": 1}, wide)
    assert not found.holds and found.of == "interval"
    assert found.multiple == pytest.approx(9 / 200**0.5)  # 10 rise, 9 beyond the effect; intervals add in quadrature


def paper_runs(order: str, *values: float) -> list[dict[str, Any]]:
    return [row(value, seed=seed, combination=order) for seed, value in enumerate(values)]


def test_a_spread_is_that_of_an_experiment_of_the_papers_size() -> None:
    """The prediction interval for the mean of ten more runs: t s sqrt(1/n + 1/10)."""
    ten = claim(tests="spread", expect={"value": 30, "rounding": 0.5, "runs": 10})
    rows = paper_runs("DM-DM", 30.0, 31.0, 32.0)
    chance = 4.302652729911275 * 1 * (1 / 3 + 1 / 10) ** 0.5
    assert spread(ten, rows) == pytest.approx(chance)
    found = evaluate_one(ten, rows)
    assert found.verdict == "reproduced" and found.judgement is not None
    assert found.judgement.tolerance == pytest.approx(0.5 + chance)
    assert found.judgement.multiple == pytest.approx(1 / (0.5 + chance))
    far = evaluate_one(ten | {"expect": {"value": 27, "rounding": 0.5, "runs": 10}}, rows)
    assert far.verdict == "differs"
    formula = ten | {"expect": {"value": 30, "rounding": 0.5}}  # of which only what was measured spreads
    assert spread(formula, rows) == pytest.approx(4.302652729911275 / 3**0.5)


def test_spreads_of_two_arms_add_in_quadrature() -> None:
    other = {"metric": "rtt_mean_ms", "where": {"combination": "IM-IM"}}
    rows = paper_runs("DM-DM", 9.0, 10.0, 11.0) + paper_runs("IM-IM", 18.0, 20.0, 22.0)
    ten = claim(tests="spread", expect={"value": 0, "rounding": 0, "runs": 3})
    half = 4.302652729911275 / 3**0.5
    assert spread(ten | {"minus": other}, rows) == pytest.approx(half * 5**0.5 * 2**0.5)
    # A tenth of either arm, of a quotient of one half; the measured arms share seeds, the paper's did not.
    assert spread(ten | {"ratio": other}, rows) == pytest.approx(0.5 * half / 10 * 2**0.5 * 2**0.5)


def test_a_spread_needs_three_runs() -> None:
    ten = claim(tests="spread", expect={"value": 30, "rounding": 0.5, "runs": 10})
    found = evaluate_one(ten, paper_runs("DM-DM", 32.0, 33.0))
    assert (found.verdict, found.cause) == ("not-run", "A spread takes 3 seeds or more, the results have fewer.")
    assert found.to_json()["measured"] == 32.5
    assert found.to_json()["distance"] == {"value": 2.5, "multiple": None, "of": "tolerance"}


def test_a_spread_of_half_the_value_tells_nothing() -> None:
    rows = paper_runs("DM-DM", 20.0, 30.0, 43.0)  # 31, with a standard deviation of 11.53
    vague = claim(tests="spread", expect={"value": 30, "rounding": 0.5, "runs": 10})
    found = evaluate_one(vague, rows)
    assert found.verdict == "not-run" and found.to_json()["distance"]["multiple"] is None
    assert found.cause == "Chance leaves ± 32.7 open, and almost any value would be taken: more seeds would tell."
    nine = [row | {"seed": row["seed"] + more} for row in rows for more in (0, 10, 20)]
    assert evaluate_one(vague, nine).verdict == "reproduced"
    far = vague | {"expect": {"value": 300, "rounding": 0.5, "runs": 10}}
    assert evaluate_one(far, rows).verdict == "differs"  # whatever chance does
    nothing = vague | {"expect": {"value": 0, "rounding": 40, "runs": 10}}
    assert evaluate_one(nothing, rows).verdict == "reproduced"


def test_tolerances_in_words() -> None:
    assert tolerance_text(claim()) == "± 1"
    assert tolerance_text(claim(expect={"value": 0, "tolerance": 0})) == "exactly"
    assert tolerance_text(claim(expect={"low": 1, "high": 2})) == "1 to 2"
    assert tolerance_text(claim(expect={"below": 0})) == "< 0"
    assert tolerance_text(claim(expect={"below": 0, "effect": 0.5})) == "< 0 by 0.5 or more"
    assert tolerance_text(claim(expect={"trend": "rises", "effect": 1})) == "rises by 1 or more"
    assert tolerance_text(claim(expect={"value": 1, "rounding": 0.05})) == "± 0.05"
    assert tolerance_text(claim(expect={"value": 1, "rounding": 0.05}), 0.2345) == "± 0.234"
