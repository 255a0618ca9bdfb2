# SPDX-License-Identifier: GPL-2.0-or-later
"""Variants against a baseline, seed by seed.

Runs of one seed meet the same radio in every variant, as each consumer of randomness has a stream of its own (common
random numbers), so what two of them differ by varies less than either. The differences of pairs are independent of
each other: Student's t. Effect size is Cohen's d_z, their mean over their standard deviation. Who compares much at once
finds something by chance: p values are also adjusted for the number of comparisons.

Source: Lakens; Holm
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from cellbed_formats.bundle import Bundle, load_results
from cellbed_formats.error import DataError
from cellbed_formats.renamed import current

from ..metrics.catalog import METRICS, measured
from ..metrics.run import RunAnalysis
from ..metrics.runs import analyse_all
from ..stats.interval import over_seeds
from ..stats.significance import holm, paired_p
from .fitted import Column, Fitted
from .words import number_text

#: Differences between pairs smaller than this part of the values are of floating point.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Comparison:
    """One metric of a variant against that of the baseline, over the seeds that both have."""

    scenario: str
    lab: str
    metric: str
    baseline: str
    variant: str
    pairs: int
    baseline_mean: float
    variant_mean: float
    difference: float  # variant minus baseline, in the metric's unit
    low: float | None  # of its 95 % interval; None of one pair
    high: float | None
    d_z: float | None  # None of one pair, when every pair differs by the same, or when one of the two never varies
    p: float | None  # of Student's t test; None of one pair, or when every pair differs by the same
    p_holm: float | None = None  # the same, adjusted for all comparisons that were made at once


def compare(
    results_dir: Path, metrics: Sequence[str], baseline: str | None = None, flow: str | None = None
) -> list[Comparison]:
    """As `compare_bundles`, of all bundles of a folder.

    Raises:
        DataError: no bundles, no such variant or flow, or nothing to compare.
    """
    return compare_bundles(load_results(Path(results_dir)).bundles, metrics, baseline, flow, results_dir)


def compare_bundles(
    bundles: Sequence[Bundle], metrics: Sequence[str], baseline: str | None, flow: str | None, where: Path
) -> list[Comparison]:
    """Compare every variant with the baseline, in each scenario and lab.

    Args:
        metrics: names in docs/metrics.md, of those with a unit.
        baseline: name of a variant; None: the first by name.
        flow: id of the flow to compare; None: each run's first.
        where: of messages.

    Raises:
        DataError: no such metric, variant or flow, or nothing to compare.
    """
    metrics = [current("metric", name) for name in metrics]
    for name in metrics:
        if name not in METRICS or METRICS[name].unit == "":
            rows = [row for run in analyse_all(bundles) if run.usable for row in run.rows]
            raise DataError(f"metric '{name}': allowed {', '.join(measured(rows))}")
    series: dict[tuple[str, str], dict[str, dict[int, dict[str, Any]]]] = {}
    runs = [run for run in analyse_all(bundles) if run.usable]
    if flow is not None and all(run.row_of(flow) is None for run in runs):
        raise DataError(f"--flow {flow}: allowed {', '.join(flows_of(runs)) or 'none: there is no usable run'}")
    for run in runs:
        row = run.row_of(flow)
        if row is not None:
            of = series.setdefault((run.row["scenario"], run.row["lab"]), {})
            of.setdefault(run.bundle.manifest["description"]["variant"], {})[run.row["seed"]] = row
    names = sorted({name for of in series.values() for name in of})
    if baseline is not None and baseline not in names:
        raise DataError(f"--baseline {baseline}: allowed {', '.join(names) or 'none: there is no usable run'}")
    found = []
    for (scenario, lab), variants in sorted(series.items()):
        first = baseline if baseline is not None else min(variants)
        for variant in sorted(variants.keys() - {first}) if first in variants else []:
            for metric in metrics:
                pair = _pairs(variants[first], variants[variant], metric)
                if len(pair):
                    found.append(_compare(scenario, lab, metric, first, variant, pair))
    if not found:
        raise DataError(f"{where}: no two variants have usable runs of the same seed with {' or '.join(metrics)}")
    return [replace(c, p_holm=p) for c, p in zip(found, holm([c.p for c in found]), strict=True)]


def flows_of(runs: Sequence[RunAnalysis]) -> list[str]:
    """Ids of all flows of some runs, each once."""
    return list(dict.fromkeys(row["flow"] for run in runs for row in run.rows if row.get("flow")))


def said_of(results_dir: Path, flow: str | None) -> str | None:
    """Which flow is compared where runs have several and none was asked for."""
    runs = [run for run in analyse_all(load_results(Path(results_dir)).bundles) if run.usable]
    first = [run.row.get("flow") for run in runs]
    others = [name for name in flows_of(runs) if name not in first]
    if flow is not None or not others:
        return None
    named = ", ".join(dict.fromkeys(name for name in first if name))
    return f"flow {named}; --flow names another: {', '.join(others[:8])}"


def _pairs(baseline: dict[int, dict[str, Any]], variant: dict[int, dict[str, Any]], metric: str) -> np.ndarray:
    """(n, 2) values of the baseline and the variant for every seed that both have."""
    both = sorted(baseline.keys() & variant.keys())
    pairs = [(baseline[seed].get(metric), variant[seed].get(metric)) for seed in both]
    return np.array([pair for pair in pairs if None not in pair], dtype=float).reshape(-1, 2)


def _compare(scenario: str, lab: str, metric: str, baseline: str, variant: str, pairs: np.ndarray) -> Comparison:
    differences = pairs[:, 1] - pairs[:, 0]
    estimate = over_seeds(list(differences))
    same = ROUNDING * float(np.abs(pairs).max())
    varies = len(pairs) > 1 and float(differences.std(ddof=1)) > same
    both_vary = varies and bool((pairs.std(axis=0) > same).all())
    return Comparison(
        scenario, lab, metric, baseline, variant, len(pairs), float(pairs[:, 0].mean()), float(pairs[:, 1].mean()),
        estimate.value, estimate.low, estimate.high,
        estimate.value / float(differences.std(ddof=1)) if both_vary else None,
        paired_p(differences) if varies else None,
    )  # fmt: skip


def to_json(found: Sequence[Comparison]) -> str:
    """The comparisons for programs; units are those of docs/metrics.md."""
    return json.dumps([{**asdict(c), "unit": METRICS[c.metric].unit} for c in found], indent=1)


def tables(found: Sequence[Comparison]) -> Iterator[Fitted]:
    """The comparisons for people, one table for each metric and baseline."""
    for key, group in groupby(sorted(found, key=_place), key=_place):
        scenario, lab, metric, baseline = key
        of = list(group)
        made = Fitted(
            f"{metric} ({METRICS[metric].unit}), {scenario}, {lab} lab\nagainst {baseline}: "
            f"{number_text(of[0].baseline_mean)}",
            Column("variant", words=True), Column("pairs", keep=1), Column("mean", keep=4),
            Column("difference", keep=6), Column("95 % CI", keep=5), Column("%", keep=3), Column("d_z", keep=2),
            Column("p (Holm)", keep=2),
        )  # fmt: skip
        for c in of:
            interval = "" if c.low is None else f"{number_text(c.low)} to {number_text(c.high)}"
            relative = f"{100 * c.difference / c.baseline_mean:+.1f}" if c.baseline_mean else ""
            effect = "" if c.d_z is None else f"{c.d_z:+.2f}"
            made.add_row(c.variant, str(c.pairs), number_text(c.variant_mean), number_text(c.difference), interval,
                         relative, effect, _p_text(c.p_holm))
        yield made


def _p_text(p: float | None) -> str:
    if p is None:
        return ""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _place(c: Comparison) -> tuple[str, str, str, str]:
    return c.scenario, c.lab, c.metric, c.baseline
