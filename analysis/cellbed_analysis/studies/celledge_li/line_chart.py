# SPDX-License-Identifier: GPL-2.0-or-later
"""Metrics against the distance from the site (Li et al, Figures 4 to 6), and studies beside what they vary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from ...figures.error_bars import errors
from ...figures.legend import legend_above
from ...figures.style import ink, series_style, style_at
from .edge import family
from .sweep import Pair, Series

#: Places in `style.STYLES` of the colours and marks that are used here.
PLACES = (0, 3, 2, 1)


def _series_style(index: int, name: str) -> tuple[str, str, str]:
    return style_at(PLACES[index]) if index < len(PLACES) else series_style(name, index - len(PLACES))


def look(names: Sequence[str]) -> dict[str, dict[str, object]]:
    """Style of each variant: a colour for all but RLC's mode; UM solid with full marks, AM dashed with empty ones."""
    families = list(dict.fromkeys(map(family, names)))
    found: dict[str, dict[str, object]] = {}
    for name in names:
        index = families.index(family(name))
        color, marker, _ = _series_style(index, name)
        am = "AM" in name.split("-")
        found[name] = {"color": color, "marker": marker, "linestyle": "--" if am else "-",
                       "markerfacecolor": "none" if am else color,
                       # Lines that fall on each other are seen as filled marks in larger empty ones.
                       "markersize": 9 if am else 5, "zorder": 3 if am else 2}
    return found


def draw(panels: Mapping[str, Mapping[str, Series]], whole: Sequence[str] = ()) -> Figure:
    """Draw one panel per metric, one line per variant.

    Args:
        panels: label of the axis -> variant -> (distance in m, value).
        whole: labels of counts that differ by powers of ten; 0 has a place on their axes.
    """
    size = (7.4, 0.9 + 2.6 * len(panels))
    figure, axes = plt.subplots(len(panels), 1, figsize=size, layout="constrained", sharex=True, squeeze=False)
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    styles = look(names)
    shown: dict[str, Artist] = {}
    for panel, (label, lines) in zip(axes[:, 0], panels.items(), strict=True):
        for name, points in lines.items():
            values = [value for _, value in points]
            shown[name] = panel.errorbar(
                [x for x, _ in points], [value.value for value in values], yerr=errors(values), label=name,
                linewidth=1.6, capsize=2, elinewidth=1, **styles[name],
            )[0]  # fmt: skip
        panel.set_ylabel(label)
        if label in whole:
            _counts(panel)
        else:
            panel.set_ylim(bottom=0)
    axes[-1, 0].set_xlabel("distance from the site (m)")
    legend_above(figure, 4, {name: shown[name] for name in names})
    return figure


def _counts(axes: Axes) -> None:
    """Powers of ten with a place for 0."""
    axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.0f}".replace(",", " ")))


def draw_pairs(pairs: Sequence[Pair], metrics: Mapping[str, tuple[str, float]], base: str) -> Figure:
    """Draw runs of a study beside those they differ from: a line of marks per run, a panel per metric.

    Args:
        metrics: label of the axis -> (metric, share of its panel's width); runs without one have no mark there.
        base: name of the scenario whose settings the empty marks have.
    """
    names = list(dict.fromkeys(pair.name for pair in pairs))
    settings = list(dict.fromkeys(pair.setting for pair in pairs))
    figure, panels = plt.subplots(
        1, len(metrics), figsize=(7.4, 1.3 + 0.3 * len(names)), layout="constrained", sharey=True, squeeze=False,
        width_ratios=[share for _, share in metrics.values()],
    )  # fmt: skip
    for axes, (label, (metric, _)) in zip(panels[0], metrics.items(), strict=True):
        for pair in pairs:
            y = names.index(pair.name)
            before, after = pair.base.get(metric), pair.other.get(metric)
            if before is None or after is None:
                continue
            color, marker, _ = _series_style(1 + settings.index(pair.setting), pair.setting)
            axes.plot([before, after], [y, y], color=color, linewidth=1.2, zorder=1)
            axes.plot([before], [y], "o", color=ink(), markerfacecolor="none", markersize=7, label=base, zorder=3)
            axes.plot([after], [y], marker, color=color, markersize=5, label=pair.setting, zorder=2)
        axes.set_xlabel(label)
        axes.margins(x=0.08)
        axes.autoscale_view()
        axes.set_xlim(left=0)
    panels[0, 0].set_yticks(np.arange(len(names)), names)
    panels[0, 0].invert_yaxis()
    legend_above(figure, 4)
    return figure
