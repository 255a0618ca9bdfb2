# SPDX-License-Identifier: GPL-2.0-or-later
"""Steps of the clock that stamped a capture, forward or back, found against TCP's timestamps and the order of the file.

TCP's timestamps count by clocks of their own. Where the capture's clock steps, its distance to all of them changes at
once, by the same time; a path that grows longer changes the distance to one end only. Without timestamps a clock that
went back shows where a connection goes on in the file, but not in time. A file that is merely out of order does the
opposite: it is in order by its times.

Source: RFC 7323 section 5.4 (the timestamp clock: 1 ms to 1 s per tick)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .columns import Columns

#: Ticks of timestamp clocks that are in use, in ns, and how far a measured one may be from one of them.
TICKS_NS, TICK_OFF = (1_000, 1_000_000, 2_000_000, 4_000_000, 10_000_000, 100_000_000, 500_000_000, 10**9), 0.25
#: Smaller steps are not told from the queues of a path.
LEAST_NS = 5_000_000
#: A step without a time that goes back in the file is believed from here on, and an end by so many times its noise.
UNSEEN_NS, NOISE = 20_000_000, 6
#: By this share of a step ends may differ in what they say of it.
AGREE = 0.25
#: Ends that are asked, packets with a timestamp that one needs, places that are looked at.
STREAMS_MAX, PACKETS_LEAST, PLACES_MAX = 64, 8, 500
#: Times that go back by less are a capture with several queues.
BACK_NS = 1_000_000
#: Packets on both sides of a place that show which way the file is ordered.
AROUND = 400


@dataclass(frozen=True)
class Step:
    """The clock's step in front of a packet."""

    at: int  # the packet's place in the frame
    by_ns: int  # forward, or back if negative
    exact: bool  # by TCP's timestamps; else only as much as brings the packets in order


@dataclass(frozen=True)
class Clock:
    """What is known of a capture's clock."""

    steps: list[Step]
    out_of_order: int  # packets that stand behind later ones, without a step
    back_ns: int  # the farthest of them

    def mended(self, t_ns: np.ndarray) -> np.ndarray:
        """Times without the steps."""
        mended = t_ns.copy()
        for step in self.steps:
            mended[step.at :] -= step.by_ns
        return mended

    def epochs(self, n: int) -> np.ndarray:
        """How many steps lie before each packet."""
        return np.searchsorted([step.at for step in self.steps], np.arange(n), "right").astype(np.uint8)


@dataclass(frozen=True)
class _Stream:
    """Packets of one end with timestamps: places, and how the clocks' distance changed at each, in ns."""

    place: np.ndarray
    change: np.ndarray
    tick_ns: int
    noise_ns: float


def watch(packets: Columns) -> Clock:
    """Find steps.

    Args:
        packets: in the file's order: t_ns, stream (a number for each direction of each pair of ends), tcp, timed,
            ts_val, seq, ack.
    """
    t_ns = packets["t_ns"]
    if len(t_ns) < 2:
        return Clock([], 0, 0)
    streams = sorted(_streams(packets), key=lambda one: one.noise_ns)
    steps: list[Step] = []
    for place, by_ns in _by_timestamps(t_ns, streams):
        steps.append(Step(place, by_ns, True))
    steps.sort(key=lambda step: step.at)
    now = Clock(steps, 0, 0).mended(t_ns)
    for place in np.flatnonzero(np.diff(now) < -BACK_NS)[:PLACES_MAX] + 1:
        if _goes_on(packets, now, int(place)) and not _denied(streams, int(place), int(now[place] - now[place - 1])):
            by_ns = int(now[place] - now[place - 1]) - _usual_gap(now, int(place))
            steps.append(Step(int(place), by_ns, False))
            now[place:] -= by_ns
    steps.sort(key=lambda step: step.at)
    late = np.maximum.accumulate(now) - now
    return Clock(steps, int((late > 0).sum()), int(late.max()))


def _streams(packets: Columns) -> Iterator[_Stream]:
    """The longest ends whose timestamps count by a tick that is known."""
    timed = np.flatnonzero(packets["timed"].astype(bool))
    if not len(timed):
        return
    stream = packets["stream"][timed]
    order = np.argsort(stream, kind="stable")
    begins = np.flatnonzero(np.diff(stream[order], prepend=-1))
    lengths = np.diff(np.append(begins, len(order)))
    for which in np.argsort(-lengths, kind="stable")[:STREAMS_MAX].tolist():
        if lengths[which] < PACKETS_LEAST:
            return
        place = timed[order[begins[which] : begins[which] + lengths[which]]]
        # Of packets with the same value, among them copies, the first one is near to the tick.
        place = place[np.sort(np.unique(packets["ts_val"][place], return_index=True)[1])]
        if len(place) < PACKETS_LEAST:
            continue
        t_ns, value = packets["t_ns"][place], packets["ts_val"][place].astype(np.int64)
        ticks = (np.diff(value) + 2**31) % 2**32 - 2**31
        passed_ns = np.diff(t_ns)
        tick_ns = _tick_ns(passed_ns, ticks)
        if tick_ns:
            change = passed_ns - ticks * tick_ns
            yield _Stream(place, change, tick_ns, float(np.mean(np.minimum(np.abs(change), LEAST_NS))))


