# SPDX-License-Identifier: GPL-2.0-or-later
"""Distribution of the RTT at each distance (Li et al, Figure 7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from ...figures.legend import legend_above
from ...figures.style import ink

#: Part of the colour map that is seen on paper as well as on a dark screen.
SEEN = (0.25, 0.85)
#: More colours than these need a scale instead of names.
NAMED_MAX = 5


def draw(by_distance: Mapping[float, np.ndarray], others: Mapping[str, tuple[np.ndarray, str]]) -> Figure:
    """Draw.

    Args:
        by_distance: distance in m -> RTTs in ms, (n,) any order; lines whose colour is the distance.
        others: name -> RTTs and line style, in the colour of text.
    """
    figure, axes = plt.subplots(figsize=(7.4, 4.2), layout="constrained")
    reach = Normalize(min(by_distance), max(by_distance) if len(by_distance) > 1 else min(by_distance) + 1)
    colours = mpl.colormaps["viridis"].resampled(256)
    scale = mpl.colors.ListedColormap(colours(np.linspace(*SEEN, 256)))
    longest = 0.0
    for distance_m, rtt_ms in by_distance.items():
        longest = max(longest, _step(axes, rtt_ms, color=scale(reach(distance_m)), linewidth=1.4,
                                     label=f"UM, {distance_m:g} m" if len(by_distance) <= NAMED_MAX else None))
    for name, (rtt_ms, line) in others.items():
        longest = max(longest, _step(axes, rtt_ms, color=ink(), linestyle=line, linewidth=2.0, label=name))
    if len(by_distance) > NAMED_MAX:
        figure.colorbar(mpl.cm.ScalarMappable(reach, scale), ax=axes, label="distance from the site (m), UM")
    axes.set_xscale("log")
    axes.set_xlim(right=longest)
    ticks = [tick for tick in (10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 5000, 10000) if tick <= longest]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.xaxis.minorticks_off()
    axes.set_ylim(0, 1.01)
    axes.set_xlabel("RTT (ms)")
    axes.set_ylabel("share of segments")
    legend_above(figure, 4)
    return figure


def _step(axes: Axes, rtt_ms: np.ndarray, **style: Any) -> float:
    """Draw one distribution. Return: its 99.9th percentile, beyond which a line says nothing."""
    ordered = np.sort(rtt_ms)
    axes.step(ordered, np.arange(1, len(ordered) + 1) / len(ordered), where="post", **style)
    return float(np.percentile(ordered, 99.9))
