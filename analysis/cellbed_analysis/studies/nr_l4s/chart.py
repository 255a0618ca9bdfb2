# SPDX-License-Identifier: GPL-2.0-or-later
"""Throughput against delay, by congestion control and queue, on each channel.

Variants are named `<congestion control>-<queue>`, with the name of a channel behind it where it is not the steady one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ...figures.figure import FigureSpec, of_each_scenario
from ...figures.style import ink
from ...metrics.over_runs import estimate

Row = dict[str, Any]
SCENARIO_PREFIX = "nr-l4s"
VARIANT = re.compile(r"(?P<control>[a-z0-9]+)-(?P<queue>[a-z0-9]+)(?:-(?P<channel>[a-z0-9]+))?")
STEADY = "steady"
#: One for each congestion control, and one for each queue, in the order in which they are met.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9")
MARKERS = "osD^vPX*"
TICKS_MS = (10, 20, 50, 100, 200, 500, 1000)


def belongs(row: Row) -> bool:
    """Whether a run is part of such a study, usable or not."""
    return (str(row["scenario"]).startswith(SCENARIO_PREFIX)
            and VARIANT.fullmatch(str(row.get("variant") or "")) is not None)


def specs(rows: Sequence[Row]) -> list[FigureSpec]:
    """A figure for each scenario of that kind with a usable run."""
    return of_each_scenario(
        [row for row in rows if belongs(row)], "nr-l4s", "Throughput and delay by queue of the gNB",
        "Each mark is a congestion control (colour) on a queue (shape): mean over seeds. A line goes from the mean RTT "
        "to its 99th percentile. Up and to the left is better.", draw)


def draw(rows: Sequence[Row]) -> Figure:
    """Draw a panel for each channel."""
    groups: dict[str, dict[tuple[str, str], list[Row]]] = {}
    for row in rows:
        match = VARIANT.fullmatch(row["variant"])
        assert match is not None
        of = groups.setdefault(match["channel"] or STEADY, {})
        of.setdefault((match["control"], match["queue"]), []).append(row)
    groups = dict(sorted(groups.items(), key=lambda item: (item[0] != STEADY, item[0])))
    controls = list(dict.fromkeys(control for of in groups.values() for control, _ in of))
    queues = list(dict.fromkeys(queue for of in groups.values() for _, queue in of))
    figure, panels = plt.subplots(1, len(groups), figsize=(1.2 + 4.2 * len(groups), 4.2), layout="constrained",
                                  sharey=True, squeeze=False)
    for axes, (channel, of) in zip(panels[0], groups.items(), strict=True):
        for (control, queue), runs in of.items():
            rate, mean, top = (estimate(runs, name) for name in ("goodput_mbps", "rtt_mean_ms", "rtt_p99_ms"))
            if rate is None or mean is None or top is None:
                continue
            colour = COLOURS[controls.index(control) % len(COLOURS)]
            axes.plot([mean.value, top.value], [rate.value] * 2, color=colour, linewidth=0.9)
            axes.plot(mean.value, rate.value, MARKERS[queues.index(queue) % len(MARKERS)], color=colour)
        axes.set_xscale("log")
        axes.set_xticks(TICKS_MS, [str(ms) for ms in TICKS_MS])
        axes.minorticks_off()
        axes.set_xlim(10, 1000)
        axes.set_xlabel("RTT (ms), mean to p99")
        if len(groups) > 1:
            axes.set_title(channel, loc="left")
    panels[0, 0].set_ylabel("goodput (Mbit/s)")
    panels[0, 0].set_ylim(0, 1.05 * panels[0, 0].get_ylim()[1])  # room for the marks at the top
    figure.legend(handles=_legend(controls, queues), loc="outside lower center", ncols=5 * len(groups), fontsize=8)
    return figure


def _legend(controls: Sequence[str], queues: Sequence[str]) -> list[Line2D]:
    """Colours of congestion controls, then shapes of queues."""
    colours = [Line2D([], [], color=COLOURS[place % len(COLOURS)], label=name) for place, name in enumerate(controls)]
    shapes = [Line2D([], [], color=ink(), linestyle="", marker=MARKERS[place % len(MARKERS)], label=name)
              for place, name in enumerate(queues)]
    return colours + shapes
