# SPDX-License-Identifier: GPL-2.0-or-later
"""What becomes of packets in a cell, whatever it is told to do: random cells, traffic and commands."""

from collections import defaultdict

import pytest
from coreffi import lib
from coreplan import DL, IM, KEEP, MS, NETWORK, PORT_NETWORK, SL, UL, Plan, Run, destination, plans
from examples import examples
from hypothesis import given

fast = examples(150)
APART_NS = 400 * MS


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
    s = run.cell.stats()
    assert s.pkts_held == 0
    assert s.bytes_delivered == sum(len(o.data) for o in run.of(lib.CELL_OUT_DELIVER))


@fast
@given(plans(lossy=False))
def test_in_order_without_losses(plan):
    """Per sender and direction: a change of route may let a packet overtake."""
    run = Run(plan)
    direction = {row["tag"]: (run.pushed[row["tag"]][1], row["dir"]) for row in run.rows(lib.CELL_EV_PKT_IN)}
    order = defaultdict(list)
    for o in run.of(lib.CELL_OUT_DELIVER):
        order[direction[o.tag]].append(o.tag)
    for tags in order.values():
        assert tags == sorted(tags)
    reasons = {o.reason for o in run.of(lib.CELL_OUT_DROP)}
    expected = {lib.CELL_DROP_QUEUE_FULL, lib.CELL_DROP_PDCP_DISCARD, lib.CELL_DROP_SHUTDOWN}
    if run.cfg.rlc.mode == lib.CELL_RLC_AM:  # t-PollRetransmit may be shorter than the way of a STATUS PDU
        expected.add(lib.CELL_DROP_RADIO_LINK_FAILURE)
    assert reasons <= expected


def at_least(cfg, port: int, direction: int, first: bool, alone: bool) -> int:
    """Time to the base station, a downlink after an uplink to another UE; the first packet also waits for its grant.

    Args:
        first: of its port.
        alone: none came before it. Others ride in what earlier ones were assigned in the downlink, if they find room.
    """
    delay = cfg.lte.timing.decode_tti * MS - cfg.lte.timing.processing_lead_ns
    assigned = cfg.lte.timing.dl_sched_to_tx_tti * MS if alone else 0
    if direction == DL:
        return delay + assigned
    if direction == UL and cfg.ue[port - 1].peer != NETWORK:
        delay += cfg.lte.timing.decode_tti * MS + assigned
    if first:
        t = cfg.lte.timing
        by_preamble, by_request = t.rar_delay_tti + t.rar_to_msg3_tti, t.decode_tti + t.grant_to_tx_tti
        delay += (min(by_preamble, by_request) if cfg.lte.sr.period_ms else by_preamble) * MS
        if direction == SL:
            delay += (cfg.lte.timing.decode_tti + cfg.lte.timing.grant_to_tx_tti) * MS
    return delay


@fast
@given(plans())
def test_no_packet_is_faster_than_its_path(plan):
    run = Run(plan)
    c = run.cfg
    asks = c.rlc.mode != lib.CELL_RLC_AM and not c.lte.mac.ul_always_scheduled  # STATUS PDUs may have asked before
    first, senders = set(), set()
    direction, alone = {}, None
    for row in run.rows(lib.CELL_EV_PKT_IN):
        alone = row["tag"] if alone is None else alone
        port = run.pushed[row["tag"]][1]
        direction[row["tag"]] = row["dir"]
        if port not in senders:
            senders.add(port)
            first.add(row["tag"])
    for o in run.of(lib.CELL_OUT_DELIVER):
        t_ns, port, _ = run.pushed[o.tag]
        # PDCP may have sent it again the other way.
        one_way = direction[o.tag] == DL or c.lte.mode_switch.flush != lib.CELL_FLUSH_RETRANSMIT
        ways = {direction[o.tag]} if one_way else {UL, SL}
        own = asks and o.tag in first, asks and o.tag == alone
        assert o.t_ns - t_ns >= min(at_least(c, port, way, *own) for way in ways)


REESTABLISHED = {"rlc.am.on_max_retx": lib.CELL_MAX_RETX_REESTABLISH, "lte.mode_switch.flush": KEEP}


@fast
@given(plans(rlc_modes=(lib.CELL_RLC_AM,), changes=REESTABLISHED))
def test_am_loses_nothing(plan):
    """What is lost on the air comes again, if need be after a re-establishment."""
    run = Run(plan)
    reasons = {o.reason for o in run.of(lib.CELL_OUT_DROP)}
    assert reasons <= {lib.CELL_DROP_QUEUE_FULL, lib.CELL_DROP_PDCP_DISCARD, lib.CELL_DROP_SHUTDOWN}
    if not run.cfg.pdcp.discard_timer_ms and not run.cfg.pdcp.reordering:
        assert lib.CELL_DROP_PDCP_DISCARD not in reasons


@pytest.mark.parametrize("cqi", range(1, 16))
@pytest.mark.parametrize("sender", [1, 1 | PORT_NETWORK])
@pytest.mark.parametrize("mode", [lib.CELL_RLC_UM, lib.CELL_RLC_AM])
def test_what_is_left_of_a_packet_gets_a_grant_of_its_own(mode, sender, cqi):
    """Grants that ignore headers, at any rate: the last bytes wait for no other packet."""
    keys = {"n_ue": 1, "ue": [{"peer": NETWORK, "mode": IM, "cqi_ul": cqi, "cqi_dl": cqi}], "rlc.mode": mode,
            "lte.n_rb": 6, "lte.mac.grants_ignore_headers": 1}
    run = Run(Plan(keys, [(length * APART_NS, "push", sender, length) for length in range(1, 120)]))
    late_ns = {len(o.data): o.t_ns - len(o.data) * APART_NS for o in run.of(lib.CELL_OUT_DELIVER)}
    assert list(late_ns) == list(range(1, 120))
    assert max(late_ns.values()) < APART_NS, late_ns
