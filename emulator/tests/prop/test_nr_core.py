# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds for a network of NR, whatever happens to it: packets, time, resources of a slot, HARQ."""

from collections import defaultdict
from dataclasses import replace

from coreffi import NEVER, ffi, lib
from coreplan import IM, NETWORK, PORT_NETWORK, Plan, Run, announced, destination, in_pieces
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from nrplan import AM, plans

fast = examples(60)
UL, DL = 0, 1
RA_RNTI = 2
MSGA = 3  # aux of a row


def slot_ns(cfg) -> int:
    return 1_000_000 >> cfg.nr.phy.numerology


def symbols(cfg, slot: int) -> tuple[int, int]:
    """Downlink and uplink symbols of a slot. Source: TS 38.213 11.1"""
    if cfg.nr.phy.duplex == 0:
        return 14, 14
    pattern = ffi.string(cfg.nr.phy.tdd_pattern).decode()
    return {"D": (14, 0), "U": (0, 14), "S": (cfg.nr.phy.tdd_special_dl_symbols, cfg.nr.phy.tdd_special_ul_symbols)}[
        pattern[slot % len(pattern)]]


@fast
@given(plans())
def test_every_packet_ends_once_and_intact(plan):
    run = Run(plan)
    ended = [o.tag for o in run.of(lib.CELL_OUT_DELIVER, lib.CELL_OUT_DROP)]
    assert sorted(ended) == sorted(run.pushed)
    for o in run.of(lib.CELL_OUT_DELIVER):
        _, sender, data = run.pushed[o.tag]
        assert o.data == data
        assert o.port == destination(run.cfg, sender)
    assert run.cell.stats().pkts_held == 0


@fast
@given(plans(lossy=False))
def test_in_order_without_losses(plan):
    run = Run(plan)
    order = defaultdict(list)
    for o in run.of(lib.CELL_OUT_DELIVER):
        order[o.port].append(o.tag)
    for tags in order.values():
        assert tags == sorted(tags)
    expected = {lib.CELL_DROP_QUEUE_FULL, lib.CELL_DROP_PDCP_DISCARD, lib.CELL_DROP_SHUTDOWN}
    if run.cfg.rlc.mode == AM:  # t-PollRetransmit may be shorter than the way of a STATUS PDU
        expected.add(lib.CELL_DROP_RADIO_LINK_FAILURE)
    assert {o.reason for o in run.of(lib.CELL_OUT_DROP)} <= expected


@fast
@given(plans(rlc_modes=(AM,), changes={"rlc.am.on_max_retx": lib.CELL_MAX_RETX_REESTABLISH}))
def test_am_loses_nothing(plan):
    run = Run(plan)
    lost = {o.reason for o in run.of(lib.CELL_OUT_DROP)} - {
        lib.CELL_DROP_QUEUE_FULL, lib.CELL_DROP_PDCP_DISCARD, lib.CELL_DROP_SHUTDOWN}
    assert not lost


@fast
@given(plans())
def test_no_packet_is_faster_than_its_path(plan):
    """A slot and the time to decode it: of the uplink the gNB's, of the downlink N1 symbols."""
    run = Run(plan)
    n1 = (8, 10, 17, 20)[run.cfg.nr.phy.numerology]  # Source: TS 38.214 Table 5.3-1
    for o in run.of(lib.CELL_OUT_DELIVER):
        t_ns, port, _ = run.pushed[o.tag]
        down = port & PORT_NETWORK
        decode_ns = slot_ns(run.cfg) * n1 // 14 if down else run.cfg.nr.mac.gnb_processing_us * 1000
        assert o.t_ns - t_ns >= slot_ns(run.cfg) + decode_ns
        assert (o.t_ns - decode_ns) % slot_ns(run.cfg) == 0 or run.cfg.rlc.mode != lib.CELL_RLC_TM


@fast
@given(plans(), st.lists(st.floats(0, 1, exclude_max=True), max_size=6))
def test_splitting_time_changes_nothing(plan, cuts):
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
    Run(plan, announced)


@fast
@given(plans())
def test_nothing_leaves_because_of_a_packet_before_its_transit(plan):
    """What was announced before packets were pushed at the start of a slot holds for cell_transit_min()."""
    length_ns = 1_000_000 >> plan.cfg["nr.phy.numerology"]
    pushes = [(t_ns - t_ns % length_ns, kind, *rest) for t_ns, kind, *rest in plan.actions if kind != "channel"]
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
def test_smallest_output_array(plan):
    large = Run(plan, n_out=200_000)
    small = Run(plan, n_out=lib.cell_out_min(large.cell.cfg))
    assert small.cell.outputs == large.cell.outputs
    assert small.digest == large.digest


@fast
@given(plans(changes={"nr.mac.configured_grant": 0}), st.integers(1, 46))
def test_ues_with_nothing_to_do_change_nothing(plan, more):
    """No draw, no turn of a scheduler, no slot. (Configured grants share the carrier by the number of UEs.)"""
    idle = [{"rnti": 1000 + i, "peer": NETWORK, "mode": IM, "cqi_ul": 15, "cqi_dl": 15, "cqi_sl": 15}
            for i in range(more)]
    cfg = plan.cfg | {"ue": plan.cfg["ue"] + idle, "n_ue": plan.cfg["n_ue"] + more}
    alone, among = Run(plan), Run(replace(plan, cfg=cfg))
    assert among.cell.outputs == alone.cell.outputs
    assert among.cell.stats().ttis_active == alone.cell.stats().ttis_active


def blocks(run: Run) -> list:
    """(row, PDU's info, bytes) of each transmission of a block."""
    rows = run.rows(lib.CELL_EV_MAC_TX, lib.CELL_EV_HARQ_TX)
    pdus = [o for o in run.of(lib.CELL_OUT_PDU) if o.info["rnti_type"] != RA_RNTI]
    return [(row, o.info, o.data) for row, o in zip(rows, pdus, strict=True)]


