# SPDX-License-Identifier: GPL-2.0-or-later
"""Queues that are emptied by a command, at any time of random cells of LTE and NR."""

import coreplan
import nrplan
import pytest
from coreffi import lib
from coreplan import MS, Plan, Run
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

FLUSHES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 10)), min_size=1, max_size=4)
SYSTEMS = {"lte": coreplan.plans(), "nr": nrplan.plans()}


def flushed(plan: Plan, flushes) -> Plan:
    """The plan, and the queues of a UE are emptied some ms after some of its actions."""
    n_ue, last_ns = plan.cfg["n_ue"], plan.actions[-1][0] if plan.actions else 0
    times = [(plan.actions[i][0] if i < len(plan.actions) else last_ns) + late * MS for i, late in flushes]
    return Plan(plan.cfg, sorted([*plan.actions, *((t_ns, "flush", 1 + i % n_ue, 0) for i, t_ns in enumerate(times))],
                                 key=lambda action: action[0]))


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_waits_is_dropped(system):
    @examples(120)
    @given(SYSTEMS[system], FLUSHES)
    def check(drawn, flushes):
        plan = flushed(drawn, flushes)
        run = Run(plan)
        at = [(t_ns, ue) for t_ns, kind, ue, _ in plan.actions if kind == "flush"]
        end_ns = {o.tag: o.t_ns for o in run.of(lib.CELL_OUT_DELIVER, lib.CELL_OUT_DROP)}
        assert len(end_ns) == len(run.of(lib.CELL_OUT_DELIVER, lib.CELL_OUT_DROP)) == len(run.pushed)
        begun_ns = {row["tag"]: row["t_ns"] for row in reversed(run.rows(lib.CELL_EV_RLC_TX))}
        begun_there_ns = {(row["tag"], row["dir"]): row["t_ns"] for row in reversed(run.rows(lib.CELL_EV_RLC_TX))}
        for row in run.rows(lib.CELL_EV_PKT_DROP):
            if row["value"] == lib.CELL_DROP_FLUSH:
                assert row["t_ns"] in {t_ns for t_ns, _ in at}
                assert begun_there_ns.get((row["tag"], row["dir"]), row["t_ns"]) >= row["t_ns"]
        for t_ns, ue in at:
            for tag, (since_ns, port, _) in run.pushed.items():
                if port == ue and since_ns <= t_ns < end_ns[tag]:
                    assert begun_ns[tag] <= t_ns

    check()
