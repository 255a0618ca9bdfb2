# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims judged by what claims.json keeps: as the runs were judged, or once more where the claim has changed."""

from __future__ import annotations

from typing import Any

import pytest
from synthetic_claim import claim, row

from cellbed_analysis.claims.again import NOT_YET, outcome_of
from cellbed_analysis.claims.claim import check
from cellbed_analysis.claims.judge import evaluate_one

RISES = {"measure": {"metric": "rtt_mean_ms", "over": "receive_window_bytes"}, "tests": "direction",
         "expect": {"trend": "rises", "effect": 2}}  # fmt: skip
SPREAD = {"tests": "spread", "expect": {"value": 30, "rounding": 1}}
KEPT = {"measured": 5.0, "ci95": None, "verdict": "differs", "cause": "As then.",
        "distance": {"value": 3.0, "multiple": 1.5, "of": "effect"}}  # fmt: skip


def windows(*values: float) -> list[dict[str, Any]]:
    """Runs with a window of 1, 2, ... bytes."""
    return [row(value, receive_window_bytes=at) for at, value in enumerate(values, 1)]


@pytest.mark.parametrize(("change", "rows"), [
    ({}, [row(30.2)]), ({}, [row(33.0)]), ({}, [row(31.0)]), ({}, []), ({"implied": "By its settings."}, [row(30.2)]),
    (SPREAD, [row(30.0 + seed / 9, seed=seed) for seed in range(9)]), (SPREAD, [row(33.0)]),
    ({"not_testable": "No  metric."}, [row(30.0)]), (RISES, windows(10, 20, 30)), (RISES, windows(10, 20, 12)),
    (RISES, windows(10, 20)),
])  # fmt: skip
def test_what_is_kept_leads_to_the_same_verdict(change: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    one = check(claim(**change))
    then = evaluate_one(one, rows)
    again = outcome_of(one, then.to_json())
    assert again.verdict == then.verdict and again.to_json() == then.to_json()


def test_a_claim_that_has_changed_is_judged_by_what_it_says_now() -> None:
    kept = evaluate_one(check(claim()), [row(33.0)]).to_json()
    wider = outcome_of(check(claim(expect={"value": 30, "tolerance": 5})), kept)
    assert (kept["verdict"], wider.verdict, wider.cause) == ("differs", "reproduced", "")
    series = evaluate_one(check(claim(**RISES)), windows(10, 20, 30)).to_json()
    more = outcome_of(check(claim(**RISES | {"expect": {"trend": "rises", "effect": 25}})), series)
    assert (series["verdict"], more.verdict) == ("reproduced", "differs")


def test_what_earlier_pages_did_not_keep() -> None:
    """Of a trend its series, so that the verdict stands; of some a mean without its interval, which judges nothing."""
    trend = outcome_of(check(claim(**RISES)), KEPT)
    assert (trend.verdict, trend.cause, trend.to_json()["distance"]) == ("differs", "As then.", KEPT["distance"])
    bare = outcome_of(check(claim()), KEPT | {"bare": True})
    assert (bare.verdict, bare.cause, bare.judgement) == ("not-run", "Its interval was not kept.", None)
    assert bare.measured is not None and bare.measured.value == 5


def test_what_was_not_measured() -> None:
    assert (outcome_of(check(claim()), None).verdict, outcome_of(check(claim()), None).cause) == ("not-run", NOT_YET)
    found = outcome_of(check(claim()), {"measured": None, "cause": "No run."})
    assert (found.verdict, found.cause) == ("not-run", "No run.")
