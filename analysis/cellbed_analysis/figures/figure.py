# SPDX-License-Identifier: GPL-2.0-or-later
"""What a figure is, and how it is drawn in both themes and saved."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from cellbed_formats.inside import Inside

from ..metrics.one_lab import one_lab
from .style import THEMES, theme

PNG_DPI = 150
#: Without it the files carry the time of their making and never compare equal.
NO_DATE = {"png": {"Software": None}, "pdf": {"CreationDate": None}}


class FigureSpec(NamedTuple):
    """A figure that can be drawn from the results at hand."""

    name: str
    title: str
    caption: str
    draw: Callable[[], Figure]


def of_each_scenario(rows: Sequence[dict[str, Any]], name: str, title: str, caption: str,
                     draw: Callable[[Sequence[dict[str, Any]]], Figure]) -> list[FigureSpec]:
    """A figure for each scenario that has usable runs, of those of one lab.

    Args:
        rows: of metrics.parquet, those that the figure is about.
        name: of the file, before that of the scenario.
        title: before the scenario.
    """
    usable = one_lab([row for row in rows if row["usable"]])
    return [FigureSpec(f"{name}-{scenario.rsplit('/', 1)[-1]}", f"{title}, {scenario}", caption,
                       partial(draw, [row for row in usable if row["scenario"] == scenario]))
            for scenario in sorted({str(row["scenario"]) for row in usable})]


@dataclass(frozen=True)
class SavedFigure:
    """A figure on disk, and its PNG bytes per theme for the report."""

    spec: FigureSpec
    paths: tuple[Inside, ...]
    png: dict[str, bytes]


def save(specs: Sequence[FigureSpec], directory: Inside) -> list[SavedFigure]:
    """Draw every figure: PNG and PDF files in the light theme, PNG bytes in both."""
    for stale in directory.make().matching("*.png", "*.pdf"):
        stale.remove()
    saved = []
    for spec in specs:
        png: dict[str, bytes] = {}
        paths: tuple[Inside, ...] = ()
        for name in THEMES:
            with theme(name):
                figure = spec.draw()
                png[name] = _render(figure, "png")
                if name == "light":
                    paths = (directory / f"{spec.name}.png", directory / f"{spec.name}.pdf")
                    paths[0].write(png[name])
                    figure.set_layout_engine(None)  # everything has its place
                    paths[1].write(_render(figure, "pdf"))
                plt.close(figure)
        saved.append(SavedFigure(spec, paths, png))
    return saved


def _render(figure: Figure, kind: str) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=PNG_DPI, metadata=NO_DATE[kind])
    return buffer.getvalue()
