# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds for bearers with guaranteed and maximum bit rates, priority levels and delay budgets.

Source: TS 23.501 5.7.2.5, 5.7.3
"""

from collections import defaultdict
from dataclasses import replace

from coreffi import constant, lib
from coreplan import IM, MS, NETWORK, PORT_NETWORK, Plan, Run, announced, in_pieces
from coreplan import plan as lte_plan
from draw import Choices, limits
from draw import plans as plans_of
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from nrplan import plan as nr_plan

UL, DL = lib.CELL_DIR_UL, lib.CELL_DIR_DL
UM, AM, TM = lib.CELL_RLC_UM, lib.CELL_RLC_AM, lib.CELL_RLC_TM
DSCP_ANY = constant("CELL_DSCP_ANY")
FLOW_PORT, MTU = 9000, 1500
HEADERS = 6  # of PDCP and RLC of a packet, at most
SDU_MAX = MTU + 3  # with PDCP's header
START_NS, LOADED_NS = 100 * MS, 400 * MS
BUDGET_NS = 50 * MS
DEFAULT_LEVEL = 90  # of 5QI 9. Source: TS 23.501 Table 5.7.4-1
KEYS = ("priority_level", "pdb_ms", "averaging_window_ms", "gbr_dl_bps", "gbr_ul_bps", "mbr_dl_bps", "mbr_ul_bps")
some, few = examples(60), examples(12)


def packet(tag: int, length: int) -> bytes:
    """UDP over IPv4 of one of two flows, or something shorter, which no filter takes."""
    body = bytearray((tag * 131 + i) & 0xFF for i in range(length))
    body[0] = 0
    if length >= 28:
        port = (FLOW_PORT + tag % 2).to_bytes(2, "big")
        body[:28] = bytes([0x45, *bytes(8), 17, *bytes(10), *port, *port, *bytes(4)])
    return bytes(body)


def qos(choices: Choices) -> dict:
    """Any keys of a bearer's QoS, with rates that short plans reach."""
    found = {"priority_level": choices.pick(0, 1, 20, 70, 90, 127), "pdb_ms": choices.pick(0, 1, 50),
             "averaging_window_ms": choices.pick(0, 1, 20, 4095)}
    for way in ("dl", "ul"):
        gbr = choices.pick(0, 0, 1000, 64_000, 2_000_000)
        found[f"gbr_{way}_bps"], found[f"mbr_{way}_bps"] = gbr, max(gbr, choices.pick(20_000, 1_000_000)) if (
            choices.pick(0, 1)) else 0
    return found


def bearers(choices: Choices, cfg: dict, rlc_modes) -> list[dict]:
    """Of some UEs, one for the first of the two flows, and the default bearer."""
    found = []
    for ue in range(1, cfg["n_ue"] + 1):
        dedicated = {"ue": ue, **qos(choices), "filter": {"protocol": lib.CELL_PROTOCOL_UDP,
                                                          "dscp": DSCP_ANY, "remote_port": FLOW_PORT}}
        alone = cfg["ue"][ue - 1]["peer"] == NETWORK
        if alone and choices.pick(1, 0):
            found.append(dedicated | {"rlc.mode": choices.pick(*rlc_modes)})
        if alone and choices.pick(0, 1):
            found.append({"ue": ue, **qos(choices)})
    return found


def cells(rlc_modes=(UM, AM, TM), lossy=True):
    """LTE, with D2D, or NR."""
    def of(choices: Choices) -> Plan:
        plan = choices.pick(lte_plan, nr_plan)(choices, rlc_modes=rlc_modes, lossy=lossy,
                                               changes={"pdcp.duplication": 0})
        if TM in rlc_modes and plan.cfg.get("system") != lib.CELL_SYSTEM_NR:
            plan.cfg["lte.n_rb"] = max(plan.cfg.get("lte.n_rb", 50), 18)
        plan.cfg["bearer"] = bearers(choices, plan.cfg, rlc_modes)
        if TM in rlc_modes:
            plan.cfg["nr.aqm.mode"] = lib.CELL_AQM_NONE
        return plan

    return plans_of(of, 440)


@some
@given(cells())
def test_every_packet_ends_once_and_intact(plan):
    run = Run(plan, payload=packet)
    ended = [o.tag for o in run.of(lib.CELL_OUT_DELIVER, lib.CELL_OUT_DROP)]
    assert len(ended) == len(set(ended)) and set(ended) <= set(run.pushed)
    assert all(o.data == run.pushed[o.tag][2] for o in run.of(lib.CELL_OUT_DELIVER))


@some
@given(cells(), st.lists(st.floats(0, 1, exclude_max=True), max_size=6))
def test_splitting_time_changes_nothing(plan, cuts):
    once, other = Run(plan, payload=packet), Run(plan, in_pieces(cuts), payload=packet)
    assert other.cell.outputs == once.cell.outputs
    assert other.digest == once.digest


@some
@given(cells())
def test_nothing_leaves_before_it_was_announced(plan):
    Run(plan, announced, payload=packet)


@some
@given(cells())
def test_what_asks_for_nothing_changes_nothing(plan):
    """Bearers with the level that those without keys have, and no rates."""
    plain = [{key: value for key, value in b.items() if key not in KEYS} for b in plan.cfg["bearer"]]
    named = [b | {"priority_level": DEFAULT_LEVEL, "pdb_ms": 50, "averaging_window_ms": 10} for b in plain]
    runs = [Run(replace(plan, cfg=plan.cfg | {"bearer": of}), payload=packet) for of in (plain, named)]
    assert runs[0].cell.outputs == runs[1].cell.outputs
    assert runs[0].digest == runs[1].digest


