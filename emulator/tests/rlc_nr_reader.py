# SPDX-License-Identifier: GPL-2.0-or-later
"""A reader of RLC of NR, apart from the core: what TS 38.322 makes of PDUs, in Python and clause by clause.

SNs are absolute numbers here, unwrapped when a PDU is read, and bytes are a dictionary by offset: nothing of the core's
arithmetic, lists and bits. Times are those of the caller. `runs_max` is no limit of the standard but of an
implementation's memory: of how many separate runs of bytes of one SDU it can keep account.
Source: TS 38.322
"""

from dataclasses import dataclass, field

END = 0xFFFF  # SOend: to the last byte
ALL, FIRST, LAST, MIDDLE = range(4)  # SI. Source: TS 38.322 Table 6.2.3.4-1


class Malformed(ValueError):
    """A PDU that no transmitter of the standard sends."""


@dataclass
class Data:
    """An AMD or UMD PDU; `sn` is None where it has none."""

    sn: int | None
    si: int
    so: int
    data: bytes
    poll: bool = False


@dataclass
class Status:
    """A STATUS PDU: ACK_SN, and NACKs as (SN, range, SOstart, SOend), SOs None where there are none."""

    ack_sn: int
    nacks: list
    size: int

    def portions(self, sn_bits: int) -> list[tuple[int, int, int]]:
        """What is missing, SDU by SDU: SN, from, to (END: to the end)."""
        out = []
        for sn, count, start, end in self.nacks:
            for i in range(count):
                first = start if i == 0 and start is not None else 0
                last = end if i == count - 1 and end is not None else END
                out.append(((sn + i) % (1 << sn_bits), first, last if last == END else last + 1))
        return out


