# SPDX-License-Identifier: GPL-2.0-or-later
"""Look of all figures: one size of type, colours that colour-blind people can tell apart.

Colours are Okabe and Ito's; every series differs in marker or line style too.
The dark theme is for the report on dark screens, files are light.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib

if not os.environ.get("MPLBACKEND", "").startswith("module://"):  # as a notebook's, which needs no display either
    matplotlib.use("Agg")
import matplotlib.pyplot as plt
from fontTools import subset

from ..metrics.series_name import named_series

# No reader looks at these tables of a font in a PDF, and to take them apart is a third of the time of writing one.
getattr(subset.Options, "_drop_tables_default", []).extend(["GDEF", "GPOS", "GSUB", "kern"])

THEMES = ("light", "dark")

BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
#: Colour, marker and line style: of series that a study names, and of all others.
STYLES = ((BLUE, "o", "-"), (ORANGE, "s", "--"), (GREEN, "^", "-."), (RED, "D", ":"))
OTHER = (("#CC79A7", "v", "-"), ("#56B4E9", "P", "--"), ("#7F7F7F", "X", "-."))
DARK_BLUE_ON_DARK = "#4FA8DC"

INK = {"light": "#1b1f24", "dark": "#e6e6e6"}
FAINT = {"light": "#8a929c", "dark": "#8a929c"}
PAPER = {"light": "#ffffff", "dark": "#1c2128"}


@contextmanager
def theme(name: str) -> Iterator[None]:
    """Use a theme for the figures drawn inside; they are closed at the end."""
    ink, paper = INK[name], PAPER[name]
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
        "figure.facecolor": paper,
        "axes.facecolor": paper,
        "savefig.facecolor": paper,
        "text.color": ink,
        "axes.labelcolor": ink,
        "axes.edgecolor": FAINT[name],
        "xtick.color": ink,
        "ytick.color": ink,
        "grid.color": FAINT[name],
        "pdf.fonttype": 42,  # text stays text
    }
    with matplotlib.rc_context(settings):
        try:
            yield
        finally:
            plt.close("all")


def is_dark() -> bool:
    """Whether the dark theme is in use."""
    return bool(matplotlib.rcParams["figure.facecolor"] == PAPER["dark"])


def ink() -> str:
    """Colour of text and marks in the theme in use."""
    return str(matplotlib.rcParams["text.color"])


def style_at(place: int) -> tuple[str, str, str]:
    """Colour, marker and line style of STYLES in the theme in use."""
    color, marker, line = STYLES[place % len(STYLES)]
    return DARK_BLUE_ON_DARK if is_dark() and color == BLUE else color, marker, line


def series_style(name: str, index: int = 0) -> tuple[str, str, str]:
    """Colour, marker and line style of a series, the same in every figure.

    Args:
        index: place of a series that no study names, among those of a figure.
    """
    known = named_series()
    return style_at(known.index(name)) if name in known else OTHER[index % len(OTHER)]
