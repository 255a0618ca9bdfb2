# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds for UEs that are handed over, whatever happens between the ends of the tunnels."""

from collections import defaultdict

from coreffi import Cell, lib
from corenet import MS, SGW, SGW_ADDRESS, Plan, Run, address, enb_port
from coreplan import OF_OTHERS, PKTS_MAX, RLC_MODES, WHOLE_MIN_RB, in_time, q32
from draw import plans
from examples import examples
from hypothesis import given

# Not what handovers exclude, and one reason only for a packet to be late.
NOT_DRAWN = (*(key for key in OF_OTHERS if key not in ("handover.", "gtpu.")), "rlc.delivery", "pdcp.sn_bits",
             "pdcp.reordering", "lte.mode_switch.", "lte.control.errors", "harq.nack_to_ack")

# Longer takes time and finds nothing more.
MOST = {"handover.procedure": lib.CELL_HO_PREDICTION, "handover.detach_ms": 100, "rlc.am.reestablish_ms": 100,
        "handover.end_marker_gap_ms": 50, "rlc.am.t_status_prohibit_ms": 60}  # fmt: skip

fast = examples(100)


def check_conservation(run: Run):
    """By the counters; the core itself asserts it after every event."""
    s = run.cell.stats()
    assert s.pkts_in + s.pkts_originated == s.pkts_delivered + sum(s.pkts_dropped) + s.pkts_terminated + s.pkts_held


def ue_config(choices, number, n_enb, rlc_mode):
    """A UE whose packets arrive in the end: over TM only those that a block holds as a whole."""
    keys = choices.keys("CFG_UE", without=("rnti", "mode"))
    ue = {name: min(value, q32(0.4)) if name.endswith("_q32") else value for name, value in keys.items()}
    return ue | {"peer": 0, "mode": 0, "addr": address(f"10.45.0.{number}"), "enb": choices.number(0, n_enb - 1),
                 **{key: choices.number(15 if rlc_mode == lib.CELL_RLC_TM else 5, 15) for key in ("cqi_ul", "cqi_dl")}}


QUANTILES = ("p5_ms", "p25_ms", "p50_ms", "p75_ms", "p95_ms", "p99_ms")


def times(choices, of, may_be_on):
    """Quantiles of times that are drawn for each handover."""
    ms = sorted(choices.number(0, MOST["handover.detach_ms"]) for _ in QUANTILES)
    return {f"handover.{of}.on": may_be_on and choices.pick(False, True),
            **{f"handover.{of}.{name}": value for name, value in zip(QUANTILES, ms, strict=True)}}


def detach_ns(cfg):
    """The shortest and the longest time without a cell."""
    drawn = cfg.handover.detach_times
    first, last = (drawn.p5_ms, drawn.p99_ms) if drawn.on else (cfg.handover.detach_ms, cfg.handover.detach_ms)
    return first * MS, last * MS