@fast
@given(plans())
def test_resources_of_a_slot(plan):
    """Of a carrier no resource block twice, none beyond it, and one block of a UE; only where there are symbols."""
    run = Run(plan)
    n_rb = {(1, 20): 51, (1, 10): 24, (1, 100): 273, (0, 20): 106, (0, 5): 25, (2, 20): 24, (2, 40): 51, (3, 50): 32,
            (3, 100): 66}[run.cfg.nr.phy.numerology, run.cfg.nr.phy.bandwidth_mhz]
    taken, senders = defaultdict(set), set()
    msga = {row["block"] for row in run.rows(lib.CELL_EV_MAC_TX) if row["aux"] == MSGA}
    for row, info, data in blocks(run):
        slot, down = info["subframe"], info["dir"] == DL
        assert row["t_ns"] == slot * slot_ns(run.cfg) and row["sn"] == slot and len(data) == row["bytes"]
        dl, ul = symbols(run.cfg, slot)
        assert dl >= run.cfg.nr.phy.pdcch_symbols + 3 if down else ul >= 4
        where = info["enb"], info["carrier"], slot, down
        assert info["carrier"] < (run.cfg.nr.phy.dl_carriers if down else 1)
        assert (info["ue"], *where) not in senders
        senders.add((info["ue"], *where))
        assert info["rb_start"] + info["n_rb"] <= n_rb and info["n_rb"] > 0
        if row["block"] in msga:  # those of one occasion are told apart by their preambles
            continue
        mine = set(range(info["rb_start"], info["rb_start"] + info["n_rb"]))
        assert not mine & taken[where]
        taken[where] |= mine


@fast
@given(plans())
def test_harq_attempts(plan):
    """A block comes again with the same bytes, after its feedback, as often as it may; and has one end."""
    run = Run(plan)
    last, ended = {}, defaultdict(int)
    for row, info, data in blocks(run):
        n = row["block"]
        assert 1 <= info["attempt"] <= run.cfg.harq.max_attempts
        if info["attempt"] > 1:
            was, bytes_were = last[n]
            assert data == bytes_were and info["attempt"] == was["attempt"] + 1
            assert info["ndi"] == was["ndi"]
            wait = run.cfg.nr.mac.k1_min + 1 if info["dir"] == DL else run.cfg.nr.mac.k2_min
            assert info["subframe"] - was["subframe"] >= min(wait, 4)
        last[n] = info, data
    for row in run.rows(lib.CELL_EV_MAC_RX, lib.CELL_EV_MAC_LOST):
        ended[row["block"]] += 1
    assert set(ended.values()) <= {1}


@fast
@given(plans())
def test_feedback_is_in_uplink_slots(plan):
    """The gNB hears of a downlink block after the first uplink slot that K1 allows, and of all of that slot at once."""
    run = Run(plan)
    due, length = defaultdict(lambda: [0, 0]), slot_ns(run.cfg)
    for _, info, _ in blocks(run):
        if info["dir"] != DL:
            continue
        slot = info["subframe"] + run.cfg.nr.mac.k1_min
        while symbols(run.cfg, slot)[1] < 14:
            slot += 1
        heard = -(-((slot + 1) * length + run.cfg.nr.mac.gnb_processing_us * 1000) // length)
        due[info["ue"], info["enb"], heard][0] += 1
    rows = run.rows(lib.CELL_EV_HARQ_FEEDBACK)
    assert all(due[row["peer"], row["enb"], row["sn"]][0] == row["value"] + row["aux"] for row in rows)
    heard = {(row["peer"], row["enb"], row["sn"]) for row in rows}
    end = plan.end_ns // length
    assert all(key in heard for key, (n, _) in due.items() if n and key[2] < end)


def test_a_report_that_nothing_waits_answers_a_request():
    """A block is repeated in the slot in which its UE asks for a grant: RLC wants to poll again. The gNB has both at
    the same time, and the block's report says that nothing waited when it was made. So it grants nothing more."""
    cfg = {"system": lib.CELL_SYSTEM_NR, "n_ue": 1, "ue": [{"peer": NETWORK, "mode": IM}], "nr.phy.numerology": 0,
           "nr.phy.bandwidth_mhz": 5, "nr.phy.tdd_pattern": b"DDSU", "nr.phy.tdd_special_dl_symbols": 8,
           "nr.phy.tdd_special_ul_symbols": 0, "nr.mac.k1_min": 6, "nr.mac.gnb_processing_us": 3000,
           "nr.mac.sr_period_slots": 8,
           "nr.mac.bsr_periodic_ms": 320, "nr.mac.bsr_retx_ms": 10240, "rlc.mode": AM, "rlc.am.sn_bits": 12,
           "pdcp.sn_bits": 12,
           "rlc.am.t_poll_retransmit_ms": 11, "rlc.am.t_status_prohibit_ms": 500, "harq.max_attempts": 2,
           "harq.n_bler": 2,
           "harq.bler_q32": [2**32 - 1, 0]}  # fmt: skip
    run = Run(Plan(cfg, [(18_200_000, "push", 1, 1)]))
    requests, heard = ([row["t_ns"] // 10**6 for row in run.cell.rows(event)]
                       for event in (lib.CELL_EV_SR, lib.CELL_EV_BSR_RX))
    grants = [row["t_ns"] // 10**6 for row in run.cell.rows(lib.CELL_EV_GRANT) if row["dir"] == UL]
    assert (requests, heard) == ([19, 43, 51], [47])
    assert grants == [26, 38, 58, 70]  # for the first request and its repetition; none before the third request
