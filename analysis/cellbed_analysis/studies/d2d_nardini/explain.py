# SPDX-License-Identifier: GPL-2.0-or-later
"""Why TCP fared as it did across mode switches, in counted facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...stats.numbers import facts
from ...stats.numbers import mean_of as mean

Row = dict[str, Any]
Rows = Sequence[Row]

#: Column and words, in order of time. Those about things that did not happen are null, and not told.
FACTS = (
    ("mode_switches", "{:.0f} switches"),
    ("switch_flushed_data_mean_pkts", "each flushed {:.1f} data packets"),
    ("switch_flushed_ack_mean_pkts", "and {:.1f} ACKs"),
    ("switch_outstanding_mean_pkts", "of {:.1f} packets in flight"),
    ("switch_flushed_on_air_mean_pkts", "{:.1f} of those flushed were on the air, sent whole"),
    ("switch_sacked_mean_pkts", "duplicate ACKs told of {:.1f} packets before the first congestion event"),
    ("switch_first_event_p50_ms", "which came {:.0f} ms after the switch"),
    ("switch_rto_first_share", "as a timeout after {:.0%} of them"),
    ("switch_ssthresh_p50_bytes", "it set ssthresh to {:.0f} bytes"),
    ("switch_rto_share", "the timer expired before the repair after {:.0%}"),
    ("switch_second_event_share", "a second congestion event came after {:.0%}"),
    ("switch_recovery_p50_ms", "everything in flight was acknowledged after {:.0f} ms"),
    ("switch_recovery_max_ms", "at most {:.0f} ms"),
    ("switch_cwnd_back_p50_ms", "the window was back after {:.0f} ms"),
    ("recoveries", "in the whole run {:.1f} fast recoveries"),
    ("rto_count", "and {:.1f} timeouts"),
    ("fast_recovery_max_ms", "the longest recovery took {:.0f} ms"),
    ("goodput_iperf3_mbps", "{:.2f} Mbit/s"),
)
#: Of the packets in flight: fewer survive a switch than the three that make a fast retransmit (RFC 5681 section 3.2).
ALL = 0.99
#: RFC 6298 section 2.4: a timeout is rounded up to 1 s. Linux's least is 200 ms.
RFC_RTO_MS = 1000


def switch(claim: Mapping[str, Any], rows: Rows, other: Rows) -> str:
    """What the switches flushed, and how the sender recovered."""
    groups = [group for group in (rows, other) if group]
    texts = [_facts(group) for group in groups]
    return " ".join([*texts, *dict.fromkeys(_why(groups))])


def _facts(rows: Rows) -> str:
    told = facts(rows, FACTS).replace(", and ", " and ").replace(", of ", " of ")
    variants = ", ".join(dict.fromkeys(str(row.get("variant")) for row in rows))
    runs = "1 run" if len(rows) == 1 else f"mean of {len(rows)} runs"
    return f"{variants}, {runs}: {told}."


def _why(groups: Sequence[Rows]) -> list[str]:
    """What follows from the counts."""
    every = [row for group in groups for row in group]
    share, timeout = mean(every, "switch_flushed_share"), mean(every, "switch_rto_p50_ms")
    again = mean(every, "switch_rto_first_share")
    said = []
    if share is not None and share >= ALL and again is not None and again > 0.5:
        said.append(
            f"A switch flushes {share:.0%} of what is in flight, data and ACKs: nothing arrives behind the hole, so no "
            "duplicate ACK comes, no fast recovery begins, and what the TCPs do differently in one does not show. "
            "Each waits for its timer and then slow-starts up to its ssthresh."
        )
    if timeout is not None and timeout < RFC_RTO_MS:
        said.append(
            f"The timer took {timeout:.0f} ms: Linux adds at least 200 ms to the RTT. RFC 6298 has a minimum of 1 s, "
            "and the paper's sender waits as long."
        )
    return said


def cqi(claim: Mapping[str, Any], rows: Rows, other: Rows) -> str:
    """Range of the CQIs of each direction."""
    found = [
        f"{direction.upper()} {low:.0f} to {high:.0f}"
        for direction in ("ul", "sl", "dl")
        if (low := mean(rows, f"cqi_{direction}_min")) is not None
        and (high := mean(rows, f"cqi_{direction}_max")) is not None
    ]
    return f"CQIs in channel.trace: {', '.join(found)}." if found else "The runs have no channel."
