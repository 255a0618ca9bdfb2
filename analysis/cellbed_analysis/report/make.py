# SPDX-License-Identifier: GPL-2.0-or-later
"""What a report is made of: one HTML file that needs nothing else, and the files beside it."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from markupsafe import Markup

from cellbed_formats.bundle import Bundle, Results
from cellbed_formats.inside import Inside

from ..claims.judge import COUNTED, VERDICTS, Outcome, evaluate, with_sweeps
from ..figures.figure import SavedFigure, save
from ..figures.gallery import available
from ..interactive.embed import figure_json, script
from ..interactive.explore import Exploration, explorations
from ..interactive.sweep_plot import draw as draw_sweep
from ..metrics.catalog import METRICS
from ..metrics.flow_table import FLOW_COLUMNS, fairness, flow_tables
from ..metrics.identity import scalars
from ..metrics.metric import Metric
from ..metrics.probe import AGREEMENT_BOUND_US
from ..metrics.run import RunAnalysis
from ..metrics.runs import analyse_all
from ..metrics.throughput import GOODPUT_BOUND_PCT
from ..study import studies
from .headline import COMMAND_COLUMNS, RADIO_COLUMNS, command_rows, headline, radio_rows, run_name, write_metrics
from .index import INDEX, write_index
from .page import page
from .timelines import CUTS_MAX, POINTS, POINTS_ALONE, representatives, timelines
from .whole import REPORT

#: A page with a line for each of more runs is no longer read, nor quickly drawn.
LISTED_MAX = 600
#: Runs whose flows are listed, and flows whose metrics stand beside each other.
LISTED_FLOWS_MAX, MEASURED_MAX = 20, 8


def make(results: Results, claims: Sequence[dict[str, Any]], directory: Inside,
         kinds: Sequence[str]) -> list[Inside] | None:
    """Analyse every bundle, and write the report again.

    Args:
        kinds: of files of the figures, besides SVG.

    Returns:
        The files that it has; None: a run could not be read, and the next try may give another report.

    Raises:
        DataError: a malformed claim.
    """
    runs = analyse_all(results.bundles)
    outcomes = evaluate(claims, with_sweeps([run.row for run in runs]))
    written = []
    if results.alone:  # most claims compare runs
        outcomes = [outcome for outcome in outcomes if outcome.verdict in COUNTED]
    else:
        written += _write_data(runs, outcomes, directory)
    figures = save(available(runs, claims), directory / "figures", kinds)
    report = directory / REPORT
    report.write(render(results, runs, claims, outcomes, figures))
    if not results.alone:
        written.append(write_index(results, runs, directory, report))
    made = [report, *written, *(path for figure in figures for path in figure.paths)]
    return made if all(run.readable for run in runs) else None


def _write_data(runs: Sequence[RunAnalysis], outcomes: Sequence[Outcome], directory: Inside) -> list[Inside]:
    metrics, claims = directory / "metrics.parquet", directory / "claims.json"
    write_metrics([row for run in runs for row in run.rows], metrics)
    entries = [outcome.to_json() for outcome in outcomes]
    claims.write(json.dumps(entries, indent=1, ensure_ascii=False) + "\n")
    own = [study.write([run.row for run in runs], directory) for study in studies()]
    return [metrics, claims, *(path for paths in own for path in paths)]


def render(
    results: Results,
    runs: Sequence[RunAnalysis],
    claims: Sequence[dict[str, Any]],
    outcomes: Sequence[Outcome],
    figures: Sequence[SavedFigure],
) -> str:
    """The report's HTML."""
    rows, all_rows = [run.row for run in runs], [row for run in runs for row in run.rows]
    alone = results.alone
    listed = listed_runs(runs)
    names = {run.row["bundle"] for run in listed}
    chosen, left = representatives(runs)
    shown = timelines(chosen, POINTS_ALONE if alone else POINTS)
    explored = [(found, partial(_explored, found)) for found in explorations(runs)]
    return page(
        "report.html.j2",
        title=_title(results),
        headline=headline(all_rows, claims),
        commands=command_rows(all_rows),
        command_columns=COMMAND_COLUMNS,
        radio=radio_rows(rows),
        radio_columns=RADIO_COLUMNS,
        run_name=run_name,
        flow_tables=flow_tables([run.rows for run in runs])[:LISTED_FLOWS_MAX],
        flow_columns=FLOW_COLUMNS,
        fairness=fairness(all_rows),
        results=results,
        runs=runs,
        listed=listed,
        explored=explored,
        timelines=shown,
        timelines_left=left,
        cuts_max=CUTS_MAX,
        measured=_measured(runs[0].rows[:MEASURED_MAX]) if alone else [],
        measured_flows=[row.get("flow") or "" for row in runs[0].rows[:MEASURED_MAX]] if alone else [],
        settings=list(scalars(results.bundles[0].settings)) if alone else [],
        index=None if alone else INDEX,
        script=script() if explored or any(one.figure for one in shown) else None,
        sections=[Markup(section) for study in studies() if (section := study.section(rows)) is not None],
        outcomes=outcomes,
        counts=Counter(outcome.verdict for outcome in outcomes),
        verdicts=VERDICTS,
        counted=COUNTED,
        figures=figures,
        bounds_us=AGREEMENT_BOUND_US,
        goodput_bound_pct=GOODPUT_BOUND_PCT,
        reproduction=[_reproduction(bundle) for bundle in results.bundles if bundle.path.name in names],
        metrics=METRICS,
    )


def _explored(found: Exploration, place: str) -> Markup:
    return figure_json(draw_sweep(found), place)


def _measured(rows: Sequence[dict[str, Any]]) -> list[tuple[Metric, list[Any]]]:
    """Metrics of one run's flows, in the catalog's order."""
    found = [(metric, [row.get(name) for row in rows]) for name, metric in METRICS.items()]
    return [(metric, values) for metric, values in found if any(value is not None for value in values)]


def listed_runs(runs: Sequence[RunAnalysis]) -> list[RunAnalysis]:
    """Runs that get a line each: all, or of very many those set apart and the first of each scenario and lab."""
    if len(runs) <= LISTED_MAX:
        return list(runs)
    first = {(run.row["scenario"], run.row["lab"]): run for run in reversed(runs) if run.usable}
    return [run for run in runs if not run.usable or first[run.row["scenario"], run.row["lab"]] is run]


def _title(results: Results) -> str:
    titles = dict.fromkeys(str(b.manifest["scenario"].get("title") or b.scenario_id) for b in results.bundles)
    return "; ".join(titles)


def _reproduction(bundle: Bundle) -> dict[str, Any]:
    """How to get this run again, and what it must then look like."""
    manifest = bundle.manifest
    scenario = shlex.quote(manifest["scenario"].get("file") or bundle.scenario_id)
    return {
        "bundle": bundle.path.name,
        "command": f"make run-experiment SCENARIO={scenario} SEED={manifest['seed']} LAB={manifest['lab']}",
        "variant": manifest["variant"],
        "seed": manifest["seed"],
        "kernel": {"release": "", "version": "", "config_sha256": ""} | manifest.get("kernel", {}),
        "tools": manifest.get("tools", {}),
        "git": manifest.get("git", ""),
        "hashes": bundle.recorded(),
    }

