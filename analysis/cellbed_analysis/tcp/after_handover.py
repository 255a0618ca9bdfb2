# SPDX-License-Identifier: GPL-2.0-or-later
"""What the sender's TCP made of a handover: radio.trace joined with tcp.trace.

There are three cases: the sender's timer expires, its window is halved, or neither. The span of a handover goes from
the source's decision to one RTT after the UE's arrival in the target cell. A timer may expire long after that span
because of what happened within it, so a congestion event belongs to the handover if the segment it is about, the
oldest without an acknowledgment, was under way in the span: sent before its end and not acknowledged at its start.

Source: Pacifico 2009 sections IV and VI, Figures 2, 8 and 12
"""

from __future__ import annotations

from dataclasses import dataclass

from ..radio.handover import Handover
from .sender import CongestionEvent, Sender
from .window_events import ahead, window_events

CASES = ("timeout", "halving", "nothing")


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
