# SPDX-License-Identifier: GPL-2.0-or-later
"""One query: where did the RTTs of a whole flow go, and what made the slowest ones slow?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from rich.console import Console, ConsoleOptions, RenderableType

from cellbed_formats.bundle import Bundle
from cellbed_formats.error import DataError

from ..metrics.asked import Asked
from ..metrics.window import evaluated_window
from ..tcp.segment import RTT_PARTS
from .answer import LEAST_MS, defect_of
from .fitted import Column, Fitted

#: Percentiles of the RTT between which a segment is one of the middle, and above which it is one of the slowest.
MIDDLE, SLOWEST = (40, 60), 95


@dataclass(frozen=True)
class FlowAnswer:
    """The RTTs of a flow's segments or a ping's echo requests in the evaluated window, and where they went on average.
    """

    flow: str
    segments: int  # in the window
    rtt_ms: np.ndarray  # (n,) of those whose RTT is explained
    parts: pl.DataFrame  # part (label), all_ms, middle_ms, slowest_ms: means; their sums are the mean RTTs
    note: str | None = None
    defect: str | None = None  # why times of captures are not to be believed; then there are no parts
    packets: str = "segments"  # what `segments` counts
    causes: pl.DataFrame | None = None  # as `parts`, with a column cause; None: not known over links

    def percentile_ms(self, share: float) -> float:
        """Of the RTT; share: 0 to 100."""
        return float(np.percentile(self.rtt_ms, share))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """A table of the parts, the largest difference between the slowest segments and the middle first."""
        if self.note is not None:
            yield self.note
        if self.defect is not None:
            yield f"where the time of flow {self.flow} went is not known: {self.defect}"
            return
        yield self._table(
            f"flow {self.flow}: mean RTT of {len(self.rtt_ms)} of {self.segments} {self.packets}, in ms; median "
            f"{self.percentile_ms(50):.1f}, {SLOWEST}th percentile {self.percentile_ms(SLOWEST):.1f}",
            "part of the RTT", self.parts)  # fmt: skip
        if self.causes is not None:
            yield self._table("the same by cause", "cause", self.causes)

    @staticmethod
    def _table(title: str, what: str, means: pl.DataFrame) -> Fitted:
        middle = f"middle {MIDDLE[1] - MIDDLE[0]} %"
        made = Fitted(title, Column(what, words=True), Column("all", keep=1), Column(middle),
                      Column(f"slowest {100 - SLOWEST} %"), Column("more"))  # fmt: skip
        names = means.rename({means.columns[0]: "name"})
        sums = names.select(pl.lit("RTT").alias("name"), pl.col("all_ms", "middle_ms", "slowest_ms").sum())
        for name, *values in pl.concat([names, sums]).iter_rows():
            made.add_row(name, *(f"{ms:.3f}" for ms in values), f"{values[2] - values[1]:+.3f}")
        return made


def why_flow(bundle: Bundle, wanted: str | None = None) -> FlowAnswer:
    """Where the RTTs of a flow went, in the part of the run that tables evaluate.

    Args:
        wanted: id of a flow; None: the scenario's first, else the largest.

    Raises:
        DataError: the run has no such flow, it is of datagrams, or files are missing.
    """
    asked = Asked.of(bundle, wanted)
    flow = asked.flow
    if flow.datagrams:
        raise DataError(f"{asked.where}: datagrams have no RTT; ask for one of them with --at")
    window = evaluated_window(bundle, flow)
    known = window.cut(asked.explained(), "out_ns")
    if known.is_empty():
        raise DataError(asked.unexplained)
    sent = asked.sent if flow.pings else asked.run.segments(flow.id)
    n = len(window.cut(sent, "out_ns")) or len(known)
    rtt_ms = known["rtt_ns"].to_numpy() / 1e6
    labels = {part: asked.label(part) for part in RTT_PARTS}
    least = {labels[part]: float(known[part].min()) / 1e6 for part in RTT_PARTS}  # type: ignore[arg-type]
    defect = defect_of(bundle, least, float(rtt_ms.min()), flow.end_ns)
    causes = None if defect is not None else asked.causes(known)
    return FlowAnswer(
        flow.id, n, rtt_ms, _means("part", known, rtt_ms, labels), asked.note, defect,
        "echo requests" if flow.pings else "segments",
        None if causes is None else _means("cause", causes.table(), rtt_ms, causes.labels),
    )  # fmt: skip


def _means(what: str, ns: pl.DataFrame, rtt_ms: np.ndarray, labels: Mapping[str, str]) -> pl.DataFrame:
    """Means over all segments, the middle ones and the slowest, what the slowest have most of first.

    Args:
        ns: columns that add up to the RTT.
        labels: those columns in words; @what they are.
    """
    low = np.percentile(rtt_ms, MIDDLE[0], method="lower")  # so that of few there is one in the middle
    high, slow = np.percentile(rtt_ms, MIDDLE[1], method="higher"), np.percentile(rtt_ms, SLOWEST)
    chosen = {"all_ms": rtt_ms >= 0, "middle_ms": (rtt_ms >= low) & (rtt_ms <= high), "slowest_ms": rtt_ms >= slow}
    means = {name: ns.filter(mask).select(*labels).mean().row(0) for name, mask in chosen.items()}
    frame = pl.DataFrame({what: list(labels.values()),
                          **{name: np.array(row, float) / 1e6 for name, row in means.items()}})
    shown = frame.filter(pl.any_horizontal(pl.col(*chosen).abs() >= LEAST_MS))
    return shown.sort(pl.col("slowest_ms") - pl.col("middle_ms"), descending=True, maintain_order=True)
