# SPDX-License-Identifier: GPL-2.0-or-later
"""Goodput against RTT: what each series got, and what delay it paid for that."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from ..stats.interval import Estimate
from .error_bars import errors
from .legend import legend_above
from .style import series_style


def draw(series: Mapping[str, tuple[Estimate, Estimate]]) -> Figure:
    """Draw a point for each series, with the intervals of both quantities.

    Args:
        series: mean RTT in ms and goodput in Mbit/s, by name.
    """
    figure, axes = plt.subplots(figsize=(7.4, 4.4), layout="constrained")
    for index, (name, (rtt, goodput)) in enumerate(series.items()):
        color, marker, _ = series_style(name, index)
        axes.errorbar(
            rtt.value, goodput.value, xerr=errors([rtt]), yerr=errors([goodput]), label=name, color=color,
            marker=marker, linestyle="none", markersize=7, capsize=3, elinewidth=1,
        )  # fmt: skip
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("mean RTT (ms), 95 % CI")
    axes.set_ylabel("goodput (Mbit/s), 95 % CI")
    legend_above(figure, 4)
    return figure
