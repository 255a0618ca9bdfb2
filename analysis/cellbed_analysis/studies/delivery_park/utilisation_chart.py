# SPDX-License-Identifier: GPL-2.0-or-later
"""Throughput utilisation against the end-to-end RTT: the model behind Park's Figure 2."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...figures.legend import legend_above
from ...figures.style import ink, series_style
from . import delivery, park
from .model_runs import Point

#: Range of the figure in ms. Source: Park 2013 Figure 2
E2E_MS = (10, 200)


def draw(points: Sequence[Point] = ()) -> Figure:
    """Draw the computed curves, the printed values of Table 2 as marks on them, and what was measured beside.

    Args:
        points: measured, may be none.
    """
    figure, axes = plt.subplots(figsize=(7.4, 4.2), layout="constrained")
    e2e_ms = np.linspace(*E2E_MS, 400)
    for index, harq_rtt_ms in enumerate(park.TABLE2_HARQ_RTT_MS):
        color, marker, line = series_style(f"{harq_rtt_ms} ms", index)
        increment_ms = delivery.both_ways_ms(harq_rtt_ms, as_printed=True)
        axes.plot(
            e2e_ms, delivery.utilisation(e2e_ms, increment_ms), color=color, linestyle=line, linewidth=1.6,
            label=f"{harq_rtt_ms} ms (RTT + {increment_ms:.1f} ms)",
        )  # fmt: skip
        axes.plot(
            list(park.TABLE2), [float(cells[index]) for cells in park.TABLE2.values()], color=color, marker=marker,
            linestyle="none", markersize=4.5, markeredgecolor=ink(), markeredgewidth=0.4,
        )  # fmt: skip
        _measured(axes, [point for point in points if point.harq_ms == harq_rtt_ms], color)
    axes.set_xlim(0, E2E_MS[1] + 5)
    axes.set_ylim(0, 1)
    axes.set_xlabel("end-to-end RTT (ms)")
    axes.set_ylabel("throughput utilisation")
    legend_above(figure, 3, title="downlink HARQ RTT")
    return figure


def _measured(axes: Axes, points: Sequence[Point], color: str) -> None:
    """Large marks: filled in sequence, empty out of sequence."""
    for order, face in (("in", color), ("out", "none")):
        shown = [(point.e2e_ms, point.share[order].value) for point in points if order in point.share]
        if shown:
            axes.plot(
                *zip(*shown, strict=True), linestyle=":", linewidth=0.8, marker="*", markersize=9, color=color,
                markerfacecolor=face,
            )  # fmt: skip
