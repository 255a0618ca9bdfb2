# SPDX-License-Identifier: GPL-2.0-or-later
"""What the keys of LTE have to do with each other."""

from __future__ import annotations

from collections import Counter
from typing import Any

from coreffi import lib
from refusal import (
    AM,
    DM,
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
    peer_of,
    rises,
    ues,
)

# Resource blocks whose largest transport block holds a packet of 1500 bytes. Source: TS 36.213 Table 7.1.7.2.1-1
TM_MIN_RB = 18
# Logical channels of one kind. Source: TS 36.321 Table 6.2.1-1; v15.3.0 Table 6.2.1-1b
CHANNELS = {("um", 5): 2, ("um", 10): 3, ("am", 0): 3, ("tm", 0): 3}


def _several(c: Any) -> bool:
    return c.n_enb > 1


def _kind(b: Any) -> tuple[str, int]:
    return ("um", 5 if b.rlc.um.sn_bits == 5 else 10) if b.rlc.mode == UM else ("am" if b.rlc.mode == AM else "tm", 0)


def _channels_are_enough(c: Any) -> bool:
    for number, u in enumerate(ues(c), 1):
        for kind, n in Counter(_kind(b) for b in bearers_of(c, number)).items():
            if n > (CHANNELS[kind] if u.peer == NETWORK else 1):
                return False
    return True


def _am_between_ues(c: Any) -> list[tuple[int, Any, int]]:
    """UE, its peer, and the place of each bearer of RLC AM between them."""
    return [(number, peer_of(c, u), k) for number, u in enumerate(ues(c), 1) if peer_of(c, u) is not None
            for k, b in enumerate(bearers_of(c, number)) if b.rlc.mode == AM]


def _same_bearer(c: Any, number: int, k: int) -> bool:
    peers = bearers_of(c, c.ue[number - 1].peer)
    return k < len(peers) and peers[k].rlc.mode == AM


