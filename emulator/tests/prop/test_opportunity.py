# SPDX-License-Identifier: GPL-2.0-or-later
"""Links of delivery opportunities beside a model of them that is written down anew: random traces, traffic, steps."""

import itertools

import pytest
from coreffi import NEVER, Cell, constant, ffi, lib
from hypothesis import given, settings
from hypothesis import strategies as st

MS = 1_000_000
UE, NETWORK_SIDE = 1, 0x81
BYTES = 1500
MTU = constant("CELL_UE_MTU_MAX")

many = settings(max_examples=150)

traces = st.lists(st.integers(0, 40), min_size=1, max_size=12).map(sorted).filter(lambda ms: ms[-1] > 0)


@st.composite
def plans(draw):
    """(configuration, traces of both ways, arrivals (t_ns, port, length) in order of time)"""
    cfg = {"opportunity_delay_ms": draw(st.sampled_from([0, 0, 7, 100])),
           "opportunity_queue_pkts": draw(st.sampled_from([1, 3, 1000])),
           "opportunity_queue_bytes": draw(st.sampled_from([0, 0, 1500, 4000])), "max_pkts": 64}
    t_ns, arrivals = 0, []
    for _ in range(draw(st.integers(1, 25))):
        t_ns += draw(st.sampled_from([0, 0, 1, MS - 1, MS, 3 * MS, 10 * MS, 777 * MS]))
        length = draw(st.sampled_from([1, 40, 749, 750, 751, 1499, MTU]) | st.integers(1, MTU))
        arrivals.append((t_ns, draw(st.sampled_from([UE, NETWORK_SIDE, NETWORK_SIDE])), length))
    return cfg, (draw(traces), draw(traces)), arrivals


def model(cfg, trace, arrivals):
    """{tag: time there} of one way's (tag, t_ns, length), by the words of the header; those missing are dropped."""
    waiting, there, todo = [], {}, list(arrivals)
    for ms in (turn * trace[-1] + ms for turn in itertools.count() for ms in trace):
        t_ns = ms * MS
        while todo and todo[0][1] <= t_ns:
            tag, at_ns, length = todo.pop(0)
            queued = sum(left for _, _, left in waiting)
            limit = cfg["opportunity_queue_bytes"]
            if len(waiting) < cfg["opportunity_queue_pkts"] and not (limit and queued + length > limit):
                waiting.append([tag, at_ns, length])
        left = BYTES
        while left and waiting and waiting[0][1] < t_ns:
            taken = min(left, waiting[0][2])
            waiting[0][2] -= taken
            left -= taken
            if waiting[0][2] == 0:
                there[waiting.pop(0)[0]] = t_ns + cfg["opportunity_delay_ms"] * MS
        if not todo and not waiting:
            return there
    raise AssertionError


def every_event(cell, to_ns):
    while (t_ns := cell.next()) <= to_ns:
        cell.advance(t_ns)


def at_once(cell, to_ns):
    cell.advance(to_ns)


def every_output(cell, to_ns):
    """As celld sleeps: nothing leaves before the time that was told."""
    while (t_ns := cell.next_output()) <= to_ns:
        seen = len(cell.outputs)
        if t_ns - 1 >= cell.pushed_ns:
            cell.advance(t_ns - 1)
        assert all(o.type != lib.CELL_OUT_DELIVER for o in cell.outputs[seen:])
        cell.advance(t_ns)


def carry(cell, arrivals, step):
    """Carry packets through a recorded link to the last one. Return: {tag: time there}."""
    now_ns = 0
    for tag, (t_ns, port, length) in enumerate(arrivals):
        if t_ns > now_ns:
            step(cell, t_ns - 1)
            now_ns = t_ns
        cell.pushed_ns = t_ns
        assert cell.push(port, bytes((tag + i) % 251 for i in range(length)), tag, t_ns) == 0
    end_ns = now_ns
    while cell.next() != NEVER:
        end_ns = max(end_ns, cell.next()) + 1000 * MS
        step(cell, end_ns)
    delivered = [o for o in cell.outputs if o.type == lib.CELL_OUT_DELIVER]
    for o in delivered:
        assert o.data == bytes((o.tag + i) % 251 for i in range(arrivals[o.tag][2]))
        assert o.port == (UE if arrivals[o.tag][1] == NETWORK_SIDE else NETWORK_SIDE)
    return {o.tag: o.t_ns for o in delivered}


def play(plan, step=every_event):
    """(cell, {tag: time there}) of a plan played to its end."""
    cfg, ms, arrivals = plan
    arrays = [ffi.new("uint32_t[]", way) for way in ms]
    cell = Cell({**cfg, "system": lib.CELL_SYSTEM_PACKET_TRACE, "n_ue": 1, "ue": [{"peer": 0, "mode": 0}],
                 "opportunity_ms": arrays, "n_opportunities": [len(way) for way in ms]})
    cell.arrays = arrays  # the core does not copy them
    return cell, carry(cell, arrivals, step)


@many
@given(plans())
def test_each_packet_is_there_when_the_model_says(plan):
    cfg, ms, arrivals = plan
    expected = {}
    for way, port in enumerate((UE, NETWORK_SIDE)):
        expected |= model(cfg, ms[way], [(tag, t, n) for tag, (t, p, n) in enumerate(arrivals) if p == port])
    assert play(plan)[1] == expected


@many
@given(plans())
def test_any_steps_give_the_same(plan):
    cells = [play(plan, step)[0] for step in (every_event, at_once, every_output)]
    assert len({cell.digest() for cell in cells}) == 1
    for cell in cells[1:]:
        assert cell.outputs == cells[0].outputs


@many
@given(plans())
def test_bytes_used_are_those_delivered(plan):
    cell, there = play(plan)
    stats = cell.stats()
    for way, port in enumerate((UE, NETWORK_SIDE)):
        delivered = sum(n for tag, (_, p, n) in enumerate(plan[2]) if p == port and tag in there)
        assert stats.mac_bytes[way] - stats.mac_padding_bytes[way] == delivered
    cell.done()
    assert cell.stats().pkts_held == 0


def test_no_other_system_has_such_a_link():
    with pytest.raises(ValueError, match="opportunity_ms of the uplink"):
        Cell({"system": lib.CELL_SYSTEM_PACKET_TRACE, "n_ue": 1, "ue": [{"peer": 0, "mode": 0}]})
