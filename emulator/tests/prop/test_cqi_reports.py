# SPDX-License-Identifier: GPL-2.0-or-later
"""CQI reports of LTE and NR: grants go by what the channel was at the last report that the delay lets through.

Source: TS 36.213 7.2.2; TS 38.214 5.2.1.4
"""

from coreffi import lib
from coreplan import MS, PLAN_BYTES, SL, Plan, Run, plan
from draw import plans
from examples import examples
from hypothesis import given
from nrplan import plan as nr_plan

fast = examples(100)
PERIODS_MS = (2, 5, 10, 20, 32, 40, 64, 80, 128, 160)
NAMES = {lib.CELL_DIR_UL: "cqi_ul", lib.CELL_DIR_DL: "cqi_dl", lib.CELL_DIR_SL: "cqi_sl"}


def reporting(choices, make):
    """A plan whose channels change often."""
    found, actions = make(choices), []
    found.cfg.update({"cqi_reports.period_ms": choices.pick(*PERIODS_MS), "cqi_reports.delay_ms": choices.number(0, 32),
                      "pdcp.duplication": 0})  # a second cell has a channel of its own
    directions = 2 if found.cfg.get("system") == lib.CELL_SYSTEM_NR else SL + 1
    for t_ns, *action in found.actions:
        for _ in range(choices.number(0, 3)):
            actions.append((t_ns, "channel", choices.number(1, found.cfg["n_ue"]),
                            (choices.number(0, directions - 1), choices.number(1, 15), 1500)))
        actions.append((t_ns, *action))
    return Plan(found.cfg, actions)


def channel_at(found, ue, direction, t_ns):
    """The CQI that a channel has at a time."""
    changes = [argument[1] for at_ns, kind, of, argument in found.actions
               if kind == "channel" and of == ue and argument[0] == direction and at_ns <= t_ns]
    return changes[-1] if changes else found.cfg["ue"][ue - 1].get(NAMES[direction], 15)


def check(found):
    run = Run(found)
    period_ns, delay_ns = (found.cfg[f"cqi_reports.{key}_ms"] * MS for key in ("period", "delay"))
    for row in run.rows(lib.CELL_EV_GRANT):
        ue, direction = row["peer"], row["dir"]
        first_ns = (ue - 1) * MS % period_ns
        reports = (row["t_ns"] - delay_ns - first_ns) // period_ns
        at_ns = first_ns + reports * period_ns if reports >= 0 else -1
        assert row["cqi"] == channel_at(found, ue, direction, at_ns)
    assert sorted(o.tag for o in run.of(lib.CELL_OUT_DELIVER, lib.CELL_OUT_DROP)) == sorted(run.pushed)


@fast
@given(plans(lambda choices: reporting(choices, plan), PLAN_BYTES))
def test_grants_go_by_the_last_report_of_lte(found):
    check(found)


@fast
@given(plans(lambda choices: reporting(choices, nr_plan), PLAN_BYTES))
def test_grants_go_by_the_last_report_of_nr(found):
    check(found)
