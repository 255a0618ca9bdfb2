# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds for links of constant rate: a queue, a rate and a delay, worked out beside the core."""

from collections import defaultdict

from coreffi import NEVER, Cell, lib
from draw import Choices, plans
from hypothesis import given
from hypothesis import strategies as st

MS, S = 1_000_000, 1_000_000_000
NETWORK_SIDE = 0x80


def plan_of(choices: Choices):
    """(configuration, arrivals (t_ns, port, length) in order of time)"""
    n_ue = choices.number(1, 3)
    cfg = {"system": lib.CELL_SYSTEM_CONSTANT_RATE, "n_ue": n_ue, "ue": [{"peer": 0, "mode": 0}] * n_ue,
           "seed": choices.number(0, 2**16 - 1), "max_pkts": 64, **choices.keys(only="constant.")}
    t_ns, arrivals = 0, []
    for _ in range(choices.number(1, 30)):
        t_ns += choices.pick(0, 0, 1, 3 * MS, 77 * MS)
        port = choices.number(1, n_ue) | choices.pick(0, NETWORK_SIDE)
        arrivals.append((t_ns, port, choices.number(1, 1500)))
    return cfg, arrivals


links = plans(plan_of, 160)


def run(plan, step_ns=None):
    cfg, arrivals = plan
    cell = Cell(cfg)
    for tag, (t_ns, port, length) in enumerate(arrivals):
        while (due_ns := cell.next()) < t_ns:
            bound_ns = cell.next_output()
            assert bound_ns >= due_ns
            n = len(cell.outputs)
            cell.advance(min(t_ns - 1, due_ns if step_ns is None else due_ns + step_ns))
            assert all(o.t_ns >= bound_ns for o in cell.outputs[n:] if o.type == lib.CELL_OUT_DELIVER)
        assert cell.push(port, bytes([tag]) * length, tag, t_ns) == 0
    while (due_ns := cell.next()) != NEVER:
        cell.advance(due_ns if step_ns is None else due_ns + step_ns)
    return cell


def expected(cfg, arrivals):
    """When each packet would be there, by tag; None for one that finds the queue full."""
    busy, found = defaultdict(list), {}  # by port: when each packet in its queue will have been sent
    for tag, (t_ns, port, length) in enumerate(arrivals):
        rate_bps = cfg.constant.dl_rate_bps if port & NETWORK_SIDE else cfg.constant.ul_rate_bps
        waiting = busy[port] = [sent_ns for sent_ns in busy[port] if sent_ns >= t_ns]
        if len(waiting) >= cfg.constant.queue_pkts:
            found[tag] = None
            continue
        waiting.append(max(waiting[-1] if waiting else 0, t_ns) - (-length * 8 * S // rate_bps))
        found[tag] = waiting[-1] + cfg.constant.delay_ms * MS
    return found


@given(links)
def test_every_packet_is_there_when_it_should_or_is_dropped(plan):
    cell = run(plan)
    found = expected(cell.cfg, plan[1])
    delivered = {o.tag: o for o in cell.outputs if o.type == lib.CELL_OUT_DELIVER}
    dropped = {o.tag: o.reason for o in cell.outputs if o.type == lib.CELL_OUT_DROP}
    assert sorted([*delivered, *dropped]) == sorted(found)
    for tag, o in delivered.items():
        _, port, length = plan[1][tag]
        assert (o.t_ns, o.port, o.data) == (found[tag], port ^ NETWORK_SIDE, bytes([tag]) * length)
    for tag, reason in dropped.items():
        assert reason == (lib.CELL_DROP_QUEUE_FULL if found[tag] is None else lib.CELL_DROP_RADIO_LOSS)
        loss = "dl" if plan[1][tag][1] & NETWORK_SIDE else "ul"
        assert found[tag] is None or getattr(cell.cfg.constant, f"loss_{loss}_q32") > 0


@given(links)
def test_every_change_of_a_queue_is_a_row_of_the_record(plan):
    cell, changes = run(plan), []
    for tag, there_ns in expected(cell.cfg, plan[1]).items():
        t_ns, port, length = plan[1][tag]
        if there_ns is not None:  # it comes in before what leaves at that time
            changes += [(t_ns, 0, port, length, 1), (there_ns - cell.cfg.constant.delay_ms * MS, 1, port, -length, -1)]
    for port in {port for _, port, _ in plan[1]}:
        waits, rows = (0, 0), []
        for t_ns, _, _, length, packets in sorted((c for c in changes if c[2] == port), key=lambda c: c[:2]):
            waits = waits[0] + length, waits[1] + packets
            rows.append((t_ns, *waits))
        ue, down = port & ~NETWORK_SIDE, bool(port & NETWORK_SIDE)
        assert rows == [(row["t_ns"], row["bytes"], row["value"]) for row in cell.rows(lib.CELL_EV_BUFFER)
                        if (row["node"], row["peer"]) == ((0, ue) if down else (ue, 0))]


@given(links, st.sampled_from([1, MS, 100 * MS]))
def test_larger_steps_change_nothing(plan, step_ns):
    one, two = run(plan), run(plan, step_ns)
    assert one.outputs == two.outputs
    assert one.digest() == two.digest()


def test_packets_that_are_held_are_dropped_at_the_end():
    cell = Cell({"system": lib.CELL_SYSTEM_CONSTANT_RATE, "n_ue": 1, "ue": [{"peer": 0, "mode": 0}]})
    for tag in range(3):
        cell.push(1, bytes(1000), tag, 0)
    cell.advance(1 * MS)  # one is on its way, two wait
    cell.done()
    assert [o.reason for o in cell.outputs if o.type == lib.CELL_OUT_DROP] == [lib.CELL_DROP_SHUTDOWN] * 3


def test_losses_of_both_ways_are_drawn_apart():
    cell = Cell({"system": lib.CELL_SYSTEM_CONSTANT_RATE, "n_ue": 1, "ue": [{"peer": 0, "mode": 0}], "max_pkts": 128,
                 "constant.queue_pkts": 64, "constant.loss_dl_q32": 2**31, "constant.loss_ul_q32": 2**31})
    for number in range(40):
        for port in (1, 1 | NETWORK_SIDE):
            assert cell.push(port, bytes(100), number, 0) == 0
    while (due_ns := cell.next()) != NEVER:
        cell.advance(due_ns)
    came = {port: [o.tag for o in cell.outputs if o.type == lib.CELL_OUT_DELIVER and o.port == port]
            for port in (1, 1 | NETWORK_SIDE)}
    assert 5 < len(came[1]) < 35 and came[1] != came[1 | NETWORK_SIDE]
