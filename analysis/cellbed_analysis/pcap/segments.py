# SPDX-License-Identifier: GPL-2.0-or-later
"""Each data segment of a connection as one capture saw it: RTT, what was in flight, and why it was sent again.

The capture may be anywhere on the path. An RTT here is the time from a segment to the first ACK or SACK that tells of
it, that is from the capture to the receiver and back. A segment that was sent again has none (Karn), nor has one of
which only the ACK of a repaired loss tells: that shows how long the repair took. The other part of the path, to the
sender and back, shows in TCP's timestamps.

Source: RFC 6298 section 3; RFC 2018 section 4
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cellbed_formats.packet import ACK, CWR, ECE, RST, SYN

from ..tcp.segment import covering, first_byte, positions, sent_more_than_once, unwrap
from .columns import NONE, Columns
from .retransmission import FIRST_RTO_NS, NOT_AGAIN, Signs, kinds, signs, spurious, timer_ns

#: A hole that is filled sooner than this share of a round trip was not filled by a sender that knew of it.
REORDERED_SHARE = 0.9
#: The same in ns where no handshake tells the round trip. Source: Wireshark, packet-tcp.c
REORDERED_NS = 3_000_000


@dataclass(frozen=True)
class Handshake:
    """How a connection opened, as the capture has it; None: not in it. Times in ns."""

    there_ns: int | None  # from the SYN to its answer
    back_ns: int | None  # from that to the ACK
    syns: int
    mss_bytes: int | None  # the lesser of both
    scales: dict[bool, int] | None  # shift of each end's windows, by whether its packets are `forth`
    sack: bool | None
    timestamps: bool | None
    ecn: bool | None

    @property
    def path_ns(self) -> int | None:
        """A round trip over the whole path."""
        return None if self.there_ns is None or self.back_ns is None else self.there_ns + self.back_ns


@dataclass(frozen=True)
class Direction:
    """Data of a connection, and the ACKs to them."""

    segments: Columns  # see `direction`
    signs: Signs
    acks: Columns
    handshake: Handshake
    forth: bool  # which direction this is
    opened: bool  # the sender of the data opened the connection
    back_t_ns: np.ndarray  # when round trips from the capture to the sender began
    back_rtt_ns: np.ndarray  # and how long they took
    resets: int
    window_probes: int
    unseen: tuple[int, int]  # stretches of data that were acknowledged and are not in the capture, and their bytes

    @property
    def timed(self) -> Columns:
        """Segments with an RTT."""
        return self.segments.where(self.segments["rtt_ns"] != NONE)


def handshake(packets: Columns) -> Handshake:
    """Of a connection's packets in order."""
    flags = packets["flags"]
    syns = np.flatnonzero(flags & (SYN | ACK) == SYN)
    answers = np.flatnonzero(flags & (SYN | ACK) == SYN | ACK)
    if not len(syns) or not len(answers):
        return Handshake(None, None, len(syns), None, None, None, None, None)
    asked, answered = int(syns[-1]), int(answers[0])
    t_ns, forth = packets["t_ns"], packets["forth"]
    acks = np.flatnonzero((forth == forth[asked]) & (flags & (SYN | ACK) == ACK))
    acks = acks[acks > answered]
    once = len(syns) == 1 and len(answers) == 1  # else nobody knows which was answered
    once &= packets["epoch"][asked] == packets["epoch"][answered]
    both = [asked, answered]
    return Handshake(
        int(t_ns[answered] - t_ns[asked]) if once else None,
        int(t_ns[acks[0]] - t_ns[answered])
        if once and len(acks) and packets["epoch"][acks[0]] == packets["epoch"][answered] else None,
        len(syns),
        min((int(mss) for mss in packets["mss"][both] if mss), default=None),
        {bool(forth[asked]): int(packets["scale"][asked]), bool(forth[answered]): int(packets["scale"][answered])},
        bool(packets["sack_ok"][both].all()),
        bool(packets["timed"][both].all()),
        bool(flags[asked] & (ECE | CWR) == ECE | CWR and flags[answered] & ECE),
    )


