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
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cellbed_formats import bounded_yaml
from cellbed_formats.bundle import Results
from cellbed_formats.error import DataError
from cellbed_formats.size import parse_size

from .explain import EXPLANATIONS, Row, explain
from .interval import Estimate, difference, over_seeds, proportion
from .metrics.catalog import METRICS, SURFACE_METRICS
from .one_lab import one_lab

VERDICTS = ("reproduced", "differs", "not-testable", "not-run")
SECOND = ("minus", "ratio")  # what a second selector does with the first
TRENDS = ("rises", "rises-first", "falls", "falls-somewhere")
KEYS = {
    "id", "source", "scenario", "statement", "measure", "minus", "ratio", "expect", "paper", "unit",
    "why", "explain", "vary", "not_testable",
}  # fmt: skip
REQUIRED = ("id", "source", "scenario", "statement", "unit")
EXPECTATIONS = (
    {"value", "tolerance"},
    {"low", "high"},
    {"above"},
    {"below"},
    {"trend", "tolerance"},
)


@dataclass(frozen=True)
class Outcome:
    """A claim with what was measured; `to_json` is its entry in claims.json."""

    claim: dict[str, Any]
    verdict: str
    measured: Estimate | None = None
    cause: str = ""
    runs: tuple[str, ...] = ()
    series: tuple[tuple[float, Estimate], ...] = field(default=(), repr=False)

    @property
    def paper(self) -> float | str:
        """What the paper says, a number where it gives one."""
        return paper_value(self.claim)

    @property
    def tolerance(self) -> str:
        """What is accepted, in words, for the report."""
        return tolerance_text(self.claim)

    def to_json(self) -> dict[str, Any]:
        """Keys that scripts outside the project rely on."""
        low, high = (self.measured.low, self.measured.high) if self.measured else (None, None)
        return {
            "id": self.claim["id"],
            "source": self.claim["source"],
            "statement": " ".join(self.claim["statement"].split()),
            "paper": self.paper,
            "measured": _finite(self.measured.value) if self.measured else None,
            "ci95": None if low is None or high is None else [low, high],
            "unit": self.claim["unit"],
            "verdict": self.verdict,
            "cause": self.cause,
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def collect(results: Results) -> list[dict[str, Any]]:
    """Claims of all manifests, each id once, in file order.

    Runs of one scenario may carry different versions of the file; the most
    recently created run's version counts.

    A claim that does not follow the format becomes not testable, with the
    reason: the runs it came with can no longer be changed.

    Raises:
        DataError: an entry that is no claim at all.
    """
    claims: dict[str, dict[str, Any]] = {}
    for bundle in sorted(results.bundles, key=lambda b: str(b.manifest.get("created", ""))):
        for claim in bundle.manifest.get("claims") or []:
            if not isinstance(claim, dict) or "id" not in claim:
                raise DataError(f"{bundle.path}: claim {claim!r}: expected a mapping with an id")
            try:
                claims[claim["id"]] = check(claim)
            except DataError as error:
                kept = {key: claim.get(key, "") for key in REQUIRED}
                claims[claim["id"]] = kept | {"not_testable": f"malformed: {error}"}
    return list(claims.values())


def read_claims(path: Path) -> list[dict[str, Any]]:
    """Claims of a file, for runs that carry an older version of it or none.

    Raises:
        DataError: not a list of claims, or one that does not follow the format.
    """
    try:
        found = bounded_yaml.read(path)
    except (OSError, bounded_yaml.NotYaml) as error:
        raise DataError(str(error)) from error
    if not isinstance(found, list):
        raise DataError(f"{path}: expected a list of claims")
    return [check(claim) for claim in found]


def check(claim: Any) -> dict[str, Any]:
    """Validate one claim.

    Raises:
        DataError: naming the claim, key and what is allowed.
    """
    if not isinstance(claim, dict):
        raise DataError(f"claim {claim!r}: expected a mapping")
    name = f"claim {claim.get('id', '?')}"
    for key in sorted(set(claim) - KEYS):
        raise DataError(f"{name}: unknown key {key}: allowed: {', '.join(sorted(KEYS))}")
    for key in REQUIRED:
        if key not in claim:
            raise DataError(f"{name}: key {key}: missing")
    if "not_testable" in claim:
        return claim
    if set(claim.get("expect", {})) not in EXPECTATIONS:
        allowed = "; ".join(" and ".join(sorted(keys)) for keys in EXPECTATIONS)
        raise DataError(f"{name}: key expect: {claim.get('expect')}: allowed: {allowed}")
    trend = claim["expect"].get("trend")
    if trend is not None and trend not in TRENDS:
        raise DataError(f"{name}: key expect.trend: {trend}: allowed: {', '.join(TRENDS)}")
    if "minus" in claim and "ratio" in claim:
        raise DataError(f"{name}: key ratio: allowed without minus")
    for key in ("measure", *SECOND):
        selector = claim.get(key)
        if selector is None and key in SECOND:
            continue
        if not isinstance(selector, dict) or selector.get("metric") not in METRICS | SURFACE_METRICS:
            raise DataError(f"{name}: key {key}.metric: {selector}: see docs/metrics.md")
    if trend is not None and "over" not in claim["measure"]:
        raise DataError(f"{name}: key measure.over: missing: a trend needs a parameter")
    vary = claim.get("vary")
    if vary is not None and (not isinstance(vary, dict) or set(vary) != {"scenario", "by"}):
        raise DataError(f"{name}: key vary: {vary}: expected scenario and by")
    if claim.get("explain", "rtt") not in EXPLANATIONS:
        raise DataError(f"{name}: key explain: {claim['explain']}: allowed: {', '.join(EXPLANATIONS)}")
    return claim


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
    chosen = select(usable, claim["measure"])
    second = second_selector(claim)
    other = select(usable, second) if second else []
    if not chosen or (second and not other):
        return Outcome(claim, "not-run", cause="No usable run has this combination of parameters.")
    is_trend = "trend" in claim["expect"]
    outcome = _trend(claim, chosen) if is_trend else _value(claim, chosen, other)
    if "vary" in claim and outcome.verdict == "differs":
        outcome = _with_note(outcome, variations(claim, rows))
    dropped = len(of_scenario) - sum(1 for row in of_scenario if row["usable"])
    if dropped and outcome.verdict == "differs":
        return _with_note(outcome, f"{dropped} runs of the scenario that are not usable left out.")
    return outcome


def scenarios_of(claim: dict[str, Any]) -> list[str]:
    """Ids of the scenarios whose runs a claim needs."""
    named = claim["scenario"]
    return list(named) if isinstance(named, list) else [named]


def variations(claim: dict[str, Any], rows: Sequence[Row]) -> str:
    """What a claim measures where a scenario varies what the paper does not state, in words."""
    scenario, keys = claim["vary"]["scenario"], claim["vary"]["by"]
    usable = one_lab([row for row in rows if row["scenario"] == scenario and row["usable"]])
    if not usable:
        return f"What the paper does not state is varied by the scenario {scenario}, which is not in these results."
    by_point: dict[tuple[Any, ...], list[Row]] = {}
    for row in usable:
        by_point.setdefault(tuple(row.get(f"param.{key}", row.get(key)) for key in keys), []).append(row)
    points = []
    for values in sorted(by_point, key=_in_order):
        found = measure(claim, by_point[values])
        if found is not None:
            where = ", ".join(_setting(key, value) for key, value in zip(keys, values, strict=True))
            unit = "" if claim["unit"] == "1" else f" {claim['unit']}"
            points.append(f"{found.value:.{2 if 'ratio' in claim else 1}f}{unit} ({where})")
    if not points:
        return f"{scenario}, which varies what the paper does not state, has no run of this kind."
    return f"Measured where {scenario} varies what the paper does not state: {'; '.join(points)}."


def _in_order(values: Sequence[Any]) -> list[tuple[bool, Any]]:
    """Sorts settings: numbers, none, words."""
    return [(isinstance(value, str), math.inf if value is None else value) for value in values]


def _setting(key: str, value: Any) -> str:
    """A parameter and its value, for people."""
    if key == "tcp.receive_window":
        return "window autotuned" if value is None else f"window {parse_size(value) / 1024:g} KiB"
    return f"{key.rsplit('.', 1)[-1]} {value}"


def _why_not_run(claim: dict[str, Any], rows: Sequence[Row]) -> str:
    if not rows:
        return f"No run of {', '.join(scenarios_of(claim))} in these results."
    return f"None of the {len(rows)} runs of {', '.join(scenarios_of(claim))} is usable."


def _with_note(outcome: Outcome, note: str) -> Outcome:
    return Outcome(
        outcome.claim, outcome.verdict, outcome.measured,
        f"{outcome.cause} {note}".strip(), outcome.runs, outcome.series,
    )  # fmt: skip


def select(rows: Sequence[Row], selector: dict[str, Any]) -> list[Row]:
    """Rows that match `where`: of a list any value does, and `largest` means the largest among them."""
    where = selector.get("where") or {}
    chosen = [row for row in rows if all(_matches(row.get(key), value) for key, value in where.items())]
    for key in (key for key, value in where.items() if value == "largest"):
        known = [row[key] for row in chosen if row.get(key) is not None]
        chosen = [row for row in chosen if known and row.get(key) == max(known)]
    return chosen


def _matches(value: Any, wanted: Any) -> bool:
    return bool(wanted == "largest" or (value in wanted if isinstance(wanted, list) else value == wanted))


def second_selector(claim: dict[str, Any]) -> dict[str, Any] | None:
    """The selector that is subtracted or divides; None without one."""
    return next((claim[key] for key in SECOND if key in claim), None)


def measure(claim: dict[str, Any], rows: Sequence[Row]) -> Estimate | None:
    """What a claim compares with the paper; None where the rows cannot give it."""
    chosen, metric = select(rows, claim["measure"]), claim["measure"]["metric"]
    if "ratio" in claim:
        return ratio(chosen, select(rows, claim["ratio"]), metric, claim["ratio"])
    first = estimate(chosen, metric)
    if "minus" not in claim or first is None:
        return first
    subtracted = estimate(select(rows, claim["minus"]), claim["minus"]["metric"])
    return None if subtracted is None else difference(first, subtracted)


def ratio(rows: Sequence[Row], other: Sequence[Row], metric: str, selector: dict[str, Any]) -> Estimate | None:
    """A metric over another run's, of pairs that have the seed and the columns of `by` in common.

    Runs of one seed met the same radio, so their ratio varies less than they do.

    Returns:
        Student's t over the seeds, of each the mean over its pairs; None without a pair.
    """
    keys = ("seed", *selector.get("by", ()))
    base = {tuple(row.get(key) for key in keys): row.get(selector["metric"]) for row in other}
    by_seed: dict[Any, list[float]] = {}
    for row in rows:
        divisor = base.get(tuple(row.get(key) for key in keys))
        if divisor and row.get(metric) is not None:
            by_seed.setdefault(row["seed"], []).append(row[metric] / divisor)
    return over_seeds([sum(group) / len(group) for group in by_seed.values()]) if by_seed else None


def estimate(rows: Sequence[Row], metric: str) -> Estimate | None:
    """A metric over runs: Student's t over seeds, or the one seed's own interval.

    Runs of one seed that differ otherwise (a selector that spans
    combinations) are averaged per seed first. What happens in a run or does not is counted
    over all runs instead (Wilson).
    """
    if metric in METRICS and METRICS[metric].event:
        counted = [row[metric] for row in rows if row.get(metric) is not None]
        return proportion(counted) if counted else None
    by_seed: dict[Any, list[Row]] = {}
    for row in rows:
        if row.get(metric) is not None and math.isfinite(row[metric]):
            by_seed.setdefault(row["seed"], []).append(row)
    if not by_seed:
        return None
    means = [sum(row[metric] for row in group) / len(group) for group in by_seed.values()]
    if len(means) > 1:
        return over_seeds(means)
    group = next(iter(by_seed.values()))
    low, high = group[0].get(f"{metric}_low"), group[0].get(f"{metric}_high")
    if len(group) > 1 or low is None or high is None:
        return Estimate(means[0])
    return Estimate(means[0], low, high, "block bootstrap within one run")


def _value(claim: dict[str, Any], chosen: list[Row], other: list[Row]) -> Outcome:
    measured = measure(claim, [*chosen, *other])
    runs = tuple(row["bundle"] for row in [*chosen, *other])
    if measured is None:
        metrics = [claim[key]["metric"] for key in ("measure", *SECOND) if key in claim]
        cause = f"The runs have no {' or no '.join(dict.fromkeys(metrics))}."
        return Outcome(claim, "not-run", cause=cause, runs=runs)
    if meets(claim["expect"], measured):
        return Outcome(claim, "reproduced", measured, runs=runs)
    cause = explain(claim, chosen, other)
    return Outcome(claim, "differs", measured, cause, runs)


def meets(expect: dict[str, Any], measured: Estimate) -> bool:
    """Whether a measured value is what the paper expects.

    Values and ranges look at the estimate itself. `above` and `below` are
    statements of direction: the whole confidence interval must agree.
    """
    value = measured.value
    if "value" in expect:
        return abs(value - float(expect["value"])) <= float(expect["tolerance"])
    if "low" in expect:
        return float(expect["low"]) <= value <= float(expect["high"])
    if "above" in expect:
        return (value if measured.low is None else measured.low) > float(expect["above"])
    return (value if measured.high is None else measured.high) < float(expect["below"])


def series_over(rows: Sequence[Row], metric: str, parameter: str) -> list[tuple[float, Estimate]]:
    """A metric against a parameter, in rising order of the parameter."""
    points = []
    for x in sorted({row[parameter] for row in rows if row.get(parameter) is not None}):
        at_x = estimate([row for row in rows if row.get(parameter) == x], metric)
        if at_x is not None:
            points.append((float(x), at_x))
    return points


def _trend(claim: dict[str, Any], chosen: list[Row]) -> Outcome:
    metric, parameter = claim["measure"]["metric"], claim["measure"]["over"]
    series = series_over(chosen, metric, parameter)
    runs = tuple(row["bundle"] for row in chosen)
    if len(series) < 3:
        cause = f"A trend needs three values of {parameter}, the results have {len(series)}."
        return Outcome(claim, "not-run", cause=cause, runs=runs)
    holds, measured = trend(claim["expect"], [point for _, point in series])
    if holds:
        return Outcome(claim, "reproduced", measured, runs=runs, series=tuple(series))
    cause = explain({"explain": "trend"} | claim, [row for row in chosen if row.get(parameter) is not None], [])
    return Outcome(claim, "differs", measured, cause, runs, tuple(series))


def trend(expect: dict[str, Any], points: Sequence[Estimate]) -> tuple[bool, Estimate]:
    """Whether a series has a trend, and the change that shows it.

    - rises: the last is above the first, and no later point lies below an earlier one;
      measured: last - first.
    - rises-first: some point is above the first; measured: peak - first.
    - falls: the last is below the first, and no later point lies above an earlier one;
      measured: last - first.
    - falls-somewhere: some later point is below an earlier one; measured: the largest fall, 0 without any.

    Differences up to the tolerance do not count, nor do those whose confidence
    interval holds zero.
    """
    tolerance = expect["tolerance"]
    pairs = [(before, after) for i, before in enumerate(points) for after in points[i + 1 :]]

    def exceeds(a: Estimate, b: Estimate) -> bool:
        gap = difference(a, b)
        return gap.value > tolerance and (gap.low is None or gap.low > 0)

    if expect["trend"] == "rises-first":
        peak = max(points, key=lambda point: point.value)
        return exceeds(peak, points[0]), difference(peak, points[0])
    if expect["trend"] == "falls-somewhere":
        high, low = max(pairs, key=lambda pair: pair[0].value - pair[1].value)
        return exceeds(high, low), difference(low, high) if high.value > low.value else Estimate(0.0)
    change = difference(points[-1], points[0])
    if expect["trend"] == "falls":
        return exceeds(points[0], points[-1]) and not any(exceeds(after, before) for before, after in pairs), change
    return exceeds(points[-1], points[0]) and not any(exceeds(before, after) for before, after in pairs), change


def paper_value(claim: dict[str, Any]) -> float | str:
    """The paper's number or words."""
    value: float | str = claim.get("paper", claim.get("expect", {}).get("value", ""))
    return value


def tolerance_text(claim: dict[str, Any]) -> str:
    """What the claim accepts, e.g. "± 1", "> 0", "1 to 2"."""
    expect = claim.get("expect", {})
    if "value" in expect:
        return f"± {expect['tolerance']}" if expect["tolerance"] else "exactly"
    if "low" in expect:
        return f"{expect['low']} to {expect['high']}"
    if "trend" in expect:
        return f"by more than {expect['tolerance']}"
    if "above" in expect:
        return f"> {expect['above']}"
    return f"< {expect['below']}" if "below" in expect else ""


def paper_beside(claims: Sequence[dict[str, Any]], row: Row, metric: str) -> float | None:
    """The paper's value of a run's metric, if a claim gives one for runs like it."""
    for claim in claims:
        measure = claim.get("measure", {})
        if (
            "value" in claim.get("expect", {})
            and second_selector(claim) is None
            and row["scenario"] in scenarios_of(claim)
            and measure["metric"] == metric
            and select([row], measure)
        ):
            return float(claim["expect"]["value"])
    return None
