# SPDX-License-Identifier: GPL-2.0-or-later
"""Why TCP fared as it did at a handover, in counted facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...stats.numbers import facts
from ...stats.numbers import mean_of as mean
from .words import PROCEDURES, QUEUES, queue_of

Row = dict[str, Any]
Rows = Sequence[Row]

#: Column and words, in order of time. Those about things that did not happen are null, and not told.
FACTS = (
    ("ho_cwnd_pkts", "cwnd {:.0f} packets"),
    ("ho_rtt_before_ms", "RTT {:.0f} ms before"),
    ("ho_forwarded_pkts", "{:.0f} packets forwarded"),
    ("ho_forwarded_lost_pkts", "{:.1f} of them lost between the eNBs"),
    ("ho_end_markers_lost", "{:.1f} End Markers lost"),
    ("ho_held_ms", "packets held for {:.0f} ms"),
    ("ho_lost_pkts", "{:.1f} transmissions lost in all"),
    ("ho_reordered_pkts", "{:.1f} reordered"),
    ("ho_rtt_max_ms", "RTT up to {:.0f} ms"),
    ("ho_ack_gap_ms", "up to {:.0f} ms between two ACKs of new data in the span"),
    ("ho_event_ms", "first congestion event after {:.0f} ms"),
    ("ho_timeout", "{:.0%} timeouts"),
    ("ho_timeout_spurious", "{:.0%} of these spurious"),
    ("ho_timer_ms", "{:.0f} ms after the last ACK of new data"),
    ("ho_halving", "{:.0%} halvings"),
    ("ho_delivered_kb", "{:.0f} kB delivered"),
    ("ho_span_ms", "in a span of {:.0f} ms"),
    ("ho_rate_before_mbps", "{:.1f} Mbit/s in the second before"),
    ("ho_rate_after_mbps", "{:.1f} in the second after the start"),
    ("ho_drop_source_percent", "{:.2f} % dropped in front of the source"),
    ("ho_drop_target_percent", "{:.2f} % in front of the target"),
    ("ho_lost_source_start_percent", "flows that stay in the source cell lost {:.2f} % in the first 3 s"),
    ("ho_lost_source_steady_percent", "{:.2f} % later"),
    ("ho_lost_target_start_percent", "those in the target cell {:.2f} %"),
    ("ho_lost_target_steady_percent", "{:.2f} % later"),
    ("ho_marked_source_pkts", "{:.0f} marked in front of the source"),
    ("ho_marked_target_pkts", "{:.0f} in front of the target"),
)
#: What a link's rate makes of a quantity: from what the claim expects, the runs, and the slowest rate in bit/s.
Bound = Callable[[Mapping[str, Any], Rows, float], str | None]
PACKET_BITS = 8 * 1500
_RATE = re.compile(r"param\.links\.\d+\.rate")
#: The share of runs that something has to be true of before it is given as the reason.
MOST = 0.5


def handover(claim: Mapping[str, Any], rows: Rows, other: Rows) -> str:
    """What the handovers did, and what follows from that."""
    groups = [group for group in (rows, other) if group]
    reasons = dict.fromkeys(reason for group in groups for reason in _reasons(group))
    bounds = _bounds(claim, rows) if rows else []
    return " ".join([*(_facts(group) for group in groups), *reasons, *bounds])


def _facts(rows: Rows) -> str:
    runs = "1 run" if len(rows) == 1 else f"mean of {len(rows)} runs"
    return f"{_what(rows)}, {runs}: {facts(rows, FACTS)}."


def _what(rows: Rows) -> str:
    """Procedures and queue managements of some runs."""
    said = dict.fromkeys(PROCEDURES.get(str(row.get("param.radio.handover.procedure")), "handover") for row in rows)
    said |= dict.fromkeys(QUEUES[queue_of(row)] for row in rows if queue_of(row) != "none")
    return " and ".join(said)


def _reasons(rows: Rows) -> list[str]:
    """What follows from the counts."""
    timeout, spurious, lost = (mean(rows, name) for name in ("ho_timeout", "ho_timeout_spurious", "ho_lost_pkts"))
    gap, held, markers = (mean(rows, name) for name in ("ho_ack_gap_ms", "ho_held_ms", "ho_end_markers_lost"))
    said = []
    if timeout and spurious is not None and lost is not None and spurious < MOST and lost > 1:
        said.append(
            f"{1 - spurious:.0%} of the timeouts are about segments that were lost: packets of one window meet the "
            "full queue in front of the target, and Reno repairs one loss in a recovery, which it leaves with the "
            "first partial ACK; for the next one it waits for the timer."
        )
    least = [row["param.tcp.rto_min_ms"] for row in rows if row.get("param.tcp.rto_min_ms")]
    if gap is not None and least and gap < min(least):
        said.append(
            f"Delay alone cannot make the timer expire: ACKs are at most {gap:.0f} ms apart, the least RTO is "
            f"{min(least):.0f} ms on top of the RTT."
        )
    if markers is not None and held is not None and markers >= MOST:
        said.append(
            "The End Marker is lost in that queue as well; the target holds what comes on the new path until it stops "
            f"waiting for it, up to {held:.0f} ms."
        )
    return said + _early(rows, gap)


def _bounds(claim: Mapping[str, Any], rows: Rows) -> list[str]:
    """What the wires allow of a claim's quantity, whatever TCP does."""
    rates_bps = [row[key] for row in rows for key in row if _RATE.fullmatch(key) and row[key]]
    metric = claim.get("measure", {}).get("metric")
    if metric not in _BOUNDS or not rates_bps:
        return []
    said = _BOUNDS[metric](claim.get("expect", {}), rows, min(rates_bps))
    return [said] if said else []


def _rtt_bound(_: Mapping[str, Any], rows: Rows, rate_bps: float) -> str | None:
    window = mean(rows, "param.tcp.cwnd_max_pkts")
    if window is None or mean(rows, "ho_source_mes") != 1:
        return None
    return (f"An ME that has a link of {rate_bps / 1e6:g} Mbit/s for itself waits no longer than its window of "
            f"{window:.0f} packets takes there, {1e3 * window * PACKET_BITS / rate_bps:.0f} ms.")


def _delivered_bound(expect: Mapping[str, Any], rows: Rows, rate_bps: float) -> str | None:
    span = mean(rows, "ho_span_ms")
    if span is None or "high" not in expect:
        return None
    return (f"In {span:.0f} ms a link of {rate_bps / 1e6:g} Mbit/s carries at most {rate_bps * span / 8e6:.0f} kB; "
            f"{expect['high']:g} kB take it {8e6 * expect['high'] / rate_bps:.0f} ms, whatever the procedure.")


_BOUNDS: dict[str, Bound] = {
    "ho_rtt_before_ms": _rtt_bound,
    "ho_delivered_kb": _delivered_bound,
}


def _early(rows: Rows, gap: float | None) -> list[str]:
    """What a prediction costs: the old path is empty before the UE leaves."""
    switched, rtt = mean(rows, "ho_path_switch_ms"), mean(rows, "ho_rtt_before_ms")
    if switched is None or rtt is None or gap is None or -switched < rtt:
        return []
    return [
        f"The path is switched {-switched:.0f} ms before, more than the RTT of {rtt:.0f} ms: the old path is empty "
        f"long before the UE leaves, and no ACK comes for {gap:.0f} ms."
    ]
