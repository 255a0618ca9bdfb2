# SPDX-License-Identifier: GPL-2.0-or-later
"""Congestion window (Figure 9) or RTT of every packet (Figure 10) around a handover, a panel for each procedure."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ...figures.legend import by_label, legend_above
from ...figures.style import ink
from .handover_window import AFTER_S, BEFORE_S, HandoverWindow

CWND, SSTHRESH, TIMEOUT, RECOVERY, MARK, LOST = "#0072B2", "#E69F00", "#D55E00", "#009E73", "#CC79A7", "#D55E00"
EVENTS = {
    "timeout": ("timeout", "v", TIMEOUT), "fast retransmit": ("fast retransmit", "o", RECOVERY),
    "mark": ("window lowered for a mark", "s", MARK),
}  # fmt: skip


def draw_cwnd(panels: Mapping[str, HandoverWindow], top: float) -> Figure:
    """Draw. Args: what each panel shows, by title; the paper's end of the ordinate in packets."""
    top = max(top, *(1.08 * float(window.cwnd.max()) for window in panels.values()))
    figure, cells = _grid(panels, "cwnd (packets)", top)
    for axes, window in zip(cells, panels.values(), strict=True):
        axes.step(window.t_s, window.ssthresh, where="post", color=SSTHRESH, linewidth=1.1, linestyle="--")
        axes.step(window.t_s, window.cwnd, where="post", color=CWND, linewidth=1.6)
        for event in window.events:
            _, marker, color = EVENTS[event.kind]
            axes.plot(
                [window.at_s(event.t_ns)], [event.cwnd], marker, color=color, markersize=7, markeredgecolor=ink(),
                markeredgewidth=0.5, zorder=4,
            )  # fmt: skip
    kinds = dict.fromkeys(event.kind for window in panels.values() for event in window.events)
    handles = [
        Line2D([], [], color=CWND, linewidth=1.6, label="cwnd"),
        Line2D([], [], color=SSTHRESH, linewidth=1.1, linestyle="--", label="ssthresh"),
        *_times(),
        *(_mark(*EVENTS[kind]) for kind in kinds),
    ]
    legend_above(figure, 1 + min(len(panels), 3), by_label(handles))
    return figure


def draw_rtt(panels: Mapping[str, HandoverWindow], top: float) -> Figure:
    """Draw. Args: what each panel shows, by title; the paper's end of the ordinate in s."""
    highest = max((float(window.rtt_s.max()) for window in panels.values() if len(window.rtt_s)), default=0.0)
    figure, cells = _grid(panels, "RTT (s)", max(top, 1.08 * highest))
    for axes, window in zip(cells, panels.values(), strict=True):
        axes.plot(window.sent_s, window.rtt_s, ".", color=CWND, markersize=3, rasterized=True)
        axes.plot(
            window.again_s, window.again_rtt_s, "o", color=SSTHRESH, markersize=4.5, markerfacecolor="none",
            markeredgewidth=1.0,
        )  # fmt: skip
        axes.plot(window.lost_s, [0] * len(window.lost_s), "x", color=LOST, markersize=6, zorder=4)
        axes.axhline(top, color=ink(), linewidth=0.7, linestyle=(0, (1, 3)))
    handles = [
        Line2D([], [], color=CWND, marker=".", linestyle="none", label="packet received"),
        Line2D([], [], color=SSTHRESH, marker="o", markerfacecolor="none", linestyle="none", label="retransmission"),
        Line2D([], [], color=LOST, marker="x", linestyle="none", label="packet lost"),
        *_times(),
        Line2D([], [], color=ink(), linewidth=0.7, linestyle=(0, (1, 3)), label="end of the paper's axis"),
    ]
    legend_above(figure, 1 + min(len(panels), 3), by_label(handles))
    return figure


def _grid(panels: Mapping[str, HandoverWindow], ylabel: str, top: float) -> tuple[Figure, list[Axes]]:
    columns = min(len(panels), 3)
    rows = -(-len(panels) // columns)
    figure, grid = plt.subplots(
        rows, columns, figsize=(max(4.0 * columns, 6.0), 3.1 * rows + 0.7), sharex=True, sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    cells = list(grid.flat)
    for index, (axes, (title, window)) in enumerate(zip(cells, panels.items(), strict=False)):
        start_s = window.at_s(window.handover.start_ns)
        axes.set_xlim(start_s - BEFORE_S, start_s + AFTER_S)
        axes.set_ylim(-0.02 * top, top)
        axes.set_title(f"{chr(ord('a') + index)}) {title}", loc="left")
        _lines(axes, window)
    for axes in cells[len(panels) :]:
        axes.set_visible(False)
    for axes in grid[-1]:
        axes.set_xlabel("time (s)")
    for axes in grid[:, 0]:
        axes.set_ylabel(ylabel)
    return figure, cells[: len(panels)]


def _lines(axes: Axes, window: HandoverWindow) -> None:
    handover, start_s = window.handover, window.at_s(window.handover.start_ns)
    axes.axvline(start_s, color=ink(), linewidth=1.2)
    axes.axvspan(start_s, window.at_s(window.effect.end_ns), color=ink(), alpha=0.10, linewidth=0)
    if handover.path_ns is not None:
        axes.axvline(window.at_s(handover.path_ns), color=ink(), linewidth=1.0, linestyle=":")


def _times() -> list[Line2D]:
    return [
        Line2D([], [], color=ink(), linewidth=1.2, label="handover decided"),
        Line2D([], [], color=ink(), linewidth=1.0, linestyle=":", label="path switched"),
        Line2D([], [], color=ink(), alpha=0.15, linewidth=7, label="until one RTT after arrival"),
    ]


def _mark(label: str, marker: str, color: str) -> Line2D:
    return Line2D(
        [], [], color=color, marker=marker, linestyle="none", markeredgecolor=ink(), markeredgewidth=0.5, label=label
    )
