# SPDX-License-Identifier: GPL-2.0-or-later
"""What RLC AM of the UTRAN promises: SDUs arrive intact, once, in order, or go with a PDU sent MaxDAT times.

The model is the list of SDUs pushed, the SDUs of every PDU as it was new, and how often each was sent. Data PDUs may
be lost, come twice or overtake others; control PDUs may be lost or late, in order.
"""

import re
import shutil
import struct
import subprocess
from dataclasses import dataclass, field
from random import Random

import pytest
from coreffi import NEVER
from examples import examples
from hypothesis import event, given
from hypothesis import strategies as st
from rlcffi import Entities, ffi, lib, payload

SLOTS = 4096
EBADMSG = -74
WINDOW_MAX = 2047
STATUS_MIN = 6  # a STATUS PDU that names one missing PDU

fast = examples(200)
ARRIVE, LOSE, WAIT, TWICE = range(4)


class Utran(Entities):
    """A transmitter and the receiver of its peer; @start: the first SN."""

    def __init__(self, cfg: dict, start: int = 0):
        super().__init__(2 * cfg["window"] + 2)
        self.cfg = cfg
        self.sent = ffi.new("struct rlc_pdu *[]", SLOTS)
        self.window = ffi.new("struct rlc_pdu *[]", SLOTS)
        self.tx, self.rx = ffi.new("struct rlc_utran_tx *"), ffi.new("struct rlc_utran_rx *")
        c = ffi.new("struct rlc_utran_cfg *", cfg | {"queue_limit": 1000})
        lib.rlc_utran_tx_init(self.tx, c, self.sent, self.pool)
        lib.rlc_utran_rx_init(self.rx, c, self.window, self.sent, self.pool)
        self._status = ffi.new("struct rlc_utran_status *")
        self.tx.vt_a = self.tx.vt_s = self.rx.vr_r = self.rx.vr_h = start
        self.tx.poll_sn = (start - 1) % SLOTS
        self.times: list[int] = []  # transmissions of each PDU
        self.inside: list[list[int]] = []  # SDUs with a byte in it
        self.index: dict[int, int] = {}  # PDU by SN
        self.acceptable: set[int] = set()  # SDUs that a PDU sent MaxDAT times may have taken along

    def transmit(self, now_ns: int) -> bytes:
        built = lib.rlc_utran_tx_build(self.tx, now_ns, self._buf, self.elements)
        assert built.size in (0, self.cfg["pdu_size"])
        if built.size == 0:
            return b""
        if built.retx:
            self.times[self.index[built.sn]] += 1
        else:
            self.index[built.sn] = len(self.times)
            self.times.append(1)
            self.inside.append([self.elements.element[i].pkt for i in range(self.elements.n)])
            self._wipe_sent()
        times = self.times[self.index[built.sn]]
        assert built.vt_dat == min(times, 255)
        assert self.cfg["max_dat"] == 0 or times <= self.cfg["max_dat"]
        return bytes(ffi.buffer(self._buf, built.size))

    def mrw(self, now_ns: int) -> bytes:
        return bytes(ffi.buffer(self._buf, lib.rlc_utran_tx_mrw_build(self.tx, 40, now_ns, self._buf)))

    def status(self, room: int, now_ns: int) -> bytes:
        n = lib.rlc_utran_rx_status_build(self.rx, room, now_ns, self._buf, self._status)
        assert n <= room
        return bytes(ffi.buffer(self._buf, n))

    def receive(self, pdu: bytes):
        assert lib.rlc_utran_rx_receive(self.rx, pdu, len(pdu), self.out) >= 0
        self._take()

    def receive_mrw(self, pdu: bytes):
        assert lib.rlc_utran_status_unpack(self._status, pdu, len(pdu)) == 0
        lib.rlc_utran_rx_status(self.rx, self._status, self.out)
        self._take()

    def receive_status(self, pdu: bytes):
        assert lib.rlc_utran_status_unpack(self._status, pdu, len(pdu)) == 0
        with self.watch():
            assert lib.rlc_utran_tx_status(self.tx, self._status, self.out) in (0, EBADMSG)
        self._take()

    def watch(self):
        return Watch(self)

    @property
    def next_expiry(self) -> int:
        return min(self.tx.poll_expiry_ns, self.tx.mrw_expiry_ns, self.rx.prohibit_expiry_ns)

    def expire(self, now_ns: int):
        with self.watch():
            if self.tx.poll_expiry_ns <= now_ns:
                lib.rlc_utran_tx_poll_expire(self.tx)
            if self.tx.mrw_expiry_ns <= now_ns:
                lib.rlc_utran_tx_mrw_expire(self.tx)
        if self.rx.prohibit_expiry_ns <= now_ns:
            self.rx.prohibit_expiry_ns = NEVER

    @property
    def waits(self) -> bool:
        """Something can be sent at once."""
        return bool(lib.rlc_utran_tx_pdus(self.tx) or self.tx.mrw_due or self.rx.mrw_ack_due
                    or (self.rx.status_due and self.rx.prohibit_expiry_ns == NEVER))  # fmt: skip


