# SPDX-License-Identifier: GPL-2.0-or-later
"""The sequence of radio events behind one data segment and its ACK (Figure 4).

Figure 4 of the paper follows a segment that meets nobody: it finds an empty
buffer, asks for access at once, and so does its ACK. Such segments are found
here, and their moments counted from the RAC request of the data.

Source: Nardini, section III, Figure 4
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from cellbed_formats.flow import Flow

from ..radio.grid import SUBFRAME_NS, Grid
from .segment import ARQ_PARTS, DATA_AND_ACK, ECHOES, HARQ_PARTS

#: What a timeline has without any wait: an occasion to ask, a grant and a delivery at once.
TTI_NS = SUBFRAME_NS
#: The way from one TCP to its radio must take less than this to count as undisturbed.
HOST_NS = TTI_NS


@dataclass(frozen=True)
class Step:
    """One arrow or event of the chart; `source` and `target` are lane names."""

    t_ns: int
    source: str
    target: str
    text: str
    arrive_ns: int | None = None  # when the target has it; None for an event at the source


@dataclass(frozen=True)
class Sequence:
    """The chart of one segment: lanes left to right, steps in order of time."""

    lanes: tuple[str, ...]
    origin_ns: int
    steps: tuple[Step, ...]
    seq: int
    rtt_ns: int


def undisturbed(segments: pl.DataFrame) -> pl.DataFrame:
    """Segments whose data and ACK each met an empty buffer and got access at once.

    Args:
        segments: rows of `segment.decomposed_segments`.
    """
    calm = pl.col("rtt_ns").is_not_null() & (pl.col("receiver") < HOST_NS)
    for side in ("data", "ack"):
        # A grant answers this packet's own request, which it waited at most a TTI for.
        calm &= pl.col(f"{side}_buffer_empty") & pl.col(f"{side}_access").is_in(["request", "stolen"])
        calm &= (pl.col(f"{side}_queue") == 0) & (pl.col(f"{side}_rac_wait") <= TTI_NS)
        calm &= pl.col(f"{side}_request_ns") >= pl.col(f"{side}_in_ns")
        calm &= (pl.col(f"{side}_schedule") < TTI_NS) & (pl.col(f"{side}_reorder") < TTI_NS)
        calm &= pl.sum_horizontal(f"{side}_{part}" for part in (*HARQ_PARTS, *ARQ_PARTS)) == 0
    return segments.filter(calm.fill_null(False))


def sequence_of(flow: Flow, segment: dict[str, Any], nr: bool = False) -> Sequence:
    """The chart of one segment of `decomposed_segments`, given as a row.

    Time 0 is the RAC request of the data, or the segment's entry where it
    made none (it was served by a trailing BSR).

    Args:
        nr: the radio network is NR, whose UEs have other ways to ask.
    """
    lanes, packets = (flow.source, Grid(nr=nr).station, flow.sink), ECHOES if flow.pings else DATA_AND_ACK
    origin = segment["data_request_ns"] or segment["data_in_ns"]
    steps = [
        *_way_steps(segment, "data", packets["data"], flow.source, flow.sink, nr),
        *_way_steps(segment, "ack", packets["ack"], flow.sink, flow.source, nr),
    ]
    return Sequence(lanes, origin, tuple(steps), segment["seq"], segment["rtt_ns"])


def _way_steps(segment: dict[str, Any], side: str, what: str, sender: str, receiver: str, nr: bool) -> list[Step]:
    """Steps of one packet's way from `sender` to `receiver`; @what is it called."""
    station = Grid(nr=nr).station

    def at(moment: str) -> int | None:
        value: int | None = segment[f"{side}_{moment}_ns"]
        return value

    end = receiver if segment[f"{side}_direction"] == "sl" else station
    stolen = segment[f"{side}_access"] == "stolen"
    harq, arq = "not decoded: HARQ sends {} again", "given up by HARQ: RLC sends {} again"
    request, answer = ("request", "grant that answers it") if nr else ("RAC request", "RAR: grant of one RB")
    arrows = [
        (at("request"), at("rar"), sender, station, request),
        (at("rar"), at("bsr_tx"), station, sender, answer),
        (at("bsr_tx"), at("bsr_tried"), sender, station, "BSR"),
        (at("bsr_tried"), at("bsr_rx"), sender, station, harq.format("the BSR")),
        (at("grant"), at("tx"), station, sender, f"grant for {what}"),
        (at("tx"), at("tried"), sender, end, f"BSR and {what}" if stolen else what),
        (at("tried"), at("harq"), sender, end, harq.format(what)),
        (at("harq"), at("rx"), sender, end, arq.format(what)),
        (at("dl_tx"), at("dl_tried"), station, receiver, what),
        (at("dl_tried"), at("dl_harq"), station, receiver, harq.format(what)),
        (at("dl_harq"), at("dl_rx"), station, receiver, arq.format(what)),
    ]
    entry = station if segment[f"{side}_direction"] == "dl" else sender  # a server's packets enter there
    arrows.append((at("turn"), at("there"), entry, receiver if entry == station else station, what))
    steps = [Step(segment[f"{side}_in_ns"], entry, entry, f"{what} enters the buffer")]
    steps += [
        Step(begin, source, target, text, end_ns)
        for begin, end_ns, source, target, text in arrows
        if begin is not None and end_ns is not None and begin < end_ns
    ]
    out_ns = segment[f"{side}_out_ns"]
    above = "TCP" if what in DATA_AND_ACK.values() else "ICMP"
    return [*steps, Step(out_ns, receiver, receiver, f"{what} delivered to {above}")]


def table(sequence: Sequence) -> pl.DataFrame:
    """The chart as a table: t_ms (after the RAC request), where, event, arrival_ms."""
    return pl.DataFrame(
        [
            {
                "t_ms": (step.t_ns - sequence.origin_ns) / 1e6,
                "where": step.source if step.source == step.target else f"{step.source} to {step.target}",
                "event": step.text,
                "arrival_ms": None if step.arrive_ns is None else (step.arrive_ns - sequence.origin_ns) / 1e6,
            }
            for step in sequence.steps
        ]
    )


def typical(segments: pl.DataFrame) -> dict[str, Any] | None:
    """The undisturbed segment whose RTT is nearest to their median; None without any."""
    calm = undisturbed(segments)
    if calm.is_empty():
        return None
    distance = (pl.col("rtt_ns") - pl.col("rtt_ns").median()).abs()
    return calm.sort(distance, maintain_order=True).row(0, named=True)
