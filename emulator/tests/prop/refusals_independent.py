# SPDX-License-Identifier: GPL-2.0-or-later
"""What the keys of radio systems whose UEs share nothing have to do with each other: dedicated channels of the UTRAN,
recorded links and links of constant rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from coreffi import ffi, get, lib
from recording import Link
from refusal import IM, NETWORK, Network, Refusal, in_order, in_range, ues

_UTRAN_TTI_MS = (10, 20, 40, 80)  # Source: TS 25.331 TransmissionTimeInterval
_DELAY_MAX_MS = 60000  # of a train


def _whole_pdus(c: Any, rate_bps: int) -> bool:
    bits_times_1000, pdu = rate_bps * c.utran.tti_ms, 8000 * c.utran.pdu_bytes
    return bits_times_1000 % pdu == 0 and 1 <= bits_times_1000 // pdu <= 64


INDEPENDENT = [
    Refusal("n_enb", "1 without S-GW, where each UE has a link of its own",
            lambda c: c.n_enb == 1 and not c.gtpu.sgw_addr),
    Refusal("peer", "the network", lambda c: all(u.peer == NETWORK for u in ues(c))),
]


def _of_netem(netems: Callable[[Any], list[Any]]) -> list[Refusal]:
    def delays(c: Any) -> list[list[Any]]:
        return [[netem.delay[i] for i in range(netem.n_delays)] for netem in netems(c)]

    return [
        *in_range("CFG_NETEM", netems),
        Refusal("delay", "none, or two or more, the last one later than 0",
                lambda c: all(not found or (len(found) > 1 and found[-1].at_ms > 0) for found in delays(c))),
        Refusal("delay", "times that do not decrease, and delays of at most 10000000 us", lambda c: all(
            in_order([one.at_ms for one in found]) and all(one.delay_us <= 10**7 for one in found)
            for found in delays(c))),
    ]


CONSTANT = [*_of_netem(lambda c: [c.constant.netem[i] for i in range(2)]), *INDEPENDENT]
UTRAN = [
    Refusal("utran.tti_ms", "10, 20, 40 or 80", lambda c: c.utran.tti_ms in _UTRAN_TTI_MS),
    *(Refusal(name, "1..64 whole PDUs in a TTI",
              lambda c, name=name: c.utran.tti_ms not in _UTRAN_TTI_MS or _whole_pdus(c, get(c, name)))
      for name in ("utran.ul_rate_bps", "utran.dl_rate_bps")),
    *INDEPENDENT,
]


def _links(c: Any) -> list[Any]:
    return [c.recorded, *(u.recorded for u in ues(c) if u.recorded != ffi.NULL)]


def _ways(c: Any) -> list[Any]:
    return [link.way[i] for link in _links(c) for i in range(2)]


def _of_trains(passes: Callable[[Any, list[Any]], bool]) -> Callable[[Any], bool]:
    """Holds anyway of a way without trains."""
    return lambda c: all(passes(way, [way.train[i] for i in range(way.n_trains)])
                         for way in _ways(c) if way.train != ffi.NULL)


def _offsets_are_right(way: Any, train: Any) -> bool:
    if not 1 <= train.n <= way.n_train_offsets - train.first:
        return False
    offsets = [way.train_offset_ms[train.first + i] for i in range(train.n)]
    return in_order(offsets) and all(ms <= _DELAY_MAX_MS for ms in offsets)


def _times(of: int) -> Callable[[Any], list[list[int]]]:
    def of_links(c: Any) -> list[list[int]]:
        ways = [link.way[of] for link in _links(c)]
        return [[way.opportunity_ms[i] for i in range(way.n_opportunities)] for way in ways]

    return of_links


RECORDED = [
    *in_range("CFG_RECORDED", _links),
    *(refusal for name, times in (("uplink", _times(0)), ("downlink", _times(1))) for refusal in (
        Refusal(f"opportunity_ms of the {name}", "at least one time, the last one above 0",
                lambda c, times=times: all(ms and ms[-1] > 0 for ms in times(c))),
        Refusal(f"opportunity_ms of the {name}", "times that do not decrease",
                lambda c, times=times: all(in_order(ms) for ms in times(c))))),
    Refusal("n_trains", "none without trains",
            lambda c: all(way.train != ffi.NULL or not (way.n_trains or way.n_train_sizes) for way in _ways(c))),
    Refusal("delay_ms", "0 with trains", lambda c: all(
        link.delay_ms == 0 or all(link.way[i].train == ffi.NULL for i in range(2)) for link in _links(c))),
    Refusal("n_trains", "at least two trains, the last one later than 0",
            _of_trains(lambda _, trains: len(trains) >= 2 and trains[-1].at_ms > 0)),
    Refusal("train", "times that do not decrease, and delays of at most 60000 ms",
            _of_trains(lambda _, trains: in_order([train.at_ms for train in trains])
                       and all(train.delay_ms <= _DELAY_MAX_MS for train in trains))),
    Refusal("train_offset_ms", "one or more that do not decrease, 0..60000 ms",
            _of_trains(lambda way, trains: all(_offsets_are_right(way, train) for train in trains))),
    Refusal("train_size_us", "-1000000..1000000 us",
            _of_trains(lambda way, _: all(abs(way.train_size_us[i]) <= 10**6 for i in range(way.n_train_sizes)))),
    *_of_netem(lambda c: [way.netem for way in _ways(c)]), *INDEPENDENT,
]

_TRAINS = [(0, 3, [0, 2, 2]), (10, 60000, [1]), (10, 0, [0, 60000])]
_DELAYS = ffi.new("struct cell_delay[]", [(0, 7), (3, 10**7), (3, 1)])
_NETEM = {"delay": _DELAYS, "n_delays": 3}
_PLAIN = Link(([3, 3, 9], [4]), keys={"delay_ms": 7})
_PLAIN.cfg.way[1].netem.delay, _PLAIN.cfg.way[1].netem.n_delays = _DELAYS, len(_DELAYS)
_WITH_TRAINS = Link(([5], [1, 2, 40]), (_TRAINS, _TRAINS[:2]), ([-1000000, 1000000], [5]))
_ONE_WAY = Link(([5], [7, 8]), ([], _TRAINS))
_ALONE = {"peer": NETWORK, "mode": IM}
UTRAN_NETWORKS = {"utran": Network(lib.CELL_SYSTEM_UTRAN, [_ALONE])}
CONSTANT_NETWORKS = {
    "constant": Network(lib.CELL_SYSTEM_CONSTANT_RATE, [_ALONE, _ALONE]),
    "delays": Network(lib.CELL_SYSTEM_CONSTANT_RATE, [_ALONE], {"constant.netem": [{}, _NETEM]})}
RECORDED_NETWORKS = {
    name: Network(lib.CELL_SYSTEM_PACKET_TRACE, [_ALONE, {**_ALONE, "recorded": other.cfg}], {"recorded": link.cfg[0]})
    for name, link, other in (("plain", _PLAIN, _WITH_TRAINS), ("trains", _WITH_TRAINS, _ONE_WAY),
                              ("one way", _ONE_WAY, _PLAIN))}
