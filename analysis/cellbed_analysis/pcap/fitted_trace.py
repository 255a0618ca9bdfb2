# SPDX-License-Identifier: GPL-2.0-or-later
"""How near a transfer over a packet-delivery trace comes to what the trace offers.

Source: Mahimahi (packet-delivery traces)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from cellbed_formats.error import DataError

from ..radio.opportunities import opportunities
from ..stats.distance import ks_distance
from .fitted_link import MS, QUANTILES, deliveries, ready, round_trips
from .measures import FlowMeasures

PART_MS = 100


@dataclass(frozen=True)
class TraceNearness:
    """What a link offered, and what a transfer got of it."""

    offered_mbps: float  # of opportunities, from the first packet that was delivered to the last one
    delivered_mbps: float  # of IP packets
    rate_ks: float  # Kolmogorov-Smirnov distance of both rates over PART_MS, 0..1
    idle_share: float  # of the parts of the trace that offer nothing
    rtt_ms: dict[int, float]  # by percentile

    def to_json(self) -> dict[str, Any]:
        """Names with units."""
        return asdict(self) | {"rtt_ms": {f"p{q}": value for q, value in self.rtt_ms.items()}}


def trace_nearness(times_ms: Sequence[int], packet_bytes: int, lead_ms: int, one: FlowMeasures) -> TraceNearness:
    """Compare a transfer, captured at its sender, with the trace.

    Args:
        times_ms: the trace.
        packet_bytes: what each of its opportunities holds.
        lead_ms: from the start of the trace to the start of the transfer, whose handshake takes a round trip.

    Raises:
        DataError: the flow has too few segments, or no round trips.
    """
    ready(one)
    assert one.way is not None
    when, payload = deliveries(one)
    at_ms = (when - one.way.segments["out_ns"][0]) / MS + lead_ms  # the ACK's way back is as long as the handshake
    n_bytes = payload * (one.row["ip_bytes"] / one.row["payload_bytes"])
    first, last = int(at_ms[0] // PART_MS + 1), int(at_ms[-1] // PART_MS)
    if first >= last:
        raise DataError(f"flow {one.row['flow']}: it lasts less than {2 * PART_MS} ms; run it for longer")
    offered = opportunities(times_ms, first * PART_MS, last * PART_MS)
    parts = last - first
    had = np.bincount(offered // PART_MS - first, minlength=parts)
    inside = (at_ms >= first * PART_MS) & (at_ms < last * PART_MS)
    got = np.bincount((at_ms[inside] // PART_MS).astype(np.int64) - first, n_bytes[inside], parts) / packet_bytes
    to_mbps = packet_bytes * 8 / PART_MS / 1e3
    rtt = round_trips(one)[1]
    return TraceNearness(float(had.mean()) * to_mbps, float(got.mean()) * to_mbps,
                         ks_distance(np.sort(had), np.sort(np.rint(got))),  # which are whole packets, but for headers
                         float((had == 0).mean()), {q: float(np.percentile(rtt, q)) for q in QUANTILES})
