# SPDX-License-Identifier: GPL-2.0-or-later
"""Every verdict of a claim, on rows written by hand."""

from __future__ import annotations

from typing import Any

import pytest
from synthetic_claim import MORE, THAN, claim, row

from cellbed_analysis.claims.claim import check, paper_beside
from cellbed_analysis.claims.judge import Outcome, distant, evaluate_one
from cellbed_analysis.metrics.over_runs import estimate, select


def test_reproduced() -> None:
    found = evaluate_one(claim(), [row(30.4)])
    assert found.to_json() == {
        "id": "c", "source": "Figure 3", "statement": "It is 30.", "paper": 30, "measured": 30.4,
        "ci95": [29.9, 30.9], "compared": [29.9, 30.9], "unit": "ms", "tests": "digits", "expected": "± 1",
        "distance": {"value": pytest.approx(0.4), "multiple": pytest.approx(0.4), "of": "tolerance"},
        "within": pytest.approx(0.9), "power": pytest.approx(0.95), "series": [],
        "verdict": "reproduced", "cause": "",
    }  # fmt: skip


def test_differs_with_a_cause_from_the_parts() -> None:
    parts = {f"part_{name}_ms": 0.0 for name in ("host_tx", "receiver", "host_rx")}
    waiting = row(
        38.0, data_mode="DM", ack_mode="DM", part_data_rac_wait_ms=7.5, part_data_air_ms=4.0,
        part_ack_rac_wait_ms=1.2, data_blocked_share=0.34, **parts,
    )  # fmt: skip
    found = evaluate_one(claim(), [waiting])
    assert found.verdict == "differs"
    assert "data: wait before the RAC request +7.5 ms" in found.cause
    assert "34% of segments" in found.cause


def test_not_run() -> None:
    nothing = evaluate_one(claim(), [row(30, scenario="other")])
    assert (nothing.verdict, nothing.cause) == ("not-run", "No run of s in these results.")
    assert nothing.to_json()["measured"] is None
    other = evaluate_one(claim(), [row(30, combination="IM-IM")])
    assert other.verdict == "not-run"
    without = evaluate_one(claim(), [row(30, rtt_mean_ms=None)])
    assert (without.verdict, without.cause) == ("not-run", "The runs have no rtt_mean_ms.")
    both = claim(minus={"metric": "goodput_mbps", "where": {}})
    assert evaluate_one(both, [row(30)]).cause == "The runs have no rtt_mean_ms or no goodput_mbps."


def test_not_testable() -> None:
    found = evaluate_one(claim(not_testable="No power here."), [row(30)])
    assert (found.verdict, found.cause) == ("not-testable", "No power here.")


def test_invalid_runs_never_count() -> None:
    found = evaluate_one(claim(), [row(30), row(99, usable=False, seed=2)])
    assert found.verdict == "reproduced"
    assert found.measured is not None and found.measured.value == 30
    only = evaluate_one(claim(), [row(30, usable=False)])
    assert (only.verdict, only.cause) == ("not-run", "None of the 1 runs of s is usable.")


def test_invalid_runs_are_mentioned_beside_a_difference() -> None:
    found = evaluate_one(claim(), [row(50), row(30, usable=False, seed=2)])
    assert found.verdict == "differs"
    assert found.cause.endswith("1 runs of the scenario that are not usable left out.")


def test_labs_are_never_mixed() -> None:
    found = evaluate_one(claim(), [row(30), row(44, lab="native")])
    assert found.measured is not None and found.measured.value == 30
    native = evaluate_one(claim(), [row(30.5, lab="native")])
    assert native.measured is not None and native.measured.value == 30.5


def test_interval_over_seeds_replaces_the_one_within_a_run() -> None:
    found = estimate([row(29.0), row(30.0, seed=2), row(31.0, seed=3)], "rtt_mean_ms")
    assert found is not None and found.half_width == pytest.approx(2.48414, abs=1e-5)
    assert found.method == "Student's t over 3 seeds"
    one = estimate([row(29.0)], "rtt_mean_ms")
    assert one is not None and (one.low, one.method) == (28.5, "block bootstrap within one run")


def test_runs_of_one_seed_are_averaged_before_seeds_are_compared() -> None:
    rows = [row(10.0), row(20.0), row(30.0, seed=2), row(40.0, seed=2)]
    found = estimate(rows, "rtt_mean_ms")
    assert found is not None and found.value == 25
    # Two values, 15 and 35: t(1) = 12.706, s = 14.142, half width 127.06.
    assert found.half_width == pytest.approx(127.06, abs=0.01)


def test_difference_of_two_selectors() -> None:
    minus = {"metric": "rtt_mean_ms", "where": {"combination": "IM-IM"}}
    less = claim(minus=minus, tests="direction", expect={"below": 0, "effect": 1})
    rows = [row(30), row(42, combination="IM-IM")]
    found = evaluate_one(less, rows)
    assert found.verdict == "reproduced"
    assert found.measured is not None and found.measured.value == -12
    # 30.0 against 30.5, each +-0.5: the interval -1.2..0.2 holds zero.
    close = evaluate_one(less, [row(30), row(30.5, combination="IM-IM")])
    assert close.verdict == "undecided"


def test_what_configuration_implies_is_no_result() -> None:
    known = claim(implied="The wire has  30 ms.")
    found = evaluate_one(known, [row(30)])
    assert (found.verdict, found.cause) == ("implied", "The wire has 30 ms.")
    wrong = evaluate_one(known, [row(50)])
    assert wrong.verdict == "differs" and wrong.cause.endswith("Configuration should imply it: The wire has 30 ms.")
    assert evaluate_one(known, []).verdict == "not-run"


