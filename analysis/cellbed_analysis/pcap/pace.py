# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast a connection went: rounds, the slow start, delivery rates, and gaps between ACKs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..metrics.throughput import IPERF3_COOKIE_BYTES
from .columns import NONE, Columns
from .segments import Direction

#: A round whose flight is this much larger than the last one's is still slow start. A window that doubles, with an ACK
#: for every second segment, grows by half.
GROWS = 1.25
#: Rounds without such growth that end it.
FLAT_ROUNDS = 3
NEVER = 2**62  # ns
LOSS, FLAT, END = "loss", "flat", "end"


@dataclass(frozen=True)
class SlowStart:
    """How a connection began. Bytes in flight, ns."""

    initial_window_bytes: int  # sent before the first ACK of data
    rounds: int
    duration_ns: int
    flight_bytes: int  # the most until it ended
    ended_by: str  # LOSS (the first segment sent again), FLAT (it grew no more), END (so did the data)


def rounds(segments: Columns) -> np.ndarray:
    """Index of the first segment of each round: sent after the ACK of the one before's first segment.

    Source: draft-ietf-ccwg-bbr (packet-timed round trips)
    """
    out, ack = segments["out_ns"], np.where(segments["ack_ns"] == NONE, NEVER, segments["ack_ns"])
    begins, at = [0], 0
    while at < len(out):
        after = max(int(np.searchsorted(out, ack[at], "right")), at + 1)
        if after >= len(out):
            break
        begins.append(after)
        at = after
    return np.array(begins)


def slow_start(way: Direction) -> SlowStart:
    """The first rounds of a connection, until a loss or until its flight grows no more; iperf3's cookie is none."""
    segments = _behind_cookie(way.segments)
    out, flight, again = (segments[name] for name in ("out_ns", "flight_bytes", "again"))
    begins = rounds(segments)
    most = np.maximum.reduceat(flight, begins)
    loss = int(np.argmax(again)) if again.any() else len(out)
    flat = _first_flat(most)
    last = len(begins) - 1 if flat is None else flat
    ended_by, until = (END, len(out)) if flat is None else (FLAT, int(begins[last]))
    if loss < len(out) and loss <= until:
        ended_by, until = LOSS, loss
        last = int(np.searchsorted(begins, loss, "right")) - 1
    before = slice(0, max(until, 1))
    acked = segments["ack_ns"][segments["ack_ns"] != NONE]
    first = int(np.searchsorted(out, acked.min())) if len(acked) else len(out)
    return SlowStart(int(flight[:max(first, 1)].max()), last + 1, int(out[min(until, len(out) - 1)] - out[0]),
                     int(flight[before].max()), ended_by)


def _behind_cookie(segments: Columns) -> Columns:
    """Without what iperf3 sends of a connection first, alone, before the other end lets it start."""
    behind = segments["end"] > IPERF3_COOKIE_BYTES
    alone = len(segments) > 1 and segments["end"][0] == IPERF3_COOKIE_BYTES
    return segments.where(behind) if alone and behind.any() else segments


def _first_flat(most: np.ndarray) -> int | None:
    """The round after which the largest flight grew no more for FLAT_ROUNDS; None: it grew to the end."""
    best, since = most[0], 0
    for place, value in enumerate(most[1:].tolist(), 1):
        if value >= GROWS * best:
            best, since = value, 0
        else:
            since += 1
            if since == FLAT_ROUNDS:
                return place - FLAT_ROUNDS + 1
    return None


def delivery_rates(way: Direction) -> tuple[np.ndarray, np.ndarray]:
    """Rates at which data came, one for each ACK that has news.

    What was newly acknowledged between a segment's sending and its ACK, over the time that this took: the longer one of
    sending it and of acknowledging it, so that compressed ACKs do not raise it.

    Returns:
        Times of the ACKs in ns, and rates in bit/s.

    Source: draft-ietf-ccwg-bbr section 4.1
    """
    out, ack = way.timed["out_ns"], way.timed["out_ns"] + way.timed["rtt_ns"]
    told = way.signs
    before = told.before(out)
    have = before >= 0
    out, ack, before = out[have], ack[have], before[have]
    if not len(out):
        return out, np.zeros(0)
    at = np.searchsorted(told.t_ns, ack)
    delivered = told.reach[at] - told.reach[before]
    # What the last ACK before it acknowledged was sent then; from there on sending is counted.
    ends, sent_ns = way.segments["end"], way.segments["out_ns"]
    order = np.argsort(ends, kind="stable")
    which = np.minimum(np.searchsorted(ends[order], told.reach[before]), len(ends) - 1)
    sending_ns = out - np.minimum(sent_ns[order][which], out)
    taken_ns = np.maximum(np.maximum(ack - told.t_ns[before], sending_ns), 1)
    last = np.append(ack[1:] != ack[:-1], True)  # of the segments of one ACK the latest
    return ack[last], (delivered * 8e9 / taken_ns)[last]


def ack_gaps_ns(way: Direction) -> np.ndarray:
    """Times between ACKs that acknowledge something new, while data were in flight before each."""
    told = way.signs
    new = np.flatnonzero(np.diff(np.maximum(told.reach, 0), prepend=0) > 0)
    if len(new) < 2:
        return np.zeros(0, dtype=np.int64)
    t_ns = told.t_ns[new]
    sent = np.searchsorted(way.segments["out_ns"], t_ns[:-1], "right") - 1
    busy = (sent >= 0) & (way.segments["highest"][np.maximum(sent, 0)] > told.reach[new[:-1]])
    return np.diff(t_ns)[busy]
