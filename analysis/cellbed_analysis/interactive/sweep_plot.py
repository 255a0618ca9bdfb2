# SPDX-License-Identifier: GPL-2.0-or-later
"""The runs of a sweep: a dot for each, means with 95 % intervals; the page's own list chooses the metric.

The source has the columns `y`, `mean`, `low`, `high` of the metric that is shown, and those of metric number i
under `y_i` and so on, from which `templates/report.js` copies.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, LayoutDOM, WheelZoomTool
from bokeh.plotting import figure

from ..metrics.catalog import labelled
from .explore import Exploration
from .timeline_plot import DASHES, SERIES, legend

MARKERS = ("circle", "square", "triangle", "diamond", "inverted_triangle", "plus")
RUN_TIP = """<div style="max-width: 30rem; font-size: 13px"><b>@bundle</b><br>seed @seed: @value{0.0000}</div>"""
MEAN_TIP = """<div style="font-size: 13px"><b>@series</b> at @at: mean @mean{0.0000}, 95 % from @low{0.0000} to
@high{0.0000}, @runs runs</div>"""


def draw(shown: Exploration) -> LayoutDOM:
    """Numbers upwards over a parameter, or to the right beside names."""
    panel = _axes(shown)
    for index, series in enumerate(shown.series):
        _draw_series(panel, shown, series, index)
    legend(panel, 4)
    panel.legend.visible = len(shown.series) > 1
    return panel


def _axes(shown: Exploration) -> figure:
    options: dict[str, Any] = {"height": 420, "x_axis_label": (shown.axis or "").rsplit(".", 1)[-1],
                               "y_axis_label": labelled(shown.metrics[0])}
    if shown.axis is None:
        names = list(dict.fromkeys(str(point.x) for point in shown.points))[::-1]
        options = {"height": 120 + 26 * len(names), "y_range": names, "x_axis_label": labelled(shown.metrics[0])}
    panel = figure(sizing_mode="stretch_width", tools="pan,box_zoom,reset,save", active_drag="box_zoom", **options)
    panel.add_tools(WheelZoomTool(modifiers="ctrl"))
    panel.toolbar.active_scroll = None
    panel.toolbar.logo = None
    (panel.yaxis if shown.axis is not None else panel.xaxis).tags = ["metric"]
    panel.background_fill_color = panel.border_fill_color = panel.outline_line_color = None
    panel.xaxis.minor_tick_line_color = panel.yaxis.minor_tick_line_color = None
    panel.grid.grid_line_alpha = 0.6
    return panel


def _draw_series(panel: figure, shown: Exploration, series: str, index: int) -> None:
    own = [point for point in shown.points if point.series == series]
    colour, marker = SERIES[index % len(SERIES)], MARKERS[index % len(MARKERS)]
    means: dict[str, Any] = {
        "at": [point.x for point in own], "series": [series] * len(own), "runs": [len(point.rows) for point in own]
    }
    runs: dict[str, Any] = {
        "at": [point.x for point in own for _ in point.rows],
        "bundle": [row["bundle"] for point in own for row in point.rows],
        "seed": [row["seed"] for point in own for row in point.rows],
    }
    for i, metric in enumerate(shown.metrics):
        found = [point.estimates.get(metric) for point in own]
        means[f"mean_{i}"] = _floats([f.value if f else None for f in found])
        means[f"low_{i}"] = _floats([f.low if f else None for f in found])
        means[f"high_{i}"] = _floats([f.high if f else None for f in found])
        runs[f"value_{i}"] = _floats([row.get(metric) for point in own for row in point.rows])
    for columns, names in ((means, ("mean", "low", "high")), (runs, ("value",))):
        columns |= {name: columns[f"{name}_0"] for name in names}
    upright = shown.axis is not None
    of_means, of_runs = ColumnDataSource(means), ColumnDataSource(runs)
    style = {"legend_label": series, "color": colour}
    if upright:
        panel.line("at", "mean", source=of_means, line_width=1.6, line_dash=DASHES[index % len(DASHES)], **style)
    place = {"x": "at", "y": "value"} if upright else {"x": "value", "y": "at"}
    dots = panel.scatter(**place, source=of_runs, marker="circle", size=5, alpha=0.45, **style)
    place = {"x": "at", "y": "mean"} if upright else {"x": "mean", "y": "at"}
    marks = panel.scatter(**place, source=of_means, marker=marker, size=9, **style)
    ends = {"x0": "at", "x1": "at", "y0": "low", "y1": "high"}
    if not upright:
        ends = {"x0": "low", "x1": "high", "y0": "at", "y1": "at"}
    panel.segment(**ends, source=of_means, line_width=1.6, **style)
    panel.add_tools(HoverTool(renderers=[marks], tooltips=MEAN_TIP, visible=False))
    panel.add_tools(HoverTool(renderers=[dots], tooltips=RUN_TIP, visible=False))


def _floats(values: list[Any]) -> np.ndarray:
    return np.array([np.nan if value is None else float(value) for value in values])
