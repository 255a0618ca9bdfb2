# SPDX-License-Identifier: GPL-2.0-or-later
"""A download over a bearer of the UTRAN: RTT and throughput as De Mey measures them, and what RLC did.

All of it is about the whole flow, slow start included, as in the paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ..stats.interval import within_run
from .metric import Metric
from .rtt import Values
from .window import Window, evaluated_window

#: D/C, SN, P and HE of an AMD PDU. Source: TS 25.322 9.2.1.4
AMD_HEADER_BYTES = 2
#: Headers of a segment without options; the closed form counts them as data. Source: RFC 791; RFC 9293
TCP_IP_BYTES = 40
#: Packets that open or confirm a connection have at most this. Source: RFC 791; RFC 9293 (headers with all options)
SYN_BYTES_MAX = 120
#: Of the bootstrap: some round trips of the slowest bearer (32 kbit/s: 5.2 s).
PART_NS = 30_000_000_000

UTRAN = (
    Metric("utran_rate_kbps", "kbit/s", "downlink rate without the 2 octets of each PDU's header"),
    Metric("utran_bler", "1", "configured block error rate of the downlink"),
    Metric("utran_max_dat", "1", "configured MaxDAT: after so many transmissions of a PDU its SDU is discarded"),
    Metric(
        "karn_rtt_mean_s",
        "s",
        "mean of the kernel's RTT samples, one a round trip, of segments sent once (Karn's rule)",
        True,
    ),
    Metric("karn_rtt_samples", "1", "number of these samples"),
    Metric("karn_rtt_min_s", "s", "smallest of them"),
    Metric("karn_rtt_max_s", "s", "largest of them"),
    Metric("transfer_bytes", "bytes", "bytes of the file that the receiver got in order"),
    Metric("transfer_payload_kbps", "kbit/s", "these bytes over the length of the flow"),
    Metric(
        "transfer_kbps",
        "kbit/s",
        "throughput as the paper's closed form counts it, which includes the 40 bytes of headers of each segment",
    ),
    Metric("tcp_retransmissions", "1", "segments that the sender's TCP sent again (RetransSegs)"),
    Metric("rlc_transmissions_per_pdu", "1", "mean number of transmissions of an AMD PDU, both directions"),
    Metric("rlc_status_pdus", "1", "STATUS PDUs sent, both directions"),
    Metric("sdus_discarded_dl", "1", "SDUs given up at MaxDAT, downlink: data segments"),
    Metric("sdus_discarded_ul", "1", "SDUs given up at MaxDAT, uplink: ACKs"),
    Metric(
        "sdus_discarded_share", "1",
        "share of the data segments sent by TCP, retransmissions included, that the downlink gave up",
    ),
    Metric("bundle_bytes", "bytes", "size of the bundle's files"),
)


def settings_of(bundle: Bundle) -> dict[str, Any] | None:
    """The bearer's parameters; None for runs over another system."""
    radio = bundle.settings.get("radio", {})
    return radio["utran"] if radio.get("system") == "utran" else None


def payload_bps(utran: Mapping[str, Any]) -> float:
    """Downlink rate without the headers of PDUs: what the paper calls the downlink. Args: `radio.utran`."""
    return utran["dl_rate"] * (utran["pdu_bytes"] - AMD_HEADER_BYTES) / utran["pdu_bytes"]


def run_metrics(bundle: Bundle, flow: Flow) -> Values:
    """Metrics of a run over the UTRAN."""
    utran = settings_of(bundle) or {}
    whole = evaluated_window(bundle, flow, warm_up=False)
    return {
        "window_start_s": (whole.start_ns - bundle.start_ns) / 1e9,
        "window_s": whole.seconds,
        "utran_rate_kbps": payload_bps(utran) / 1e3,
        "utran_bler": utran["bler_dl"],
        "utran_max_dat": utran["max_dat"],
        "probe_lost": int(bundle.tcp_stats.get("lost", 0)),
        **karn_metrics(rtt_samples(bundle, flow), whole),
        **transfer_metrics(bundle, flow),
        **rlc_metrics(bundle, flow),
        "bundle_bytes": sum(path.size() for path in bundle.inside.matching("*") if path.is_file()),
    }


