# SPDX-License-Identifier: GPL-2.0-or-later
"""Each claim of each paper can fail: rows that meet it do, and rows of its negation do not.

The negation is the other arm in the place of the measured one: what `otherwise` says would be measured, else both
arms exchanged, of a trend the series upside down, and its points in another order, and of what differs more in two arms
than in another two, these as much.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from cellbed_analysis.claims.claim import SECOND, read_claims, scenarios_of
from cellbed_analysis.claims.judge import evaluate_one
from cellbed_analysis.metrics.catalog import METRICS
from cellbed_analysis.metrics.over_runs import is_event

FILES = sorted((Path(__file__).parents[3] / "scenarios").glob("*/*claims.yaml"))
CLAIMS = {claim["id"]: claim for path in FILES for claim in read_claims(path) if "not_testable" not in claim}
TRENDS = {name: claim for name, claim in CLAIMS.items() if "trend" in claim["expect"]}
ORDERS = {name: claim for name, claim in CLAIMS.items() if "effect" in claim["expect"] and name not in TRENDS}
THAN = {name: claim for name, claim in CLAIMS.items() if "than" in claim}
VALUES = {name: claim for name, claim in CLAIMS.items() if name not in TRENDS}
#: Runs of an arm: enough for the share of a bar to be told from another one's.
SEEDS = 400
SHAPES = {
    "rises": (0, 1, 3, 6), "falls": (6, 3, 1, 0), "rises-first": (0, 1, 3, 2), "rises-then-falls": (0, 3, 6, 2),
}  # fmt: skip
#: Of an arm that is compared with another, while the claim sets only what lies between them.
BASE = 10.0

Row = dict[str, Any]


def arm(claim: dict[str, Any], selector: dict[str, Any], value: float, **more: Any) -> list[Row]:
    """Runs that a selector chooses, with a metric that has this mean: so many events, or values that hardly spread
    where there is chance in them."""
    where, metric = selector.get("where", {}), selector["metric"]
    choices = [value if isinstance(value, list) else [value] for value in where.values()]
    scenario = scenarios_of(claim)[0]
    event = metric in METRICS and METRICS[metric].event
    spread = 1e-6 if claim["tests"] in ("spread", "direction") else 0.0
    rows = []
    for chosen in itertools.product(*choices):
        columns = {"scenario": scenario} | {k: 99 if v == "largest" else v for k, v in zip(where, chosen, strict=True)}
        for seed in range(SEEDS):
            jitter = 1 + spread * (seed % 2 * 2 - 1)
            sample = float((seed + 1) * value // 1 > seed * value // 1) if event else value * jitter
            run = {"lab": "virtual", "usable": True, "bundle": "b", "seed": seed, metric: sample}
            rows.append(run | columns | more)
    return rows


def both(claim: dict[str, Any], first: float, second: float | None, than: float = BASE) -> list[Row]:
    """The runs that a claim measures, those that it compares them with, and those that both are compared with.

    Args:
        than: of the first of the latter, which by itself is that of the second.
    """
    rows = arm(claim, claim["measure"], first)
    key = next((key for key in SECOND if key in claim), None)
    if key is None or second is None:
        return rows
    rows += arm(claim, claim[key], second)
    if "than" in claim:
        rows += arm(claim, claim["than"]["measure"], than) + arm(claim, claim["than"][key], BASE)
    return rows


def arms_of(claim: dict[str, Any], value: float) -> tuple[float, float | None]:
    """Values of both arms that make the claim measure this."""
    if "ratio" in claim:
        return value * BASE, BASE
    if "minus" in claim:
        share = METRICS[claim["minus"]["metric"]].event if claim["minus"]["metric"] in METRICS else False
        base = max(0.0, -value) if share else BASE + max(0.0, -value)
        return base + value, base
    return value, None


def expected(claim: dict[str, Any]) -> float:
    """A value that meets the claim."""
    expect = claim["expect"]
    if "value" in expect:
        return float(expect["value"])
    if "low" in expect:
        return (expect["low"] + expect["high"]) / 2
    bound, up = float(expect.get("above", expect.get("below"))), "above" in expect
    share = claim["measure"]["metric"] in METRICS and METRICS[claim["measure"]["metric"]].event
    beyond = 5 * expect.get("effect", 0.0) or (0.5 * (1 - bound) if up and share else 0.5 * abs(bound) or 1.0)
    return bound + beyond if up else bound - beyond


def verdict(claim: dict[str, Any], rows: list[Row]) -> str:
    found = evaluate_one(claim | {"explain": "rtt"}, [row | {"combination": row.get("combination")} for row in rows])
    assert found.judgement is not None, found.cause
    return "reproduced" if found.verdict == "implied" else found.verdict


def series(claim: dict[str, Any], values: tuple[float, ...]) -> list[Row]:
    over = claim["measure"]["over"]
    where = {key: value for key, value in claim["measure"].get("where", {}).items() if key != over}
    known = claim["measure"].get("where", {}).get(over, list(range(1, len(values) + 1)))
    selector = claim["measure"] | {"where": where}
    return [row for x, value in zip(known, values, strict=False) for row in arm(claim, selector, value, **{over: x})]


@pytest.mark.parametrize("name", VALUES)
def test_a_value_that_meets_a_claim_reproduces_it(name: str) -> None:
    claim = VALUES[name]
    assert verdict(claim, both(claim, *arms_of(claim, expected(claim)))) == "reproduced"


@pytest.mark.parametrize("name", VALUES)
def test_the_other_arm_in_its_place_contradicts_it(name: str) -> None:
    claim = VALUES[name]
    first, second = arms_of(claim, expected(claim))
    negation = both(claim, second, first) if second is not None else []
    if "otherwise" in claim:
        negation = both(claim, *arms_of(claim, float(claim["otherwise"])))
    assert negation, "what would contradict the claim: another arm, or `otherwise`"
    assert verdict(claim, negation) == "differs"


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_that_no_reader_would_see_is_none(name: str) -> None:
    claim = ORDERS[name]
    expect = claim["expect"]
    bound, sign = (expect["above"], 1) if "above" in expect else (expect["below"], -1)
    for part in (0.0, 0.5):
        found = verdict(claim, both(claim, *arms_of(claim, bound + sign * part * expect["effect"])))
        # A share of so many runs is not known to the least effect.
        assert found == "differs" or (found == "undecided" and is_event(claim["measure"]["metric"]))


@pytest.mark.parametrize("name", THAN)
def test_as_much_in_the_other_two_arms_contradicts_it(name: str) -> None:
    claim = THAN[name]
    first, second = arms_of(claim, expected(claim))
    as_much = expected(claim) * BASE if "ratio" in claim else BASE + expected(claim)
    assert verdict(claim, both(claim, first, second, as_much)) == "differs"


@pytest.mark.parametrize("name", TRENDS)
def test_a_trend_upside_down_or_in_disorder_is_none(name: str) -> None:
    claim = TRENDS[name]
    effect, shape = claim["expect"]["effect"], SHAPES[claim["expect"]["trend"]]

    def executed(points: tuple[float, ...]) -> str:
        return verdict(claim, series(claim, tuple(BASE + 2 * effect * point for point in points)))

    assert executed(shape) == "reproduced"
    assert executed(tuple(max(shape) - point for point in shape)) == "differs"
    assert executed(tuple(point / 100 for point in shape)) == "differs"
    wrong = [order for order in itertools.permutations(shape) if order[0] == max(shape)]
    if claim["expect"]["trend"] == "falls":
        wrong = [order for order in itertools.permutations(shape) if order[0] != max(shape)]
    assert {executed(order) for order in wrong} == {"differs"}


def test_every_claim_says_what_it_tests() -> None:
    for name, claim in CLAIMS.items():
        assert claim["why"], name
        assert claim["tests"] == "direction" or "otherwise" in claim or any(key in claim for key in SECOND), name
