# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells of LTE and what happens to them: traffic, commands and time, for the tests of what holds whatever they are."""

from dataclasses import dataclass

from coreffi import Cell, constant, lib
from draw import Choices
from draw import plans as plans_of
from hypothesis import strategies as st

MS = 1_000_000
TAIL_NS = 400 * MS  # time given to what is under way after the last action
IM, DM = 0, 1
KEEP = 1  # lte.mode_switch.flush
NETWORK, PORT_NETWORK = 0, 0x80  # as a peer; the bit of a port behind the eNB
GNB = constant("CELL_EN_DC_GNB")  # of EN-DC
UL, DL, SL = 0, 1, 2
RLC_MODES = range(lib.CELL_RLC_MODE_COUNT)
# Keys that do nothing in a cell without tunnels, and those of a crowd, which never comes to rest.
OF_OTHERS = ("utran.", "constant.", "handover.", "gtpu.", "system", "crowd.", "nr.", "rlc.am.sn_bits",
             "rlc.t_reassembly_ms", "pdcp.t_reordering_infinite", "pdcp.out_of_order")
AT_MOST = {"rlc.um.sn_bits": 10, "pdcp.sn_bits": 12,  # NR has more
           "lte.outer_loop.target_bler_q32": 2**31 - 1,
           "lte.sr.missed_q32": 2**31, "lte.sr.bsr_retx_ms": 1280}  # several fit into the tail of a run
WHOLE_MIN_RB = 18  # TM wants blocks with room for a packet
PKTS_MAX = 300  # more take memory and time, and find nothing more
ACTIONS_MAX, PLAN_BYTES = 25, 320


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


def peers(choices: Choices, n_ue: int, rlc_mode: int) -> list[int]:
    """Peer of every UE: with AM each other's, otherwise anybody; or the network."""
    if rlc_mode != lib.CELL_RLC_AM:
        return [choices.pick(*(n for n in range(n_ue + 1) if n != ue)) for ue in range(1, n_ue + 1)]
    left, peer = list(range(1, n_ue + 1)), [NETWORK] * n_ue
    while len(left) > 1:
        one, two = left.pop(0), left.pop(choices.number(0, len(left) - 1))
        if choices.pick(0, 1, 1, 1):
            peer[one - 1], peer[two - 1] = two, one
    return peer


def ue_config(choices: Choices, peer: int, lossy: bool) -> dict:
    ue = {"peer": peer, "mode": IM, **choices.keys("CFG_UE", without=("rnti", "mode", *(() if lossy else ("bler_",))))}
    if peer:
        ue["mode"] = choices.pick(IM, DM)
    # Where every block is lost nothing happens.
    return {name: min(value, q32(0.95)) if name.endswith("_q32") else value for name, value in ue.items()}


def in_time(cfg: dict) -> dict:
    """Keys that go together: answers before what they allow, and a NACK before the grants for its retransmission."""
    harq = cfg.get("harq.max_attempts", 1) > 1
    grant_to_tx = min(cfg.get("lte.timing.grant_to_tx_tti", 2), 7 if harq else 8)
    rar_delay = cfg.get("lte.timing.rar_delay_tti", 3)
    carriers = 1 if cfg.get("lte.mac.ul_always_scheduled") else cfg.get("lte.dl_carriers", 1)
    return cfg | {
        "lte.timing.grant_to_tx_tti": grant_to_tx, "lte.timing.rar_delay_tti": rar_delay,
        "lte.timing.decode_tti": min(cfg.get("lte.timing.decode_tti", 4), 8 - grant_to_tx if harq else 8),
        "lte.control.cfi": 2 if cfg.get("lte.control.cfi") == 1 and 11 <= cfg.get("lte.n_rb", 50) <= 13
        else cfg.get("lte.control.cfi", 0),
        "lte.control.pucch_rb": min(cfg.get("lte.control.pucch_rb", 0), max(0, cfg.get("lte.n_rb", 50) - WHOLE_MIN_RB)),
        "lte.ul_carriers": min(cfg.get("lte.ul_carriers", 1), carriers),
        "lte.timing.rar_to_msg3_tti": max(cfg.get("lte.timing.rar_to_msg3_tti", 2), grant_to_tx),
        "lte.ra.rac_timeout_tti": max(cfg.get("lte.ra.rac_timeout_tti", 10), rar_delay + 1),
        **{key: min(cfg[key], most) for key, most in AT_MOST.items() if key in cfg},
    }  # fmt: skip


def config(choices: Choices, lossy: bool, rlc_modes, n_ue_min: int = 2) -> dict:
    """Any keys of a cell, in which @lossy says whether the radio may lose or flush anything."""
    n_ue, rlc_mode = choices.number(n_ue_min, 4), choices.pick(*rlc_modes)
    cfg = in_time(choices.keys(without=(*OF_OTHERS,
                                        *(() if lossy else ("lte.mode_switch.flush", "lte.control.errors")))))
    cfg |= {"seed": choices.number(0, 2**16 - 1), "n_ue": n_ue, "rlc.mode": rlc_mode,
            "ue": [ue_config(choices, peer, lossy) for peer in peers(choices, n_ue, rlc_mode)],
            "max_pkts": min(cfg.get("max_pkts", PKTS_MAX), PKTS_MAX)}
    rates = choices.pick((0,), (0.5, 0.01), (0.1,), (1, 0.5, 0.5, 0.1, 0), (0.3, 0.3)) if lossy else (0,)
    cfg |= {"harq.n_bler": len(rates), "harq.bler_q32": [q32(rate) for rate in rates]}
    if rlc_mode == lib.CELL_RLC_TM:
        cfg["lte.n_rb"] = max(cfg.get("lte.n_rb", 50), WHOLE_MIN_RB)
    if not lossy:
        cfg |= {"harq.nack_to_ack_q32": 0, "harq.errors": lib.CELL_ERRORS_LADDER, "lte.mode_switch.flush": KEEP}
    return cfg


