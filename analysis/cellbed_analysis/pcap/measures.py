# SPDX-License-Identifier: GPL-2.0-or-later
"""What is measured of each flow of a capture: a row with the columns that `COLUMNS` describes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cellbed_formats.flow import TCP
from cellbed_formats.packet import SYN

from ..metrics.metric import Metric
from .captured import Capture, Tunnel, names
from .columns import NONE, Columns
from .pace import ack_gaps_ns, delivery_rates, slow_start
from .remarks import remarks
from .retransmission import AFTER_TIMEOUT, FAST, TAIL_PROBE, TIMEOUT, UNKNOWN
from .segments import Direction, direction

MS = 1e6
CE = 3  # congestion experienced, Source: RFC 3168 section 5
#: Where the capture was taken: one part of the path takes no more than this share of a round trip.
NEAR_SHARE = 0.1
SENDER, RECEIVER, BETWEEN = "sender", "receiver", "between"
#: Columns that packets without times cannot fill: by their names, and by the ends of names.
OF_TIME = ("retransmissions", "retransmitted_bytes", "fast", "timeouts", "after_timeouts", "tail_probes",
           "unknown_retransmissions", "spurious", "out_of_order", "rtt_samples", "slow_start_rounds", "seen_at")
OF_TIME_UNITS = ("_ms", "_mbps", "_s")

Row = dict[str, Any]

FLOW = (
    Metric("flow", "", "source and sink of the data; the direction that carries more payload is the data's"),
    Metric("transport", "", "tcp, udp, quic or wireguard; of a tunnel its kind: gtp-u, vxlan, geneve, gre, ipip, 6in4"),
    Metric("tunnel", "", "the tunnel that carried the flow; that has a row of its own, with all that it carried"),
    Metric("start_s", "s", "first packet, after the first one of the capture"),
    Metric("duration_s", "s", "from the first packet to the last one"),
    Metric("pkts", "packets", "in the data's direction"),
    Metric("back_pkts", "packets", "against it"),
    Metric("ip_bytes", "bytes", "IP packets in the data's direction"),
    Metric("back_ip_bytes", "bytes", "against it"),
    Metric("payload_bytes", "bytes", "of TCP or UDP in the data's direction, retransmissions included"),
    Metric("back_payload_bytes", "bytes", "against it"),
    Metric("copies", "packets", "copies of packets that the capture has more than once; they are left out everywhere"),
    Metric("fragments", "packets", "fragments behind the first one of their packet; counted among the packets"),
)
OF_TCP = (
    Metric("goodput_mbps", "Mbit/s", "bytes acknowledged, over the time from the first segment to the last ACK of one"),
    Metric("segments", "segments", "data segments seen, retransmissions included"),
    Metric("unseen_bytes", "bytes", "acknowledged data that the capture does not have: it lost packets"),
    Metric("window_probes", "segments", "of one byte, into a closed window; they are neither data nor retransmissions"),
    Metric("retransmissions", "segments", "of them begin below what was sent before, and were not just late"),
    Metric("retransmitted_bytes", "bytes", "payload of those"),
    Metric("fast", "segments", "retransmissions that duplicate ACKs, SACK or partial ACKs asked for"),
    Metric("timeouts", "segments", "the oldest segment again, when the timer had run out"),
    Metric("after_timeouts", "segments", "sent again after such a timeout"),
    Metric("tail_probes", "segments", "the last segment again, before any timeout"),
    Metric("unknown_retransmissions", "segments", "of none of these kinds, by what the capture has"),
    Metric("spurious", "segments", "needless retransmissions: a DSACK or an ACK tells that the data had come before"),
    Metric("out_of_order", "segments", "behind segments that were sent after them"),
    Metric("rtt_samples", "segments", "segments sent once of which an ACK or SACK told before any repair"),
    Metric("rtt_min_ms", "ms", "least RTT of these: from the capture to the receiver and back"),
    Metric("rtt_mean_ms", "ms", "mean RTT"),
    Metric("rtt_p50_ms", "ms", "median RTT"),
    Metric("rtt_p95_ms", "ms", "95th percentile"),
    Metric("rtt_p99_ms", "ms", "99th percentile"),
    Metric("rtt_max_ms", "ms", "largest RTT"),
    Metric("back_rtt_min_ms", "ms", "least round trip from the capture to the sender and back, by TCP's timestamps"),
    Metric("back_rtt_p50_ms", "ms", "median of these"),
    Metric("seen_at", "", "where the capture was taken, by these two: sender, receiver or between; empty: not known"),
    Metric("handshake_ms", "ms", "from the SYN to the ACK of its answer: a round trip over the whole path"),
    Metric("handshake_there_ms", "ms", "from the SYN to its answer"),
    Metric("syns", "packets", "SYNs seen; 0: the connection was open before the capture"),
    Metric("mss_bytes", "bytes", "the lesser maximum segment size of both ends"),
    Metric("sack", "", "both ends allow selective acknowledgments"),
    Metric("timestamps", "", "both ends have timestamps"),
    Metric("ecn", "", "both ends agreed on ECN"),
    Metric("ce_pkts", "packets", "data segments marked as having experienced congestion"),
    Metric("flight_max_bytes", "bytes", "most sent and not acknowledged: the window that it used; not at the receiver"),
    Metric("flight_mean_bytes", "bytes", "the same, mean over segments"),
    Metric("window_max_bytes", "bytes", "largest window that the receiver offered; empty: its scale was not seen"),
    Metric("zero_windows", "packets", "ACKs that closed the window"),
    Metric("initial_window_bytes", "bytes", "most in flight before the first ACK of data; where the SYN was seen"),
    Metric("slow_start_s", "s", "from the first segment to the end of slow start; likewise"),
    Metric("slow_start_rounds", "rounds", "round trips that it took"),
    Metric("slow_start_flight_bytes", "bytes", "most in flight until then"),
    Metric("slow_start_end", "", "what ended it: loss, flat (three rounds without a quarter more), end (of data)"),
    Metric("acks", "packets", "ACKs with something new"),
    Metric("bytes_per_ack_p50", "bytes", "median of what one acknowledges"),
    Metric("ack_gap_p50_ms", "ms", "median time between them while data were in flight"),
    Metric("ack_gap_p99_ms", "ms", "99th percentile"),
    Metric("ack_gap_max_ms", "ms", "the longest"),
    Metric("delivery_rate_p50_mbps", "Mbit/s", "median delivery rate over the time from a segment to its ACK"),
    Metric("delivery_rate_max_mbps", "Mbit/s", "largest"),
    Metric("resets", "packets", "RST"),
    Metric("remarks", "", "what makes numbers of this flow doubtful"),
)  # fmt: skip
COLUMNS = {metric.name: metric for metric in (*FLOW, *OF_TCP)}


@dataclass(frozen=True)
class FlowMeasures:
    """A flow's row, and of TCP with data what it was measured of."""

    row: Row
    way: Direction | None
    last_ns: int  # of its packets


