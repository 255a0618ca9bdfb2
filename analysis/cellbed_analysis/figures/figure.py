# SPDX-License-Identifier: GPL-2.0-or-later
"""What a figure is, and how it is drawn and saved."""

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
from . import vector
from .style import lean_fonts, theme

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
    """A figure on disk: as SVG, then in the other formats that were asked for."""

    spec: FigureSpec
    svg: str
    paths: tuple[Inside, ...]

    @property
    def for_page(self) -> bytes:
        """SVG for light and dark screens."""
        return vector.with_dark(self.svg).encode()


def save(specs: Sequence[FigureSpec], directory: Inside, kinds: Sequence[str] = ()) -> list[SavedFigure]:
    """Draw every figure once, into a directory whose earlier figures are removed.

    Args:
        kinds: of NO_DATE, besides SVG.
    """
    for stale in directory.make().matching("*.svg", *(f"*.{kind}" for kind in NO_DATE)):
        stale.remove()
    return [save_one(spec, directory, kinds) for spec in specs]


def save_one(spec: FigureSpec, directory: Inside, kinds: Sequence[str] = ()) -> SavedFigure:
    """Draw a figure into a directory, beside those that are there."""
    with theme(), plt.rc_context(vector.SETTINGS):
        figure = spec.draw()
        drawn = vector.svg(figure)
        paths = [directory / f"{spec.name}.{kind}" for kind in ("svg", *kinds)]
        paths[0].write(drawn)
        figure.set_layout_engine(None)  # everything has its place
        for kind, path in zip(kinds, paths[1:], strict=True):
            path.write(render(figure, kind))
    return SavedFigure(spec, drawn, tuple(paths))


def render(figure: Figure, kind: str) -> bytes:
    """A figure as the content of a file of a kind, of NO_DATE."""
    if kind == "pdf":
        lean_fonts()
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=PNG_DPI, metadata=NO_DATE[kind])
    return buffer.getvalue()
