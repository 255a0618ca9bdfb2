# SPDX-License-Identifier: GPL-2.0-or-later
"""Distribution of the RTT, one line per combination."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from .legend import legend_above
from .style import series_style


def draw(runs: Mapping[str, np.ndarray]) -> Figure:
    """Draw.

    Args:
        runs: per combination the RTTs in ms, (n,) float, any order.
    """
    figure, axes = plt.subplots(figsize=(7.4, 3.8), layout="constrained")
    highest = 0.0
    for index, (name, rtt_ms) in enumerate(runs.items()):
        color, _, line = series_style(name, index)
        ordered = np.sort(rtt_ms)
        share = np.arange(1, len(ordered) + 1) / len(ordered)
        axes.step(ordered, share, where="post", label=name, color=color, linestyle=line, linewidth=1.8)
        highest = max(highest, float(np.percentile(ordered, 99.9)))
    axes.set_xlim(0, highest * 1.05 or 1)
    axes.set_ylim(0, 1.01)
    axes.set_xlabel("RTT (ms)")
    axes.set_ylabel("share of segments")
    legend_above(figure, 4, title="data-ACK")
    return figure
