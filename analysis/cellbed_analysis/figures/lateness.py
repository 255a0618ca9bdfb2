# SPDX-License-Identifier: GPL-2.0-or-later
"""How late the radio daemon woke up: the error of the emulation itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from .style import OTHER, SERIES, ink


def draw(labs: Mapping[str, Sequence[tuple[float, int]]], bound_us: float | None) -> Figure:
    """Draw.

    Args:
        labs: per lab the buckets (upper edge in us, wake-ups), summed over its runs.
        bound_us: bound on the 99th percentile, if the scenario has one.
    """
    figure, axes = plt.subplots(figsize=(7.4, 3.4), layout="constrained")
    edges = sorted({edge for buckets in labs.values() for edge, _ in buckets})
    place = {edge: i for i, edge in enumerate(edges)}
    width = 0.8 / max(len(labs), 1)
    colors = {"virtual": SERIES["DM-DM"][0], "native": SERIES["DM-IM"][0]}
    for index, (lab, buckets) in enumerate(labs.items()):
        total = sum(count for _, count in buckets) or 1
        x = np.array([place[edge] for edge, _ in buckets]) + (index - (len(labs) - 1) / 2) * width
        axes.bar(
            x, [100 * count / total for _, count in buckets], width,
            label=f"{lab} ({total} wake-ups)", color=colors.get(lab, OTHER[0][0]),
        )  # fmt: skip
    if bound_us is not None and edges:
        at = float(np.interp(np.log2(bound_us), np.log2(np.maximum(edges, 0.5)), range(len(edges))))
        axes.axvline(at, color=ink(), linewidth=1, linestyle=(0, (5, 4)))
        axes.annotate(
            f"bound of the\n99th percentile\n{bound_us:g} us", (at, 0.97), xytext=(4, 0),
            xycoords=("data", "axes fraction"), textcoords="offset points", va="top", fontsize=8.5,
        )  # fmt: skip
    axes.set_xticks(range(len(edges)), [f"{edge:g}" for edge in edges])
    axes.grid(axis="x", visible=False)
    axes.set_xlabel("lateness of a wake-up, up to (us)")
    axes.set_ylabel("share of wake-ups (%)")
    axes.legend(loc="upper left")
    return figure
