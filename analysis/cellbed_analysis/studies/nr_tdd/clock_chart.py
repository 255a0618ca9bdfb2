# SPDX-License-Identifier: GPL-2.0-or-later
"""Some periods of TDD under the glass: when data come and leave, when their ACKs do, and the slots of the pattern."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from cellbed_formats.bundle import Bundle

from ...figures.figure import FigureSpec
from ...figures.legend import legend_above
from ...figures.style import BLUE, GREEN, ORANGE, RED, ink
from ...metrics.rows import primary_flow, traced_in_full
from ...metrics.run import RunAnalysis
from ...metrics.series_name import brief, label
from ...metrics.window import evaluated_window
from ...radio.events import rows_of
from ...radio.grid import Grid, grid_of
from ...radio.packet_path import ENB, radio_log

#: Runs that are drawn, and how much of each.
RUNS_MAX, SPAN_NS = 6, 15_000_000
#: Lanes from the top: label, event, field with the node where the packet entered, whether that is the gNB, colour.
LANES = (
    ("data come to the gNB", "pkt_in", "node", True, BLUE),
    ("data leave the UE's radio", "pkt_out", "peer", True, GREEN),
    ("ACKs come to the UE's radio", "pkt_in", "node", False, ORANGE),
    ("ACKs leave the gNB", "pkt_out", "peer", False, RED),
)
SHADES = {"up": "#D55E00", "both": "#999999"}


def specs(runs: Sequence[RunAnalysis]) -> list[FigureSpec]:
    """A figure of the first usable runs over NR, one of each series, that download and have every packet traced."""
    by_scenario: dict[str, dict[str, RunAnalysis]] = {}
    for run in runs:
        if (run.usable and run.row.get("ack_gap_p50_ms") is not None and traced_in_full(run.bundle)
                and primary_flow(run.bundle).sink in run.bundle.ue_numbers):
            by_scenario.setdefault(str(run.row["scenario"]), {}).setdefault(label(run.row), run)
    return [
        FigureSpec(
            f"ack-clock-{scenario.rsplit('/', 1)[-1]}",
            f"TCP's ACK clock over slots, {scenario}",
            f"{SPAN_NS / 1e6:g} ms from the middle of the first run of each series; each stroke is a packet. Red: "
            "uplink slots, grey: special slots that carry both ways or neither, white: downlink slots, and all of "
            "FDD's.",
            partial(draw, dict(list(series.items())[:RUNS_MAX])),
        )
        for scenario, series in sorted(by_scenario.items())
    ]


def draw(series: dict[str, RunAnalysis]) -> Figure:
    """Draw a panel for each run."""
    figure, panels = plt.subplots(len(series), 1, figsize=(8.6, 0.9 + 1.35 * len(series)), layout="constrained",
                                  sharex=True, squeeze=False)
    for axes, (name, run) in zip(panels[:, 0], series.items(), strict=True):
        _panel(axes, run.bundle.lent())
        axes.set_title(brief(name), loc="left")
    panels[-1, 0].set_xlabel("time (ms)")
    legend_above(figure, 2, {words: Line2D([], [], color=colour) for words, *_, colour in LANES}, fontsize=8.5)
    return figure


def _panel(axes: Axes, bundle: Bundle) -> None:
    flow, grid = primary_flow(bundle), grid_of(bundle)
    window = evaluated_window(bundle, flow)
    zero_ns = radio_log(bundle).zero_ns
    period_ns = grid.tti_ns * max(len(grid.downlink), 1)
    middle_ns = (window.start_ns + window.end_ns) // 2
    start_ns = zero_ns + (middle_ns - zero_ns) // period_ns * period_ns
    for place, (_, event, field, down, colour) in enumerate(LANES):
        rows = rows_of(bundle.radio, event).filter(
            ((pl.col(field) == ENB) == down) & pl.col("t_ns").is_between(start_ns, start_ns + SPAN_NS))
        axes.eventplot((rows["t_ns"].to_numpy() - start_ns) / 1e6, lineoffsets=len(LANES) - place, linelengths=0.8,
                       linewidths=0.7, colors=colour)
    _shade(axes, grid)
    axes.set_yticks([])
    axes.set_xlim(0, SPAN_NS / 1e6)
    axes.grid(visible=False)
    axes.spines["left"].set_color(ink())


def _shade(axes: Axes, grid: Grid) -> None:
    """The slots of TDD that are not all downlink."""
    for slot in range(-(-SPAN_NS // grid.tti_ns)) if grid.tdd else ():
        up, down = (turns[slot % len(turns)] for turns in (grid.uplink, grid.downlink))
        if up or not down:
            shade = SHADES["up" if up and not down else "both"]
            axes.axvspan(*(np.array([slot, slot + 1]) * grid.tti_ns / 1e6), color=shade, alpha=0.2, linewidth=0)
