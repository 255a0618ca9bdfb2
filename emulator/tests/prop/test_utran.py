# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds for a dedicated channel of the UTRAN: random bearers, traffic and time steps."""

import itertools
from collections import Counter, defaultdict
from functools import partial

from coreffi import NEVER, Cell, lib
from draw import plans
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st
from rlcffi import ffi as rlc_ffi
from rlcffi import lib as rlc

MS = 1_000_000
UL, DL = 0, 1
UE, NETWORK_SIDE = 1, 0x81  # of the first UE; ports of the others follow

fast = examples(150)


def q32(probability: float) -> int:
    return int(probability * (2**32 - 1))


def config(choices, lossless):
    """Any channel on which something gets through, and MRW before its answer is asked for again."""
    n_ue, tti_ms, pdu_bytes = choices.number(1, 3), choices.pick(10, 10, 20, 40, 80), choices.pick(40, 8, 20, 40, 126)
    rate = 8000 * pdu_bytes // tti_ms  # of one PDU in a TTI
    cfg = {name: min(value, 0 if lossless else q32(0.6)) if name.endswith("_q32") else value
           for name, value in choices.keys(only="utran.").items()}
    return cfg | {
        "system": lib.CELL_SYSTEM_UTRAN, "n_ue": n_ue, "ue": [{"peer": 0, "mode": 0}] * n_ue,
        "seed": choices.number(0, 2**16 - 1), "max_pkts": 64,
        "utran.tti_ms": tti_ms, "utran.pdu_bytes": pdu_bytes,
        "utran.dl_rate_bps": rate * choices.pick(1, 2, 4, 12), "utran.ul_rate_bps": rate * choices.pick(1, 1, 3),
    }  # fmt: skip


def plan_of(choices, lossless=False):
    """(configuration, arrivals (t_ns, port, length) in order of time)"""
    cfg, t_ns, arrivals = config(choices, lossless), 0, []
    for _ in range(choices.number(1, 25)):
        t_ns += choices.pick(0, 0, 1, 3 * MS, 10 * MS, 10 * MS, 77 * MS, 1000 * MS)
        length = choices.pick(1, 37, 38, 39, 40, 76, 300, 1040, 1500, *[choices.number(1, 400)] * 6)
        port = choices.pick(UE, NETWORK_SIDE, NETWORK_SIDE) + choices.number(0, cfg["n_ue"] - 1)
        arrivals.append((t_ns, port, length))
    return cfg, arrivals


channels = plans(plan_of, 200)


def payload(tag: int, length: int) -> bytes:
    return bytes((tag * 31 + i) % 251 for i in range(length))


def every_event(cell, to_ns):
    while (t_ns := cell.next()) <= to_ns:
        cell.advance(t_ns)


class Run:
    """A plan that ran to its end: nothing is due any more."""

    def __init__(self, plan, step=every_event, n_out=None):
        cfg, self.arrivals = plan
        self.cell = Cell(cfg, n_out)
        self.cfg = self.cell.cfg  # with every key
        now_ns = 0
        for tag, (t_ns, port, length) in enumerate(self.arrivals):
            if t_ns > now_ns:
                step(self.cell, t_ns - 1)
                now_ns = t_ns
            self.cell.push(port, payload(tag, length), tag, t_ns)
        end_ns = self.arrivals[-1][0]
        for _ in range(10_000):
            if self.cell.next() == NEVER:
                break
            end_ns = max(end_ns + 1000 * MS, self.cell.next())
            step(self.cell, end_ns)
        assert self.cell.next() == NEVER
        self.digest = self.cell.digest()
        self.cell.done()

    def of(self, kind):
        return self.cell.of(kind)

    def rows(self, event):
        return self.cell.rows(event)


# Timer_Poll expires, and the PDU that is to carry the poll is acknowledged before it is sent; others are not.
ACKNOWLEDGED_BEFORE_IT_POLLS = ({
    "system": lib.CELL_SYSTEM_UTRAN, "n_ue": 1, "ue": [{"peer": 0, "mode": 0}], "seed": 1324, "max_pkts": 64,
    "utran.tti_ms": 20, "utran.pdu_bytes": 126, "utran.dl_rate_bps": 201600, "utran.ul_rate_bps": 50400,
    "utran.delay_ms": 0, "utran.bler_dl_q32": q32(0.6), "utran.bler_ul_q32": 0, "utran.max_dat": 2,
    "utran.tx_window_pdus": 64, "utran.poll_pdu": 0, "utran.timer_poll_ms": 10, "utran.timer_mrw_ms": 30,
    "utran.timer_status_prohibit_ms": 0, "utran.queue_pkts": 2,
}, [(0, UE, 1), (0, NETWORK_SIDE, 219), (0, NETWORK_SIDE, 400)])  # fmt: skip


