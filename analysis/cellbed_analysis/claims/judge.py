# SPDX-License-Identifier: GPL-2.0-or-later
"""Puts a paper's claims beside what the runs measured.

A claim names the scenario it needs, a metric with a selector of runs, and what
the paper expects of it: a value with a tolerance, a range, a bound, or a trend
over a parameter. Claims arrive inside the manifests. Only usable runs count;
runs of different labs are never mixed (virtual is preferred).

Source: docs/claims.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..metrics.one_lab import one_lab
from ..metrics.over_runs import select, series_over
from ..stats.interval import Estimate
from ..study import studies
from .claim import SECOND, paper_value, scenarios_of, selectors, tolerance_text
from .expect import DIFFERS, REPRODUCED, UNDECIDED, Judgement, judge_trend, judge_value
from .explain import Row, explain
from .measure import SPREAD_RUNS, measure, spread
from .power import power
from .vary import variations

#: A value of a trend's parameter, and what is measured there.
Point = tuple[float, Estimate]
#: What was judged, and what was not: only the former are counted as results.
COUNTED = (REPRODUCED, DIFFERS, UNDECIDED)
VERDICTS = (*COUNTED, "implied", "not-testable", "not-run")


@dataclass(frozen=True)
class Outcome:
    """A claim with what was measured; `to_json` is its entry in claims.json."""

    claim: dict[str, Any]
    verdict: str
    measured: Estimate | None = None
    cause: str = ""
    runs: tuple[str, ...] = ()
    judgement: Judgement | None = None
    series: tuple[Point, ...] = field(default=(), repr=False)

    @property
    def paper(self) -> float | str:
        """What the paper says, a number where it gives one."""
        return paper_value(self.claim)

    @property
    def tolerance(self) -> str:
        """What is accepted, in words, for the report."""
        return tolerance_text(self.claim)

    @property
    def power(self) -> float | None:
        """How likely these runs reproduce what is true; see power.py."""
        return None if self.judgement is None else power(self.claim["expect"], self.judgement.compared)

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts outside the project rely on."""
        return {
            "id": self.claim["id"],
            "source": self.claim["source"],
            "statement": " ".join(self.claim["statement"].split()),
            "paper": self.paper,
            "measured": _finite(self.measured.value) if self.measured else None,
            "ci95": _ends(self.measured),
            "compared": _ends(self.judgement.compared) if self.judgement else None,
            "unit": self.claim["unit"],
            "tests": self.claim.get("tests"),
            "expected": self.tolerance,
            "distance": self._distance(),
            "within": _finite(self.judgement.within) if self.judgement and self.judgement.within is not None else None,
            "power": self.power,
            "series": [[x, point.value, _ends(point)] for x, point in self.series],
            "verdict": self.verdict,
            "cause": self.cause,
        }

    def _distance(self) -> dict[str, float | str | None] | None:
        if self.judgement is None:
            return None
        found = self.judgement
        return {"value": _finite(found.distance), "multiple": found.multiple, "of": found.of}


