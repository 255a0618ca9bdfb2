# SPDX-License-Identifier: GPL-2.0-or-later
"""Application throughput of each TCP, beside the order that the paper states (Figure 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from ...figures.style import ink
from ...stats.interval import Estimate

MEASURED = "#0072B2"


def draw(values: Mapping[str, Estimate], groups: Sequence[tuple[str, Sequence[str]]] = ()) -> Figure:
    """Draw.

    Args:
        values: Mbit/s per TCP, from left to right.
        groups: the paper's order: what it says of some TCPs, and their names.
    """
    figure, axes = plt.subplots(figsize=(7.8, 4.4), layout="constrained")
    names = list(values)
    for x, name in enumerate(names):
        value = values[name]
        half = value.half_width or 0.0
        axes.errorbar([x], [value.value], yerr=[half], fmt="o", color=MEASURED, markersize=7, capsize=5, linewidth=1.6)
        axes.annotate(
            f"{value.value:.2f}" + (f" ± {half:.2f}" if value.half_width is not None else ""),
            (x, value.value + half), xytext=(0, 7), textcoords="offset points", ha="center", fontsize=9,
        )  # fmt: skip
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.6, len(names) - 0.4)
    low, high = _limits(list(values.values()))
    axes.set_ylim(low, high)
    axes.set_ylabel("application throughput (Mbit/s)")
    axes.grid(axis="x", visible=False)
    for words, members in groups:
        places = [names.index(name) for name in members if name in names]
        if places:
            begin, end = min(places) - 0.42, max(places) + 0.42
            y = high - 0.07 * (high - low)
            axes.plot([begin, begin, end, end], [y - 0.02 * (high - low), y, y, y - 0.02 * (high - low)], color=ink())
            axes.text((begin + end) / 2, y + 0.015 * (high - low), f"paper: {words}", ha="center", va="bottom")
    return figure


def _limits(values: Sequence[Estimate]) -> tuple[float, float]:
    """Axis limits that show the differences, with room for labels above."""
    low = min(value.value - (value.half_width or 0.0) for value in values)
    high = max(value.value + (value.half_width or 0.0) for value in values)
    package = max(high - low, 0.02 * high)
    return max(low - 0.25 * package, 0.0), high + 0.5 * package
