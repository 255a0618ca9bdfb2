# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds for UEs that are handed over between gNBs by whichever procedure, and whatever happens on the way."""

from collections import defaultdict

from coreffi import Cell, lib
from corenet import MS, SGW, SGW_ADDRESS, Plan, Run, address, enb_port
from coreplan import q32
from draw import plans
from examples import examples
from hypothesis import given
from nrplan import AM, UM, frame
from test_handover import check_conservation

STANDARD, CONDITIONAL, DAPS = lib.CELL_HO_STANDARD, lib.CELL_HO_CONDITIONAL, lib.CELL_HO_DAPS
fast = examples(60)


def ue_config(choices, number, n_enb, lossy):
    rate = q32(choices.pick(0, 0, 0.02, 0.3)) if lossy else 0
    return {"peer": 0, "mode": 0, "addr": address(f"10.45.0.{number}"), "enb": choices.number(0, n_enb - 1),
            "bler_ul_q32": rate, "bler_dl_q32": rate, "cqi_ul": choices.number(6, 15), "cqi_dl": choices.number(6, 15)}


def config(choices, procedures, rlc_modes, lossy):
    """gNBs between which UEs are handed over."""
    n_enb, n_ue, procedure = choices.number(2, 3), choices.number(1, 3), choices.pick(*procedures)
    carrier = frame(choices)
    if procedure == DAPS and carrier["nr.phy.frequency_range"]:
        carrier |= {"nr.phy.numerology": 2, "nr.phy.frequency_range": 0, "nr.phy.bandwidth_mhz": 40}
    rates = choices.pick((0,), (0.5, 0.01), (0.3, 0.3, 0)) if lossy else (0,)
    return carrier | {
        "system": lib.CELL_SYSTEM_NR, "seed": choices.number(0, 2**16 - 1), "n_enb": n_enb, "n_ue": n_ue,
        "gtpu.sgw_addr": SGW_ADDRESS, "gtpu.enb_addr": [address(f"10.60.{k + 1}.1") for k in range(n_enb)],
        "ue": [ue_config(choices, i + 1, n_enb, lossy) for i in range(n_ue)],
        "harq.n_bler": len(rates), "harq.bler_q32": [q32(rate) for rate in rates], "harq.max_attempts": 4,
        "rlc.mode": choices.pick(*rlc_modes), "rlc.um.sn_bits": 12, "rlc.am.sn_bits": choices.pick(18, 12),
        "pdcp.sn_bits": choices.pick(18, 12), "pdcp.status_report": choices.pick(1, 0),
        "pdcp.t_reordering_ms": choices.pick(220, 20, 0), "pdcp.out_of_order_delivery": choices.pick(0, 0, 1),
        "pdcp.discard_timer_ms": choices.pick(0, 0, 50), "nr.sdap_header": choices.pick(0, 1),
        "nr.aqm.mode": choices.pick(0, 0, 1, 2), "nr.aqm.uplink": choices.pick(0, 1),
        "rlc.am.t_status_prohibit_ms": choices.pick(10, 0, 40), "rlc.am.max_retx_threshold": choices.pick(32, 2),
        "rlc.am.on_max_retx": choices.pick(lib.CELL_MAX_RETX_REESTABLISH, lib.CELL_MAX_RETX_STOP),
        "rlc.queue_pkts": choices.pick(200, 5), "max_pkts": choices.pick(300, 60),
        "handover.procedure": procedure, "handover.forwarding": 1 if procedure == DAPS else choices.pick(1, 0),
        "handover.reordering": choices.pick(1, 0), "handover.signalling_us": choices.pick(4000, 0, 1, 20000),
        "handover.end_marker_ms": choices.pick(200, 5), "handover.end_markers": choices.pick(1, 3),
        "handover.rrc_processing_ms": choices.pick(10, 0), "handover.execution_ms": choices.pick(10, 0),
        "handover.processing_ms": choices.pick(20, 0), "handover.ssb_period_ms": choices.pick(20, 0, 5),
        "handover.margin_ms": choices.pick(2, 0), "handover.a3.on": 1,
        "handover.condition.on": procedure == CONDITIONAL,
    }  # fmt: skip


def action(choices, cfg):
    """(kind, UE, lengths of packets, a gNB, or powers)"""
    kinds = ["downlink", "uplink", "downlink", "handover", "measure"]
    kind = choices.pick(*kinds, *(["predict"] if cfg["handover.condition.on"] else []))
    ue = choices.number(1, cfg["n_ue"])
    if kind == "measure":
        return kind, ue, [-100 * choices.number(70, 110) for _ in range(cfg["n_enb"])]
    if kind in ("handover", "predict"):
        return kind, ue, choices.number(0, cfg["n_enb"] - 1)
    return kind, ue, [choices.pick(24, 1400, 1500, choices.number(24, 1500)) for _ in range(choices.pick(1, 2, 8, 20))]


def plan_of(choices, procedures=(STANDARD, CONDITIONAL, DAPS), rlc_modes=(AM, UM), losses=True, lossy=True,
            changes=None):  # fmt: skip
    cfg = config(choices, procedures, rlc_modes, lossy) | (changes or {})
    to_sgw = choices.number(0, 10 * MS)
    ports = [SGW, *(enb_port(k) for k in range(cfg["n_enb"]))]
    delay = {(a, b): to_sgw if b == SGW else choices.number(0, 25 * MS) for a in ports for b in ports if a != b}
    lost = frozenset(choices.number(1, 150) for _ in range(choices.number(0, 20))) if losses else frozenset()
    t_ns, actions = 0, []
    for _ in range(choices.pick(*range(11), 30)):
        t_ns += choices.pick(0, MS, 5 * MS, 30 * MS, 130 * MS, choices.number(0, 20 * MS))
        actions.append((t_ns, *action(choices, cfg)))
    return Plan(cfg, actions, delay, lost)


