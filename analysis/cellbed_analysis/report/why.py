# SPDX-License-Identifier: GPL-2.0-or-later
"""One query: why was the RTT of this segment or ping so long, or the delay of this datagram?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.error import DataError
from cellbed_formats.flow import QUIC, Flow

from ..metrics.asked import Asked
from ..radio.grid import grid_of
from ..radio.links import lives_of
from ..radio.packet_path import radio_log
from ..tcp.delay import datagram_delays, least_way_ns, spin_rtts
from ..tcp.segment import NR_WAY_PARTS, WAY_PARTS, radio_parts
from .answer import LEAST_MS, Answer, answer_of, defect_of, noted, unknown
from .why_ping import ping_answer
from .why_queue import waits_in_words

#: Parts of a datagram's way outside of the radio, by whether a server's wires are in them.
OUTSIDE = {
    "host_tx": ("sender's host, capture to radio", "sender's host and wires to the radio"),
    "host_rx": ("radio to the receiver's capture", "wires from the radio to the receiver's capture"),
}


@dataclass(frozen=True)
class DatagramAnswer:
    """The way of one datagram and where its time went; UDP has no RTT, QUIC only what the spin bit shows."""

    sent_s: float  # after t = 0
    ip_bytes: int
    delay_ms: float | None  # from capture to capture; None: it never came
    parts_ms: dict[str, float]  # by label, in order of time; their sum is delay_ms. Empty: not known
    facts: tuple[str, ...]  # of loss, RTT and what is not known
    note: str | None = None
    defect: str | None = None  # as Answer has it; then delay_ms is None, too

    def __str__(self) -> str:
        """The answer for people: the delay, its parts, what else is known."""
        took = f"{self.delay_ms:.3f} ms one way" if self.delay_ms is not None else \
            "never came" if self.defect is None else "it came; when is not known"
        lines = [*noted(self.note), f"datagram of {self.ip_bytes} bytes, sent at {self.sent_s:.6f} s: {took}",
                 *unknown(self.defect)]
        lines += [f"  {ms:9.3f} ms  {label}" for label, ms in self.parts_ms.items() if abs(ms) >= LEAST_MS]
        return "\n".join([*lines, *(f"  {fact}" for fact in self.facts)])


def why(
    bundle: Bundle, at_s: float, wanted: str | None = None, seq: int | None = None
) -> Answer | DatagramAnswer:
    """Explain the RTT of the first segment or ping sent at or after a time, or of a flow of datagrams that one's way.

    Args:
        bundle: a run.
        at_s: seconds after t = 0.
        wanted: id of a flow or ping, or `ping` for the only one; None: the scenario's first, else the largest flow.
        seq: bytes of the stream before the segment, or icmp_seq of the ping; None: the first.

    Raises:
        DataError: the run has no such flow, segment or datagram, or lacks the files that it takes.
    """
    asked = Asked.of(bundle, wanted)
    flow, where = asked.flow, asked.where
    if flow.datagrams:
        bundle = asked.bundle
        return _of_datagram(bundle, flow, _first(datagram_delays(bundle, flow), "sent_ns", bundle, at_s, where,
                                                   "datagram"), asked.note)
    known = asked.sent if flow.pings else asked.explained()
    if seq is not None:
        if flow.pings and seq not in known["seq"]:
            least, most = (known["seq"].sort()[end] for end in (0, -1))
            raise DataError(f"{where}: no echo request has icmp_seq {seq}; choose {least} to {most}")
        known = known.filter(pl.col("seq") == seq)
    if known.is_empty():
        raise DataError(asked.unexplained)
    found = _first(known, "out_ns", bundle, at_s, where, "echo request" if flow.pings else "segment with an RTT")
    answer = ping_answer(asked, found) if flow.pings else answer_of(asked, found, f"segment at byte {found['seq']}")
    return replace(answer, waits=_waits(asked, known, found)) if answer.parts_ms else answer


def _waits(asked: Asked, known: pl.DataFrame, found: dict[str, Any]) -> tuple[str, ...]:
    """Why the segment or echo request @found, a row of @known, waited in queues."""
    row = known.filter((pl.col("out_ns") == found["out_ns"]) & (pl.col("seq") == found["seq"])).head(1)
    causes = asked.causes(row)
    if causes is None:
        return ()
    receivers = {"data": asked.flow.sink, "ack": asked.flow.source}
    return waits_in_words(causes.waits(), asked.packets, receivers, grid_of(asked.bundle).station)


def _lives(bundle: Bundle) -> pl.DataFrame:
    return lives_of(bundle)


def _first(sent: pl.DataFrame, time: str, bundle: Bundle, at_s: float, where: str, what: str) -> dict[str, Any]:
    """The first row at or after a time. Raises DataError: none is so late, or there is none at all."""
    if sent.is_empty():
        raise DataError(f"{where}: no {what} was sent")
    after = sent.filter(pl.col(time) >= bundle.start_ns + round(at_s * 1e9))
    if after.is_empty():
        last_s = (sent[time][-1] - bundle.start_ns) / 1e9
        raise DataError(f"{where}: no {what} was sent at or after {at_s:g} s; choose a time up to {last_s:.3f} s")
    return after.row(0, named=True)


def _of_datagram(bundle: Bundle, flow: Flow, datagram: dict[str, Any], said: str | None) -> DatagramAnswer:
    sent_ns, came_ns = datagram["sent_ns"], datagram["came_ns"]
    facts = []
    parts, unknown = _parts(bundle, flow, datagram) if came_ns is not None else ({}, _fate(bundle, flow, datagram))
    if unknown is not None:
        facts.append(unknown)
    facts.append(_round_trip(bundle, flow, sent_ns))
    delay_ms = None if came_ns is None else (came_ns - sent_ns) / 1e6
    defect = None if delay_ms is None else defect_of(bundle, parts, delay_ms, came_ns)
    if defect is not None:
        delay_ms, parts = (delay_ms if delay_ms is not None and delay_ms >= 0 else None), {}
    return DatagramAnswer((sent_ns - bundle.start_ns) / 1e9, datagram["ip_bytes"], delay_ms, parts, tuple(facts), said,
                          defect)


def _parts(bundle: Bundle, flow: Flow, datagram: dict[str, Any]) -> tuple[dict[str, float], str | None]:
    """Where the time of a datagram that came went, in ms by label, or why that is not known."""
    radio = radio_parts(_lives(bundle)).filter(
        (pl.col("node") == bundle.radio_node(flow.source)) & (pl.col("tag") == datagram["tag"])
        & (pl.col("in_rank") == datagram["rank"])
    )
    if radio.is_empty():
        return {}, "where its time went is not known: radio.trace cannot tell this datagram from others"
    row = radio.row(0, named=True)
    ns = {"host_tx": row["in_ns"] - datagram["sent_ns"], **{part: row[part] for part in WAY_PARTS},
          "host_rx": datagram["came_ns"] - row["out_ns"]}
    wired = {"host_tx": flow.source not in bundle.ue_numbers, "host_rx": flow.sink not in bundle.ue_numbers}
    parts = WAY_PARTS | NR_WAY_PARTS if grid_of(bundle).nr else WAY_PARTS
    labels = {**parts, **{part: words[wired[part]] for part, words in OUTSIDE.items()}}
    return {labels[part]: value / 1e6 for part, value in ns.items()}, None


def _fate(bundle: Bundle, flow: Flow, datagram: dict[str, Any]) -> str:
    """What became of a datagram that never came."""
    log = radio_log(bundle)
    entered = log.rows("pkt_in", node=bundle.radio_node(flow.source)).filter(pl.col("tag") == datagram["tag"])
    if flow.sink not in bundle.captured_nodes:
        return f"whether it came is not known: there is no capture at {flow.sink}"
    if len(entered) <= datagram["rank"]:
        return "it did not reach the radio: lost on the wires or in the sender's host"
    pkt = entered["pkt"][int(datagram["rank"])]
    dropped = log.rows("pkt_drop", pkt=pkt)
    if dropped.is_empty():
        return "the radio delivered it, or still held it when the run ended"
    reason = bundle.drop_reasons.get(dropped["value"][-1], str(dropped["value"][-1])).replace("_", " ")
    after_ms = (dropped["t_ns"][-1] - entered["t_ns"][int(datagram["rank"])]) / 1e6
    return f"the radio dropped it {after_ms:.3f} ms after it entered: {reason}"


def _round_trip(bundle: Bundle, flow: Flow, sent_ns: int) -> str:
    """What is known of the RTT when a datagram was sent."""
    if flow.transport != QUIC:
        return "no RTT: UDP acknowledges nothing"
    ways = datagram_delays(bundle, flow), datagram_delays(bundle, flow, back=True)
    ended, rtts = spin_rtts(ways[0], least_way_ns(*ways))
    if not len(rtts):
        return "no RTT: QUIC's acknowledgments are encrypted, and its spin bit does not spin here"
    at = min(int(np.searchsorted(ended, sent_ns)), len(rtts) - 1)
    return f"RTT by QUIC's spin bit: {rtts[at] / 1e6:.3f} ms then, median {np.median(rtts) / 1e6:.3f} ms " \
           f"of {len(rtts)} round trips"
