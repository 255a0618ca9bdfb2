# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds for the radio core whatever it is told to do: random cells, traffic, commands and time steps."""

from collections import defaultdict
from dataclasses import dataclass, replace

from coreffi import NEVER, Cell, lib
from hypothesis import example, given, settings
from hypothesis import strategies as st

MS = 1_000_000
TAIL_NS = 400 * MS  # time given to what is under way after the last action
IM, DM = 0, 1
DISCARD, KEEP, RETRANSMIT = 0, 1, 2
NETWORK, PORT_NETWORK = 0, 0x80  # as a peer; the bit of a port behind the eNB
UL, DL, SL = 0, 1, 2
RA_RNTI = 2

RLC_MODES = range(lib.CELL_RLC_MODE_COUNT)

fast = settings(max_examples=150)


@dataclass
class Plan:
    """A cell and what happens to it: actions (t_ns, kind, ue, argument) in order of time."""

    cfg: dict
    actions: list

    @property
    def end_ns(self) -> int:
        return (self.actions[-1][0] if self.actions else 0) + TAIL_NS


def q32(probability: float) -> int:
    return int(probability * (2**32 - 1))


@st.composite
def peers(draw, n_ue: int, rlc_mode: int):
    """Peer of every UE: with AM each other's, otherwise anybody; or the network."""
    if rlc_mode != lib.CELL_RLC_AM:
        return [draw(st.sampled_from([n for n in range(n_ue + 1) if n != ue])) for ue in range(1, n_ue + 1)]
    order = draw(st.permutations(range(1, n_ue + 1)))
    peer = [NETWORK] * n_ue
    for one, two in zip(order[::2], order[1::2], strict=False):
        if draw(st.booleans()) or draw(st.booleans()):
            peer[one - 1], peer[two - 1] = two, one
    return peer


@st.composite
def ue_configs(draw, peer: int, lossy: bool):
    bler = st.sampled_from([0, 0, q32(0.1), q32(0.5), q32(0.95)] if lossy else [0])
    cqi = st.integers(1, 15) | st.just(15)
    return {
        "peer": peer, "mode": draw(st.sampled_from([IM, DM])) if peer else IM,
        "cqi_ul": draw(cqi), "cqi_dl": draw(cqi), "cqi_sl": draw(cqi),
        "bler_ul_q32": draw(bler), "bler_dl_q32": draw(bler), "bler_sl_q32": draw(bler),
    }  # fmt: skip


@st.composite
def harq_configs(draw, lossy: bool):
    """With HARQ a NACK has to come before the grants for the sub-frame of its retransmission."""
    attempts = draw(st.integers(1, 5))
    grant_to_tx_tti = draw(st.just(2) | st.integers(1, 8 if attempts == 1 else 7))
    rate = st.sampled_from([0, q32(0.01), q32(0.1), q32(0.5), q32(1)] if lossy else [0])
    ladder = sorted(draw(st.lists(rate, min_size=1, max_size=5)), reverse=True)
    return {
        "harq_max_attempts": attempts,
        "grant_to_tx_tti": grant_to_tx_tti,
        "rar_to_msg3_tti": draw(st.just(grant_to_tx_tti) | st.integers(grant_to_tx_tti, 8)),
        "decode_tti": draw(st.just(4) | st.integers(1, 8)) if attempts == 1 else
                      draw(st.integers(1, 8 - grant_to_tx_tti)),
        "harq_errors": draw(st.sampled_from([lib.CELL_ERRORS_LADDER, lib.CELL_ERRORS_SINR])) if lossy else 0,
        "harq_dl_rtt_tti": draw(st.sampled_from([8, 9, 32])),
        "n_harq_bler": len(ladder), "harq_bler_q32": ladder,
        "harq_nack_to_ack_q32": draw(st.sampled_from([0, q32(0.01), q32(0.3)] if lossy else [0])),
    }  # fmt: skip