def distant(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Claims that differ, the farthest first; those without a multiple at the end, in the order of the file."""
    differing = [outcome for outcome in outcomes if outcome.verdict == DIFFERS and outcome.judgement]
    return sorted(differing, key=lambda one: -abs((one.judgement and one.judgement.multiple) or 0.0))


def _ends(found: Estimate | None) -> list[float] | None:
    """Of an interval, for JSON."""
    if found is None or found.low is None or found.high is None or math.isinf(found.high):
        return None
    return [found.low, found.high]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def with_sweeps(rows: Sequence[Row]) -> list[Row]:
    """All that claims may measure: the rows of runs, and what studies make of many runs together."""
    return [*rows, *(row for study in studies() for row in study.sweep_rows(rows))]


def evaluate(claims: Sequence[dict[str, Any]], rows: Sequence[Row]) -> list[Outcome]:
    """Evaluate claims on the rows of metrics.parquet."""
    return [evaluate_one(claim, rows) for claim in claims]


def evaluate_one(claim: dict[str, Any], rows: Sequence[Row]) -> Outcome:
    """Evaluate one claim; see the module's text for the rules."""
    if "not_testable" in claim:
        return Outcome(claim, "not-testable", cause=" ".join(claim["not_testable"].split()))
    of_scenario = [row for row in rows if row["scenario"] in scenarios_of(claim)]
    usable = one_lab([row for row in of_scenario if row["usable"]])
    if not usable:
        return Outcome(claim, "not-run", cause=_why_not_run(claim, of_scenario))
    arms = [select(usable, selector) for selector in selectors(claim)]
    if not all(arms):
        return Outcome(claim, "not-run", cause="No usable run has this combination of parameters.")
    outcome = _trend(claim, arms[0]) if "trend" in claim["expect"] else _value(claim, arms)
    if "vary" in claim and outcome.verdict == DIFFERS:
        outcome = _with_note(outcome, variations(claim, rows))
    dropped = len(of_scenario) - sum(1 for row in of_scenario if row["usable"])
    if dropped and outcome.verdict == DIFFERS:
        outcome = _with_note(outcome, f"{dropped} runs of the scenario that are not usable left out.")
    return implied(outcome) if "implied" in claim else outcome


def implied(outcome: Outcome) -> Outcome:
    """What configuration implies is no result where it holds, and something to look into where not."""
    reason = " ".join(outcome.claim["implied"].split())
    if outcome.verdict == REPRODUCED:
        return replace(outcome, verdict="implied", cause=reason)
    return _with_note(outcome, f"Configuration should imply it: {reason}") if outcome.verdict == DIFFERS else outcome


def _why_not_run(claim: dict[str, Any], rows: Sequence[Row]) -> str:
    if not rows:
        return f"No run of {', '.join(scenarios_of(claim))} in these results."
    return f"None of the {len(rows)} runs of {', '.join(scenarios_of(claim))} is usable."


def _with_note(outcome: Outcome, note: str) -> Outcome:
    return replace(outcome, cause=f"{outcome.cause} {note}".strip())


def _value(claim: dict[str, Any], arms: list[list[Row]]) -> Outcome:
    every = list({id(row): row for arm in arms for row in arm}.values())  # arms may have runs in common
    measured = measure(claim, every)
    runs = tuple(row["bundle"] for row in every)
    if measured is None:
        metrics = [selector["metric"] for selector in selectors(claim)]
        cause = f"The runs have no {' or no '.join(dict.fromkeys(metrics))}."
        return Outcome(claim, "not-run", cause=cause, runs=runs)
    return judged(claim, measured, _chance(claim, every, measured), lambda: _cause(claim, arms), runs)


def _chance(claim: dict[str, Any], rows: list[Row], measured: Estimate) -> float | None:
    """Half of the interval that decides, of a number with chance in it; infinite with too few runs to tell."""
    if claim.get("tests") != "spread":
        return None
    found = spread(claim, rows, measured)
    return math.inf if found is None else found


def judged(
    claim: dict[str, Any],
    measured: Estimate,
    chance: float | None,
    cause: Callable[[], str],
    runs: tuple[str, ...] = (),
) -> Outcome:
    """A measured value and its verdict.

    Args:
        claim: not that of a trend.
        measured: with its own interval.
        chance: see judge_value(); infinite where too few runs tell.
        cause: says why it differs, if it does.
        runs: names of the bundles.
    """
    found = judge_value(claim["expect"], measured, chance)
    return Outcome(claim, found.verdict, measured, _why(found, cause), runs, found)


def _why(found: Judgement, cause: Callable[[], str]) -> str:
    if found.verdict == DIFFERS:
        return cause()
    half = found.compared.half_width
    if found.verdict == REPRODUCED or half is None:
        return ""
    if math.isinf(half):
        return f"A spread takes {SPREAD_RUNS} seeds or more, the results have fewer."
    return f"Chance allows ± {half:.3g}: more seeds would tell."


def _cause(claim: dict[str, Any], arms: list[list[Row]]) -> str:
    """Of a claim and its arms, two by two."""
    own = explain(claim, arms[0], arms[1] if len(arms) > 1 else [])
    if "than" not in claim:
        return own
    bare = {key: value for key, value in claim.items() if key not in ("than", *SECOND)}
    return f"{own} {_cause(bare | claim['than'], arms[2:])}".strip()


def _trend(claim: dict[str, Any], chosen: list[Row]) -> Outcome:
    metric, parameter = claim["measure"]["metric"], claim["measure"]["over"]
    series = series_over(chosen, metric, parameter)
    runs = tuple(row["bundle"] for row in chosen)
    if len(series) < 3:
        cause = f"A trend needs three values of {parameter}, the results have {len(series)}."
        return Outcome(claim, "not-run", cause=cause, runs=runs)
    return judged_trend(claim, series, lambda: _trend_cause(claim, chosen), runs)


def judged_trend(
    claim: dict[str, Any], series: Sequence[Point], cause: Callable[[], str], runs: tuple[str, ...] = ()
) -> Outcome:
    """A series of three points or more, and its verdict."""
    found = judge_trend(claim["expect"], [point for _, point in series])
    return Outcome(claim, found.verdict, found.measured, _why(found, cause), runs, found, tuple(series))


def _trend_cause(claim: dict[str, Any], chosen: Sequence[Row]) -> str:
    over = claim["measure"]["over"]
    return explain({"explain": "trend"} | claim, [row for row in chosen if row.get(over) is not None], [])