def measure(capture: Capture, wanted: Callable[[str], bool] = lambda _: True, keep: bool = True) -> list[FlowMeasures]:
    """All flows of a capture, or those whose ids are wanted, the largest first; a tunnel above all that it carries.

    Args:
        keep: also what each was measured of, which takes memory for every packet.
    """
    found: dict[int, list[FlowMeasures]] = {}
    for name, (flow, packets) in zip(names(capture.flows), capture.connections(), strict=True):
        if wanted(name):
            one = _flow(capture, name, flow, packets)
            found.setdefault(flow["tunnel"], []).append(one if keep else replace(one, way=None))
    groups = []
    for number, flows in found.items():
        flows.sort(key=_size)
        groups += [[_tunnel(capture, capture.tunnels[number - 1]), *flows]] if number else [[one] for one in flows]
    return [one for group in sorted(groups, key=lambda group: _size(group[0])) for one in group]


def _size(one: FlowMeasures) -> tuple[int, float]:
    return -one.row["ip_bytes"] - one.row["back_ip_bytes"], one.row["start_s"]


def _tunnel(capture: Capture, one: Tunnel) -> FlowMeasures:
    """A row for a tunnel: what its packets carried, with all headers."""
    data, other = (0, 1) if one.ip_bytes[0] >= one.ip_bytes[1] else (1, 0)
    row: Row = dict.fromkeys(COLUMNS)
    row |= {
        "flow": one.name if data == 0 else "-".join(reversed(one.ends_text)), "transport": one.kind,
        "start_s": (one.first_ns - capture.start_ns) / 1e9, "duration_s": (one.last_ns - one.first_ns) / 1e9,
        "pkts": one.pkts[data], "back_pkts": one.pkts[other], "ip_bytes": one.ip_bytes[data],
        "back_ip_bytes": one.ip_bytes[other],
    }  # fmt: skip
    return FlowMeasures(row, None, one.last_ns)


