# SPDX-License-Identifier: GPL-2.0-or-later
"""What a handover leaves of the throughput, over the largest window: the model behind Pacifico's Figure 4.

The paper's figure is read from its caption and axes: lines without marks for a handover at cwnd_max, crosses
(halving, upper) and circles (timeout, lower) for one in the middle of (SSthresh, cwnd_max). Dotted lines are not
the paper's: windows counted up to the end of the interval, which equation 3 does not stop at.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from ...figures.legend import legend_above
from ...figures.style import style_at
from . import handover, pacifico

#: Case, its words, the place of its style and the paper's mark.
CASES: tuple[tuple[handover.Case, str, int, str], ...] = (
    ("halving", "window halving", 0, "x"), ("timeout", "timeout", 3, "o"))  # fmt: skip


def draw() -> Figure:
    """Draw the four curves in the paper's axes, and the counted ones of the timeout."""
    figure, axes = plt.subplots(figsize=(7.4, 4.2), layout="constrained")
    # Multiples of 4: the middle is then a whole number of packets from cwnd_max, which counting needs.
    first, last = pacifico.FIGURE4_CWND_MAX_PKTS
    top = np.arange(first, last + 1, 4)
    for case, words, look, mark in CASES:
        color = style_at(look)[0]
        for place, at, marker in (("at cwnd_max", top, ""), ("in the middle", handover.middle_pkts(top), mark)):
            share_percent = 100 * handover.normalised(case, top, at)
            axes.text(last + 1, share_percent[-1], words.replace(" ", "\n"), va="center", fontsize=9)
            axes.plot(
                top, share_percent, color=color, linewidth=1.6, marker=marker,
                markersize=5, markerfacecolor="none", label=f"{words}, {place}",
            )  # fmt: skip
            if case == "timeout":
                counted = [100 * handover.counted_share(case, float(high), float(low))
                           for high, low in zip(top, at, strict=True)]
                axes.plot(top, counted, color=color, linewidth=1.0, linestyle=":", label=f"counted, {place}")
    axes.set_xlim(first, last)
    axes.set_ylim(*pacifico.FIGURE4_SHARE_PERCENT)
    axes.set_xlabel("cwnd_max (packets)")
    axes.set_ylabel("normalised throughput (%)")
    legend_above(figure, 3)
    return figure
