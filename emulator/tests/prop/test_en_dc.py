# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds for LTE and NR under one PDCP, whatever becomes of the gNB. Source: TS 37.340 7; TS 38.323 5.2.2, 5.5"""

from coreffi import lib
from coreplan import GNB, PKTS_MAX, PLAN_BYTES, PORT_NETWORK, Plan, Run, announced, gap, in_pieces
from draw import Choices
from draw import plans as plans_of
from examples import examples
from hypothesis import event, given
from hypothesis import strategies as st
from nrplan import AM, action, config

ENB = 0
RSRPS = (-14000, -12000, -11000, -9000)  # centi-dBm, around the thresholds
RELEASES = (lib.CELL_RRC_SCG_RELEASE, lib.CELL_RRC_SCG_FAILURE_INFORMATION)


def of_the_gnb(choices: Choices, n_ue: int) -> tuple:
    ue = choices.number(1, n_ue)
    if choices.pick("measure", "measure", "channel") == "measure":
        return "measure", ue, choices.pick(*RSRPS)
    return "channel of the gNB", ue, (choices.pick(0, 1), choices.number(0, 15), choices.pick(-1000, 0, 2000))


def en_dc(choices: Choices, lossy: bool = True, changes=None) -> Plan:
    """Traffic, channels of both, and measurements of the gNB."""
    cfg = config(choices, lossy, (AM,)) | {
        "system": lib.CELL_SYSTEM_EN_DC, "n_enb": 2, "max_pkts": PKTS_MAX, "nr.aqm.mode": 0, "nr.sdap_header": 0,
        "pdcp.duplication": 0, "lte.n_rb": choices.pick(50, 6, 100), "en_dc.x2_us": choices.pick(1000, 0, 1, 20000),
        "en_dc.report_ms": choices.pick(5, 1, 40), "en_dc.queue_ms": choices.pick(20, 1, 200),
        "en_dc.ul_primary_path": choices.pick(1, 0), "en_dc.scg.on": choices.pick(1, 0),
        "en_dc.scg.time_to_trigger_ms": choices.pick(0, 40), "en_dc.scg.access_ms": choices.pick(10, 62),
        "en_dc.scg.link_failure": choices.pick(1, 0), "en_dc.scg.t307_ms": choices.pick(100, 1000), **(changes or {})}
    t_ns, actions = 0, []
    for _ in range(choices.pick(*range(11), 25)):
        t_ns += gap(choices)
        actions.append((t_ns, *(of_the_gnb(choices, cfg["n_ue"]) if choices.pick(0, 0, 1)
                                else action(choices, cfg, lossy))))
    return Plan(cfg, actions)


def of_reordering(choices: Choices) -> Plan:
    """In which PDCP delivers in order, however long it takes."""
    return en_dc(choices, changes={"pdcp.out_of_order_delivery": 0, "pdcp.t_reordering_infinite": 1})


def without_loss(choices: Choices) -> Plan:
    """Nothing is lost on the air, and nothing is given up."""
    return en_dc(choices, lossy=False, changes={
        "pdcp.out_of_order_delivery": 0, "pdcp.t_reordering_infinite": 1, "pdcp.discard_timer_ms": 0,
        "rlc.queue_pkts": PKTS_MAX, "rlc.queue_bytes": 0, "en_dc.scg.link_failure": 0})


def see(run: Run) -> None:
    for row in run.rows(lib.CELL_EV_RRC):
        if row["value"] in RELEASES:
            event("the SCG ended")
    for enb in {row["enb"] for row in run.rows(lib.CELL_EV_RLC_TX)}:
        event(f"RLC of {enb}")


@examples(150)
@given(plans_of(of_reordering, PLAN_BYTES))
def test_packets_arrive_in_order_and_once(plan):
    """Of each direction of each UE, with the bytes that they had."""
    run = Run(plan)
    see(run)
    last = {}
    for o in run.of(lib.CELL_OUT_DELIVER):
        _, port, data = run.pushed[o.tag]
        assert o.port == port ^ PORT_NETWORK and o.data == data
        assert o.tag > last.get(port, 0)
        last[port] = o.tag


@examples(80)
@given(plans_of(without_loss, PLAN_BYTES))
def test_what_the_gnb_had_is_not_lost(plan):
    """Also when it is released while it has something: all that ended by then was delivered."""
    run = Run(plan)
    see(run)
    dropped = [o for o in run.of(lib.CELL_OUT_DROP) if o.tag in run.pushed]
    assert {o.reason for o in dropped} <= {lib.CELL_DROP_SHUTDOWN, lib.CELL_DROP_DUPLICATE, lib.CELL_DROP_QUEUE_FULL}


@examples(60)
@given(plans_of(en_dc, PLAN_BYTES), st.lists(st.floats(0, 1, exclude_max=True), max_size=6))
def test_splitting_time_changes_nothing(plan, cuts):
    once = Run(plan)
    times = [o.t_ns for o in once.cell.outputs]
    assert times == sorted(times)
    run = Run(plan, in_pieces(cuts), n_out=lib.cell_out_min(once.cfg))
    assert run.cell.outputs == once.cell.outputs
    assert run.digest == once.digest


@examples(60)
@given(plans_of(en_dc, PLAN_BYTES))
def test_nothing_leaves_before_it_was_announced(plan):
    Run(plan, announced)


@examples(60)
@given(plans_of(en_dc, PLAN_BYTES))
def test_rows_say_whose_cell_it_is(plan):
    """Blocks of LTE and of NR have numbers of their own, and each has all its rows in one cell."""
    run = Run(plan)
    cells = {}
    for row in run.rows(lib.CELL_EV_MAC_TX, lib.CELL_EV_MAC_RX, lib.CELL_EV_RLC_TX, lib.CELL_EV_HARQ_NACK):
        assert cells.setdefault(row["block"], row["enb"]) == row["enb"] in (ENB, GNB)
