# SPDX-License-Identifier: GPL-2.0-or-later
"""Throughput of all flows of a run over time, in one figure."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from ..metrics.share import Arrivals
from .legend import legend_above

BINS, LEAST_BIN_S = 100, 0.1
DASHES = ("-", "--", ":", "-.")


def draw(flows: Mapping[str, Arrivals], start_ns: int) -> Figure:
    """Draw. Args: flows: payload that came, by the flow's id; start_ns: the time that counts as 0."""
    end_s = max((float(came.t_ns[-1] - start_ns) / 1e9 for came in flows.values() if len(came.t_ns)), default=1.0)
    bins = max(min(BINS, int(end_s / LEAST_BIN_S)), 1)
    edges_ns = start_ns + np.linspace(0, end_s * 1e9, bins + 1)
    figure, axes = plt.subplots(figsize=(7.2, 3.2), layout="constrained")
    for place, (name, came) in enumerate(flows.items()):
        bytes_in = np.histogram(came.t_ns, edges_ns, weights=np.diff(came.bytes, prepend=0))[0]
        axes.stairs(bytes_in * 8 / 1e6 / (end_s / bins), (edges_ns - start_ns) / 1e9, baseline=None, label=name,
                    linewidth=1.4, color=f"C{place}", linestyle=DASHES[place // 10 % len(DASHES)])
    axes.set_ylim(bottom=0)
    axes.set_xlabel("time since the start of the traffic (s)")
    axes.set_ylabel("payload received (Mbit/s)")
    legend_above(figure, 4, fontsize=8)
    return figure
