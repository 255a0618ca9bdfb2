# SPDX-License-Identifier: GPL-2.0-or-later
"""Which of several runs of one name may be averaged: those of one configuration, the newest of each seed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .run import RunAnalysis

#: What a run keeps and when it is believed changes nothing that it measures.
NOT_CONFIGURATION = ("param.capture.", "param.validity.")
#: So many differences are named.
DIFFERENCES_MAX = 3


def newest_only(runs: Sequence[RunAnalysis]) -> list[RunAnalysis]:
    """The same runs, with usable ones set apart as superseded where a newer usable one has their name.

    Two runs of one variant, seed and lab differ by a rebuilt radio daemon or by an override, runs of other seeds by
    an override: averaging them would mix what should be compared.
    """
    latest: dict[tuple[Any, ...], RunAnalysis] = {}  # by name, and by name and seed
    for run in sorted((run for run in runs if run.usable), key=lambda run: str(run.row["created"])):
        latest[_name(run)] = latest[*_name(run), run.row["seed"]] = run
    return [_judged(run, latest) if run.usable else run for run in runs]


def _judged(run: RunAnalysis, latest: dict[tuple[Any, ...], RunAnalysis]) -> RunAnalysis:
    of_name, of_seed = latest[_name(run)], latest[*_name(run), run.row["seed"]]
    if of_seed is not run:
        return _superseded(run, of_seed)
    return _superseded(run, of_name) if differences(run, of_name) else run


def _superseded(run: RunAnalysis, newer: RunAnalysis) -> RunAnalysis:
    found = differences(run, newer)
    named = ", ".join(found[:DIFFERENCES_MAX])
    more = f" and {len(found) - DIFFERENCES_MAX} more" if len(found) > DIFFERENCES_MAX else ""
    return run.set_apart("superseded", f"superseded by {newer.bundle.path.name}, a newer run of that name"
                         + (f" with {named}{more}" if found else ""))  # fmt: skip


def differences(run: RunAnalysis, newer: RunAnalysis) -> list[str]:
    """Parameters in which two runs differ, such as "radio.n_rb=25 instead of 50"."""
    old, new = _configuration(run.row), _configuration(newer.row)
    keys = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
    return [f"{key.removeprefix('param.')}={new.get(key)} instead of {old.get(key)}" for key in keys]


def _configuration(row: dict[str, Any]) -> dict[str, Any]:
    drawn = {key.replace(".start_jitter_s", ".start_s") for key, value in row.items()
             if key.startswith("param.traffic.") and key.endswith(".start_jitter_s") and value}  # fmt: skip
    return {key: value for key, value in row.items()
            if key.startswith("param.") and not key.startswith(NOT_CONFIGURATION) and key not in drawn}  # fmt: skip


def _name(run: RunAnalysis) -> tuple[Any, ...]:
    params = json.dumps(run.bundle.manifest.get("params", {}), sort_keys=True)
    return (*(run.row[key] for key in ("scenario", "variant", "lab")), params)
