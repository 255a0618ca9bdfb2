# SPDX-License-Identifier: GPL-2.0-or-later
"""What makes numbers of a flow doubtful, in words: one remark for each kind, with the columns that it touches.

Source: RFC 9293 section 3.8.6.1 (zero-window probes); Linux, Documentation/networking/segmentation-offloads.rst
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .copies import Copies
from .segments import Direction

MS = 1e6
#: A segment longer than this many of the largest that were agreed on was cut by a network card, behind the capture.
OFFLOAD = 1.01
#: An ACK for so many segments, in the median, is of a receiver that joins segments before TCP sees them.
STRETCHED, ACKS_LEAST = 4, 8


def remarks(point: str | None, flow: dict[str, Any], left: Copies | None, way: Direction | None) -> Iterator[str]:
    """All of a flow.

    Args:
        point: the interface of this capture, where the file has several.
        flow: row of `captured.flow_table`.
        left: copies that were left out.
    """
    if left is not None and left.packets:
        yield _copies(left)
    if flow["cut_headers"]:
        yield (f"the snap length cuts the transport's header of {flow['cut_headers']} packets: segments, "
               "retransmissions, payload and RTT cannot be read")
    elif flow["cut_options"]:
        yield (f"the snap length cuts TCP's options of {flow['cut_options']} packets: SACK and timestamps are missing, "
               "and kinds of retransmissions and RTTs that they tell of")
    if flow["fragments"]:
        yield (f"{flow['fragments']} of the packets are fragments behind the first of theirs: their payload counts, "
               "and a lost one loses the whole datagram")
    if way is not None:
        yield from _of_tcp(way)


def _copies(left: Copies) -> str:
    how = f", {left.how}" if left.how else ""
    point = f", as one of {left.places} points saw them" if left.places > 1 else ""
    return (f"{left.of} packets are in the capture more than once ({left.packets} copies, {left.median_ns / MS:.3g} ms "
            f"later{how}): counted once{point}")


def _of_tcp(way: Direction) -> Iterator[str]:
    size, mss = way.segments["payload_bytes"], way.handshake.mss_bytes
    longest = int(size.max())
    if mss is not None and longest > OFFLOAD * mss:
        yield (f"segments of up to {longest} bytes: the network card cut or joined them, so that counts are not "
               "those of the wire")
    elif stretch := _stretch(way):
        yield (f"an ACK for {stretch:.0f} segments: the receiver's card joins them (LRO, GRO) or something thins ACKs, "
               "so that RTTs have waits in them, and delivery rates and ACK gaps are coarse")
    if way.unseen[0]:
        yield (f"{way.unseen[1]} bytes in {way.unseen[0]} stretches were acknowledged and are not in the capture, "
               "which lost packets: segments and payload are too few, and retransmissions may be missing or taken for "
               "first transmissions")
    if way.window_probes:
        yield (f"{way.window_probes} probes of one byte into a closed window: not counted as segments, retransmissions "
               "or timeouts")
    if not way.handshake.syns:
        yield "open before the capture began"
    if not len(way.acks):
        yield "no ACKs captured"


def _stretch(way: Direction) -> float:
    """Segments that an ACK acknowledges in the median, where they are many; else 0."""
    steps = np.diff(way.signs.reach)
    steps = steps[steps > 0]
    per_ack = float(np.median(steps)) / max(float(np.median(way.segments["payload_bytes"])), 1) if len(steps) else 0
    return per_ack if per_ack >= STRETCHED and len(steps) >= ACKS_LEAST else 0
