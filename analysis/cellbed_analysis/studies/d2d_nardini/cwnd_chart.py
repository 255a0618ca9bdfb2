# SPDX-License-Identifier: GPL-2.0-or-later
"""Congestion window around one mode switch, a panel for each TCP (Figures 6a to 6f)."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ...figures.legend import by_label, legend_above
from ...figures.style import ink
from .switch_window import AFTER_S, BEFORE_S, SwitchWindow, story

CWND, SSTHRESH, TIMEOUT, RECOVERY, DUPACK = "#0072B2", "#E69F00", "#D55E00", "#009E73", "#CC79A7"
COLUMNS = 2


def draw(panels: Mapping[str, SwitchWindow]) -> Figure:
    """Draw. Args: name of each TCP and its switch, in the paper's order."""
    rows = -(-len(panels) // COLUMNS)
    figure, grid = plt.subplots(
        rows, COLUMNS, figsize=(11, 3.5 * rows + 0.6), layout="constrained", sharex=True, sharey=True, squeeze=False
    )
    cells = list(grid.flat)
    top = 1.6 * max(max(float(window.cwnd.max()), window.receive_window or 0.0) for window in panels.values())
    for index, (axes, (name, window)) in enumerate(zip(cells, panels.items(), strict=False)):
        _panel(axes, window, top)
        axes.set_title(f"{chr(ord('a') + index)}) {name}", loc="left")
    for axes in cells[len(panels) :]:
        axes.set_visible(False)
    for axes in grid[-1]:
        axes.set_xlabel("time after the switch (s)")
    for axes in grid[:, 0]:
        axes.set_ylabel("window (KiB)")
    legend_above(figure, 4, by_label(_legend()))
    return figure


def _panel(axes: Axes, window: SwitchWindow, top: float) -> None:
    reaction = window.reaction
    axes.set_xlim(-BEFORE_S, AFTER_S)
    axes.set_ylim(-0.03 * top, top)
    if window.receive_window:
        axes.axhline(window.receive_window, color=ink(), linewidth=0.8, linestyle=(0, (1, 3)))
    if reaction.events:
        begin = window.after_s(reaction.events[0].t_ns)
        end = AFTER_S if reaction.repaired_ns is None else window.after_s(reaction.repaired_ns)
        axes.axvspan(begin, max(end, begin), color=RECOVERY, alpha=0.18, linewidth=0)
    axes.step(window.t_s, window.ssthresh, where="post", color=SSTHRESH, linewidth=1.2, linestyle="--")
    axes.step(window.t_s, window.cwnd, where="post", color=CWND, linewidth=1.7)
    axes.axvline(0, color=ink(), linewidth=1.3)
    for index, event in enumerate(reaction.events):
        x = window.after_s(event.t_ns)
        if x > AFTER_S:
            continue
        timeout = event.kind == "timeout"
        axes.plot(
            [x], [event.cwnd * window.segment], marker="v" if timeout else "o", color=TIMEOUT if timeout else RECOVERY,
            markersize=8, markeredgecolor=ink(), markeredgewidth=0.5, linestyle="none", zorder=4,
        )  # fmt: skip
        if index and not timeout:
            axes.axvline(x, color=TIMEOUT, linewidth=1.3, linestyle=":")
    if window.dupacks_s is not None and len(window.dupacks_s):
        axes.plot(window.dupacks_s, [0] * len(window.dupacks_s), "|", color=DUPACK, markersize=9)
    axes.text(
        0.985, 0.975, "\n".join(story(window)), transform=axes.transAxes, ha="right", va="top", fontsize=8,
        linespacing=1.35, zorder=5, bbox={"facecolor": axes.get_facecolor(), "alpha": 0.75, "linewidth": 0, "pad": 1.5},
    )  # fmt: skip


def _legend() -> list[Line2D | Patch]:
    def line(label: str, **style: object) -> Line2D:
        return Line2D([], [], label=label, **style)  # type: ignore[arg-type]

    none = {"linestyle": "none", "markeredgecolor": ink(), "markeredgewidth": 0.5, "markersize": 8}
    return [
        line("cwnd", color=CWND, linewidth=1.7),
        line("ssthresh", color=SSTHRESH, linewidth=1.2, linestyle="--"),
        line("receive window", color=ink(), linewidth=0.8, linestyle=(0, (1, 3))),
        line("mode switch and flush", color=ink(), linewidth=1.3),
        line("timeout", marker="v", color=TIMEOUT, **none),
        line("fast retransmit", marker="o", color=RECOVERY, **none),
        line("second congestion event", color=TIMEOUT, linewidth=1.3, linestyle=":"),
        Patch(color=RECOVERY, alpha=0.18, linewidth=0, label="until all in flight is acknowledged"),
        line("duplicate ACK", marker="|", color=DUPACK, linestyle="none", markersize=9),
    ]