def action(choices: Choices, cfg: dict, lossy: bool) -> tuple:
    """(kind, UE or port, argument)"""
    ue = choices.number(1, cfg["n_ue"])
    kind = choices.pick("push", "push", "push", "burst", "route", "channel")
    routed = cfg["ue"][ue - 1]["peer"] != NETWORK
    if kind == "route" and routed:
        return kind, ue, choices.pick(IM, DM)
    if kind == "channel" and lossy:
        return kind, ue, (choices.pick(UL, DL, SL), choices.number(0, 15), choices.number(-1500, 3000))
    port = ue if routed else ue | choices.pick(PORT_NETWORK, 0)
    if kind == "burst":
        return kind, port, choices.number(2, 30)
    return "push", port, choices.pick(1, 40, 52, 1500, choices.number(1, 1500))


def gap(choices: Choices) -> int:
    return choices.pick(0, 0, MS, 5 * MS, 30 * MS, choices.number(0, 20 * MS))


def plan(choices: Choices, lossy: bool = True, rlc_modes=RLC_MODES, changes=None) -> Plan:
    cfg = config(choices, lossy, rlc_modes) | (changes or {})
    t_ns, actions = 0, []
    for _ in range(choices.pick(*range(11), ACTIONS_MAX)):
        t_ns += gap(choices)
        actions.append((t_ns, *action(choices, cfg, lossy)))
    return Plan(cfg, actions)


def plans(**kinds) -> st.SearchStrategy[Plan]:
    """@kinds: those of plan()."""
    return plans_of(lambda choices: plan(choices, **kinds), PLAN_BYTES)


def in_pieces(cuts):
    """A step of a Run that stops at these parts of its way."""

    def step(cell, from_ns, to_ns):
        for cut in sorted(cuts):
            cell.advance(from_ns + int(cut * (to_ns - from_ns)))
        cell.advance(to_ns - 1)

    return step


def announced(cell, from_ns, to_ns):
    """A step of a Run that goes from one announcement of an output to the next, and sees that they hold."""
    while (t_ns := cell.next()) < to_ns:
        bound = cell.next_output()
        assert bound >= t_ns
        n = len(cell.outputs)
        cell.advance(min(bound, to_ns) - 1 if bound > t_ns else t_ns)
        if bound > t_ns:
            assert all(o.type != lib.CELL_OUT_DELIVER for o in cell.outputs[n:])
    cell.advance(to_ns - 1)


def payload(tag: int, length: int) -> bytes:
    return bytes((tag * 131 + i * 7 + (i >> 8)) & 0xFF for i in range(length))


class Run:
    """A plan carried out. @step(cell, from_ns, to_ns) brings the cell up to, not including, to_ns; packets are
    @payload(tag, length)."""

    def __init__(self, plan: Plan, step=None, n_out: int | None = None, payload=payload):
        self.plan = plan
        self.cell = Cell(plan.cfg, n_out)
        self.cfg = self.cell.cfg  # with every key
        self.pushed: dict[int, tuple[int, int, bytes]] = {}  # tag: (t_ns, port, data)
        self.refused = 0
        self._payload = payload
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
            if kind == "channel of the gNB":
                assert self.cell.channel(port, *argument, t_ns, enb=GNB) == 0
            if kind == "measure":
                assert self.cell.measure(port, GNB, argument, t_ns) == 0
            if kind == "flush":
                assert self.cell.command(lib.CELL_CMD_FLUSH, port, 0, t_ns) == 0
            for length in [argument] if kind == "push" else [1400] * argument if kind == "burst" else []:
                self._push(port, length, t_ns)
            self.check_held()
        step(self.cell, now_ns, plan.end_ns)
        self.check_held()
        self.digest = self.cell.digest()
        self.cell.done()

    def _push(self, port: int, length: int, t_ns: int):
        self._tag += 1
        data = self._payload(self._tag, length)
        if self.cell.push(port, data, self._tag, t_ns) == 0:
            self.pushed[self._tag] = (t_ns, port, data)
        else:
            self.refused += 1

    def check_held(self):
        """Packets in = delivered + dropped + held, by the counters and by the outputs; copies come on top."""
        s = self.cell.stats()
        held = s.pkts_held - (s.pkts_originated - s.pkts_terminated)
        assert s.pkts_in == s.pkts_delivered + sum(s.pkts_dropped) + held
        assert s.pkts_in == len(self.pushed) + self.refused
        assert held == len(self.pushed) - len(self.of(lib.CELL_OUT_DELIVER, lib.CELL_OUT_DROP))

    def of(self, *types) -> list:
        return self.cell.of(*types)

    def rows(self, *events: int) -> list:
        return self.cell.rows(*events)


def destination(cfg, port: int) -> int:
    if port & PORT_NETWORK:
        return port & ~PORT_NETWORK
    return cfg.ue[port - 1].peer or port | PORT_NETWORK
