# SPDX-License-Identifier: GPL-2.0-or-later
"""Transfers packet by packet, with what is true of them: who sent what again and why, and how long the path was.

A sender with a fixed window and the timers of RFC 6298 and RFC 8985 sends over a path of a fixed delay. What is lost is
named before. It is seen at the sender, or anywhere on the path.

Source: RFC 5681; RFC 6298; RFC 6675; RFC 8985; RFC 9293 section 3.8.6.1
"""

import random
from dataclasses import dataclass, field

from packets import ACK, FIN, PSH, SYN, options, tcp

US = 1000
MS = 1_000_000


@dataclass(frozen=True)
class Seen:
    """A packet at the place of the capture."""

    t_ns: int
    up: bool  # of the data's direction
    packet: object


@dataclass
class Truth:
    """What is so, whatever a capture makes of it; ms, packets, bytes. None: not asked."""

    segments: int | None = None
    payload_bytes: int | None = None
    retransmissions: int | None = 0
    fast: int | None = 0
    timeouts: int | None = 0
    tail_probes: int | None = 0
    spurious: int | None = None
    rtt_ms: float | None = None
    rtt_off_ms: float = 0.2
    more: dict = field(default_factory=dict)  # of columns
    remark: str | None = None  # words in a remark of the flow
    note: str | None = None  # words on standard error
    flows: int = 1  # TCP or UDP flows, without tunnels
    transport: str = "tcp"


@dataclass
class Way:
    """How a transfer goes."""

    segments: int = 200
    mss: int = 1000
    rtt_ms: float = 40
    every_ms: float = 2
    at: float = 0.0  # where it is seen, from the sender (0) to the receiver (1)
    lost: tuple = ()  # numbers of segments whose first transmission is lost behind the capture
    stamps: bool = True
    tick_ms: float = 1
    sack: bool = True
    six: bool = False
    ids: str = "counted"  # identification of IP: counted, random, zero
    port: int = 50000
    start_ms: float = 0
    seed: int = 1
    per_ack: int = 1
    fin: bool = False


