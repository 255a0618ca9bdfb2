# SPDX-License-Identifier: GPL-2.0-or-later
"""RTT and throughput over maxDAT and BLER, measured beside the closed form: De Mey's Figures 2, 4, 6 and 7."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MultipleLocator

from ...figures.error_bars import errors
from ...figures.legend import legend_above
from ...figures.style import ink, series_style, style_at
from ...stats.interval import Estimate
from . import demey, maxdat
from .sweep import Cell, Surface

LABELS = {"rtt": "RTT (s)", "throughput": "throughput (kbit/s)"}
MEASURED, COMPUTED = "measured", "closed form"
#: Values that the text reads off Figure 6, by quantity: rate in kbit/s, BLER, maxDAT, value.
PRINTED = {
    "rtt": (128, float(demey.FIGURE6_BLER), demey.FIGURE6_MAXDAT, float(demey.FIGURE6_RTT_S)),
    "throughput": (128, float(demey.FIGURE6_BLER), demey.FIGURE6_MAXDAT, float(demey.FIGURE6_KBPS)),
}
MARKS = ("o", "s", "^", "v", "D", "P", "X", "*")


def value_of(cell: Cell, quantity: str) -> Estimate | None:
    """RTT in s or throughput in kbit/s."""
    return cell.rtt_s if quantity == "rtt" else cell.kbps


def grid(surface: Surface, quantity: str) -> np.ndarray:
    """(maxDATs, BLERs) of measured means; NaN where there is none."""
    values = np.full((len(surface.maxdats), len(surface.blers)), np.nan)
    for i, m in enumerate(surface.maxdats):
        for j, b in enumerate(surface.blers):
            cell = surface.cell(b, m)
            found = value_of(cell, quantity) if cell else None
            values[i, j] = np.nan if found is None else found.value
    return values


def computed(surface: Surface, quantity: str, of: maxdat.Session | None = None) -> np.ndarray | None:
    """The closed form on the same grid; None without a session."""
    of = of or surface.session
    if of is None:
        return None
    b, m = np.array(surface.blers)[None, :], np.array(surface.maxdats)[:, None]
    return maxdat.rtt_tcp(b, m, of) if quantity == "rtt" else maxdat.throughput(b, m, of) / 1e3


def draw(quantity: str, found: Sequence[Surface]) -> Figure:
    """Draw one column per surface: measured above, the closed form below, in one scale.

    Args:
        quantity: "rtt" (Figures 2 and 3) or "throughput" (Figures 4 and 5).
        found: surfaces of several BLERs and maxDATs.
    """
    size = (3.6 * len(found) + 0.7, 6.6)
    figure, panels = plt.subplots(2, len(found), figsize=size, layout="constrained", sharey=True, squeeze=False)
    for (above, below), surface in zip(panels.T, found, strict=True):
        both = [grid(surface, quantity), computed(surface, quantity)]
        known = [values for values in both if values is not None]
        low = 0.0 if quantity == "throughput" else min(float(np.nanmin(values)) for values in known)
        high = max(float(np.nanmax(values)) for values in known)
        for axes, values, name in ((above, both[0], MEASURED), (below, both[1], COMPUTED)):
            axes.grid(False)
            axes.set_title(f"{surface.rate_kbps:g} kbit/s, {name}")
            axes.set_xlabel("BLER")
            if values is None:
                continue
            shown = axes.pcolormesh(
                surface.blers, surface.maxdats, values, cmap="cividis", shading="nearest", vmin=low, vmax=high,
                rasterized=True,
            )  # fmt: skip
        figure.colorbar(shown, ax=[above, below], location="bottom", label=LABELS[quantity], aspect=30)
        if quantity == "throughput":
            _limits(above, surface)
        else:
            _uncertain(above, surface)
    for axes in panels[:, 0]:
        axes.set_ylabel("maxDAT")
        axes.yaxis.set_major_locator(MultipleLocator(1))
    legend_above(figure, 2)
    return figure


def edges(values: Sequence[float]) -> dict[float, tuple[float, float]]:
    """Where the cell of each value begins and ends on a map: halfway to its neighbours."""
    at = np.asarray(values, dtype=float)
    inner = (at[1:] + at[:-1]) / 2
    ends = np.concatenate([[2 * at[0] - inner[0]], inner, [2 * at[-1] - inner[-1]]])
    return dict(zip(values, zip(ends.tolist(), ends[1:].tolist(), strict=False), strict=True))


def _limits(axes: Axes, surface: Surface) -> None:
    """Measured Ret_A and Ret_B as steps."""
    limits = np.array([surface.limits(bler) for bler in surface.blers])
    for values, name, line in zip(limits.T, ("Ret_A", "Ret_B"), ("--", "-"), strict=True):
        axes.step(surface.blers, values, where="mid", color="white", linewidth=2.6)
        axes.step(surface.blers, values, where="mid", color="#D55E00", linestyle=line, linewidth=1.6, label=name)


def _uncertain(axes: Axes, surface: Surface) -> None:
    """Crossed out: cells below Ret_A, the paper's uncertainty area."""
    across, up = edges(surface.blers), edges(surface.maxdats)
    label: str | None = "below Ret_A: few samples or none"
    for cell in surface.cells:
        if not surface.counted(cell):
            (left, right), (bottom, top) = across[cell.bler], up[cell.maxdat]
            axes.add_patch(
                Rectangle(
                    (left, bottom), right - left, top - bottom, fill=False, hatch="xxx", linewidth=0, edgecolor=ink(),
                    alpha=0.55, label=label,
                )  # fmt: skip
            )
            label = None