@fast
@given(channels)
@example(ACKNOWLEDGED_BEFORE_IT_POLLS)
def test_every_packet_arrives_or_is_dropped_for_a_reason(plan):
    """Intact, once, in order for each direction; and all of it comes to an end."""
    run = Run(plan)
    out = defaultdict(list)
    for o in run.of(lib.CELL_OUT_DELIVER):
        t_ns, port, length = run.arrivals[o.tag]
        assert o.data == payload(o.tag, length) and o.port == port ^ 0x80
        frame_ns = (run.cfg.utran.tti_ms + run.cfg.utran.delay_ms) * MS
        assert o.t_ns >= t_ns + frame_ns
        out[o.port].append(o.tag)
    for tags in out.values():
        assert tags == sorted(set(tags))
    dropped = {o.tag: o.reason for o in run.of(lib.CELL_OUT_DROP)}
    assert sorted([*dropped, *itertools.chain(*out.values())]) == list(range(len(run.arrivals)))
    assert set(dropped.values()) <= {lib.CELL_DROP_RLC_DISCARD, lib.CELL_DROP_QUEUE_FULL}
    given_up = {row["tag"] for row in run.rows(lib.CELL_EV_RLC_DISCARD) if row["aux"]}
    assert {tag for tag, reason in dropped.items() if reason == lib.CELL_DROP_RLC_DISCARD} <= given_up


@fast
@given(plans(partial(plan_of, lossless=True), 200))
def test_without_losses_nothing_is_discarded(plan):
    cfg, arrivals = plan
    run = Run(({**cfg, "utran.timer_poll_ms": 1000, "utran.max_dat": 40}, arrivals))
    assert not [o for o in run.of(lib.CELL_OUT_DROP) if o.reason == lib.CELL_DROP_RLC_DISCARD]
    assert run.cell.stats().mac_lost[DL] == run.cell.stats().mac_lost[UL] == 0


@fast
@given(channels)
def test_resources_of_a_tti(plan):
    """At most as many blocks as the rate has, of one size, sent when a TTI starts; MaxDAT holds."""
    run = Run(plan)
    cfg, sent = run.cfg, defaultdict(int)  # by time, direction and UE
    for o in run.of(lib.CELL_OUT_PDU):
        assert o.t_ns % (cfg.utran.tti_ms * MS) == 0 and len(o.data) == cfg.utran.pdu_bytes
        sent[o.t_ns, o.info["dir"], o.info["ue"]] += 1
    pdus = [rate * cfg.utran.tti_ms // (8000 * cfg.utran.pdu_bytes)
            for rate in (cfg.utran.ul_rate_bps, cfg.utran.dl_rate_bps)]
    beside = cfg.utran.status == lib.CELL_STATUS_CHANNEL  # a block for control PDUs in each TTI
    assert all(n <= pdus[way] + beside for (_, way, _), n in sent.items())
    data = Counter((o.t_ns, o.info["dir"], o.info["ue"]) for o in run.of(lib.CELL_OUT_PDU) if o.data[0] & 0x80)
    assert all(n <= pdus[way] for (_, way, _), n in data.items())
    assert all(2 <= row["aux"] <= cfg.utran.max_dat for row in run.rows(lib.CELL_EV_RLC_RETX))
    stats = run.cell.stats()
    for way in (UL, DL):
        assert stats.mac_pdus[way] - stats.mac_lost[way] == sum(n for (_, d, _), n in sent.items() if d == way)
        assert stats.mac_lost[way] == sum(row["dir"] == way for row in run.rows(lib.CELL_EV_MAC_LOST))
    reports = run.rows(lib.CELL_EV_RLC_STATUS_TX)
    piggybacked = sum(row["aux"] & 2 != 0 for row in reports)
    assert not piggybacked or cfg.utran.status == lib.CELL_STATUS_PIGGYBACK
    assert stats.rlc_status_tx == len(reports)
    assert stats.rlc_pdus_tx + stats.rlc_status_tx - piggybacked == stats.mac_pdus[UL] + stats.mac_pdus[DL]
    assert stats.rlc_retx == len(run.rows(lib.CELL_EV_RLC_RETX))
    assert stats.rlc_status_rx == len(run.rows(lib.CELL_EV_RLC_STATUS_RX))


@fast
@given(channels)
def test_a_report_is_in_the_padding_that_leaves_with_it(plan):
    """Of every block that was received: a piggybacked report is as the trace says, behind what SDUs left of the PDU."""
    cfg, arrivals = plan
    run = Run(({**cfg, "utran.status": lib.CELL_STATUS_PIGGYBACK}, arrivals))
    types = ("struct rlc_utran_amd *", "size_t *", "struct rlc_utran_status *")
    amd, header, status = (rlc_ffi.new(what) for what in types)
    held = []
    for o in run.of(lib.CELL_OUT_PDU):
        at = rlc.rlc_utran_status_at(o.data, len(o.data))
        if at > 0:
            assert rlc.rlc_utran_amd_unpack(amd, header, o.data, len(o.data)) == 0 and at == header[0] + amd.len
            assert rlc.rlc_utran_status_unpack(status, o.data[at:], len(o.data) - at) == 0
            held.append((o.t_ns + (run.cfg.utran.tti_ms + run.cfg.utran.delay_ms) * MS, o.info["dir"]))
    rows = [row for row in run.rows(lib.CELL_EV_RLC_STATUS_RX) if row["aux"] & 2]
    assert sorted(held) == sorted((row["t_ns"], row["dir"]) for row in rows)