def limited():
    """UEs that have one bearer, with maximum bit rates."""
    def of(choices: Choices) -> Plan:
        plan = choices.pick(lte_plan, nr_plan)(choices, rlc_modes=(UM,), changes={"pdcp.duplication": 0})
        rates = {"mbr_dl_bps": choices.pick(20_000, 1000, 3_000_000), "mbr_ul_bps": choices.pick(20_000, 500_000),
                 "averaging_window_ms": choices.pick(20, 1, 100)}
        plan.cfg["bearer"] = [{"ue": i + 1, **rates} for i, ue in enumerate(plan.cfg["ue"]) if ue["peer"] == NETWORK]
        return plan

    return plans_of(of, 440)


@some
@given(limited())
def test_no_bearer_exceeds_its_maximum(plan):
    """From any time to any other one it sends what the rate gives, what adds up in a window, and one packet more."""
    run, sent = Run(plan, payload=packet), defaultdict(list)  # (t_ns, bytes of SDUs) by UE and direction
    for row in run.rows(lib.CELL_EV_RLC_TX):
        sent[row["peer"] if row["dir"] == DL else row["node"], row["dir"]].append((row["t_ns"], row["value"]))
    rates = {(b["ue"], way): b[f"mbr_{name}_bps"] for b in plan.cfg["bearer"]
             for way, name in ((DL, "dl"), (UL, "ul"))}
    for of, rows in sent.items():
        rate = rates.get(of)
        if rate is None:
            continue
        most = max(rate * plan.cfg["bearer"][0]["averaging_window_ms"] / 8000, MTU) + SDU_MAX
        for i, (from_ns, _) in enumerate(rows):
            total = 0
            for t_ns, size in rows[i:]:
                total += size
                assert total <= rate * (t_ns - from_ns) / 8e9 + most


def loaded(choices: Choices) -> Plan:
    """A cell with more to send than it can: a UE with a guaranteed bit rate that it does not exceed, one that always
    has packets, and a crowd. Packets have the same distance, and in LTE those of the first UE go down."""
    system = choices.pick(lib.CELL_SYSTEM_NR, lib.CELL_SYSTEM_LTE)
    way = choices.pick(DL, UL) if system == lib.CELL_SYSTEM_NR else DL
    rate, size = choices.pick(64_000, 500_000, 2_000_000), choices.pick(80, 500, 1400)
    key = "gbr_dl_bps" if way == DL else "gbr_ul_bps"
    of_nr = {"rlc.um.sn_bits": 12, "pdcp.sn_bits": 18, "nr.phy.bandwidth_mhz": 20}
    cfg = {"system": system, "n_ue": 2, "max_pkts": 4000, "rlc.mode": UM, "rlc.queue_pkts": 500,
           "scheduler": choices.number(*limits()["scheduler"]), **(of_nr if system == lib.CELL_SYSTEM_NR else {}),
           "ue": [{"peer": NETWORK, "mode": IM, "cqi_dl": 7, "cqi_ul": 7}, {"peer": NETWORK, "mode": IM}],
           "crowd.count": choices.pick(20, 0, 3), "crowd.direction": lib.CELL_CROWD_BOTH, "crowd.n_cqi": 1,
           "crowd.cqi": [15], "crowd.arrival": lib.CELL_CROWD_FULL_BUFFER, "crowd.weight": 255,
           # A packet has headers of PDCP and RLC, and of SDAP none.
           "bearer": [{"ue": 1, key: rate * (size + HEADERS) // size, "priority_level": 20}]}
    gap_ns = size * 8_000_000_000 // rate
    port, other = (1 | PORT_NETWORK, 2 | PORT_NETWORK) if way == DL else (1, 2)
    flow = [(START_NS + i * gap_ns, "push", port, size) for i in range(LOADED_NS // gap_ns)]
    bulk = [(t_ns, "burst", other, 40) for t_ns in range(0, START_NS + LOADED_NS, 5 * MS)]
    return Plan(cfg, sorted(flow + bulk))


@few
@given(plans_of(loaded, 16))
def test_what_is_guaranteed_arrives_in_time(plan):
    """Whatever the others offer, with any scheduler."""
    run = Run(plan, payload=packet)
    port = next(port for _, kind, port, _ in plan.actions if kind == "push")
    first = {tag: t_ns for tag, (t_ns, at, data) in run.pushed.items() if at == port}
    arrived = {o.tag: o.t_ns - first[o.tag] for o in run.of(lib.CELL_OUT_DELIVER) if o.tag in first}
    assert len(arrived) == sum(kind == "push" for _, kind, *_ in plan.actions)
    assert max(arrived.values()) <= BUDGET_NS


@few
@given(plans_of(loaded, 16))
def test_what_is_left_is_not_lost(plan):
    """With the first UE's packets the cell carries nearly as much in all: its channel is not the best."""
    stats = [Run(replace(plan, actions=[action for action in plan.actions if action[1] in kinds]), payload=packet
                 ).cell.stats() for kinds in (("burst",), ("burst", "push"))]
    got = [s.bytes_delivered + sum(s.crowd_bytes_out) for s in stats]
    assert got[1] >= 0.8 * got[0]