def rtt_samples(bundle: Bundle, flow: Flow) -> pl.DataFrame:
    """RTT samples of the flow's sender, as the kernel took them: t_ns, rtt_us.

    tcp.trace has one a round trip, of an ACK that covers no segment which was sent more than once.

    Source: DeMey 2005 section IV (Karn's algorithm); RFC 6298 section 3
    """
    rows = bundle.tcp.filter(
        (pl.col("kind") == "rtt")
        & (pl.col("rtt_us") > 0)
        & (pl.col("saddr") == flow.saddr)
        & (pl.col("daddr") == flow.daddr)
        & (pl.col("dport") == flow.port)
    )
    rows = rows if flow.sport is None else rows.filter(pl.col("sport") == flow.sport)
    return rows.select("t_ns", "rtt_us").sort("t_ns")


def karn_metrics(samples: pl.DataFrame, window: Window) -> Values:
    """Statistics of RTT samples. Args: `rtt_samples`, the flow's span."""
    inside = window.cut(samples, "t_ns")
    values: Values = {"karn_rtt_samples": len(inside)}
    if inside.is_empty():
        return values
    rtt_s = inside["rtt_us"].to_numpy() / 1e6
    columns = rtt_s[:, None].repeat(2, axis=1)
    columns[:, 1] = 1.0
    return values | {
        "karn_rtt_mean_s": within_run(inside["t_ns"].to_numpy(), columns, lambda s: s[..., 0] / s[..., 1], PART_NS),
        "karn_rtt_min_s": float(rtt_s.min()),
        "karn_rtt_max_s": float(rtt_s.max()),
    }


def transfer_metrics(bundle: Bundle, flow: Flow) -> Values:
    """What arrived over how long the flow lasted. Source: DeMey 2005 section IV"""
    if flow.kind == "stream":
        report = bundle.stream(flow.id)
        received, seconds = report["received_bytes"], report["duration_s"]
    else:
        total = bundle.iperf3(flow.id)["end"]["sum_received"]
        received, seconds = total["bytes"], (flow.end_ns - flow.start_ns) / 1e9
    mss = bundle.settings["tcp"]["mss"]
    payload_kbps = received * 8 / 1e3 / seconds
    values: Values = {
        "transfer_bytes": received,
        "transfer_payload_kbps": payload_kbps,
        "transfer_kbps": payload_kbps * (mss + TCP_IP_BYTES) / mss,
        "goodput_stream_mbps" if flow.kind == "stream" else "goodput_iperf3_mbps": payload_kbps / 1e3,
    }
    if bundle.counters is not None:
        tcp = bundle.counters.get(flow.source, {}).get("Tcp", {})
        values["tcp_retransmissions"] = int(tcp.get("RetransSegs", 0))
    return values


def rlc_metrics(bundle: Bundle, flow: Flow) -> Values:
    """Transmissions of RLC, whole run, and what it discarded of the flow's UE."""
    stats = bundle.radio_stats
    sent, again = stats.get("rlc_pdus_tx", 0), stats.get("rlc_retx", 0)
    values: Values = {f"dropped_{reason}_pkts": n for reason, n in stats.get("pkts_dropped", {}).items()}
    values |= {
        "rlc_transmissions_per_pdu": sent / (sent - again) if sent > again else None,
        "rlc_status_pdus": stats.get("rlc_status_tx"),
    }
    events = bundle.radio.with_columns(pl.col("event", "dir").cast(pl.String))
    given_up = events.filter((pl.col("event") == "rlc_discard") & (pl.col("aux") == 1))
    if len(bundle.settings["radio"]["ues"]) > 1:
        ue = bundle.radio_node(flow.sink) or bundle.radio_node(flow.source)
        given_up = given_up.filter((pl.col("node") == ue) | (pl.col("peer") == ue))
    for direction in ("dl", "ul"):
        values[f"sdus_discarded_{direction}"] = len(given_up.filter(pl.col("dir") == direction))
    sent_data = data_transmissions(bundle.counters, flow.source)
    if sent_data:
        with_data = given_up.filter((pl.col("dir") == "dl") & (pl.col("bytes") > SYN_BYTES_MAX))
        values["sdus_discarded_share"] = len(with_data) / sent_data
    return values


def data_transmissions(counters: Mapping[str, Any] | None, node: str) -> int:
    """Segments with data that a node's TCP sent, those sent again included; 0 where no connection came about.

    Source: Linux snmp_counter (TCPOrigDataSent, RetransSegs, TCPSynRetrans)
    """
    of = (counters or {}).get(node, {})
    again = of.get("Tcp", {}).get("RetransSegs", 0) - of.get("TcpExt", {}).get("TCPSynRetrans", 0)
    return int(of.get("TcpExt", {}).get("TCPOrigDataSent", 0) + again)


