# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever lowers the sender's window: timeouts, fast retransmits, and marks of ECN."""

from __future__ import annotations

import numpy as np

from cellbed_formats.trace import INFINITE_SSTHRESH

from .sender import SEQ_SPACE, CongestionEvent, Sender, congestion_events


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
