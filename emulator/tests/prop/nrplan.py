# SPDX-License-Identifier: GPL-2.0-or-later
"""Networks of NR and what happens to them, for the tests of what holds whatever they are."""

from coreffi import lib
from coreplan import IM, NETWORK, PKTS_MAX, PLAN_BYTES, PORT_NETWORK, Plan, gap, q32
from draw import Choices
from draw import plans as plans_of
from hypothesis import strategies as st

UM, AM, TM = lib.CELL_RLC_UM, lib.CELL_RLC_AM, lib.CELL_RLC_TM
PATTERNS = ("DDDSU", "DDSU", "DSUUU", "DDDDDDDSUU", "DDDSUUDDDD")  # the last one: 3 and 2 ms of 0.5 ms slots
# Numerology, frequency range, bandwidths. Source: TS 38.101-1, 38.101-2 Table 5.3.2-1
CARRIERS = ((1, 0, (20, 10, 100)), (0, 0, (20, 5)), (2, 0, (20, 40)), (3, 1, (50, 100)))
SHARED = ("rlc.", "pdcp.", "scheduler", "pf_average", "harq.max", "harq.nack")
# What goes together only with others, or is chosen here.
CHOSEN = ("nr.phy.numerology", "nr.phy.duplex", "nr.phy.frequency_range", "nr.phy.bandwidth_mhz", "nr.phy.tdd_",
          "nr.phy.overhead_re", "nr.mac.k0", "nr.mac.k1_min", "nr.mac.processing_capability", "nr.mac.cg_",
          "nr.mac.configured_grant", "nr.drx.", "nr.ra.rb", "nr.ra.rar_delay_slots", "nr.ra.response_window_slots",
          "nr.phy.layers_", "nr.mac.harq_processes", "nr.ra.prach_period_slots", "nr.ra.contention_resolution_ms",
          "nr.mac.gnb_processing_us", "nr.aqm.", "nr.mac.sr_period_slots", "nr.phy.pucch_rb")
TWO_OF = {"rlc.um.sn_bits": (12, 6), "rlc.am.sn_bits": (18, 12), "pdcp.sn_bits": (18, 12)}


def frame(choices: Choices) -> dict:
    mu, frequency_range, bandwidths = choices.pick(*CARRIERS)
    pattern = choices.pick(*PATTERNS) if mu == 1 else choices.pick(*PATTERNS[:-1])
    return {"nr.phy.numerology": mu, "nr.phy.frequency_range": frequency_range,
            "nr.phy.bandwidth_mhz": choices.pick(*bandwidths),
            "nr.phy.duplex": choices.pick(1, 0), "nr.phy.tdd_pattern": pattern.encode(),
            "nr.phy.tdd_special_dl_symbols": choices.pick(9, 8), "nr.phy.tdd_special_ul_symbols": choices.pick(2, 4),
            "nr.mac.k0": choices.pick(0, 0, 1), "nr.mac.k1_min": choices.pick(4, 3, 6),
            "nr.phy.layers_dl": choices.pick(1, 4), "nr.phy.pucch_rb": choices.pick(0, 0, 1, 4),
            "nr.mac.gnb_processing_us": choices.pick(250, 0, 1, 3000), "nr.mac.harq_processes": choices.pick(16, 3, 5),
            "nr.ra.prach_period_slots": choices.pick(20, 1, 7), "nr.ra.response_window_slots": choices.pick(20, 80),
            "nr.ra.contention_resolution_ms": choices.pick(64, 8), "nr.mac.sr_period_slots": choices.pick(8, 0, 1, 80)}


def configured(choices: Choices) -> dict:
    """Grants that a UE has without asking, and when it listens."""
    cycle = choices.pick(0, 0, 20, 40)
    return {"nr.mac.configured_grant": choices.pick(0, 0, 1, 2), "nr.mac.cg_period_slots": choices.pick(10, 5, 16),
            "nr.mac.cg_rb": choices.pick(1, 2), "nr.mac.cg_mcs": choices.pick(10, 0, 27),
            "nr.mac.cg_processes": choices.pick(1, 2),
            "nr.drx.cycle_ms": cycle, "nr.drx.short_cycle_ms": choices.pick(0, 5), "nr.drx.on_duration_ms":
            choices.pick(2, 5), "nr.drx.inactivity_ms": choices.pick(0, 1, 10), "nr.drx.retx_slots":
            choices.pick(16, 0, 320)}


def config(choices: Choices, lossy: bool, rlc_modes) -> dict:
    n_ue = choices.number(1, 4)
    cfg = {key: value for only in SHARED for key, value in choices.keys(only=only).items()}
    cfg |= choices.keys(only="nr.", without=CHOSEN) | frame(choices) | configured(choices)
    cfg["nr.link_adaptation.target_bler_q32"] = min(cfg.get("nr.link_adaptation.target_bler_q32", 0), q32(0.5))
    cfg |= {key: choices.pick(*bits) for key, bits in TWO_OF.items()}
    rates = choices.pick((0,), (0.5, 0.01), (0.1,), (1, 0.5, 0.5, 0.1, 0)) if lossy else (0,)
    ues = [{"peer": NETWORK, "mode": IM, **choices.keys("CFG_UE", only="cqi_"),
            **({key: min(value, q32(0.95)) for key, value in choices.keys("CFG_UE", only="bler_").items()}
               if lossy else {})} for _ in range(n_ue)]
    cfg |= {"system": lib.CELL_SYSTEM_NR, "seed": choices.number(0, 2**16 - 1), "n_ue": n_ue, "ue": ues,
            "rlc.mode": choices.pick(*rlc_modes), "max_pkts": PKTS_MAX, "harq.n_bler": len(rates),
            "harq.bler_q32": [q32(rate) for rate in rates], "harq.errors": choices.pick(0, 1) if lossy else 0}
    if cfg["rlc.mode"] == TM or cfg.get("nr.phy.dl_carriers", 1) > 1:
        cfg["pdcp.duplication"] = 0
    return cfg if lossy else cfg | {"harq.nack_to_ack_q32": 0}


def action(choices: Choices, cfg: dict, lossy: bool) -> tuple:
    ue = choices.number(1, cfg["n_ue"])
    kind = choices.pick("push", "push", "push", "burst", "channel")
    if kind == "channel" and lossy:
        return kind, ue, (choices.pick(0, 1), choices.number(0, 15), choices.number(-500, 3000))
    port = ue | choices.pick(PORT_NETWORK, 0)
    if kind == "burst":
        return kind, port, choices.number(2, 30)
    return "push", port, choices.pick(1, 40, 52, 1500, choices.number(1, 1500))


def plan(choices: Choices, lossy: bool = True, rlc_modes=(AM, UM, TM), changes=None) -> Plan:
    cfg = config(choices, lossy, rlc_modes) | (changes or {})
    t_ns, actions = 0, []
    for _ in range(choices.pick(*range(11), 25)):
        t_ns += gap(choices)
        actions.append((t_ns, *action(choices, cfg, lossy)))
    return Plan(cfg, actions)


def plans(**kinds) -> st.SearchStrategy[Plan]:
    """@kinds: those of plan()."""
    return plans_of(lambda choices: plan(choices, **kinds), PLAN_BYTES)
