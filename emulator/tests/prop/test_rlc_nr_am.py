# SPDX-License-Identifier: GPL-2.0-or-later
"""What NR's RLC AM promises whatever the channel does: every SDU arrives once and intact.

And each PDU, variable and timer is what another reading of TS 38.322 says (`rlc_nr_reader`). The channel in each
direction is a list of the PDUs in flight; actions deliver, repeat or lose any of them, in any order.
"""


from examples import examples
from hypothesis import event, given
from hypothesis import strategies as st
from rlcffi import payload
from rlclink import ARRIVE, LOSE, REVERSE, TWICE, WAIT, Link
from rlcnrffi import Am

SEGMENT_MIN = 6  # a segment's header with an SN of 18 bits, and a byte
STATUS_MIN = 10  # a STATUS PDU with one portion of an SDU

fast = examples(100)


class NrLink(Link):
    def check(self):
        self.am.check()
        super().check()


lengths = st.sampled_from([1, 3, 40, 300]) | st.integers(1, 300)
spaces = st.sampled_from([3, SEGMENT_MIN, 9, 20, 60, 60, 400, 1500]) | st.integers(3, 150)
status_spaces = st.sampled_from([0, 2, 3, STATUS_MIN, 20, 100, 100]) | st.integers(2, 40)
fates = st.lists(st.sampled_from([ARRIVE, ARRIVE, ARRIVE, LOSE, LOSE, WAIT, TWICE, REVERSE]), min_size=1, max_size=6)
status_fates = st.lists(st.sampled_from([ARRIVE, ARRIVE, LOSE, WAIT, WAIT, REVERSE]), min_size=1, max_size=3)
ticks = st.sampled_from([0, 0, 1, 5, 10, 35, 50])
cycles = st.tuples(st.lists(lengths, max_size=6), st.lists(spaces, min_size=1, max_size=4), fates, status_spaces,
                   status_fates, ticks)  # fmt: skip


def actions(cycle):
    pushes, spaces, fates, status_room, status_fates, ns = cycle
    yield from (("push", length) for length in pushes)
    yield from (("grant", room) for room in spaces)
    yield from (("arrive", fates), ("report", status_room), ("arrive_status", status_fates), ("tick", ns))


@st.composite
def plans(draw):
    sn_bits = draw(st.sampled_from([12, 18]))
    cfg = {
        "sn_bits": sn_bits,
        "poll_pdu": draw(st.sampled_from([1, 4, 1000])),
        "poll_byte": draw(st.sampled_from([50, 500, 10**6])),
        "t_poll_retransmit_ns": draw(st.sampled_from([5, 45])),
        "t_reassembly_ns": draw(st.sampled_from([0, 1, 35])),
        "t_status_prohibit_ns": draw(st.sampled_from([0, 10])),
    }
    start = draw(st.sampled_from([0, 0, -1, -3, -30])) % (1 << sn_bits)
    steps = [action for cycle in draw(st.lists(cycles, min_size=4, max_size=25)) for action in actions(cycle)]
    return cfg, start, steps, (draw(st.sampled_from([20, 60, 1500])), draw(st.sampled_from([STATUS_MIN, 400])))


@fast
@given(plans())
def test_everything_arrives(plan):
    """Once losses stop, in bounded time; then all is acknowledged and the store is full."""
    cfg, start, steps, spaces = plan
    link = NrLink(Am(cfg, start))
    for step in steps:
        link.do(step)
    if [n for n, _ in link.am.delivered] != sorted(n for n, _ in link.am.delivered):
        event("out of order")
    start_ns, bytes_left = link.now_ns, sum(link.sizes)
    assert link.drain(*spaces) <= 20 + 4 * bytes_left
    assert sorted(n for n, _ in link.am.delivered) == list(range(len(link.sizes)))
    assert link.am.delivered == [(n, payload(n, link.sizes[n])) for n, _ in link.am.delivered]
    assert not link.am.tx.first
    assert not link.am.tx.queue.sdus.head
    assert link.am.store.n_sdus == link.am.n
    assert link.am.parts_in_use() == 0
    if spaces == (1500, 400):
        assert link.now_ns - start_ns <= 4 * (sum(cfg[name] for name in cfg if name.startswith("t_")) + 1)
