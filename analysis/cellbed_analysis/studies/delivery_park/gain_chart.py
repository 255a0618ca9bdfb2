# SPDX-License-Identifier: GPL-2.0-or-later
"""Goodput of other orders of delivery in percent of in-sequence delivery: Park's Figure 3."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...figures.error_bars import errors
from ...figures.legend import legend_above
from ...figures.style import OTHER, ink
from .sweep import ORDERS, REFERENCE, Cell, Sweep

PAPER_MARK = "D"
COLORS = {"out": OTHER[1][0], "pdcp": OTHER[0][0]}


def draw(sweep: Sweep) -> Figure:
    """Draw one panel per loss rate.

    Args:
        sweep: at least one cell with a gain.
    """
    rates = [rate for rate in sweep.rates if any(cell.gain_percent for cell in sweep.at(rate))]
    figure, panels = plt.subplots(
        len(rates), 1, figsize=(7.4, 1.2 + 2.2 * len(rates)), layout="constrained", sharex=True, squeeze=False
    )
    names = list(dict.fromkeys(cell.congestion_control for cell in sweep.cells))
    orders = [order for order in sweep.orders if order != REFERENCE]
    for axes, rate in zip(panels[:, 0], rates, strict=True):
        _panel(axes, {cell.congestion_control: cell for cell in sweep.at(rate)}, names, orders)
        axes.set_title(f"loss of {100 * rate:g} %", loc="left")
        axes.set_ylabel("% of in sequence")
    panels[-1, 0].set_xticks(range(len(names)), names)
    legend_above(figure, 3)
    return figure


def _panel(axes: Axes, cells: dict[str, Cell], names: Sequence[str], orders: Sequence[str]) -> None:
    width = 0.7 / max(len(orders), 1)
    top = 100.0
    for index, order in enumerate(orders):
        at = [i for i, name in enumerate(names) if name in cells and order in cells[name].gain_percent]
        values = [cells[names[i]].gain_percent[order] for i in at]
        x = np.array(at, dtype=float) + (index - (len(orders) - 1) / 2) * width
        axes.bar(
            x, [v.value for v in values], width, yerr=errors(values), label=ORDERS[order], color=COLORS[order],
            ecolor=ink(), error_kw={"capsize": 3, "elinewidth": 1},
        )  # fmt: skip
        top = max([top, *(v.value if v.high is None else v.high for v in values)])
    printed = [(i, percent) for i, n in enumerate(names) if n in cells and (percent := cells[n].paper_percent)]
    if printed:
        shift = (orders.index("out") - (len(orders) - 1) / 2) * width if "out" in orders else 0.0
        axes.plot(
            [i + shift for i, _ in printed], [percent for _, percent in printed], PAPER_MARK, color=ink(),
            markersize=6, markerfacecolor="none", label="paper, out of sequence",
        )  # fmt: skip
        top = max([top, *(percent for _, percent in printed)])
    axes.axhline(100, color=ink(), linewidth=1, linestyle=(0, (5, 4)))
    axes.set_ylim(0, 1.08 * top)
    axes.grid(axis="x", visible=False)
