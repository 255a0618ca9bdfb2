# SPDX-License-Identifier: GPL-2.0-or-later
"""PDCP of NR beside a model that has every COUNT in a set: what goes up, when, and what a status report says.

Source: TS 38.323 5.2.2, 5.4.1
"""

from dataclasses import dataclass, field

import cffi
from coreffi import BUILD, NEVER, PUBLIC, declarations
from examples import examples
from hypothesis import event, given
from hypothesis import strategies as st

T_REORDERING = 50

ffi = cffi.FFI()
ffi.cdef(declarations(*PUBLIC, "base/bits", "base/pkt", "pdcp/nr/pdcp"))
lib = ffi.dlopen(str(BUILD / "emulator/core/libcellcore-test.so"))


@dataclass
class Model:
    """The receiving entity in the words of the clauses, with COUNTs that never end."""

    sn_bits: int
    out_of_order: bool
    t_reordering: int
    deliv: int
    next: int = 0
    reord: int = 0
    timer: int | None = None
    stored: set = field(default_factory=set)  # COUNTs that came and are not below RX_DELIV
    up: list = field(default_factory=list)

    def __post_init__(self):
        self.next = self.deliv

    def receive(self, count: int, now: int):
        window, turn = 1 << self.sn_bits - 1, 1 << self.sn_bits
        sn = count % turn
        hfn, deliv_sn = divmod(self.deliv, turn)
        if sn < deliv_sn - window:
            hfn += 1
        elif sn >= deliv_sn + window:
            hfn -= 1
        count = hfn * turn + sn
        if count < self.deliv or count in self.stored or hfn < 0:
            return
        self.stored.add(count)
        self.next = max(self.next, count + 1)
        if self.out_of_order:
            self.up.append(count)
        if count == self.deliv:
            self.go_on()
        if self.timer is not None and self.deliv >= self.reord:
            self.timer = None
        self.start(now)

    def go_on(self):
        while self.deliv in self.stored:
            self.hand_up(self.deliv)
            self.deliv += 1

    def hand_up(self, count: int):
        self.stored.discard(count)
        if not self.out_of_order:
            self.up.append(count)

    def start(self, now: int):
        if self.timer is None and self.deliv < self.next:
            self.reord, self.timer = self.next, now + self.t_reordering

    def expire(self, now: int):
        self.timer = None
        for count in sorted(c for c in self.stored if c < self.reord):
            self.hand_up(count)
        self.deliv = self.reord
        self.go_on()
        self.start(now)

    def report(self) -> bytes:
        behind = range(self.deliv + 1, self.next)
        text = "".join("1" if count in self.stored else "0" for count in behind)
        text += "0" * (-len(text) % 8)
        bitmap = bytes(int(text[i : i + 8], 2) for i in range(0, len(text), 8))
        return bytes([0]) + (self.deliv % 2**32).to_bytes(4) + bitmap


# How far a COUNT is from RX_NEXT: mostly the next ones, at times what came before, or as far as can be told apart.
steps = st.sampled_from([0, 0, 0, 0, 1, 2, 3, 5, 40, 700, -1, -2, -3, -5, -40, -700]) | st.sampled_from(
    [2046, 2047, 2048, -2048, -2049, 4096, 131071, 131072, -131072])  # fmt: skip
arrivals = st.lists(st.tuples(steps, st.sampled_from([0, 0, 1, 20, 60])), min_size=5, max_size=120)


@examples(100)
@given(st.sampled_from([12, 18]), st.booleans(), st.sampled_from([0, T_REORDERING]),
       st.sampled_from([0, 0, 3000, (1 << 18) - 20, (1 << 20) + 5]), arrivals)  # fmt: skip
def test_as_the_model(sn_bits, out_of_order, t_reordering, start, arrivals):
    rx, tx = ffi.new("struct pdcp_nr_rx *"), ffi.new("struct pdcp_nr_tx *")
    words = ffi.new("uint64_t[]", [0xEEEEEEEEEEEEEEEE] * ((1 << sn_bits - 1) // 64))
    lib.pdcp_nr_rx_init(rx, sn_bits, out_of_order, t_reordering, words)
    rx.rx_next = rx.rx_deliv = start
    model, packets, up, discarded, now = Model(sn_bits, out_of_order, t_reordering, start), [], [], 0, 0
    out = ffi.new("struct pdcp_nr_out *")
    report = ffi.new("uint8_t[]", 20000)

    def settle():
        nonlocal discarded
        p = out.delivered.head
        while p:
            up.append(p.count)
            p = p.next
        discarded += out.discarded.n + out.duplicates.n
        ffi.buffer(out)[:] = bytes(ffi.sizeof("struct pdcp_nr_out"))
        assert up == model.up
        assert (rx.rx_deliv, rx.rx_next) == (model.deliv, model.next)
        assert (None if rx.expiry_ns == NEVER else rx.expiry_ns) == model.timer
        assert rx.n_held == len(packets) - len(up) - discarded
        assert bytes(ffi.buffer(report, lib.pdcp_nr_status_pack(rx, 20000, report))) == model.report()

    for step, ns in arrivals:
        now += ns
        while rx.expiry_ns <= now:
            at = rx.expiry_ns
            lib.pdcp_nr_expire(rx, at, out)
            model.expire(at)
            settle()
        count = model.next + step
        if count < 0:
            continue
        packets.append(ffi.new("struct pkt *", {"id": len(packets), "len": 20}))
        tx.sn_bits, tx.tx_next = sn_bits, count
        lib.pdcp_nr_accept(tx, packets[-1], 0, 0)
        lib.pdcp_nr_number(tx, packets[-1])
        assert lib.pdcp_nr_receive(rx, packets[-1], now, out) == 0
        model.receive(count, now)
        settle()
    assert len(set(up)) == len(up)
    if up != sorted(up):
        event("out of order")
        assert out_of_order
    if discarded:
        event("discarded")
