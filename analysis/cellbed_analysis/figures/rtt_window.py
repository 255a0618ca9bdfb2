# SPDX-License-Identifier: GPL-2.0-or-later
"""Mean RTT against the receive window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from ..stats.interval import Estimate
from .legend import legend_above
from .style import series_style

#: Labels of a logarithmic axis this near to each other, as a factor, would touch.
NEAREST = 1.15


def spaced(windows: Sequence[float]) -> list[float]:
    """Windows that get a label: the largest, and downwards each that is far enough from the last."""
    labelled: list[float] = []
    for window in sorted(windows, reverse=True):
        if not labelled or labelled[-1] / window >= NEAREST:
            labelled.append(window)
    return labelled[::-1]


def draw(series: Mapping[str, Sequence[tuple[float, Estimate]]]) -> Figure:
    """Draw.

    Args:
        series: per combination, (window in bytes, mean RTT in ms) in rising order.
    """
    figure, axes = plt.subplots(figsize=(7.4, 4.4), layout="constrained")
    windows: set[float] = set()
    for index, (name, points) in enumerate(series.items()):
        color, marker, line = series_style(name, index)
        x = [window for window, _ in points]
        y = [value.value for _, value in points]
        bars = [
            [max(v.value - v.low, 0) if v.low is not None else 0 for _, v in points],
            [max(v.high - v.value, 0) if v.high is not None else 0 for _, v in points],
        ]
        axes.errorbar(
            x, y, yerr=bars, label=name, color=color, marker=marker, linestyle=line,
            markersize=5, linewidth=1.6, capsize=3, elinewidth=1,
        )  # fmt: skip
        windows.update(x)
    axes.set_xscale("log", base=2)
    axes.set_xticks(spaced(sorted(windows)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x / 1024:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    values = [value.value for points in series.values() for _, value in points]
    if max(values) > 3 * min(values):  # a saturated cell would flatten everything before it
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("TCP receive window (KiB)")
    axes.set_ylabel("mean RTT (ms), 95 % CI")
    axes.margins(y=0.1)
    legend_above(figure, 4, title="data-ACK")
    return figure
