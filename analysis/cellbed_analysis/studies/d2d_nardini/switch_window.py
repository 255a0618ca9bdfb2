# SPDX-License-Identifier: GPL-2.0-or-later
"""The congestion window around one mode switch of a run, and what happened there in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow
from cellbed_formats.size import parse_size

from ...metrics.window import WARM_UP_NS
from ...tcp.after_switch import Reaction, reactions
from ...tcp.sender import Sender

BEFORE_S, AFTER_S = 0.5, 4.0
SHOWN_EVENTS = 4

#: Which switch is shown; the caption says so.
RULE = (
    "the first change from direct to infrastructure mode after the warm-up that flushed data and had a forerunner "
    "that did so, so that the window is no longer that of the first slow start"
)


@dataclass(frozen=True)
class SwitchWindow:
    """One panel; times in s after the switch, windows in KiB."""

    reaction: Reaction
    at_s: float  # the switch, after the start of the traffic
    t_s: np.ndarray
    cwnd: np.ndarray
    ssthresh: np.ndarray  # NaN while there is none
    dupacks_s: np.ndarray | None  # None where not every segment was sampled
    receive_window: float | None
    segment: float  # bytes of a segment, in KiB

    def after_s(self, t_ns: int) -> float:
        """A time in s after the switch."""
        return (t_ns - self.reaction.switch.t_ns) / 1e9


def choose(found: Sequence[Reaction], flow: Flow) -> Reaction | None:
    """The switch that is shown, by RULE; the first that flushed data where none meets it."""
    lossy = [reaction for reaction in found if reaction.switch.flushed]
    steady = [
        reaction
        for reaction in lossy[1:]
        if reaction.switch.after == "IM" and reaction.switch.t_ns >= flow.start_ns + WARM_UP_NS
    ]
    return next(iter(steady or lossy), None)


def switch_window(bundle: Bundle, flow: Flow) -> SwitchWindow | None:
    """What a panel shows of a run; None where no switch flushed data."""
    bundle = bundle.lent()
    reaction = choose(reactions(bundle, flow), flow)
    if reaction is None:
        return None
    sender = Sender(bundle, flow)
    t_ns = reaction.switch.t_ns
    first = max(sender.at(t_ns - round(BEFORE_S * 1e9)), 0)
    last = sender.at(t_ns + round(AFTER_S * 1e9))
    shown = slice(first, last + 1)
    tcp = bundle.settings["tcp"]
    segment = int(tcp["mss"]) / 1024
    window = tcp.get("receive_window")
    every = bundle.settings.get("capture", {}).get("tcp_interval_ms") in (None, 0)
    dupacks = sender.dupack[shown] & (sender.t_ns[shown] >= t_ns)
    return SwitchWindow(
        reaction=reaction,
        at_s=(t_ns - flow.start_ns) / 1e9,
        t_s=(sender.t_ns[shown] - t_ns) / 1e9,
        cwnd=sender.cwnd[shown] * segment,
        ssthresh=sender.threshold[shown] * segment,
        dupacks_s=(sender.t_ns[shown][dupacks] - t_ns) / 1e9 if every else None,
        receive_window=None if window is None else parse_size(window) / 1024,
        segment=segment,
    )


def story(window: SwitchWindow) -> list[str]:
    """What happened after the switch, in order of time, one fact a line."""
    reaction, switch = window.reaction, window.reaction.switch
    lines = [
        f"flushed: {switch.data_pkts} data packets ({switch.data_bytes / 1000:.0f} kB) and {switch.ack_pkts} ACKs "
        f"of {reaction.outstanding} in flight"
    ]
    if window.dupacks_s is not None:
        repaired = AFTER_S if reaction.repaired_ns is None else window.after_s(reaction.repaired_ns)
        count = int((window.dupacks_s <= repaired).sum())
        lines.append(f"{count} duplicate ACKs before everything was repaired" if count else "no duplicate ACK")
    facts = []
    for index, event in enumerate(reaction.events[:SHOWN_EVENTS]):
        what = "timeout" if event.kind == "timeout" else "fast retransmit"
        second = ", a second congestion event" if index and event.kind == "fast retransmit" else ""
        ssthresh = "" if event.ssthresh is None else f", ssthresh {event.ssthresh * window.segment:.0f} KiB"
        facts.append((event.t_ns, f"{what}{ssthresh}{second}"))
    if reaction.repaired_ns is not None:
        facts.append((reaction.repaired_ns, "all in flight at the switch acknowledged"))
    if reaction.back_ns is not None and reaction.events:
        facts.append((reaction.back_ns, "window as large as before, or as the receiver's"))
    lines += [f"{_ms(window.after_s(t_ns))}: {text}" for t_ns, text in sorted(facts)]
    if len(reaction.events) > SHOWN_EVENTS:
        lines.append(f"and {len(reaction.events) - SHOWN_EVENTS} congestion events more before the next switch")
    return lines if reaction.events else [*lines, "no congestion event"]


def _ms(seconds: float) -> str:
    return f"+{seconds * 1000:.0f} ms"
