# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a sender sent a segment again, as far as its packets and the ACKs to it tell.

A retransmission that ACKs told the sender to make is a fast one: three duplicate ACKs, a SACK of what was sent later,
or a partial ACK during such a recovery. Without any such sign a timer made it: a tail loss probe is the last segment
once more, before the timeout; a timeout is the oldest one, and what follows until all that was in flight then is
acknowledged comes after a timeout. What fits none of them, because the capture lacks ACKs or the sender knows more, is
unknown.

Source: RFC 5681 section 3.2; RFC 6582 section 3.2; RFC 6675 section 4; RFC 8985 sections 6.2, 7.2; RFC 6298 section 5
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from cellbed_formats.packet import FIN, SYN

from .columns import Columns

FAST, TIMEOUT, AFTER_TIMEOUT, TAIL_PROBE, UNKNOWN = "fast", "timeout", "after timeout", "tail probe", "unknown"
KINDS = (FAST, TIMEOUT, AFTER_TIMEOUT, TAIL_PROBE, UNKNOWN)
NOT_AGAIN = " " * max(map(len, KINDS))  # of a first transmission: as long as any kind
DUPLICATES = 3  # Source: RFC 5681 section 3.2
#: The timer before any sample, and the least that deviations add. Source: RFC 6298 section 2; Linux, TCP_RTO_MIN
FIRST_RTO_NS, RTO_MIN_NS = 1_000_000_000, 200_000_000
#: A timer that fires at this share of its estimate is believed: the capture does not see what the sender's clock did.
EARLY = 0.8
#: After this share of the timer without any ACK it was not an ACK that made the sender send.
QUIET = 0.05
#: Samples that are averaged together.
BLOCK = 64


@dataclass(frozen=True)
class Signs:
    """What the ACKs of a direction told its sender, one entry for each ACK in order; positions are stream bytes."""

    t_ns: np.ndarray
    reach: np.ndarray  # acknowledged so far
    duplicates: np.ndarray  # duplicate ACKs since that advanced
    sacked: np.ndarray  # the farthest byte that any SACK told of
    dsack_left: np.ndarray  # begin of what was received twice, -1 without
    dsack_right: np.ndarray

    def before(self, t_ns: np.ndarray) -> np.ndarray:
        """Index of the last ACK before or at each time, -1 before the first."""
        return np.searchsorted(self.t_ns, t_ns, "right") - 1


def signs(acks: Columns, position: np.ndarray, outstanding: np.ndarray) -> Signs:
    """Read ACKs.

    Args:
        acks: packets with an ACK, `packet.ip_packets` with options.
        position: what each acknowledges, in stream bytes.
        outstanding: whether data were in flight when each came.
    """
    reach = np.maximum.accumulate(position)
    number = acks["ack"].astype(np.int64)
    left, right, farthest = (
        position + (acks[name].astype(np.int64) - number + 2**31) % 2**32 - 2**31
        for name in ("sack_left", "sack_right", "sack_reach"))
    sacks = acks["sacks"] > 0
    twice = sacks & (acks["dsack"] | (right <= position))
    # The first of equal ACKs is no duplicate; one with SACK blocks is whatever its window.
    plain = (acks["payload_bytes"] == 0) & (acks["flags"] & (SYN | FIN) == 0)
    same_window = _as_before(acks["window"])
    duplicate = plain & _as_before(position) & outstanding & (same_window | sacks) & ~(twice & (farthest <= position))
    count = np.cumsum(duplicate)
    at_advance = np.maximum.accumulate(np.where(_as_before(reach), 0, count - duplicate)) if len(count) else count
    sacked = np.where(sacks & (farthest > position), farthest, np.iinfo(np.int64).min)
    return Signs(acks["t_ns"], reach, count - at_advance, np.maximum.accumulate(sacked),
                 np.where(twice, left, -1), np.where(twice, right, -1))


def _as_before(value: np.ndarray) -> np.ndarray:
    """Whether each value is that of its neighbour before; the first is not."""
    same = np.zeros(len(value), dtype=bool)
    same[1:] = value[1:] == value[:-1]
    return same


def timer_ns(rtt_ns: np.ndarray, deviation_min_ns: int = RTO_MIN_NS) -> np.ndarray:
    """The retransmission timer after each RTT sample, in ns. Source: RFC 6298 section 2"""
    if not len(rtt_ns):
        return np.zeros(0)
    samples = rtt_ns.astype(np.float64)
    srtt = _averages(samples, 1 / 8)
    away = np.append(samples[0] / 2, np.abs(samples[1:] - srtt[:-1]))
    return srtt + np.maximum(4 * _averages(away, 1 / 4), deviation_min_ns)


@cache
def _weights(share: float) -> tuple[np.ndarray, np.ndarray]:
    """Of samples of a block in its averages, (BLOCK, BLOCK), and of the average before the block, (BLOCK,)."""
    place = np.arange(BLOCK)
    return np.tril(share * (1 - share) ** np.maximum(place[:, None] - place, 0.0)), (1 - share) ** (place + 1.0)


