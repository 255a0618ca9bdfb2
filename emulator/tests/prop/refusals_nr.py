# SPDX-License-Identifier: GPL-2.0-or-later
"""What keys of NR have to do with each other."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from coreffi import lib
from nrphyffi import lib as phy
from refusal import (
    AM,
    DRAWN,
    IM,
    NETWORK,
    OF_CHANNELS,
    OF_UES,
    TM,
    UM,
    Network,
    Refusal,
    bearers_of,
    has_qdisc,
    of_all_ues,
    rises,
    ues,
    word,
)

from cellbed.scenario import nr as model

SYMBOLS, SUBCARRIERS = 14, 12
# Symbols of a slot with which it has downlink data. Source: TS 38.214 Table 5.1.2.1-1
PDSCH_SYMBOLS_MIN = 3
# Of a pattern. Source: TS 38.213 11.1; TS 38.331 TDD-UL-DL-ConfigCommon
PERIODS_US = (500, 625, 1000, 1250, 2000, 2500, 3000, 4000, 5000, 10000)
# C-RNTI, short BSR, a byte of data and its headers. Source: TS 38.321 6.1.3
RA_BLOCK_MIN = 8
OVERHEADS = (0, 6, 12, 18)  # Source: TS 38.331 xOverhead
LETTER, ORDER, PERIOD = "1 to 80 letters D, S, U", "D, then at most one S, then U; or twice", \
    "a period of TS 38.213 11.1 that divides 20 ms"
GUARD, ONE_WAY = "a special slot with a guard between downlink and uplink", "downlink and uplink slots"


def fault(c: Any) -> str | None:
    """What is wrong with the TDD pattern. Source: TS 38.213 11.1"""
    letters = word(c)
    if c.nr.phy.duplex != lib.CELL_DUPLEX_TDD:
        return None
    if not re.fullmatch("[DSU]{1,80}", letters):
        return LETTER
    parts = re.fullmatch("(D*S?U*)(D+S?U*)?", letters)
    if parts is None:
        return ORDER
    slots_of_20_ms = 20 << c.nr.phy.numerology
    if slots_of_20_ms % len(letters) or any((1000 * len(part) >> c.nr.phy.numerology) not in PERIODS_US
                                            or 1000 * len(part) % (1 << c.nr.phy.numerology)
                                            for part in parts.groups() if part):
        return PERIOD
    special_dl, special_ul = c.nr.phy.tdd_special_dl_symbols, c.nr.phy.tdd_special_ul_symbols
    if ("S" in letters and special_dl + special_ul >= SYMBOLS) or "DU" in letters + letters[0]:
        return GUARD
    downlink = "D" in letters or ("S" in letters and special_dl > 0)
    uplink = "U" in letters or ("S" in letters and special_ul > 0)
    return None if downlink and uplink else ONE_WAY


class Slots:
    """Of one period: symbols of downlink and of uplink, and what they are used for."""

    def __init__(self, c: Any) -> None:
        if c.nr.phy.duplex == lib.CELL_DUPLEX_TDD:
            dl = {"D": SYMBOLS, "S": c.nr.phy.tdd_special_dl_symbols, "U": 0}
            ul = {"D": 0, "S": c.nr.phy.tdd_special_ul_symbols, "U": SYMBOLS}
            letters = word(c)
            self.dl, self.ul = [dl[x] for x in letters], [ul[x] for x in letters]
        else:
            self.dl, self.ul = [SYMBOLS], [SYMBOLS]
        self.n = len(self.dl)
        self.pdcch = [n >= c.nr.phy.pdcch_symbols for n in self.dl]
        self.pdsch = [n - c.nr.phy.pdcch_symbols >= max(PDSCH_SYMBOLS_MIN, c.nr.phy.dmrs_symbols + 1) for n in self.dl]
        self.pucch = [n == SYMBOLS for n in self.ul]

    def feedback_after(self, k1_min: int) -> list[int]:
        """Slots from each one with downlink data to its feedback."""
        return [next(k for k in range(k1_min, k1_min + self.n) if self.pucch[(s + k) % self.n])
                for s in range(self.n) if self.pdsch[s]]


def _slots(passes: Callable[[Any, Slots], bool]) -> Callable[[Any], bool]:
    """Of a pattern without a fault, and with feedback somewhere."""
    def hold(c: Any) -> bool:
        if fault(c) is not None or c.nr.phy.numerology > 3:
            return True
        slots = Slots(c)
        return not any(slots.pucch) or passes(c, slots)

    return hold


def n_rb(c: Any) -> int:
    """Resource blocks of the carrier, 0 where there is no such carrier."""
    name = ("fr1", "fr2")[c.nr.phy.frequency_range]
    return model.N_RB.get((name, c.nr.phy.numerology), {}).get(c.nr.phy.bandwidth_mhz, 0)


def _random_access_fits(c: Any) -> bool:
    re_per_rb = SUBCARRIERS * SYMBOLS - c.nr.phy.dmrs_symbols * SUBCARRIERS - c.nr.phy.overhead_re
    bits = phy.nr_tbs_bits(min(156, re_per_rb) * c.nr.ra.rb, phy.nr_mcs(0, 0), 1)
    return c.nr.ra.rb <= n_rb(c) - c.nr.phy.pucch_rb and bits >= 8 * RA_BLOCK_MIN


def _configured_fit(c: Any, slots: Slots) -> bool:
    """The grants of all UEs are spread over the uplink slots of a period."""
    places = max(1, sum(slots.pucch[s % slots.n] for s in range(c.nr.mac.cg_period_slots)))
    return -(-c.n_ue // places) * c.nr.mac.cg_rb + c.nr.ra.rb <= n_rb(c) - c.nr.phy.pucch_rb


def _configured(passes: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda c: c.nr.mac.configured_grant == lib.CELL_CG_NONE or passes(c)


def _drx(passes: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda c: not c.nr.drx.cycle_ms or passes(c)


def _carrier(passes: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Holds anyway of what is no carrier."""
    return lambda c: not n_rb(c) or c.nr.phy.overhead_re not in OVERHEADS or passes(c)


