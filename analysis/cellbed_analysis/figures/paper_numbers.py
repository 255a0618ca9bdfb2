# SPDX-License-Identifier: GPL-2.0-or-later
"""The numbers that a paper prints beside what was measured, all in one figure: a row for each measurement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from ..stats.interval import Estimate
from .style import STYLES, ink

ROW_INCHES = 0.27
LONGEST_NAME = 52
#: Interval and mark of a number, by whether it lies within what the paper's precision allows.
MARKS = {"reproduced": STYLES[2], "implied": STYLES[2], "undecided": STYLES[0], "differs": STYLES[3]}
LEGEND = {"reproduced": "reproduced", "undecided": "undecided", "differs": "differs"}


class Number(NamedTuple):
    """A printed number, more than 0, and what was measured with the interval that decided."""

    paper: float
    measured: Estimate
    verdict: str


def draw(rows: Sequence[tuple[str, Sequence[Number]]]) -> Figure:
    """Measured numbers as multiples of the printed ones, of which 1 marks all.

    Args:
        rows: name of the evidence and its numbers, at least one.
    """
    figure, axes = plt.subplots(figsize=(7.4, 1.3 + ROW_INCHES * len(rows)), layout="constrained")
    for at, (_, numbers) in enumerate(rows):
        for index, one in enumerate(numbers):
            y = at + (0.0 if len(numbers) == 1 else 0.56 * (index / (len(numbers) - 1) - 0.5))
            color, marker, _ = MARKS[one.verdict]
            ends = [one.measured.low, one.measured.high]
            if one.measured.half_width is not None and one.measured.half_width > 0:
                axes.plot([max((end or 0.0) / one.paper, 1e-3) for end in ends], [y, y], color=color, linewidth=1)
            axes.plot([one.measured.value / one.paper], [y], marker, color=color, markersize=3.5)
    axes.axvline(1, color=ink(), linewidth=1)
    axes.set_xscale("log")
    axes.set_xticks([0.125, 0.25, 0.5, 1, 2, 4, 8], ["1/8", "1/4", "1/2", "paper", "2", "4", "8"])
    axes.set_xticks([], minor=True)
    axes.set_xlim(0.1, 12)
    axes.set_yticks(range(len(rows)), [_short(name) for name, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("measured, in multiples of the printed number")
    said = {one.verdict for _, numbers in rows for one in numbers}
    for verdict, label in LEGEND.items():
        if verdict in said:
            color, marker, _ = MARKS[verdict]
            axes.plot([], [], marker, color=color, markersize=4, label=label)
    figure.legend(loc="outside upper right", ncols=3)
    return figure


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME].rsplit(' ', 1)[0]} …"
