# SPDX-License-Identifier: GPL-2.0-or-later
"""One query: why was the RTT of this segment so long?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from .bundle import Bundle
from .error import AnalysisError
from .metrics.run import analyse, primary_flow
from .segment import RTT_PARTS, part_label
from .timeline import sequence_of, table


@dataclass(frozen=True)
class Answer:
    """The RTT of one segment and where it went."""

    sent_s: float  # after t = 0
    seq: int  # bytes of the stream before it
    rtt_ms: float
    parts_ms: dict[str, float]  # in order of time; their sum is rtt_ms
    events: pl.DataFrame  # `timeline.table`
    wired: frozenset[str] = frozenset()  # of parts_ms: those with wires in them

    def __str__(self) -> str:
        """The answer for people: parts, then events."""
        lines = [f"segment at byte {self.seq}, sent at {self.sent_s:.6f} s: RTT {self.rtt_ms:.3f} ms"]
        parts = {part_label(part, part in self.wired): ms for part, ms in self.parts_ms.items() if ms != 0}
        lines += [f"  {ms:9.3f} ms  {label}" for label, ms in parts.items()]
        asked = self.events.filter((pl.col("t_ms") == 0) & pl.col("event").str.contains("RAC request"))
        lines.append(f"  time from {'the entry into the buffer' if asked.is_empty() else 'the RAC request'} (ms):")
        for event in self.events.iter_rows(named=True):
            until = "" if event["arrival_ms"] is None else f" to {event['arrival_ms']:.3f}"
            lines.append(f"  {event['t_ms']:9.3f}{until:<11} {event['where']}: {event['event']}")
        return "\n".join(lines)


def why(bundle: Bundle, at_s: float) -> Answer:
    """Explain the RTT of the first segment sent at or after a time.

    Args:
        bundle: a run.
        at_s: seconds after t = 0.

    Raises:
        AnalysisError: no such segment with an RTT and a trace.
    """
    run = analyse(bundle)
    if not run.readable:
        raise AnalysisError(f"{bundle.path}: {run.problem}")
    begin_ns = bundle.start_ns + round(at_s * 1e9)
    known = run.segments().drop_nulls(["rtt_ns", *RTT_PARTS]).sort("out_ns")
    if known.is_empty():
        raise AnalysisError(f"{bundle.path}: no segment with an RTT that radio.trace knows")
    after = known.filter(pl.col("out_ns") >= begin_ns)
    if after.is_empty():
        last_s = (known["out_ns"][-1] - bundle.start_ns) / 1e9
        raise AnalysisError(
            f"{bundle.path}: no segment with an RTT was sent at or after {at_s:g} s; the last one was at {last_s:.3f} s"
        )
    return _answer(bundle, after.row(0, named=True))


def _answer(bundle: Bundle, segment: dict[str, Any]) -> Answer:
    flow, ues = primary_flow(bundle), bundle.ue_numbers
    return Answer(
        sent_s=(segment["out_ns"] - bundle.start_ns) / 1e9,
        seq=segment["seq"],
        rtt_ms=segment["rtt_ns"] / 1e6,
        parts_ms={part: segment[part] / 1e6 for part in RTT_PARTS},
        events=table(sequence_of(flow, segment)),
        wired=frozenset(
            (() if flow.source in ues else ("host_tx", "host_rx")) + (() if flow.sink in ues else ("receiver",))
        ),
    )