# Source: TS 36.321 5.1, 5.4.2; TS 36.331; TS 36.300 10.1.2
LTE = [
    *OF_CHANNELS, *OF_UES,
    Refusal("lte.control.pucch_rb", "six less than lte.n_rb, or fewer",
            lambda c: c.lte.control.pucch_rb + 6 <= c.lte.n_rb),
    Refusal("lte.control.cfi", "0..3, so many symbols that answers to preambles have room",
            lambda c: c.lte.control.cfi <= 3 and not (c.lte.control.cfi == 1 and 11 <= c.lte.n_rb <= 13)),
    Refusal("lte.mac.ul_always_scheduled", "true with a resource block for each UE, or false",
            lambda c: not c.lte.mac.ul_always_scheduled or c.n_ue <= c.lte.n_rb - c.lte.control.pucch_rb),
    Refusal("lte.ul_carriers", "at most lte.dl_carriers; 1 with lte.mac.ul_always_scheduled",
            lambda c: c.lte.ul_carriers <= (1 if c.lte.mac.ul_always_scheduled else c.lte.dl_carriers)),
    Refusal("lte.outer_loop.target_bler_q32", "at most half", lambda c: c.lte.outer_loop.target_bler_q32 < 2**31),
    Refusal("lte.timing.rar_delay_tti", "less than lte.ra.rac_timeout_tti",
            lambda c: c.lte.timing.rar_delay_tti < c.lte.ra.rac_timeout_tti),
    Refusal("lte.timing.rar_to_msg3_tti", "at least lte.timing.grant_to_tx_tti",
            lambda c: c.lte.timing.rar_to_msg3_tti >= c.lte.timing.grant_to_tx_tti),
    Refusal("rlc.um.sn_bits", "5 or 10",
            lambda c: c.rlc.um.sn_bits in (5, 10) and all(b.rlc.um.sn_bits in (5, 10) for b in of_all_ues(c))),
    Refusal("pdcp.sn_bits", "7 or 12",
            lambda c: c.pdcp.sn_bits in (7, 12) and all(b.pdcp.sn_bits in (7, 12) for b in of_all_ues(c))),
    Refusal("lte.timing.decode_tti", "with HARQ at most 8 together with lte.timing.grant_to_tx_tti",
            lambda c: c.harq.max_attempts == 1 or c.lte.timing.decode_tti + c.lte.timing.grant_to_tx_tti <= 8),
    Refusal("crowd.cqi", "each 1..15",
            lambda c: all(1 <= c.crowd.cqi[i] <= 15 for i in range(min(c.crowd.n_cqi, 64)))),
    Refusal("crowd.burst_bytes", "at most one burst of the whole crowd in a microsecond",
            lambda c: c.crowd.arrival == lib.CELL_CROWD_READING
            or c.crowd.offered_rate_bps * c.crowd.count <= 8 * 10**6 * c.crowd.burst_bytes),
    Refusal("crowd.direction", "dl with lte.mac.ul_always_scheduled",
            lambda c: not (c.crowd.count and c.lte.mac.ul_always_scheduled)
            or c.crowd.direction == lib.CELL_CROWD_DL),
    Refusal("handover.procedure", "standard, fast_path_switch or prediction",
            lambda c: not _several(c) or (c.handover.procedure <= lib.CELL_HO_PREDICTION
                                          and not c.handover.condition.on)),
    Refusal("handover.prediction_timeout_ms", "longer than two messages of handover.signalling_us",
            lambda c: not _several(c) or 1000 * c.handover.prediction_timeout_ms > 2 * c.handover.signalling_us),
    Refusal("handover.procedure", "standard or fast_path_switch with a3",
            lambda c: not _several(c) or not c.handover.a3.on or c.handover.procedure != lib.CELL_HO_PREDICTION),
    Refusal("handover.preparation_times", "none with prediction", lambda c: not _several(c)
            or not c.handover.preparation_times.on or c.handover.procedure != lib.CELL_HO_PREDICTION),
    Refusal("handover.link_failure.on", "none but with standard", lambda c: not _several(c)
            or not c.handover.link_failure.on or c.handover.procedure == lib.CELL_HO_STANDARD),
    Refusal("handover.detach_times", "quantiles that do not decrease",
            lambda c: not _several(c) or rises(c.handover.detach_times)),
    Refusal("handover.preparation_times", "quantiles that do not decrease",
            lambda c: not _several(c) or rises(c.handover.preparation_times)),
    Refusal("peer", "another UE or the network",
            lambda c: all(u.peer <= c.n_ue and u.peer != number for number, u in enumerate(ues(c), 1))),
    Refusal("mode", "im to the network", lambda c: all(u.peer != NETWORK or u.mode == IM for u in ues(c))),
    Refusal("enb", "less than the number of eNBs", lambda c: all(u.enb < c.n_enb for u in ues(c))),
    Refusal("gtpu.enb_addr", "with an S-GW one for each eNB",
            lambda c: not c.gtpu.sgw_addr or all(c.gtpu.enb_addr[i] for i in range(min(c.n_enb, 4)))),
    Refusal("addr", "with an S-GW one for each UE whose peer is the network",
            lambda c: not c.gtpu.sgw_addr or all(u.peer != NETWORK or u.addr for u in ues(c))),
    Refusal("peer", "a UE in the same cell",
            lambda c: all(peer_of(c, u) is None or peer_of(c, u).enb == u.enb for u in ues(c))),
    Refusal("bearer", "8 of a UE", lambda c: all(len(bearers_of(c, i + 1)) <= 8 for i in range(len(ues(c))))),
    Refusal("kind", "0..4", lambda c: all(qdisc.kind < lib.CELL_QDISC_COUNT for b in of_all_ues(c)
                                          for qdisc in b.rlc.qdisc), single=True),
    Refusal("rlc.qdisc.kind", "pfifo with RLC TM, for which PDCP numbers what comes, or copies",
            lambda c: not any(has_qdisc(b) and (b.rlc.mode == TM or b.pdcp.duplication) for b in of_all_ues(c))),
    Refusal("pdcp.reordering", "0 with several eNBs",
            lambda c: not _several(c) or not any(b.pdcp.reordering for b in of_all_ues(c))),
    Refusal("rlc.delivery", "in_sequence with several eNBs and RLC AM",
            lambda c: not _several(c) or all(b.rlc.mode != AM or b.rlc.delivery == lib.CELL_DELIVERY_IN_SEQUENCE
                                             for b in of_all_ues(c))),
    Refusal("pdcp.sn_bits", "12 with several eNBs and RLC AM",
            lambda c: not _several(c) or all(b.rlc.mode != AM or b.pdcp.sn_bits == 12 for b in of_all_ues(c))),
    Refusal("peer", "the UE whose peer this one is, with RLC AM",
            lambda c: all(peer.peer == number for number, peer, _ in _am_between_ues(c))),
    Refusal("bearer.rlc.mode", "the mode of the peer's bearer at the same place, with RLC AM",
            lambda c: all(_same_bearer(c, number, k) for number, _, k in _am_between_ues(c))),
    Refusal("lte.n_rb", "more where RLC does not segment, so that a block holds a packet",
            lambda c: c.lte.n_rb - c.lte.control.pucch_rb >= TM_MIN_RB or all(b.rlc.mode != TM for b in of_all_ues(c))),
    Refusal("bearer.rlc.mode", "as many bearers of a UE as the mode has LCIDs; one where the peer is a UE",
            _channels_are_enough),
]

