# SPDX-License-Identifier: GPL-2.0-or-later
"""What the sender's TCP made of each mode switch: radio.trace joined with tcp.trace, which have one clock."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow
from cellbed_formats.size import parse_size

from ..radio.mode_switch import Switch, switches
from .sender import CongestionEvent, Sender, congestion_events


@dataclass(frozen=True)
class Reaction:
    """What followed one switch, until the next one."""

    switch: Switch
    events: tuple[CongestionEvent, ...]
    outstanding: int  # packets in flight for the sender at the switch
    cwnd: int  # packets, at the switch
    repaired_ns: int | None  # everything outstanding at the switch is acknowledged
    low: int | None  # lowest cwnd between the first event and the repair, in packets
    back_ns: int | None  # cwnd is again what it was, or as large as the receive window
    after_1s: int | None  # lowest cwnd between 0.9 and 1.1 s after the first event, in packets

    @property
    def waited(self) -> bool:
        """The timer had to expire before everything outstanding at the switch was acknowledged."""
        end = self.switch.until_ns if self.repaired_ns is None else self.repaired_ns
        return any(event.kind == "timeout" and event.t_ns <= end for event in self.events)

    @property
    def second_event(self) -> bool:
        """A fast retransmit after the first congestion event."""
        return any(event.kind == "fast retransmit" for event in self.events[1:])


def reactions(bundle: Bundle, flow: Flow) -> list[Reaction]:
    """What the sender made of every switch of the flow."""
    found = switches(bundle, flow)
    if not found:
        return []
    sender = Sender(bundle, flow)
    events = congestion_events(sender)
    return [r for switch in found if (r := _reaction(sender, switch, events, window_pkts(bundle))) is not None]


def window_pkts(bundle: Bundle) -> int | None:
    """The receive window in segments, rounded down; None when autotuned."""
    tcp = bundle.settings.get("tcp", {})
    if tcp.get("receive_window") is None or not tcp.get("mss"):
        return None
    return parse_size(tcp["receive_window"]) // int(tcp["mss"])


def _reaction(sender: Sender, switch: Switch, events: list[CongestionEvent], window: int | None) -> Reaction | None:
    here = sender.at(switch.t_ns)
    if here < 0:
        return None
    own = tuple(event for event in events if switch.t_ns <= event.t_ns < switch.until_ns)
    last = sender.at(switch.until_ns)
    cwnd = int(sender.cwnd[here])
    repaired = sender.acknowledged(int(sender.nxt[here]), here)
    if repaired is not None and sender.t_ns[repaired] >= switch.until_ns:
        repaired = None
    low = back = after = None
    if own:
        first = sender.at(own[0].t_ns)
        end = last if repaired is None else max(repaired, first)
        low = int(sender.cwnd[first : end + 1].min())
        goal = cwnd if window is None else min(cwnd, window)
        lowest = first + int(np.argmin(sender.cwnd[first : end + 1]))
        above = np.flatnonzero(sender.cwnd[lowest : last + 1] >= goal)
        back = lowest + int(above[0]) if len(above) else None
        near = slice(sender.at(own[0].t_ns + 900_000_000), sender.at(own[0].t_ns + 1_100_000_000) + 1)
        after = int(sender.cwnd[near].min()) if own[0].t_ns + 1_100_000_000 < switch.until_ns else None
    return Reaction(
        switch, own, int(sender.out[here]), cwnd,
        None if repaired is None else int(sender.t_ns[repaired]), low,
        None if back is None else int(sender.t_ns[back]), after,
    )  # fmt: skip
