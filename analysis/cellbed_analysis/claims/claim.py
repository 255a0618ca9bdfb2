# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims as files and manifests hold them: which keys they have, and what is no claim.

Source: docs/claims.md
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cellbed_formats import bounded_yaml
from cellbed_formats.bundle import Results
from cellbed_formats.error import DataError
from cellbed_formats.renamed import current

from ..metrics.catalog import METRICS, SWEEP_METRICS
from ..metrics.over_runs import select
from ..stats.interval import Estimate
from .expect import judge_value, tolerance
from .explain import Row, explanations

SECOND = ("minus", "ratio")  # what a second selector does with the first
TRENDS = ("rises", "rises-first", "falls", "rises-then-falls")
KEYS = {
    "id", "source", "scenario", "statement", "measure", "minus", "ratio", "than", "tests", "expect", "otherwise",
    "evidence", "paper", "unit", "why", "explain", "vary", "implied", "not_testable",
}  # fmt: skip
REQUIRED = ("id", "source", "scenario", "statement", "unit")
STATED = ({"value", "tolerance"}, {"low", "high"}, {"above"}, {"below"})
#: What a claim tests, and the forms of `expect` that can say so.
KINDS: dict[str, tuple[set[str], ...]] = {
    "digits": STATED,
    "words": STATED,
    "spread": ({"value", "rounding"}, {"value", "rounding", "runs"}),
    "direction": ({"above", "effect"}, {"below", "effect"}, {"trend", "effect"}),
}


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
    _check_evidence(claim.get("evidence", "own"), name)
    if "not_testable" in claim:
        return claim
    trend = _check_expectation(claim, name)
    if "minus" in claim and "ratio" in claim:
        raise DataError(f"{name}: key ratio: a claim has either minus or ratio; remove one of the two")
    _check_selectors(claim, name)
    if "than" in claim:
        _check_than(claim, name)
    if trend is not None and "over" not in claim["measure"]:
        raise DataError(f"{name}: key measure.over: missing; name the parameter of the trend")
    vary = claim.get("vary", [])
    for way in vary if isinstance(vary, list) else [vary]:
        if not isinstance(way, dict) or set(way) != {"scenario", "by"}:
            raise DataError(f"{name}: key vary: {way}: expected scenario and by")
    if claim.get("explain", "rtt") not in explanations():
        raise DataError(f"{name}: key explain: {claim['explain']}: allowed: {', '.join(explanations())}")
    return claim


def _check_evidence(said: Any, name: str) -> None:
    names = said if isinstance(said, list) and len(said) > 1 else [said]
    if not all(isinstance(one, str) and one for one in names):
        raise DataError(f"{name}: key evidence: {said}: expected a name, or a list of two or more")


def _check_selectors(claim: dict[str, Any], name: str, within: str = "") -> None:
    for key in ("measure", *SECOND):
        selector = claim.get(key)
        if selector is None and key in SECOND:
            continue
        if isinstance(selector, dict) and isinstance(selector.get("metric"), str):
            selector["metric"] = current("metric", selector["metric"])
        if not isinstance(selector, dict) or selector.get("metric") not in METRICS | SWEEP_METRICS:
            raise DataError(f"{name}: key {within}{key}.metric: {selector}: no such metric; docs/metrics.md lists them")


def _check_than(claim: dict[str, Any], name: str) -> None:
    """Another two arms, compared as the claim's own are."""
    than, how = claim["than"], next((key for key in SECOND if key in claim), None)
    if how is None or claim["tests"] != "direction" or "trend" in claim["expect"]:
        raise DataError(f"{name}: key than: allowed beside minus or ratio, where a direction without trend is tested")
    if not isinstance(than, dict) or set(than) != {"measure", how}:
        raise DataError(f"{name}: key than: {than}: expected measure and {how}, as the claim has")
    _check_selectors(than, name, "than.")


def _check_expectation(claim: dict[str, Any], name: str) -> str | None:
    """What is tested, and what would contradict it; returns the trend, if it is one."""
    kind, expect = claim.get("tests"), claim.get("expect") or {}
    if kind not in KINDS:
        raise DataError(f"{name}: key tests: {kind}: allowed: {', '.join(KINDS)}")
    if not isinstance(expect, dict) or set(expect) not in KINDS[kind]:
        allowed = "; ".join(" and ".join(sorted(keys)) for keys in KINDS[kind])
        raise DataError(f"{name}: key expect: {expect}: allowed where {kind} are tested: {allowed}")
    trend = expect.get("trend")
    if trend is not None and trend not in TRENDS:
        raise DataError(f"{name}: key expect.trend: {trend}: allowed: {', '.join(TRENDS)}")
    for key in expect.keys() - {"trend"}:
        _check_number(f"{name}: key expect.{key}", expect[key])
    for key in {"effect", "runs"} & set(expect):
        if expect[key] <= 0:
            raise DataError(f"{name}: key expect.{key}: {expect[key]}: expected more than 0")
    otherwise = claim.get("otherwise")
    if otherwise is not None:
        _check_number(f"{name}: key otherwise", otherwise)
        if trend is not None or judge_value(expect, Estimate(float(otherwise))).holds:
            raise DataError(f"{name}: key otherwise: {otherwise}: meets what is expected, or stands beside a trend")
    return trend


def _check_number(at: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DataError(f"{at}: {value!r}: expected a number")


def scenarios_of(claim: dict[str, Any]) -> list[str]:
    """Ids of the scenarios whose runs a claim needs."""
    named = claim["scenario"]
    return list(named) if isinstance(named, list) else [named]


def second_selector(claim: dict[str, Any]) -> dict[str, Any] | None:
    """The selector that is subtracted or divides; None without one."""
    return next((claim[key] for key in SECOND if key in claim), None)


def selectors(claim: dict[str, Any]) -> list[dict[str, Any]]:
    """All that choose runs: what is measured, what it is compared with, and the same of what both are compared with."""
    own = [claim[key] for key in ("measure", *SECOND) if key in claim]
    return [*own, *selectors(claim["than"])] if "than" in claim else own


def paper_value(claim: dict[str, Any]) -> float | str:
    """The paper's number or words."""
    value: float | str = claim.get("paper", claim.get("expect", {}).get("value", ""))
    return value


def tolerance_text(claim: dict[str, Any]) -> str:
    """What a checked claim accepts, e.g. "± 1", "> 0 by 5 or more", "1 to 2"."""
    expect = claim.get("expect", {})
    least = f" by {expect['effect']:g} or more" if "effect" in expect else ""
    if "value" in expect:
        accepted = tolerance(expect)
        return f"± {accepted:.3g}" if accepted else "exactly"
    if "low" in expect:
        return f"{expect['low']} to {expect['high']}"
    if "trend" in expect:
        return f"{expect['trend']}{least}"
    if "above" in expect:
        return f"> {expect['above']}{least}"
    return f"< {expect['below']}{least}" if "below" in expect else ""


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