def _tick_ns(passed_ns: np.ndarray, ticks: np.ndarray) -> int:
    """The tick of a timestamp clock, 0 if it is none that is known."""
    parts = [(int(passed.sum()), int(told.sum()))
             for passed, told in zip(np.array_split(passed_ns, 9), np.array_split(ticks, 9), strict=True)]
    slopes = [passed / told for passed, told in parts if told > 0 and passed > 0]
    if not slopes:
        return 0
    slope = float(np.median(slopes))
    nearest = min(TICKS_NS, key=lambda tick: abs(np.log(slope / tick)))
    return nearest if abs(slope / nearest - 1) <= TICK_OFF else 0


def _by_timestamps(t_ns: np.ndarray, streams: list[_Stream]) -> Iterator[tuple[int, int]]:
    """Places and sizes of steps on which the ends agree; the one with the least noise says how large they are."""
    steps_ns = np.diff(t_ns, prepend=t_ns[0])
    seen: list[tuple[int, int]] = []
    for one in streams:
        odd = np.flatnonzero(np.abs(one.change) > _tolerance_ns(one))
        if len(odd) > PLACES_MAX:
            continue  # a path, or a clock, that tells nothing
        for which in odd.tolist():
            begin, end, by_ns = int(one.place[which]), int(one.place[which + 1]), int(one.change[which])
            if any(begin < other_end and other_start < end for other_start, other_end in seen):
                continue
            around = steps_ns[begin + 1 : end + 1]
            place = begin + 1 + int(around.argmin() if by_ns < 0 else around.argmax())
            if _agreed(streams, one, place, by_ns, int(steps_ns[place])):
                seen.append((begin, end))
                yield place, by_ns


def _tolerance_ns(one: _Stream) -> int:
    return int(LEAST_NS + NOISE * one.noise_ns) + 2 * (one.tick_ns if one.tick_ns > 1_000_000 else 0)


def _changes(streams: list[_Stream], place: int) -> Iterator[tuple[_Stream, int]]:
    """What each end that has packets on both sides of a place says of the clock there."""
    for one in streams:
        behind = int(np.searchsorted(one.place, place))
        if 0 < behind < len(one.place):
            yield one, int(one.change[behind - 1])


def _agreed(streams: list[_Stream], first: _Stream, place: int, by_ns: int, step_ns: int) -> bool:
    back = step_ns <= by_ns / 2 < 0
    if not back and (abs(by_ns) < UNSEEN_NS or step_ns < by_ns / 2):
        return False
    others = [abs(change - by_ns) <= max(_tolerance_ns(one), AGREE * abs(by_ns))
              for one, change in _changes(streams, place) if one is not first]
    if any(others):
        return 2 * sum(others) >= len(others)
    # One end alone: only a time that goes back, which no path does.
    return not others and back


def _denied(streams: list[_Stream], place: int, by_ns: int) -> bool:
    """Whether timestamps say that the clock did not step."""
    said = [abs(change) < abs(by_ns) / 2 for _, change in _changes(streams, place)]
    return sum(said) > len(said) / 2


def _goes_on(packets: Columns, t_ns: np.ndarray, place: int) -> bool:
    """Whether connections go on in the file at a place where they would go backwards in time."""
    begin, end = max(place - AROUND, 0), min(place + AROUND, len(t_ns))
    stream, tcp = packets["stream"][begin:end], packets["tcp"][begin:end].astype(bool)
    last: dict[int, int] = {}
    for at in range(begin, place):
        if tcp[at - begin]:
            last[int(stream[at - begin])] = at
    on = off = 0
    for at in range(place, end):
        before = last.pop(int(stream[at - begin]), None) if tcp[at - begin] else None
        if before is None or t_ns[at] >= t_ns[before]:
            continue
        progress = sum((int(packets[name][at]) - int(packets[name][before]) + 2**31) % 2**32 - 2**31
                       for name in ("seq", "ack"))
        on, off = on + (progress > 0), off + (progress < 0)
    return on > off


def _usual_gap(t_ns: np.ndarray, place: int) -> int:
    gaps = np.diff(t_ns[max(place - 32, 0) : place])
    gaps = gaps[gaps >= 0]
    return int(np.median(gaps)) if len(gaps) else 0
