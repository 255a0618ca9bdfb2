# SPDX-License-Identifier: GPL-2.0-or-later
"""Links of delivery opportunities beside a model of them that was written separately: random traces, traffic, steps."""

import itertools

import pytest
from coreffi import Cell, lib
from draw import plans
from examples import examples
from hypothesis import example, given
from recording import DOWN, MS, STEPS, UE, UP, Link, Plan, plan, run

many = examples(150)
links = plans(lambda choices: plan(choices, with_trains=False), 256)


def model(cfg, trace, arrivals):
    """{tag: time there} of one way's (tag, t_ns, length), by the words of the header; those missing are dropped."""
    waiting, there, todo = [], {}, list(arrivals)
    for ms in (turn * trace[-1] + ms for turn in itertools.count() for ms in trace):
        t_ns = ms * MS
        while todo and todo[0][1] <= t_ns:
            tag, at_ns, length = todo.pop(0)
            queued = sum(left for _, _, left in waiting)
            if len(waiting) < cfg.queue_pkts and not (cfg.queue_bytes and queued + length > cfg.queue_bytes):
                waiting.append([tag, at_ns, length])
        left = cfg.bytes
        while left and waiting and waiting[0][1] < t_ns:
            taken = min(left, waiting[0][2])
            waiting[0][2] -= taken
            left -= taken
            if waiting[0][2] == 0:
                there[waiting.pop(0)[0]] = t_ns + cfg.delay_ms * MS
        if not todo and not waiting:
            return there
    raise AssertionError


@many
@given(links)
def test_each_packet_is_there_when_the_model_says(plan):
    expected = {}
    for link, way, arrivals in plan.flows():
        expected |= model(link.cfg, link.ms[way], arrivals)
    assert run(plan)[1] == expected


# The second UE's opportunity is still to come when the first UE's packet comes in, which is there before.
ANOTHER_UE_FIRST = Plan([Link(([1], [1])), Link(([1], [1]), keys={"delay_ms": 2})],
                        [(MS - 1, UE + 1, 1), (2 * MS - 1, UE, 1)])


@many
@example(ANOTHER_UE_FIRST)
@given(links)
def test_any_steps_give_the_same(plan):
    cells = [run(plan, step)[0] for step in STEPS]
    assert len({cell.digest() for cell in cells}) == 1
    for cell in cells[1:]:
        assert cell.outputs == cells[0].outputs


@many
@given(links)
def test_bytes_used_are_those_delivered(plan):
    cell, there = run(plan)
    stats, delivered = cell.stats(), {UP: 0, DOWN: 0}
    for _, way, arrivals in plan.flows():
        delivered[way] += sum(length for tag, _, length in arrivals if tag in there)
    for way, n_bytes in delivered.items():
        assert stats.mac_bytes[way] - stats.mac_padding_bytes[way] == n_bytes
    cell.done()
    assert cell.stats().pkts_held == 0


def test_a_link_without_a_trace_is_refused():
    with pytest.raises(ValueError, match="opportunity_ms of the uplink"):
        Cell({"system": lib.CELL_SYSTEM_PACKET_TRACE, "n_ue": 1, "ue": [{"peer": 0, "mode": 0}]})
