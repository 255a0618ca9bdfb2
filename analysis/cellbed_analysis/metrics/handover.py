# SPDX-License-Identifier: GPL-2.0-or-later
"""How a run's handover went: its steps, the case it was for TCP, what was forwarded, lost and delivered."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ..radio.handover import Handover, forwarded, handovers, held, of_flow
from ..stats.numbers import scaled
from ..tcp.after_handover import CASES, Effect, effect
from ..tcp.arrival import transmissions
from ..tcp.packet_rtt import packet_rtts
from ..tcp.segment import flow_packets
from ..tcp.sender import SEQ_SPACE, Sender
from .metric import Metric
from .rtt import Values

#: What a rate before and after a handover is measured over.
SPAN_NS = 1_000_000_000
#: A capture's time of sending may lie so far before the probe's, where a link's delay was taken off it.
CAPTURE_SLACK_NS = 5_000_000
#: After so long the last flow of a scenario has been started, and has left its first slow start.
START_UP_NS = 3_000_000_000

HANDOVER = (
    Metric("ho_handovers", "1", "handovers of the flow's UE"),
    Metric("ho_wrong_predictions", "1", "predictions of a handover that did not come"),
    Metric("ho_start_s", "s", "start: the source eNB's decision, or the wrong prediction, after t = 0 of the flow"),
    Metric("ho_command_ms", "ms", "from the start until the UE leaves, on a command or by itself"),
    Metric("ho_interruption_ms", "ms", "from then until it is in the target cell; 0 where it is there before (DAPS)"),
    Metric("ho_attached_ms", "ms", "from the start to the UE's arrival in the target cell"),
    Metric("ho_path_switch_ms", "ms", "from the start to the path switch at the S-GW; negative when that came first"),
    Metric("ho_source_mes", "1", "UEs with traffic in the source cell at the start of the run, this one included"),
    Metric("ho_target_mes", "1", "UEs with traffic in the target cell at the start of the run"),
    Metric("ho_rtt_ms", "ms", "the kernel's smoothed RTT at the start, by which the span ends"),
    Metric("ho_span_ms", "ms", "length of the span: from the start to one such RTT after the UE's arrival"),
    Metric("ho_timeout", "1", "case: the retransmission timer expired because of the handover", event=True),
    Metric("ho_halving", "1", "case: no timeout, but the window was lowered", event=True),
    Metric("ho_nothing", "1", "case: neither of the two", event=True),
    Metric("ho_timeout_during", "1", "a timeout of the handover within the span, not after it", event=True),
    Metric("ho_event_during", "1", "any congestion event of the handover within the span", event=True),
    Metric(
        "ho_timeout_spurious", "1",
        "the timeout was about a segment that had arrived or still arrives; null without a timeout", event=True,
    ),
    Metric("ho_timeout_real", "1", "the timeout was about a segment that was lost; null without a timeout", event=True),
    Metric("ho_spurious", "1", "there was a spurious timeout; 0 also where there was no timeout at all", event=True),
    Metric("ho_repairing", "1", "an earlier congestion event was not repaired yet at the start", event=True),
    Metric("ho_event_ms", "ms", "from the start to the first congestion event"),
    Metric("ho_timeout_ms", "ms", "from the start to the first timeout"),
    Metric("ho_timeouts", "1", "timeouts of the handover"),
    Metric("ho_timer_ms", "ms", "from the last ACK of new data to the first timeout"),
    Metric("ho_ack_gap_ms", "ms", "longest time between two ACKs of new data in the span"),
    Metric("ho_data_gap_ms", "ms", "longest time in the span in which no new data come to the receiver"),
    Metric("ho_data_gap_before_ms", "ms", "the same, of the second before the start"),
    Metric("ho_cwnd_pkts", "packets", "congestion window at the start"),
    Metric("ho_in_flight_pkts", "packets", "packets that the sender took for in flight at the start"),
    Metric("ho_ssthresh_pkts", "packets", "slow start threshold that the first event sets"),
    Metric("ho_ssthresh_ratio", "1", "that threshold divided by cwnd before the event"),
    Metric(
        "ho_slow_start_ms", "ms",
        "from the first timeout until the window is as large as the threshold that it set",
    ),
    Metric("ho_rtt_before_ms", "ms", "median RTT of packets received in the second before the start"),
    Metric("ho_rtt_max_ms", "ms", "largest RTT of packets of the handover, until the receiver's next answer"),
    Metric("ho_lost_pkts", "packets", "transmissions of the handover that did not arrive"),
    Metric("ho_reordered_pkts", "packets", "transmissions of the handover that arrived after one that was sent later"),
    Metric("ho_forwarded_pkts", "packets", "packets that one eNB sent to the other"),
    Metric("ho_forwarded_bytes", "bytes", "their bytes"),
    Metric("ho_forwarded_lost_pkts", "packets", "of these, lost between the eNBs, whole run"),
    Metric("ho_end_markers_lost", "packets", "End Markers lost on either way, whole run"),
    Metric("ho_held_ms", "ms", "longest time for which an eNB held packets without a break"),
    Metric("ho_held_max_pkts", "packets", "largest number of packets that an eNB held for the UE or for an End Marker"),
    Metric("ho_delivered_kb", "kB", "new data received in the span, in units of 1000 bytes"),
    Metric(
        "ho_delivered_target_kb", "kB",
        "new data received from the start to one RTT of the target cell after the UE's arrival",
    ),
    Metric(
        "ho_delivered_switch_kb", "kB",
        "as ho_delivered_kb, but from the path switch on where that came before the start",
    ),
    Metric(
        "ho_delivered_switch_target_kb", "kB",
        "as ho_delivered_target_kb, but from the path switch on where that came before the start",
    ),
    Metric(
        "ho_rtt_target_ms", "ms",
        "RTT of the target cell: median of packets received in the second after the arrival",
    ),
    Metric("ho_rate_before_mbps", "Mbit/s", "new data received in the second before the start"),
    Metric("ho_rate_after_mbps", "Mbit/s", "new data received in the second after the start"),
    *(
        metric
        for side in ("source", "target")
        for metric in (
            Metric(
                f"ho_drop_{side}_percent", "%", f"share dropped by the queue in front of the {side} eNB, whole run"
            ),
            Metric(
                f"ho_lost_{side}_start_percent", "%",
                f"share lost of what flows that stay in the {side} cell sent in the first 3 s",
            ),
            Metric(f"ho_lost_{side}_steady_percent", "%", "share lost of what they sent later"),
            Metric(f"ho_early_drop_{side}_pkts", "packets", "packets that RED dropped there before the queue was full"),
            Metric(f"ho_marked_{side}_pkts", "packets", "packets that RED marked there"),
        )
    ),
)


def handover_metrics(bundle: Bundle, flow: Flow) -> Values:
    """Metrics of the handover that the run is about; nothing for runs without one."""
    handover = of_flow(bundle, flow)
    if handover is None:
        return {}
    sender = Sender(bundle, flow)
    values = {
        "ho_handovers": sum(not h.wrong for h in handovers(bundle, handover.ue)),
        "ho_wrong_predictions": sum(h.wrong for h in handovers(bundle, handover.ue)),
        **step_metrics(bundle, flow, handover),
        **forwarding_metrics(bundle, handover),
        **link_metrics(bundle, handover),
    }
    found = effect(sender, handover) if len(sender) else None
    if found is None:
        return values
    values |= case_metrics(sender, handover, found)
    if bundle.settings.get("capture", {}).get("ip", True):
        values |= packet_metrics(packet_rtts(bundle, flow), handover, found) | loss_metrics(bundle, handover)
    return values


def step_metrics(bundle: Bundle, flow: Flow, handover: Handover) -> Values:
    """When the steps of the handover came, and how many MEs there were."""
    start = handover.start_ns
    return {
        "ho_start_s": (start - flow.start_ns) / 1e9,
        "ho_command_ms": _ms(handover.left_ns, start),
        "ho_interruption_ms": interruption_ms(handover),
        "ho_attached_ms": _ms(handover.attached_ns, start),
        "ho_path_switch_ms": _ms(handover.path_ns, start),
        "ho_source_mes": mes(bundle, handover.source),
        "ho_target_mes": mes(bundle, handover.target),
    }


def interruption_ms(handover: Handover) -> float | None:
    """How long the UE is in neither of the two cells."""
    if handover.left_ns is None or handover.attached_ns is None:
        return None
    return max(0.0, (handover.attached_ns - handover.left_ns) / 1e6)


def mes(bundle: Bundle, enb: int) -> int:
    """UEs of an eNB that a flow goes to or from, by where they are at the start."""
    names = [e["name"] for e in bundle.celld["cell"].get("enbs", [])]
    at = {ue["name"]: ue.get("enb") for ue in bundle.celld["cell"]["ues"]}
    used = {end for flow in bundle.flows for end in (flow.source, flow.sink)}
    return sum(1 for ue, where in at.items() if ue in used and where == names[enb])


def forwarding_metrics(bundle: Bundle, handover: Handover) -> Values:
    """What the source sent on to the target, and what an eNB held."""
    rows, waits = forwarded(bundle, handover), held(bundle, handover)
    sent, came = (bundle.radio_stats.get(key, {}) for key in ("gtpu_tx", "gtpu_rx"))
    values: Values = {
        "ho_forwarded_pkts": len(rows),
        "ho_forwarded_bytes": int(rows["bytes"].sum()),
        "ho_held_max_pkts": int(waits["value"].to_numpy().max()) if len(waits) else 0,
        "ho_held_ms": held_ms(waits),
    }
    if sent:
        values["ho_forwarded_lost_pkts"] = sent["x2"] - came["x2"]
        values["ho_end_markers_lost"] = sent["end_marker"] - came["end_marker"]
    return values


def held_ms(waits: pl.DataFrame) -> float:
    """Longest time that an eNB held a packet at all."""
    longest = 0.0
    for (_,), rows in waits.group_by("enb", maintain_order=True):
        since = None
        for t_ns, pkts in rows.select("t_ns", "value").iter_rows():
            since = t_ns if pkts and since is None else since
            if not pkts and since is not None:
                longest, since = max(longest, (t_ns - since) / 1e6), None
    return longest


def link_metrics(bundle: Bundle, handover: Handover) -> Values:
    """Packets that the router dropped in front of the two eNBs, whole run.

    Source: Pacifico 2009 Table IV
    """
    names = [e["name"] for e in bundle.celld["cell"].get("enbs", [])]
    values: Values = {}
    for side, enb in (("source", handover.source), ("target", handover.target)):
        links = [link for link in bundle.manifest.get("links", []) if link["to"] == names[enb]]
        dropped = sum(link["overflow_pkts"] + link.get("early_drop_pkts", 0) for link in links)
        offered = sum(link["sent_pkts"] for link in links) + dropped
        if offered:
            values |= {
                f"ho_drop_{side}_percent": 100 * dropped / offered,
                f"ho_early_drop_{side}_pkts": sum(link.get("early_drop_pkts", 0) for link in links),
                f"ho_marked_{side}_pkts": sum(link.get("marked_pkts", 0) for link in links),
            }
    return values


def loss_metrics(bundle: Bundle, handover: Handover) -> Values:
    """What flows lost that stay in one of the two cells, apart for the time in which flows start.

    A flow that starts fills the queue until it loses: with short runs that is much of what a run loses.
    """
    names = [e["name"] for e in bundle.celld["cell"].get("enbs", [])]
    at = {ue["name"]: ue.get("enb") for ue in bundle.celld["cell"]["ues"] if ue["name"] != handover.ue}
    staying = [
        flow for flow in bundle.flows
        if flow.transport == "tcp" and all(bundle.has(f"ip-{node}.pcap") for node in (flow.source, flow.sink))
    ]  # fmt: skip
    values: Values = {}
    for side, enb in (("source", handover.source), ("target", handover.target)):
        flows = [flow for flow in staying if at.get(flow.sink) == names[enb]]
        sent = [transmissions(*(flow_packets(bundle, flow, node)[0] for node in (flow.source, flow.sink)))
                .select("t_ns", "there_ns") for flow in flows]  # fmt: skip
        rows = pl.concat(sent) if sent else pl.DataFrame({"t_ns": [], "there_ns": []})
        early = pl.col("t_ns") < bundle.start_ns + START_UP_NS
        for name, part in (("start", rows.filter(early)), ("steady", rows.filter(~early))):
            if len(part):
                values[f"ho_lost_{side}_{name}_percent"] = 100 * part["there_ns"].null_count() / len(part)
    return values


def case_metrics(sender: Sender, handover: Handover, found: Effect) -> Values:
    """The case, the congestion window around the handover, and the waits for ACKs."""
    start, first = handover.start_ns, found.events[0] if found.events else None
    during = [event for event in found.events if event.t_ns <= found.end_ns]
    values: Values = {f"ho_{case}": int(found.case == case) for case in CASES}
    values |= {
        "ho_timeout_during": int(any(event.kind == "timeout" for event in during)),
        "ho_event_during": int(bool(during)),
        "ho_repairing": int(found.repairing),
        "ho_rtt_ms": found.rtt_ns / 1e6,
        "ho_span_ms": (found.end_ns - start) / 1e6,
        "ho_cwnd_pkts": found.cwnd,
        "ho_in_flight_pkts": found.in_flight,
        "ho_ack_gap_ms": ack_gap_ms(sender, start, found.end_ns),
    }
    if first is None:
        return values
    values |= {"ho_event_ms": _ms(first.t_ns, start), "ho_ssthresh_pkts": first.ssthresh}
    cwnd = window_before(sender, first.t_ns, first.ssthresh)
    if first.ssthresh is not None and cwnd:
        values["ho_ssthresh_ratio"] = first.ssthresh / cwnd
    if found.timeout is not None:
        values |= timeout_metrics(sender, found, start)
    return values


def window_before(sender: Sender, t_ns: int, ssthresh: int | None) -> int | None:
    """The congestion window when an event chose its threshold: in the last row with another one."""
    others = np.flatnonzero(sender.ssthresh[: sender.at(t_ns) + 1] != ssthresh)
    return int(sender.cwnd[others[-1]]) if len(others) else None


def timeout_metrics(sender: Sender, found: Effect, start_ns: int) -> Values:
    """The wait for the timer, and the slow start after it."""
    event = found.timeout
    assert event is not None
    here = sender.at(event.t_ns)
    acks = sender.t_ns[: here + 1][sender.new_ack[: here + 1]]
    values: Values = {
        "ho_timeout_ms": _ms(event.t_ns, start_ns),
        "ho_timer_ms": (event.t_ns - int(acks[-1])) / 1e6 if len(acks) else None,
        "ho_timeouts": sum(e.kind == "timeout" for e in found.events),
    }
    if event.ssthresh is not None:
        again = np.flatnonzero(sender.cwnd[here + 1 :] >= event.ssthresh)
        back = here + 1 + int(again[0]) if len(again) else None
        values["ho_slow_start_ms"] = None if back is None else (int(sender.t_ns[back]) - event.t_ns) / 1e6
    return values


def ack_gap_ms(sender: Sender, start_ns: int, end_ns: int) -> float | None:
    """Longest time without an ACK of new data that lies in the span, in whole or in part."""
    return _longest_gap_ms(sender.t_ns[sender.new_ack], start_ns, end_ns)


def _longest_gap_ms(t_ns: np.ndarray, start_ns: int, end_ns: int) -> float | None:
    """Longest time between two of these times, in order, that lies in the span, in whole or in part."""
    first, last = np.searchsorted(t_ns, start_ns) - 1, np.searchsorted(t_ns, end_ns)
    around = t_ns[max(first, 0) : last + 1]
    return float(np.diff(around).max()) / 1e6 if len(around) > 1 else None


def packet_metrics(packets: pl.DataFrame, handover: Handover, found: Effect) -> Values:
    """What the captures show: whether a timeout was spurious, RTTs, losses, and data delivered.

    Args:
        packets: `packet_rtt.packet_rtts`.
        handover: what they are about.
        found: the case.
    """
    start, end = handover.start_ns, found.end_ns
    switch = min(start, handover.path_ns or start)
    beyond = (pl.col("seq").cast(pl.Int64) - found.una + SEQ_SPACE // 2) % SEQ_SPACE - SEQ_SPACE // 2
    # Without an acknowledgment at the start, or sent from then on; sent before the end.
    concerned = packets.filter((pl.col("t_ns") < end) & (beyond + pl.col("payload_bytes") > 0))
    before = packets.filter(pl.col("t_ns").is_between(start - SPAN_NS, start), pl.col("there_ns") < start)
    values: Values = {
        "ho_rtt_before_ms": scaled(_median(before["rtt_ns"]), 1e6),
        "ho_rtt_max_ms": scaled(_largest(concerned["rtt_ns"]), 1e6),
        "ho_lost_pkts": int(concerned["there_ns"].null_count()),
        "ho_data_gap_ms": data_gap_ms(packets, start, end),
        "ho_data_gap_before_ms": data_gap_ms(packets, start - SPAN_NS, start),
        "ho_delivered_kb": new_bytes(packets, start, end) / 1000,
        "ho_delivered_switch_kb": new_bytes(packets, switch, end) / 1000,
        "ho_rate_before_mbps": new_bytes(packets, start - SPAN_NS, start) * 8e-6,
        "ho_rate_after_mbps": new_bytes(packets, start, start + SPAN_NS) * 8e-6,
    }
    arrived = handover.attached_ns
    if arrived is not None:
        there = packets.filter(pl.col("there_ns").is_between(arrived, arrived + SPAN_NS))
        target_ns = _median(there["rtt_ns"])
        if target_ns is not None:
            values["ho_rtt_target_ms"] = target_ns / 1e6
            later = arrived + round(target_ns)
            values["ho_delivered_target_kb"] = new_bytes(packets, start, later) / 1000
            values["ho_delivered_switch_target_kb"] = new_bytes(packets, switch, later) / 1000
    came = concerned.drop_nulls("there_ns").sort("there_ns")["number"].to_numpy()
    values["ho_reordered_pkts"] = int((came < np.maximum.accumulate(came)).sum()) if len(came) else 0
    return values | (spurious_metrics(packets, found) if found.timeout is not None else {"ho_spurious": 0})


def spurious_metrics(packets: pl.DataFrame, found: Effect) -> Values:
    """Whether the segment that the timer was about arrives without its retransmission (RFC 3522)."""
    event = found.timeout
    assert event is not None
    again = packets.filter("again", pl.col("seq") == event.una, pl.col("t_ns") >= event.t_ns - CAPTURE_SLACK_NS)
    if again.is_empty():
        return {}
    spurious = bool(again["spurious"][0])
    return {"ho_timeout_spurious": int(spurious), "ho_timeout_real": int(not spurious), "ho_spurious": int(spurious)}


def _new_data(packets: pl.DataFrame) -> pl.DataFrame:
    """Packets with data that reach the receiver for the first time, in order of time."""
    return packets.drop_nulls("there_ns").sort("there_ns").unique("start", keep="first", maintain_order=True)


def data_gap_ms(packets: pl.DataFrame, start_ns: int, end_ns: int) -> float | None:
    """Longest time between two arrivals of new data that lies in a span, in whole or in part."""
    return _longest_gap_ms(_new_data(packets)["there_ns"].to_numpy(), start_ns, end_ns)


def new_bytes(packets: pl.DataFrame, start_ns: int, end_ns: int) -> int:
    """Bytes of the stream that reach the receiver for the first time in a span, in order or not."""
    came = _new_data(packets)
    inside = came.filter(pl.col("there_ns").is_between(start_ns, end_ns, closed="left"))
    return int(inside["payload_bytes"].sum())


def _ms(t_ns: int | None, since_ns: int) -> float | None:
    return None if t_ns is None else (t_ns - since_ns) / 1e6


def _median(column: pl.Series) -> float | None:
    values = column.drop_nulls()
    return float(np.median(values.to_numpy())) if len(values) else None


def _largest(column: pl.Series) -> float | None:
    values: Any = column.max()
    return None if values is None else float(values)