@st.composite
def am_configs(draw):
    return {
        "am_on_max_retx": draw(st.sampled_from([lib.CELL_MAX_RETX_REESTABLISH, lib.CELL_MAX_RETX_STOP])),
        "am_max_retx_threshold": draw(st.sampled_from([1, 2, 4, 32])),
        "am_poll_pdu": draw(st.sampled_from([1, 4, 1024])),
        "am_poll_byte": draw(st.sampled_from([100, 25000])),
        "am_t_poll_retransmit_ms": draw(st.sampled_from([5, 45])),
        "am_t_status_prohibit_ms": draw(st.sampled_from([0, 10])),
        "am_reestablish_ms": draw(st.sampled_from([0, 5, 100])),
    }


def carriers(rlc_mode: int) -> list[int]:
    """Resource blocks; TM wants blocks with room for a packet."""
    return [18, 25, 50, 100] if rlc_mode == lib.CELL_RLC_TM else [6, 7, 15, 25, 50, 100, 110]


@st.composite
def configs(draw, lossy: bool = True, rlc_modes=RLC_MODES):
    n_ue = draw(st.integers(2, 4))
    rar_delay_tti = draw(st.just(3) | st.integers(1, 12))
    flag = st.sampled_from([0, 1])
    rlc_mode = draw(st.sampled_from(rlc_modes))
    return {
        "seed": draw(st.integers(0, 2**32)),
        "n_ue": n_ue,
        "n_rb": draw(st.sampled_from(carriers(rlc_mode))),
        "ue": [draw(ue_configs(peer, lossy)) for peer in draw(peers(n_ue, rlc_mode))],
        "rar_delay_tti": rar_delay_tti,
        **draw(harq_configs(lossy)),
        "control_errors": draw(st.sampled_from([0, 1])) if lossy else 0,
        "control_dtx": draw(st.sampled_from([lib.CELL_DTX_RETRY, lib.CELL_DTX_LOSE])),
        "grants_ignore_headers": draw(st.sampled_from([0, 0, 1])),
        "rlc_queue_bytes": draw(st.sampled_from([0, 0, 1500, 20000])),
        "mode_flush": draw(st.sampled_from([DISCARD, KEEP, RETRANSMIT])) if lossy else KEEP,
        "dl_sched_to_tx_tti": draw(st.just(1) | st.integers(1, 8)),
        "processing_lead_ns": draw(st.sampled_from([0, 1, 250_000, 999_999])),
        "rac_timeout_tti": draw(st.integers(rar_delay_tti + 1, 30)),
        "backoff_max_ms": draw(st.sampled_from([0, 20, 100])),
        "n_preambles": draw(st.sampled_from([1, 2, 52, 64])),
        "prach_period_tti": draw(st.sampled_from([1, 5, 20])),
        "bsr_grant_rb": draw(st.integers(1, 6)),
        "bandwidth_stealing": draw(flag), "trailing_bsr": draw(flag), "enb_overhears_dm": draw(flag),
        "ul_always_scheduled": draw(st.sampled_from([0, 0, 1])),
        "scheduler": draw(st.integers(0, lib.CELL_SCHED_COUNT - 1)),
        "dl_carriers": draw(st.integers(1, 3)), "dl_codewords": draw(st.integers(1, 2)),
        "rlc_mode": rlc_mode,
        "delivery": draw(st.sampled_from([lib.CELL_DELIVERY_IN_SEQUENCE, lib.CELL_DELIVERY_OUT_OF_SEQUENCE])),
        **draw(am_configs()),
        "um_sn_bits": draw(st.sampled_from([5, 10])),
        "t_reordering_ms": draw(st.sampled_from([0, 1, 35, 200])),
        "rlc_queue_pkts": draw(st.sampled_from([1, 5, 100])),
        "pdcp_sn_bits": draw(st.sampled_from([7, 12])),
        "pdcp_reordering": draw(st.sampled_from([0, 0, 1])), "pdcp_t_reordering_ms": draw(st.sampled_from([0, 50])),
        "discard_timer_ms": draw(st.sampled_from([0, 0, 1, 30])),
        "max_pkts": draw(st.sampled_from([16, 40, 300])),
    }  # fmt: skip