_PAIR = [{"peer": 2, "mode": DM}, {"peer": 1, "mode": DM}]
_TO_NETWORK = [{"peer": NETWORK, "mode": IM, "addr": 4 + i, "enb": i} for i in range(2)]
_TUNNELS = {"gtpu.sgw_addr": 1, "gtpu.enb_addr": [2, 3, 0, 0], "n_enb": 2}
_ALL_KINDS = [{"ue": 1, "n_filters": 0}, *(
    {"ue": 1, "n_filters": 1, "rlc.mode": mode, "rlc.um.sn_bits": bits}
    for mode, bits in ((UM, 10), (UM, 5), (UM, 5), (AM, 10), (AM, 10), (TM, 10), (TM, 10)))]
_BY_ADDRESS = [{"ue": 1, "n_filters": 2, "rlc.mode": AM, "filter": [
    {"local": {"version": 4, "bits": 24}}, {"remote": {"version": 6, "bits": 64}}]}]
_LTE = lib.CELL_SYSTEM_LTE
LTE_NETWORKS = {
    "direct": Network(_LTE, _PAIR),
    "direct am": Network(_LTE, _PAIR, {"rlc.mode": AM}),
    "direct am, bearers": Network(_LTE, _PAIR, {"rlc.mode": UM}, [
        {"ue": number, "n_filters": n, "rlc.mode": AM if n else UM} for number in (1, 2) for n in (0, 2)]),
    "direct, third UE": Network(_LTE, [*_PAIR, {"peer": 1, "mode": IM}],
                                {"lte.mac.ul_always_scheduled": 1, "lte.n_rb": 6}),
    "transparent": Network(_LTE, _TO_NETWORK[:1], {"rlc.mode": TM, "lte.n_rb": TM_MIN_RB}),
    "transparent bearer": Network(_LTE, _TO_NETWORK[:1], {"lte.n_rb": 25}, [{"ue": 1, "n_filters": 1, "rlc.mode": TM}]),
    "harq": Network(_LTE, _PAIR, {"harq.max_attempts": 4}),
    "crowd": Network(_LTE, _PAIR, {"crowd.count": 20, "crowd.direction": lib.CELL_CROWD_DL,
                                   "lte.mac.ul_always_scheduled": 1,
                                   "crowd.offered_rate_bps": 16 * 10**6, "crowd.burst_bytes": 40}),
    "crowd, up": Network(_LTE, _PAIR, {"crowd.count": 1, "crowd.direction": lib.CELL_CROWD_UL}),
    "handover": Network(_LTE, _TO_NETWORK, _TUNNELS | {"handover.prediction_timeout_ms": 9}),
    "handover am": Network(_LTE, _TO_NETWORK, _TUNNELS | {"rlc.mode": AM,
                                                          "handover.procedure": lib.CELL_HO_PREDICTION}),
    "handover, drawn times": Network(_LTE, _TO_NETWORK, _TUNNELS | DRAWN),
    "handover, a3": Network(_LTE, _TO_NETWORK, _TUNNELS | {"handover.a3.on": 1},
                            [{"ue": 2, "n_filters": 1, "rlc.mode": AM}]),
    "cells without a core": Network(_LTE, [{**ue, "enb": 1} for ue in _PAIR], {"n_enb": 2}),
    "rates": Network(_LTE, _TO_NETWORK[:1], {}, [
        {"ue": 1, "n_filters": 1, "rlc.mode": AM, "priority_level": 20, "gbr_dl_bps": 64_000, "mbr_dl_bps": 64_000,
         "gbr_ul_bps": 64_000, "mbr_ul_bps": 128_000}]),
    "bearers": Network(_LTE, _TO_NETWORK, _TUNNELS, _ALL_KINDS),
    "filters": Network(_LTE, _TO_NETWORK[:1], {}, _BY_ADDRESS),
    "queues": Network(_LTE, _TO_NETWORK, _TUNNELS | {"rlc.qdisc": [{"kind": lib.CELL_QDISC_CODEL},
                                                                   {"kind": lib.CELL_QDISC_FQ_CODEL}]}),
}