def _daps(c: Any) -> bool:
    return c.handover.procedure == lib.CELL_HO_DAPS and c.n_enb > 1


def _several(c: Any) -> bool:
    return c.n_enb > 1


def _numbers(c: Any) -> range:
    return range(1, len(ues(c)) + 1)


def _entities(c: Any) -> int:
    """MAC entities: two of a UE that has two cells."""
    return c.n_ue + sum(_daps(c) or any(b.pdcp.duplication for b in bearers_of(c, i)) for i in _numbers(c))


def _channels(c: Any, number: int) -> int:
    return sum(1 + b.pdcp.duplication for b in bearers_of(c, number))


_TDD = [Refusal("nr.phy.tdd_special_ul_symbols" if words == GUARD else "nr.phy.tdd_pattern", words,
                lambda c, words=words: fault(c) != words) for words in (LETTER, ORDER, PERIOD, GUARD, ONE_WAY)]
# Source: TS 38.101-1, -2 Table 5.3.2-1; TS 38.213 9.2.3, 11.1; TS 38.214 5.1.3.2, 5.3; TS 38.321 5.7; TS 38.331;
# TS 38.322 6.2.3.3; TS 38.323 5.11.1, 6.3.2; TS 38.300 9.2.3
NR = [
    *OF_CHANNELS, *OF_UES, *_TDD,
    Refusal("nr.phy.bandwidth_mhz", "a bandwidth that TS 38.101 has with this numerology", lambda c: n_rb(c) > 0),
    Refusal("nr.link_adaptation.target_bler_q32", "at most half",
            lambda c: c.nr.link_adaptation.target_bler_q32 < 2**31),
    Refusal("nr.phy.overhead_re", "0, 6, 12 or 18", lambda c: c.nr.phy.overhead_re in OVERHEADS),
    Refusal("nr.mac.processing_capability", "1 with numerology 3",
            lambda c: c.nr.mac.processing_capability != 2 or c.nr.phy.numerology < 3),
    Refusal("nr.phy.tdd_pattern", "less than 81 letters", lambda c: len(word(c)) <= 80),
    Refusal("nr.phy.tdd_pattern", "a pattern with a whole uplink slot",
            lambda c: fault(c) is not None or any(Slots(c).pucch)),
    Refusal("nr.mac.k0", "a pattern whose assignments lead to downlink slots",
            _slots(lambda c, s: any(s.pdcch[i] and s.pdsch[(i + c.nr.mac.k0) % s.n] for i in range(s.n)))),
    Refusal("nr.mac.k1_min", "a pattern with feedback at most 15 slots after its block",
            _slots(lambda c, s: all(k <= 15 for k in s.feedback_after(c.nr.mac.k1_min)))),
    Refusal("nr.mac.k1_min", "more: a UE takes N1 symbols to decode (TS 38.214 5.3)",
            _slots(lambda c, s: all((k - 1) * SYMBOLS >= model.N1_SYMBOLS[c.nr.phy.numerology]
                                    for k in s.feedback_after(c.nr.mac.k1_min)))),
    Refusal("nr.drx.on_duration_ms", "at most the shortest cycle",
            _drx(lambda c: c.nr.drx.on_duration_ms <= (c.nr.drx.short_cycle_ms or c.nr.drx.cycle_ms))),
    Refusal("nr.drx.start_offset_ms", "less than nr.drx.cycle_ms",
            _drx(lambda c: c.nr.drx.start_offset_ms < c.nr.drx.cycle_ms)),
    Refusal("nr.drx.short_cycle_ms", "divisors of nr.drx.cycle_ms",
            _drx(lambda c: not c.nr.drx.short_cycle_ms or c.nr.drx.cycle_ms % c.nr.drx.short_cycle_ms == 0)),
    Refusal("nr.phy.pucch_rb", "less than the resource blocks of the carrier",
            _carrier(lambda c: c.nr.phy.pucch_rb < n_rb(c))),
    Refusal("nr.ra.rb", "room for a BSR, on the carrier beside PUCCH", _carrier(_random_access_fits)),
    Refusal("nr.mac.sr_period_slots", "a period that TS 38.331 has with this numerology, or 0",
            lambda c: c.nr.phy.numerology > 3 or c.nr.mac.sr_period_slots in (0,
                *model.SR_PERIODS[c.nr.phy.numerology])),
    Refusal("nr.ra.rar_delay_slots", "less than nr.ra.response_window_slots",
            lambda c: c.nr.ra.rar_delay_slots < c.nr.ra.response_window_slots),
    Refusal("nr.mac.cg_period_slots", "a period that TS 38.331 has with this numerology",
            _configured(lambda c: c.nr.mac.cg_period_slots in model.CG_PERIODS[c.nr.phy.numerology])),
    Refusal("nr.mac.cg_processes", "less than nr.mac.harq_processes",
            _configured(lambda c: c.nr.mac.cg_processes < c.nr.mac.harq_processes)),
    Refusal("nr.mac.cg_mcs", "an MCS of nr.phy.mcs_table_ul",
            _configured(lambda c: c.nr.mac.cg_mcs < (28 if c.nr.phy.mcs_table_ul == lib.CELL_MCS_QAM256 else 29))),
    Refusal("nr.mac.cg_rb", "so many that all UEs' fit the carrier, beside random access",
            _configured(_carrier(_slots(_configured_fit)))),
    Refusal("rlc.um.sn_bits", "6 or 12",
            lambda c: all(b.rlc.mode != UM or b.rlc.um.sn_bits in (6, 12) for b in of_all_ues(c))),
    Refusal("rlc.am.sn_bits", "12 or 18", lambda c: all(b.rlc.mode != AM or b.rlc.am.sn_bits in (12, 18)
                                                    for b in of_all_ues(c))),
    Refusal("pdcp.sn_bits", "12 or 18", lambda c: all(b.pdcp.sn_bits in (12, 18) for b in of_all_ues(c))),
    Refusal("pdcp.duplication", "0 with several carriers",
            lambda c: c.nr.phy.dl_carriers == 1 or not any(b.pdcp.duplication for b in of_all_ues(c))),
    Refusal("pdcp.duplication", "0 with an RLC mode that has no sequence numbers",
            lambda c: all(b.rlc.mode in (UM, AM) or not b.pdcp.duplication for b in of_all_ues(c))),
    Refusal("pdcp.duplication", "so many that a UE has at most 8 logical channels",
            lambda c: all(_channels(c, i) <= 8 for i in _numbers(c))),
    Refusal("n_enb", "1 without an S-GW", lambda c: c.n_enb == 1 or c.gtpu.sgw_addr),
    Refusal("gtpu.enb_addr", "with an S-GW one for each gNB",
            lambda c: not c.gtpu.sgw_addr or all(c.gtpu.enb_addr[i] for i in range(min(c.n_enb, 4)))),
    Refusal("crowd.cqi", "each 1..15", lambda c: all(1 <= c.crowd.cqi[i] <= 15 for i in range(min(c.crowd.n_cqi, 64)))),
    Refusal("crowd.burst_bytes", "at most one burst of the whole crowd in a microsecond",
            lambda c: c.crowd.arrival == lib.CELL_CROWD_READING
            or c.crowd.offered_rate_bps * c.crowd.count <= 8 * 10**6 * c.crowd.burst_bytes),
    Refusal("handover.procedure", "standard, conditional or daps",
            lambda c: c.handover.procedure in (lib.CELL_HO_STANDARD, lib.CELL_HO_CONDITIONAL, lib.CELL_HO_DAPS)),
    Refusal("handover.condition.on", "none without a conditional procedure",
            lambda c: not c.handover.condition.on or c.handover.procedure == lib.CELL_HO_CONDITIONAL),
    Refusal("handover.forwarding", "1 with daps", lambda c: not _daps(c) or c.handover.forwarding == 1),
    Refusal("nr.phy.frequency_range", "fr1 with daps", lambda c: not _daps(c)
            or c.nr.phy.frequency_range == lib.CELL_FR1),
    Refusal("handover.link_failure.on", "none with daps, or with one gNB", lambda c: not c.handover.link_failure.on
            or (_several(c) and c.handover.procedure != lib.CELL_HO_DAPS)),
    Refusal("handover.detach_times", "quantiles that do not decrease", lambda c: rises(c.handover.detach_times)),
    Refusal("handover.preparation_times", "quantiles that do not decrease",
            lambda c: rises(c.handover.preparation_times)),
    Refusal("nr.mac.configured_grant", "none with several gNBs",
            lambda c: not _several(c) or c.nr.mac.configured_grant == lib.CELL_CG_NONE),
    Refusal("enb", "less than the number of gNBs", lambda c: all(u.enb < c.n_enb for u in ues(c))),
    Refusal("addr", "with an S-GW one for each UE", lambda c: not c.gtpu.sgw_addr or all(u.addr for u in ues(c))),
    Refusal("peer", "the network", lambda c: all(u.peer == NETWORK for u in ues(c))),
    Refusal("mode", "im", lambda c: all(u.mode == IM for u in ues(c))),
    *(Refusal(name, "0..15", lambda c, name=name: all(getattr(u, name) <= 15 for u in ues(c)))
      for name in ("second_cqi_ul", "second_cqi_dl")),
    Refusal("bearer", "8 of a UE, with daps 4",
            lambda c: all(len(bearers_of(c, i)) <= (4 if _daps(c) else 8) for i in _numbers(c))),
    Refusal("rlc.mode", "um or am with several gNBs",
            lambda c: not _several(c) or all(b.rlc.mode != TM for b in of_all_ues(c))),
    Refusal("pdcp.duplication", "0 with several gNBs",
            lambda c: not _several(c) or not any(b.pdcp.duplication for b in of_all_ues(c))),
    Refusal("kind", "0..4", lambda c: all(qdisc.kind < lib.CELL_QDISC_COUNT for b in of_all_ues(c)
                                          for qdisc in b.rlc.qdisc), single=True),
    Refusal("rlc.qdisc.kind", "pfifo with RLC TM, for which PDCP numbers what comes, or copies",
            lambda c: not any(has_qdisc(b) and (b.rlc.mode == TM or b.pdcp.duplication) for b in of_all_ues(c))),
    Refusal("nr.aqm.mode", "none with queue disciplines of bearers",
            lambda c: c.nr.aqm.mode == lib.CELL_AQM_NONE or not any(has_qdisc(b) for b in of_all_ues(c))),
    Refusal("nr.aqm.mode", "none with RLC TM, for which PDCP numbers what comes, or copies",
            lambda c: c.nr.aqm.mode == lib.CELL_AQM_NONE
            or not any(b.rlc.mode == TM or b.pdcp.duplication for b in of_all_ues(c))),
    Refusal("n_ue", "UEs with duplication or daps counted twice, at most 100", lambda c: _entities(c) <= 100),
]

