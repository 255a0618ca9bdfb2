# SPDX-License-Identifier: GPL-2.0-or-later
"""RTT and throughput over BLER and maxDAT: the closed form behind De Mey's Figures 3 and 5, and cuts like 6 and 7."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from ...figures.legend import legend_above
from ...figures.style import ink, style_at
from . import demey, maxdat

#: Points along the BLER of the surfaces; the paper has nine.
BLERS = np.linspace(float(demey.BLER[0]), float(demey.BLER[1]), 81)
UNITS = {"rtt": ("RTT (s)", 1.0), "throughput": ("throughput (kbit/s)", 1e-3)}


def draw(quantity: str, sessions: Sequence[maxdat.Session] = (), as_printed: bool = True) -> Figure:
    """Draw one surface per session as a map; on throughput with Ret_A and Ret_B.

    Args:
        quantity: "rtt" (Figure 3) or "throughput" (Figure 5).
        sessions: the three of Table I unless given.
        as_printed: see `maxdat.rtt_rlc`.
    """
    sessions = sessions or [maxdat.session(1000 * rate) for rate in demey.RATES_KBPS]
    unit, scale = UNITS[quantity]
    value = maxdat.rtt_tcp if quantity == "rtt" else maxdat.throughput
    size = (3.4 * len(sessions) + 0.6, 3.9)
    figure, all_axes = plt.subplots(1, len(sessions), figsize=size, layout="constrained", sharey=True, squeeze=False)
    for axes, of in zip(all_axes[0], sessions, strict=True):
        surface = scale * value(BLERS[None, :], maxdat.maxdats()[:, None], of, as_printed)
        shown = axes.pcolormesh(BLERS, maxdat.maxdats(), surface, cmap="cividis", shading="nearest", rasterized=True)
        axes.grid(False)
        figure.colorbar(shown, ax=axes, location="bottom", label=unit)
        axes.set_title(f"{of.rate_bps / 1000:g} kbit/s")
        axes.set_xlabel("BLER")
        if quantity == "throughput":
            _limits(axes, of, as_printed)
    all_axes[0][0].set_ylabel("maxDAT")
    all_axes[0][0].yaxis.set_major_locator(MultipleLocator(1))
    if quantity == "throughput":
        legend_above(figure, 2)
    return figure


def _limits(axes: Axes, of: maxdat.Session, as_printed: bool) -> None:
    """Ret_A and Ret_B as steps: between two of them lies what maxDAT decides."""
    for values, name, line in zip(maxdat.limits(BLERS, of, as_printed), ("Ret_A", "Ret_B"), ("--", "-"), strict=True):
        # White below for contrast on the dark end of the map, on either theme.
        axes.step(BLERS, values, where="mid", color="white", linewidth=2.6)
        axes.step(BLERS, values, where="mid", color="#D55E00", linestyle=line, linewidth=1.6, label=name)


def draw_cut(bler: float, of: maxdat.Session, chosen: int | None = None, as_printed: bool = True) -> Figure:
    """Draw RTT and throughput over maxDAT at one BLER, as Figures 6 and 7 do.

    Args:
        bler: of the cut.
        of: the session.
        chosen: a maxDAT to mark.
        as_printed: see `maxdat.rtt_rlc`.
    """
    figure, panels = plt.subplots(2, 1, figsize=(7.4, 5.0), layout="constrained", sharex=True)
    values = (maxdat.rtt_tcp, maxdat.throughput)
    for index, (axes, value, (unit, scale)) in enumerate(zip(panels, values, UNITS.values(), strict=True)):
        color, marker, line = style_at(3 if index else 0)
        points = scale * value(bler, maxdat.maxdats(), of, as_printed)
        axes.plot(maxdat.maxdats(), points, color=color, marker=marker, linestyle=line, markersize=5, linewidth=1.6)
        axes.set_ylim(0, 1.1 * points.max())
        axes.set_ylabel(unit)
        for limit, name in zip(maxdat.limits(bler, of, as_printed), ("Ret_A", "Ret_B"), strict=True):
            axes.axvline(int(limit), color=ink(), linewidth=0.8, linestyle=":")
            if index == 0:
                axes.annotate(name, (int(limit), 0.05), xycoords=("data", "axes fraction"), rotation=90, ha="right")
        if chosen is not None:
            axes.plot(
                chosen, points[chosen - 1], marker="o", markersize=13, color="none", markeredgecolor=ink(),
                markeredgewidth=1.2,
            )  # fmt: skip
    panels[0].set_title(f"closed form, {of.rate_bps / 1000:g} kbit/s, BLER {bler:g}")
    panels[1].set_xlabel("maxDAT")
    panels[1].xaxis.set_major_locator(MultipleLocator(1))
    return figure
