# SPDX-License-Identifier: GPL-2.0-or-later
"""Distributions of a link's statistics before those of recordings: a picture for each statistic that passed or not."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..figures.style import BLUE, FAINT
from .acceptance import Curves, Row

_COLUMNS = 4
#: So much of a sample is seen; the rest would press all else to the left.
_SEEN_PERCENTILE = 99
_POINTS = 150


def draw(rows: Mapping[str, Row], curves: Mapping[str, Curves]) -> Figure:
    """Cumulative distributions: a thin line for each group of held-out recordings, a thick one for the link.

    Args:
        rows, curves: by statistic.
    """
    lines = -(-len(curves) // _COLUMNS)
    figure, axes = plt.subplots(lines, _COLUMNS, figsize=(10, 2.2 * lines), layout="constrained", squeeze=False)
    for place, (name, both) in zip(axes.flat, curves.items(), strict=False):
        _statistic(place, name, both, rows[name])
    for place in axes.flat[len(curves):]:
        place.set_axis_off()
    return figure


def _curve(sample: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values and the shares up to them, of a long sample at _POINTS of these."""
    share = np.arange(1, min(len(sample), _POINTS) + 1) / min(len(sample), _POINTS)
    return sample[np.ceil(share * len(sample)).astype(int) - 1], share


def _statistic(axes: Axes, name: str, both: Curves, row: Row) -> None:
    highest = max(float(np.percentile(sample, _SEEN_PERCENTILE)) for sample in (*both.field, both.model) if len(sample))
    lowest = min(0.0, *(float(sample[0]) for sample in (*both.field, both.model) if len(sample)))
    for sample in both.field:
        axes.step(*_curve(sample), where="post", color=FAINT, linewidth=0.7)
    if len(both.model):
        axes.step(*_curve(both.model), where="post", color=BLUE, linewidth=1.8)
    axes.set_xlim(lowest, highest or 1)
    axes.set_ylim(0, 1.02)
    axes.set_title(name, fontsize=7.5, fontweight="normal")
    axes.tick_params(labelsize=7)
    bar = "no bar" if row.bar is None else f"{row.distance:.2f} {'≤' if row.passed else '>'} {row.bar:.2f}"
    axes.text(0.97, 0.05, bar, transform=axes.transAxes, ha="right", fontsize=8)