def _flow(capture: Capture, name: str, flow: Row, packets: Columns) -> FlowMeasures:
    data, other = ("forth", "back") if flow["data_forth"] else ("back", "forth")
    left = capture.copies.get(flow["flow"])
    row: Row = dict.fromkeys(COLUMNS)
    row |= {
        "flow": name, "transport": flow["transport"], "start_s": (flow["first_ns"] - capture.start_ns) / 1e9,
        "tunnel": capture.tunnels[flow["tunnel"] - 1].name if flow["tunnel"] else None,
        "duration_s": (flow["last_ns"] - flow["first_ns"]) / 1e9,
        "pkts": flow[f"{data}_pkts"], "back_pkts": flow[f"{other}_pkts"],
        "ip_bytes": flow[f"{data}_bytes"], "back_ip_bytes": flow[f"{other}_bytes"],
        "payload_bytes": flow[f"{data}_payload_bytes"], "back_payload_bytes": flow[f"{other}_payload_bytes"],
        "copies": left.packets if left else 0, "fragments": flow["fragments"],
    }  # fmt: skip
    way = None
    if flow["transport"] == TCP and not flow["cut_headers"]:
        way = direction(packets, flow["data_forth"])
        if way is not None:
            row |= _tcp(way)
    if flow["cut_headers"] and flow["transport"] == TCP:
        row |= dict.fromkeys(("payload_bytes", "back_payload_bytes"))
    if not capture.timed:
        row |= dict.fromkeys(name for name in (*OF_TIME, *(name for name in COLUMNS if name.endswith(OF_TIME_UNITS))))
    row["remarks"] = "; ".join(remarks(capture.point, flow, left, way)) or None
    return FlowMeasures(row, way, flow["last_ns"])


def _tcp(way: Direction) -> Row:
    found, opened = way.segments, way.handshake
    again = found["again"]
    counted = Counter(found["kind"][again].tolist())
    row: Row = {
        "goodput_mbps": _goodput_mbps(way),
        "segments": len(found), "retransmissions": int(again.sum()),
        "retransmitted_bytes": int(found["payload_bytes"][again].sum()),
        "fast": counted[FAST], "timeouts": counted[TIMEOUT], "after_timeouts": counted[AFTER_TIMEOUT],
        "tail_probes": counted[TAIL_PROBE], "unknown_retransmissions": counted[UNKNOWN],
        "spurious": int(found["spurious"].sum()), "out_of_order": int(found["out_of_order"].sum()),
        "handshake_ms": _ms(opened.path_ns), "handshake_there_ms": _ms(opened.there_ns), "syns": opened.syns,
        "mss_bytes": opened.mss_bytes, "sack": opened.sack, "timestamps": opened.timestamps, "ecn": opened.ecn,
        "ce_pkts": int((found["ecn"] == CE).sum()),
        "resets": way.resets, "unseen_bytes": way.unseen[1],
        "window_probes": way.window_probes,
    }  # fmt: skip
    row |= _round_trips(way) | _windows(way) | _acks(way)
    # At the receiver an ACK leaves when its data come: nothing is in flight there.
    return row if row["seen_at"] == RECEIVER else row | _in_flight(way) | _start(way) | _rates(way)