_UES = [{"peer": NETWORK, "mode": IM, "addr": 10 + i} for i in range(2)]
NR_BITS = {"rlc.mode": AM, "rlc.um.sn_bits": 12, "rlc.am.sn_bits": 18, "pdcp.sn_bits": 18, "nr.mac.sr_period_slots": 8}
_CELLS = {"n_enb": 2, "gtpu.sgw_addr": 1, "gtpu.enb_addr": [2, 3, 0, 0]}
_FDD, _FR2 = {"nr.phy.duplex": lib.CELL_DUPLEX_FDD}, {"nr.phy.frequency_range": lib.CELL_FR2}


def _network(cell: dict[str, Any], bearer: list[dict[str, Any]] | None = None, **ue: Any) -> Network:
    return Network(lib.CELL_SYSTEM_NR, [one | ue for one in _UES], NR_BITS | cell, bearer or [])


def _dedicated(n: int, keys: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Bearers of the first UE: a default one, and @n more."""
    return [{"ue": 1, "n_filters": k > 0, **(keys or {})} for k in range(n + 1)]


_CG = {"nr.mac.configured_grant": lib.CELL_CG_TYPE1}
NR_NETWORKS = {
    "tdd": _network({}),
    "tdd, twice": _network({"nr.phy.tdd_pattern": b"DDDSUUDDDD", "nr.mac.k0": 1}),
    "tdd, special slot": _network({"nr.phy.tdd_pattern": b"DDDSU", "nr.phy.tdd_special_dl_symbols": 5,
                                   "nr.phy.dmrs_symbols": 2}),
    "tdd, no special slot": _network({"nr.phy.tdd_pattern": b"UUUUU", "nr.phy.duplex": lib.CELL_DUPLEX_FDD}),
    "tdd, special and uplink": _network({"nr.phy.tdd_pattern": b"SUUUU", "nr.mac.k1_min": 2}),
    "tdd, long": _network({"nr.phy.numerology": 3, **_FR2, "nr.phy.tdd_pattern": b"DDDDDDSUUU"}),
    "tdd, 80 slots": _network({"nr.phy.numerology": 3, **_FR2, "nr.phy.tdd_pattern": b"D" * 14 + b"S" + b"U" * 65}),
    **{f"fdd, {mu}": _network({**_FDD, "nr.phy.numerology": mu, "nr.phy.bandwidth_mhz": 100 if mu else 50,
                               "nr.phy.overhead_re": 6})
       for mu in range(3)},
    "fdd, fr2": _network({**_FDD, **_FR2, "nr.phy.numerology": 3}),
    "blocks of 56 bits": _network({"nr.phy.dmrs_symbols": 4}),  # of two resource blocks at MCS 0
    "narrow": _network({"nr.phy.bandwidth_mhz": 5, "nr.phy.dmrs_symbols": 4, "nr.phy.overhead_re": 18}),
    "crowd": _network({"crowd.count": 20, "crowd.direction": lib.CELL_CROWD_DL, "crowd.offered_rate_bps": 16 * 10**6,
                       "crowd.burst_bytes": 40}),
    "drx": _network({"nr.drx.cycle_ms": 20}),
    "drx, short": _network({"nr.drx.cycle_ms": 640, "nr.drx.short_cycle_ms": 20, "nr.drx.start_offset_ms": 30}),
    "grants": _network(_CG | {"nr.phy.bandwidth_mhz": 20}),
    "grants of tables": _network(_CG | {"nr.phy.mcs_table_ul": lib.CELL_MCS_QAM256, "nr.mac.cg_mcs": 27,
                                        "nr.mac.cg_rb": 30}),
    "grants often": _network({**_CG, **_FDD, "nr.mac.cg_period_slots": 1, "nr.phy.bandwidth_mhz": 20,
                              "nr.mac.cg_rb": 20}),
    "um": _network({"rlc.mode": UM, "rlc.um.sn_bits": 6}, _dedicated(7, {"rlc.mode": UM, "rlc.um.sn_bits": 6})),
    "tm": _network({"rlc.mode": TM}),
    "aqm": _network({"nr.aqm.mode": lib.CELL_AQM_DUALPI2}, _dedicated(2)),
    "queues": _network({"rlc.qdisc": [{"kind": lib.CELL_QDISC_CODEL}, {"kind": lib.CELL_QDISC_FQ_CODEL}]},
                       _dedicated(2)),
    "rates": _network({}, _dedicated(1, {"priority_level": 20, "pdb_ms": 100, "averaging_window_ms": 2000,
                                         "gbr_dl_bps": 64_000, "mbr_dl_bps": 64_000, "gbr_ul_bps": 64_000,
                                         "mbr_ul_bps": 128_000})),
    "copies": _network({}, _dedicated(3, {"pdcp.duplication": 1}), second_cqi_ul=15, second_cqi_dl=15),
    "copies of all": _network({"rlc.mode": UM, "pdcp.duplication": 1}),
    "cells": _network(_CELLS),
    "drawn times": _network(_CELLS | DRAWN),
    "conditional": _network(_CELLS | {"handover.procedure": lib.CELL_HO_CONDITIONAL, "handover.condition.on": 1}),
    "daps": _network(_CELLS | {"handover.procedure": lib.CELL_HO_DAPS, "nr.phy.numerology": 2}, _dedicated(3)),
}
