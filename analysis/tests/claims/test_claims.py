# SPDX-License-Identifier: GPL-2.0-or-later
"""Every verdict and every form of expectation, on rows written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from paper_claims import CLAIMS
from synthetic_bundle import write_bundle

from cellbed_analysis.claims.claim import check, collect, paper_beside, read_claims, tolerance_text
from cellbed_analysis.claims.expect import judge_trend, judge_value
from cellbed_analysis.claims.judge import distant, evaluate_one
from cellbed_analysis.claims.measure import spread
from cellbed_analysis.metrics.over_runs import estimate, select
from cellbed_analysis.stats.interval import Estimate
from cellbed_formats.bundle import load_results
from cellbed_formats.error import DataError


def claim(**change: Any) -> dict[str, Any]:
    return {
        "id": "c", "source": "Figure 3", "scenario": "s", "statement": "It is  30.", "unit": "ms",
        "measure": {"metric": "rtt_mean_ms", "where": {"combination": "DM-DM"}}, "tests": "digits",
        "expect": {"value": 30, "tolerance": 1},
    } | change  # fmt: skip


def row(value: float, **change: Any) -> dict[str, Any]:
    return {
        "scenario": "s", "combination": "DM-DM", "seed": 1, "lab": "virtual", "usable": True,
        "bundle": "b", "receive_window_bytes": 8192, "rtt_mean_ms": value,
        "rtt_mean_ms_low": value - 0.5, "rtt_mean_ms_high": value + 0.5,
    } | change  # fmt: skip


def of(combination: str) -> dict[str, Any]:
    """A selector."""
    return {"metric": "rtt_mean_ms", "where": {"combination": combination}}


#: A claim that compares two arms, and two that they may be compared with.
OF_IM = of("IM-IM")
THAN = {"measure": of("DM-IM"), "minus": of("IM-DM")}
MORE: dict[str, Any] = {"minus": OF_IM, "tests": "direction", "expect": {"above": 0, "effect": 1}}


def test_reproduced() -> None:
    found = evaluate_one(claim(), [row(30.9)])
    assert found.to_json() == {
        "id": "c", "source": "Figure 3", "statement": "It is 30.", "paper": 30, "measured": 30.9,
        "ci95": [30.4, 31.4], "unit": "ms", "tests": "digits", "expected": "± 1",
        "distance": {"value": pytest.approx(0.9), "multiple": pytest.approx(0.9), "of": "tolerance"},
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
    assert found is not None and found.half_width == pytest.approx(2.4843, abs=1e-4)
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
    assert close.verdict == "differs"


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
    chance = 4.303 * 1 * (1 / 3 + 1 / 10) ** 0.5
    assert spread(ten, rows) == pytest.approx(chance)
    found = evaluate_one(ten, rows)
    assert found.verdict == "reproduced" and found.judgement is not None
    assert found.judgement.tolerance == pytest.approx(0.5 + chance)
    assert found.judgement.multiple == pytest.approx(1 / (0.5 + chance))
    far = evaluate_one(ten | {"expect": {"value": 27, "rounding": 0.5, "runs": 10}}, rows)
    assert far.verdict == "differs"
    formula = ten | {"expect": {"value": 30, "rounding": 0.5}}  # of which only what was measured spreads
    assert spread(formula, rows) == pytest.approx(4.303 / 3**0.5)


def test_spreads_of_two_arms_add_in_quadrature() -> None:
    other = {"metric": "rtt_mean_ms", "where": {"combination": "IM-IM"}}
    rows = paper_runs("DM-DM", 9.0, 10.0, 11.0) + paper_runs("IM-IM", 18.0, 20.0, 22.0)
    ten = claim(tests="spread", expect={"value": 0, "rounding": 0, "runs": 3})
    half = 4.303 / 3**0.5
    assert spread(ten | {"minus": other}, rows) == pytest.approx(half * 5**0.5 * 2**0.5)
    # A tenth of either arm, of a quotient of one half; the measured arms share seeds, the paper's did not.
    assert spread(ten | {"ratio": other}, rows) == pytest.approx(0.5 * half / 10 * 2**0.5 * 2**0.5)


def test_a_spread_needs_three_runs() -> None:
    ten = claim(tests="spread", expect={"value": 30, "rounding": 0.5, "runs": 10})
    found = evaluate_one(ten, paper_runs("DM-DM", 32.0, 33.0))
    assert (found.verdict, found.cause) == ("not-run", "A spread takes 3 seeds or more, the results have fewer.")
    assert found.to_json()["measured"] == 32.5
    assert found.to_json()["distance"] == {"value": 2.5, "multiple": None, "of": "tolerance"}


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
    assert [one.claim["id"] for one in distant([*outcomes, evaluate_one(claim(), [row(30)])])] == ["c", "near", "exact"]


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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"expct": {}}, "unknown key expct"),
        ({"expect": {"value": 3}}, "key expect"),
        ({"tests": "luck"}, "key tests: luck: allowed: digits, words, spread, direction"),
        ({"tests": "direction"}, "allowed where direction are tested: above and effect; below and effect"),
        ({"tests": "direction", "expect": {"trend": "explodes", "effect": 1}}, "expect.trend: explodes: allowed"),
        ({"tests": "direction", "expect": {"trend": "rises", "effect": 1}}, "measure.over: missing"),
        ({"tests": "direction", "expect": {"above": 0, "effect": 0}}, "expect.effect: 0: expected more than 0"),
        ({"expect": {"value": "30", "tolerance": 1}}, "expect.value: '30': expected a number"),
        ({"otherwise": 30.5}, "otherwise: 30.5: meets what is expected"),
        ({"otherwise": "42"}, "otherwise: '42': expected a number"),
        ({"measure": {"metric": "beauty"}}, "measure.metric"),
        ({"minus": {"metric": "beauty"}}, "minus.metric"),
        ({"measure": "rtt"}, "measure.metric"),
        ({"than": {"measure": OF_IM}}, "key than: allowed beside minus or ratio"),
        (MORE | {"than": {"measure": OF_IM, "ratio": OF_IM}}, "key than: .* expected measure and minus"),
        (MORE | {"than": {"measure": OF_IM, "minus": {"metric": "beauty"}}}, "key than.minus.metric"),
        ({"explain": "magic"}, "explain: magic: allowed: rtt"),
    ],
)
def test_malformed_claims_are_refused_by_name(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message) as error:
        check(claim(**change))
    assert "claim c" in str(error.value)


def test_missing_keys_are_named() -> None:
    with pytest.raises(DataError, match="claim c: key statement: missing"):
        check({k: v for k, v in claim().items() if k != "statement"})
    with pytest.raises(DataError, match="expected a mapping"):
        check("rtt is 30 ms")


def of_four(*values: float | None) -> list[dict[str, Any]]:
    """Runs of four arms, some of which may be missing."""
    names = ("DM-DM", "IM-IM", "DM-IM", "IM-DM")
    return [row(value, combination=name) for name, value in zip(names, values, strict=True) if value is not None]


@pytest.mark.parametrize(
    ("values", "measured", "verdict"),
    [
        ((35.0, 30.0, 32.0, 30.0), 3.0, "reproduced"), ((35.0, 30.0, 35.0, 30.0), 0.0, "differs"),
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
    assert all(f"{one['combination']}: data leg" in found.cause for one in rows)


def test_claims_come_once_from_the_newest_manifest(tmp_path: Path) -> None:
    old, new = claim(statement="old"), claim(statement="new")
    write_bundle(tmp_path, seed=1, duration_s=0.2, claims=[new], created="2026-02-01")
    write_bundle(tmp_path, seed=2, duration_s=0.2, claims=[old], created="2026-01-01")
    assert [c["statement"] for c in collect(load_results(tmp_path))] == ["new"]


def test_a_malformed_claim_in_a_manifest_does_not_stop_the_report(tmp_path: Path) -> None:
    write_bundle(tmp_path, duration_s=0.2, claims=[claim(tests="direction", expect={"trend": "explodes", "effect": 1})])
    (found,) = collect(load_results(tmp_path))
    outcome = evaluate_one(found, [row(30)])
    assert outcome.verdict == "not-testable"
    assert outcome.cause.startswith("malformed: claim c: key expect.trend: explodes")


def test_an_entry_that_is_no_claim_is_an_error(tmp_path: Path) -> None:
    write_bundle(tmp_path, duration_s=0.2, claims=["rtt is 30 ms"])  # type: ignore[list-item]
    with pytest.raises(DataError, match="expected a mapping with an id"):
        collect(load_results(tmp_path))


def test_paper_value_beside_a_run() -> None:
    assert paper_beside([claim()], row(33.0), "rtt_mean_ms") == 30
    assert paper_beside([claim()], row(33.0, combination="IM-IM"), "rtt_mean_ms") is None
    assert paper_beside([claim()], row(33.0), "goodput_mbps") is None


def test_tolerances_in_words() -> None:
    assert tolerance_text(claim()) == "± 1"
    assert tolerance_text(claim(expect={"value": 0, "tolerance": 0})) == "exactly"
    assert tolerance_text(claim(expect={"low": 1, "high": 2})) == "1 to 2"
    assert tolerance_text(claim(expect={"below": 0})) == "< 0"
    assert tolerance_text(claim(expect={"below": 0, "effect": 0.5})) == "< 0 by 0.5 or more"
    assert tolerance_text(claim(expect={"trend": "rises", "effect": 1})) == "rises by 1 or more"
    assert tolerance_text(claim(expect={"value": 1, "rounding": 0.05})) == "± 0.05"
    assert tolerance_text(claim(expect={"value": 1, "rounding": 0.05}), 0.2345) == "± 0.234"


@pytest.mark.parametrize("paper", ["d2d-nardini", "delivery-park"])
def test_the_papers_claims_are_well_formed(paper: str) -> None:
    claims = yaml.safe_load((CLAIMS.parents[1] / paper / "claims.yaml").read_text())
    ids = [check(entry)["id"] for entry in claims]
    assert len(ids) == len(set(ids)) > 40
    for entry in claims:
        assert "not_testable" in entry or entry["why"], entry["id"]


def test_a_differing_claim_names_what_another_scenario_measured():
    """`vary`: values of runs that vary what the paper leaves open, in the order of their parameters."""
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


def run(order: str, seed: int, value: float, **change: Any) -> dict[str, Any]:
    """A run of the delivery paper with what its causes are made of."""
    return row(value) | {
        "variant": f"cubic-{order}", "seed": seed, "congestion_control": "cubic", "param.rate": 0.01,
        "goodput_mbps": value, "file_goodput_mbps": value, "rlc_retransmissions_dl": 60, "flight_mean_bytes": 5e5,
    } | change  # fmt: skip


IN_FACTS = {"retransmissions": 0, "spurious_retransmits": 0, "cwnd_reductions": 0, "cwnd_undos": 0}
OUT_FACTS = {"retransmissions": 50, "spurious_retransmits": 49, "cwnd_reductions": 9, "cwnd_undos": 7}


def gain(**change: Any) -> dict[str, Any]:
    metric = "file_goodput_mbps"
    return claim(
        unit="1", explain="delivery", expect={"value": 1.25, "tolerance": 0.01},
        measure={"metric": metric, "where": {"variant": ["cubic-out", "yeah-out"]}},
        ratio={"metric": metric, "where": {"variant": ["cubic-in", "yeah-in"]}, "by": ["congestion_control"]},
    ) | change  # fmt: skip


def test_a_ratio_is_paired_by_seed_and_columns() -> None:
    """Seeds and controls of very different rates: each pair has a ratio, each seed the mean of its pairs."""
    rows = [
        run(order, seed, rate * seed, congestion_control=cc, variant=f"{cc}-{order}")
        for cc, order, rate in (("cubic", "in", 10), ("cubic", "out", 12), ("yeah", "in", 1000), ("yeah", "out", 1300))
        for seed in (1, 2)
    ]
    found = evaluate_one(gain(), rows)
    assert found.verdict == "reproduced"
    assert found.measured is not None and found.measured.value == pytest.approx(1.25)
    assert found.measured.half_width == pytest.approx(0, abs=1e-9)
    lonely = [r for r in rows if r["seed"] == 1 or r["variant"] == "cubic-in"]
    assert evaluate_one(gain(), lonely).measured == Estimate(pytest.approx(1.25))
    assert evaluate_one(gain(), [r for r in rows if r["variant"].endswith("out")]).verdict == "not-run"
    unpaired = [run("in", 1, 10.0), run("out", 2, 10.0)]
    assert evaluate_one(gain(), unpaired).cause == "The runs have no file_goodput_mbps."


def test_ratio_and_minus_exclude_each_other() -> None:
    with pytest.raises(DataError, match="key ratio: allowed without minus"):
        check(gain(minus={"metric": "rtt_mean_ms"}))


def test_a_difference_of_delivery_says_what_governed_the_window() -> None:
    rows = [run("in", 1, 200.0, **IN_FACTS), run("out", 1, 100.0, **OUT_FACTS)]
    cause = evaluate_one(gain(), rows).cause
    assert "cubic-out, mean of 1 runs: 60 RLC retransmissions, 49 retransmits spurious, 9.0 reductions of cwnd" in cause
    assert "look like losses to TCP" in cause
    assert "cubic-in, mean of 1 runs: 60 RLC retransmissions, 0 retransmits spurious" in cause
    assert cause.endswith("500 kB in flight at an RTT of 200 ms make 200 Mbit/s.")
    slow = [run("in", 1, 200.0, **IN_FACTS, congestion_control="yeah"), run("out", 1, 9.0, congestion_control="yeah")]
    assert evaluate_one(gain(), slow).cause.endswith("It takes delay for a queue and holds its window down.")
    lossy = run("in", 1, 200.0, **IN_FACTS | {"retransmissions": 9, "cwnd_reductions": 2})
    assert evaluate_one(gain(), [lossy, rows[1]]).cause.endswith("Retransmissions of lost packets governed the window.")


def test_a_ratio_is_varied_over_windows_in_their_order() -> None:
    vary = {"scenario": "windows", "by": ["tcp.receive_window"]}
    rows = [run("in", 1, 200.0, **IN_FACTS), run("out", 1, 100.0, **OUT_FACTS)]
    for window, value in ((None, 5.0), (1048576, 20.0), (65536, 11.0)):
        more = {"scenario": "windows", "param.tcp.receive_window": window}
        rows += [run("in", 1, 10.0, **more), run("out", 1, value, **more)]
    cause = evaluate_one(gain(vary=vary), rows).cause
    assert "1.10 (window 64 KiB); 2.00 (window 1024 KiB); 0.50 (window autotuned)." in cause
    other = gain(vary=vary | {"scenario": "windows"}, measure={"metric": "rtt_mean_ms", "where": {"seed": 1}})
    assert (
        "has no run of this kind"
        in evaluate_one(
            other | {"ratio": {"metric": "rtt_p50_ms", "where": {}}, "measure": other["measure"]},
            [row(1.0, rtt_p50_ms=1.0), row(2.0, scenario="windows")],
        ).cause
    )


def test_claims_of_a_file(tmp_path: Path) -> None:
    assert [entry["id"] for entry in read_claims(CLAIMS)][0] == "cqi-15"
    wrong = tmp_path / "claims.yaml"
    wrong.write_text("a: 1")
    with pytest.raises(DataError, match="expected a list of claims"):
        read_claims(wrong)
    with pytest.raises(DataError, match="nowhere"):
        read_claims(tmp_path / "nowhere")
