# SPDX-License-Identifier: GPL-2.0-or-later
"""Look of all figures: one size of type, colours that colour-blind people can tell apart.

Colours are Okabe and Ito's; every series differs in marker or line style too.
Figures are drawn light; `DARK` says what a page on a dark screen has instead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import matplotlib

if not os.environ.get("MPLBACKEND", "").startswith("module://"):  # as a notebook's, which needs no display either
    matplotlib.use("Agg")
import matplotlib.pyplot as plt

from ..metrics.series_name import named_series

BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
#: Colour, marker and line style: of series that a study names, and of all others.
STYLES = ((BLUE, "o", "-"), (ORANGE, "s", "--"), (GREEN, "^", "-."), (RED, "D", ":"))
OTHER = (("#CC79A7", "v", "-"), ("#56B4E9", "P", "--"), ("#7F7F7F", "X", "-."))
INK, FAINT, PAPER = "#1b1f24", "#8a929c", "#ffffff"
#: What takes the place of a colour on a dark screen.
DARK = {INK: "#e6e6e6", PAPER: "#1c2128", BLUE: "#4FA8DC"}


@cache
def lean_fonts() -> None:
    """Leave tables out of fonts in PDFs at which no reader looks: to take them apart is a third of the time of writing
    one.
    """
    from fontTools import subset  # takes a tenth of a second, and only PDFs need it

    getattr(subset.Options, "_drop_tables_default", []).extend(["GDEF", "GPOS", "GSUB", "kern"])


@contextmanager
def theme() -> Iterator[None]:
    """The look of the figures drawn inside; they are closed at the end."""
    settings: Any = {
        "font.family": "DejaVu Sans",
        "font.size": 10,
        "axes.titlesize": 10.5,
        "axes.titleweight": "bold",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.alpha": 0.25,
        "grid.linewidth": 0.6,
        "legend.frameon": False,
        "figure.facecolor": PAPER,
        "axes.facecolor": PAPER,
        "savefig.facecolor": PAPER,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": FAINT,
        "xtick.color": INK,
        "ytick.color": INK,
        "grid.color": FAINT,
        "pdf.fonttype": 42,  # text stays text
    }
    with matplotlib.rc_context(settings):
        try:
            yield
        finally:
            plt.close("all")


def ink() -> str:
    """Colour of text and marks."""
    return INK


def style_at(place: int) -> tuple[str, str, str]:
    """Colour, marker and line style of STYLES."""
    return STYLES[place % len(STYLES)]


def series_style(name: str, index: int = 0) -> tuple[str, str, str]:
    """Colour, marker and line style of a series, the same in every figure.

    Args:
        index: place of a series that no study names, among those of a figure.
    """
    known = named_series()
    return style_at(known.index(name)) if name in known else OTHER[index % len(OTHER)]