@st.composite
def plans(draw, lossy: bool = True, rlc_modes=RLC_MODES, changes=None):
    cfg = draw(configs(lossy, rlc_modes)) | (changes or {})
    ue = st.integers(1, cfg["n_ue"])
    servers = [n | PORT_NETWORK for n in range(1, cfg["n_ue"] + 1) if cfg["ue"][n - 1]["peer"] == NETWORK]
    port = ue | st.sampled_from(servers) if servers else ue
    length = st.sampled_from([1, 40, 52, 1500]) | st.integers(1, 1500)
    push = st.tuples(st.just("push"), port, length)
    burst = st.tuples(st.just("burst"), port, st.integers(2, 30))
    routed = [number for number in range(1, cfg["n_ue"] + 1) if cfg["ue"][number - 1]["peer"] != NETWORK]
    route = st.tuples(st.just("route"), st.sampled_from(routed), st.sampled_from([IM, DM])) if routed else push
    channel = st.tuples(st.just("channel"), ue, st.tuples(st.sampled_from([UL, DL, SL]), st.integers(0, 15),
                                                          st.integers(-1500, 3000))) if lossy else push
    gap = st.sampled_from([0, 0, MS, 5 * MS, 30 * MS]) | st.integers(0, 20 * MS)
    t_ns, actions = 0, []
    for wait, action in draw(st.lists(st.tuples(gap, push | push | burst | route | channel), max_size=25)):
        t_ns += wait
        actions.append((t_ns, *action))
    return Plan(cfg, actions)


def payload(tag: int, length: int) -> bytes:
    return bytes((tag * 131 + i * 7 + (i >> 8)) & 0xFF for i in range(length))


class Run:
    """A plan carried out. @step(cell, from_ns, to_ns) brings the cell up to, not including, to_ns."""

    def __init__(self, plan: Plan, step=None, n_out: int | None = None):
        self.plan = plan
        self.cell = Cell(plan.cfg, n_out)
        self.pushed: dict[int, tuple[int, int, bytes]] = {}  # tag: (t_ns, port, data)
        self.refused = 0
        self._tag = 0
        now_ns = 0
        step = step or (lambda cell, from_ns, to_ns: cell.advance(to_ns - 1))
        for t_ns, kind, port, argument in plan.actions:
            if t_ns > now_ns:
                step(self.cell, now_ns, t_ns)
                now_ns = t_ns
            if kind == "route":
                assert self.cell.route(port, argument, t_ns) == 0
            if kind == "channel":
                assert self.cell.channel(port, *argument, t_ns) == 0
            for length in [argument] if kind == "push" else [1400] * argument if kind == "burst" else []:
                self._push(port, length, t_ns)
            self.check_held()
        step(self.cell, now_ns, plan.end_ns)
        self.check_held()
        self.digest = self.cell.digest()
        self.cell.done()

    def _push(self, port: int, length: int, t_ns: int):
        self._tag += 1
        data = payload(self._tag, length)
        if self.cell.push(port, data, self._tag, t_ns) == 0:
            self.pushed[self._tag] = (t_ns, port, data)
        else:
            self.refused += 1

    def check_held(self):
        """Packets in = delivered + dropped + held, by the counters and by the outputs."""
        s = self.cell.stats()
        assert s.pkts_in == s.pkts_delivered + sum(s.pkts_dropped) + s.pkts_held
        assert s.pkts_in == len(self.pushed) + self.refused
        assert s.pkts_held == len(self.pushed) - len(self.of(lib.CELL_OUT_DELIVER, lib.CELL_OUT_DROP))

    def of(self, *types) -> list:
        return [o for o in self.cell.outputs if o.type in types]

    def rows(self, event: int) -> list:
        """Records of @event as dicts."""
        return self.cell.rows(event)


def destination(cfg: dict, port: int) -> int:
    if port & PORT_NETWORK:
        return port & ~PORT_NETWORK
    return cfg["ue"][port - 1]["peer"] or port | PORT_NETWORK


@fast
@given(plans())
def test_every_packet_ends_once_and_intact(plan):
    run = Run(plan)
    ended = [o.tag for o in run.of(lib.CELL_OUT_DELIVER, lib.CELL_OUT_DROP)]
    assert sorted(ended) == sorted(run.pushed)
    for o in run.of(lib.CELL_OUT_DELIVER):
        _, sender, data = run.pushed[o.tag]
        assert o.data == data
        assert o.port == destination(plan.cfg, sender)
    s = run.cell.stats()
    assert s.pkts_held == 0
    assert s.bytes_delivered == sum(len(o.data) for o in run.of(lib.CELL_OUT_DELIVER))


