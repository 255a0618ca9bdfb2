# SPDX-License-Identifier: GPL-2.0-or-later
"""A metric over runs: which rows count, whose interval is used, and how fairly flows shared."""

from __future__ import annotations

from typing import Any

import pytest

from cellbed_analysis.metrics.flow_table import fairness
from cellbed_analysis.metrics.over_runs import estimate, ratios, select, series_over
from cellbed_analysis.stats.interval import Estimate


def row(seed: int, value: float | None, **more: Any) -> dict[str, Any]:
    return {"seed": seed, "rtt_mean_ms": value, "rtt_mean_ms_low": 1.0, "rtt_mean_ms_high": 9.0, **more}


def test_one_run_has_its_own_interval() -> None:
    assert estimate([row(1, 5.0)], "rtt_mean_ms") == Estimate(5.0, 1.0, 9.0, "block bootstrap within one run", 1)
    of_many = row(1, 5.0, interval="bootstrap over runs", runs=7)
    assert estimate([of_many], "rtt_mean_ms") == Estimate(5.0, 1.0, 9.0, "bootstrap over runs", 7)


@pytest.mark.parametrize("change", [{"rtt_mean_ms_low": None}, {"rtt_mean_ms_high": None}])
def test_half_an_interval_is_none(change: dict[str, None]) -> None:
    assert estimate([row(1, 5.0) | change], "rtt_mean_ms") == Estimate(5.0)


def test_runs_of_one_seed_have_a_mean_and_no_interval() -> None:
    assert estimate([row(1, 4.0), row(1, 8.0)], "rtt_mean_ms") == Estimate(6.0)


def test_what_is_not_known_does_not_count() -> None:
    assert estimate([row(1, None), row(2, float("nan")), row(3, float("inf"))], "rtt_mean_ms") is None
    for unknown in (row(1, None), row(2, float("inf"))):
        assert estimate([unknown, row(2, 5.0)], "rtt_mean_ms") == Estimate(
            5.0, 1.0, 9.0, "block bootstrap within one run", 1)
    assert estimate([{"seed": 1, "ho_timeout": None}], "ho_timeout") is None


def test_what_happens_or_not_is_counted_over_all_runs() -> None:
    rows = [{"seed": seed, "ho_timeout": seed < 2} for seed in range(8)]
    found = estimate([*rows, {"seed": 9, "ho_timeout": None}], "ho_timeout")
    assert found is not None and (found.value, found.method, found.runs) == (0.25, "Wilson over 8 runs", 8)


def test_which_rows_match() -> None:
    rows = [{"a": a, "b": b} for a in (1, 2) for b in (3, 4, None)]
    assert select(rows, {}) == rows
    assert select(rows, {"where": {"a": 2, "b": [3, 4]}}) == [{"a": 2, "b": 3}, {"a": 2, "b": 4}]
    assert select(rows, {"where": {"a": 1, "b": "largest"}}) == [{"a": 1, "b": 4}]
    assert select(rows, {"where": {"c": "largest"}}) == []


def test_a_ratio_is_of_runs_of_one_seed() -> None:
    mine, theirs = [row(1, 6.0), row(2, 8.0), row(3, 5.0), row(4, None)], [row(1, 2.0), row(2, 2.0), row(4, 2.0)]
    assert ratios(mine, [*theirs, row(3, 0.0)], "rtt_mean_ms", {"metric": "rtt_mean_ms"}) == {1: 3.0, 2: 4.0}
    assert ratios(mine, [], "rtt_mean_ms", {"metric": "rtt_mean_ms"}) == {}


def test_a_series_rises_with_its_parameter() -> None:
    rows = [row(1, 5.0, x=30), row(1, 7.0, x=4), row(2, 9.0, x=4), row(1, None, x=5), row(1, 1.0, x=None)]
    assert [(x, at.value) for x, at in series_over(rows, "rtt_mean_ms", "x")] == [(4.0, 8.0), (30.0, 5.0)]


def shared(bundle: str, jain: float | None, together: float | None, together_s: float) -> dict[str, Any]:
    return {"scenario": "s", "variant": "v", "seed": 1, "lab": "virtual", "usable": True, "bundle": bundle,
            "flow_direction": "uplink", "flows_together": 3, "jain": jain, "jain_together": together,
            "together_s": together_s}  # fmt: skip


def test_fairness_in_words() -> None:
    (apart,) = fairness([shared("b", 0.75, None, 0.0)])
    assert str(apart).endswith("Jain's index of 3 flows, uplink: 0.750 over the whole run; "
                               "they were never all active at once")  # fmt: skip
    (untimed,) = fairness([shared("b", 0.75, None, 4.0)])
    assert str(untimed).endswith("uplink: 0.750 over the whole run")
    (found,) = fairness([shared("b", 0.75, 0.5, 4.0), shared("b", 0.75, 0.5, 4.0), shared("c", 0.25, 1.0, 2.0)])
    assert str(found).endswith("uplink: 0.750 while all were active (3.0 s), 0.500 over the whole run")


def test_of_what_no_flow_got_there_is_no_fairness() -> None:
    assert fairness([shared("b", None, None, 0.0)]) == []
    assert fairness([shared("b", float("nan"), None, 0.0)]) == []
