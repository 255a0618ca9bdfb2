# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds for transport blocks of a cell, whatever it is told to do: resources, HARQ, and what the trace says."""

from collections import defaultdict

from coreffi import lib
from coreplan import DL, IM, MS, NETWORK, SL, UL, Plan, Run, plans, q32
from examples import examples
from hypothesis import example, given

RA_RNTI = 2
MESSAGE_3 = 1  # aux of a row

fast = examples(150)


def _uplink_ue(cqi, bler=0):
    return {"peer": NETWORK, "mode": IM, "cqi_ul": cqi, "cqi_dl": 15, "cqi_sl": 15, "bler_ul_q32": q32(bler),
            "bler_dl_q32": 0, "bler_sl_q32": 0}


# A retransmission that gives way to message 3, in a cell where nothing else happens when it is due again.
MOVED = Plan({
    "seed": 134, "n_ue": 3, "lte.n_rb": 15, "ue": [_uplink_ue(12), _uplink_ue(15, 0.1), _uplink_ue(15)],
    "harq.max_attempts": 3, "harq.n_bler": 1, "harq.bler_q32": [q32(0.5)], "harq.errors": lib.CELL_ERRORS_LADDER,
    "harq.dl_rtt_tti": 32, "harq.nack_to_ack_q32": 0, "lte.timing.rar_delay_tti": 3, "lte.timing.grant_to_tx_tti": 1,
    "lte.timing.rar_to_msg3_tti": 2,
    "lte.timing.decode_tti": 1, "lte.timing.processing_lead_ns": 0, "lte.ra.rac_timeout_tti": 4,
    "lte.ra.backoff_max_ms": 0, "lte.ra.n_preambles": 2,
    "lte.ra.prach_period_tti": 1, "lte.mac.bsr_grant_rb": 4, "scheduler": 2, "lte.dl_carriers": 1,
    "lte.dl_codewords": 1,
    "rlc.mode": lib.CELL_RLC_AM, "rlc.am.on_max_retx": lib.CELL_MAX_RETX_REESTABLISH, "rlc.am.max_retx_threshold": 1,
    "rlc.am.poll_pdu": 1, "rlc.am.poll_byte": 100, "rlc.am.t_poll_retransmit_ms": 5, "rlc.am.t_status_prohibit_ms": 0,
    "rlc.am.reestablish_ms": 0, "rlc.t_reordering_ms": 1, "rlc.queue_pkts": 100, "pdcp.sn_bits": 7, "max_pkts": 16,
}, [(0, "burst", 1, 3), (0, "burst", 1, 4), (0, "burst", 2, 5)])  # fmt: skip


@fast
@example(MOVED)
@given(plans())
def test_resources_of_a_sub_frame(plan):
    """No block twice and none beyond the carrier; one transmission of a UE; preambles only on occasions.

    The codewords of a carrier are layers, each on all of its blocks.
    """
    run = Run(plan)
    taken, senders = defaultdict(set), set()
    for o in run.of(lib.CELL_OUT_PDU):
        i = o.info
        assert o.t_ns == i["subframe"] * MS
        if i["preamble"]:
            assert i["subframe"] % run.cfg.lte.ra.prach_period_tti == 0
        if i["preamble"] or i["rnti_type"] == RA_RNTI:
            continue
        where = (i["subframe"], i["dir"] == DL, i["carrier"], i["codeword"])
        down = i["dir"] == DL
        assert i["carrier"] < (run.cfg.lte.dl_carriers if down else run.cfg.lte.ul_carriers)
        assert i["codeword"] < (run.cfg.lte.dl_codewords if down else 1)
        blocks = set(range(i["rb_start"], i["rb_start"] + i["n_rb"]))
        assert blocks and max(blocks) < run.cfg.lte.n_rb
        assert not blocks & taken[where]
        taken[where] |= blocks
        sender = (i["ue"], *where)
        assert sender not in senders
        senders.add(sender)


def fits_not(run: Run, subframe: int, carrier: int, n_rb: int) -> bool:
    """Messages 3 and other retransmissions of the uplink leave fewer blocks of a sub-frame."""
    first = sum(row["rb"] for row in run.rows(lib.CELL_EV_MAC_TX) if row["sn"] == subframe and row["aux"] == MESSAGE_3)
    again = sum(o.info["n_rb"] for o in run.of(lib.CELL_OUT_PDU)
                if o.info["subframe"] == subframe and o.info["dir"] != DL and o.info["carrier"] == carrier
                and o.info["attempt"] > 1)
    return (0 if carrier else first) + again + n_rb > run.cfg.lte.n_rb


@fast
@given(plans())
def test_harq_attempts(plan):
    """The same block comes again in its process, when it may, and not too often.

    Of the uplink eight sub-frames later, or when it has room beside what takes its blocks first.
    """
    run = Run(plan)
    c = run.cfg
    last = {}
    for o in run.of(lib.CELL_OUT_PDU):
        i = o.info
        if i["preamble"] or i["rnti_type"] == RA_RNTI:
            continue
        process = (i["ue"], i["dir"] == DL, i["carrier"], i["codeword"], i["harq_id"])
        assert 1 <= i["attempt"] <= c.harq.max_attempts
        if i["attempt"] > 1:
            data, was = last[process]
            wait = i["subframe"] - was["subframe"]
            assert o.data == data
            assert i["attempt"] == was["attempt"] + 1 and i["ndi"] == was["ndi"]
            assert not was["crc_ok"] or (i["dir"] == DL and c.harq.ack_to_nack_q32)
            assert wait % 8 == 0 if i["dir"] != DL else wait >= c.harq.dl_rtt_tti
            if i["dir"] != DL and not c.lte.control.errors:  # messages 3 whose grant was missed are not sent
                assert all(fits_not(run, at, i["carrier"], i["n_rb"])
                           for at in range(was["subframe"] + 8, i["subframe"], 8))
        elif process in last:
            assert i["ndi"] != last[process][1]["ndi"]
        last[process] = o.data, i
    s = run.cell.stats()
    for way in (UL, DL, SL):
        assert s.harq_retx[way] <= (c.harq.max_attempts - 1) * s.mac_pdus[way]


@fast
@given(plans())
def test_rows_of_a_block_have_its_number(plan):
    """From its first attempt over each further one to its end; what is in it was written and read with it."""
    run, tries = Run(plan), {}
    kinds = {getattr(lib, f"CELL_EV_{name}"): name for name in (
        "MAC_TX", "HARQ_NACK", "HARQ_TX", "MAC_RX", "MAC_LOST", "RLC_TX", "RLC_RX", "BSR_TX", "BSR_RX")}
    for row in run.rows(*kinds):
        kind, block = kinds[row["event"]], row["block"]
        if kind == "MAC_TX":
            assert block == len(tries) + 1
            tries[block] = [row["sn"]]
        elif kind == "HARQ_TX":
            tries[block].append(row["sn"])
        elif kind in ("HARQ_NACK", "MAC_RX", "MAC_LOST"):
            assert row["sn"] == tries[block][-1]
            assert kind != "HARQ_NACK" or row["value"] == len(tries[block])
        elif kind in ("RLC_TX", "BSR_TX"):
            assert block == len(tries) + 1, "before its block's row"
        else:
            assert block in tries
    assert len(tries) == sum(run.cell.stats().mac_pdus)