@fast
@given(channels)
def test_a_ue_is_as_if_alone(plan):
    """What the others do changes nothing of what the first UE gets, sends and has on the air."""
    cfg, arrivals = plan
    alone = ({**cfg, "n_ue": 1, "ue": cfg["ue"][:1]}, [a for a in arrivals if a[1] in (UE, NETWORK_SIDE)])
    if not alone[1]:
        return
    tags = [tag for tag, (_, port, _) in enumerate(arrivals) if port in (UE, NETWORK_SIDE)]
    one, all_of_them = Run(alone), Run(plan)

    def got(run, tag_of):
        return [(o.t_ns, o.port, tag_of[o.tag], len(o.data)) for o in run.of(lib.CELL_OUT_DELIVER)
                if o.port in (UE, NETWORK_SIDE)]  # fmt: skip

    assert got(one, tags) == got(all_of_them, range(len(arrivals)))
    blocks = [[(o.t_ns, o.info["dir"], len(o.data)) for o in run.of(lib.CELL_OUT_PDU) if o.info["ue"] == UE]
              for run in (one, all_of_them)]  # fmt: skip
    assert blocks[0] == blocks[1]


@fast
@given(channels, st.lists(st.floats(0, 1, exclude_max=True), max_size=4))
def test_splitting_time_changes_nothing(plan, cuts):
    def at_once(cell, to_ns):
        cell.advance(to_ns)

    def in_parts(cell, to_ns):
        from_ns = min(cell.next(), to_ns)
        for cut in sorted(cuts):
            cell.advance(from_ns + int(cut * (to_ns - from_ns)))
        cell.advance(to_ns)

    once = Run(plan)
    times = [o.t_ns for o in once.cell.outputs]
    assert times == sorted(times)
    small = Run(plan, n_out=lib.cell_out_min(once.cell.cfg))
    for run in (Run(plan, at_once), Run(plan, in_parts), small):
        assert run.cell.outputs == once.cell.outputs and run.digest == once.digest


@fast
@given(channels)
def test_nothing_leaves_before_it_was_announced(plan):
    """cell_next_output() is a lower bound of the next delivery and not before cell_next()."""

    def watch(cell, to_ns):
        while (t_ns := cell.next()) <= to_ns:
            bound = cell.next_output()
            assert bound >= t_ns
            n = len(cell.outputs)
            cell.advance(min(bound - 1, to_ns) if bound > t_ns else t_ns)
            if bound > t_ns:
                assert all(o.type != lib.CELL_OUT_DELIVER for o in cell.outputs[n:])

    Run(plan, watch)


def test_a_shell_sleeps_while_nothing_can_leave():
    """Wake-ups for what may leave: hardly more than packets without losses, far fewer than TTIs with them."""
    cfg = {"system": lib.CELL_SYSTEM_UTRAN, "n_ue": 1, "ue": [{"peer": 0, "mode": 0}], "utran.dl_rate_bps": 32000}
    for bler, most in ((0, 2), (0.15, 12)):
        cell = Cell({**cfg, "utran.bler_dl_q32": q32(bler), "utran.bler_ul_q32": q32(bler)})
        for tag in range(100):
            cell.push(NETWORK_SIDE, payload(tag, 1040), tag, 0)
        wakes = 0
        while (t_ns := cell.next_output()) != NEVER:
            cell.advance(t_ns)
            wakes += 1
        assert wakes <= most * 100
        assert cell.stats().ttis_active > 27 * 100


def test_idle_bearer_has_no_events():
    cell = Cell({"system": lib.CELL_SYSTEM_UTRAN, "n_ue": 1, "ue": [{"peer": 0, "mode": 0}]})
    assert cell.next() == NEVER and cell.next_output() == NEVER
    cell.push(UE, b"x" * 30, 1, 0)
    every_event(cell, 1000 * MS)
    active = cell.stats().ttis_active
    later_ns = 40 * 24 * 3600 * 1000 * MS + 5 * MS
    cell.push(UE, b"x" * 30, 2, later_ns)
    every_event(cell, NEVER - 1)
    assert [o.t_ns for o in cell.outputs if o.type == lib.CELL_OUT_DELIVER] == [10 * MS, later_ns + 15 * MS]
    assert cell.stats().ttis_active == 2 * active
