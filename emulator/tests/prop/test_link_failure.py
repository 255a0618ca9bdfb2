# SPDX-License-Identifier: GPL-2.0-or-later
"""Radio links that fail, whatever channels do: the rules of the timers, and what becomes of packets.

Source: TS 36.331 5.3.5.6, 5.3.7, 5.3.11, 7.3; TS 38.331 5.3.5.8.3, 5.3.7, 5.3.10, 7.1
"""

from coreffi import Cell, lib
from corenet import MS, Plan, Run
from draw import plans
from examples import examples
from hypothesis import given
from nrplan import AM, UM
from test_handover import LOSSLESS as LTE_LOSSLESS
from test_handover import check_conservation
from test_handover import plan_of as lte_plan
from test_nr_handover import CONDITIONAL, LOSSLESS, STANDARD, expected_of
from test_nr_handover import plan_of as nr_plan

fast = examples(60)
GOOD_DB, STILL_MS = 12, 3000
KEY = "handover.link_failure."
CAUSES = {"t310": 1, "random_access": 2, "rlc": 3, "t304": 4}


def keys(choices):
    return {KEY + key: choices.pick(*values) for key, values in {
        "on": [1], "qout": [30], "qin": [34, 30], "n310": [1, 2, 6], "n311": [1, 3], "t310_ms": [0, 50, 200, 1000],
        "t311_ms": [1000, 3000], "t301_ms": [100, 400], "t304_ms": [50, 200, 1000], "context": [0, 1, 2],
        "selection_ms": [150, 0, 30], "reestablish_ms": [15, 0], "setup_ms": [50, 0], "rrc_retx": [4, 0, 1],
        "rrc_retx_ms": [45, 5],
        "preamble_trans_max": [10, 3, 200]}.items()}


def plan_of(choices, nr=None, changes=None, **kinds):
    """A plan of handovers in which channels change, and are good in the end; in LTE or NR."""
    if choices.pick(True, False) if nr is None else nr:
        plan = nr_plan(choices, procedures=(STANDARD, CONDITIONAL), **kinds)
    else:
        plan = lte_plan(choices, changes={"handover.procedure": STANDARD, "lte.ra.rac_timeout_tti": 20,
                                          "lte.timing.rar_delay_tti": 3}, **kinds)
    n_enb, n_ue, t_ns, actions = plan.cfg["n_enb"], plan.cfg["n_ue"], 0, []
    for action in plan.actions:
        if action[1] == "predict" and plan.cfg.get("system") is None:
            continue
        if choices.pick(False, True):
            t_ns += choices.pick(0, 20, 150, 600, 1500) * MS
            sinr = [choices.pick(GOOD_DB, -7, -10, -20) for _ in range(n_enb)]
            actions.append((t_ns, "channel", choices.number(1, n_ue), sinr))
        t_ns += choices.pick(0, 5, 40) * MS
        actions.append((t_ns, *action[1:]))
    t_ns += STILL_MS * MS
    actions += [(t_ns, "channel", ue + 1, [GOOD_DB] * n_enb) for ue in range(n_ue)]
    return Plan(plan.cfg | keys(choices) | (changes or {}), actions, plan.delay_ns, plan.lost)


def networks(**kinds):
    return plans(lambda choices: plan_of(choices, **kinds), 900)


def messages(run, ue):
    """Rows of RRC about a UE, in order."""
    return [row for o in run.cell.outputs
            if o.type == lib.CELL_OUT_RECORD and (row := o.row())["event"] == lib.CELL_EV_RRC and row["peer"] == ue]


@fast
@given(networks())
def test_every_packet_is_accounted_for(plan):
    run = Run(plan, check=check_conservation)
    assert run.stats.pkts_held == 0
    for tags in run.got.values():
        assert len(set(tags)) == len(tags)


@fast
@given(networks())
def test_same_plan_same_outputs(plan):
    one, two = Run(plan), Run(plan, n_out=lib.cell_out_min(Cell(plan.cfg).cfg))
    assert one.cell.outputs == two.cell.outputs
    assert one.digest == two.digest


STOPS_T304 = (lib.CELL_RRC_SYNCHRONISED,)
STOPS_T311 = (lib.CELL_RRC_CELL_SELECTED,)
STOPS_T301 = (lib.CELL_RRC_REESTABLISHMENT_REQUEST, lib.CELL_RRC_SETUP_REQUEST)


def check_timer(rows, start, stops, expired, length_ns):
    """From row `start` on one of `stops` comes before the timer expires, or `expired` does when it does."""
    since = rows[start]["t_ns"]
    for row in rows[start + 1:]:
        if row["value"] in stops:
            assert row["t_ns"] - since <= length_ns
            return
        if expired(row):
            assert row["t_ns"] - since == length_ns
            return
        assert row["t_ns"] - since <= length_ns or row["node"] == 0  # what base stations say goes on
    raise AssertionError("the timer neither stopped nor expired")


