# SPDX-License-Identifier: GPL-2.0-or-later
"""The congestion window and the RTT of every packet around one handover, for drawing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ...radio.handover import Handover, of_flow
from ...tcp.after_handover import Effect, effect
from ...tcp.packet_rtt import packet_rtts
from ...tcp.sender import CongestionEvent, Sender
from ...tcp.window_events import window_events

#: What the paper's Figures 9 and 10 show, in s around the handover's start: from 1 s to 5 s, the handover at 2.3 s.
BEFORE_S, AFTER_S = 1.3, 2.7


@dataclass(frozen=True)
class HandoverWindow:
    """One panel; times in s after the start of the traffic, windows in packets, RTTs in s."""

    handover: Handover
    effect: Effect
    start_ns: int  # of the flow
    t_s: np.ndarray
    cwnd: np.ndarray
    ssthresh: np.ndarray  # NaN while there is none
    events: tuple[CongestionEvent, ...]  # all that are shown
    sent_s: np.ndarray  # of packets that were received, sent once
    rtt_s: np.ndarray
    again_s: np.ndarray  # the same of retransmissions
    again_rtt_s: np.ndarray
    lost_s: np.ndarray  # of packets that were not

    def at_s(self, t_ns: int) -> float:
        """A time in s after the start of the traffic."""
        return (t_ns - self.start_ns) / 1e9


def handover_window(bundle: Bundle, flow: Flow) -> HandoverWindow | None:
    """What a panel shows of a run; None where there is no handover that the traces reach over."""
    bundle = bundle.lent()
    handover = of_flow(bundle, flow)
    if handover is None:
        return None
    sender = Sender(bundle, flow)
    found = effect(sender, handover) if len(sender) else None
    if found is None:
        return None
    begin, end = handover.start_ns - round(BEFORE_S * 1e9), handover.start_ns + round(AFTER_S * 1e9)
    shown = slice(max(sender.at(begin), 0), sender.at(end) + 1)
    packets = _packets(bundle, flow, begin, end)
    came = packets.drop_nulls("rtt_ns")

    def seconds(frame: pl.DataFrame, name: str, since: int = 0) -> np.ndarray:
        return (frame[name].to_numpy() - since) / 1e9

    once, again = came.filter(~pl.col("again")), came.filter("again")
    return HandoverWindow(
        handover, found, flow.start_ns, (sender.t_ns[shown] - flow.start_ns) / 1e9, sender.cwnd[shown],
        sender.threshold[shown],
        tuple(event for event in window_events(sender) if begin <= event.t_ns <= end),
        seconds(once, "t_ns", flow.start_ns), seconds(once, "rtt_ns"),
        seconds(again, "t_ns", flow.start_ns), seconds(again, "rtt_ns"),
        seconds(packets.filter(pl.col("there_ns").is_null()), "t_ns", flow.start_ns),
    )  # fmt: skip


def _packets(bundle: Bundle, flow: Flow, start_ns: int, end_ns: int) -> pl.DataFrame:
    if not bundle.settings.get("capture", {}).get("ip", True):
        schema = {"t_ns": pl.Int64, "there_ns": pl.Int64, "rtt_ns": pl.Int64, "again": pl.Boolean}
        return pl.DataFrame(schema=schema)
    return packet_rtts(bundle, flow).filter(pl.col("t_ns").is_between(start_ns, end_ns))
