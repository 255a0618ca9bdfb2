# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures as SVG: small enough to be kept beside the text that shows them, and the same bytes of the same data."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .style import DARK

#: Of a line or a cloud with more points no single one can be seen: it becomes a picture within the figure.
POINTS_MAX = 1000
PICTURE_DPI = 110
#: Text stays text; ids do not depend on chance; no date.
SETTINGS: Any = {"svg.fonttype": "none", "svg.hashsalt": "cellbed"}
NO_DATE = {"Date": None, "Creator": None}
#: Digits beyond a hundredth of a point, which nobody can see.
_LONG = re.compile(r"(\d+\.\d{2})\d+")


def svg(figure: Figure) -> str:
    """A figure as SVG, in light colours."""
    _paint(figure, POINTS_MAX)
    text = io.StringIO()
    figure.savefig(text, format="svg", dpi=PICTURE_DPI, metadata=NO_DATE)
    _paint(figure, None)
    # Pictures within are base64, which has no full stop.
    return _LONG.sub(r"\1", text.getvalue())


def _paint(figure: Figure, most: int | None) -> None:
    """Make a picture of each line and cloud of more points; None: of none."""
    for line in figure.findobj(Line2D):
        line.set_rasterized(most is not None and np.size(line.get_xdata()) > most)
    for cloud in figure.findobj(PathCollection):
        cloud.set_rasterized(most is not None and len(np.asarray(cloud.get_offsets())) > most)


def with_dark(drawn: str) -> str:
    """The same SVG with the colours that it has on a dark screen: a page shows it as the reader's system is."""
    rules = "".join(f'[style*="{what}: {light.lower()}"]{{{what}:{dark} !important}}'
                    for light, dark in DARK.items() for what in ("fill", "stroke"))
    style = f"<style>@media (prefers-color-scheme: dark){{{rules}}}</style>"
    head, tag, rest = drawn.partition("<svg ")
    attributes, end, body = rest.partition(">")
    return f"{head}{tag}{attributes}{end}{style}{body}"
