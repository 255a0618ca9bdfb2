# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims judged by what claims.json keeps of them: pages follow a change of a claim without a run.

Source: docs/claims.md, "claims.json"
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..stats.interval import Estimate
from .expect import Judgement
from .judge import Outcome, implied, judged, judged_trend

NOT_YET = "No published run has measured it yet; `cellbed replicate` does."


def outcome_of(claim: dict[str, Any], kept: Mapping[str, Any] | None) -> Outcome:
    """A checked claim with what was measured.

    Args:
        claim: as the file has it now.
        kept: its entry in claims.json, or the measured part of one; None where there is none.
    """
    if "not_testable" in claim:
        return Outcome(claim, "not-testable", cause=" ".join(claim["not_testable"].split()))
    if kept is None or kept["measured"] is None:
        return Outcome(claim, "not-run", cause=NOT_YET if kept is None else kept.get("cause", ""))
    if kept.get("bare"):
        return Outcome(claim, "not-run", Estimate(kept["measured"]), "Its interval was not kept.")
    found = _trend(claim, kept) if "trend" in claim["expect"] else _value(claim, kept)
    return implied(found) if "implied" in claim else found


def _value(claim: dict[str, Any], kept: Mapping[str, Any]) -> Outcome:
    chance = None
    if claim["tests"] == "spread":
        compared = kept.get("compared")
        chance = math.inf if compared is None else (compared[1] - compared[0]) / 2
    return judged(claim, _estimate(kept["measured"], kept.get("ci95")), chance, lambda: str(kept.get("cause", "")))


def _trend(claim: dict[str, Any], kept: Mapping[str, Any]) -> Outcome:
    """Earlier pages did not keep the series; their verdict stands."""
    if kept.get("series"):
        series = [(x, _estimate(value, ends)) for x, value, ends in kept["series"]]
        return judged_trend(claim, series, lambda: str(kept.get("cause", "")))
    measured, far = _estimate(kept["measured"], kept.get("ci95")), kept["distance"]
    judgement = Judgement(kept["verdict"], measured, far["value"], far["multiple"], far["of"], measured)
    return Outcome(claim, kept["verdict"], measured, str(kept.get("cause", "")), judgement=judgement)


def _estimate(value: float, ends: Sequence[float] | None) -> Estimate:
    low, high = ends or (None, None)
    return Estimate(value, low, high, "kept")
