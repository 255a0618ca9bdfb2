# SPDX-License-Identifier: GPL-2.0-or-later
"""Message sequence chart of one segment and its ACK."""

from __future__ import annotations

from collections.abc import Iterable

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..tcp.timeline import Sequence, Step
from .style import RED, ink, style_at

INCH_PER_MS = 0.235


def draw(sequence: Sequence, paper_ms: Iterable[float] = ()) -> Figure:
    """Draw.

    Args:
        sequence: the chart of a segment.
        paper_ms: times that a paper has, marked.
    """
    end_ms = max((s.arrive_ns or s.t_ns) - sequence.origin_ns for s in sequence.steps) / 1e6
    figure, axes = plt.subplots(figsize=(7.4, 1.2 + INCH_PER_MS * end_ms), layout="constrained")
    lanes = {name: float(i) for i, name in enumerate(sequence.lanes)}
    for name, x in lanes.items():
        axes.axvline(x, color=ink(), linewidth=1.1, zorder=1)
        axes.annotate(
            name, (x, 1), xycoords=("data", "axes fraction"), xytext=(0, 8),
            textcoords="offset points", ha="center", fontweight="bold", fontsize=11,
        )  # fmt: skip
    for step in sequence.steps:
        _draw_step(axes, lanes, step, sequence.origin_ns)
    for point in paper_ms:
        axes.axhline(point, color=RED, linewidth=0.8, linestyle=":", zorder=0)
        axes.annotate(
            f"paper: {point}", (1, point), xycoords=("axes fraction", "data"), xytext=(3, 0),
            textcoords="offset points", va="center", fontsize=8.5, color=RED,
        )  # fmt: skip
    axes.set_xlim(-0.55, len(lanes) - 0.45)
    axes.set_ylim(end_ms + 0.8, -1.0)
    axes.set_yticks(range(0, int(end_ms) + 1, 1 if end_ms < 12 else 2))
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.grid(axis="y", alpha=0.15)
    axes.set_ylabel("time after the RAC request (ms)")
    return figure


def _draw_step(axes: Axes, lanes: dict[str, float], step: Step, origin_ns: int) -> None:
    begin = (step.t_ns - origin_ns) / 1e6
    color = style_at(0)[0]
    x = lanes[step.source]
    if step.arrive_ns is None:
        outward = -1 if x == 0 else 1
        leaves = "deliver" in step.text  # above its point; what enters next stands below
        axes.plot([x], [begin], "o", color=color, markersize=5, zorder=4)
        axes.annotate(
            step.text.replace(" the ", "\nthe ").replace(" to ", "\nto "), (x, begin),
            xytext=(9 * outward, 0), textcoords="offset points",
            ha="right" if outward < 0 else "left", va="bottom" if leaves else "top", fontsize=8.5,
        )  # fmt: skip
        return
    end = (step.arrive_ns - origin_ns) / 1e6
    target = lanes[step.target]
    style = {"arrowstyle": "-|>", "color": color, "linewidth": 1.5, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (target, end), xytext=(x, begin), arrowprops=style)
    # A long arrow crosses the middle lane: its label stands in the half it leaves from.
    share = 0.5 if abs(target - x) == 1 else 0.25
    axes.text(
        x + share * (target - x), begin + share * (end - begin),
        f"{step.text}  {begin:.4g} to {end:.4g}", ha="center", va="center", fontsize=8.5, zorder=5,
        bbox={"facecolor": plt.rcParams["axes.facecolor"], "edgecolor": "none", "pad": 1.2},
    )  # fmt: skip
