# SPDX-License-Identifier: GPL-2.0-or-later
"""One run over time: window, RTT, throughput, queues, channel and radio events above each other, zoomed together."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from bokeh.layouts import gridplot
from bokeh.models import (
    ColumnDataSource,
    CrosshairTool,
    HoverTool,
    LayoutDOM,
    Range,
    Range1d,
    Span,
    VStrip,
    WheelZoomTool,
)
from bokeh.plotting import figure

from ..tcp.cuts import Cut
from .series import HAPPENINGS, Line, RunSeries

#: Colours of Okabe and Ito; `templates/report.js` has brighter ones for dark pages.
BLUE, ORANGE, GREEN, RED, PINK, SKY, GREY = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#7F7F7F",
)  # fmt: skip
SERIES = (BLUE, ORANGE, GREEN, PINK, SKY, RED)
DASHES = ("solid", "dashed", "dotdash", "dotted", "dashdot", "solid")
MODE_COLOUR = {"DM": GREEN, "IM": BLUE}
#: Falls of the window: label, marker, colour.
CUTS = {
    "timeout": ("timeout", "inverted_triangle", RED),
    "fast retransmit": ("fast retransmit", "circle", GREEN),
    "mark": ("window lowered", "square", PINK),
    "lowered": ("window lowered", "square", PINK),
}
CUT_TIP = """<div style="max-width: 24rem; white-space: normal; font-size: 13px">
<b>@kind</b> at @t{0.000} s<br>cwnd @before → @after packets<br>@cause</div>"""
SPAN_TIP = """<div style="max-width: 24rem; white-space: normal; font-size: 13px">@text, @left{0.000} s to
@right{0.000} s</div>"""
TALL, LOW = 260, 150


def draw(series: RunSeries) -> LayoutDOM:
    """The panels that the run has something for; it is not empty."""
    axis = Range1d(0, max(series.end_s, 1e-3), bounds=(0, max(series.end_s, 1e-3)))
    cross = Span(dimension="height", line_width=1, line_color=GREY, line_dash="dotted")
    panels: list[figure] = []
    for make in (
        _window, _rtt, _throughput, partial(_several, "queues", "RLC queue (kB)", 1000),
        partial(_several, "cqi", "CQI", 1), partial(_several, "sinr_db", "SINR (dB)", 1), _happenings,
    ):  # fmt: skip
        panel = make(series, axis)
        if panel is not None:
            panel.add_tools(CrosshairTool(dimensions="height", overlay=cross))
            _bands(panel, series, hover=not panels)
            panels.append(panel)
    panels[-1].xaxis.axis_label = "time (s)"
    return gridplot(
        [[panel] for panel in panels], sizing_mode="stretch_width", merge_tools=True, toolbar_location="above",
        toolbar_options={"logo": None},
    )  # fmt: skip


def time_panel(axis: Range, ylabel: str, height: int, **options: Any) -> figure:
    """An empty panel over time."""
    made = figure(
        height=height, sizing_mode="stretch_width", x_range=axis, y_axis_label=ylabel, min_border_left=76,
        tools="xpan,xbox_zoom,box_zoom,reset,save", active_drag="xbox_zoom", **options,
    )  # fmt: skip
    # The bare wheel is for the page.
    made.add_tools(WheelZoomTool(dimensions="width", modifiers="ctrl"))
    made.toolbar.active_scroll = None
    made.background_fill_color = made.border_fill_color = made.outline_line_color = None
    made.xaxis.minor_tick_line_color = made.yaxis.minor_tick_line_color = None
    made.grid.grid_line_alpha = 0.6
    return made


def legend(panel: figure, columns: int = 6) -> None:
    """The legend above the panel, whose entries hide their lines."""
    if panel.legend:
        panel.add_layout(panel.legend[0], "above")
        panel.legend.orientation = "horizontal"
        panel.legend.ncols = columns
        panel.legend.click_policy = "hide"
        panel.legend.border_line_color = panel.legend.background_fill_color = None
        panel.legend.padding = panel.legend.margin = 2
        panel.legend.label_text_font_size = "12px"


def _source(line: Line) -> ColumnDataSource:
    return ColumnDataSource({"t": line.t_s.astype(np.float64), "y": line.value.astype(np.float32)})


def _step(panel: figure, line: Line, label: str, **style: Any) -> None:
    panel.step("t", "y", source=_source(line), mode="after", legend_label=label, **style)


def _each_flow(panel: figure, lines: Mapping[str, Line]) -> None:
    """A line for each flow, told apart by colour and, of very many, by dashes."""
    for place, (flow, line) in enumerate(lines.items()):
        colour, dash = SERIES[place % len(SERIES)], DASHES[place // len(SERIES) % len(DASHES)]
        _step(panel, line, flow, line_color=colour, line_width=1.8, line_dash=dash)


def _window(series: RunSeries, axis: Range1d) -> figure | None:
    windows = series.of_flows("cwnd") or series.of_flows("flight")  # a capture has only what is in flight
    if not windows:
        return None
    panel = time_panel(axis, "cwnd (packets)" if series.beside else "packets", TALL)
    if series.beside:
        _each_flow(panel, windows)
    else:
        _one_window(panel, series.lines)
    for label in dict.fromkeys(label for label, _, _ in CUTS.values()):
        own = [cut for cut in series.cuts if CUTS[cut.kind][0] == label]
        if own:
            _falls(panel, series, label, own)
    legend(panel)
    return panel


def _one_window(panel: figure, lines: Mapping[str, Line]) -> None:
    """The window of a run's only flow, with what it is compared with."""
    for name, label, style in (
        ("flight", "in flight", {"line_color": GREY, "line_width": 1, "line_alpha": 0.6}),
        ("ssthresh", "ssthresh", {"line_color": ORANGE, "line_width": 1.4, "line_dash": "dashed"}),
        ("cwnd", "cwnd", {"line_color": BLUE, "line_width": 2}),
    ):
        if name in lines:
            _step(panel, lines[name], label, **style)


