# SPDX-License-Identifier: GPL-2.0-or-later
"""The answer of `why` about one round trip: of a segment and its ACK, or of an echo request and its reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from cellbed_formats.bundle import Bundle

from ..metrics.asked import Asked
from ..radio.grid import grid_of
from ..tcp.segment import RTT_PARTS
from ..tcp.timeline import sequence_of, table

#: Parts of less than this are not shown, and one below nothing by less is no defect: the offset of the clocks of
#: captures and of radio.trace is known to a part of the time that reading a clock takes.
LEAST_MS = 0.0005
#: Reason for which a run is invalid; a step of the clock is seen up to so much later.
_CLOCK_STEP, _SEEN_WITHIN_S = "clock_step", 1.5


@dataclass(frozen=True)
class Answer:
    """The RTT of one segment or ping and where it went."""

    sent_s: float  # after t = 0
    seq: int  # of a segment the bytes of the stream before it, of a ping icmp_seq
    rtt_ms: float | None  # None: not known, as said by `defect`, or none, as said by `lost`
    parts_ms: dict[str, float]  # in order of time; their sum is rtt_ms. Empty: not known
    events: pl.DataFrame  # `timeline.table`; no rows: not known
    labels: Mapping[str, str]  # parts_ms in words
    packet: str  # what it is, in words
    nr: bool = False  # the radio network is NR
    note: str | None = None  # of a run with other flows
    defect: str | None = None  # why times of captures are not to be believed
    lost: str | None = None  # what became of a ping without a reply
    waits: tuple[str, ...] = ()  # why it waited long in queues: lines of text

    def __str__(self) -> str:
        """The answer for people: parts, why it waited, then events."""
        rtt = "no reply" if self.lost is not None else "RTT not known" if self.rtt_ms is None else \
            f"RTT {self.rtt_ms:.3f} ms"
        lines = [*noted(self.note), f"{self.packet}, sent at {self.sent_s:.6f} s: {rtt}", *unknown(self.defect)]
        lines += [f"  {ms:9.3f} ms  {self.labels[part]}" for part, ms in self.parts_ms.items() if abs(ms) >= LEAST_MS]
        if self.lost is not None:
            lines.append(f"  {self.lost}")
        lines += self.waits
        if self.events.is_empty():
            return "\n".join(lines)
        asked = self.events.filter((pl.col("t_ms") == 0) & pl.col("event").str.contains(r"^(RAC )?request$"))
        begin = "the entry into the buffer" if asked.is_empty() else "the request" if self.nr else "the RAC request"
        lines.append(f"  time from {begin} (ms):")
        for event in self.events.iter_rows(named=True):
            until = "" if event["arrival_ms"] is None else f" to {event['arrival_ms']:.3f}"
            lines.append(f"  {event['t_ms']:9.3f}{until:<11} {event['where']}: {event['event']}")
        return "\n".join(lines)


def answer_of(asked: Asked, segment: dict[str, Any], packet: str, parts: Sequence[str] = RTT_PARTS) -> Answer:
    """The answer about a segment or echo request whose RTT and @parts are known; @packet is it in words."""
    bundle, nr = asked.bundle, grid_of(asked.bundle).nr
    parts_ms, rtt_ms = {part: segment[part] / 1e6 for part in parts}, segment["rtt_ns"] / 1e6
    labels = {part: asked.label(part) for part in parts}
    defect = defect_of(bundle, {labels[part]: ms for part, ms in parts_ms.items()}, rtt_ms, segment["ack_ns"])
    return Answer(
        sent_s=(segment["out_ns"] - bundle.start_ns) / 1e9,
        seq=segment["seq"],
        rtt_ms=rtt_ms if rtt_ms >= 0 else None,
        parts_ms=parts_ms if defect is None else {},
        events=table(sequence_of(asked.flow, segment, nr)),
        labels=labels,
        packet=packet,
        nr=nr,
        note=asked.note,
        defect=defect,
    )


def noted(text: str | None) -> list[str]:
    """The line about other flows, if there are any."""
    return [] if text is None else [text]


def unknown(defect: str | None) -> list[str]:
    """The line about a defect, if there is one."""
    return [] if defect is None else [f"  where its time went is not known: {defect}"]


def defect_of(bundle: Bundle, parts: Mapping[str, float], whole: float, end_ns: int) -> str | None:
    """Why times that come of two clocks are not right; None: they may be.

    Args:
        parts: of the time @whole, by what they are.
        end_ns: when that ended.
    """
    steps = bundle.clock_steps
    seen = ", ".join(f"by {ms:+.1f} ms, seen at {at_s:.1f} s" for ms, at_s in steps)
    cause = f"the machine's clock was set {seen}" if steps else "its captures and radio.trace do not agree"
    if wrong := [label for label, part in {**parts, "the whole": whole}.items() if part < -LEAST_MS]:
        return f'{cause}; "{wrong[0]}" would be less than nothing'
    beyond = any(reason.get("code") == _CLOCK_STEP for reason in bundle.manifest["validity"]["reasons"])
    if beyond and steps and (end_ns - bundle.start_ns) / 1e9 > steps[0][1] - _SEEN_WITHIN_S:
        return cause
    return None
