# SPDX-License-Identifier: GPL-2.0-or-later
"""What RLC UM promises: an SDU arrives at most once, intact, in order when in sequence, if none of its PDUs was lost.

As for AM the model is the list of SDUs pushed and the channel a list of PDUs in flight. PDUs are neither late by a
window nor is a window of them lost at a time: UM cannot know then which turn of SNs a PDU is of.
"""

from dataclasses import dataclass, field

from coreffi import NEVER
from examples import examples
from hypothesis import event, given
from hypothesis import strategies as st
from rlcffi import Um, ffi, lib, payload

IN, OUT = lib.CELL_DELIVERY_IN_SEQUENCE, lib.CELL_DELIVERY_OUT_OF_SEQUENCE
ARRIVE, LOSE, WAIT, TWICE = range(4)
SPAN = 12  # PDUs between the oldest in flight and the newest; the window of 5 bits has 16

fast = examples(200)


@dataclass
class Pdu:
    data: bytes
    ends: object  # packets whose last byte is in it
    inside: list  # numbers of all packets with bytes in it


@dataclass
class Link:
    um: Um
    now_ns: int = 0
    flight: list = field(default_factory=list)
    sizes: list = field(default_factory=list)
    harmed: set = field(default_factory=set)  # SDUs of which a PDU was lost or came too late
    given_up: list = field(default_factory=list)  # packets whose last PDU was lost
    lost_in_a_row: int = 0
    expired: bool = False

    def push(self, length):
        self.um.push(length)
        self.sizes.append(length)

    def grant(self, room):
        data, ends, inside = self.um.transmit(room)
        if data:
            self.flight.append(Pdu(data, ends, inside))

    def _receive(self, pdu):
        if self.um.receive(pdu.data, pdu.ends, self.now_ns):
            assert self.expired  # nothing is discarded before t-Reordering gave it up
            self.harmed.update(pdu.inside)
        self.lost_in_a_row = 0

    def _repeat(self, pdu):
        if len(self.flight) < SPAN:
            assert self.um.receive(pdu.data, ffi.new("struct pkt_queue *"), self.now_ns) == 1

    def _lose(self, pdu):
        self.lost_in_a_row += 1
        self.harmed.update(pdu.inside)
        p = pdu.ends.head
        while p:
            self.given_up.append(p.id)
            p = p.next

    def arrive(self, fates):
        waiting = []
        for i, pdu in enumerate(self.flight):
            fate = fates[i % len(fates)]
            if fate == WAIT and len(waiting) + len(self.flight) - i < SPAN // 2:
                waiting.append(pdu)
            elif fate == LOSE and self.lost_in_a_row < SPAN // 2:
                self._lose(pdu)
            else:
                self._receive(pdu)
                if fate == TWICE and not waiting:
                    self._repeat(pdu)
        self.flight = waiting

    def tick(self, ns):
        until = self.now_ns + ns
        while self.um.next_expiry <= until:
            self.now_ns = self.um.next_expiry
            self.um.expire(self.now_ns)
            self.expired = True
        self.now_ns = until

    def do(self, action):
        getattr(self, action[0])(*action[1:])
        numbers = [number for number, _ in self.um.delivered]
        assert len(set(numbers)) == len(numbers)
        assert not set(numbers) & set(self.um.discarded)
        for number, data in self.um.delivered[-20:]:
            assert data == payload(number, self.sizes[number])

    def finish(self):
        """The rest arrives; t-Reordering ends what is missing."""
        while self.um.tx.queue.bytes or self.flight:
            self.grant(DATA_ROOM)
            self.do(("arrive", [ARRIVE]))
        self.tick(10**6)
        assert self.um.next_expiry == NEVER
        self.do(("tick", 0))


DATA_ROOM = 400
lengths = st.sampled_from([1, 3, 40, 300]) | st.integers(1, 300)
spaces = st.sampled_from([3, 5, 8, 20, 60, 60, 400, 400]) | st.integers(3, 150)
fates = st.lists(st.sampled_from([ARRIVE, ARRIVE, ARRIVE, LOSE, WAIT, TWICE]), min_size=1, max_size=6)
ticks = st.sampled_from([0, 0, 1, 5, 10, 35, 50])
cycles = st.tuples(st.lists(lengths, max_size=3), st.lists(spaces, min_size=1, max_size=4), fates, ticks)


def actions(cycle):
    pushes, spaces, fates, ns = cycle
    yield from (("push", length) for length in pushes)
    yield from (("grant", room) for room in spaces)
    yield from (("arrive", fates), ("tick", ns))


@fast
@given(
    st.sampled_from([5, 10]),
    st.sampled_from([0, 1, 35]),
    st.lists(lengths, min_size=1, max_size=12),
    st.lists(cycles, min_size=4, max_size=40),
)
def test_both_deliveries(sn_bits, t_reordering_ns, pushes, cycles):
    links = in_sequence, out_of_sequence = [Link(Um(sn_bits, t_reordering_ns, delivery)) for delivery in (IN, OUT)]
    for action in [("push", n) for n in pushes] + [action for cycle in cycles for action in actions(cycle)]:
        for link in links:
            link.do(action)
        early, late = ([number for number, _ in link.um.delivered] for link in (out_of_sequence, in_sequence))
        assert late == sorted(late)
        assert set(late) <= set(early)
        if len(early) > len(late):
            event("out of sequence was earlier")
    for link in links:
        link.finish()
        numbers = [number for number, _ in link.um.delivered]
        everything = set(range(len(link.sizes)))
        assert everything - link.harmed <= set(numbers)  # no more is lost than was lost
        assert not link.harmed & set(numbers)
        assert sorted(numbers + link.um.discarded + link.given_up) == sorted(everything)
        assert link.um.pool_is_full
        if link.harmed:
            event("SDUs lost")
    numbers = [number for number, _ in in_sequence.um.delivered]
    assert numbers == sorted(numbers)
    assert set(numbers) == {number for number, _ in out_of_sequence.um.delivered}