def test_claims_that_differ_come_with_the_farthest_first() -> None:
    exact = claim(id="exact", expect={"value": 30, "tolerance": 0})
    outcomes = [evaluate_one(one, [row(33)]) for one in (claim(id="near"), exact, claim(expect={"low": 1, "high": 2}))]
    unjudged = Outcome(claim(id="unjudged"), "differs")
    found = distant([unjudged, *outcomes, evaluate_one(claim(), [row(30)])])
    assert [one.claim["id"] for one in found] == ["c", "exact", "near"]


def test_trend_over_a_parameter() -> None:
    rising = claim(
        measure={"metric": "rtt_mean_ms", "where": {}, "over": "receive_window_bytes"},
        tests="direction",
        expect={"trend": "rises", "effect": 1},
    )
    rows = [row(30.0 + 5 * k, receive_window_bytes=8192 << k) for k in (2, 0, 1)]
    found = evaluate_one(rising, rows)
    assert found.verdict == "reproduced"
    assert [x for x, _ in found.series] == [8192, 16384, 32768]
    assert evaluate_one(rising, rows[:2]).verdict == "not-run"
    falling = evaluate_one(rising, [row(50.0 - 5 * k, receive_window_bytes=8192 << k) for k in range(3)])
    assert falling.verdict == "differs"
    assert falling.cause.startswith("It falls most between 8 KiB (RTT 50.0 ms) and 32 KiB (RTT 40.0 ms)")
    wrong = evaluate_one(rising | {"expect": {"trend": "falls", "effect": 1}}, rows)
    assert wrong.verdict == "differs"
    assert wrong.cause.startswith("It rises most between 8 KiB (RTT 30.0 ms) and 32 KiB (RTT 40.0 ms)")


def test_largest_selects_the_largest_window_of_those_selected() -> None:
    rows = [
        row(1, receive_window_bytes=8192),
        row(2, receive_window_bytes=16384),
        row(3, receive_window_bytes=32768, combination="IM-IM"),
    ]
    where = {"combination": "DM-DM", "receive_window_bytes": "largest"}
    assert [r["rtt_mean_ms"] for r in select(rows, {"where": where})] == [2]


def of_four(*values: float | None) -> list[dict[str, Any]]:
    """Runs of four arms, some of which may be missing."""
    names = ("DM-DM", "IM-IM", "DM-IM", "IM-DM")
    return [row(value, combination=name) for name, value in zip(names, values, strict=True) if value is not None]


@pytest.mark.parametrize(
    ("values", "measured", "verdict"),
    [
        ((35.0, 30.0, 32.0, 30.0), 3.0, "reproduced"), ((35.0, 30.0, 35.0, 30.0), 0.0, "undecided"),
        ((35.0, 30.0, 30.0, 35.0), 10.0, "reproduced"), ((35.0, 30.0, 39.0, 30.0), -4.0, "differs"),
        ((35.0, 30.0, 32.0, None), None, "not-run"),
    ],
)  # fmt: skip
def test_more_than_in_another_two_arms(values: tuple[float, ...], measured: float | None, verdict: str) -> None:
    outcome = evaluate_one(check(claim(**MORE, than=THAN)), of_four(*values))
    assert outcome.verdict == verdict
    assert (outcome.measured.value if outcome.measured else None) == measured


def test_the_cause_of_such_a_claim_is_about_all_four_arms() -> None:
    rows = of_four(30.0, 30.0, 32.0, 30.0)
    for at, one in enumerate(rows):
        one |= {f"part_{name}_ms": 0.0 for name in ("host_tx", "receiver", "host_rx")} | {"part_data_air_ms": 4.0 + at}
    found = evaluate_one(check(claim(**MORE, than=THAN)), rows)
    assert found.verdict == "differs"
    assert all(f"{one['combination']}: data " in found.cause for one in rows)


def test_paper_value_beside_a_run() -> None:
    assert paper_beside([claim()], row(33.0), "rtt_mean_ms") == 30
    assert paper_beside([claim()], row(33.0, combination="IM-IM"), "rtt_mean_ms") is None
    assert paper_beside([claim()], row(33.0), "goodput_mbps") is None


def test_a_differing_claim_names_what_another_scenario_measured():
    """`vary`: values of runs that vary what the paper does not specify, in the order of their parameters."""
    base = {"seed": 1, "usable": True, "lab": "virtual", "rtt_mean_ms": 34.0, "bundle": "b"}
    claim = {
        "id": "x",
        "source": "s",
        "scenario": "main",
        "statement": "t",
        "unit": "ms",
        "tests": "words",
        "expect": {"above": 40},
        "measure": {"metric": "rtt_mean_ms"},
        "vary": {"scenario": "other", "by": ["tcp.mss"]},
    }
    rows = [
        {**base, "scenario": "main"},
        {**base, "scenario": "other", "param.tcp.mss": 536, "rtt_mean_ms": 41.62},
        {**base, "scenario": "other", "param.tcp.mss": 1460, "rtt_mean_ms": 37.23},
    ]
    assert "41.6 ms (mss 536); 37.2 ms (mss 1460)." in evaluate_one(claim, rows).cause
    assert "which is not in these results" in evaluate_one(claim, rows[:1]).cause
