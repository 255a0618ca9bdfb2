# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs that the report shows over time, and what it says of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from markupsafe import Markup

from cellbed_formats.error import DataError, MemoryShort
from cellbed_formats.flow import Flow, ids

from ..interactive.embed import figure_json
from ..interactive.series import RunSeries, run_series
from ..interactive.timeline_plot import draw
from ..metrics.run import RunAnalysis
from ..metrics.series_name import brief, label
from ..tcp.cuts import Cut
from ..tcp.shown_flow import shown_flow

#: Of a report about many runs: how many are shown, and points of a line.
SHOWN_MAX, POINTS = 6, 2000
#: Points of a line where the report is about one run.
POINTS_ALONE = 12000
#: Rows of a table of falls.
CUTS_MAX = 200
#: Flows of a figure, and points that a line of each has at least.
FLOWS_MAX, LEAST_POINTS = 8, 500


@dataclass(frozen=True)
class Timeline:
    """One run over time; `figure` makes its data for the element with an id."""

    bundle: str
    title: str
    start_ns: int
    tcp: bool
    modes: bool
    cuts: list[Cut] = field(default_factory=list)
    flows: int = 1  # that are drawn
    left: str = ""  # ids of those that are not
    figure: Callable[[str], Markup] | None = None


def representatives(runs: Sequence[RunAnalysis]) -> tuple[list[RunAnalysis], bool]:
    """The first usable run of each configuration, at most SHOWN_MAX; whether there are more runs."""
    first: dict[tuple[str, str], RunAnalysis] = {}
    readable = [run for run in runs if run.readable]
    variants: dict[tuple[str, str], RunAnalysis] = {}
    for run in [run for run in readable if run.usable] or readable[:1]:
        variants.setdefault((str(run.row["scenario"]), str(run.row["variant"])), run)
        first.setdefault((str(run.row["scenario"]), label(run.row)), run)
    chosen = list({id(run): run for run in [*variants.values(), *first.values()]}.values())[:SHOWN_MAX]
    return chosen, len(chosen) < len(runs)


def timelines(runs: Sequence[RunAnalysis], points: int = POINTS) -> list[Timeline]:
    """What the report shows of these runs; one whose traces do not read is left out."""
    found = []
    for run in runs:
        try:
            found.append(_timeline(run, points))
        except MemoryShort:
            raise
        except DataError:
            continue
    return found


def _timeline(run: RunAnalysis, points: int) -> Timeline:
    flow = shown_flow(run.bundle)
    beside, left = drawn_beside(run.bundle.all_flows, flow)
    series = run_series(run, flow, max(points // (1 + len(beside)), LEAST_POINTS), beside)
    name = run.row.get("command") or brief(label(run.row))
    return Timeline(
        run.row["bundle"], f"{name}, seed {run.row['seed']}", series.start_ns, bool(series.of_flows("cwnd")),
        bool(series.modes), series.cuts, 1 + len(beside), ids(left), None if series.empty else partial(_figure, series),
    )  # fmt: skip


def drawn_beside(flows: Sequence[Flow], first: Flow) -> tuple[list[Flow], list[Flow]]:
    """Which other flows are drawn: those of the scenario, then the largest ones, FLOWS_MAX in all; and the rest."""
    others = [flow for flow in flows if flow.id != first.id]
    drawn = others[: FLOWS_MAX - 1]
    return drawn, others[len(drawn) :]


def _figure(series: RunSeries, place: str) -> Markup:
    return figure_json(draw(series), place)
