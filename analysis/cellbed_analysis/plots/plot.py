# SPDX-License-Identifier: GPL-2.0-or-later
"""One figure of some runs, as a venue wants it, and its data as CSV."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cellbed_formats.bundle import Bundle
from cellbed_formats.error import DataError, UnusableError
from cellbed_formats.inside import Inside

from ..figures.legend import labelled, legend_above, legend_beside
from ..figures.style import lean_fonts
from ..metrics.run import RunAnalysis, analyse
from ..metrics.series_name import brief, label
from .draw import rows_lines
from .kind import KINDS, Kind, Wanted
from .names import Names
from .venue import ASPECT, VENUES, styled

SUFFIXES = (".pdf", ".svg", ".png", ".eps")
#: Without it the files carry the time of their making and never compare equal.
NO_DATE: dict[str, dict[str, None]] = {
    ".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".png": {"Software": None}, ".eps": {},
}  # fmt: skip
PNG_DPI = 300
SCREEN_DPI = 150
#: Names beyond these are in the CSV only.
LEGEND_MAX = 24
LEGENDS = ("above", "right", "inside", "none")
#: Lines of text below the rows of a figure that has one for each series, and a line's height over the size of type.
LINES_BELOW, LINE = 4, 1.2
POINTS_PER_IN = 72


@dataclass(frozen=True)
class Look:
    """How a figure is drawn.

    Attributes:
        venue: of VENUES.
        columns: 1, or 2 for a figure across the page.
        height_in: None: as the venue's columns are wide, and as names and rows need it.
        legend: of LEGENDS.
    """

    venue: str = "ieee"
    columns: int = 1
    height_in: float | None = None
    legend: str = "above"

    def __post_init__(self) -> None:
        for option, value, allowed in (("--venue", self.venue, VENUES), ("--legend", self.legend, LEGENDS)):
            if value not in allowed:
                raise DataError(f"{option} {value}: allowed {', '.join(allowed)}")


@dataclass(frozen=True)
class Plot:
    """A figure that can be drawn, and what it shows: `data` has `series`, then what is on the axes.

    Notebooks show it where it is the last value of a cell.
    """

    kind: str
    data: pl.DataFrame
    look: Look = field(default_factory=Look)

    def figure(self) -> Figure:
        """The figure, without pyplot, which keeps figures and would show them."""
        look, kind = self.look, KINDS[self.kind]
        with styled(look.venue) as venue:
            height_in = venue.column * ASPECT
            if kind.rows:
                lines = rows_lines(self.data) + LINES_BELOW
                height_in = max(height_in, lines * LINE * venue.points / POINTS_PER_IN)
            width_in = venue.column if look.columns == 1 else venue.page
            figure = Figure(figsize=(width_in, height_in), layout="constrained")
            axes = figure.subplots()
            kind.draw(axes, self.data)
            axes.set(**{name: text for name, text in (("xlabel", kind.x), ("ylabel", kind.y)) if text})
            self._legend(figure, axes)
            if look.height_in is not None:
                figure.set_figheight(look.height_in)
            return figure

    def _legend(self, figure: Figure, axes: Axes) -> None:
        named = labelled(figure)
        if not 1 < len(named) <= LEGEND_MAX or self.look.legend == "none":
            return
        if self.look.legend == "inside":
            axes.legend([*named.values()], [*named])
        elif self.look.legend == "right":
            legend_beside(figure)
        else:
            legend_above(figure, (6 if len(named) > 8 else 3) * self.look.columns)

    def write(self, output: str | Path) -> tuple[Path, Path]:
        """Draw into a file, whose suffix says its format, and write the data beside it as CSV.

        Returns:
            The paths of both.

        Raises:
            DataError: a suffix that there is not.
        """
        output = Path(output)
        if output.suffix not in SUFFIXES:
            raise DataError(f"--output {output}: allowed names that end in {', '.join(SUFFIXES)}")
        beside = output.with_suffix(".csv")
        folder = Inside.named(output.parent)
        (folder / output.name).write(self._drawn(output.suffix, PNG_DPI))
        (folder / beside.name).write(self.data.write_csv())
        return output, beside

    def _drawn(self, suffix: str, dpi: int) -> bytes:
        buffer = io.BytesIO()
        if suffix == ".pdf":
            lean_fonts()
        figure = self.figure()
        with styled(self.look.venue):
            figure.savefig(buffer, format=suffix.removeprefix("."), dpi=dpi, metadata=NO_DATE[suffix])
        return buffer.getvalue()

    def _repr_png_(self) -> bytes:
        return self._drawn(".png", SCREEN_DPI)


def plot(kind: str, bundles: Sequence[Bundle], wanted: Wanted | None = None, look: Look | None = None,
         names: Names | None = None, per_seed: bool = False) -> Plot:
    """A figure of some runs.

    Args:
        kind: of KINDS.
        per_seed: as `data`.

    Raises:
        DataError: no such kind, flow, metric or name, or no run has what it takes.
    """
    return Plot(kind, (names or Names()).of(data(kind, bundles, wanted, per_seed)), look or Look())


def data(kind: str, bundles: Sequence[Bundle], wanted: Wanted | None = None, per_seed: bool = False) -> pl.DataFrame:
    """What a figure shows: `series`, then what is on the axes.

    A series is a run, or a flow of it; its name says only in what the series differ. Runs that differ in the seed alone
    are one series, where the kind of figure has a mean or a distribution of them.

    Args:
        per_seed: a series for each of them.

    Raises:
        DataError: no such kind or flow, or no run has what it takes.
    """
    if kind not in KINDS:
        raise DataError(f"plot {kind}: allowed {', '.join(KINDS)}")
    wanted = wanted or Wanted()
    runs = [analyse(bundle) for bundle in bundles]
    for run in runs:
        if not run.readable:
            raise UnusableError(run.problem)
    _check_flows(runs, wanted)
    if wanted.start_s is not None and wanted.end_s is not None and wanted.end_s <= wanted.start_s:
        raise DataError(f"--to {wanted.end_s:g}: allowed more than --from, {wanted.start_s:g}")
    found = _frames(KINDS[kind], runs, wanted, per_seed)
    frame = pl.concat([part for part in found if len(part)] or found[:1], how="diagonal_relaxed")
    if frame.is_empty():
        timed = wanted.start_s is not None or wanted.end_s is not None
        raise DataError(f"{bundles[0].path}: nothing to draw for plot {kind}" + (
            " between --from and --to; choose a longer time" if timed else f": {_missing(runs[0])}"))
    frame = _short(frame)
    last = KINDS[kind].last
    return frame if last is None else last(frame)


def _missing(run: RunAnalysis) -> str:
    """What a run may lack."""
    if run.bundle.captured_nodes:
        return "none of its flows has what it shows; choose another kind"
    return f"it has no captures; {run.bundle.to_capture}"


def _frames(kind: Kind, runs: Sequence[RunAnalysis], wanted: Wanted, per_seed: bool) -> list[pl.DataFrame]:
    """Of each series its frame."""
    alike: dict[tuple[object, ...], list[RunAnalysis]] = {}
    for run in runs:
        what = (*(run.row[name] for name in ("scenario", "lab", "kernel")), label(run.row))
        alike.setdefault(what, []).append(run)
    if kind.alone and len(alike) > 1:
        raise DataError(f"{runs[0].bundle.path}: the figure is of one variant; choose it with --variant, --set or a "
                        "folder")
    pooled = kind.pool is not None and not per_seed
    found = []
    for group in alike.values():
        seeds = {int(run.row["seed"]): run for run in group}
        if kind.pool is None or not pooled or len(group) == 1 or len(seeds) < len(group):
            found += [_named(run, kind.data(run, wanted), runs) for run in group]
            continue
        ended = replace(wanted, parts_end_s=max(map(_end_s, group)))
        frames = {seed: frame for seed, run in seeds.items() if len(frame := kind.data(run, ended))}
        if frames:
            found.append(_named(group[0], kind.pool(frames), [other[0] for other in alike.values()]))
    return found


def _end_s(run: RunAnalysis) -> float:
    """When the last flow of a run ends, in s after its start."""
    return max(((flow.end_ns - run.bundle.start_ns) / 1e9 for flow in run.bundle.all_flows), default=0.0)


def _check_flows(runs: Sequence[RunAnalysis], wanted: Wanted) -> None:
    known = list(dict.fromkeys(flow.id for run in runs for flow in run.bundle.all_flows))
    for flow in wanted.flows:
        if flow not in known:
            raise DataError(f"--flow {flow}: allowed {', '.join(known) or 'none: no run has a flow'}")


def _named(run: RunAnalysis, frame: pl.DataFrame, runs: Sequence[RunAnalysis]) -> pl.DataFrame:
    """With the column `series`: the run's name, where there are several, and the flow's."""
    names = [brief(label(other.row)) for other in runs]
    name = brief(label(run.row))
    if names.count(name) > 1:
        name = f"{name}, seed {run.row['seed']}"
    prefix = name if len(runs) > 1 else ""
    if "flow" not in frame.columns:
        return frame.select(pl.lit(prefix or name).alias("series"), pl.all())
    joined = pl.concat_str([pl.lit(f"{prefix}, " if prefix else ""), pl.col("flow")])
    return frame.select(joined.alias("series"), pl.all())


def _short(frame: pl.DataFrame) -> pl.DataFrame:
    """Without the flow's name where every run has one of the same name."""
    if "flow" not in frame.columns:
        return frame
    if frame["flow"].n_unique() == 1 and frame["series"].n_unique() > 1:
        flow = frame["flow"][0]
        frame = frame.with_columns(pl.col("series").str.strip_suffix(f", {flow}"))
    return frame.drop("flow")
