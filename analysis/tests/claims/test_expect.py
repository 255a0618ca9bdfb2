# SPDX-License-Identifier: GPL-2.0-or-later
"""Every form of expectation, what chance adds to it, and how it is said."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_claim import claim, row

from cellbed_analysis.claims.claim import tolerance_text
from cellbed_analysis.claims.expect import judge_trend, judge_value
from cellbed_analysis.claims.judge import evaluate_one
from cellbed_analysis.claims.measure import measure, spread
from cellbed_analysis.claims.power import power
from cellbed_analysis.stats.interval import Z95, Estimate

R, D, U = "reproduced", "differs", "undecided"


@pytest.mark.parametrize(
    ("expect", "measured", "verdict", "distance", "multiple"),
    [
        ({"value": 5, "tolerance": 0.5}, Estimate(5.2, 5, 5.4), R, 0.2, 0.4),
        ({"value": 5, "tolerance": 0.5}, Estimate(5.5, 4, 7), U, 0.5, 1 / 3),
        ({"value": 5, "tolerance": 0.5}, Estimate(5.7, 5.45, 5.95), U, 0.7, 1.4),
        ({"value": 5, "tolerance": 0.5}, Estimate(5.7, 5.6, 5.8), D, 0.7, 1.4),
        ({"value": 5, "tolerance": 0.5}, Estimate(5.5), R, 0.5, 1),
        ({"value": 5, "tolerance": 0.5}, Estimate(3.5), D, -1.5, -3),
        ({"value": 0, "tolerance": 0}, Estimate(0), R, 0, None),
        ({"value": 0, "tolerance": 0}, Estimate(0, 0, 0.1), U, 0, 0),
        ({"low": 1, "high": 2}, Estimate(1), R, 0, 0),
        ({"low": 1, "high": 2}, Estimate(1.5, 1, 2), R, 0, 0),
        ({"low": 1, "high": 2}, Estimate(1.5, 0.9, 2.1), U, 0, 0),
        ({"low": 1, "high": 2}, Estimate(2.25), D, 0.25, 0.5),
        ({"low": 1, "high": 2}, Estimate(2.25, 1.75, 2.75), U, 0.25, 0.5),
        ({"low": 1, "high": 2}, Estimate(0.5), D, -0.5, -1),
        ({"above": 0}, Estimate(1, 0.1, 2), R, 1, 1 / 0.95),
        ({"above": 0}, Estimate(1, -0.1, 2), U, 1, 1 / 1.05),
        ({"above": 0}, Estimate(-1, -1.9, -0.1), D, -1, -1 / 0.9),
        ({"above": 0}, Estimate(1), R, 1, None),
        ({"above": 0}, Estimate(0), D, 0, None),
        ({"below": 1}, Estimate(0.9, 0.8, 1.0), U, -0.1, -1),
        ({"below": 1}, Estimate(0.9, 0.8, 0.99), R, -0.1, -0.1 / 0.095),
        ({"above": 0, "effect": 2}, Estimate(2, 1, 3), R, 0, 0),
        ({"above": 0, "effect": 2}, Estimate(1.5, 1, 2), U, -0.5, -0.25),  # the effect is in the interval
        ({"above": 0, "effect": 2}, Estimate(1.5, 1.1, 1.9), D, -0.5, -0.25),  # the direction, too little to be seen
        ({"above": 0, "effect": 2}, Estimate(-3, -8, 3), U, -5, -5 / 5.5),  # the other way, perhaps
        ({"above": 0, "effect": 2}, Estimate(-3, -8, 1), D, -5, -5 / 4.5),
        ({"above": 0, "effect": 2}, Estimate(6, -1, 13), U, 4, 4 / 7),  # more than the effect, yet perhaps nothing
        ({"below": 1, "effect": 0.05}, Estimate(0.9), R, -0.05, -1),
        ({"below": 1, "effect": 0.05}, Estimate(0.96), D, 0.01, 0.2),
    ],
)
def test_expectations(
    expect: dict[str, Any], measured: Estimate, verdict: str, distance: float, multiple: float | None
) -> None:
    found = judge_value(expect, measured)
    assert found.verdict == verdict
    assert found.distance == pytest.approx(distance)
    assert found.multiple == (None if multiple is None else pytest.approx(multiple))


estimates = st.builds(
    lambda value, half: Estimate(value, value - half, value + half), st.floats(-100, 100), st.floats(0, 100)
)
expectations = st.one_of(
    st.builds(lambda v, t: {"value": v, "tolerance": t}, st.floats(-100, 100), st.floats(0, 100)),
    st.builds(lambda v, t: {"low": v, "high": v + t}, st.floats(-100, 100), st.floats(0.01, 100)),
    st.builds(lambda v: {"above": v}, st.floats(-100, 100)),
    st.builds(lambda v, e: {"below": v, "effect": e}, st.floats(-100, 100), st.floats(0.01, 100)),
)


@given(expectations, estimates, st.floats(1, 10))
def test_more_spread_never_decides(expect: dict[str, Any], measured: Estimate, wider: float) -> None:
    """Noise makes a verdict undecided; it makes none reproduced, and none differ."""
    assert measured.half_width is not None
    half = measured.half_width * wider
    now, noisier = (
        judge_value(expect, one).verdict
        for one in (measured, Estimate(measured.value, measured.value - half, measured.value + half))
    )
    assert noisier in (now, U)


@given(expectations, estimates)
def test_a_verdict_is_what_both_ends_say(expect: dict[str, Any], measured: Estimate) -> None:
    """What is reproduced holds at both ends of the interval, but for the effect of a direction."""
    verdict = judge_value(expect, measured).verdict
    assert measured.low is not None and measured.high is not None
    bare = {key: value for key, value in expect.items() if key != "effect"}
    ends = {judge_value(bare if verdict == R else expect, Estimate(end)).verdict
            for end in (measured.low, measured.high)}  # fmt: skip
    assert verdict == U or ends == {verdict}


@given(st.floats(-100, 100), st.floats(0, 100), st.floats(0, 100), estimates)
def test_chance_in_the_papers_number_widens_the_interval_that_decides(
    value: float, tolerance: float, chance: float, measured: Estimate
) -> None:
    found = judge_value({"value": value, "rounding": tolerance}, measured, chance)
    assert found.measured == measured and found.compared.half_width == pytest.approx(chance)
    assert found.within == pytest.approx(abs(measured.value - value) + chance)
    assert found.holds == (found.within <= tolerance)


@pytest.mark.parametrize("expect", [
    {"value": 5, "tolerance": 1}, {"low": 4, "high": 6}, {"above": 4, "effect": 0.5}, {"above": 4.5, "effect": 0.25},
])  # fmt: skip
@pytest.mark.parametrize("half", [0.2, 0.5, 0.9, 1.5])
def test_power_is_how_often_what_is_true_is_reproduced(expect: dict[str, Any], half: float) -> None:
    true = 5.0  # the paper's value; the middle; two effects beyond the bound
    draws = np.random.default_rng(1).normal(true, half / Z95, 4000)
    held = np.mean([judge_value(expect, Estimate(x, x - half, x + half)).holds for x in draws])
    said = power(expect, Estimate(true, true - half, true + half))
    assert said == pytest.approx(held, abs=0.025)


def test_what_has_no_power() -> None:
    assert power({"value": 5, "tolerance": 1}, Estimate(5)) is None  # judged as it is
    assert power({"value": 5, "tolerance": 1}, Estimate(5, -math.inf, math.inf)) == 0
    assert power({"above": 0}, Estimate(5, 4, 6)) is None
    assert power({"trend": "rises", "effect": 1}, Estimate(5, 4, 6)) is None


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
    assert found.verdict == (R if holds else D)
    assert found.measured.value == pytest.approx(change)
    assert (found.distance, found.of, found.multiple) == (pytest.approx(distance), "effect", pytest.approx(distance))


def around(*values: float, half: float) -> list[Estimate]:
    return [Estimate(value, value - half, value + half) for value in values]


@pytest.mark.parametrize("kind", ["rises", "rises-first", "rises-then-falls"])
def test_a_trend_whose_steps_are_within_their_intervals_is_undecided(kind: str) -> None:
    assert judge_trend({"trend": kind, "effect": 1}, around(10, 15, 12, half=10)).verdict == U
    assert judge_trend({"trend": kind, "effect": 1}, around(10, 10.1, 10, half=0.1)).verdict == D  # flat
    assert judge_trend({"trend": kind, "effect": 1}, around(10, 5, 3, half=0.1)).verdict == D  # the other way


def test_a_fall_that_may_be_there_is_undecided() -> None:
    expect = {"trend": "rises-then-falls", "effect": 1}
    assert judge_trend(expect, around(10, 30, 28, half=3)).verdict == U
    assert judge_trend(expect, around(10, 30, 29.9, half=0.1)).verdict == D
    assert judge_trend(expect, around(10, 30, 25, half=1)).verdict == R


def test_a_trend_needs_steps_beyond_their_intervals() -> None:
    found = judge_trend({"trend": "rises", "effect": 1}, around(10, 15, 20, half=10))
    assert found.verdict == U and found.of == "interval"
    assert found.multiple == pytest.approx(9 / 200**0.5)  # 10 rise, 9 beyond the effect; intervals add in quadrature


def paper_runs(order: str, *values: float) -> list[dict[str, Any]]:
    return [row(value, seed=seed, combination=order) for seed, value in enumerate(values)]


def chance_of(one: dict[str, Any], rows: list[dict[str, Any]]) -> float | None:
    measured = measure(one, rows)
    assert measured is not None
    return spread(one, rows, measured)


def test_a_spread_is_that_of_an_experiment_of_the_papers_size() -> None:
    """The prediction interval for the mean of ten more runs: t s sqrt(1/n + 1/10)."""
    ten = claim(tests="spread", expect={"value": 30, "rounding": 0.5, "runs": 10})
    rows = paper_runs("DM-DM", 30.0, 31.0, 32.0)
    chance = 4.302652729911275 * 1 * (1 / 3 + 1 / 10) ** 0.5
    assert chance_of(ten, rows) == pytest.approx(chance)
    found = evaluate_one(ten, rows)
    assert found.verdict == "undecided" and found.judgement is not None
    assert found.cause == "Chance allows ± 2.83: more seeds would tell."
    assert found.judgement.within == pytest.approx(1 + chance)
    assert found.judgement.multiple == pytest.approx(1 / chance) and found.judgement.of == "interval"
    far = evaluate_one(ten | {"expect": {"value": 27, "rounding": 0.1, "runs": 10}}, rows)
    assert far.verdict == "differs"
    formula = ten | {"expect": {"value": 30, "rounding": 0.5}}  # of which only what was measured spreads
    assert chance_of(formula, rows) == pytest.approx(4.302652729911275 / 3**0.5)


def test_our_arms_are_paired_and_the_papers_spreads_add_in_quadrature() -> None:
    other = {"metric": "rtt_mean_ms", "where": {"combination": "IM-IM"}}
    rows = paper_runs("DM-DM", 9.0, 10.0, 11.0) + paper_runs("IM-IM", 18.0, 20.0, 22.0)
    ten = claim(tests="spread", expect={"value": 0, "rounding": 0, "runs": 3})
    half = 4.302652729911275 / 3**0.5
    assert chance_of(ten | {"minus": other}, rows) == pytest.approx(half * (1 + 1 + 4) ** 0.5)  # -9, -10, -11 here
    # Here each quotient is one half; a tenth of either of the paper's arms.
    assert chance_of(ten | {"ratio": other}, rows) == pytest.approx(0.5 * half / 10 * 2**0.5)


def test_a_spread_needs_three_runs() -> None:
    ten = claim(tests="spread", expect={"value": 30, "rounding": 0.5, "runs": 10})
    found = evaluate_one(ten, paper_runs("DM-DM", 32.0, 33.0))
    assert (found.verdict, found.cause) == ("undecided", "A spread takes 3 seeds or more, the results have fewer.")
    assert found.to_json()["measured"] == 32.5 and found.to_json()["power"] == 0
    assert found.to_json()["distance"] == {"value": 2.5, "multiple": None, "of": "interval"}
    assert found.to_json()["within"] is None and found.to_json()["compared"] is None


def test_noise_reproduces_nothing_and_seeds_decide() -> None:
    rows = paper_runs("DM-DM", 20.0, 30.0, 43.0)  # 31, with a standard deviation of 11.53
    vague = claim(tests="spread", expect={"value": 30, "rounding": 5, "runs": 1000})
    assert evaluate_one(vague, rows).verdict == "undecided"
    more = [row | {"seed": row["seed"] + 3 * times} for row in rows for times in range(40)]
    assert evaluate_one(vague, more).verdict == "reproduced"
    far = vague | {"expect": {"value": 300, "rounding": 0.5, "runs": 10}}
    assert evaluate_one(far, rows).verdict == "differs"  # whatever chance does


def test_tolerances_in_words() -> None:
    assert tolerance_text(claim()) == "± 1"
    assert tolerance_text(claim(expect={"value": 0, "tolerance": 0})) == "exactly"
    assert tolerance_text(claim(expect={"low": 1, "high": 2})) == "1 to 2"
    assert tolerance_text(claim(expect={"below": 0})) == "< 0"
    assert tolerance_text(claim(expect={"below": 0, "effect": 0.5})) == "< 0 by 0.5 or more"
    assert tolerance_text(claim(expect={"trend": "rises", "effect": 1})) == "rises by 1 or more"
    assert tolerance_text(claim(expect={"value": 1, "rounding": 0.05})) == "± 0.05"
