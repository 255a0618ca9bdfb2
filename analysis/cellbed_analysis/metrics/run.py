# SPDX-License-Identifier: GPL-2.0-or-later
"""One run as later stages see it: its rows of metrics.parquet, and the segments behind them, kept in `derived/`."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from cellbed_formats import parquet
from cellbed_formats.bundle import DERIVED, Bundle
from cellbed_formats.error import DataError, MemoryShort, in_words, reading

from .cache import METRICS_JSON, OTHER_SEGMENTS, SEGMENTS, cache_key, checksum, kept_rows
from .identity import identity
from .rows import compute, compute_others, lives_once

#: Columns of segments of which most figures are made: when each was sent, and its RTT.
TIMED = ("out_ns", "rtt_ns")


@dataclass(frozen=True)
class RunAnalysis:
    """Everything later stages need of one run."""

    bundle: Bundle
    row: dict[str, Any]  # of the run and its first flow, which claims and figures are about
    problem: str | None = None  # why it may not enter averages, beyond the bundle's own reasons
    others: tuple[dict[str, Any], ...] = ()  # rows of its other flows

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each flow; what is of the whole run stands in the first."""
        return [self.row, *self.others]

    def row_of(self, wanted: str | None) -> dict[str, Any] | None:
        """The row of a flow, None without one of that id; the first row when none is wanted."""
        return self.row if wanted is None else next((row for row in self.rows if row.get("flow") == wanted), None)

    @property
    def readable(self) -> bool:
        """Its files could be read, so it has metrics and segments."""
        return str(self.row["status"]) != "unreadable"

    def segments(self, wanted: str | None = None, columns: Collection[str] | None = None) -> pl.DataFrame:
        """`segment.decomposed_segments` of a whole flow, the first if none is wanted, read again at each call.

        Args:
            columns: all that are needed of the table's hundred.

        Raises:
            DataError: the run is not readable.
        """
        first = wanted in (None, self.row.get("flow"))
        kept = kept_rows(self.bundle)
        with contextlib.suppress(OSError, pl.exceptions.PolarsError):
            if kept is not None:
                found = parquet.read(self.bundle.inside / DERIVED / (SEGMENTS if first else OTHER_SEGMENTS),
                                     columns if columns is None else {*columns, "flow"})
                return found if first else _of_flow(found, wanted)
        with reading(self.bundle.path):
            files = self.bundle.lent()
            return compute(files)[1] if first else _of_flow(compute_others(files)[1], wanted)

    @property
    def usable(self) -> bool:
        """The run may enter averages."""
        return bool(self.row["usable"])

    @property
    def reasons(self) -> list[str]:
        """Why it may not, for people."""
        return self.bundle.validity_reasons + ([self.problem] if self.problem else [])

    def set_apart(self, status: str, problem: str) -> RunAnalysis:
        """The same run, kept out of averages."""
        row, *others = ({**row, "status": status, "usable": False} for row in self.rows)
        return replace(self, row=row, others=tuple(others), problem=problem)


def analysed_before(bundle: Bundle) -> RunAnalysis | None:
    """A run as `derived/` has it, None where it has to be analysed."""
    rows = kept_rows(bundle)
    return None if rows is None else RunAnalysis(bundle, rows[0], others=tuple(rows[1:]))


def _of_flow(segments: pl.DataFrame, wanted: str | None) -> pl.DataFrame:
    return segments.filter(pl.col("flow") == wanted).drop("flow") if "flow" in segments.columns else segments


def analyse(bundle: Bundle) -> RunAnalysis:
    """Metrics of a run, from `derived/` when they are still true.

    A bundle whose files do not read gives a row with its identity only, marked
    not usable, and the problem in words.
    """
    kept = analysed_before(bundle)
    if kept is not None:
        return kept
    try:
        with reading(bundle.path):
            files = bundle.lent()
            lives = lives_once(files)
            row, segments = compute(files, lives)
            others, of_others = compute_others(files, lives)
    except MemoryShort:
        raise
    except (DataError, OSError) as error:
        return RunAnalysis(bundle, identity(bundle)).set_apart("unreadable", in_words(error))
    derived = bundle.inside / DERIVED
    # A bundle on read-only storage is analysed again each time.
    with contextlib.suppress(OSError):
        parquet.write(segments, derived / SEGMENTS)
        parquet.write(of_others, derived / OTHER_SEGMENTS)
        known = {"key": cache_key(bundle), "row": row, "others": others, "sum": checksum(row, *others)}
        (derived / METRICS_JSON).write(json.dumps(known))
    return RunAnalysis(bundle, row, others=tuple(others))


