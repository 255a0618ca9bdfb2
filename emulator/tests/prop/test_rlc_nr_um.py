# SPDX-License-Identifier: GPL-2.0-or-later
"""What NR's RLC UM promises: an SDU arrives at most once and intact, and does if none of its PDUs was lost or too late.

And variables and the timer are what another reading of TS 38.322 says (`rlc_nr_reader`). PDUs are neither late by a
window nor is a window of them lost at a time: UM cannot know then which turn of SNs a PDU is of.
"""

from dataclasses import dataclass, field

from coreffi import NEVER
from examples import examples
from hypothesis import event, given
from hypothesis import strategies as st
from rlcffi import payload
from rlcnrffi import Um, ffi

ARRIVE, LOSE, WAIT, TWICE = range(4)
SPAN = 12  # PDUs between the oldest in flight and the newest; the window of 6 bits has 32 SDUs

fast = examples(100)


@dataclass
class Link:
    """A bearer, and its PDUs in flight with the packets that end in them and the numbers of those they are of."""

    um: Um
    now_ns: int = 0
    flight: list = field(default_factory=list)
    sizes: list = field(default_factory=list)
    harmed: set = field(default_factory=set)
    given_up: list = field(default_factory=list)  # packets whose last PDU was lost
    lost_in_a_row: int = 0

    def push(self, length):
        self.um.push(length)
        self.sizes.append(length)

    def grant(self, room):
        while True:
            pdu, ends, number = self.um.transmit(room)
            if not pdu:
                return
            self.flight.append((pdu, ends, number))
            room -= len(pdu)

    def arrive(self, fates):
        waiting = []
        for i, (pdu, ends, number) in enumerate(self.flight):
            fate = fates[i % len(fates)]
            if fate == WAIT and len(waiting) + len(self.flight) - i < SPAN:
                waiting.append((pdu, ends, number))
            elif fate == LOSE and self.lost_in_a_row < SPAN:
                self.lost_in_a_row += 1
                self.harmed.add(number)
                if ends.head:
                    self.given_up.append(ends.head.id)
            else:
                self.receive(pdu, ends, number, fate == TWICE)
        self.flight = waiting

    def receive(self, pdu, ends, number, twice):
        if self.um.receive(pdu, ends, self.now_ns):
            self.harmed.add(number)
        self.lost_in_a_row = 0
        if twice and pdu[0] >> 6 and number in {n for n, _ in self.um.delivered}:
            assert self.um.receive(pdu, ffi.new("struct pkt_queue *"), self.now_ns) == 1

    def tick(self, ns):
        until = self.now_ns + ns
        while self.um.next_expiry <= until:
            self.now_ns = self.um.next_expiry
            self.um.expire(self.now_ns)
        self.now_ns = until


lengths = st.sampled_from([1, 3, 40, 300]) | st.integers(1, 300)
spaces = st.sampled_from([1, 2, 3, 9, 60, 60, 400, 1500]) | st.integers(2, 150)
fates = st.lists(st.sampled_from([ARRIVE, ARRIVE, ARRIVE, LOSE, WAIT, TWICE]), min_size=1, max_size=6)
cycles = st.tuples(st.lists(lengths, max_size=4), st.lists(spaces, min_size=1, max_size=4), fates,
                   st.sampled_from([0, 0, 1, 5, 40]))  # fmt: skip


@fast
@given(st.sampled_from([6, 12]), st.sampled_from([0, 5, 50]), st.lists(cycles, min_size=4, max_size=40))
def test_what_arrives_is_right(sn_bits, t_reassembly_ns, plan):
    link = Link(Um(sn_bits, t_reassembly_ns))
    for lengths, spaces, fates, ns in plan:
        for length in lengths:
            link.push(length)
        for room in spaces:
            link.grant(room)
        link.arrive(fates)
        link.um.check()
        link.tick(ns)
        link.um.check()
    link.grant(3000)
    link.arrive([ARRIVE])
    link.tick(10**9)
    assert link.um.next_expiry == NEVER
    assert link.um.parts_in_use() <= 1  # the newest SDU, when all after its first segments was lost
    um, numbers = link.um, [n for n, _ in link.um.delivered]
    assert um.delivered == [(n, payload(n, link.sizes[n])) for n in numbers]
    sent = set(range(len(link.sizes) - um.tx.queue.sdus.n))
    assert sorted(numbers + um.discarded + link.given_up) == sorted(sent)
    lost = sent - set(numbers)
    if numbers != sorted(numbers):
        event("out of order")
    # Given up are SDUs of which something was lost, or came after t-Reassembly or behind the window.
    if t_reassembly_ns == 50 and all(ns < 5 for *_, ns in plan) and len(sent) < 16:
        event("only what was harmed is lost")
        assert lost <= link.harmed