def _averages(samples: np.ndarray, share: float) -> np.ndarray:
    """Each sample's moving average, which the sample has a share of; block by block, as a connection has thousands."""
    weights, faded = _weights(share)
    blocks = np.append(samples, np.zeros(-len(samples) % BLOCK)).reshape(-1, BLOCK) @ weights.T
    before, starts = float(samples[0]), []
    for last in blocks[:, -1].tolist():
        starts.append(before)
        before = last + before * float(faded[-1])
    return (blocks + np.array(starts)[:, None] * faded).reshape(-1)[: len(samples)]


@dataclass
class _Repair:
    """What the sender was repairing when it sent something again."""

    kind: str = ""  # FAST or TIMEOUT, "" outside of any repair
    last: str = ""  # the same of the last one
    until: int = -1  # position that ends it
    probed: int = -1  # everything sent before the last tail probe

    def begin(self, kind: str, until: int) -> None:
        """The sender repairs what was sent before @until."""
        self.kind, self.last, self.until = kind, kind, until

    def go_on(self, una: int) -> None:
        """Everything before @una is acknowledged, which may end the repair."""
        if una >= self.until:
            self.kind = ""
        if una >= self.probed:
            self.probed = -1


def kinds(again: np.ndarray, t_ns: np.ndarray, start: np.ndarray, end: np.ndarray, told: Signs, rto_ns: np.ndarray,
          answer_ns: int, probes: bool) -> list[str]:
    """Sort each retransmission into one of KINDS.

    Args:
        again: which segments are retransmissions, in order of sending as all else; positions are stream bytes.
        told: `signs` of the ACKs.
        rto_ns: the timer's estimate at each segment, in ns.
        answer_ns: from an ACK at the capture to what the sender makes of it there.
        probes: whether the sender may probe the tail, which takes SACK (RFC 8985 section 3).
    """
    rows = np.flatnonzero(again)
    highest = np.maximum.accumulate(end)
    earlier = _sent_before(start)
    advances = np.flatnonzero(~_as_before(told.reach))
    acks = told.before(t_ns[rows])
    progress = np.searchsorted(advances, acks, "right") - 1
    repair, resent, found = _Repair(), set(), []
    for row, ack, moved in zip(rows.tolist(), acks.tolist(), progress.tolist(), strict=True):
        una = int(told.reach[ack]) if ack >= 0 else 0
        repair.go_on(una)
        since_ns = int(t_ns[earlier[row]]) if earlier[row] >= 0 else 0
        if moved >= 0:
            since_ns = max(since_ns, int(told.t_ns[advances[moved]]))
        first = int(start[row])
        found.append(_kind(
            repair, first, int(end[row]), una, int(highest[row - 1]) if row else 0,
            told_of_loss=ack >= 0 and (int(told.sacked[ack]) > first or int(told.duplicates[ack]) >= DUPLICATES),
            waited=int(t_ns[row]) - since_ns >= EARLY * rto_ns[row],
            quiet=ack < 0 or int(t_ns[row] - told.t_ns[ack]) >= QUIET * rto_ns[row] + answer_ns,
            repeated=first in resent, probes=probes))
        resent.add(first)
    return found


def _sent_before(start: np.ndarray) -> np.ndarray:
    """The last earlier segment with the same first byte, -1 without."""
    order = np.argsort(start, kind="stable")
    same = _as_before(start[order])
    found = np.full(len(start), -1)
    found[order[same]] = order[np.flatnonzero(same) - 1]
    return found


def _kind(repair: _Repair, start: int, end: int, una: int, highest: int, *, told_of_loss: bool, waited: bool,
          quiet: bool, repeated: bool, probes: bool) -> str:
    expired = start == una and waited and (quiet or not told_of_loss)
    going_on = repair.kind or (repair.last if start < una else "")  # its ACK passed it on the way to the sender
    if going_on and not (expired and (repeated or quiet)):
        return FAST if going_on == FAST else AFTER_TIMEOUT
    if told_of_loss and not expired:
        repair.begin(FAST, highest)
        return FAST
    tail = end >= highest
    if tail and probes and repair.probed < 0 and not repeated:
        repair.probed = highest
        return TAIL_PROBE
    if expired:
        repair.begin(TIMEOUT, highest)
        return TIMEOUT
    return UNKNOWN


def spurious(again: np.ndarray, seen: np.ndarray, t_ns: np.ndarray, start: np.ndarray, end: np.ndarray, told: Signs,
             early: np.ndarray) -> np.ndarray:
    """Which retransmissions were needless: the receiver had the data already, and says so.

    It says so by a DSACK of them, by an ACK that was there before the retransmission, or, with timestamps, by one that
    echoes the first transmission (`early` of both).

    Source: RFC 2883 section 4; RFC 3522 section 3.2
    """
    reported = np.zeros(len(again), dtype=bool)
    rows = np.flatnonzero(again & seen)
    order = rows[np.argsort(start[rows], kind="stable")]
    for ack in np.flatnonzero(told.dsack_right > told.dsack_left).tolist():
        first = np.searchsorted(start[order], told.dsack_left[ack])
        last = np.searchsorted(start[order], told.dsack_right[ack])
        earlier = order[first:last]
        earlier = earlier[(t_ns[earlier] < told.t_ns[ack]) & ~reported[earlier]]
        if len(earlier):
            # One report is of one copy: the latest that it can be about, of each segment in it.
            _, latest = np.unique(start[earlier[::-1]], return_index=True)
            reported[earlier[::-1][latest]] = True
    return reported | (again & seen & early)
