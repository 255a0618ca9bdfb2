# SPDX-License-Identifier: GPL-2.0-or-later
"""The columns that every flow of a run has, and all that captures and probe say of the flows beside the first one.

What is of the whole run, such as the radio's counters, stands in the run's first row and nowhere else, so that rows may
be added up.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.capture import ACK
from cellbed_formats.flow import QUIC, Flow
from cellbed_formats.radios import over

from ..radio.grid import grid_of
from ..tcp.delay import datagram_delays, least_way_ns, spin_rtts
from ..tcp.segment import decomposed_segments, flow_packets
from . import causes, datagrams, multipath, probe, rtt, throughput
from .metric import Metric
from .rtt import Values
from .share import Arrivals, active, arrivals, direction, shares
from .window import Window, evaluated_window

# Values of the ECN field. Source: RFC 3168 section 5; RFC 9331 section 2
_ECN, _CE = ("not-ECT", "ECT(1)", "ECT(0)", "CE"), 3
#: Beyond the scenario's own and so many others, flows have FLOW columns only: a browser may open hundreds.
MEASURED_MAX = 32

FLOW = (
    Metric(
        "flow", "",
        "the row's flow: its id in the scenario's traffic, of a subflow of MPTCP with the radio network behind it, or "
        "its ends as FROM:PORT-TO:PORT",
    ),
    Metric("flow_command", "", "id of the command whose program made the socket at either end"),
    Metric("flow_program", "", "name of that program; null where the probe did not see it"),
    Metric("flow_transport", "", "tcp, mptcp, udp or quic"),
    Metric("flow_from", "", "node, or address, that sends more payload"),
    Metric("flow_to", "", "node, or address, at the other end"),
    Metric("flow_direction", "", "direction of its data through the cell: uplink, downlink, between UEs"),
    Metric("flow_start_s", "s", "its start, or its first packet, after t = 0"),
    Metric("flow_s", "s", "time from then to its end, or to its last packet"),
    Metric("flow_sent_bytes", "bytes", "IP bytes sent in the data direction, whole flow"),
    Metric("flow_back_bytes", "bytes", "IP bytes sent in the other direction"),
    Metric(
        "flow_came_bytes", "bytes",
        "payload that arrived in the data direction, duplicates included; of datagrams without captures what the "
        "receiving program counted",
    ),
    Metric("flow_ect", "", "what the ECN field of its data says when it is sent: not-ECT, ECT(0), ECT(1), or several"),
    Metric("flow_ce_pkts", "packets", "packets of the data direction that came with the mark CE"),
    Metric("flow_ce_share", "1", "their part of all that came"),
    Metric(
        "flow_mbps", "Mbit/s",
        "payload that arrived within the flow's time, over that time; null of datagrams without captures, which do not "
        "show when they came",
    ),
    Metric(
        "flow_share", "1",
        "its part of the payload of all contending flows of that direction, of a subflow that of its connection, whole "
        "run; null for a flow that is alone",
    ),
    Metric("flow_share_together", "1", "the same over the time in which all of them were active"),
    Metric("jain", "1", "Jain's fairness index of the throughputs of these flows, whole run"),
    Metric("jain_together", "1", "the same over the time in which all of them were active"),
    Metric("flows_together", "1", "number of these flows"),
    Metric("together_s", "s", "time in which all of them were active"),
    Metric("owd_mean_ms", "ms", "mean one-way delay of datagrams of the data direction, whole flow"),
    Metric("owd_p50_ms", "ms", "median of that delay"),
    Metric("owd_p99_ms", "ms", "99th percentile of that delay"),
    Metric("owd_back_p50_ms", "ms", "median one-way delay of the other direction"),
    Metric("spin_rtt_samples", "1", "round trips that QUIC's spin bit shows; 0 when it does not spin"),
    Metric("spin_rtt_p50_ms", "ms", "median of these RTTs"),
    Metric("spin_rtt_mean_ms", "ms", "mean of these RTTs"),
)


def flow_columns(bundle: Bundle) -> dict[str, Values]:
    """FLOW columns of every flow of a run, by its id."""
    came = {flow.id: arrivals(bundle, flow) for flow in bundle.all_flows}
    shared = shares(bundle, came)
    return {flow.id: _columns(over(bundle, flow), flow, came[flow.id]) | shared.get(flow.id, {})
            for flow in bundle.all_flows}


def _columns(bundle: Bundle, flow: Flow, came: Arrivals) -> Values:
    start_ns, end_ns = active(flow, came)
    seconds, bytes_in = (end_ns - start_ns) / 1e9, came.between(start_ns, end_ns)
    return {
        "flow": flow.id, "flow_command": flow.command, "flow_program": flow.program,
        "flow_transport": flow.transport, "flow_from": flow.source, "flow_to": flow.sink,
        "flow_direction": direction(bundle, flow), "flow_start_s": (start_ns - bundle.start_ns) / 1e9,
        "flow_s": seconds, "flow_sent_bytes": flow.sent_bytes, "flow_back_bytes": flow.back_bytes,
        "flow_came_bytes": came.total, **ecn_columns(bundle, flow),
        "flow_mbps": None if bytes_in is None or seconds <= 0 else bytes_in * 8 / 1e6 / seconds,
    } | datagram_metrics(bundle, flow)  # fmt: skip


def ecn_columns(bundle: Bundle, flow: Flow) -> Values:
    """What a flow's data says of ECN, and how much of it came with a mark; nothing without captures."""
    values: Values = {}
    if flow.whole:
        return {}
    if flow.source in bundle.captured_nodes:
        sent = flow.packets(bundle.capture(flow.source)).filter(pl.col("payload_bytes") > 0)
        values["flow_ect"] = " ".join(_ECN[field] for field in sent["ecn"].unique().sort().to_list()) or None
    if flow.sink in bundle.captured_nodes:
        came = flow.packets(bundle.capture(flow.sink))
        marked = int((came["ecn"] == _CE).sum())
        values |= {"flow_ce_pkts": marked, "flow_ce_share": marked / len(came) if len(came) else None}
    return values


