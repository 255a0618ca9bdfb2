# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a flow was as fast as it was: retransmissions, reordering, congestion window, ACK spacing.

All of them are about the whole flow, slow start included, so that they can be
compared with the kernel's counters, which know no window.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ..tcp.arrival import matched, reordering_extents, transmissions
from ..tcp.segment import flow_packets, unwrap
from .metric import Metric
from .rtt import Values
from .throughput import IPERF3_COOKIE_BYTES, acknowledged

#: ACKs that arrive in less than this share of the time they should have between them are compressed.
COMPRESSED = 0.5
#: Time between the two ACKs that are compared. A sub-frame sends packets together that came apart, which
#: is the radio's granularity and no compression: one at each hop moves a span of 5 by less than its half.
SPAN_NS = 5_000_000
#: Three later packets make as many duplicate ACKs: a fast retransmit. Source: RFC 5681 section 3.2
DUPLICATE_ACKS = 3

#: Counters of the sender's node, per metric: what Linux counts in TcpExt. Source: Linux snmp_counter
COUNTERS = {
    "fast_retransmits": ("TCPFastRetrans",),
    "recoveries": ("TCPRenoRecovery", "TCPSackRecovery"),
    "rto_count": ("TCPTimeouts",),
    "cwnd_reductions": ("TCPRenoRecovery", "TCPSackRecovery", "TCPLossProbeRecovery", "TCPTimeouts"),
    "cwnd_undos": ("TCPFullUndo", "TCPPartialUndo", "TCPDSACKUndo", "TCPLossUndo"),
}

CAUSES = (
    Metric("transmissions", "1", "transmissions of data segments, retransmissions included"),
    Metric(
        "lost_transmissions", "1",
        "of these, missing in the receiver's capture: lost, or still under way at the end",
    ),
    Metric("retransmissions", "1", "of the transmissions, those with bytes that had been sent before"),
    Metric(
        "spurious_retransmits",
        "1",
        "of the retransmissions, those whose first byte also arrives by an earlier transmission, however late (RFC "
        "3522)",
    ),
    Metric("fast_retransmits", "1", "segments resent in fast recovery (TCPFastRetrans)"),
    Metric("recoveries", "1", "fast recoveries (TCPRenoRecovery + TCPSackRecovery)"),
    Metric("rto_count", "1", "retransmission timeouts (TCPTimeouts)"),
    Metric(
        "cwnd_reductions",
        "1",
        "recoveries, timeouts and tail losses repaired by a probe, each of which lowers the congestion window "
        "(TCPRenoRecovery + TCPSackRecovery + TCPLossProbeRecovery + TCPTimeouts)",
    ),
    Metric(
        "cwnd_undos",
        "1",
        "reductions that were taken back (TCPFullUndo + TCPPartialUndo + TCPDSACKUndo + TCPLossUndo)",
    ),
    Metric("reordering_events", "1", "data packets that arrive after a packet that was sent later (RFC 4737)"),
    Metric(
        "reordering_dupack_events", "1",
        "of these, those with an extent of 3 or more, which is enough for a fast retransmit",
    ),
    Metric("reordering_extent_max", "packets", "largest reordering extent (RFC 4737)"),
    Metric(
        "ack_compression",
        "1",
        "share of ACKs after which the next one that left the receiver 5 ms later or more reaches the sender in "
        "less than half the time between their departures (Mogul 1992, Zhang 1991)",
    ),
    Metric(
        "ack_clock_compression",
        "1",
        "the same for ACKs of new data, with the departures of the last segments that they confirm: what the whole "
        "loop "
        "bunched, for example data that waited behind a gap",
    ),
)

FILE = (
    Metric("file_bytes", "bytes", "size of the file that the flow sends; null for a flow of a given duration"),
    Metric(
        "file_received_bytes", "bytes",
        "of these, confirmed by the receiver; iperf3 may close before it has sent all",
    ),
    Metric(
        "completion_time_s", "s",
        "from the departure of the file's first segment to the confirmation of its last byte",
    ),
    Metric("file_goodput_mbps", "Mbit/s", "bytes received over that time, slow start included"),
)


def counter_metrics(counters: dict[str, Any] | None, node: str) -> Values:
    """Metrics of the kernel's counters at the sender.

    Args:
        counters: counters.json, None when the bundle has none. A counter that did
            not move is absent from it.
        node: the sender.
    """
    if counters is None or node not in counters:
        return {}
    found = counters[node].get("TcpExt", {})
    return {metric: sum(int(found.get(name, 0)) for name in names) for metric, names in COUNTERS.items()}


def cause_metrics(bundle: Bundle, flow: Flow) -> Values:
    """Metrics that need the captures at both ends."""
    data_sent, acks_here = flow_packets(bundle, flow, flow.source)
    data_there, acks_sent = flow_packets(bundle, flow, flow.sink)
    sent = transmissions(data_sent, data_there)
    return {
        **retransmission_metrics(sent),
        **reordering_metrics(sent),
        **spacing_metrics(sent, matched(acks_sent, acks_here)),
        **counter_metrics(bundle.counters, flow.source),
    }


