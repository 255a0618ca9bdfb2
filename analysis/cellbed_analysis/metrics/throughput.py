# SPDX-License-Identifier: GPL-2.0-or-later
"""Goodput: application bytes per second, from captures and from iperf3."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ..stats.interval import within_run
from ..tcp.segment import flow_packets, unwrap
from .metric import Metric
from .rtt import Values
from .window import Window

#: iperf3 opens every connection with a cookie, which is no application data.
#: Source: iperf 3.12, COOKIE_SIZE
IPERF3_COOKIE_BYTES = 37

#: How far the capture's bytes may lie from iperf3's, in %: the two stop counting at different
#: moments of the end, a window of data apart, which is below 1 % of a flow of 100 windows.
GOODPUT_BOUND_PCT = 1.0


THROUGHPUT = (
    Metric("goodput_mbps", "Mbit/s", "in-order application bytes confirmed by the receiver", True),
    Metric("goodput_iperf3_mbps", "Mbit/s", "goodput that iperf3's receiver counted, whole flow with warm-up"),
    Metric(
        "goodput_stream_mbps", "Mbit/s",
        "goodput that the receiver of a flow of kind stream counted, whole flow with warm-up",
    ),
    Metric(
        "goodput_difference_pct",
        "%",
        "by how much the bytes confirmed in the capture exceed those that iperf3 counts, whole flow",
    ),
)


def acknowledged(acks: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """In-order bytes that the receiver confirmed so far.

    Args:
        acks: packets of the ACK direction, the SYN-ACK first: it confirms 0 bytes.

    Returns:
        t_ns (n,) and bytes (n,), int64, never falling.
    """
    reach = np.maximum.accumulate(unwrap(acks["ack"].to_numpy()))
    return acks["t_ns"].to_numpy(), reach - reach[0]


def goodput_metrics(bundle: Bundle, flow: Flow, window: Window) -> Values:
    """Goodput inside the window, and over the whole flow beside iperf3's own.

    The capture's goodput counts the in-order bytes that ACKs leaving the
    receiver confirm; bytes received twice or out of order count once.
    """
    _, acks = flow_packets(bundle, flow, flow.sink)
    t, reach = acknowledged(acks)
    grown = np.diff(reach, prepend=0)
    inside = (t >= window.start_ns) & (t < window.end_ns)
    n_parts = max(round(window.seconds), 1)  # of equal length, about 1 s
    values: Values = {
        "goodput_mbps": within_run(
            t[inside],
            grown[inside][:, None],
            lambda sums: sums[..., 0] * 8 / 1e6 / window.seconds,
            part_ns=-(-(window.end_ns - window.start_ns) // n_parts),
        )
    }
    if flow.found:
        return values
    if flow.kind == "iperf3":
        return values | iperf3_agreement(bundle.iperf3(flow.id), int(reach[-1]))
    return values | receiver_metrics(bundle, flow)


def receiver_metrics(bundle: Bundle, flow: Flow) -> Values:
    """What the receiving program of a flow counted."""
    if flow.kind == "stream":
        report = bundle.stream(flow.id)
        return {"goodput_stream_mbps": report["received_bytes"] * 8 / 1e6 / report["duration_s"]}
    return iperf3_metrics(bundle.iperf3(flow.id))


def iperf3_metrics(report: dict[str, Any]) -> Values:
    """What iperf3's receiver counted. Args: JSON of the iperf3 client."""
    return {"goodput_iperf3_mbps": report["end"]["sum_received"]["bits_per_second"] / 1e6}


def iperf3_agreement(report: dict[str, Any], capture_bytes: int) -> Values:
    """Compare iperf3's receiver with the capture.

    Args:
        report: JSON of the iperf3 client.
        capture_bytes: in-order bytes confirmed on the data connection.
    """
    received = report["end"]["sum_received"]
    difference = capture_bytes - IPERF3_COOKIE_BYTES - received["bytes"]
    return iperf3_metrics(report) | {
        "goodput_difference_pct": 100 * difference / max(received["bytes"], 1),
    }