def datagram_metrics(bundle: Bundle, flow: Flow) -> Values:
    """One-way delays of a flow of datagrams, and of QUIC what the spin bit shows; nothing without captures."""
    if not flow.datagrams or not bundle.captured_nodes:
        return {}
    ways = datagram_delays(bundle, flow), datagram_delays(bundle, flow, back=True)
    forth, back = ((way["came_ns"] - way["sent_ns"]).drop_nulls().to_numpy() for way in ways)
    values: Values = {}
    if len(forth):
        p50, p99 = np.percentile(forth, [50, 99])
        values |= {"owd_mean_ms": float(forth.mean()) / 1e6, "owd_p50_ms": float(p50) / 1e6,
                   "owd_p99_ms": float(p99) / 1e6}
    if len(back):
        values["owd_back_p50_ms"] = float(np.median(back)) / 1e6
    if flow.transport == QUIC:
        _, rtts = spin_rtts(ways[0], least_way_ns(*ways))
        values["spin_rtt_samples"] = len(rtts)
        if len(rtts):
            values |= {"spin_rtt_p50_ms": float(np.median(rtts)) / 1e6, "spin_rtt_mean_ms": float(rtts.mean()) / 1e6}
    return values


def answered(bundle: Bundle, flow: Flow) -> bool:
    """Whether both ends' captures have data of a connection and what acknowledges it."""
    for node in (flow.source, flow.sink):
        if node not in bundle.captured_nodes:
            return False
        capture = bundle.capture(node)
        acks = flow.packets(capture, back=True).filter(pl.col("flags") & ACK == ACK)
        if acks.is_empty() or not flow.packets(capture)["payload_bytes"].sum():
            return False
    return True


def connection_metrics(
    bundle: Bundle, flow: Flow, lives: Callable[[], pl.DataFrame]
) -> tuple[Values, pl.DataFrame]:
    """All that captures and probe say of one connection, and its segments; those of flows beside the first one.

    Args:
        lives: gives `packet_path.packet_paths` of the run.
    """
    if flow.whole:
        return multipath.multipath_metrics(bundle, flow), pl.DataFrame()
    if flow.datagrams:
        window = evaluated_window(bundle, flow)
        seen = _both(bundle, flow)
        return (datagrams.ip_metrics(bundle, flow, window) if seen else _counted(bundle, flow)), pl.DataFrame()
    if not answered(bundle, flow):
        return probe.sampled_metrics(bundle, flow) | _counted(bundle, flow), pl.DataFrame()
    flow = causes.finished(bundle, flow)
    window = evaluated_window(bundle, flow)
    if not window.seconds:
        return {}, pl.DataFrame()
    segments = decomposed_segments(bundle, flow, lives())
    values: Values = {"window_start_s": (window.start_ns - bundle.start_ns) / 1e9, "window_s": window.seconds}
    values |= datagrams.ip_metrics(bundle, flow, window) | captured_metrics(bundle, flow, segments, window)
    if any(other.source == flow.source for other in bundle.all_flows if other.id != flow.id):
        values |= dict.fromkeys(causes.COUNTERS)  # the host counts for all of its connections together
    return values, segments


def _counted(bundle: Bundle, flow: Flow) -> Values:
    """What the receiving program of a scenario's flow says, where no capture shows what came."""
    if flow.found or flow.sink in bundle.captured_nodes:
        return {}
    return (datagrams if flow.datagrams else throughput).receiver_metrics(bundle, flow)


def _both(bundle: Bundle, flow: Flow) -> bool:
    """Both ends have captures with something in the data direction."""
    ends = (flow.source, flow.sink)
    return all(node in bundle.captured_nodes for node in ends) and len(datagrams.datagrams(bundle, flow, ends[0])) > 0


def captured_metrics(bundle: Bundle, flow: Flow, segments: pl.DataFrame, window: Window) -> Values:
    """Metrics of a connection that need the captures of both ends."""
    steady = window.cut(segments, "out_ns")
    sport = flow_packets(bundle, flow, flow.source)[0]["sport"][0]
    values: Values = rtt.rtt_metrics(steady) | rtt.part_metrics(steady, grid_of(bundle).tti_ns)
    values |= probe.probe_metrics(bundle, probe.probe_samples(bundle, flow, sport), segments, window)
    values |= throughput.goodput_metrics(bundle, flow, window)
    return values | causes.file_metrics(bundle, flow) | causes.cause_metrics(bundle, flow)
