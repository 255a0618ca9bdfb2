# SPDX-License-Identifier: GPL-2.0-or-later
"""The TCP connection that an export is about, from tcp.trace, and what happened on the radio meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.capture import ACK, RST
from cellbed_formats.error import DataError
from cellbed_formats.flow import TCP, ids, named

from ..radio.handover import steps_of
from .segment import unwrap

#: Rows of radio.trace that a TCP connection may feel one by one.
EVENTS = ("rrc", "route", "radio_link_failure", "reestablished", "harq_failure", "pkt_drop")


@dataclass(frozen=True)
class RadioEvent:
    """Something that happened at a UE; t_ns is CLOCK_MONOTONIC."""

    t_ns: int
    kind: str
    what: str
    ue: str | None

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}" if self.what else self.kind


def samples(bundle: Bundle, wanted: str | None = None) -> pl.DataFrame:
    """The probe's rows of one connection at its sender, of the run's first one if none is wanted.

    Raises:
        DataError: no such flow, one without congestion control, or it sent no data.
    """
    connections = [flow for flow in bundle.all_flows if flow.transport == TCP]
    if wanted is not None or connections:
        flow = named(bundle.all_flows if wanted is not None else connections, wanted, bundle.path)
        if flow.transport != TCP:
            raise DataError(f"{bundle.path}: flow {flow.id}: {flow.transport} has no congestion control in the "
                                f"kernel; allowed {ids(connections) or 'a flow of TCP, of which there is none'}")
        sent = bundle.tcp.filter((pl.col("saddr") == flow.saddr) & (pl.col("daddr") == flow.daddr)
                                 & (pl.col("dport") == flow.port))
        if flow.found:
            sent = sent.filter(pl.col("sport") == flow.sport)
        sent = sent.filter((pl.col("kind").cast(pl.String) == "segment_out") & (pl.col("len") > 0))
    else:
        sent = bundle.tcp.clear()
    by_socket = sent.group_by("saddr", "sport", "daddr", "dport").agg(pl.col("len").sum()).sort("len")
    if by_socket.is_empty():
        raise DataError(f"{bundle.path}: tcp.trace has no connection that sent data; choose a run with TCP traffic")
    *ends_of, _ = by_socket.row(-1)
    chosen = pl.lit(True)
    for name, value in zip(("saddr", "sport", "daddr", "dport"), ends_of, strict=True):
        chosen &= pl.col(name) == value
    return bundle.tcp.filter(chosen).with_columns(pl.col("kind").cast(pl.String)).sort("t_ns", maintain_order=True)


def acknowledgments(rows: pl.DataFrame) -> pl.DataFrame:
    """Of `samples`: segments that came after the first data, whose `ack` and `snd_una` are about these."""
    first = rows.filter((pl.col("kind") == "segment_out") & (pl.col("len") > 0))["t_ns"][0]
    return rows.filter((pl.col("kind") == "segment_in") & (pl.col("t_ns") >= first)
                       & (pl.col("tcp_flags") & (ACK | RST) == ACK))


def relative(numbers: np.ndarray, origin: int | None = None) -> np.ndarray:
    """32-bit sequence numbers as bytes since the first one, however often they wrap."""
    values = np.asarray(numbers, dtype=np.int64)
    if origin is None:
        origin = int(values[0]) if len(values) else 0
    return unwrap(np.append(origin, values))[1:] - origin


def radio_events(bundle: Bundle, ue: str | None = None) -> list[RadioEvent]:
    """Notable rows of radio.trace in order of time, of one UE or all."""
    names = {number: name for name, number in bundle.ue_numbers.items()}
    symbols, steps = bundle.radio_symbols, steps_of(bundle)
    rows = bundle.radio.filter(pl.col("event").cast(pl.String).is_in(EVENTS)).sort("t_ns", maintain_order=True)
    found = []
    for t_ns, event, value, node, peer in rows.select(
        "t_ns", pl.col("event").cast(pl.String), "value", "node", "peer"
    ).iter_rows():  # fmt: skip
        of = names.get(node, names.get(peer))
        if ue is None or of == ue or ue in (names.get(node), names.get(peer)):
            found.append(RadioEvent(t_ns, *_words(event, value, symbols, steps), of))
    return found


def _words(event: str, value: int, symbols: dict[str, dict[int, str]], steps: str) -> tuple[str, str]:
    """What a row is called, and what it says. Args: steps: what the rows of RRC are about."""
    if event == "rrc":
        return steps, symbols.get("rrc", {}).get(value, str(value))
    if event == "route":
        return "mode_switch", symbols.get("mode", {}).get(value, str(value))
    if event == "pkt_drop":
        return "drop", symbols.get("drop", {}).get(value, str(value))
    return event, ""
