# SPDX-License-Identifier: GPL-2.0-or-later
"""A sweep's runs as one Parquet file: a row for each flow of each run, the same columns for every sweep but for the
settings that vary.

docs/sweep.md describes the columns. `metrics.parquet` of a report is wider: it has every setting of every run, and
whatever bundles lie in the folder.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from cellbed_formats import parquet
from cellbed_formats.bundle import read_bundle
from cellbed_formats.inside import Inside

from .catalog import METRICS
from .identity import IDENTITY
from .run import RunAnalysis, analyse
from .runs import analyse_all

FORMAT = "1"
#: Key of the file's metadata: JSON with format and units.
METADATA_KEY = "cellbed"
#: Which run it is, then what is said of it; `reasons` say why a run is not usable.
COLUMNS: dict[str, type[pl.DataType]] = {
    "scenario": pl.String, "variant": pl.String, "seed": pl.Int64, "lab": pl.String, "bundle": pl.String,
    "run_id": pl.String, "usable": pl.Boolean, "status": pl.String, "reasons": pl.String,
    "flow": pl.String,
}  # fmt: skip
PARAMETER = "param."


@dataclass(frozen=True)
class Executed:
    """A run of a sweep: its bundle, or why there is none."""

    scenario: str
    variant: str
    seed: int
    params: dict[str, Any]
    path: Path | None
    error: str | None = None


def values(paths: Sequence[Path], metric: str) -> list[float]:
    """A metric of the usable runs among some bundles."""
    rows = [run.row for run in (analyse(read_bundle(path)) for path in paths) if run.usable]
    return [float(row[metric]) for row in rows if row.get(metric) is not None]


def write_data_set(executed: Sequence[Executed], path: Inside) -> Inside:
    """Analyse the runs and write the file, which is the old one or the new one at any time."""
    frame = data_set(executed)
    parquet.write(frame, path, metadata=metadata(frame))
    return path


def data_set(executed: Sequence[Executed]) -> pl.DataFrame:
    """The rows of some runs, in their order."""
    done = [run for run in executed if run.path is not None]
    analysed = analyse_all([read_bundle(run.path) for run in done if run.path is not None])
    found = {run.bundle.path: run for run in analysed}
    rows = [row for run in executed for row in _rows(run, found.get(run.path) if run.path is not None else None)]
    return frame_of(rows, {**COLUMNS, **_parameters(executed), **metric_columns()})


def metric_columns() -> dict[str, type[pl.DataType]]:
    """Columns of all metrics that have a unit."""
    known = {metric.name for metric in IDENTITY} | set(COLUMNS)
    found: dict[str, type[pl.DataType]] = {}
    for metric in METRICS.values():
        if metric.name not in known and metric.unit:
            names = [metric.name] + ([f"{metric.name}_low", f"{metric.name}_high"] if metric.interval else [])
            found |= dict.fromkeys(names, pl.Float64)
    return found


def frame_of(rows: Sequence[dict[str, Any]], columns: dict[str, type[pl.DataType]]) -> pl.DataFrame:
    """Rows with just these columns; what one has not, or of another type, is null."""
    return pl.DataFrame({name: pl.Series(name, [row.get(name) for row in rows], dtype=kind, strict=False)
                         for name, kind in columns.items()})


def metadata(frame: pl.DataFrame) -> dict[str, str]:
    """Of a file with these columns: format and units."""
    units = {name: METRICS[name].unit for name in frame.columns if name in METRICS and METRICS[name].unit}
    return {METADATA_KEY: json.dumps({"format": FORMAT, "units": units})}


def _rows(run: Executed, analysed: RunAnalysis | None) -> list[dict[str, Any]]:
    said = {"scenario": run.scenario, "variant": run.variant, "seed": run.seed}
    said |= {f"{PARAMETER}{key}": value for key, value in run.params.items()}
    if analysed is None:
        return [said | {"usable": False, "status": "failed", "reasons": run.error}]
    reasons = "; ".join(analysed.reasons) or None
    return [{**row, **said, "reasons": reasons} for row in analysed.rows]


def _parameters(executed: Sequence[Executed]) -> dict[str, type[pl.DataType]]:
    """Columns of the settings that vary, numbers where all are."""
    kinds: dict[str, type[pl.DataType]] = {}
    for key in dict.fromkeys(key for run in executed for key in run.params):
        of = {type(run.params.get(key)) for run in executed} - {type(None)}
        number = pl.Int64 if of == {int} else pl.Float64 if of <= {int, float} else pl.String
        kinds[f"{PARAMETER}{key}"] = pl.Boolean if of == {bool} else number
    return kinds
