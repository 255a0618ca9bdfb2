# SPDX-License-Identifier: GPL-2.0-or-later
"""How each kind of figure is drawn on axes, from its frame."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes

from ..metrics.catalog import labelled
from .venue import COLOURS, LINES

Draw = Callable[[Axes, pl.DataFrame], None]
#: A cloud of more points becomes a picture within the figure, whose file would be too large otherwise.
POINTS_MAX = 2000
FATES = {"decoded": COLOURS[2], "not decoded": COLOURS[4], "lost": COLOURS[1], "not known": "#999999"}
SPARE = 0.02
#: Values at which a band is computed, and draws of seeds for it.
BAND, RESAMPLES = 200, 1000
#: A line of a name beside a row.
ROW_LETTERS = 24
#: Size of a value's point in a row.
POINT = 3


def each(frame: pl.DataFrame) -> Iterator[tuple[int, str, pl.DataFrame]]:
    """Number, name and rows of each series, in the order in which they come."""
    for i, ((name,), rows) in enumerate(frame.group_by("series", maintain_order=True)):
        yield i, str(name), rows


def look(i: int) -> dict[str, object]:
    """Colour and line of the series of a number, in which no two of the first 49 are alike."""
    return {"color": COLOURS[i % len(COLOURS)], "linestyle": LINES[(i + i // len(COLOURS)) % len(LINES)]}


def _from_zero(axes: Axes) -> None:
    axes.set_ylim(bottom=0)
    axes.margins(x=0)


def lines(y: str, thin: str | None = None) -> Draw:
    """A step or line for each series, and a thin one of the same colour for what goes with it."""

    def draw(axes: Axes, frame: pl.DataFrame) -> None:
        for i, name, rows in each(frame):
            axes.step(rows["t_s"], rows[y], where="post", label=name, **look(i))  # type: ignore[arg-type]
            if f"{y}_low" in rows.columns:
                axes.fill_between(rows["t_s"], rows[f"{y}_low"].fill_null(np.nan), rows[f"{y}_high"].fill_null(np.nan),
                                  step="post", color=COLOURS[i % len(COLOURS)], alpha=0.2, linewidth=0)
            if thin is not None and thin in rows.columns:
                axes.step(rows["t_s"], rows[thin].cast(pl.Float64).fill_null(np.nan), where="post", linewidth=0.5,
                          alpha=0.7, color=COLOURS[i % len(COLOURS)], linestyle="-")
        _from_zero(axes)

    return draw


def clouds(y: str) -> Draw:
    """A point for each value."""

    def draw(axes: Axes, frame: pl.DataFrame) -> None:
        for i, name, rows in each(frame):
            axes.plot(rows["t_s"], rows[y], ".", color=COLOURS[i % len(COLOURS)], markeredgewidth=0, label=name,
                      rasterized=len(rows) > POINTS_MAX)
        _from_zero(axes)

    return draw


def value_of(frame: pl.DataFrame) -> str:
    """The column that a distribution is of: the one that tells of no run."""
    return next(name for name in reversed(frame.columns) if name not in ("series", "seed", "t_s"))


def cumulative() -> Draw:
    """The share of values up to each."""

    def draw(axes: Axes, frame: pl.DataFrame) -> None:
        x = value_of(frame)
        for i, name, rows in each(frame):
            ordered = np.sort(rows[x].to_numpy())
            axes.step(ordered, np.arange(1, len(ordered) + 1) / len(ordered), where="post", label=name,
                      **look(i))  # type: ignore[arg-type]
            if "seed" in rows.columns and rows["seed"].n_unique() > 1:
                axes.fill_between(*share_band(rows, x), step="post", color=COLOURS[i % len(COLOURS)], alpha=0.2,
                                  linewidth=0)
        axes.set_ylim(0, 1 + SPARE)
        axes.set_xlim(left=0)
        axes.set_xlabel(labelled(x))

    return draw


def boxes(axes: Axes, frame: pl.DataFrame) -> None:
    """Of each series a box from the lower to the upper quartile with the median, whiskers, and each value as a point.

    Whiskers reach the last value within 1.5 times the box's length.
    """
    values = _beside(axes, frame)
    made = axes.boxplot(values, orientation="horizontal", positions=range(len(values)), widths=0.6, showfliers=False,
                        patch_artist=True, manage_ticks=False, medianprops={"color": "black"})
    for i, box in enumerate(made["boxes"]):
        box.set(facecolor=COLOURS[i % len(COLOURS)], alpha=0.35)


def violins(axes: Axes, frame: pl.DataFrame) -> None:
    """Of each series the density of its values, with the median, and each value as a point."""
    values = _beside(axes, frame)
    varying = [i for i, own in enumerate(values) if np.ptp(own) > 0]  # one number alone has no density
    if varying:
        made = axes.violinplot([values[i] for i in varying], varying, orientation="horizontal", widths=0.8,
                               showextrema=False)
        bodies: Any = made["bodies"]
        for i, body in zip(varying, bodies, strict=True):
            body.set(facecolor=COLOURS[i % len(COLOURS)], alpha=0.35)
    for i, own in enumerate(values):
        axes.vlines(np.median(own), i - 0.3, i + 0.3, color="black")


def _row_name(series: str) -> str:
    return textwrap.fill(series, ROW_LETTERS)


def rows_lines(frame: pl.DataFrame) -> int:
    """Lines of text that rows of one height take which have room for every name."""
    names = frame["series"].unique().to_list()
    return len(names) * (1 + max(_row_name(name).count("\n") + 1 for name in names))


def _beside(axes: Axes, frame: pl.DataFrame) -> list[np.ndarray]:
    """Axes with a row for each series and its values as points. Return: the values."""
    name = value_of(frame)
    found = [(series, rows[name].to_numpy()) for _, series, rows in each(frame)]
    for i, (_, own) in enumerate(found):
        axes.plot(own, np.full(len(own), i), "o", color=COLOURS[i % len(COLOURS)], markersize=POINT, markeredgewidth=0)
    axes.set_yticks(range(len(found)), [_row_name(series) for series, _ in found])
    axes.set_ylim(len(found) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(labelled(name))
    return [own for _, own in found]


def share_band(rows: pl.DataFrame, x: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The 95 % confidence band of a share of values, by drawing seeds again (bootstrap).

    Returns:
        Values, and the least and the largest share of values up to each, (BAND,) each.
    """
    values = np.quantile(rows[x].to_numpy(), np.linspace(0, 1, BAND))
    of_seeds = [np.sort(own[x].to_numpy()) for _, own in rows.group_by("seed", maintain_order=True)]
    below = np.array([np.searchsorted(own, values, side="right") for own in of_seeds])
    number = np.array([len(own) for own in of_seeds])
    drawn = np.random.default_rng(0).integers(0, len(of_seeds), (RESAMPLES, len(of_seeds)))
    shares = below[drawn].sum(axis=1) / number[drawn].sum(axis=1)[:, None]
    low, high = np.quantile(shares, (0.025, 0.975), axis=0)
    return values, low, high