def retransmission_metrics(sent: pl.DataFrame) -> Values:
    """Counts of transmissions.

    Args:
        sent: `arrival.transmissions`.
    """
    return {
        "transmissions": len(sent),
        "lost_transmissions": int(sent["there_ns"].null_count()),
        "retransmissions": int(sent["again"].sum()),
        "spurious_retransmits": int(sent["spurious"].sum()),
    }


def reordering_metrics(sent: pl.DataFrame) -> Values:
    """Packets with data that arrive behind ones sent after them.

    Numbers are those of the transmission, not TCP's: a retransmission is a new
    packet, so that what TCP resends is no reordering of the path.

    Args:
        sent: `arrival.transmissions`.
    """
    arrived = sent.filter(pl.col("there_row").is_not_null()).sort("there_row")
    extents = reordering_extents(arrived["number"].to_numpy())
    late = extents > 0
    return {
        "reordering_events": int(late.sum()),
        "reordering_dupack_events": int((extents >= DUPLICATE_ACKS).sum()),
        "reordering_extent_max": int(extents.max()) if len(extents) else None,
    }


def spacing_metrics(sent: pl.DataFrame, acks: pl.DataFrame) -> Values:
    """Shares of ACKs that reach the sender closer together than they left, or than their data left.

    Args:
        sent: `arrival.transmissions`.
        acks: `arrival.matched` of the ACK direction, from receiver to sender.

    Returns:
        ack_compression: share of ACKs at the sender that the way back bunched: the next one
            that left the receiver 5 ms later or more arrives in less than half that time.
        ack_clock_compression: share of ACKs of new data that the whole loop bunched, likewise,
            by the departures of the last segments they confirm. ACKs of retransmitted
            bytes do not count.

    Source: Mogul 1992; Zhang 1991 (ACK-compression)
    """
    arrived = acks.filter(pl.col("there_row").is_not_null()).sort("there_row")
    came = arrived["there_ns"].to_numpy()
    values: Values = {"ack_compression": compressed_share(arrived["t_ns"].to_numpy(), came)}
    if len(arrived) and len(sent):
        # The first ACK, the SYN-ACK's, confirms no data.
        reach = unwrap(arrived["ack"].to_numpy())
        reach = np.maximum.accumulate(reach - reach[0])
        clock = sent.filter(~pl.col("again"))
        ends, left = clock["end"].to_numpy(), clock["t_ns"].to_numpy()
        repeated = np.isin(ends, sent.filter("again")["end"].to_numpy())
        last = np.searchsorted(ends, reach, "right") - 1
        new = np.concatenate([[False], np.diff(reach) > 0]) & (last >= 0)
        new &= ~repeated[np.maximum(last, 0)]
        values["ack_clock_compression"] = compressed_share(left[last[new]], came[new])
    return values


def compressed_share(left_ns: np.ndarray, came_ns: np.ndarray) -> float | None:
    """Share of packets that come too soon before the next one that left SPAN_NS later or more.

    Args:
        left_ns, came_ns: (n,) departures and arrivals in the order of arrival; one that
            left before its forerunner counts as having left with it.

    Returns:
        The share that arrives in less than COMPRESSED of the time between the departures;
        None where no two left so far apart.
    """
    left = np.maximum.accumulate(left_ns)
    later = np.searchsorted(left, left + SPAN_NS)
    first = np.flatnonzero(later < len(left))
    later = later[first]
    shorter = came_ns[later] - came_ns[first] < COMPRESSED * (left[later] - left[first])
    return float(shorter.mean()) if len(first) else None


def finished(bundle: Bundle, flow: Flow) -> Flow:
    """The flow with its end: a file's is when the receiver confirms the last byte it gets."""
    if flow.bytes is None:
        return flow
    t, reach = acknowledged(flow_packets(bundle, flow, flow.sink)[1])
    return replace(flow, end_ns=int(t[np.searchsorted(reach, reach[-1])]))


def file_metrics(bundle: Bundle, flow: Flow) -> Values:
    """Completion of a file transfer; nothing for flows that last a given time.

    From the first segment of the file leaving the sender (iperf3's cookie is none of it)
    to the receiver's confirmation of the last byte it gets. iperf3 closes with bytes
    in its socket buffer, so these may be fewer than the file has.
    """
    if flow.bytes is None:
        return {}
    data, _ = flow_packets(bundle, flow, flow.source)
    of_file = data.filter(pl.col("payload_bytes") > 0)
    if flow.kind == "iperf3":
        of_file = of_file.filter((pl.col("seq") != of_file["seq"][0]) | (pl.col("payload_bytes") > IPERF3_COOKIE_BYTES))
    _, reach = acknowledged(flow_packets(bundle, flow, flow.sink)[1])
    received = int(reach[-1]) - (IPERF3_COOKIE_BYTES if flow.kind == "iperf3" else 0)
    if of_file.is_empty() or received <= 0:
        return {"file_bytes": flow.bytes, "file_received_bytes": max(received, 0)}
    seconds = (finished(bundle, flow).end_ns - of_file["t_ns"][0]) / 1e9
    return {
        "file_bytes": flow.bytes,
        "file_received_bytes": received,
        "completion_time_s": seconds,
        "file_goodput_mbps": received * 8 / 1e6 / seconds,
    }
