# SPDX-License-Identifier: GPL-2.0-or-later
"""Throughput and loss of a flow at the IP layer, from the captures of both ends; of UDP beside iperf3's own."""

from __future__ import annotations

from typing import Any

import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ..tcp.segment import flow_packets
from .metric import Metric
from .rtt import Values
from .window import Window

PACKETS = (
    Metric("ip_throughput_mbps", "Mbit/s", "IP bytes of the data direction that arrived, retransmissions included"),
    Metric("ip_sent_pkts", "packets", "packets with data in the sender's capture, whole flow"),
    Metric(
        "ip_lost_pkts",
        "packets",
        "of these, missing in the receiver's capture; TCP packets after the last one that arrived do not count",
    ),
    Metric("ip_lost_pct", "%", "their share of the packets sent"),
    Metric("udp_lost_pkts", "packets", "datagrams that the receiving application missed"),
    Metric(
        "udp_lost_difference_pkts", "packets",
        "packets lost by the captures minus datagrams missed by the application",
    ),
)
#: Of a connection that never came about.
NOTHING_SENT: Values = {"ip_throughput_mbps": 0.0, "ip_sent_pkts": 0, "ip_lost_pkts": 0, "ip_lost_pct": 0.0}


def datagrams(bundle: Bundle, flow: Flow, node: str) -> pl.DataFrame:
    """Packets of the flow's data direction that have payload, in a node's capture.

    Of a scenario's UDP those of the data's size: iperf3 begins with a short one.
    """
    if flow.transport == "tcp":
        return flow_packets(bundle, flow, node)[0].filter(pl.col("payload_bytes") > 0)
    found = flow.packets(bundle.capture(node))
    if flow.found:
        return found
    size = found["payload_bytes"].max()
    return found.filter(pl.col("payload_bytes") == size)


def settled(sent: pl.DataFrame, received: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Packets of TCP sent up to the last one that came, and those that came of them.

    What a connection has under way when it ends is not lost; and what it aborts in front of a server's link, whose
    delay comes before the capture, may arrive without having been captured there.
    """
    known = received.filter(pl.col("seq").is_in(sent["seq"].implode()))
    if known.is_empty():
        return sent.head(0), known
    at = sent.with_row_index("at").filter(pl.col("seq") == known["seq"][-1])["at"]
    return sent.head(int(at[-1]) + 1), known


def ip_metrics(bundle: Bundle, flow: Flow, window: Window) -> Values:
    """What a monitor at the IP layer of both ends counts, as Li et al have theirs.

    A packet is lost when the receiver's capture has it less often than the sender's; the throughput counts IP bytes
    that came inside the window, retransmissions too.
    """
    sent, received = (datagrams(bundle, flow, node) for node in (flow.source, flow.sink))
    inside = window.cut(received, "t_ns")
    if flow.transport == "tcp":
        sent, received = settled(sent, received)
    lost_pkts = len(sent) - len(received)
    values: Values = {
        "ip_throughput_mbps": float(inside["ip_bytes"].cast(pl.Int64).sum()) * 8 / 1e6 / window.seconds,
        "ip_sent_pkts": len(sent),
        "ip_lost_pkts": lost_pkts,
        "ip_lost_pct": 100 * lost_pkts / max(len(sent), 1),
    }
    if flow.transport == "tcp" or flow.found:
        return values
    counted = receiver_metrics(bundle, flow)
    values["goodput_mbps"] = float(inside["payload_bytes"].cast(pl.Int64).sum()) * 8 / 1e6 / window.seconds
    return values | counted | {"udp_lost_difference_pkts": lost_pkts - counted["udp_lost_pkts"]}


def received_bytes(bundle: Bundle, flow: Flow) -> int:
    """Payload that the application at the receiver counted, of TCP too."""
    if flow.kind == "stream":
        return int(bundle.stream(flow.id)["received_bytes"])
    end = bundle.iperf3(flow.id)["end"]
    if not flow.datagrams:
        return int(end["sum_received"]["bytes"])
    return round(_not_lost_bytes(end["sum"]))


def receiver_metrics(bundle: Bundle, flow: Flow) -> dict[str, Any]:
    """What the application at the receiver counted."""
    if flow.kind == "stream":
        facts = bundle.stream(flow.id)
        # What waits in queues when the sender ends comes later, and takes its time.
        seconds = facts.get("received_s") or facts["duration_s"]
        return {"goodput_stream_mbps": facts["received_bytes"] * 8 / 1e6 / seconds,
                "udp_lost_pkts": facts["sent_pkts"] - facts["received_pkts"]}
    return iperf3_metrics(bundle.iperf3(flow.id))


def iperf3_metrics(report: dict[str, Any]) -> dict[str, Any]:
    """What iperf3's receiver of UDP counted; it finds losses by the numbers in its datagrams."""
    total = report["end"]["sum"]
    return {
        "goodput_iperf3_mbps": _not_lost_bytes(total) * 8 / 1e6 / total["seconds"],
        "udp_lost_pkts": total["lost_packets"],
    }


def _not_lost_bytes(total: dict[str, Any]) -> float:
    return float(total["bytes"] * (1 - total["lost_percent"] / 100))
