# SPDX-License-Identifier: GPL-2.0-or-later
"""Round trip times of pings by pattern: the shortest, the median, the 99th percentile and the longest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from ...figures.figure import FigureSpec
from ...figures.style import BLUE, ink
from ...metrics.one_lab import one_lab
from ...metrics.over_runs import estimate
from ...metrics.series_name import brief, by_combination

Row = dict[str, Any]
SYSTEM = "param.radio.system"
POINTS = ("min", "p50", "p99", "max")


def specs(rows: Sequence[Row]) -> list[FigureSpec]:
    """A figure for each scenario over NR with pings of more than one series."""
    mine = one_lab([row for row in rows if row["usable"] and row.get(SYSTEM) == "nr" and row.get("ping_replies")])
    found = []
    for name in sorted({str(row["scenario"]) for row in mine}):
        series = by_combination([row for row in mine if row["scenario"] == name])
        if len(series) > 1:
            found.append(FigureSpec(
                f"ping-{name.rsplit('/', 1)[-1]}",
                f"Round trip times of pings, {name}",
                "Line: from the shortest to the longest; thick: from the median to the 99th percentile; dot: the mean. "
                "The first ping of a run is left out. Means over seeds.",
                partial(draw, series),
            ))
    return found


def draw(series: dict[str, list[Row]]) -> Figure:
    """Draw a line for each series."""
    figure, axes = plt.subplots(figsize=(7.4, 1.2 + 0.42 * len(series)), layout="constrained")
    colour = BLUE
    for place, rows in enumerate(series.values()):
        low, middle, high, top = (_mean(rows, f"ping_rtt_{point}_ms") for point in POINTS)
        mean = _mean(rows, "ping_rtt_mean_ms")
        axes.plot([low, top], [place, place], color=colour, linewidth=1.2)
        axes.plot([middle, high], [place, place], color=colour, linewidth=6, solid_capstyle="butt")
        axes.plot([mean], [place], "o", color=ink(), markersize=4)
        axes.annotate(f"{mean:.1f} ms", (top, place), xytext=(5, 0), textcoords="offset points", va="center")
    axes.set_yticks(range(len(series)), [brief(name) for name in series])
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.margins(x=0.12)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("RTT (ms)")
    return figure


def _mean(rows: Sequence[Row], metric: str) -> float:
    found = estimate(rows, metric)
    assert found is not None
    return found.value
