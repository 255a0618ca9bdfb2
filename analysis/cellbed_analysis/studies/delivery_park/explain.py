# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a claim about the order of delivery differs: what slowed the sender, and what the radio repaired."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...claims.explain import Rows, departures, parts_ms, repairs_text
from ...stats.numbers import facts
from ...stats.numbers import mean_of as mean

#: What a cause of throughput is made of: column, words. Zeros are told too.
DELIVERY_FACTS = (
    ("harq_retransmissions_dl", "{:.0f} HARQ retransmissions"),
    ("rlc_retransmissions_dl", "{:.0f} RLC retransmissions"),
    ("reordering_dupack_events", "{:.0f} packets overtaken by 3 or more"),
    ("reordering_extent_max", "by {:.0f} at most"),
    ("fast_retransmits", "{:.0f} fast retransmits"),
    ("spurious_retransmits", "{:.0f} retransmits spurious"),
    ("cwnd_reductions", "{:.1f} reductions of cwnd"),
    ("cwnd_undos", "{:.1f} undone"),
    ("rto_count", "{:.1f} timeouts"),
    ("cwnd_mean_pkts", "cwnd {:.0f} packets"),
    ("rtt_p50_ms", "RTT p50 {:.0f}"),
    ("rtt_p99_ms", "p99 {:.0f} ms"),
    ("data_delay_mean_ms", "{:.1f} ms through the radio"),
    ("ack_clock_compression", "{:.0%} of ACKs compressed"),
)
#: Congestion controls of Linux that lower the window for delay alone.
DELAY_BASED = {"yeah", "vegas"}


def delivery(claim: Mapping[str, Any], rows: Rows, other: Rows) -> str:
    """What slowed the sender, or did not, by the order of delivery."""
    return " ".join(_delivery_of(group) for group in (rows, other) if group)


def _delivery_of(rows: Rows) -> str:
    variants = ", ".join(sorted({str(row.get("variant")) for row in rows}))
    told = (f"{variants}, mean of {len(rows)} runs: {facts(rows, DELIVERY_FACTS)}.", repairs_text(rows),
            _what_governed(rows))  # fmt: skip
    return " ".join(filter(None, told))


def _what_governed(rows: Rows) -> str:
    """Whether lost packets, packets taken for lost, or nothing lowered the congestion window."""
    again, spurious = mean(rows, "retransmissions"), mean(rows, "spurious_retransmits")
    reductions, rate, rtt = (mean(rows, name) for name in ("cwnd_reductions", "goodput_mbps", "rtt_mean_ms"))
    if again is None or spurious is None or reductions is None or rate is None or rtt is None:
        return ""
    if reductions == 0:
        flight = mean(rows, "flight_mean_bytes") or 0.0
        text = (
            f"{_repairer(rows)} repaired every loss in order: TCP saw delay, no loss, and cut its window for none; "
            f"{flight / 1000:.0f} kB in flight at an RTT of {rtt:.0f} ms make {rate:.0f} Mbit/s."
        )
        by_delay = {row.get("congestion_control") for row in rows} & DELAY_BASED
        return f"{text} It takes delay for a queue and holds its window down." if by_delay else text
    if spurious > again / 2:
        return (
            "RLC's late retransmissions look like losses to TCP (3 duplicate ACKs come first): it halves its window "
            "and resends what is on its way; an undo comes a round trip later, when the next gap may be open already."
        )
    return "Retransmissions of lost packets governed the window."


def _repairer(rows: Rows) -> str:
    layers = [layer for layer in ("HARQ", "RLC") if mean(rows, f"{layer.lower()}_retransmissions_dl")]
    return " and ".join(layers) or "RLC"


def increment(claim: Mapping[str, Any], rows: Rows, other: Rows) -> str:
    """Where an increment of the RTT is, and how many PDUs wait together."""
    rtt, rate = mean(rows, "rtt_mean_ms"), mean(rows, "pdus_per_s_dl")
    if rtt is None or rate is None:
        return "The runs have no RTT or no PDUs."
    gap = departures(parts_ms(rows), parts_ms(other))
    told = f"RTT {rtt:.1f} ms; against runs without loss: {gap}. {repairs_text(rows)}".rstrip()
    text = f"{told} {rate * rtt / 1000:.0f} PDUs are in flight"
    if any(row.get("param.radio.rlc.delivery") == "out_of_sequence" for row in rows):
        return (
            f"{text}; TCP confirms in order, so what overtakes a gap in the radio waits for it in the receiver's TCP."
        )
    return (
        f"{text}: no more can wait, and those behind two gaps wait once, where the model adds up d_max PDUs for each "
        "gap. PDUs that a gap held back come at once, so do their ACKs and the next segments: part of the increment "
        "is their queue."
    )
