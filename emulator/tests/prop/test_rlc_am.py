# SPDX-License-Identifier: GPL-2.0-or-later
"""What RLC AM promises whatever the channel does: every SDU arrives once, intact and, in sequence, in order.

The model is the list of SDUs pushed. A channel in each direction is a list of the PDUs in flight; actions deliver,
repeat or lose any of them, in any order.
"""

from dataclasses import dataclass

from coreffi import NEVER
from examples import examples
from hypothesis import event, given
from hypothesis import strategies as st
from rlcffi import AM_SLOTS, AM_WINDOW, Am, lib, payload
from rlclink import ARRIVE, LOSE, REVERSE, TWICE, WAIT, Link

IN, OUT = lib.CELL_DELIVERY_IN_SEQUENCE, lib.CELL_DELIVERY_OUT_OF_SEQUENCE
SEGMENT_MIN = 5  # a segment's header and a byte
STATUS_MIN = 8  # a STATUS PDU with one portion of a PDU

fast = examples(200)


class LteLink(Link):
    def check(self):
        check_order(self.am)
        super().check()


def check_order(am: Am):
    """State variables in the order in which TS 36.322 7.1 has them, from the transmitter's oldest on."""
    tx, rx = am.tx, am.rx

    def ahead(sn):
        return (sn - tx.vt_a) % AM_SLOTS

    vr_r = ahead(rx.reassembly.lower)
    assert 0 <= vr_r <= ahead(rx.vr_ms) <= ahead(rx.vr_h) <= ahead(tx.vt_s) <= AM_WINDOW
    assert ahead(rx.vr_h) - vr_r <= AM_WINDOW
    if tx.expiry_ns != NEVER:
        assert ahead(tx.poll_sn) < ahead(tx.vt_s)


@dataclass
class Plan:
    """Two bearers that differ in their delivery only, and what happens to them."""

    cfg: dict
    start: int
    pushes: list
    actions: list
    spaces: tuple

    def links(self):
        return [LteLink(Am(self.cfg, delivery, self.start)) for delivery in (IN, OUT)]


lengths = st.sampled_from([1, 3, 40, 300]) | st.integers(1, 300)
spaces = st.sampled_from([3, SEGMENT_MIN, 8, 20, 60, 60, 400, 400]) | st.integers(3, 150)
status_spaces = st.sampled_from([0, 0, 2, 4, STATUS_MIN, 20, 100, 100]) | st.integers(2, 40)
fates = st.lists(st.sampled_from([ARRIVE, ARRIVE, ARRIVE, LOSE, LOSE, WAIT, TWICE, REVERSE]), min_size=1, max_size=6)
status_fates = st.lists(st.sampled_from([ARRIVE, ARRIVE, LOSE, WAIT, WAIT, REVERSE]), min_size=1, max_size=3)
ticks = st.sampled_from([0, 0, 1, 5, 10, 35, 50])
# SDUs, then sub-frames: spaces for data, fates, room for a STATUS PDU, fates, time
cycles = st.tuples(st.lists(lengths, max_size=3), st.lists(spaces, min_size=1, max_size=4), fates, status_spaces,
                   status_fates, ticks)  # fmt: skip


def actions(cycle):
    pushes, spaces, fates, status_room, status_fates, ns = cycle
    yield from (("push", length) for length in pushes)
    yield from (("grant", room) for room in spaces)
    yield from (("arrive", fates), ("report", status_room), ("arrive_status", status_fates), ("tick", ns))


@st.composite
def plans(draw):
    cfg = {
        "poll_pdu": draw(st.sampled_from([1, 4, 1000])),
        "poll_byte": draw(st.sampled_from([50, 500, 10**6])),
        "t_poll_retransmit_ns": draw(st.sampled_from([5, 45])),
        "t_reordering_ns": draw(st.sampled_from([0, 1, 35])),
        "t_status_prohibit_ns": draw(st.sampled_from([0, 10])),
    }
    return Plan(
        cfg,
        start=draw(st.sampled_from([0, 0, 500, 1000, 1015, 1023])),
        pushes=draw(st.lists(lengths, min_size=1, max_size=12)),
        actions=[action for cycle in draw(st.lists(cycles, min_size=4, max_size=25)) for action in actions(cycle)],
        spaces=(draw(st.sampled_from([SEGMENT_MIN, 20, 400])), draw(st.sampled_from([STATUS_MIN, 20, 400]))),
    )


def perform(plan, links):
    """Yields after every action."""
    for link in links:
        for length in plan.pushes:
            link.push(length)
    for action in plan.actions:
        for link in links:
            link.do(action)
        yield


@fast
@given(plans())
def test_both_deliveries(plan):
    """In sequence is in order; out of sequence has all of that at any time, and sends the same."""
    links = in_sequence, out_of_sequence = plan.links()
    for _ in perform(plan, links):
        early, late = ([number for number, _ in link.am.delivered] for link in (out_of_sequence, in_sequence))
        assert late == list(range(len(late)))
        assert set(late) <= set(early)
        assert in_sequence.data == out_of_sequence.data
        assert in_sequence.status == out_of_sequence.status
        if len(early) > len(late):
            event("out of sequence was earlier")


@fast
@given(plans())
def test_everything_arrives(plan):
    """Once losses stop, in bounded time; then all is acknowledged and every PDU is free."""
    for link in plan.links():
        for _ in perform(plan, [link]):
            pass
        start_ns = link.now_ns
        bytes_left = sum(link.sizes)
        rounds = link.drain(*plan.spaces)
        assert rounds <= 20 + 4 * bytes_left
        numbers = [number for number, _ in link.am.delivered]
        assert sorted(numbers) == list(range(len(link.sizes)))
        assert link.am.delivered == [(n, payload(n, link.sizes[n])) for n in numbers]
        assert link.am.tx.vt_a == link.am.tx.vt_s == link.am.rx.reassembly.lower
        assert link.am.pool_is_full
        assert not link.am.tx.queue.sdus.head
        timers = sum(plan.cfg[name] for name in plan.cfg if name.startswith("t_"))
        if plan.spaces == (400, 400):
            assert link.now_ns - start_ns <= 4 * (timers + 1)