def direction(packets: Columns, forth: bool) -> Direction | None:
    """One direction of a TCP connection.

    Args:
        packets: of the connection by time, as `connection.Capture.connections` gives them.
        forth: the direction of the first packet, or the other one.

    Returns:
        None where it has no data. Else segments with out_ns, seq and end (bytes of the stream), payload_bytes,
        data_row, ack_ns, ack_row, rtt_ns (NONE: see above), una (acknowledged when it
        was sent), flight_bytes (sent and not acknowledged then, itself included), again (a retransmission),
        out_of_order (behind later ones, but sent before them), kind (of `retransmission.KINDS`, else NOT_AGAIN),
        spurious, ecn.
    """
    alive = packets.where((packets["flags"] & RST == 0) & ~packets["fragment"].astype(bool))
    own = alive["forth"] == forth
    data, acks = alive.where(own), alive.where(~own & (alive["flags"] & ACK == ACK))
    if not data["payload_bytes"].any():
        return None
    base = first_byte(data["seq"], data["flags"])
    position = positions(acks["ack"], base)
    reach = np.maximum.accumulate(position)
    every = _segments(data, acks, base, reach)
    unseen = _unseen(every, int(reach[-1]) if len(reach) else 0)
    found = every.where(~every["window_probe"])
    if not len(found):
        return None
    found = found.plus(rtt_ns=_round_trips(found, acks, position))
    opened = handshake(packets)
    sent = np.searchsorted(found["out_ns"], acks["t_ns"]) - 1
    outstanding = (sent >= 0) & (found["highest"][np.maximum(sent, 0)] > reach)
    told = signs(acks, position, outstanding)
    from_opener = bool(packets["forth"][0] == forth) == bool(packets["flags"][0] & (SYN | ACK) == SYN)
    back_t, back = timestamp_round_trips(acks, data)
    answered_ns = opened.back_ns if from_opener else opened.there_ns
    answer_ns = answered_ns or (int(np.median(back)) if len(back) else 0)
    found = _sent_again(found, told, acks, opened, answer_ns)
    return Direction(found, told, acks, opened, forth, from_opener, back_t, back,
                     int((packets["flags"] & RST != 0).sum()), len(every) - len(found), unseen)


def _segments(data: Columns, acks: Columns, base: int, reach: np.ndarray) -> Columns:
    """Segments with their ACKs. `before` is the highest byte sent earlier, `highest` with the segment itself."""
    full = data["payload_bytes"] > 0
    start = (unwrap(data["seq"]) - base)[full]
    sent = data.where(full)
    end = start + sent["payload_bytes"]
    out_ns = sent["t_ns"]
    cover, una = covering(out_ns, end, acks["t_ns"], reach)
    highest = np.maximum.accumulate(end)
    before = np.concatenate([start[:1], highest[:-1]])
    # A keep-alive is the last byte once more, although it is acknowledged. Source: RFC 9293 section 3.8.4
    keep_alive = (sent["payload_bytes"] == 1) & (end == before) & (una >= end)
    # A sender whose window is closed asks with a byte whether it still is. Source: RFC 9293 section 3.8.6.1
    last = np.searchsorted(acks["t_ns"], out_ns, "right") - 1
    closed = (acks["window"][np.maximum(last, 0)] == 0) & (last >= 0) if len(acks) else np.zeros(len(start), dtype=bool)
    window_probe = (sent["payload_bytes"] == 1) & closed & (start >= una)
    covered = cover < len(reach)
    at = np.where(covered, cover, 0)
    ack_ns = np.where(covered, acks["t_ns"][at], NONE) if len(acks) else np.full(len(start), NONE)
    return Columns({
        "out_ns": out_ns, "seq": start, "end": end, "payload_bytes": sent["payload_bytes"].astype(np.int64),
        "data_row": sent["row"].astype(np.int64), "ack_ns": ack_ns, "una": una, "highest": highest, "before": before,
        "ack_row": np.where(covered, acks["row"][at].astype(np.int64), NONE) if len(acks) else ack_ns,
        "ack": np.where(covered, cover, NONE),
        "once": ~sent_more_than_once(start, end), "flight_bytes": highest - una,
        "ts_val": sent["ts_val"].astype(np.int64), "timed": sent["timed"], "ecn": sent["ecn"],
        "window_probe": window_probe, "epoch": sent["epoch"],
    }).where(~keep_alive)  # fmt: skip


