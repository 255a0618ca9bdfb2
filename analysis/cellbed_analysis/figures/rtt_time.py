# SPDX-License-Identifier: GPL-2.0-or-later
"""RTT of every segment over time, one panel per combination."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from matplotlib.figure import Figure

from .style import ink, series_style


def draw(runs: Mapping[str, tuple[pl.DataFrame, int]], paper_ms: Mapping[str, float]) -> Figure:
    """Draw.

    Args:
        runs: per combination its `decomposed_segments` and the time in ns that
            counts as 0.
        paper_ms: the paper's mean RTT of combinations for which it has one.
    """
    rows = -(-len(runs) // 2)
    columns = min(len(runs), 2)
    figure, panels = plt.subplots(
        rows, columns, figsize=(4.6 * columns, 2.7 * rows + 0.3), sharex=True, sharey=True,
        squeeze=False, layout="constrained",
    )  # fmt: skip
    highest = 1.1 * max(paper_ms.values(), default=0.0)
    for index, (name, (segments, start_ns)) in enumerate(runs.items()):
        axes = panels[index // 2][index % 2]
        timed = segments.filter(pl.col("rtt_ns").is_not_null())
        t_s = (timed["out_ns"].to_numpy() - start_ns) / 1e9
        rtt_ms = timed["rtt_ns"].to_numpy() / 1e6
        color, _, _ = series_style(name, index)
        axes.plot(t_s, rtt_ms, ".", markersize=2.5, alpha=0.4, color=color, rasterized=True)
        axes.plot(*_means_per_second(t_s, rtt_ms), color=ink(), linewidth=1.2)
        title = f"{name}   mean {rtt_ms.mean():.1f} ms"
        if name in paper_ms:
            axes.axhline(paper_ms[name], color=ink(), linewidth=0.9, linestyle=(0, (5, 4)))
            title += f", paper {paper_ms[name]:.0f} (dashed)"
        axes.set_title(title, loc="left")
        if len(rtt_ms):
            highest = max(highest, float(np.percentile(rtt_ms, 99.8)))
    for axes in panels.flat[len(runs) :]:
        axes.set_visible(False)
    panels[0][0].set_ylim(0, highest * 1.05 or 1)
    figure.supxlabel("time since the start of the traffic (s)", fontsize=10)
    figure.supylabel("RTT of each segment (ms)", fontsize=10)
    return figure


def _means_per_second(t_s: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mid-times and means of one-second bins that hold any value."""
    if not len(t_s):
        return t_s, values
    second = np.floor(t_s).astype(int)
    present = np.unique(second)
    return present + 0.5, np.array([values[second == s].mean() for s in present])
