# SPDX-License-Identifier: GPL-2.0-or-later
"""A recorded link made of one TCP flow of a capture: delivery opportunities, a delay, a queue. How near a replay comes.

While packets wait for the link, the times at which it delivers them are its opportunities. While none waits, nobody
knows what it could have carried; such stretches get the rate that the link had when it was busy. Whether packets waited
is seen in their round trip times, which exceed the least one by more than `IDLE_SHARE`.

Source: Mahimahi (packet-delivery traces)
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from cellbed_formats.error import DataError

from ..stats.distance import ks_distance
from ..stats.interval import Estimate, share_of
from .measures import RECEIVER, FlowMeasures

MS = 1e6
OPPORTUNITY_BYTES = 1500  # of the traces that cellbed runs
#: A round trip within this share, or so many ms, of the least one met no queue.
IDLE_SHARE, IDLE_MS = 0.1, 2.0
#: Of delivery rates of a busy link, what stands for its rate while it is idle.
BUSY_PERCENTILE = 75
#: Beyond the recording, so that retransmissions at its end find a link.
TAIL_MS = 3000
#: A flow with fewer segments says too little about a link.
LEAST_SEGMENTS = 50
#: A window this near to the receiver's was limited by it.
LIMITED_SHARE = 0.85
#: The longest wait for the link, as a percentile of all; a wait shorter than this share of it met no full queue.
LONGEST_PERCENTILE, SHORT_WAIT_SHARE = 99.5, 0.5
#: Fewer are no property of the link.
LEAST_LOSSES = 3
#: What a run can hold in each direction.
QUEUE_MIN_PKTS, QUEUE_MAX_PKTS = 10, 4096
QUANTILES = (5, 25, 50, 75, 95, 99)


@dataclass(frozen=True)
class FittedLink:
    """A link as `radio.system: packet_trace` has it, and what was run over it."""

    times_ms: np.ndarray  # of opportunities
    delay_ms: int  # each way
    queue_pkts: int
    mss_bytes: int | None
    window_bytes: int | None  # of the receiver, where it limited the sender
    duration_s: float
    busy_share: float  # of the time in which packets waited for the link
    loss: Estimate  # share of segments lost where no full queue can have dropped them; value 0 where too few were


@dataclass(frozen=True)
class Behaviour:
    """What a flow did over a link. Delivered: ms after the first segment, bytes of the stream by then."""

    goodput_mbps: float
    rtt_ms: np.ndarray
    retransmissions: int
    delivered: tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Nearness:
    """How near a replay comes to the original."""

    goodput_mbps: tuple[float, float]
    retransmissions: tuple[int, int]
    rtt_ms: dict[int, tuple[float, float]]  # by percentile
    rtt_ks: float  # Kolmogorov-Smirnov distance of both distributions of RTT, 0..1
    delivered_difference_max_share: float  # the largest between both curves of bytes over time, of all bytes

    def to_json(self) -> dict[str, Any]:
        """Names with units; pairs are the original and the replay."""
        return asdict(self) | {"rtt_ms": {f"p{q}": pair for q, pair in self.rtt_ms.items()}}


def ready(one: FlowMeasures) -> None:
    """Raises DataError: the flow has too few segments, or no round trips."""
    if one.way is None or len(one.way.segments) < LEAST_SEGMENTS:
        have = 0 if one.way is None else len(one.way.segments)
        raise DataError(f"flow {one.row['flow']}: {have} data segments of TCP: allowed {LEAST_SEGMENTS} or more")
    if not len(round_trips(one)[0]):
        raise DataError(f"flow {one.row['flow']}: no round trip over the whole path: ACKs are missing, or, at the "
                        "receiver, timestamps")


def round_trips(one: FlowMeasures) -> tuple[np.ndarray, np.ndarray]:
    """When round trips over the whole path ended, in ns, and how long they took, in ms."""
    way = one.way
    assert way is not None
    if one.row["seen_at"] == RECEIVER:
        return way.back_t_ns + way.back_rtt_ns, way.back_rtt_ns / MS
    ended, taken = way.timed["out_ns"] + way.timed["rtt_ns"], way.timed["rtt_ns"] / MS
    order = np.argsort(ended, kind="stable")
    return ended[order], taken[order]


def deliveries(one: FlowMeasures) -> tuple[np.ndarray, np.ndarray]:
    """When payload was seen to have come, in ns, and how much: at the receiver its segments, else what ACKs tell."""
    way = one.way
    assert way is not None
    if one.row["seen_at"] == RECEIVER:
        return way.segments["out_ns"], way.segments["payload_bytes"]
    # What SACK tells of is delivered before an ACK jumps over it.
    step = np.diff(np.maximum.accumulate(np.maximum(way.signs.sacked, np.maximum(way.signs.reach, 0))), prepend=0)
    new = np.flatnonzero(step > 0)
    return way.signs.t_ns[new], step[new]


def fit(one: FlowMeasures, lead_ms: float) -> FittedLink:
    """The link that a flow went over.

    Args:
        lead_ms: from the start of a trace to the start of the traffic; the first segment leaves a round trip later.

    Raises:
        DataError: the flow has too few segments, or no round trips.
    """
    ready(one)
    way = one.way
    assert way is not None
    found = way.segments
    ended, rtt_ms = round_trips(one)
    least_ms = float(rtt_ms.min())
    delay_ms = max(round((least_ms - 1) / 2), 0)  # half a millisecond each way is waited for an opportunity
    when, payload = deliveries(one)
    first = int(found["out_ns"][0])
    late_ms = 0 if one.row["seen_at"] == RECEIVER else 2 * delay_ms
    at_ms = lead_ms + least_ms + np.maximum((when - first) / MS - late_ms, 0)
    ip_bytes = payload * (one.row["ip_bytes"] / one.row["payload_bytes"])
    latest = np.maximum(np.searchsorted(ended, when, "right") - 1, 0)
    waited = rtt_ms[latest] > max(least_ms * (1 + IDLE_SHARE), least_ms + IDLE_MS)
    gaps_ms = np.diff(at_ms, prepend=at_ms[:1])
    rate = _busy_rate(gaps_ms, ip_bytes, waited)
    times = _opportunities(at_ms, gaps_ms, ip_bytes, waited, rate)
    busy = float(gaps_ms[waited].sum() / max(gaps_ms.sum(), 1e-9))
    last_ns = int(found["ack_ns"].max(initial=found["out_ns"][-1]))
    loss, was_full = _losses(one, least_ms)
    return FittedLink(times, delay_ms, _queue_pkts(was_full, rtt_ms, rate), one.row["mss_bytes"], _window(one),
                      (last_ns - first) / 1e9, busy, loss)


def _busy_rate(gaps_ms: np.ndarray, n_bytes: np.ndarray, waited: np.ndarray, window_ms: float = 100) -> float:
    """Bytes per ms of the link while packets waited for it: of parts of some ms the BUSY_PERCENTILE."""
    if not waited.any():
        waited = np.ones(len(waited), dtype=bool)
    part = (np.cumsum(gaps_ms[waited]) // window_ms).astype(np.int64)
    sums = np.bincount(part, n_bytes[waited])
    return float(np.percentile(sums[:-1] if len(sums) > 1 else sums, BUSY_PERCENTILE)) / window_ms


def _opportunities(at_ms: np.ndarray, gaps_ms: np.ndarray, n_bytes: np.ndarray, waited: np.ndarray,
                   rate: float) -> np.ndarray:
    """Times of opportunities in whole ms, with what the link could have carried while nothing waited."""
    spare = np.where(waited, 0, np.maximum(rate * gaps_ms - n_bytes, 0))
    # The lead and the tail are idle; an idle gap is filled ms by ms, a delivery is at its time.
    start_ms, end_ms = at_ms - gaps_ms, at_ms
    idle = np.flatnonzero(spare > 0)
    moments = [np.arange(1, int(at_ms[0]))]
    amounts = [np.full(len(moments[0]), rate)]
    for place in idle.tolist():
        span = np.arange(int(start_ms[place]) + 1, int(np.ceil(end_ms[place])) + 1)
        moments.append(span)
        amounts.append(np.full(len(span), spare[place] / max(len(span), 1)))
    tail = np.arange(int(at_ms[-1]) + 1, int(at_ms[-1]) + TAIL_MS)
    when = np.concatenate([*moments, np.ceil(at_ms), tail])
    carried = np.concatenate([*amounts, n_bytes, np.full(len(tail), rate)])
    order = np.argsort(when, kind="stable")
    total = np.cumsum(carried[order])
    count = np.arange(1, int(total[-1] // OPPORTUNITY_BYTES) + 1)
    return when[order][np.searchsorted(total, count * OPPORTUNITY_BYTES)].astype(np.int64)


def _losses(one: FlowMeasures, least_ms: float) -> tuple[Estimate, bool]:
    """Loss that does not depend on the queue, and whether the queue lost more than that.

    A full queue drops only what comes when the wait is long; the other losses are of the link. At the receiver nobody
    knows how long the wait was that a lost packet met, so all losses there are the queue's.
    """
    way = one.way
    assert way is not None
    lost = way.segments["again"] & ~way.segments["spurious"]
    if one.row["seen_at"] == RECEIVER or not lost.any() or not len(way.timed["out_ns"]):
        return Estimate(0.0), bool(lost.any())
    timed = way.timed
    order = np.argsort(timed["out_ns"], kind="stable")
    sent, wait_ms = timed["out_ns"][order], timed["rtt_ns"][order] / MS - least_ms
    short = np.percentile(wait_ms, LONGEST_PERCENTILE) * SHORT_WAIT_SHARE

    def waited_short(out_ns: np.ndarray) -> np.ndarray:
        found: np.ndarray = np.interp(out_ns, sent, wait_ms) < short
        return found

    before = waited_short(_sent_before(way.segments["seq"], way.segments["out_ns"], lost))
    every = waited_short(way.segments["out_ns"])
    n_short, lost_short = int(every.sum()), int(before.sum())
    if lost_short < LEAST_LOSSES or n_short < LEAST_SEGMENTS:
        return Estimate(0.0), len(before) > lost_short or lost_short > 0
    share = share_of(lost_short, n_short)
    assert share.high is not None
    return share, len(before) - lost_short > share.high * (len(every) - n_short) + LEAST_LOSSES


def _sent_before(seq: np.ndarray, out_ns: np.ndarray, again: np.ndarray) -> np.ndarray:
    """When what is sent again was sent the time before, in ns; as far as it was."""
    order = np.lexsort((out_ns, seq))
    same = np.flatnonzero(again[order][1:] & (seq[order][1:] == seq[order][:-1]))
    found: np.ndarray = out_ns[order][same]
    return found


def _queue_pkts(was_full: bool, rtt_ms: np.ndarray, rate: float) -> int:
    """The queue: as long as the longest wait, and much longer where it was never full."""
    waiting = (float(np.percentile(rtt_ms, LONGEST_PERCENTILE)) - float(rtt_ms.min())) * rate / OPPORTUNITY_BYTES
    return int(np.clip(np.ceil(waiting) if was_full else 10 * waiting, QUEUE_MIN_PKTS, QUEUE_MAX_PKTS))


def _window(one: FlowMeasures) -> int | None:
    window, flight = one.row["window_max_bytes"], one.row["flight_max_bytes"]
    return window if window and flight and flight >= LIMITED_SHARE * window else None


def behaviour(one: FlowMeasures) -> Behaviour:
    """What a flow did, for a comparison. Raises DataError: it did too little."""
    ready(one)
    assert one.way is not None
    when, payload = deliveries(one)
    first = int(one.way.segments["out_ns"][0])
    return Behaviour(float(one.row["goodput_mbps"] or 0), np.sort(round_trips(one)[1]), one.row["retransmissions"],
                     ((when - first) / MS, np.cumsum(payload)))


def nearness(original: Behaviour, replay: Behaviour) -> Nearness:
    """How near a replay comes to its original."""
    rtt = {q: (float(np.percentile(original.rtt_ms, q)), float(np.percentile(replay.rtt_ms, q))) for q in QUANTILES}
    return Nearness(
        (original.goodput_mbps, replay.goodput_mbps), (original.retransmissions, replay.retransmissions), rtt,
        ks_distance(original.rtt_ms, replay.rtt_ms), _curves_apart(original, replay))


def _curves_apart(original: Behaviour, replay: Behaviour) -> float:
    """The largest difference of bytes delivered by a time, as a share of the original's."""
    every = np.concatenate([original.delivered[0], replay.delivered[0]])
    every = every[every <= min(original.delivered[0][-1], replay.delivered[0][-1])]

    def by(one: Behaviour) -> np.ndarray:
        at = np.searchsorted(one.delivered[0], every, "right") - 1
        return np.where(at < 0, 0, one.delivered[1][np.maximum(at, 0)])

    return float(np.abs(by(original) - by(replay)).max() / original.delivered[1][-1]) if len(every) else 1.0