class Watch:
    """A discard that starts here has a PDU sent MaxDAT times for a reason; SDUs up to it may go."""

    def __init__(self, utran):
        self.utran = utran

    def __enter__(self):
        self.before = self.utran.tx.mrw_active, self.utran.tx.sn_mrw

    def __exit__(self, *_):
        utran, tx = self.utran, self.utran.tx
        if not tx.mrw_active or self.before == (True, tx.sn_mrw):
            return
        waiting = [(tx.vt_a + i) % SLOTS for i in range((tx.vt_s - tx.vt_a) % SLOTS)]
        used_up = [
            utran.index[sn]
            for sn in waiting
            if sn in utran.index and not utran.sent[sn].acked and utran.times[utran.index[sn]] == utran.cfg["max_dat"]
        ]
        assert used_up
        for inside in utran.inside[: max(used_up) + 1]:
            utran.acceptable.update(inside)


@dataclass
class Link:
    """Two ends and what is in flight between them."""

    utran: Utran
    now_ns: int = 0
    data: list = field(default_factory=list)
    forth: list = field(default_factory=list)  # MRW
    back: list = field(default_factory=list)  # STATUS
    sizes: list = field(default_factory=list)

    def push(self, length):
        self.utran.push(length)
        self.sizes.append(length)

    def grant(self, n):
        if pdu := self.utran.mrw(self.now_ns):
            self.forth.append(pdu)
        for _ in range(n):
            if not (pdu := self.utran.transmit(self.now_ns)):
                break
            self.data.append(pdu)

    def report(self, room):
        if pdu := self.utran.status(room, self.now_ns):
            self.back.append(pdu)

    def arrive(self, fates):
        fates = [fates[i % len(fates)] for i in range(len(self.data))]
        there, self.data = list(zip(self.data, fates, strict=True)), []
        for pdu, fate in there:
            if fate == WAIT:
                self.data.append(pdu)
            for _ in range({ARRIVE: 1, TWICE: 2}.get(fate, 0)):
                self.utran.receive(pdu)

    def control(self, fates, back_fates):
        self._in_order(self.forth, fates, self.utran.receive_mrw)
        self._in_order(self.back, back_fates, self.utran.receive_status)

    @staticmethod
    def _in_order(queue, fates, receive):
        for fate in fates:
            if fate == WAIT or not queue:
                break
            pdu = queue.pop(0)
            for _ in range({ARRIVE: 1, TWICE: 2}.get(fate, 0)):
                receive(pdu)

    def tick(self, ns):
        until = self.now_ns + ns
        while self.utran.next_expiry <= until:
            self.now_ns = self.utran.next_expiry
            self.utran.expire(self.now_ns)
        self.now_ns = until

    def do(self, action):
        getattr(self, action[0])(*action[1:])
        self.check()

    def check(self):
        utran, tx, rx = self.utran, self.utran.tx, self.utran.rx

        def ahead(sn):
            return (sn - tx.vt_a) % SLOTS

        assert ahead(rx.vr_r) <= ahead(rx.vr_h) <= ahead(tx.vt_s) <= utran.cfg["window"] + 1
        numbers = [number for number, _ in utran.delivered]
        assert numbers == sorted(set(numbers))
        for number, data in utran.delivered[-20:]:
            assert data == payload(number, self.sizes[number])
        assert len(set(utran.discarded)) == len(utran.discarded)
        assert not set(numbers) & set(utran.discarded)
        assert set(utran.discarded) <= utran.acceptable

    def drain(self, n, room):
        """Losses are over. Return: rounds until nothing is left to do."""
        for rounds in range(20000):
            self.grant(n)
            self.arrive([ARRIVE])
            self.report(room)
            self.control([ARRIVE] * 3, [ARRIVE] * 3)
            self.check()
            if not self.utran.waits and not (self.data or self.forth or self.back):
                if self.utran.next_expiry == NEVER:
                    return rounds
                self.tick(max(self.utran.next_expiry - self.now_ns, 0))
        raise AssertionError("it never ends")