def networks(**kinds):
    """@kinds: those of plan_of()."""
    return plans(lambda choices: plan_of(choices, **kinds), 440)


def expected_of(run):
    """Tags by UE and direction, in the order in which they were sent."""
    expected = defaultdict(list)
    for tag, (ue, direction, _) in run.sent.items():
        expected[ue, direction].append(tag)
    return expected


@fast
@given(networks())
def test_every_packet_is_accounted_for(plan):
    """Whatever is lost on the way; nothing arrives twice where PDCP goes on, or for another UE, or changed."""
    run = Run(plan, check=check_conservation)
    assert run.stats.pkts_held == 0
    times = [o.t_ns for o in run.cell.outputs]
    assert times == sorted(times)
    for tags in run.got.values():
        assert len(set(tags)) == len(tags)


LOSSLESS = {
    "handover.forwarding": 1, "handover.reordering": 1, "handover.end_marker_ms": 200, "rlc.queue_pkts": 1000,
    "max_pkts": 4000,
    "pdcp.discard_timer_ms": 0, "pdcp.t_reordering_infinite": 1, "nr.aqm.mode": 0,
    "rlc.am.on_max_retx": lib.CELL_MAX_RETX_REESTABLISH, "rlc.am.max_retx_threshold": 32,
}  # fmt: skip


def check_all_arrived(run):
    """Each packet once, and unless PDCP may deliver out of order in the order of sending."""
    assert run.reasons() <= {lib.CELL_DROP_DUPLICATE}
    assert run.held == 0
    in_order = not run.plan.cfg["pdcp.out_of_order_delivery"]
    for key, tags in expected_of(run).items():
        assert (run.got[key] if in_order else sorted(run.got[key])) == tags, key


@fast
@given(networks(rlc_modes=(AM,), losses=False, changes=LOSSLESS))
def test_am_loses_nothing_and_keeps_the_order(plan):
    """With forwarding, across every handover, both ways, by each procedure."""
    check_all_arrived(Run(plan))


@fast
@given(networks(procedures=(DAPS,), rlc_modes=(UM,), losses=False, lossy=False, changes=LOSSLESS))
def test_um_keeps_the_order_with_daps(plan):
    """COUNTs go on. What is on the air when the source is left, and came before the first copy, is lost."""
    run = Run(plan)
    assert run.reasons() <= {lib.CELL_DROP_DUPLICATE, lib.CELL_DROP_HANDOVER}
    if plan.cfg["pdcp.out_of_order_delivery"]:
        return
    for tags in run.got.values():
        assert tags == sorted(tags)


@fast
@given(networks())
def test_same_plan_same_outputs(plan):
    """And the smallest array of outputs only cuts them into portions."""
    one, two = Run(plan), Run(plan, n_out=lib.cell_out_min(Cell(plan.cfg).cfg))
    assert one.cell.outputs == two.cell.outputs
    assert one.digest == two.digest


@fast
@given(networks())
def test_headers_of_tunnels_say_which_way_a_packet_goes(plan):
    """Where they name its QoS flow. Source: TS 38.415 5.5.2"""
    for packet in Run(plan).routed:
        if packet[28] & 4 and packet[39] == 0x85:  # extension headers, the first of them a PDU Session Container
            assert packet[41] >> 4 == (packet[16:20] == SGW_ADDRESS.to_bytes(4, "big"))


@fast
@given(networks())
def test_a_resource_block_of_a_cell_is_used_once(plan):
    """Also where a UE is in two cells. An RNTI is one UE's in all of them."""
    run = Run(plan)
    taken, owner = defaultdict(set), {}
    for o in run.cell.outputs:
        if o.type != lib.CELL_OUT_PDU or (i := o.info)["rnti_type"] == 2:
            continue
        mine = set(range(i["rb_start"], i["rb_start"] + i["n_rb"]))
        assert not mine & taken[i["enb"], i["subframe"], i["dir"]]
        taken[i["enb"], i["subframe"], i["dir"]] |= mine
        assert owner.setdefault(i["rnti"], i["ue"]) == i["ue"]


@fast
@given(networks())
def test_when_a_ue_is_where(plan):
    """Between two cells it is silent. With DAPS it is in two from the answer until the release."""
    run = Run(plan)
    away, where = set(), {i + 1: {ue["enb"]} for i, ue in enumerate(plan.cfg["ue"])}
    for o in run.cell.outputs:
        if o.type == lib.CELL_OUT_PDU and o.info["rnti_type"] != 2:
            assert o.info["ue"] not in away and o.info["enb"] in where[o.info["ue"]]
        if o.type != lib.CELL_OUT_RECORD or (row := o.row())["event"] != lib.CELL_EV_RRC:
            continue
        ue, gnb, msg = row["peer"], row["enb"], row["value"]
        if msg == lib.CELL_RRC_DETACH:
            away.add(ue)
        elif msg == lib.CELL_RRC_SYNCHRONISED:
            away.discard(ue)
            where[ue] = {gnb} | (where[ue] if plan.cfg["handover.procedure"] == DAPS else set())
        elif msg == lib.CELL_RRC_DAPS_SOURCE_RELEASE:
            where[ue] = {gnb}
