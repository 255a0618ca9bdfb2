# SPDX-License-Identifier: GPL-2.0-or-later
"""What `cellbed realism` prints."""

from __future__ import annotations

from pathlib import Path

from cellbed_formats.error import DataError
from cellbed_formats.inside import Inside

from ..report.fitted import ALWAYS, Column, Fitted
from ..report.words import number_text
from .acceptance import BAR_PERCENTILE, Acceptance

PASSED = {True: "yes", False: "no", None: "no bar"}


def table(link: str, found: Acceptance) -> Fitted:
    """A row for each statistic that the recordings have."""
    made = Fitted(f"{link} beside {found.tests} recordings", Column("", words=True), Column("field p5", keep=20),
                  Column("p50", keep=60), Column("p95", keep=20), Column("link p5", keep=15), Column("p50 ", keep=50),
                  Column("p95 ", keep=15), Column("distance"), Column("bar"), Column("passed", True, ALWAYS))
    for row in found.rows:
        quantiles = [number_text(value) for value in row.field]
        quantiles += [number_text(value) for value in row.model] if row.model else ["-"] * 3
        made.add_row(row.statistic, *quantiles, f"{row.distance:.2f}",
                     "-" if row.bar is None else f"{row.bar:.2f}", PASSED[row.passed])
    return made


def said(found: Acceptance) -> str:
    """How many passed, and what that means."""
    judged = [row for row in found.rows if row.bar is not None]
    passed = sum(row.passed is True for row in judged)
    return (f"{passed} of {len(judged)} passed: as near to the recordings (Kolmogorov-Smirnov) as {BAR_PERCENTILE} % "
            f"of pairs of their groups are to each other; parts of {found.part_s:g} s")


def draw(found: Acceptance, path: Path) -> None:
    """Draw the distributions of all statistics as SVG.

    Raises:
        DataError: the file's suffix is another one.
    """
    if path.suffix != ".svg":
        raise DataError(f"--figure {path}: suffix '{path.suffix}': allowed .svg")
    import matplotlib as mpl

    from ..figures.style import theme
    from ..figures.vector import SETTINGS, svg, with_dark
    from . import figure

    with theme(), mpl.rc_context(SETTINGS):
        drawn = with_dark(svg(figure.draw({row.statistic: row for row in found.rows}, found.curves)))
    Inside.beside(path).write(drawn)