lengths = st.sampled_from([1, 2, 3, 5, 37, 38, 39, 300]) | st.integers(1, 300)
some = st.sampled_from([ARRIVE, ARRIVE, ARRIVE, LOSE, LOSE, WAIT, TWICE])
fates = st.lists(some, min_size=1, max_size=6)
spaces = st.sampled_from([0, 2, 3, 4, 5, 8, 40, 40, 40])
ticks = st.sampled_from([0, 0, 1, 5, 10, 35, 50])
# SDUs, then a TTI: PDUs, their fates, room for a STATUS PDU, fates of control PDUs, time
cycles = st.tuples(st.lists(lengths, max_size=3), st.integers(0, 8), fates, spaces, fates, fates, ticks)


def actions(cycle):
    pushes, n, fates, room, forth, back, ns = cycle
    yield from (("push", length) for length in pushes)
    yield from (("grant", n), ("arrive", fates), ("report", room), ("control", forth, back), ("tick", ns))


@st.composite
def links(draw):
    """A bearer after something happened to it."""
    cfg = {
        "pdu_size": draw(st.sampled_from([5, 6, 7, 10, 40, 40, 40, 126])),
        "window": draw(st.sampled_from([1, 2, 3, 8, 64, 64, WINDOW_MAX])),
        "max_dat": draw(st.sampled_from([0, 1, 2, 3, 6])),
        "poll_pdu": draw(st.sampled_from([0, 1, 4, 16])),
        "poll_window": draw(st.sampled_from([1, 50, 100])),
        "timer_poll_ns": draw(st.sampled_from([5, 45])),
        "timer_mrw_ns": draw(st.sampled_from([3, 60])),
        "timer_status_prohibit_ns": draw(st.sampled_from([0, 10])),
    }
    link = Link(Utran(cfg, draw(st.sampled_from([0, 0, 2040, 4080, 4095]))))
    for length in draw(st.lists(lengths, min_size=1, max_size=12)):
        link.push(length)
    for cycle in draw(st.lists(cycles, min_size=4, max_size=25)):
        for action in actions(cycle):
            link.do(action)
    return link


@fast
@given(links(), st.sampled_from([1, 5, 100]), st.sampled_from([STATUS_MIN, 8, 40]))
def test_everything_ends(link, n, room):
    """Once losses stop, in bounded time: each SDU was delivered or discarded, and every PDU is free."""
    utran, start_ns = link.utran, link.now_ns
    rounds = link.drain(n, room)
    assert rounds <= 60 + 8 * sum(link.sizes)
    assert link.now_ns - start_ns <= 1000 * (60 + sum(link.sizes))
    numbers = [number for number, _ in utran.delivered]
    assert sorted(numbers + utran.discarded) == list(range(len(link.sizes)))
    assert utran.delivered == [(i, payload(i, link.sizes[i])) for i in numbers]
    if utran.cfg["max_dat"] == 0:
        assert not utran.discarded
    assert utran.tx.vt_a == utran.tx.vt_s == utran.rx.vr_r == utran.rx.vr_h
    assert utran.pool_is_full
    assert not utran.tx.queue.sdus.head and utran.tx.queue.bytes == 0 and utran.tx.n_retx == 0
    event(f"{'some' if utran.discarded else 'none'} discarded")


@fast
@given(st.lists(lengths, min_size=1, max_size=30), st.sampled_from([5, 6, 40, 126]), st.sampled_from([1, 3, 64]))
def test_nothing_is_lost(sizes, pdu_size, window):
    """Without losses every PDU is sent once, even with MaxDAT = 1."""
    link = Link(Utran({"pdu_size": pdu_size, "window": window, "max_dat": 1, "poll_pdu": 0, "poll_window": 100,
                      "timer_poll_ns": 50, "timer_mrw_ns": 50}))  # fmt: skip
    for length in sizes:
        link.push(length)
    link.drain(5, 40)
    assert [number for number, _ in link.utran.delivered] == list(range(len(sizes)))
    assert set(link.utran.times) == {1}