def config(choices, rlc_modes):
    """Cells between which UEs are handed over."""
    n_enb, n_ue, rlc_mode = choices.number(2, 3), choices.number(1, 3), choices.pick(*rlc_modes)
    keys = in_time(choices.keys(without=NOT_DRAWN))
    keys |= {name: min(keys[name], most) for name, most in MOST.items() if name in keys}
    keys["handover.prediction_timeout_ms"] = max(keys.get("handover.prediction_timeout_ms", 1000),
                                           2 * keys.get("handover.signalling_us", 4000) // 1000 + 1)
    if keys.get("rlc.um.sn_bits") == 5:  # come round while HARQ sends a block again, which joins halves of two packets
        keys["harq.max_attempts"] = 1
    if rlc_mode == lib.CELL_RLC_TM:  # UEs share the carrier then, and no block may hold a packet
        keys["lte.mac.ul_always_scheduled"] = 0
    for of in ("detach_times", "preparation_times"):
        keys |= times(choices, of, keys.get("handover.procedure") != lib.CELL_HO_PREDICTION)
    rates = [q32(0.3), q32(0.1)] if keys.get("harq.max_attempts", 1) > 1 else [0, 0]
    return keys | {
        "seed": choices.number(0, 2**16 - 1), "n_enb": n_enb, "n_ue": n_ue, "rlc.mode": rlc_mode,
        "lte.n_rb": max(keys.get("lte.n_rb", 50), WHOLE_MIN_RB if rlc_mode == lib.CELL_RLC_TM else 6),
        "max_pkts": choices.pick(60, PKTS_MAX), "gtpu.sgw_addr": SGW_ADDRESS,
        "gtpu.enb_addr": [address(f"10.60.{k + 1}.1") for k in range(n_enb)],
        "ue": [ue_config(choices, i + 1, n_enb, rlc_mode) for i in range(n_ue)],
        "harq.n_bler": 2, "harq.bler_q32": rates,
        "handover.a3.on": keys.get("handover.procedure") != lib.CELL_HO_PREDICTION,
    }  # fmt: skip


def action(choices, cfg):
    """(kind, UE, lengths of packets or an eNB)"""
    kind, ue = choices.pick("downlink", "uplink", "downlink", "handover", "measure", "predict"), \
        choices.number(1, cfg["n_ue"])
    if kind == "measure":
        return kind, ue, [-100 * choices.number(70, 110) for _ in range(cfg["n_enb"])]
    if kind in ("handover", "predict"):
        return kind, ue, choices.number(0, cfg["n_enb"] - 1)
    return kind, ue, [choices.pick(24, 60, 1400, 1500, choices.number(24, 1500))
                      for _ in range(choices.pick(1, 2, 3, 5, 8, 20))]


def plan_of(choices, rlc_modes=RLC_MODES, losses=True, changes=None):
    cfg = config(choices, rlc_modes) | (changes or {})
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
    return plans(lambda choices: plan_of(choices, **kinds), 400)


@fast
@given(networks())
def test_every_packet_is_accounted_for(plan):
    """Whatever is lost on the way; nothing arrives twice over AM, or for another UE, or changed."""
    run = Run(plan, check=check_conservation)
    assert run.stats.pkts_held == 0
    for tags in run.got.values():
        assert len(set(tags)) == len(tags)


LOSSLESS = {
    "handover.forwarding": 1, "handover.reordering": 1, "handover.end_marker_ms": 200, "rlc.queue_pkts": 1000,
    "rlc.queue_bytes": 0,
    "max_pkts": 4000, "pdcp.discard_timer_ms": 0,
    "rlc.am.on_max_retx": lib.CELL_MAX_RETX_REESTABLISH, "rlc.am.max_retx_threshold": 32,
}  # fmt: skip


@fast
@given(networks(rlc_modes=(lib.CELL_RLC_AM,), losses=False, changes=LOSSLESS))
def test_lossless_and_in_order(plan):
    """AM, forwarding and reordering: every packet once and in order, both ways, across every handover."""
    run = Run(plan)
    expected = defaultdict(list)
    for tag, (ue, direction, _) in run.sent.items():
        expected[ue, direction].append(tag)
    assert run.reasons() <= {lib.CELL_DROP_DUPLICATE}
    assert run.held == 0
    for key, tags in expected.items():
        assert run.got[key] == tags, key


@fast
@given(networks())
def test_same_plan_same_outputs(plan):
    """And the smallest array of outputs only cuts them into portions."""
    one, two = Run(plan), Run(plan, n_out=lib.cell_out_min(Cell(plan.cfg).cfg))
    assert one.cell.outputs == two.cell.outputs
    assert one.digest == two.digest


@fast
@given(networks())
def test_a_resource_block_of_a_cell_is_used_once(plan):
    run = Run(plan)
    taken = defaultdict(set)
    rnti = {}
    for o in run.cell.outputs:
        if o.type != lib.CELL_OUT_PDU or (i := o.info)["preamble"] or i["rnti_type"] == 2:
            continue
        where = (i["enb"], i["subframe"], i["dir"], i["carrier"], i["codeword"])
        blocks = set(range(i["rb_start"], i["rb_start"] + i["n_rb"]))
        assert not blocks & taken[where]
        taken[where] |= blocks
        assert rnti.setdefault((i["enb"], i["rnti"]), i["ue"]) == i["ue"]


@fast
@given(networks())
def test_a_ue_between_two_cells_is_silent(plan):
    """From the handover command to the synchronisation it neither sends nor receives."""
    run = Run(plan)
    away = {}
    for o in run.cell.outputs:
        if o.type == lib.CELL_OUT_PDU:
            assert o.port not in away
        if o.type != lib.CELL_OUT_RECORD or (row := o.row())["event"] != lib.CELL_EV_RRC:
            continue
        if row["value"] == lib.CELL_RRC_DETACH:
            away[row["peer"]] = row["t_ns"]
        elif row["value"] == lib.CELL_RRC_SYNCHRONISED:
            first_ns, last_ns = detach_ns(run.cell.cfg)
            assert first_ns <= row["t_ns"] - away.pop(row["peer"]) <= last_ns