def _goodput_mbps(way: Direction) -> float | None:
    """Bytes over the time that they took."""
    acked = way.segments.where(way.segments["ack_ns"] != NONE)
    taken_ns = int(acked["ack_ns"].max(initial=0)) - int(way.segments["out_ns"][0])
    if taken_ns <= 0:
        return None
    return (int(acked["end"].max()) - int(way.segments["seq"][0])) * 8e3 / taken_ns


def _round_trips(way: Direction) -> Row:
    rtt = way.timed["rtt_ns"] / MS
    back = way.back_rtt_ns / MS
    row: Row = {"rtt_samples": len(rtt), "seen_at": None}
    if len(rtt):
        p50, p95, p99 = np.percentile(rtt, (50, 95, 99)).tolist()
        row |= {"rtt_min_ms": float(rtt.min()), "rtt_mean_ms": float(rtt.mean()), "rtt_p50_ms": p50, "rtt_p95_ms": p95,
                "rtt_p99_ms": p99, "rtt_max_ms": float(rtt.max())}
    if len(back):
        row |= {"back_rtt_min_ms": float(back.min()), "back_rtt_p50_ms": float(np.median(back))}
    there, here = row.get("rtt_min_ms"), row.get("back_rtt_min_ms")
    opened = way.handshake
    if here is None and opened.there_ns is not None and opened.back_ns is not None:
        parts = (opened.there_ns / MS, opened.back_ns / MS)
        there, here = parts if way.opened else (parts[1], parts[0])
    if there is not None and here is not None:
        row["seen_at"] = place(there, here)
    return row


def place(there_ms: float, here_ms: float) -> str:
    """Where a capture was taken, by the least round trips to the receiver and to the sender."""
    both = there_ms + here_ms
    return SENDER if here_ms <= NEAR_SHARE * both else RECEIVER if there_ms <= NEAR_SHARE * both else BETWEEN


def _windows(way: Direction) -> Row:
    scales = way.handshake.scales
    window = way.acks["window"][way.acks["flags"] & SYN == 0].astype(np.int64)
    row: Row = {"zero_windows": int((window == 0).sum())}
    if scales is not None and len(window):
        both = all(scales.values())  # a scale counts when both ends tell one; one of 0 changes nothing
        row["window_max_bytes"] = int(window.max()) << (scales[not way.forth] if both else 0)
    return row


def _in_flight(way: Direction) -> Row:
    flight = way.segments["flight_bytes"]
    return {"flight_max_bytes": int(flight.max()), "flight_mean_bytes": float(flight.mean())}


def _start(way: Direction) -> Row:
    if not way.handshake.syns:
        return {}
    found = slow_start(way)
    return {
        "initial_window_bytes": found.initial_window_bytes, "slow_start_s": found.duration_ns / 1e9,
        "slow_start_rounds": found.rounds, "slow_start_flight_bytes": found.flight_bytes,
        "slow_start_end": found.ended_by,
    }  # fmt: skip


def _acks(way: Direction) -> Row:
    steps = np.diff(way.signs.reach)
    steps = steps[steps > 0]
    row: Row = {"acks": len(steps)}
    if len(steps):
        row["bytes_per_ack_p50"] = float(np.median(steps))
    gaps = ack_gaps_ns(way) / MS
    if len(gaps):
        p50, p99 = np.percentile(gaps, (50, 99)).tolist()
        row |= {"ack_gap_p50_ms": p50, "ack_gap_p99_ms": p99, "ack_gap_max_ms": float(gaps.max())}
    return row


def _rates(way: Direction) -> Row:
    _, rates = delivery_rates(way)
    if not len(rates):
        return {}
    return {"delivery_rate_p50_mbps": float(np.median(rates)) / 1e6, "delivery_rate_max_mbps": float(rates.max()) / 1e6}


def _ms(ns: int | None) -> float | None:
    return None if ns is None else ns / MS
