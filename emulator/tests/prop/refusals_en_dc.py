# SPDX-License-Identifier: GPL-2.0-or-later
"""What the keys of EN-DC have to do with each other: its own, and those of LTE and NR as its parts have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from coreffi import lib
from refusal import AM, IM, NETWORK, OF_UES, Network, Refusal, has_qdisc, ues
from refusals_lte import LTE
from refusals_nr import NR, NR_BITS

_NONE = lib.CELL_AQM_NONE
# In place of what the configuration says.
_OF_BOTH = {"n_enb": 1}
_OF_LTE, _OF_NR = _OF_BOTH | {"rlc.um.sn_bits": 10, "pdcp.sn_bits": 12}, _OF_BOTH


class _Part:
    """A configuration as a part of the network has it."""

    def __init__(self, whole: Any, others: Mapping[str, Any], path: str = "") -> None:
        self._whole, self._others, self._path = whole, others, path

    def __getattr__(self, name: str) -> Any:
        path = f"{self._path}{name}"
        if path in self._others:
            return self._others[path]
        value = getattr(self._whole, name)
        inner = any(other.startswith(f"{path}.") for other in self._others)
        return _Part(value, self._others, f"{path}.") if inner else value


def _of_part(refusals: list[Refusal], others: Mapping[str, Any], *fields: str) -> list[Refusal]:
    """Those of a part that can be wrong there."""
    return [replace(one, passes=lambda c, one=one: one.passes(_Part(c, others))) for one in refusals
            if one.field.startswith(fields)]


EN_DC = [
    Refusal("rlc.mode", "am", lambda c: c.rlc.mode == AM),
    Refusal("rlc.qdisc.kind", "pfifo", lambda c: not has_qdisc(c)),
    Refusal("nr.aqm.mode", "none", lambda c: c.nr.aqm.mode == _NONE),
    Refusal("pdcp.duplication", "false", lambda c: not c.pdcp.duplication),
    Refusal("nr.sdap_header", "false", lambda c: not c.nr.sdap_header),
    Refusal("n_bearers", "0: each UE has one bearer", lambda c: c.n_bearers == 0),
    Refusal("n_enb", "2: an eNB and a gNB", lambda c: c.n_enb == 2),
    Refusal("gtpu.sgw_addr", "no core network", lambda c: not c.gtpu.sgw_addr),
    Refusal("crowd.count", "0", lambda c: c.crowd.count == 0),
    Refusal("peer", "the network", lambda c: all(u.peer == NETWORK for u in ues(c))),
    *(Refusal(name, "0..15", lambda c, name=name: all(getattr(u, name) <= 15 for u in ues(c)))
      for name in ("second_cqi_ul", "second_cqi_dl")),
    *OF_UES,
    *_of_part(LTE, _OF_LTE, "lte.", "harq.", "mode"),
    *_of_part([one for one in NR if not one.field.startswith("nr.aqm")], _OF_NR, "nr.", "rlc.am.", "pdcp.sn_bits"),
]

# What no part of EN-DC can come to.
_ELSEWHERE = ("with daps", "with several gNBs", "RLC does not segment")
EN_DC = [one for one in EN_DC if not any(words in one.words for words in _ELSEWHERE)]

_UES = [{"peer": NETWORK, "mode": IM} for _ in range(2)]
_BITS = NR_BITS | {"n_enb": 2, "n_bearers": 0}


def _network(cell: dict[str, Any], **ue: Any) -> Network:
    """With a bearer that only a greater n_bearers would use."""
    return Network(lib.CELL_SYSTEM_EN_DC, [one | ue for one in _UES], _BITS | cell, [{"ue": 1}])


EN_DC_NETWORKS = {
    "plain": _network({}),
    "harq": _network({"harq.max_attempts": 4}),
    "another CQI": _network({}, second_cqi_ul=15, second_cqi_dl=15),
    "asked": _network({"lte.mac.ul_always_scheduled": 1, "lte.n_rb": 6}),
    "fdd": _network({"nr.phy.duplex": lib.CELL_DUPLEX_FDD, "nr.phy.numerology": 0, "nr.phy.bandwidth_mhz": 50}),
    "long": _network({"nr.phy.numerology": 3, "nr.phy.frequency_range": lib.CELL_FR2,
                      "nr.phy.tdd_pattern": b"D" * 14 + b"S" + b"U" * 65}),
    "drx": _network({"nr.drx.cycle_ms": 640, "nr.drx.short_cycle_ms": 20, "nr.drx.start_offset_ms": 30}),
    "grants": _network({"nr.mac.configured_grant": lib.CELL_CG_TYPE1, "nr.phy.bandwidth_mhz": 20,
                        "nr.phy.mcs_table_ul": lib.CELL_MCS_QAM256, "nr.mac.cg_mcs": 27}),
    "scg": _network({"en_dc.scg.on": 1}),
}
