# SPDX-License-Identifier: GPL-2.0-or-later
"""What venues want of a figure: its width, the size of its type, and letters that stay letters.

Widths are those of the venues' own LaTeX classes: a figure is put in at its size, with type as large as the text's.
The typeface is matplotlib's own Times-like one, which is wherever matplotlib is: the same data give the same file.

Source: IEEEtran, acmart, usenix
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib
from cycler import cycler

#: Colours of Okabe and Ito, which colour-blind people can tell apart; lines tell them apart in grey, too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
#: Height of a figure of one column over its width.
ASPECT = 0.62


@dataclass(frozen=True)
class Venue:
    """Widths in inches of a figure in one column and across both, size of type in points."""

    column: float
    page: float
    points: float
    serif: bool = True


VENUES = {
    "ieee": Venue(3.5, 7.16, 8),
    "acm": Venue(3.33, 7.0, 8),
    "usenix": Venue(3.33, 7.0, 9),
    "thesis": Venue(5.5, 6.5, 10),
    "slides": Venue(6.0, 10.0, 14, serif=False),
}


@contextmanager
def styled(name: str) -> Iterator[Venue]:
    """Draw as a venue wants it inside."""
    venue = VENUES[name]
    settings: Any = {
        "font.family": "STIXGeneral" if venue.serif else "DejaVu Sans",
        "mathtext.fontset": "stix" if venue.serif else "dejavusans",
        "font.size": venue.points,
        "axes.titlesize": venue.points, "axes.labelsize": venue.points,
        "xtick.labelsize": venue.points - 1, "ytick.labelsize": venue.points - 1, "legend.fontsize": venue.points - 1,
        "xtick.major.pad": venue.points / 2, "ytick.major.pad": venue.points / 2,  # so that two zeros do not touch
        "axes.linewidth": 0.6, "lines.linewidth": 1.0, "lines.markersize": 2.0, "patch.linewidth": 0.4,
        "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.direction": "in", "ytick.direction": "in",
        "axes.grid": True, "grid.linewidth": 0.4, "grid.alpha": 0.35, "axes.axisbelow": True,
        "legend.frameon": False, "legend.handlelength": 2.2, "legend.markerscale": 4,
        "axes.prop_cycle": cycler(color=COLOURS) + cycler(linestyle=LINES),
        "pdf.fonttype": 42, "ps.fonttype": 42,  # TrueType: venues refuse the other kind
        "svg.fonttype": "none", "svg.hashsalt": "cellbed",
    }  # fmt: skip
    with matplotlib.rc_context(settings):
        yield venue
