# SPDX-License-Identifier: GPL-2.0-or-later
"""Why TCP and UDP fared as they did at the edge of a cell, in counted facts, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...stats.numbers import facts
from ...stats.numbers import mean_of as mean
from .edge import CONTROL, DISTANCE, RLC, TRANSPORT

Row = dict[str, Any]
Rows = Sequence[Row]

#: Column and words, means per run. Those about things that a run has not are null, and not told.
FACTS = (
    ("ip_throughput_mbps", "{:.2f} Mbit/s"),
    ("ip_sent_pkts", "{:.0f} packets sent"),
    ("ip_lost_pkts", "{:.0f} of them lost"),
    ("dropped_queue_full_pkts", "{:.0f} dropped by RLC's full queue"),
    ("blocks_dl", "{:.0f} downlink blocks"),
    ("block_dl_mean_bytes", "of {:.0f} bytes on average"),
    ("harq_failures_dl", "{:.0f} of them given up by HARQ"),
    ("harq_retx_dl_share", "{:.1%} of the transmissions again by HARQ"),
    ("control_missed_ttis", "{:.0f} assignments missed"),
    ("rlc_retransmissions_dl", "{:.0f} RLC retransmissions"),
    ("radio_link_failures", "{:.0f} radio link failures"),
    ("recoveries", "{:.0f} fast recoveries"),
    ("rto_count", "{:.0f} timeouts"),
    ("cwnd_change_p50_pkts", "median cwnd {:.0f} packets"),
    ("rtt_min_ms", "RTT at least {:.0f} ms"),
    ("rtt_p50_ms", "median {:.0f} ms"),
)
#: The share of losses, or of runs, from which on something is the reason.
MOST = 0.5
#: A share of lost blocks that matters, and one that does not.
MANY, FEW = 0.01, 0.001
#: IP and UDP, or IP and TCP without options.
HEADER_BYTES = {"udp": 28, "tcp": 40}


def celledge(claim: Mapping[str, Any], rows: Rows, other: Rows) -> str:
    """What was counted in the runs of a claim, and what follows."""
    groups = [group for part in (rows, other) if part for group in _extremes(part)]
    reasons = dict.fromkeys(reason for group in groups for reason in _reasons(group))
    return " ".join([*map(_facts, groups), *reasons])


def _extremes(rows: Rows) -> list[Rows]:
    """Runs at the least and at the greatest distance; all when there is one."""
    distances = sorted({row[DISTANCE] for row in rows if row.get(DISTANCE) is not None})
    ends = dict.fromkeys([distances[0], distances[-1]]) if distances else {}
    return [[row for row in rows if row.get(DISTANCE) == end] for end in ends]


def _facts(rows: Rows) -> str:
    told = facts(rows, FACTS).replace(", of ", " of ")
    variants = ", ".join(dict.fromkeys(str(row.get("variant")) for row in rows))
    return f"{variants} at {rows[0][DISTANCE]:g} m: {told}."


def _reasons(rows: Rows) -> list[str]:
    """What follows from the counts."""
    found = [_full_queue(rows), _filled(rows), _pieces(rows), _nothing_to_repair(rows), _no_failure(rows)]
    return [reason for reason in found if reason]


def _full_queue(rows: Rows) -> str | None:
    """Datagrams that never came on the air."""
    full, lost = mean(rows, "dropped_queue_full_pkts"), mean(rows, "ip_lost_pkts")
    rate, left = mean(rows, "param.traffic.0.rate"), mean(rows, "ip_throughput_mbps")
    if not full or not lost or rate is None or left is None or full < MOST * lost:
        return None
    return (f"{full / lost:.1%} of the datagrams lost found RLC's queue full: {rate / 1e6:g} Mbit/s are offered, "
            f"{left:.2f} Mbit/s leave. ARQ brings none of those back; on the air {lost - full:.0f} were lost.")


def _filled(rows: Rows) -> str | None:
    """A window that is larger than the path without a queue."""
    window, least = mean(rows, "param.tcp.receive_window"), mean(rows, "rtt_min_ms")
    rate = mean(rows, "ip_throughput_mbps")
    if not window or not least or rate is None or _share(rows) > FEW:
        return None
    enough = 8 * window / least / 1e3
    if enough < rate:
        return None
    return (f"The receive window of {window / 1024:g} KiB makes {enough:.0f} Mbit/s at an RTT of {least:.0f} ms, more "
            "than the carrier takes: the rest waits in RLC's queue, so that TCP sends without a pause as UDP does, and "
            "the RTT follows from the window and the rate.")


def _share(rows: Rows) -> float:
    """Of downlink blocks that HARQ gave up."""
    blocks, lost = mean(rows, "blocks_dl"), mean(rows, "harq_failures_dl")
    return (lost or 0.0) / blocks if blocks else 0.0


def _pieces(rows: Rows) -> str | None:
    """Loss of packets from that of blocks, in UM."""
    size = mean(rows, "block_dl_mean_bytes")
    share = _share(rows)
    if size is None or share < MANY or any(row.get(RLC) != "um" for row in rows):
        return None
    payload = mean(rows, "param.tcp.mss") or 1024
    packet = payload + HEADER_BYTES.get(str(rows[0].get(TRANSPORT)), 40)
    blocks = 1 + packet / size
    return (f"A packet of {packet:.0f} bytes lies in {blocks:.1f} blocks, of which {share:.1%} are lost: in UM that "
            f"takes {1 - (1 - share) ** blocks:.0%} of the packets if blocks are lost one by one.")


def _nothing_to_repair(rows: Rows) -> str | None:
    """AM where hardly a block is lost."""
    share = _share(rows)
    if share > FEW or any(row.get(RLC) != "am" for row in rows):
        return None
    return f"HARQ leaves AM {share:.3%} of the blocks to repair."


def _no_failure(rows: Rows) -> str | None:
    """Why AM never came to its limit."""
    share, threshold = _share(rows), mean(rows, "param.radio.rlc_am.max_retx_threshold")
    failures = mean(rows, "radio_link_failures")
    if failures != 0 or threshold is None or not all(row.get(CONTROL) and row.get(RLC) == "am" for row in rows):
        return None
    return (f"A radio link failure takes {threshold + 1:.0f} transmissions of a PDU without success; {share:.1%} of "
            f"the blocks "
            "are lost, and a retransmission comes a STATUS report later, when a fade of the control channel is over.")