def _round_trips(found: Columns, acks: Columns, position: np.ndarray) -> np.ndarray:
    """RTT of each segment in ns, NONE without."""
    start, end, once = found["seq"], found["end"], found["once"]
    repaired = np.unique(found["ack"][~once])
    by_ack = np.where(np.isin(found["ack"], repaired), NONE, found["ack"])
    told = np.where(once, by_ack, NONE)
    # The first block is of what has just come, Source: RFC 2018 section 4. Segments sent once lie in order.
    sacks = np.flatnonzero((acks["sacks"] > 0) & ~acks["dsack"])
    if len(sacks):
        number = acks["ack"][sacks].astype(np.int64)
        left, right = (position[sacks] + (acks[name][sacks].astype(np.int64) - number + 2**31) % 2**32 - 2**31
                       for name in ("sack_left", "sack_right"))
        rows = np.flatnonzero(once)
        rows = rows[np.argsort(start[rows], kind="stable")]
        first, last = np.searchsorted(start[rows], left), np.searchsorted(end[rows], right, "right")
        sacked = np.full(len(rows), NONE)
        for ack, begin, behind in zip(sacks.tolist(), first.tolist(), last.tolist(), strict=True):
            new = sacked[begin:behind]
            new[new == NONE] = ack
        earlier = (sacked != NONE) & ((told[rows] == NONE) | (sacked < told[rows]))
        told[rows[earlier]] = sacked[earlier]
    if not len(acks):
        return told
    rtt_ns = acks["t_ns"][told] - found["out_ns"]
    # Across a step of the clock no time is known.
    return np.where((told != NONE) & (acks["epoch"][told] == found["epoch"]) & (rtt_ns >= 0), rtt_ns, NONE)


def _unseen(found: Columns, reach: int) -> tuple[int, int]:
    """Stretches of data, and their bytes, that were acknowledged although no segment had them."""
    order = np.argsort(found["seq"], kind="stable")
    start, end = found["seq"][order], np.maximum.accumulate(found["end"][order])
    holes = np.minimum(start[1:], reach) - end[:-1]
    holes = holes[holes > 0]
    behind = reach - int(end[-1]) if len(end) else 0
    # Behind the last segment stands only what is acknowledged beyond it; a FIN counts as a byte.
    more = behind > 1
    return len(holes) + more, int(holes.sum()) + (behind if more else 0)


def _sent_again(found: Columns, told: Signs, acks: Columns, opened: Handshake, answer_ns: int) -> Columns:
    """Which segments are retransmissions, of which kind, and which were needless."""
    start, below = found["seq"], found["seq"] < found["before"]
    nothing = np.zeros(len(start), dtype=bool)
    if not below.any():
        return found.plus(again=nothing, out_of_order=nothing, spurious=nothing, kind=np.full(len(start), NOT_AGAIN))
    t_ns, end = found["out_ns"], found["end"]
    first = np.flatnonzero(~below)
    cover = np.searchsorted(start[first], start, "right") - 1
    seen = below & (cover >= 0) & (end[first][np.maximum(cover, 0)] > start)
    fills = np.flatnonzero(below & ~seen)
    fillers = fills[np.unique(start[fills], return_index=True)[1]]
    late, filling = nothing.copy(), nothing.copy()
    filling[fillers] = True
    late[fillers] = _reordered(found, fillers, opened.path_ns)
    again = below & ~late
    probes = opened.sack if opened.sack is not None else bool((acks["sacks"] > 0).any())
    kind = np.full(len(start), NOT_AGAIN)
    kind[again] = kinds(again, t_ns, start, end, told, _timers(found, opened), answer_ns, probes)
    early = (end <= found["una"]) | (_echoes_the_first(found, acks) & (start == found["una"]))
    vain = spurious(again, seen | (below & ~filling), t_ns, start, end, told, early)
    return found.plus(again=again, out_of_order=late, spurious=vain, kind=kind)