def sequence(axes: Axes, frame: pl.DataFrame) -> None:
    """Segments as strokes from their first byte to their last, what was sent again in another colour, and the ACKs."""
    for i, name, rows in each(frame):
        low = rows["seq_bytes"].to_numpy() / 1e6
        high = low + rows["payload_bytes"].to_numpy() / 1e6
        again = rows["retransmitted"].to_numpy()
        many = len(rows) > POINTS_MAX
        for chosen, colour, label in ((~again, COLOURS[i % len(COLOURS)], name), (again, COLOURS[1], "sent again")):
            if chosen.any():
                axes.vlines(rows["t_s"].to_numpy()[chosen], low[chosen], high[chosen], colors=colour, linewidth=1.0,
                            label=label, rasterized=many)
        acked = rows.drop_nulls("acked_s").sort("acked_s")
        reached = ((acked["seq_bytes"] + acked["payload_bytes"]).cum_max() / 1e6).to_numpy()
        axes.step(acked["acked_s"], reached, where="post", color=COLOURS[2], linestyle="-", linewidth=0.7,
                  label="acknowledged" if i == 0 else None)
    axes.margins(x=0)


def stack(y: str) -> Draw:
    """One series above the other; all have the same times."""

    def draw(axes: Axes, frame: pl.DataFrame) -> None:
        found = list(each(frame))
        if found:
            axes.stackplot(found[0][2]["t_s"].to_numpy(), [rows[y].to_numpy() for _, _, rows in found],
                           labels=[name for _, name, _ in found], colors=COLOURS, edgecolor="white")
        _from_zero(axes)

    return draw


def blocks(axes: Axes, frame: pl.DataFrame) -> None:
    """A bar for the sub-frame or slot of each attempt in the colour of its fate; a thin line until that was known."""
    channels = list(dict.fromkeys(frame["shared_channel"]))
    for fate, colour in FATES.items():
        rows = frame.filter(pl.col("fate") == fate)
        at = [channels.index(channel) for channel in rows["shared_channel"]]
        axes.hlines(at, rows["t_s"], rows["done_s"].fill_null(rows["t_s"]), color=colour, linewidth=0.8)
        if len(rows):
            axes.barh(at, rows["tti_s"].to_numpy(), left=rows["t_s"].to_numpy(), height=0.6, color=colour,
                      edgecolor="white", label=fate)
    axes.set_yticks(range(len(channels)), channels)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
