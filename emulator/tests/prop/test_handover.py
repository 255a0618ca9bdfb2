# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds for UEs that are handed over, whatever happens between the ends of the tunnels."""

from collections import defaultdict

from coreffi import Cell, lib
from corenet import MS, SGW, SGW_ADDRESS, Plan, Run, address, enb_port
from hypothesis import given, settings
from hypothesis import strategies as st

RLC_MODES = range(lib.CELL_RLC_MODE_COUNT)

fast = settings(max_examples=100)


def check_conservation(run: Run):
    """By the counters; the core itself asserts it after every event."""
    s = run.cell.stats()
    assert s.pkts_in + s.pkts_originated == s.pkts_delivered + sum(s.pkts_dropped) + s.pkts_terminated + s.pkts_held


def q32(probability: float) -> int:
    return int(probability * (2**32 - 1))


@st.composite
def configs(draw, rlc_modes=RLC_MODES):
    n_enb, n_ue = draw(st.integers(2, 3)), draw(st.integers(1, 3))
    rlc_mode = draw(st.sampled_from(rlc_modes))
    bler = st.sampled_from([0, 0, q32(0.1), q32(0.4)])
    # TM sends whole packets, and tries in every sub-frame where blocks are too small for them.
    cqi = st.just(15) if rlc_mode == lib.CELL_RLC_TM else st.integers(5, 15)
    attempts = draw(st.sampled_from([1, 4]))
    return {
        "seed": draw(st.integers(0, 2**32)),
        "n_enb": n_enb, "n_ue": n_ue, "n_rb": draw(st.sampled_from([18 if rlc_mode == lib.CELL_RLC_TM else 6, 25, 50])),
        "scheduler": draw(st.integers(0, lib.CELL_SCHED_COUNT - 1)),
        "sgw_gtpu_addr": SGW_ADDRESS,
        "enb_gtpu_addr": [address(f"10.60.{k + 1}.1") for k in range(n_enb)],
        "ue": [{"peer": 0, "mode": 0, "addr": address(f"10.45.0.{i + 1}"), "enb": draw(st.integers(0, n_enb - 1)),
                "weight": draw(st.integers(1, 4)), "cqi_ul": draw(cqi), "cqi_sl": 15, "cqi_dl": draw(cqi),
                "bler_ul_q32": draw(bler), "bler_dl_q32": draw(bler)}
               for i in range(n_ue)],
        "rlc_mode": rlc_mode, "max_pkts": draw(st.sampled_from([60, 1000])),
        "harq_max_attempts": attempts, "grant_to_tx_tti": 2, "decode_tti": draw(st.integers(1, 6)),
        "n_harq_bler": 2, "harq_bler_q32": [q32(0.3), q32(0.1)] if attempts > 1 else [0, 0],
        "rlc_queue_pkts": draw(st.sampled_from([3, 20, 500])),
        "discard_timer_ms": draw(st.sampled_from([0, 0, 30])),
        "am_t_status_prohibit_ms": draw(st.sampled_from([0, 10, 60])),
        "ho_procedure": draw(st.sampled_from([lib.CELL_HO_STANDARD, lib.CELL_HO_FAST_PATH_SWITCH,
                                              lib.CELL_HO_PREDICTION])),
        "ho_forwarding": draw(st.sampled_from([0, 1, 1])), "ho_reordering": draw(st.sampled_from([0, 1])),
        "ho_detach_ms": draw(st.sampled_from([0, 1, 30, 100])),
        "ho_prediction_timeout_ms": draw(st.sampled_from([60, 200, 1000])),
        "ho_signalling_us": draw(st.sampled_from([0, 1, 4000, 20_000])),
        "ho_end_markers": draw(st.sampled_from([1, 1, 2, 5])), "ho_end_marker_gap_ms": draw(st.sampled_from([1, 20])),
        "rar_to_msg3_tti": draw(st.sampled_from([2, 2, 6])), "pdcp_status_report": draw(st.integers(0, 1)),
    }  # fmt: skip


@st.composite
def plans(draw, rlc_modes=RLC_MODES, losses=True, changes=None):
    cfg = draw(configs(rlc_modes)) | (changes or {})
    ue, enb = st.integers(1, cfg["n_ue"]), st.integers(0, cfg["n_enb"] - 1)
    lengths = st.lists(st.sampled_from([24, 60, 1400, 1500]) | st.integers(24, 1500), min_size=1, max_size=20)
    traffic = st.tuples(st.sampled_from(["downlink", "uplink", "downlink"]), ue, lengths)
    change = st.tuples(st.sampled_from(["handover", "handover", "predict"]), ue, enb)
    gap = st.sampled_from([0, MS, 5 * MS, 30 * MS, 130 * MS]) | st.integers(0, 20 * MS)
    t_ns, actions = 0, []
    for wait, action in draw(st.lists(st.tuples(gap, traffic | traffic | change), max_size=30)):
        t_ns += wait
        actions.append((t_ns, *action))
    to_sgw = draw(st.integers(0, 10 * MS))
    ports = [SGW, *(enb_port(k) for k in range(cfg["n_enb"]))]
    delay = {(a, b): to_sgw if b == SGW else draw(st.integers(0, 25 * MS)) for a in ports for b in ports if a != b}
    lost = draw(st.frozensets(st.integers(1, 150), max_size=20)) if losses else frozenset()
    return Plan(cfg, actions, delay, lost)


@fast
@given(plans())
def test_every_packet_is_accounted_for(plan):
    """Whatever is lost on the way; nothing arrives twice over AM, or for another UE, or changed."""
    run = Run(plan, check=check_conservation)
    assert run.stats.pkts_held == 0
    for tags in run.got.values():
        assert len(set(tags)) == len(tags)


LOSSLESS = {
    "ho_forwarding": 1, "ho_reordering": 1, "rlc_queue_pkts": 1000, "max_pkts": 4000, "discard_timer_ms": 0,
    "am_on_max_retx": lib.CELL_MAX_RETX_REESTABLISH, "am_max_retx_threshold": 32,
}  # fmt: skip


@fast
@given(plans(rlc_modes=(lib.CELL_RLC_AM,), losses=False, changes=LOSSLESS))
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
@given(plans())
def test_same_plan_same_outputs(plan):
    """And the smallest array of outputs only cuts them into portions."""
    one, two = Run(plan), Run(plan, n_out=lib.cell_out_min(Cell(plan.cfg).cfg))
    assert one.cell.outputs == two.cell.outputs
    assert one.digest == two.digest


@fast
@given(plans())
def test_a_resource_block_of_a_cell_is_used_once(plan):
    run = Run(plan)
    taken = defaultdict(set)
    rnti = {}
    for o in run.cell.outputs:
        if o.type != lib.CELL_OUT_PDU or o.info["preamble"] or o.info["rnti_type"] == 2:
            continue
        i = o.info
        where = (i["enb"], i["subframe"], i["dir"])
        blocks = set(range(i["rb_start"], i["rb_start"] + i["n_rb"]))
        assert not blocks & taken[where]
        taken[where] |= blocks
        assert rnti.setdefault((i["enb"], i["rnti"]), i["ue"]) == i["ue"]


@fast
@given(plans())
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
            assert row["t_ns"] - away.pop(row["peer"]) == plan.cfg["ho_detach_ms"] * MS
