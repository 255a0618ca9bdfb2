# SPDX-License-Identifier: GPL-2.0-or-later
"""A legend outside the axes that lies inside the page, whatever the names in it are."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.legend import Legend

#: Letters of a line, the longest first; a name may have any number of lines.
WRAPPED = (60, 48, 40, 32, 26, 20, 16, 12)
#: The most of the figure's width that a legend beside the axes takes.
BESIDE = 0.45


def labelled(figure: Figure) -> dict[str, Artist]:
    """What has a name in any axes of a figure, each name once."""
    found: dict[str, Artist] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    return found


def by_label(handles: Iterable[Artist]) -> dict[str, Artist]:
    """Handles by their own labels."""
    return {str(handle.get_label()): handle for handle in handles}


def legend_above(
    figure: Figure, ncols: int | None = None, named: Mapping[str, Artist] | None = None, **how: Any
) -> None:
    """Names above the axes, in as many columns as fit; nothing where nothing has a name.

    The figure grows by the rows after the first, so that the axes keep their height.

    Args:
        ncols: the most columns; None: one for each name.
        named: None: what has a name in the figure.
        how: of Figure.legend().
    """
    named = labelled(figure) if named is None else named
    if not named:
        return
    ways = _ways([*named], min(ncols or len(named), len(named)))
    made, columns = _fitting(figure, [*named.values()], "outside upper center", ways, figure.get_figwidth(), how)
    height_in, rows = _size_in(made)[1], -(-len(named) // columns)
    figure.set_figheight(figure.get_figheight() + height_in * (rows - 1) / rows)


def legend_beside(figure: Figure) -> None:
    """Names right of the axes, one below the other; the figure grows until it is as high as they are."""
    named = labelled(figure)
    ways = _ways([*named], 1)
    made, _ = _fitting(figure, [*named.values()], "outside right upper", ways, BESIDE * figure.get_figwidth(), {})
    figure.set_figheight(max(figure.get_figheight(), _size_in(made)[1]))


def _ways(names: Sequence[str], ncols: int) -> Iterator[tuple[int, list[str]]]:
    """Numbers of columns with the names as they are, the most first; then one, with shorter and shorter lines."""
    for columns in range(ncols, 0, -1):
        yield columns, [*names]
    for letters in WRAPPED:
        yield 1, [textwrap.fill(name, letters) for name in names]


def _fitting(figure: Figure, handles: Sequence[Artist], loc: Any, ways: Iterator[tuple[int, list[str]]], most_in: float,
             how: dict[str, Any]) -> tuple[Legend, int]:
    """The first legend that is not wider than that, else the last, and its columns."""
    ncols, names = next(ways)
    made = figure.legend([*handles], names, loc=loc, ncols=ncols, **how)
    for narrower in ways:
        if _size_in(made)[0] <= most_in:
            break
        made.remove()
        ncols, names = narrower
        made = figure.legend([*handles], names, loc=loc, ncols=ncols, **how)
    return made, ncols


def _size_in(legend: Legend) -> tuple[float, float]:
    """Width and height."""
    figure = legend.figure
    assert isinstance(figure, Figure)
    extent = legend.get_window_extent()
    return extent.width / figure.dpi, extent.height / figure.dpi
