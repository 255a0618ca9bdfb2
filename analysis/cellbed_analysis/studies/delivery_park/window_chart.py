# SPDX-License-Identifier: GPL-2.0-or-later
"""Goodput in and out of sequence against what a study varies: the receive window, or the eNB's queue."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...figures.error_bars import errors
from ...figures.legend import legend_above
from ...figures.style import FAINT, OTHER, ink
from . import park
from .sweep import ORDERS, Sweep

LABELS = {"queue_pkts": "queue of the eNB (packets)"}
LINES = {"in": (OTHER[0][0], "o", "-"), "out": (OTHER[1][0], "s", "--")}


def draw(study: Sequence[Sweep]) -> Figure:
    """Draw a panel for each congestion control (rows) and loss rate (columns).

    Args:
        study: sweeps of one scenario in the order of what they vary.
    """
    controls, rates = study[0].controls, study[0].rates
    figure, panels = plt.subplots(
        len(controls), len(rates), figsize=(3.1 * len(rates), 0.9 + 2.5 * len(controls)), layout="constrained",
        sharex=True, squeeze=False,
    )  # fmt: skip
    for name, row in zip(controls, panels, strict=True):
        for rate, axes in zip(rates, row, strict=True):
            _panel(axes, study, name, rate)
            axes.set_title(f"{name}, loss of {100 * rate:g} %", loc="left", fontsize="medium")
        row[0].set_ylabel("Mbit/s")
    varied, values = _points(study)
    for axes in panels[-1]:
        axes.set_xticks(range(len(study)), values)
        axes.tick_params(axis="x", rotation=60)
        axes.set_xlabel(LABELS.get(varied, varied))
    if varied in LABELS:
        at = np.interp(park.BANDWIDTH_DELAY_PKTS, [float(value) for value in values], range(len(values)))
        for axes in panels.flat:
            axes.axvline(at, color=FAINT, linewidth=0.9, linestyle="--", label="bandwidth-delay product")
    legend_above(figure, 4)
    return figure


def _points(study: Sequence[Sweep]) -> tuple[str, list[str]]:
    """What a study varies, and its values; without a name where it varies more than one parameter."""
    names = {name for sweep in study for name, _ in sweep.varied}
    if len(names) != 1:
        return "", [sweep.point for sweep in study]
    return names.pop(), [value for sweep in study for _, value in sweep.varied]


def _panel(axes: Axes, study: Sequence[Sweep], name: str, rate: float) -> None:
    cells = [(x, cell) for x, sweep in enumerate(study) if (cell := sweep.cell(name, rate)) is not None]
    for order, (color, marker, line) in LINES.items():
        shown = [(x, cell.goodput_mbps[order]) for x, cell in cells if order in cell.goodput_mbps]
        axes.errorbar(
            [x for x, _ in shown], [v.value for _, v in shown], yerr=errors([v for _, v in shown]), color=color,
            marker=marker, linestyle=line, markersize=4.5, label=ORDERS[order], ecolor=ink(), elinewidth=0.8,
        )  # fmt: skip
        printed = next((cell.paper_mbps.get(order) for _, cell in cells if cell.paper_mbps), None)
        if printed is not None:
            axes.axhline(printed, color=color, linewidth=1, linestyle=":", label=f"paper, {ORDERS[order]}")
    axes.set_ylim(bottom=0)