def draw_cut(bler: float, found: Sequence[Surface]) -> Figure:
    """Draw RTT and throughput over maxDAT at one BLER, one column per surface.

    Args:
        bler: of the cut, one that all surfaces have.
        found: surfaces.
    """
    size = (4.0 * len(found) + 0.6, 6.2)
    figure, panels = plt.subplots(2, len(found), figsize=size, layout="constrained", sharex=True, squeeze=False)
    for column, surface in zip(panels.T, found, strict=True):
        for axes, quantity in zip(column, LABELS, strict=True):
            _cut(axes, bler, surface, quantity)
        column[0].set_title(f"{surface.rate_kbps:g} kbit/s, BLER {bler:g}")
        column[1].set_xlabel("maxDAT")
        column[1].xaxis.set_major_locator(MultipleLocator(1))
    for axes, label in zip(panels[:, 0], LABELS.values(), strict=True):
        axes.set_ylabel(label)
    legend_above(figure, 4)
    return figure


def _cut(axes: Axes, bler: float, surface: Surface, quantity: str) -> None:
    low, high = surface.limits(bler)
    color, marker, _ = style_at(0)
    for counted, face in ((True, color), (False, "none")):
        cells = [cell for cell in surface.cut(bler) if surface.counted(cell) is counted and value_of(cell, quantity)]
        values = [value for cell in cells if (value := value_of(cell, quantity)) is not None]
        if cells:
            axes.errorbar(
                [cell.maxdat for cell in cells], [value.value for value in values], yerr=errors(values), color=color,
                marker=marker, markerfacecolor=face, linestyle="none", markersize=5, capsize=3,
                label=MEASURED if counted else "measured, below Ret_A",
            )  # fmt: skip
    for of, name, index in ((surface.session, "closed form", 1), (surface.printed, "with RTT_Wired of Table I", 0)):
        if of is not None:
            shade, _, line = style_at(3 if index else 1)
            m = np.array(surface.maxdats)
            rtt, rate = maxdat.rtt_tcp(bler, m, of), maxdat.throughput(bler, m, of) / 1e3
            axes.plot(m, rtt if quantity == "rtt" else rate, color=shade, linestyle=line, linewidth=1.6, label=name)
    for limit, text in ((low, "Ret_A"), (high, "Ret_B")):
        axes.axvline(limit, color=ink(), linewidth=0.8, linestyle=":")
        if quantity == "rtt":
            axes.annotate(text, (limit, 0.04), xycoords=("data", "axes fraction"), rotation=90, ha="right")
    if quantity == "throughput":
        left = surface.rate_kbps * (1 - bler)
        axes.axhline(left, color=ink(), linewidth=1, linestyle=(0, (5, 4)), label="link less errors")
    rate_kbps, at, maxdats, printed = PRINTED[quantity]
    if abs(surface.rate_kbps - rate_kbps) < 0.5 and abs(bler - at) < 1e-9:
        axes.plot(
            maxdats, printed, "D", color=ink(), markersize=9, markerfacecolor="none", markeredgewidth=1.4,
            label="paper's text",
        )  # fmt: skip
    axes.set_ylim(bottom=0)


def draw_studies(bler: float, found: Sequence[Surface]) -> Figure:
    """Draw throughput and RTT over maxDAT at one BLER, one line per study: what the paper does not specify.

    Args:
        bler: of the cut.
        found: surfaces of one rate, of several studies.
    """
    figure, panels = plt.subplots(2, 1, figsize=(8.2, 7.0), layout="constrained", sharex=True)
    for axes, (quantity, label) in zip(panels, LABELS.items(), strict=True):
        for index, surface in enumerate(found):
            cells = [cell for cell in surface.cut(bler) if surface.counted(cell) and value_of(cell, quantity)]
            values = [value for cell in cells if (value := value_of(cell, quantity)) is not None]
            line = series_style(surface.study, index)[2] if surface.study else "-"
            color = plt.get_cmap("tab10")(index % 10) if surface.study else ink()
            axes.errorbar(
                [cell.maxdat for cell in cells], [value.value for value in values], yerr=errors(values), color=color,
                marker=MARKS[index % len(MARKS)], linestyle=line, linewidth=1.2, markersize=4.5, capsize=2,
                label=surface.study or "as the sweep",
            )  # fmt: skip
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
        rate_kbps, at, maxdats, printed = PRINTED[quantity]
        if abs(bler - at) < 1e-9 and abs(found[0].rate_kbps - rate_kbps) < 0.5:
            axes.plot(
                maxdats, printed, "D", color=ink(), markersize=9, markerfacecolor="none", markeredgewidth=1.4,
                label="paper's text",
            )  # fmt: skip
    panels[0].set_title(f"{found[0].rate_kbps:g} kbit/s, BLER {bler:g}")
    panels[1].set_xlabel("maxDAT")
    panels[1].xaxis.set_major_locator(MultipleLocator(1))
    legend_above(figure, 4)
    return figure