class Recorder(Utran):
    """Keeps every PDU that was built."""

    def __init__(self, *args):
        super().__init__(*args)
        self.pdus: list[bytes] = []

    def transmit(self, now_ns: int) -> bytes:
        return self._keep(super().transmit(now_ns))

    def mrw(self, now_ns: int) -> bytes:
        return self._keep(super().mrw(now_ns))

    def status(self, room: int, now_ns: int) -> bytes:
        return self._keep(super().status(room, now_ns))

    def _keep(self, pdu: bytes) -> bytes:
        self.pdus += [pdu] if pdu else []
        return pdu


def exported(number: int, pdu: bytes) -> bytes:
    """A packet of LINKTYPE_WIRESHARK_UPPER_PDU: AM, downlink, a UE of its own, indicators of 7 bits."""
    name = b"rlc_udp\0"
    context = b"umts-rlc" + bytes([3, 2, 4, 1, 5]) + number.to_bytes(4, "big") + bytes([6, 5, 7, 1, 1])
    data = struct.pack(">HH", 13, len(name)) + name + bytes(4) + context + pdu
    return struct.pack("<IIII", number, 0, len(data), len(data)) + data


FIELDS = ["rlc.seq", "rlc.p", "rlc.li.value", "rlc.sufi.type", "rlc.sufi.len", "rlc.sufi.sn", "rlc.sufi.l",
          "rlc.sufi.fsn", "rlc.bitmap_string", "rlc.sufi.lsn", "rlc.sufi.sn_mrw", "rlc.sufi.n",
          "rlc.sufi.sn_ack"]  # fmt: skip


def read_data(pdu: bytes) -> dict:
    amd, header = ffi.new("struct rlc_utran_amd *"), ffi.new("size_t *")
    assert lib.rlc_utran_amd_unpack(amd, header, pdu, len(pdu)) == 0
    indicators = [amd.cut[i] for i in range(amd.n_cuts)]
    if header[0] > 2 + len(indicators):
        indicators.append(127)
    return {"rlc.seq": [amd.sn], "rlc.p": [int(amd.poll)], "rlc.li.value": indicators}


def read_control(pdu: bytes) -> dict:
    status = ffi.new("struct rlc_utran_status *")
    assert lib.rlc_utran_status_unpack(status, pdu, len(pdu)) == 0
    read = {name: [] for name in FIELDS}
    sufis = [status.sufi[i] for i in range(status.n)]
    for s in sufis:
        read["rlc.sufi.type"].append(s.type)
        if s.type == lib.RLC_UTRAN_SUFI_ACK:
            read["rlc.sufi.lsn"].append(s.sn[0])
        elif s.type == lib.RLC_UTRAN_SUFI_LIST:
            read["rlc.sufi.len"].append(s.n)
            read["rlc.sufi.sn"] += list(s.sn)[: s.n]
            read["rlc.sufi.l"] += list(s.l)[: s.n]
        elif s.type == lib.RLC_UTRAN_SUFI_BITMAP:
            read["rlc.sufi.len"].append(s.n - 1)
            read["rlc.sufi.fsn"].append(s.sn[0])
            bits = "".join(f"{octet:08b}" for octet in list(s.bitmap)[: s.n])
            read["rlc.bitmap_string"] += [(s.sn[0] + i) % SLOTS for i, bit in enumerate(bits) if bit == "1"]
        elif s.type == lib.RLC_UTRAN_SUFI_MRW:
            read["rlc.sufi.len"].append(s.n)
            read["rlc.sufi.sn_mrw"].append(s.sn[0])
            read["rlc.sufi.n"].append(s.n_li)
        else:
            read["rlc.sufi.n"].append(s.n_li)
            read["rlc.sufi.sn_ack"].append(s.sn[0])
    if sufis[-1].type != lib.RLC_UTRAN_SUFI_ACK:
        read["rlc.sufi.type"].append(lib.RLC_UTRAN_SUFI_NO_MORE)
    return read