@fast
@given(plans(lossy=False))
def test_in_order_without_losses(plan):
    """Per sender and leg: a change of route may let a packet overtake."""
    run = Run(plan)
    leg = {row["tag"]: (run.pushed[row["tag"]][1], row["dir"]) for row in run.rows(lib.CELL_EV_PKT_IN)}
    order = defaultdict(list)
    for o in run.of(lib.CELL_OUT_DELIVER):
        order[leg[o.tag]].append(o.tag)
    for tags in order.values():
        assert tags == sorted(tags)
    reasons = {o.reason for o in run.of(lib.CELL_OUT_DROP)}
    expected = {lib.CELL_DROP_QUEUE_FULL, lib.CELL_DROP_PDCP_DISCARD, lib.CELL_DROP_SHUTDOWN}
    if plan.cfg["rlc_mode"] == lib.CELL_RLC_AM:  # t-PollRetransmit may be shorter than the way of a STATUS PDU
        expected.add(lib.CELL_DROP_RADIO_LINK_FAILURE)
    assert reasons <= expected


def at_least(cfg: dict, port: int, leg_dir: int, first: bool) -> int:
    """Time of the first leg, a downlink after an uplink to another UE; the first packet also waits for its grant."""
    delay = cfg["decode_tti"] * MS - cfg["processing_lead_ns"]
    if leg_dir == DL:
        return delay + cfg["dl_sched_to_tx_tti"] * MS
    if leg_dir == UL and cfg["ue"][port - 1]["peer"] != NETWORK:
        delay += (cfg["decode_tti"] + cfg["dl_sched_to_tx_tti"]) * MS
    if first:
        delay += (cfg["rar_delay_tti"] + cfg["rar_to_msg3_tti"]) * MS
        if leg_dir == SL:
            delay += (cfg["decode_tti"] + cfg["grant_to_tx_tti"]) * MS
    return delay


@fast
@given(plans())
def test_no_packet_is_faster_than_its_path(plan):
    run, c = Run(plan), plan.cfg
    asks = c["rlc_mode"] != lib.CELL_RLC_AM and not c["ul_always_scheduled"]  # STATUS PDUs may have asked before
    first, senders = set(), set()
    leg = {}
    for row in run.rows(lib.CELL_EV_PKT_IN):
        port = run.pushed[row["tag"]][1]
        leg[row["tag"]] = row["dir"]
        if port not in senders:
            senders.add(port)
            first.add(row["tag"])
    for o in run.of(lib.CELL_OUT_DELIVER):
        t_ns, port, _ = run.pushed[o.tag]
        # PDCP may have sent it again the other way.
        ways = {leg[o.tag]} if leg[o.tag] == DL or c["mode_flush"] != lib.CELL_FLUSH_RETRANSMIT else {UL, SL}
        assert o.t_ns - t_ns >= min(at_least(c, port, way, asks and o.tag in first) for way in ways)


def _uplink_ue(cqi, bler=0):
    return {"peer": NETWORK, "mode": IM, "cqi_ul": cqi, "cqi_dl": 15, "cqi_sl": 15, "bler_ul_q32": q32(bler),
            "bler_dl_q32": 0, "bler_sl_q32": 0}


