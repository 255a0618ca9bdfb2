# SPDX-License-Identifier: GPL-2.0-or-later
"""Results as one partitioned Parquet data set, for DuckDB, Polars and the like: a file for each run and table, in
folders that name scenario, variant and seed.

docs/sweep.md describes tables and columns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import polars as pl

from cellbed_formats import parquet
from cellbed_formats.bundle import Bundle, Results, load_results
from cellbed_formats.error import DataError
from cellbed_formats.inside import Inside
from cellbed_formats.radios import networks

from ..frames.tables import after_start
from ..metrics.dataset import COLUMNS, frame_of, metadata, metric_columns
from ..metrics.run import RunAnalysis
from ..metrics.runs import analyse_all

#: Which folders a run is in, by name: DuckDB and others make columns of them.
PARTITIONS = ("scenario", "variant", "seed")
TABLES = ("flows", "segments", "samples", "radio")


def write(results: Path | Results, output: Path, tables: Sequence[str] = TABLES[:1]) -> Iterator[Path]:
    """Write all runs of a folder; files of a run that are there are replaced.

    Args:
        tables: of TABLES.

    Returns:
        The files, each as soon as it is there. A run that has not what a table is made of has no file of it.

    Raises:
        DataError: no such table, no such folder, or no bundle in it.
    """
    for name in tables:
        if name not in TABLES:
            raise DataError(f"--table {name}: allowed {', '.join(TABLES)}")
    made = Inside.named(output)
    for run in analyse_all((results if isinstance(results, Results) else load_results(results)).bundles):
        for name in tables:
            if (frame := _table(name, run)) is not None:
                path = made / name / str(partition(run.bundle)) / f"{run.bundle.manifest['id'][:10]}.parquet"
                parquet.write(frame, path, metadata=metadata(frame))
                yield path.path


def partition(bundle: Bundle) -> Path:
    """The folder of a run; in values, what is no letter or digit is spelled as in a URL."""
    values = (bundle.scenario_id, bundle.manifest["description"]["variant"], bundle.manifest["seed"])
    return Path(*(f"{key}={quote(str(value), safe='')}" for key, value in zip(PARTITIONS, values, strict=True)))


def _table(name: str, run: RunAnalysis) -> pl.DataFrame | None:
    bundle = run.bundle
    if name == "flows":
        return _flows(run)
    if name == "segments":
        return run.segments().with_columns(t_s=after_start(bundle, "out_ns")) if run.readable else None
    if not bundle.has("tcp.trace" if name == "samples" else "radio.trace"):
        return None
    frame = bundle.tcp if name == "samples" else _radio(bundle)
    return frame.with_columns(t_s=after_start(bundle))


def _radio(bundle: Bundle) -> pl.DataFrame:
    """radio.trace; of several radio networks with the name of each further one among `radios`."""
    further = [one.radio.with_columns(network=pl.lit(name)) for name, one in networks(bundle).items()]
    return pl.concat([bundle.radio, *further], how="diagonal") if further else bundle.radio


def _flows(run: RunAnalysis) -> pl.DataFrame:
    """A row for each flow, the same columns for every run."""
    said = {"reasons": "; ".join(run.reasons) or None, "settings": json.dumps(run.bundle.settings, sort_keys=True)}
    columns = {name: kind for name, kind in COLUMNS.items() if name not in PARTITIONS}
    return frame_of([{**row, **said} for row in run.rows], {**columns, "settings": pl.String, **metric_columns()})
