# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds for a cell in time, whatever it is told to do: steps, announcements and idle UEs change nothing."""

from dataclasses import replace

from coreffi import NEVER, Cell, lib
from coreplan import IM, MS, NETWORK, Run, announced, in_pieces, plans
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

fast = examples(150)


@fast
@given(plans(), st.lists(st.floats(0, 1, exclude_max=True), max_size=6))
def test_splitting_time_changes_nothing(plan, cuts):
    """Few large steps, many small ones, and a step to every event give the same outputs in order of time."""

    def every_event(cell, from_ns, to_ns):
        while (t_ns := cell.next()) < to_ns:
            assert t_ns >= from_ns
            cell.advance(t_ns)
        cell.advance(to_ns - 1)

    once = Run(plan)
    times = [o.t_ns for o in once.cell.outputs]
    assert times == sorted(times)
    for step in (in_pieces(cuts), every_event):
        run = Run(plan, step)
        assert run.cell.outputs == once.cell.outputs
        assert run.digest == once.digest


@fast
@given(plans())
def test_nothing_leaves_before_it_was_announced(plan):
    """cell_next_output() is a lower bound of the next delivery and not before cell_next()."""
    Run(plan, announced)


@fast
@given(plans())
def test_nothing_leaves_because_of_a_packet_before_its_transit(plan):
    """What was announced before packets were pushed at the start of a sub-frame holds for cell_transit_min()."""
    pushes = [(t_ns - t_ns % MS, kind, *rest) for t_ns, kind, *rest in plan.actions if kind in ("push", "burst")]
    announced_ns = NEVER

    def watch(cell, from_ns, to_ns):
        nonlocal announced_ns
        n, silent_ns = len(cell.outputs), min(announced_ns, from_ns + cell.transit_min(), to_ns)
        if silent_ns > from_ns:
            cell.advance(silent_ns - 1)
        assert all(o.type != lib.CELL_OUT_DELIVER for o in cell.outputs[n:])
        cell.advance(to_ns - 1)
        announced_ns = cell.next_output()

    Run(replace(plan, actions=pushes), watch)


@fast
@given(plans())
def test_same_seed_same_outputs(plan):
    one, two = Run(plan), Run(plan)
    assert one.cell.outputs == two.cell.outputs
    assert one.digest == two.digest


@fast
@given(plans())
def test_smallest_output_array(plan):
    """-EAGAIN cuts the outputs into portions and does nothing else."""
    large = Run(plan, n_out=200_000)
    small = Run(plan, n_out=lib.cell_out_min(large.cell.cfg))
    assert small.cell.outputs == large.cell.outputs
    assert small.digest == large.digest
    if large.of(lib.CELL_OUT_DELIVER):  # after its arrival came what delivered it
        assert small.cell.again > 0


@fast
@given(plans(changes={"lte.mac.ul_always_scheduled": 0}), st.integers(1, 96))
def test_ues_with_nothing_to_do_change_nothing(plan, more):
    """No draw, no turn of a scheduler, no sub-frame. (Configured grants share the carrier by the number of UEs.)"""
    idle = [{"rnti": 1000 + i, "peer": NETWORK, "mode": IM, "cqi_ul": 15, "cqi_dl": 15, "cqi_sl": 15}
            for i in range(more)]
    cfg = plan.cfg | {"ue": plan.cfg["ue"] + idle, "n_ue": plan.cfg["n_ue"] + more}
    alone, among = Run(plan), Run(replace(plan, cfg=cfg))
    assert among.cell.outputs == alone.cell.outputs
    assert among.cell.stats().ttis_active == alone.cell.stats().ttis_active


def test_idle_cell_has_no_events():
    """After its traffic a cell is asleep; waking it after more than a month costs as little."""
    cell = Cell({})
    assert cell.next() == NEVER and cell.next_output() == NEVER
    cell.push(1, b"x" * 100, 1, 0)
    while cell.next() != NEVER:
        cell.advance(cell.next())
    active = cell.stats().ttis_active
    later_ns = 40 * 24 * 3600 * 1000 * MS
    cell.push(1, b"x" * 100, 2, later_ns)
    while cell.next() != NEVER:
        cell.advance(cell.next())
    assert [o.t_ns for o in cell.outputs if o.type == lib.CELL_OUT_DELIVER][1] - later_ns == 15 * MS - 250_000
    assert cell.stats().ttis_active == 2 * active