def _falls(panel: figure, series: RunSeries, label: str, own: list[Cut]) -> None:
    """Marks where windows fell."""
    _, marker, colour = CUTS[own[0].kind]
    source = ColumnDataSource({
        "t": [series.at_s(cut.t_ns) for cut in own], "y": [cut.before for cut in own],
        "kind": [f"{cut.flow} {CUTS[cut.kind][0]}".strip() for cut in own], "before": [cut.before for cut in own],
        "after": ["?" if cut.after is None else str(cut.after) for cut in own],
        "cause": [cut.cause for cut in own],
    })  # fmt: skip
    made = panel.scatter(
        "t", "y", source=source, marker=marker, size=10, fill_color=colour, line_color="white", legend_label=label,
        name="cuts",
    )  # fmt: skip
    panel.add_tools(HoverTool(renderers=[made], tooltips=CUT_TIP, attachment="vertical", visible=False))


def _rtt(series: RunSeries, axis: Range1d) -> figure | None:
    smoothed = series.of_flows("rtt") | series.of_flows("srtt")
    if not smoothed:
        return None
    if series.beside:
        panel = time_panel(axis, "RTT, srtt of TCP (ms)", TALL - 60)
        _each_flow(panel, smoothed)
        legend(panel)
        return panel
    panel = time_panel(axis, "RTT (ms)", TALL - 60)
    if "rtt" in series.lines:
        dots = panel.scatter(
            "t", "y", source=_source(series.lines["rtt"]), size=3, color=SKY, legend_label="segments, from the capture"
        )
        tips = [("sent", "@t{0.000} s"), ("RTT", "@y{0.0} ms")]
        panel.add_tools(HoverTool(renderers=[dots], tooltips=tips, visible=False))
    if "srtt" in series.lines:
        _step(panel, series.lines["srtt"], "srtt, from the kernel", line_color=BLUE, line_width=1.6)
    legend(panel)
    return panel


def _throughput(series: RunSeries, axis: Range1d) -> figure | None:
    lines = series.of_flows("throughput")
    if not lines:
        return None
    panel = time_panel(axis, "Mbit/s", LOW)
    if series.beside:
        _each_flow(panel, lines)
        legend(panel)
        panel.y_range.start = 0
        return panel
    line = lines[series.flow]
    made = panel.step("t", "y", source=_source(line), mode="center", line_color=GREEN, line_width=1.8)
    tips = [("", "@y{0.00} Mbit/s around @t{0.0} s")]
    panel.add_tools(HoverTool(renderers=[made], tooltips=tips, mode="vline", visible=False))
    panel.y_range.start = 0
    return panel


def _several(name: str, ylabel: str, divisor: float, series: RunSeries, axis: Range1d) -> figure | None:
    """A panel for the lines of a field of the series, one for each link."""
    lines: Mapping[str, Line] = getattr(series, name)
    if not lines:
        return None
    panel = time_panel(axis, ylabel, LOW)
    for place, (label, line) in enumerate(lines.items()):
        scaled, at = Line(line.t_s, line.value / divisor), place % len(SERIES)
        _step(panel, scaled, label, line_color=SERIES[at], line_width=1.5, line_dash=DASHES[at])
    legend(panel)
    return panel


def _happenings(series: RunSeries, axis: Range1d) -> figure | None:
    """A raster: a row for each kind of radio event."""
    if not series.happenings:
        return None
    present = {happening.kind for happening in series.happenings}
    kinds = [words for words in dict.fromkeys([*HAPPENINGS.values(), *sorted(present)]) if words in present]
    panel = time_panel(axis, "", 60 + 22 * len(kinds), y_range=kinds)
    source = ColumnDataSource({
        "t": [h.t_s for h in series.happenings], "kind": [h.kind for h in series.happenings],
        "count": [h.count for h in series.happenings], "detail": [h.detail for h in series.happenings],
    })  # fmt: skip
    marks = panel.scatter(
        "t", "kind", source=source, marker="dash", angle=np.pi / 2, size=13, color=RED, line_width=1.5
    )
    tips = [("", "@count × @kind @detail from @t{0.000} s")]
    panel.add_tools(HoverTool(renderers=[marks], tooltips=tips, visible=False))
    panel.ygrid.visible = False
    return panel


def _bands(panel: figure, series: RunSeries, hover: bool) -> None:
    """Modes and handovers behind the lines."""
    for mode in dict.fromkeys(span.text for span in series.modes):
        own = [span for span in series.modes if span.text == mode]
        source = ColumnDataSource({"x0": [span.start_s for span in own], "x1": [span.end_s for span in own]})
        strip = VStrip(x0="x0", x1="x1", fill_color=MODE_COLOUR.get(mode, GREY), fill_alpha=0.10, line_color=None)
        panel.add_glyph(source, strip, level="underlay")
    if series.handovers:
        source = ColumnDataSource({
            "left": [span.start_s for span in series.handovers], "right": [span.end_s for span in series.handovers],
            "text": [span.text for span in series.handovers],
        })  # fmt: skip
        strip = VStrip(x0="left", x1="right", fill_color=RED, fill_alpha=0.2, line_color=RED, line_width=1.2)
        made = panel.add_glyph(source, strip, level="underlay")
        if hover:
            panel.add_tools(HoverTool(renderers=[made], tooltips=SPAN_TIP, visible=False))