class Transfer:
    """A download from port 443: the client opens, the server sends."""

    def __init__(self, way=None, **changed):
        """Run it. Args: changed: fields of Way."""
        self.way = Way(**changed) if way is None else way
        self.random = random.Random(self.way.seed)
        self.client, self.server = ("2001:db8::2", "2001:db8::1") if self.way.six else ("10.0.0.2", "10.0.0.1")
        self.isn, self.peer_isn = 0xFFFFFF00, 5000
        self.seen = []
        self.ids = [self.random.randrange(1, 60000) for _ in range(2)]
        self.truth = Truth(rtt_ms=self.way.rtt_ms)
        self._open()
        self._send()
        self.seen.sort(key=lambda one: one.t_ns)

    def _ip(self, down):
        if self.way.six or self.way.ids == "zero":
            return {"ip_id": 0}
        if self.way.ids == "random":
            return {"ip_id": self.random.randrange(1, 65536)}
        self.ids[down] += 1
        return {"ip_id": self.ids[down] % 65536}

    def _stamp(self, ms, echo):
        tick = self.way.tick_ms
        return (round(1000 + ms // tick), round(echo)) if self.way.stamps else None

    def add(self, ms, down, seq, ack, flags, opts=b"", payload=0, window=60000):
        """A packet that leaves its end at a time; it is seen on its way."""
        to_capture_ms = (self.way.at if down else 1 - self.way.at) * self.way.rtt_ms / 2
        ends = (self.server, 443, self.client, self.way.port)
        src = ends if down else ends[2:] + ends[:2]
        own, other = (self.isn, self.peer_isn) if down else (self.peer_isn, self.isn)
        packet = tcp(*src, own + seq, other + ack if flags & ACK else 0, flags, opts, bytes([seq % 251]) * payload,
                     window, **self._ip(down))
        self.seen.append(Seen(round((ms + to_capture_ms) * MS), down, packet))

    def _open(self):
        way, t = self.way, self.way.start_ms
        told = {"mss": way.mss, "sack_ok": way.sack, "scale": 7}
        self.add(t, False, 0, 0, SYN, options(**told, stamp=self._stamp(t, 0)))
        t += way.rtt_ms / 2
        self.add(t, True, 0, 1, SYN | ACK, options(**told, stamp=self._stamp(t, 1000)))
        t += way.rtt_ms / 2
        self.add(t, False, 1, 1, ACK, options(stamp=self._stamp(t, 1000)))
        self.start_ms = t + way.rtt_ms / 2

    def _data(self, ms, number, size=None):
        way = self.way
        self.add(ms, True, 1 + number * way.mss, 1, ACK | PSH, options(stamp=self._stamp(ms, 1000)),
                 way.mss if size is None else size)

    def _ack(self, ms, number, blocks=(), window=60000):
        way = self.way
        pairs = [tuple((self.isn + 1 + n * way.mss) % 2**32 for n in block) for block in blocks]
        self.add(ms, False, 1, 1 + number * way.mss, ACK, options(
            stamp=self._stamp(ms, 1000 + self.start_ms // way.tick_ms), sacks=pairs if way.sack else ()), 0, window)

    def _send(self):
        """Segments at even times; each loss is repaired by what duplicate ACKs, a probe or the timer make of it."""
        way, half = self.way, self.way.rtt_ms / 2
        sent = {n: self.start_ms + n * way.every_ms for n in range(way.segments)}
        came = {n: ms + half for n, ms in sent.items() if n not in way.lost}
        again = {n: self._repair(n, sent) for n in sorted(way.lost)}
        for number, ms in sent.items():
            self._data(ms, number)
        for number, (ms, kind) in again.items():
            self._data(ms, number)
            setattr(self.truth, kind, getattr(self.truth, kind) + 1)
            self.truth.retransmissions += 1
            came[number] = ms + half
        have, reach, last = set(), 0, None
        order = sorted(came, key=lambda n: (came[n], n))
        for place, number in enumerate(order):
            have.add(number)
            last = number
            before = reach
            while reach in have:
                reach += 1
            if reach > before and way.per_ack > 1 and reach % way.per_ack and place < len(order) - 1:
                continue
            self._ack(came[number], reach, self._blocks(have, reach, last))
        self.truth.segments = way.segments + len(way.lost)
        self.truth.payload_bytes = self.truth.segments * way.mss
        if way.fin:
            self.add(max(came.values()) + 1, True, 1 + way.segments * way.mss, 1, FIN | ACK)

    @staticmethod
    def _blocks(have, reach, last):
        beyond = sorted(n for n in have if n > reach)
        runs = []
        for n in beyond:
            if runs and runs[-1][1] == n:
                runs[-1][1] = n + 1
            else:
                runs.append([n, n + 1])
        runs.sort(key=lambda run: not run[0] <= last < run[1])
        return [tuple(run) for run in runs[:3]]

    def _repair(self, number, sent):
        """When a lost segment is sent again, and why."""
        way = self.way
        behind = [n for n in sent if n > number and n not in way.lost]
        if len(behind) >= 3:
            return sent[behind[2]] + way.rtt_ms, "fast"
        if way.sack and not behind:
            return sent[number] + 2 * way.rtt_ms + 2, "tail_probes"
        return sent[max(sent)] + way.rtt_ms + 250, "timeouts"


def closed_window(probes=4, byte_taken=False):
    """The receiver closes its window; the sender asks with a byte until it is open, as BSD and Windows do."""
    made = Transfer(segments=50)
    t = max(one.t_ns for one in made.seen) / MS
    half = made.way.rtt_ms / 2
    made._ack(t + 5, 50, window=0)
    wait = 300
    for _ in range(probes):
        t += wait
        wait *= 2
        made._data(t, 50, 1)
        made._ack(t + half, 50, window=0)
    t += 500
    made._ack(t, 50)
    for number in range(50, 60):
        t += 2
        made._data(t + half, number)
        made._ack(t + 2 * half, number + 1)
    made.seen.sort(key=lambda one: one.t_ns)
    made.truth.segments, made.truth.payload_bytes = 60, None
    made.truth.more = {"window_probes": probes}
    made.truth.remark = "probes of one byte into a closed window"
    return made
