# SPDX-License-Identifier: GPL-2.0-or-later
"""Printed numbers beside measured ones: each where its quotient is, on its row."""

from __future__ import annotations

import pytest

from cellbed_analysis.figures.paper_numbers import Number, draw
from cellbed_analysis.figures.style import theme
from cellbed_analysis.stats.interval import Estimate


def test_a_mark_stands_at_the_quotient_with_its_interval() -> None:
    rows = [
        ("one", [Number(10, Estimate(20, 10, 30), "undecided")]),
        ("a name that is much longer than a page is wide, so that it is cut", [
            Number(4, Estimate(4), "reproduced"), Number(8, Estimate(2, 1, 3), "differs"),
        ]),
    ]  # fmt: skip
    with theme():
        figure = draw(rows)
        (axes,) = figure.axes
        drawn = [line for line in axes.lines if len(line.get_xdata())]  # the others are the legend's
        marks = [float(line.get_xdata()[0]) for line in drawn if line.get_marker() != "None"]
        spans = [tuple(map(float, line.get_xdata())) for line in drawn if line.get_marker() == "None"]
        names = [label.get_text() for label in axes.get_yticklabels()]
    assert marks == pytest.approx([2, 1, 0.25])
    assert spans == [(1.0, 3.0), (0.125, 0.375), (1.0, 1.0)]  # and the line of the paper
    assert names[0] == "one" and names[1].endswith("…") and len(names[1]) < 55