# A retransmission that gives way to message 3, in a cell where nothing else happens when it is due again.
MOVED = Plan({
    "seed": 134, "n_ue": 3, "n_rb": 15, "ue": [_uplink_ue(12), _uplink_ue(15, 0.1), _uplink_ue(15)],
    "harq_max_attempts": 3, "n_harq_bler": 1, "harq_bler_q32": [q32(0.5)], "harq_errors": lib.CELL_ERRORS_LADDER,
    "harq_dl_rtt_tti": 32, "harq_nack_to_ack_q32": 0, "rar_delay_tti": 3, "grant_to_tx_tti": 1, "rar_to_msg3_tti": 2,
    "decode_tti": 1, "processing_lead_ns": 0, "rac_timeout_tti": 4, "backoff_max_ms": 0, "n_preambles": 2,
    "prach_period_tti": 1, "bsr_grant_rb": 4, "scheduler": 2, "dl_carriers": 1, "dl_codewords": 1,
    "rlc_mode": lib.CELL_RLC_AM, "am_on_max_retx": lib.CELL_MAX_RETX_REESTABLISH, "am_max_retx_threshold": 1,
    "am_poll_pdu": 1, "am_poll_byte": 100, "am_t_poll_retransmit_ms": 5, "am_t_status_prohibit_ms": 0,
    "am_reestablish_ms": 0, "t_reordering_ms": 1, "rlc_queue_pkts": 100, "pdcp_sn_bits": 7, "max_pkts": 16,
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
            assert i["subframe"] % plan.cfg["prach_period_tti"] == 0
        if i["preamble"] or i["rnti_type"] == RA_RNTI:
            continue
        where = (i["subframe"], i["dir"] == DL, i["carrier"], i["codeword"])
        assert i["carrier"] < plan.cfg["dl_carriers"] and i["codeword"] < plan.cfg["dl_codewords"]
        blocks = set(range(i["rb_start"], i["rb_start"] + i["n_rb"]))
        assert blocks and max(blocks) < plan.cfg["n_rb"]
        assert not blocks & taken[where]
        taken[where] |= blocks
        sender = (i["ue"], *where)
        assert sender not in senders
        senders.add(sender)


@fast
@given(plans())
def test_harq_attempts(plan):
    """The same block comes again in its process, when it may, and not too often."""
    run, c = Run(plan), plan.cfg
    last = {}
    for o in run.of(lib.CELL_OUT_PDU):
        i = o.info
        if i["preamble"] or i["rnti_type"] == RA_RNTI:
            continue
        process = (i["ue"], i["dir"] == DL, i["carrier"], i["codeword"], i["harq_id"])
        assert 1 <= i["attempt"] <= c["harq_max_attempts"]
        if i["attempt"] > 1:
            data, was = last[process]
            wait = i["subframe"] - was["subframe"]
            assert o.data == data
            assert i["attempt"] == was["attempt"] + 1 and i["ndi"] == was["ndi"] and not was["crc_ok"]
            assert wait == 8 if i["dir"] != DL else wait >= c["harq_dl_rtt_tti"]
        elif process in last:
            assert i["ndi"] != last[process][1]["ndi"]
        last[process] = o.data, i
    s = run.cell.stats()
    for way in (UL, DL, SL):
        assert s.harq_retx[way] <= (c["harq_max_attempts"] - 1) * s.mac_pdus[way]


@fast
@given(plans())
def test_rows_of_a_block_have_its_number(plan):
    """From its first attempt over each further one to its end; what is in it was written and read with it."""
    run, tries = Run(plan), {}
    kinds = {getattr(lib, f"CELL_EV_{name}"): name for name in (
        "MAC_TX", "HARQ_NACK", "HARQ_TX", "MAC_RX", "MAC_LOST", "RLC_TX", "RLC_RX", "BSR_TX", "BSR_RX")}
    for row in (o.row() for o in run.of(lib.CELL_OUT_RECORD)):
        kind, block = kinds.get(row["event"]), row["block"]
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
        elif kind:
            assert block in tries
    assert len(tries) == sum(run.cell.stats().mac_pdus)


REESTABLISHED = {"am_on_max_retx": lib.CELL_MAX_RETX_REESTABLISH, "mode_flush": KEEP}


@fast
@given(plans(rlc_modes=(lib.CELL_RLC_AM,), changes=REESTABLISHED))
def test_am_loses_nothing(plan):
    """What is lost on the air comes again, if need be after a re-establishment."""
    run = Run(plan)
    reasons = {o.reason for o in run.of(lib.CELL_OUT_DROP)}
    assert reasons <= {lib.CELL_DROP_QUEUE_FULL, lib.CELL_DROP_PDCP_DISCARD, lib.CELL_DROP_SHUTDOWN}
    if not plan.cfg["discard_timer_ms"] and not plan.cfg["pdcp_reordering"]:
        assert lib.CELL_DROP_PDCP_DISCARD not in reasons


@fast
@given(plans(), st.lists(st.floats(0, 1, exclude_max=True), max_size=6))
def test_splitting_time_changes_nothing(plan, cuts):
    """Few large steps, many small ones, and a step to every event give the same outputs in order of time."""

    def small(cell, from_ns, to_ns):
        for cut in sorted(cuts):
            cell.advance(from_ns + int(cut * (to_ns - from_ns)))
        cell.advance(to_ns - 1)

    def every_event(cell, from_ns, to_ns):
        while (t_ns := cell.next()) < to_ns:
            assert t_ns >= from_ns
            cell.advance(t_ns)
        cell.advance(to_ns - 1)

    once = Run(plan)
    times = [o.t_ns for o in once.cell.outputs]
    assert times == sorted(times)
    for step in (small, every_event):
        run = Run(plan, step)
        assert run.cell.outputs == once.cell.outputs
        assert run.digest == once.digest


@fast
@given(plans())
def test_nothing_leaves_before_it_was_announced(plan):
    """cell_next_output() is a lower bound of the next delivery and not before cell_next()."""

    def watch(cell, from_ns, to_ns):
        while (t_ns := cell.next()) < to_ns:
            bound = cell.next_output()
            assert bound >= t_ns
            n = len(cell.outputs)
            cell.advance(min(bound, to_ns) - 1 if bound > t_ns else t_ns)
            if bound > t_ns:
                assert all(o.type != lib.CELL_OUT_DELIVER for o in cell.outputs[n:])
        cell.advance(to_ns - 1)

    Run(plan, watch)


@fast
@given(plans())
def test_nothing_leaves_because_of_a_packet_before_its_transit(plan):
    """What was announced before packets were pushed at the begin of a sub-frame holds for cell_transit_min()."""
    pushes = [(t_ns - t_ns % MS, kind, *rest) for t_ns, kind, *rest in plan.actions if kind in ("push", "burst")]
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
def test_same_seed_same_outputs(plan):
    one, two = Run(plan), Run(plan)
    assert one.cell.outputs == two.cell.outputs
    assert one.digest == two.digest


@fast
@given(plans())
def test_smallest_output_array(plan):
    """-EAGAIN cuts the outputs into portions and does nothing else."""
    large = Run(plan, n_out=200_000)
    small = Run(plan, n_out=lib.cell_out_min(large.cell.cfg))
    assert small.cell.outputs == large.cell.outputs
    assert small.digest == large.digest
    if plan.actions and plan.actions[-1][1] not in ("route", "channel"):  # an arrival and what follows it, at least
        assert small.cell.again > 0


@fast
@given(plans(changes={"ul_always_scheduled": 0}), st.integers(1, 96))
def test_ues_with_nothing_to_do_change_nothing(plan, more):
    """No draw, no turn of a scheduler, no sub-frame. (Configured grants share the carrier by the number of UEs.)"""
    idle = [{"rnti": 1000 + i, "peer": NETWORK, "mode": IM, "cqi_ul": 15, "cqi_dl": 15, "cqi_sl": 15}
            for i in range(more)]
    cfg = plan.cfg | {"ue": plan.cfg["ue"] + idle, "n_ue": plan.cfg["n_ue"] + more}
    alone, among = Run(plan), Run(replace(plan, cfg=cfg))
    assert among.cell.outputs == alone.cell.outputs
    assert among.cell.stats().ttis_active == alone.cell.stats().ttis_active


def test_idle_cell_has_no_events():
    """After its traffic a cell is asleep; waking it after more than a month costs as little."""
    cell = Cell({})
    assert cell.next() == NEVER and cell.next_output() == NEVER
    cell.push(1, b"x" * 100, 1, 0)
    while cell.next() != NEVER:
        cell.advance(cell.next())
    active = cell.stats().ttis_active
    later_ns = 40 * 24 * 3600 * 1000 * MS
    cell.push(1, b"x" * 100, 2, later_ns)
    while cell.next() != NEVER:
        cell.advance(cell.next())
    assert [o.t_ns for o in cell.outputs if o.type == lib.CELL_OUT_DELIVER][1] - later_ns == 15 * MS - 250_000
    assert cell.stats().ttis_active == 2 * active