@fast
@given(networks())
def test_timers_stop_or_expire(plan):
    """T304 from a command on, T311 from a failure on, T301 from a selected cell on. TS 38.331 7.1.1."""
    run, ms = Run(plan), {key: plan.cfg[f"{KEY}{key}_ms"] * MS for key in ("t304", "t311", "t301")}
    for ue in range(1, plan.cfg["n_ue"] + 1):
        rows = messages(run, ue)
        for i, row in enumerate(rows):
            if row["value"] == lib.CELL_RRC_DETACH:
                check_timer(rows, i, STOPS_T304, is_cause("t304"), ms["t304"])
            elif row["value"] == lib.CELL_RRC_RADIO_LINK_FAILURE:
                check_timer(rows, i, STOPS_T311, is_idle, ms["t311"])
            elif row["value"] == lib.CELL_RRC_CELL_SELECTED:
                check_timer(rows, i, STOPS_T301, is_idle, ms["t301"])


def is_cause(name):
    return lambda row: row["value"] == lib.CELL_RRC_RADIO_LINK_FAILURE and row["aux"] == CAUSES[name]


def is_idle(row):
    return row["value"] == lib.CELL_RRC_IDLE


@fast
@given(networks())
def test_idle_means_setup(plan):
    """A UE that was idle sets up a connection, and one that was not asks for re-establishment. Without a context this
    is a setup, too; with `fetch` it never is."""
    run = Run(plan)
    for ue in range(1, plan.cfg["n_ue"] + 1):
        idle = False
        for row in messages(run, ue):
            if row["value"] == lib.CELL_RRC_IDLE:
                idle = True
            elif row["value"] in STOPS_T301:
                assert (row["value"] == lib.CELL_RRC_SETUP_REQUEST) == idle
            elif row["value"] in (lib.CELL_RRC_REESTABLISHED, lib.CELL_RRC_SETUP_COMPLETE):
                setup = row["value"] == lib.CELL_RRC_SETUP_COMPLETE
                assert setup or not idle
                assert not setup or idle or plan.cfg[KEY + "context"] != 1
                assert setup or plan.cfg[KEY + "context"] != 2
                idle = False


@fast
@given(networks())
def test_a_ue_without_a_cell_is_silent(plan):
    """From a failure until the cell that it selected: not a block from it or to it, and then random access alone."""
    run = Run(plan)
    away, selected = set(), {}
    for o in run.cell.outputs:
        if o.type == lib.CELL_OUT_PDU and o.info["rnti_type"] != 2 and o.info["ue"] in away:
            assert o.info["enb"] == selected.get(o.info["ue"]) and o.info["dir"] == 0
        if o.type != lib.CELL_OUT_RECORD or (row := o.row())["event"] != lib.CELL_EV_RRC:
            continue
        if row["value"] == lib.CELL_RRC_RADIO_LINK_FAILURE:
            away.add(row["peer"])
            selected.pop(row["peer"], None)
        elif row["value"] == lib.CELL_RRC_CELL_SELECTED:
            selected[row["peer"]] = row["enb"]
        elif row["value"] in (lib.CELL_RRC_REESTABLISHED, lib.CELL_RRC_SETUP_COMPLETE):
            away.discard(row["peer"])


# A UE always comes back where its context is, and before it would be idle.
WITH_CONTEXT = {KEY + "context": 1, KEY + "t311_ms": 30000, KEY + "t301_ms": 2000}


def check_all_arrived(run):
    """Each packet once and in the order of sending, unless a UE was idle on its way."""
    if any(row["value"] == lib.CELL_RRC_IDLE for ue in range(run.plan.cfg["n_ue"]) for row in messages(run, ue + 1)):
        return
    assert run.reasons() <= {lib.CELL_DROP_DUPLICATE}
    assert run.held == 0
    in_order = not run.plan.cfg.get("pdcp.out_of_order_delivery")
    for key, tags in expected_of(run).items():
        assert (run.got[key] if in_order else sorted(run.got[key])) == tags, key


@fast
@given(networks(nr=True, rlc_modes=(AM,), losses=False, lossy=False, changes=LOSSLESS | WITH_CONTEXT))
def test_with_a_context_am_of_nr_loses_nothing_and_keeps_the_order(plan):
    check_all_arrived(Run(plan))


@fast
@given(networks(nr=False, rlc_modes=(AM,), losses=False, changes=LTE_LOSSLESS | WITH_CONTEXT))
def test_with_a_context_am_of_lte_loses_nothing_and_keeps_the_order(plan):
    """Without block errors, as only failures are to stop RLC."""
    plan.cfg["harq.bler_q32"] = [0, 0]
    plan.cfg["ue"] = [ue | {"bler_ul_q32": 0, "bler_dl_q32": 0} for ue in plan.cfg["ue"]]
    check_all_arrived(Run(plan))


@fast
@given(networks(rlc_modes=(UM,)))
def test_um_delivers_nothing_twice(plan):
    run = Run(plan)
    for tags in run.got.values():
        assert len(set(tags)) == len(tags)