def number(text):
    """A field as tshark prints it: flags are 0 and 1 in Wireshark 4.0, and True and False from 4.4 on."""
    return {"True": 1, "False": 0}[text] if text in ("True", "False") else int(text, 0)


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_wireshark_reads_the_same(tmp_path):
    """The PDUs of a bearer with losses and discards, as the RLC dissector reads them."""
    random = Random(1)
    utran = Recorder({"pdu_size": 40, "window": 64, "max_dat": 3, "poll_pdu": 8, "poll_window": 50,
                     "timer_poll_ns": 30, "timer_mrw_ns": 30})  # fmt: skip
    link = Link(utran)
    for _ in range(60):
        link.push(random.choice([1, 5, 20, 37, 38, 76, 300]))
        link.grant(random.choice([2, 8, 60]))
        link.arrive(random.choices([ARRIVE, LOSE], k=len(link.data) or 1))
        link.report(random.choice([8, 40, 40]))
        link.control([ARRIVE], [ARRIVE])
        link.tick(10)
    link.drain(5, 40)
    read = [read_data(pdu) if pdu[0] & 0x80 else read_control(pdu) for pdu in utran.pdus]
    kinds = {kind for r in read for kind in r.get("rlc.sufi.type", [])}
    assert kinds == {0, 2, 3, 4, 6, 7}
    assert {0, 127} <= {li for r in read for li in r["rlc.li.value"]}
    capture = tmp_path / "utran.pcap"
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 252)
    capture.write_bytes(header + b"".join(exported(i, pdu) for i, pdu in enumerate(utran.pdus)))
    args = ["tshark", "-r", capture, "--enable-heuristic", "rlc_udp", "-T", "fields", "-e", "_ws.expert.message"]
    for name in FIELDS:
        args += ["-e", name]
    out = subprocess.run(args, capture_output=True, text=True, check=True).stdout
    lines = [line.split("\t") for line in out.splitlines()]
    assert len(lines) == len(read)
    for (message, *cells), expected in zip(lines, read, strict=True):
        assert message == ""
        for name, cell in zip(FIELDS, cells, strict=True):
            values = [number(value) for value in re.findall(r"\w+", cell)]
            assert values == expected.get(name, []), name


@pytest.mark.parametrize(("bler", "max_dat", "n"), [(0.4, 2, 4), (0.4, 3, 4), (0.15, 2, 14), (0.3, 1, 2)])
def test_share_of_sdus(bler, max_dat, n):
    """One SDU of N PDUs at a time: the share delivered is (1 - BLER^maxDAT)^N.

    Source: DeMey equations 2 and 3
    """
    random, sdus = Random(7), 3000
    link = Link(Utran({"pdu_size": 40, "window": 64, "max_dat": max_dat, "poll_pdu": 0, "poll_window": 100,
                      "timer_poll_ns": 5, "timer_mrw_ns": 5}))  # fmt: skip
    utran = link.utran
    for _ in range(sdus):
        link.push(38 * n - 10)
        while utran.waits or utran.next_expiry != NEVER:
            link.grant(64)
            link.arrive([LOSE if random.random() < bler else ARRIVE for _ in link.data] or [ARRIVE])
            link.report(40)
            link.control([ARRIVE], [ARRIVE])
            link.tick(1)
    p = (1 - bler**max_dat) ** n
    assert len(utran.delivered) + len(utran.discarded) == sdus
    assert abs(len(utran.delivered) / sdus - p) < 3 * (p * (1 - p) / sdus) ** 0.5
    assert set(utran.times) <= set(range(1, max_dat + 1))


@fast
@given(st.sampled_from([5, 8, 40, 126]), st.lists(st.integers(1, 200), min_size=1, max_size=12),
       st.integers(0, 12), st.sets(st.integers(0, 11)), st.integers(1, 60), st.integers(1, 40))  # fmt: skip
def test_padding_is_where_the_transmitter_saw_it_coming(size, lengths, sent, missing, need, most):
    """Of new PDUs and of those that are sent again, the first one whose padding takes `need` octets."""
    cfg = {"pdu_size": size, "window": 30, "max_dat": 0, "poll_pdu": 0, "poll_window": 99, "timer_poll_ns": 10**9,
           "timer_mrw_ns": 10**9, "timer_status_prohibit_ns": 0}  # fmt: skip
    utran = Utran(cfg)
    for length in lengths:
        utran.push(length)
    arrived = [pdu for i in range(sent) if (pdu := utran.transmit(0)) and i not in missing]
    for pdu in arrived:
        utran.receive(pdu)
    utran.rx.status_due = True
    utran.receive_status(utran.status(126, 0))
    seen = lib.rlc_utran_tx_room_ahead(utran.tx, need, most)
    pdus = []
    while len(pdus) < most and (pdu := utran.transmit(0)):
        pdus.append(ffi.from_buffer(bytearray(pdu)))
    room = [i + 1 for i, pdu in enumerate(pdus) if lib.rlc_utran_amd_piggyback(pdu, size, need)]
    assert seen == (room[0] if room else 0)