def _timers(found: Columns, opened: Handshake) -> np.ndarray:
    """The retransmission timer when each segment was sent, in ns, as RTT samples make it."""
    first_ns = FIRST_RTO_NS if opened.there_ns is None else float(timer_ns(np.array([opened.there_ns]))[0])
    samples = found.where(found["rtt_ns"] != NONE)
    if not len(samples):
        return np.full(len(found), first_ns)
    ended = samples["out_ns"] + samples["rtt_ns"]
    order = np.argsort(ended, kind="stable")
    timers = timer_ns(samples["rtt_ns"][order])
    known = np.searchsorted(ended[order], found["out_ns"], "right") - 1
    return np.where(known >= 0, timers[np.maximum(known, 0)], first_ns)


def _reordered(found: Columns, fillers: np.ndarray, path_ns: int | None) -> np.ndarray:
    """Which segments that fill a hole were sent before what made it: older by timestamp, or too soon for a sender."""
    t_ns, stamp = found["out_ns"], found["ts_val"]
    # A connection that was open before the capture may have begun with a later segment.
    opened_by = np.minimum(np.searchsorted(found["highest"], found["seq"][fillers], "right"), fillers)
    younger = (stamp[fillers] - stamp[opened_by] + 2**31) % 2**32 - 2**31
    soon = t_ns[fillers] - t_ns[opened_by] < (REORDERED_NS if path_ns is None else REORDERED_SHARE * path_ns)
    return np.where(found["timed"][fillers] & (younger != 0), younger < 0, soon)


def _echoes_the_first(found: Columns, acks: Columns) -> np.ndarray:
    """Whether the ACK of a segment echoes a timestamp from before it."""
    if not len(acks):
        return np.zeros(len(found), dtype=bool)
    at = np.maximum(found["ack"], 0)
    older = (acks["ts_ecr"][at].astype(np.int64) - found["ts_val"] + 2**31) % 2**32 - 2**31 < 0
    return older & found["timed"] & acks["timed"][at] & (found["ack"] != NONE)


def timestamp_round_trips(out: Columns, back: Columns) -> tuple[np.ndarray, np.ndarray]:
    """Round trips from the capture to the end that answers, by timestamps: a value's first packet to its first echo.

    Args:
        out: packets towards that end.
        back: packets of it.

    Returns:
        When each began, and how long it took, in ns; none without timestamps.

    Source: RFC 7323 section 3.2
    """
    sent, echo = out.where(out["timed"]), back.where(back["timed"] & (back["flags"] & ACK == ACK))
    values, first = np.unique(sent["ts_val"], return_index=True)
    echoes, came = np.unique(echo["ts_ecr"], return_index=True)
    _, here, there = np.intersect1d(values, echoes, assume_unique=True, return_indices=True)
    alike = sent["epoch"][first[here]] == echo["epoch"][came[there]]
    here, there = here[alike], there[alike]
    began, ended = sent["t_ns"][first[here]], echo["t_ns"][came[there]]
    order = np.argsort(began, kind="stable")
    order = order[(ended >= began)[order]]
    return began[order], (ended - began)[order]
