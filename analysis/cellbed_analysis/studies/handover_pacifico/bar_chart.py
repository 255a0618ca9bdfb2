# SPDX-License-Identifier: GPL-2.0-or-later
"""Bars in groups with intervals: cases (Figures 8 and 11), data delivered (Figure 12), drop rates (Table IV)."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...figures.legend import legend_above
from ...figures.style import ink, style_at
from ...stats.interval import Estimate

WIDTH = 0.82

Bars = Mapping[str, Mapping[str, Estimate]]


def draw(
    panels: Mapping[str, Bars], ylabel: str, top: float | None = None, scale: float = 1.0, digits: int = 0,
    paper: Mapping[str, Mapping[str, float]] | None = None,
) -> Figure:  # fmt: skip
    """Draw.

    Args:
        panels: title of each panel: group on the axis: name of the series: value.
        ylabel: of the ordinate.
        top: end of the ordinate, from the values unless given.
        scale: factor from values to what is shown.
        digits: decimals of the numbers above the bars.
        paper: the paper's values, by group and series, in what is shown.
    """
    columns = len(panels)
    figure, grid = plt.subplots(
        1, columns, figsize=(max(4.4 * columns, 6.4), 3.9), sharey=True, squeeze=False, layout="constrained"
    )
    series = list(dict.fromkeys(name for bars in panels.values() for group in bars.values() for name in group))
    for axes, (title, bars) in zip(grid.flat, panels.items(), strict=True):
        _panel(axes, bars, series, scale, digits, paper or {})
        axes.set_title(title, loc="left")
    grid[0][0].set_ylabel(ylabel)
    grid[0][0].set_ylim(0, top)
    if paper:
        grid[0][0].plot([], [], "D", color=ink(), markerfacecolor="none", markersize=6, label="paper")
    legend_above(figure)
    return figure


def _panel(
    axes: Axes, bars: Bars, series: list[str], scale: float, digits: int, paper: Mapping[str, Mapping[str, float]]
) -> None:
    width = WIDTH / len(series)
    for index, name in enumerate(series):
        color = style_at(index)[0]
        places = np.arange(len(bars)) + (index - (len(series) - 1) / 2) * width
        beside = zip(places, bars.items(), strict=True)
        shown = [(x, group, values[name]) for x, (group, values) in beside if name in values]
        axes.bar(
            [x for x, _, _ in shown], [scale * value.value for _, _, value in shown], width * 0.92, color=color,
            alpha=0.85, label=name,
        )  # fmt: skip
        for x, group, value in shown:
            _interval(axes, x, value, scale, digits)
            if name in paper.get(group, {}):
                axes.plot([x], [paper[group][name]], "D", color=ink(), markerfacecolor="none", markersize=6, zorder=5)
    axes.set_xticks(range(len(bars)), list(bars))
    axes.grid(visible=False, axis="x")


def _interval(axes: Axes, x: float, value: Estimate, scale: float, digits: int) -> None:
    reach = value.value
    if value.low is not None and value.high is not None:
        axes.plot([x, x], [scale * value.low, scale * value.high], color=ink(), linewidth=1.1)
        reach = value.high
    axes.annotate(
        f"{scale * value.value:.{digits}f}", (x, scale * reach), xytext=(0, 2), textcoords="offset points",
        ha="center", va="bottom", fontsize=7.5,
    )  # fmt: skip
