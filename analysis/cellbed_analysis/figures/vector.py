# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures as SVG: small enough to be kept beside the text that shows them, and the same bytes of the same data."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from cellbed_formats.inside import Inside

from .figure import FigureSpec
from .style import theme

#: Of a line or a cloud with more points no single one can be seen: it becomes a picture within the figure.
POINTS_MAX = 1000
PICTURE_DPI = 110
#: Text stays text; ids do not depend on chance; no date.
SETTINGS: Any = {"svg.fonttype": "none", "svg.hashsalt": "cellbed"}
NO_DATE = {"Date": None, "Creator": None}
#: Digits beyond a hundredth of a point, which nobody can see.
_LONG = re.compile(r"(\d+\.\d{2})\d+")


def save(specs: Sequence[FigureSpec], directory: Inside) -> list[tuple[FigureSpec, Path]]:
    """Draw every figure into a directory, whose earlier SVG files are removed."""
    for stale in directory.make().matching("*.svg"):
        stale.remove()
    saved = []
    for spec in specs:
        with theme("light"), plt.rc_context(SETTINGS):
            path = directory / f"{spec.name}.svg"
            path.write(_svg(spec.draw()))
            saved.append((spec, path.path))
    return saved


def _svg(figure: Figure) -> str:
    for line in figure.findobj(Line2D):
        line.set_rasterized(np.size(line.get_xdata()) > POINTS_MAX)
    for cloud in figure.findobj(PathCollection):
        cloud.set_rasterized(len(np.asarray(cloud.get_offsets())) > POINTS_MAX)
    text = io.StringIO()
    figure.savefig(text, format="svg", dpi=PICTURE_DPI, metadata=NO_DATE)
    # Pictures within are base64, which has no full stop.
    return _LONG.sub(r"\1", text.getvalue())
