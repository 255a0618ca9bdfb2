# SPDX-License-Identifier: GPL-2.0-or-later
"""Handovers, and what the sender's TCP made of one: radio.trace joined with tcp.trace.

The paper sorts handovers into three cases: the sender's timer expires, its window is halved, or neither. It looks at
what is delivered "from the starting of the handover until one RTT after the ref ME connects with the TeNodeB"; its
cases have no span of time. A timer may expire long after that span because of what happened within it, so here a
congestion event belongs to the handover if the segment it is about, the oldest without an acknowledgment, was
under way in that span: sent before its end and not acknowledged at its start.

Source: Pacifico 2009 sections IV and VI, Figures 2, 8 and 12; TS 36.300 10.1.2.1.1
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle, Flow
from cellbed_formats.trace import INFINITE_SSTHRESH

from .switching import SEQ_SPACE, CongestionEvent, Sender, congestion_events, rows_of

Rows = list[dict[str, Any]]

#: Values of parameters, in words.
PROCEDURES = {"standard": "standard", "fast_path_switch": "fast path switch", "prediction": "prediction"}
QUEUES = {"none": "", "red": "RED dropping", "red_ecn": "RED marking"}

CASES = ("timeout", "halving", "nothing")
#: Messages whose first row after the decision ends a part of the handover. Source: docs/trace-format.md
DECISION, COMMAND, ARRIVAL, SWITCH = "handover_decision", "handover_command", "synchronised", "path_switched"
PREDICTED, EXPIRED = "predicted", "prediction_expired"


@dataclass(frozen=True)
class Handover:
    """One handover of a UE, or a prediction that none followed; times in ns of CLOCK_MONOTONIC."""

    ue: str
    source: int  # number of the eNB, from 0
    target: int
    start_ns: int  # the source's decision; of a wrong prediction, the prediction
    left_ns: int | None  # the handover command, on which the UE leaves
    attached_ns: int | None  # the UE has reached the target; of a wrong prediction, the path is back at the source
    path_ns: int | None  # the S-GW sends to the target
    wrong: bool  # a prediction, and no handover


@dataclass(frozen=True)
class Effect:
    """What the sender did about a handover."""

    case: str  # of CASES
    events: tuple[CongestionEvent, ...]  # that belong to it, in order of time
    rtt_ns: int  # smoothed by the kernel, at the start
    end_ns: int  # one such RTT after the UE is attached
    cwnd: int  # at the start, in packets
    in_flight: int  # packets, at the start
    una: int  # oldest sequence number without an acknowledgment, at the start
    repairing: bool  # an earlier event was not repaired at the start

    @property
    def timeout(self) -> CongestionEvent | None:
        """The first timeout among the events."""
        return next((event for event in self.events if event.kind == "timeout"), None)


def messages(bundle: Bundle) -> pl.DataFrame:
    """Steps of handovers in order of time: t_ns, ue (number), enb, other (eNB at the far end), message."""
    rows = rows_of(bundle.radio, "rrc")
    message = pl.col("value").replace_strict(bundle.radio_symbols.get("rrc", {}), default=None, return_dtype=pl.String)
    return rows.select("t_ns", "enb", ue="peer", other="sn", message=message).sort("t_ns", maintain_order=True)


def handovers(bundle: Bundle, ue: str) -> list[Handover]:
    """Handovers and wrong predictions of a UE, in order."""
    if "enb" not in bundle.radio.columns or ue not in bundle.ue_numbers:
        return []
    said = messages(bundle).filter(pl.col("ue") == bundle.ue_numbers[ue])
    rows = list(said.iter_rows(named=True))
    found = []
    for i, row in enumerate(rows):
        until = next((r["t_ns"] for r in rows[i + 1 :] if r["message"] == DECISION), None)
        later = [r for r in rows[i:] if until is None or r["t_ns"] < until]
        if row["message"] == DECISION:
            found.append(_handover(ue, row, rows[:i], later))
        elif row["message"] == EXPIRED:
            found.append(_wrong_prediction(ue, row, rows[:i], later))
    return found


def _first(rows: Rows, message: str, *, to: int | None = None) -> int | None:
    """Time of the first such row; `to` names the eNB that a path leads to."""
    return next((r["t_ns"] for r in rows if r["message"] == message and (to is None or r["other"] == to)), None)


def _handover(ue: str, decision: dict[str, Any], earlier: Rows, later: Rows) -> Handover:
    target = int(decision["other"])
    # A prediction switches the path before; what came before an earlier handover is about that one.
    since = max((i for i, r in enumerate(earlier) if r["message"] in (DECISION, EXPIRED)), default=-1)
    return Handover(
        ue, int(decision["enb"]), target, decision["t_ns"], _first(later, COMMAND), _first(later, ARRIVAL),
        _first(earlier[since + 1 :] + later, SWITCH, to=target), False,
    )  # fmt: skip


def _wrong_prediction(ue: str, expired: dict[str, Any], earlier: Rows, later: Rows) -> Handover:
    predicted = next((r for r in reversed(earlier) if r["message"] == PREDICTED), expired)
    source, target = int(predicted["enb"]), int(predicted["other"])
    since = [r for r in earlier if r["t_ns"] >= predicted["t_ns"]]
    return Handover(
        ue, source, target, predicted["t_ns"], None, _first(later, SWITCH, to=source),
        _first(since + later, SWITCH, to=target), True,
    )  # fmt: skip


def ahead(a: int, b: int) -> int:
    """How far sequence number a is ahead of b, negative behind it."""
    return (a - b + SEQ_SPACE // 2) % SEQ_SPACE - SEQ_SPACE // 2


def window_events(sender: Sender) -> list[CongestionEvent]:
    """Timeouts, fast retransmits, and windows lowered without either, in order of time.

    The last kind is what an ECN-Echo does (RFC 3168 section 6.1.2): the slow start threshold falls, and no
    retransmission is near. A retransmission's own segment is sampled before the retransmission.
    """
    events = congestion_events(sender)
    again = np.isin(sender.kind, ("rto", "retransmit"))
    near = again | np.roll(again, 1) | np.roll(again, -1) | np.roll(again, -2)
    before, after = sender.ssthresh[:-1], sender.ssthresh[1:]
    fell = np.flatnonzero((after < before) & (before < INFINITE_SSTHRESH)) + 1
    for i in fell[~near[fell]].tolist():
        events.append(
            CongestionEvent(
                "mark",
                int(sender.t_ns[i]),
                int(sender.cwnd[i - 1]),
                int(sender.ssthresh[i]),
                0,
                None,
                int(sender.una[i]),
            )  # fmt: skip
        )
    return sorted(events, key=lambda event: event.t_ns)


def effect(sender: Sender, handover: Handover) -> Effect | None:
    """Sort a handover into one of CASES; None where the trace does not reach over it.

    Args:
        sender: the rows of tcp.trace.
        handover: what it is about.
    """
    here = sender.at(handover.start_ns)
    if here < 0 or handover.attached_ns is None or not sender.srtt_ns[here]:
        return None
    rtt_ns = int(sender.srtt_ns[here])
    end_ns = handover.attached_ns + rtt_ns
    sent_ns = int(sender.nxt[sender.at(end_ns)])
    every = window_events(sender)
    own = tuple(e for e in every if e.t_ns >= handover.start_ns and ahead(e.una, sent_ns) < 0)
    kinds = {event.kind for event in own}
    return Effect(
        "timeout" if "timeout" in kinds else "halving" if kinds else "nothing",
        own, rtt_ns, end_ns, int(sender.cwnd[here]), int(sender.out[here]), int(sender.una[here]),
        any(e.t_ns < handover.start_ns and (e.kind != "mark") and (e.end_ns is None or e.end_ns > handover.start_ns)
            for e in every),
    )  # fmt: skip


def of_flow(bundle: Bundle, flow: Flow) -> Handover | None:
    """The handover that a run is about: the first of the flow's UE while the flow lasts; else a wrong prediction."""
    every = handovers(bundle, flow.sink) + handovers(bundle, flow.source)
    inside = [handover for handover in every if flow.start_ns <= handover.start_ns < flow.end_ns]
    return min(inside, key=lambda handover: (handover.wrong, handover.start_ns), default=None)


def forwarded(bundle: Bundle, handover: Handover) -> pl.DataFrame:
    """Rows of the packets of the UE that one eNB sent to another on account of a handover."""
    rows = rows_of(bundle.radio, "ho_forward").filter(pl.col("peer") == bundle.ue_numbers[handover.ue])
    return rows.filter(pl.col("t_ns") >= handover.start_ns)


def held(bundle: Bundle, handover: Handover) -> pl.DataFrame:
    """Rows about what an eNB held for the UE."""
    return rows_of(bundle.radio, "ho_hold").filter(pl.col("peer") == bundle.ue_numbers[handover.ue])


def queue_of(row: dict[str, Any]) -> str:
    """Queue management of a run's links, from its row of metrics: that of any that has one."""
    kinds = {value for key, value in row.items() if re.fullmatch(r"param\.links\.\d+\.aqm", key)}
    return next(iter(sorted(kinds - {None, "none"})), "none")
