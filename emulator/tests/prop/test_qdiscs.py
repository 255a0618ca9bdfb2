# SPDX-License-Identifier: GPL-2.0-or-later
"""Queue disciplines of bearers in LTE and NR: which packets are dropped, marked, and in which order they leave."""

from collections import defaultdict

import test_handover
import test_nr_handover
from coreffi import lib
from coreplan import PORT_NETWORK, Run, in_pieces
from coreplan import plan as lte_plan
from draw import Choices
from draw import plans as plans_of
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from nrplan import plan as nr_plan

fast = examples(60)
UL, DL = lib.CELL_DIR_UL, lib.CELL_DIR_DL
UM, AM = lib.CELL_RLC_UM, lib.CELL_RLC_AM
PFIFO, CODEL, FQ_CODEL, PIE, DUALPI2 = range(lib.CELL_QDISC_COUNT)
ALL, FIFOS = (CODEL, FQ_CODEL, PIE, DUALPI2), (CODEL, PIE)
CHANGES = {"pdcp.duplication": 0, "nr.aqm.mode": lib.CELL_AQM_NONE}


def qdisc(choices: Choices, kinds: tuple[int, ...]) -> dict[str, int]:
    """Times are those of short plans."""
    return {"kind": choices.pick(*kinds, PFIFO), "ecn": choices.pick(0, 1), "limit": choices.pick(0, 1, 5, 60),
            "target_us": choices.pick(1000, 5000, 15000), "interval_us": choices.pick(1, 2000, 100_000),
            "flows": choices.pick(3, 1, 1024), "quantum": choices.pick(256, 1514, 60000),
            "tupdate_us": choices.pick(1000, 15000), "alpha": choices.pick(32, 2, 0), "beta": choices.pick(32, 20, 0),
            "coupling_factor": choices.pick(2, 1, 10), "l4s_id": choices.pick(0, 1),
            "step_thresh_us": choices.pick(1000, 0), "max_rtt_us": choices.pick(10_000, 100_000)}


def managed(choices: Choices, kinds: tuple[int, ...] = ALL) -> dict:
    return CHANGES | {"rlc.qdisc": [qdisc(choices, kinds), qdisc(choices, kinds)]}


def cells(kinds: tuple[int, ...] = ALL, **of_plan):
    """LTE, with D2D, or NR."""
    return plans_of(lambda choices: choices.pick(lte_plan, nr_plan)(
        choices, rlc_modes=(UM, AM), changes=managed(choices, kinds), **of_plan), 400)


def handovers(kinds: tuple[int, ...] = ALL, changes_of=lambda module: {}, **of_plan):
    """Between eNBs or gNBs."""
    def plan(choices: Choices):
        module = choices.pick(test_handover, test_nr_handover)
        return module.plan_of(choices, changes=changes_of(module) | managed(choices, kinds),
                              **{"rlc_modes": (UM, AM)} | of_plan)

    return plans_of(plan, 480)


def packet(tag: int, length: int) -> bytes:
    """IPv4 of one of three flows, or something shorter."""
    body = bytearray((tag * 131 + i) & 0xFF for i in range(length))
    if length < 28:
        body[0] = 0
        return bytes(body)
    body[:28] = bytes([0x45, tag // 3 % 4, *bytes(7), 17, *bytes(10), tag % 3, 0, 0, 9, *bytes(4)])
    checksum = sum(int.from_bytes(body[i:i + 2]) for i in range(0, 20, 2))
    body[10:12] = (0xFFFF - (checksum & 0xFFFF) - (checksum >> 16)).to_bytes(2)
    return bytes(body)


@fast
@given(cells())
def test_every_packet_ends_once_and_intact(plan):
    """Only ECN fields change, of packets with a row of it, which were ECT."""
    run = Run(plan, payload=packet)
    marked = {row["tag"] for row in run.rows(lib.CELL_EV_ECN_MARK)}
    ended = [o.tag for o in run.of(lib.CELL_OUT_DELIVER, lib.CELL_OUT_DROP)]
    assert sorted(ended) == sorted(run.pushed)
    assert run.cell.stats().pkts_held == 0
    for o in run.of(lib.CELL_OUT_DELIVER):
        before = run.pushed[o.tag][2]
        assert o.data == before or (o.tag in marked and before[1] & 3 and o.data[1] & 3 == 3)
        assert o.data[2:10] + o.data[12:] == before[2:10] + before[12:]


@fast
@given(cells(lossy=False))
def test_a_flow_stays_in_order(plan):
    """Whatever the queues do with others; with DualPI2 those of one ECN field do."""
    run = Run(plan, payload=packet)
    direction = {row["tag"]: row["dir"] for row in run.rows(lib.CELL_EV_PKT_IN)}
    order = defaultdict(list)
    for o in run.of(lib.CELL_OUT_DELIVER):
        _, port, data = run.pushed[o.tag]
        order[port, direction[o.tag], data[20:24], data[1:2]].append(o.tag)
    for tags in order.values():
        assert tags == sorted(tags)


@fast
@given(cells(kinds=FIFOS, lossy=False))
def test_codel_and_pie_are_one_queue(plan):
    run = Run(plan, payload=packet)
    direction = {row["tag"]: row["dir"] for row in run.rows(lib.CELL_EV_PKT_IN)}
    order = defaultdict(list)
    for o in run.of(lib.CELL_OUT_DELIVER):
        order[run.pushed[o.tag][1], direction[o.tag]].append(o.tag)
    for tags in order.values():
        assert tags == sorted(tags)


@fast
@given(cells())
def test_where_there_is_none_nothing_is_managed(plan):
    run = Run(plan, payload=packet)
    pfifo = {way: run.cfg.rlc.qdisc[DL if way == DL else UL].kind == PFIFO for way in (UL, DL, lib.CELL_DIR_SL)}
    assert not [row for row in run.rows(lib.CELL_EV_ECN_MARK) if pfifo[row["dir"]]]
    dropped = {o.tag for o in run.of(lib.CELL_OUT_DROP) if o.reason == lib.CELL_DROP_AQM}
    if all(pfifo.values()):
        assert not dropped
    if not pfifo[UL] or run.cfg.system != lib.CELL_SYSTEM_NR:
        return
    assert all(run.pushed[tag][1] & PORT_NETWORK for tag in dropped)


@fast
@given(cells(), st.lists(st.floats(0, 1, exclude_max=True), max_size=6))
def test_splitting_time_changes_nothing(plan, cuts):
    once, run = Run(plan, payload=packet), Run(plan, in_pieces(cuts), payload=packet)
    assert run.cell.outputs == once.cell.outputs
    assert run.digest == once.digest


@fast
@given(handovers())
def test_every_packet_is_accounted_for_across_handovers(plan):
    run = test_handover.Run(plan, check=test_handover.check_conservation)
    assert run.stats.pkts_held == 0
    for tags in run.got.values():
        assert len(set(tags)) == len(tags)


@fast
@given(handovers(kinds=FIFOS, rlc_modes=(AM,), losses=False, changes_of=lambda module: module.LOSSLESS))
def test_across_handovers_only_queues_drop_and_the_order_stays(plan):
    run = test_handover.Run(plan)
    assert run.held == 0
    assert run.reasons() <= {lib.CELL_DROP_DUPLICATE, lib.CELL_DROP_AQM, lib.CELL_DROP_QUEUE_FULL}
    if plan.cfg.get("pdcp.out_of_order_delivery"):
        return
    for tags in run.got.values():
        assert tags == sorted(tags)
