# SPDX-License-Identifier: GPL-2.0-or-later
"""Verdicts, numbers and words of all claims of the papers, over rows of runs that are drawn.

Each claim finds runs of its scenario for what it measures and compares, with draws for every metric there is. As in
test_golden_metrics, this says what changed and not what is right.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from golden import compare

from cellbed_analysis.claims.claim import read_claims, scenarios_of, selectors
from cellbed_analysis.claims.explain import explain, explanations
from cellbed_analysis.claims.judge import evaluate_one
from cellbed_analysis.claims.vary import ways
from cellbed_analysis.metrics.catalog import METRICS

SCENARIOS = Path(__file__).parents[3] / "scenarios"
FILES = sorted(SCENARIOS.glob("*/*claims.yaml"))
SEEDS = 4
OVER = (1, 2, 5, 10)


def drawn(draw: random.Random, n: int = SEEDS) -> list[dict[str, Any]]:
    """Runs of one setting: values of each metric that differ by a few per cent, some of them missing."""
    rows: list[dict[str, Any]] = [{} for _ in range(n)]
    for name, metric in METRICS.items():
        around, spread = draw.uniform(0, 100), draw.choice((0.002, 0.05))
        for row in rows:
            value = int(draw.random() < around / 100) if metric.event else round(around * draw.gauss(1, spread), 3)
            row[name] = None if draw.random() < 0.03 else value
    return rows


def runs_of(claim: dict[str, Any], draw: random.Random) -> list[dict[str, Any]]:
    """Runs of each setting that the claim asks for, and of those that it varies."""
    settings: dict[str, dict[str, Any]] = {}
    for selector in selectors(claim):
        where = {key: value[0] if isinstance(value, list) else 7 if value == "largest" else value
                 for key, value in (selector.get("where") or {}).items()}  # fmt: skip
        for value in OVER if "over" in selector else (None,):
            setting = where if value is None else where | {selector["over"]: value}
            settings[str(setting)] = setting
    rows = [(scenario, setting) for scenario in scenarios_of(claim) for setting in settings.values()]
    for way in ways(claim):
        rows += [(way["scenario"], setting | {f"param.{key}": value for key in way["by"]} | {"variant": f"way {value}"})
                 for setting in settings.values() for value in (1, 2)]  # fmt: skip
    return [run | {"bundle": f"run {i}-{seed}", "scenario": scenario, "usable": draw.random() > 0.05, "seed": seed,
                   "lab": "virtual", "variant": "drawn", "duration_s": 10.0} | setting
            for i, (scenario, setting) in enumerate(rows) for seed, run in enumerate(drawn(draw), 1)]  # fmt: skip


def told(claim: dict[str, Any]) -> dict[str, Any]:
    """What claims.json would say of it, without what the claim itself says."""
    found = evaluate_one(claim, runs_of(claim, random.Random(claim["id"]))).to_json()
    return {key: found[key] for key in ("measured", "ci95", "compared", "distance", "within", "power", "series",
                                        "verdict", "cause")}  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_claims(path: Path, golden_update: bool) -> None:
    compare(f"{path.parent.name}-{path.stem}", {claim["id"]: told(claim) for claim in read_claims(path)}, golden_update)


def test_explanations(golden_update: bool) -> None:
    """Of each kind, over rows with as good as nothing in them and with everything."""
    found = {}
    for name in explanations():
        draw = random.Random(name)
        claim = {"explain": name, "measure": {"metric": "rtt_mean_ms", "over": "seed"}, "expect": {"trend": "rises"}}
        for case in range(6):  # values of the last ones are often the same
            first, second = ([run | {"seed": seed, "variant": arm, "scenario": "s", "bundle": f"{arm}{seed}"}
                              | ({"rtt_mean_ms": draw.choice((10, 20))} if case > 3 else {})
                              for seed, run in enumerate(drawn(draw), 1)] for arm in "ab")  # fmt: skip
            falls = {"expect": {"trend": "falls"}} if case % 2 else {}
            found[f"{name} {case}"] = explain(claim | falls, first, second if case > 1 else [])
    compare("explanations", found, golden_update)