class Bits:
    """Reads fields from the first bit on."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def take(self, n: int) -> int:
        if self.at + n > 8 * len(self.data):
            raise Malformed(f"ends within a field of {n} bits at bit {self.at}")
        value = int.from_bytes(self.data, "big") >> 8 * len(self.data) - self.at - n & (1 << n) - 1
        self.at += n
        return value

    def rest(self) -> bytes:
        if self.at % 8 or self.at // 8 >= len(self.data):
            raise Malformed("no data")
        return self.data[self.at // 8 :]


def read_um(pdu: bytes, sn_bits: int) -> Data:
    bits = Bits(pdu)
    si = bits.take(2)
    if si == ALL:
        bits.take(6)
        return Data(None, si, 0, bits.rest())
    if sn_bits == 12:
        bits.take(2)
    sn = bits.take(sn_bits)
    return Data(sn, si, _so(bits, si), bits.rest())


def read_am(pdu: bytes, sn_bits: int) -> Data | Status:
    bits = Bits(pdu)
    if bits.take(1) == 0:
        return _status(bits, sn_bits)
    poll, si = bits.take(1), bits.take(2)
    if sn_bits == 18:
        bits.take(2)
    sn = bits.take(sn_bits)
    return Data(sn, si, _so(bits, si), bits.rest(), bool(poll))


def _so(bits: Bits, si: int) -> int:
    so = bits.take(16) if si in (LAST, MIDDLE) else 0
    if so == 0 and si in (LAST, MIDDLE):
        raise Malformed("a segment that is not the first starts at 0")
    return so


def _status(bits: Bits, sn_bits: int) -> Status:
    if bits.take(3):
        raise Malformed("control PDU of another type")
    ack_sn, more = bits.take(sn_bits), bits.take(1)
    bits.take(1 if sn_bits == 18 else 7)
    nacks = []
    while more:
        sn = bits.take(sn_bits)
        more, has_so, has_range = bits.take(1), bits.take(1), bits.take(1)
        bits.take(3 if sn_bits == 18 else 1)
        start, end = (bits.take(16), bits.take(16)) if has_so else (None, None)
        nacks.append((sn, bits.take(8) if has_range else 1, start, end))
    if bits.at != 8 * len(bits.data):
        raise Malformed("bytes behind the last NACK")
    return Status(ack_sn, nacks, len(bits.data))


def runs(offsets) -> list[list[int]]:
    """Runs of neighbouring numbers, as half-open ranges."""
    out: list[list[int]] = []
    for i in sorted(offsets):
        if out and out[-1][1] == i:
            out[-1][1] += 1
        else:
            out.append([i, i + 1])
    return out


def least_bytes(portions: list, sn_bits: int) -> int:
    """Size of the shortest STATUS PDU that names them."""
    size, runs = 3, []
    for sn, start, end in portions:
        if runs and start == 0 and runs[-1][3] == END and runs[-1][0] + runs[-1][1] == sn and runs[-1][1] < 255:
            runs[-1][1] += 1
            runs[-1][3] = end
        else:
            runs.append([sn, 1, start, end])
    for _, count, start, end in runs:
        size += (3 if sn_bits == 18 else 2) + (count > 1) + 4 * (start > 0 or end != END)
    return size


@dataclass
class Sdu:
    """What came of an SDU: bytes by offset, and its length once the last one is known."""

    got: dict = field(default_factory=dict)
    length: int | None = None

    def add(self, pdu: Data):
        self.got.update(enumerate(pdu.data, pdu.so))
        if pdu.si in (ALL, LAST):
            self.length = pdu.so + len(pdu.data)

    @property
    def complete(self) -> bool:
        return self.length is not None and len(self.got) == self.length

    @property
    def gap(self) -> bool:
        """A byte is missing before the last one that came."""
        return bool(self.got) and len(self.got) != max(self.got) + 1

    def bytes(self) -> bytes:
        return bytes(self.got[i] for i in range(self.length))

    def missing(self) -> list[tuple[int, int]]:
        end = self.length if self.length is not None else max(self.got, default=-1) + 2
        absent = runs(i for i in range(end) if i not in self.got)
        return [(first, END if stop == end else stop) for first, stop in absent]


class Receiver:
    """What both modes have: SDUs by absolute SN."""

    def __init__(self, sn_bits: int, t_reassembly: int, runs_max: int | None):
        self.sn_bits, self.turn, self.window = sn_bits, 1 << sn_bits, 1 << sn_bits - 1
        self.t_reassembly, self.timer, self.runs_max = t_reassembly, None, runs_max
        self.sdus: dict[int, Sdu] = {}
        self.delivered: list[tuple[int, bytes]] = []

    def done(self, sn: int) -> bool:
        return sn in self.sdus and self.sdus[sn].complete

    def first_not_done(self, sn: int) -> int:
        while self.done(sn):
            sn += 1
        return sn

    def gap(self, sn: int) -> bool:
        return sn in self.sdus and self.sdus[sn].gap

    def useless(self, sn: int, pdu: Data) -> bool:
        """All of it came before, or there is no account of more runs."""
        new, got = set(range(pdu.so, pdu.so + len(pdu.data))), self.sdus.get(sn, Sdu()).got.keys()
        return new <= got or (self.runs_max is not None and pdu.si != ALL and len(runs(new | got)) > self.runs_max)

    def store(self, sn: int, pdu: Data) -> Sdu:
        sdu = self.sdus.setdefault(sn, Sdu())
        sdu.add(pdu)
        if sdu.complete:
            self.delivered.append((sn, sdu.bytes()))
        return sdu


class AmReceiver(Receiver):
    """The receiving side of an AM entity. Source: TS 38.322 5.2.3.2, 5.3.4"""

    def __init__(self, sn_bits: int, t_reassembly: int, start: int = 0, runs_max: int | None = None):
        super().__init__(sn_bits, t_reassembly, runs_max)
        self.next = self.trigger = self.highest_status = self.next_highest = start
        self.polls: set[int] = set()
        self.due = False

    def receive(self, pdu: Data, now: int):
        sn = self.next + (pdu.sn - self.next) % self.turn
        if sn >= self.next + self.window or self.useless(sn, pdu):
            self.due |= pdu.poll
            return
        self.store(sn, pdu)
        self.next_highest = max(self.next_highest, sn + 1)
        if sn == self.highest_status:
            self.highest_status = self.first_not_done(sn)
        if sn == self.next:
            self.next = self.first_not_done(sn)
        if pdu.poll:
            self.polls.add(sn)
        self.answer_polls()
        if self.timer is not None and (
            self.trigger == self.next
            or (self.trigger == self.next + 1 and not self.gap(self.next))
            or not self.next <= self.trigger <= self.next + self.window
        ):
            self.timer = None
        if self.timer is None and self.waits(self.next):
            self.start(now)

    def waits(self, sn: int) -> bool:
        return self.next_highest > sn + 1 or (self.next_highest == sn + 1 and self.gap(sn))

    def start(self, now: int):
        self.timer, self.trigger = now + self.t_reassembly, self.next_highest

    def answer_polls(self):
        answered = {sn for sn in self.polls if sn < self.highest_status}
        self.due |= bool(answered)
        self.polls -= answered

    def expire(self, now: int):
        self.timer = None
        self.highest_status = self.first_not_done(self.trigger)
        self.answer_polls()
        self.due = True
        if self.waits(self.highest_status):
            self.start(now)

    def missing(self) -> list[tuple[int, int, int]]:
        """All that a STATUS PDU has to name, by absolute SN."""
        return [
            (sn, *portion)
            for sn in range(self.next, self.highest_status)
            if not self.done(sn)
            for portion in self.sdus.get(sn, Sdu()).missing()
        ]

    def check_status(self, status: Status, room: int):
        """It names what is missing from RX_Next on, as much as there was room for, and its ACK_SN fits that."""
        missing = self.missing()
        named = [
            (self.next + (sn - self.next) % self.turn, start, end) for sn, start, end in status.portions(self.sn_bits)
        ]
        assert named == missing[: len(named)]
        ack_sn = self.next + (status.ack_sn - self.next) % self.turn
        unnamed = [sn for sn, _, _ in missing[len(named) :] if sn not in {sn for sn, _, _ in named}]
        assert ack_sn == (unnamed[0] if unnamed else self.highest_status)
        assert status.size == least_bytes(named, self.sn_bits) <= room
        if len(named) < len(missing):
            assert least_bytes(missing[: len(named) + 1], self.sn_bits) > room
        self.due = False


class UmReceiver(Receiver):
    """A receiving UM entity. Source: TS 38.322 5.2.2.2"""

    def __init__(self, sn_bits: int, t_reassembly: int, start: int = 0, runs_max: int | None = None):
        super().__init__(sn_bits, t_reassembly, runs_max)
        self.reassembly = self.trigger = self.highest = start
        self.whole: list[bytes] = []  # SDUs that needed no SN

    def receive(self, pdu: Data, now: int):
        if pdu.sn is None:
            self.whole.append(pdu.data)
            return
        lower = self.highest - self.window
        sn = lower + (pdu.sn - lower) % self.turn
        if sn < self.reassembly or self.useless(sn, pdu):
            return
        complete = self.store(sn, pdu).complete
        if complete:
            if sn == self.reassembly:
                self.reassembly = self.first_not_done(sn)
        elif sn >= self.highest:
            self.highest = sn + 1
            lower = self.highest - self.window
            if self.reassembly < lower:
                self.give_up(self.first_not_done(lower))
        if self.timer is not None and (
            self.trigger <= self.reassembly
            or not lower <= self.trigger <= self.highest
            or (self.highest == self.reassembly + 1 and not self.gap(self.reassembly))
        ):
            self.timer = None
        self.start_if_waiting(now)

    def give_up(self, sn: int):
        self.reassembly = sn
        self.sdus = {k: sdu for k, sdu in self.sdus.items() if k >= sn or sdu.complete}

    def start_if_waiting(self, now: int):
        ahead = self.highest - self.reassembly
        if self.timer is None and (ahead > 1 or (ahead == 1 and self.gap(self.reassembly))):
            self.timer, self.trigger = now + self.t_reassembly, self.highest

    def expire(self, now: int):
        self.timer = None
        self.give_up(self.first_not_done(self.trigger))
        self.start_if_waiting(now)


class AmTransmitter:
    """The transmitting side of an AM entity, which sees all PDUs it sends and hears. Source: TS 38.322 5.2.3.1, 5.3"""

    def __init__(self, sn_bits: int, poll_pdu: int, poll_byte: int, t_poll_retransmit: int, start: int = 0,
                 runs_max: int | None = None):  # fmt: skip
        self.runs_max = runs_max
        self.sn_bits, self.turn, self.window = sn_bits, 1 << sn_bits, 1 << sn_bits - 1
        self.poll_pdu, self.poll_byte, self.t_poll_retransmit = poll_pdu, poll_byte, t_poll_retransmit
        self.next = self.next_ack = start
        self.start = start
        self.sdus: list[bytes] = []  # in order of SN, from `start` on
        self.pushed = self.first_sent = 0  # bytes
        self.sent: dict[int, int] = {}  # bytes sent at least once, of SDUs not acknowledged
        self.pending: dict[int, set] = {}  # bytes to be sent again
        self.retx_count: dict[int, int] = {}
        self.pdus = self.bytes = 0  # PDU_WITHOUT_POLL, BYTE_WITHOUT_POLL
        self.poll_sn, self.timer, self.poll_due = None, None, False

    def push(self, sdu: bytes):
        self.sdus.append(sdu)
        self.pushed += len(sdu)

    def sdu(self, sn: int) -> bytes:
        return self.sdus[sn - self.start]

    @property
    def unsent(self) -> int:
        """Bytes that were not sent yet."""
        return self.pushed - self.first_sent

    @property
    def rest(self) -> int:
        """Bytes of an SDU that was begun."""
        sn = self.next - 1
        return len(self.sdu(sn)) - self.sent[sn] if sn in self.sent else 0

    @property
    def stalled(self) -> bool:
        return not self.rest and self.next >= self.next_ack + self.window

    @property
    def nothing_new(self) -> bool:
        return (not self.pending and not self.unsent) or self.stalled

    def send(self, pdu: Data, now: int):
        """Check a PDU that was sent."""
        sn = self.next_ack + (pdu.sn - self.next_ack) % self.turn
        assert sn < self.next_ack + self.window
        new = sn == self.next or (sn == self.next - 1 and self.rest > 0 and pdu.so == self.sent[sn])
        end = pdu.so + len(pdu.data)
        again = self.pending.get(sn, set())
        if self.pending:
            assert sn == min(self.pending)  # before anything new, and the oldest first
            assert set(range(pdu.so, end)) <= again
            again -= set(range(pdu.so, end))
            if not again:
                del self.pending[sn]
        else:
            assert new
            assert pdu.so == self.sent.get(sn, 0)
            self.next = max(self.next, sn + 1)
            self.sent[sn] = end
            self.pdus += 1
            self.bytes += len(pdu.data)
            self.first_sent += len(pdu.data)
        sdu = self.sdu(sn)
        assert pdu.data == sdu[pdu.so : end]
        assert pdu.si == {(True, True): ALL, (True, False): FIRST, (False, True): LAST, (False, False): MIDDLE}[
            pdu.so == 0, end == len(sdu)]  # fmt: skip
        due = self.poll_due or self.pdus >= self.poll_pdu or self.bytes >= self.poll_byte or self.nothing_new
        assert pdu.poll == due
        if due:
            self.pdus = self.bytes = 0
            self.poll_due = False
            self.poll_sn, self.timer = self.next - 1, now + self.t_poll_retransmit

    def hear(self, status: Status):
        """A STATUS PDU arrived."""
        ack_sn = self.next_ack + (status.ack_sn - self.next_ack) % self.turn
        if ack_sn > self.next:
            return  # an old one
        if self.poll_sn is not None and self.next_ack <= self.poll_sn < ack_sn:
            self.timer = None
        named = {}
        for sn, start, end in status.portions(self.sn_bits):
            absolute = self.next_ack + (sn - self.next_ack) % self.turn
            named.setdefault(absolute, set()).update(range(start, min(end, self.sent.get(absolute, 0))))
        for sn in [sn for sn in self.sent if sn < ack_sn and sn not in named]:
            if self.sent[sn] == len(self.sdu(sn)):
                del self.sent[sn]
                self.pending.pop(sn, None)
                self.retx_count.pop(sn, None)
        for sn, todo in named.items():
            if sn in self.sent:
                self.consider(sn, todo)
        self.next_ack = min(self.sent, default=self.next)

    def consider(self, sn: int, todo: set):
        pending = self.pending.get(sn, set())
        if not todo <= pending:
            self.pending[sn] = pending
            self.retx_count[sn] = self.retx_count.get(sn, -1) + 1
            pending |= todo
            if self.runs_max is not None and len(runs(pending)) > self.runs_max:
                pending |= set(range(self.sent[sn]))

    def expire(self):
        """t-PollRetransmit."""
        self.timer = None
        if not self.sent:
            return
        if self.nothing_new:
            last = max(self.sent)
            self.consider(last, set(range(self.sent[last])))
        self.poll_due = True
