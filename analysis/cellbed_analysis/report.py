# SPDX-License-Identifier: GPL-2.0-or-later
"""The report: one HTML file that needs nothing else, and the files beside it."""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
import polars as pl
from markupsafe import Markup

from .bundle import SUMMARY, Bundle, Results, load_results
from .claims import VERDICTS, Outcome, collect, evaluate, read_claims
from .delivery import concerns, models
from .delivery_sweep import ORDERS, studies, sweeps
from .delivery_utilisation import points
from .figures.gallery import SavedFigure, available, save
from .maxdat_report import cell_text, parts, table2
from .maxdat_sweep import claim_rows, surfaces
from .metrics.catalog import METRICS
from .metrics.probe import AGREEMENT_BOUND_US
from .metrics.run import RunAnalysis, analyse_all
from .metrics.throughput import GOODPUT_BOUND_PCT
from .models.park import TABLE2_HARQ_RTT_MS
from .summary import estimate_text, number_text, window_text
from .table import COMMAND_COLUMNS, command_rows, headline, write_metrics

#: A page with a line for each of more runs is no longer read, nor quickly drawn.
LISTED_MAX = 600
HASHED = ("ip-*.pcap", "radio.pcap", "radio.trace", "tcp.trace")


def write_report(results_dir: Path, claims_file: Path | None = None) -> Path:
    """Analyse every bundle and write `summary/` anew.

    Args:
        results_dir: directory with one bundle per run.
        claims_file: claims to judge instead of those that the runs carry.

    Returns:
        Path of report.html; claims.json, metrics.parquet and figures/ lie beside it.

    Raises:
        AnalysisError: no bundle below the directory, or a malformed claim.
    """
    results = load_results(Path(results_dir))
    claims = collect(results) if claims_file is None else read_claims(claims_file)
    runs = analyse_all(results.bundles)
    rows = [run.row for run in runs]
    found = surfaces(rows)
    outcomes = evaluate(claims, [*rows, *claim_rows(found)])
    directory = results.path / SUMMARY
    directory.mkdir(exist_ok=True)
    write_metrics(rows, directory / "metrics.parquet")
    (directory / "maxdat.parquet").unlink(missing_ok=True)
    if found:
        pl.concat([surface.frame() for surface in found], how="diagonal").write_parquet(directory / "maxdat.parquet")
    entries = [outcome.to_json() for outcome in outcomes]
    (directory / "claims.json").write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n")
    figures = save(available(runs, claims), directory / "figures")
    report = directory / "report.html"
    report.write_text(render(results, runs, claims, outcomes, figures))
    return report


def render(
    results: Results,
    runs: Sequence[RunAnalysis],
    claims: Sequence[dict[str, Any]],
    outcomes: Sequence[Outcome],
    figures: Sequence[SavedFigure],
) -> str:
    """The report's HTML."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__, "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": number_text,
        "estimate": estimate_text,
        "window": window_text,
        "data_uri": _data_uri,
        "order": ORDERS.__getitem__,
        "maxdat_cell": cell_text,
    }
    rows = [run.row for run in runs]
    listed = listed_runs(runs)
    names = {run.row["bundle"] for run in listed}
    return environment.get_template("report.html.j2").render(
        title=_title(results),
        headline=headline(rows, claims),
        commands=command_rows(rows),
        command_columns=COMMAND_COLUMNS,
        results=results,
        runs=runs,
        listed=listed,
        parts=parts(rows),
        table2=table2(surfaces(rows)),
        outcomes=outcomes,
        counts=Counter(outcome.verdict for outcome in outcomes),
        verdicts=VERDICTS,
        figures=figures,
        delivery=models() if concerns(rows) else None,
        harq_rtts_ms=TABLE2_HARQ_RTT_MS,
        sweeps=[sweep for sweep in sweeps(rows) if not sweep.point],
        studies=studies(sweeps(rows)),
        utilisation=points(rows),
        bounds_us=AGREEMENT_BOUND_US,
        goodput_bound_pct=GOODPUT_BOUND_PCT,
        reproduction=[_reproduction(bundle) for bundle in results.bundles if bundle.path.name in names],
        metrics=METRICS,
    )


def listed_runs(runs: Sequence[RunAnalysis]) -> list[RunAnalysis]:
    """Runs that get a line each: all, or of very many those set apart and the first of each scenario and lab."""
    if len(runs) <= LISTED_MAX:
        return list(runs)
    first = {(run.row["scenario"], run.row["lab"]): run for run in reversed(runs) if run.usable}
    return [run for run in runs if not run.usable or first[run.row["scenario"], run.row["lab"]] is run]


def _title(results: Results) -> str:
    titles = dict.fromkeys(str(b.manifest["scenario"].get("title") or b.scenario_id) for b in results.bundles)
    return "; ".join(titles)


def _data_uri(png: bytes) -> Markup:
    return Markup(f"data:image/png;base64,{base64.b64encode(png).decode()}")


def _reproduction(bundle: Bundle) -> dict[str, Any]:
    """How to get this run again, and what it must then look like."""
    manifest = bundle.manifest
    scenario = manifest["scenario"].get("file") or bundle.scenario_id
    return {
        "bundle": bundle.path.name,
        "command": f"make run-experiment SCENARIO={scenario} SEED={manifest['seed']} LAB={manifest['lab']}",
        "variant": manifest["variant"],
        "seed": manifest["seed"],
        "kernel": {"release": "", "version": "", "config_sha256": ""} | manifest.get("kernel", {}),
        "tools": manifest.get("tools", {}),
        "git": manifest.get("git", ""),
        "hashes": [(path.name, _sha256(path)) for pattern in HASHED for path in sorted(bundle.path.glob(pattern))],
    }


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
