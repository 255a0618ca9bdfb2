# SPDX-License-Identifier: GPL-2.0-or-later
"""How ACKs come to the sender over NR: in bursts, as uplink slots let them through."""

from __future__ import annotations

import numpy as np

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ...metrics.metric import Metric
from ...metrics.rtt import Values
from ...metrics.window import evaluated_window
from ...radio.grid import grid_of
from ...tcp.segment import flow_packets, unwrap

#: ACKs that follow each other in less than this part of a slot came in one.
TOGETHER = 0.5
#: Columns of a run, by the one that they follow.
COLUMNS = {
    "ack_clock_compression": (
        Metric("ack_burst_pkts_mean", "1", "NR: ACKs that come to the sender less than half a slot apart, mean"),
        Metric("ack_burst_bytes_mean", "bytes", "NR: bytes that such a burst confirms, mean"),
        Metric("ack_gap_p50_ms", "ms", "NR: time from the end of such a burst to the next one, median"),
        Metric("ack_gap_p99_ms", "ms", "NR: 99th percentile of that time"),
    ),
}


def clock_metrics(bundle: Bundle, flow: Flow) -> Values:
    """Bursts of ACKs in the flow's steady part; nothing for runs without NR, without TCP or without captures."""
    grid = grid_of(bundle)
    if not grid.nr or flow.transport != "tcp" or flow.source not in bundle.captured_nodes:
        return {}
    _, acks = flow_packets(bundle, flow, flow.source)
    inside = evaluated_window(bundle, flow).cut(acks, "t_ns")
    if len(inside) < 2:
        return {}
    t_ns = inside["t_ns"].to_numpy()
    reach = np.maximum.accumulate(unwrap(inside["ack"].to_numpy()))
    gaps_ns = np.diff(t_ns)
    apart = np.flatnonzero(gaps_ns >= TOGETHER * grid.tti_ns)
    bursts = len(apart) + 1
    values: Values = {"ack_burst_pkts_mean": len(inside) / bursts,
                      "ack_burst_bytes_mean": float(reach[-1] - reach[0]) / bursts}
    if len(apart):
        p50, p99 = np.percentile(gaps_ns[apart], [50, 99])
        values |= {"ack_gap_p50_ms": float(p50) / 1e6, "ack_gap_p99_ms": float(p99) / 1e6}
    return values
