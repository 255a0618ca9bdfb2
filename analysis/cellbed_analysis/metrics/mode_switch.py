# SPDX-License-Identifier: GPL-2.0-or-later
"""How a run's mode switches went: what they flushed, how TCP recovered, and the CQIs behind them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ..radio.events import rows_of
from ..radio.grid import SUBFRAME_NS, grid_of
from ..radio.mode_switch import switches
from ..tcp.after_switch import Reaction, reactions
from ..tcp.sender import CongestionEvent, Sender, congestion_events
from .metric import Metric
from .rtt import Values

CHANNEL = (
    *(
        Metric(f"cqi_{code}_{end}", "1", f"{word} CQI of the flow's UEs while it lasts, {link}; null without a channel")
        for code, link in (("ul", "uplink"), ("sl", "sidelink"), ("dl", "downlink"))
        for end, word in (("min", "lowest"), ("max", "highest"))
    ),
)

SWITCHES = (
    Metric("mode_switches", "1", "changes of the sending UE's mode"),
    Metric("flushed_data_pkts", "packets", "packets of the data flow that they flushed"),
    Metric("flushed_ack_pkts", "packets", "packets of the ACK flow that they flushed"),
    Metric("flushing_switches", "1", "switches that flushed data; the metrics below are about these"),
    Metric("switch_flushed_data_mean_pkts", "packets", "packets of the data flow flushed by a switch, mean"),
    Metric("switch_flushed_data_mean_bytes", "bytes", "bytes of these packets, mean"),
    Metric("switch_flushed_ack_mean_pkts", "packets", "packets of the ACK flow flushed by a switch, mean"),
    Metric(
        "switch_flushed_on_air_mean_pkts",
        "packets",
        "flushed packets of both directions that had been sent whole on the link where the switch found them, mean; "
        "needs "
        "all of radio.trace",
    ),
    Metric("switch_outstanding_mean_pkts", "packets", "packets that the sender took for in flight at a switch, mean"),
    Metric(
        "switch_flushed_share",
        "1",
        "packets flushed in both directions over those in flight: 1 leaves none that could bring a duplicate ACK",
    ),
    Metric(
        "switch_sacked_mean_pkts",
        "packets",
        "packets beyond the gap that duplicate ACKs had reported by the first congestion event after a switch, mean",
    ),
    Metric("switch_first_event_p50_ms", "ms", "from the switch to the first congestion event, median"),
    Metric("switch_rto_first_share", "1", "share of switches whose first congestion event is a timeout"),
    Metric(
        "switch_rto_share",
        "1",
        "share of switches after which the timer expired before everything in flight at the switch was acknowledged",
    ),
    Metric(
        "switch_rto_p50_ms", "ms",
        "from the switch to the first timeout after it, median of the switches that have one",
    ),
    Metric("switch_second_event_share", "1", "share of switches with a fast retransmit after the first event"),
    Metric(
        "switch_recovery_p50_ms",
        "ms",
        "from the switch to the acknowledgment of everything then in flight, median of those repaired before the next "
        "switch",
    ),
    Metric("switch_recovery_max_ms", "ms", "longest of these"),
    Metric("switch_unrepaired", "1", "switches that were not repaired before the next switch or the end"),
    Metric(
        "switch_ssthresh_p50_pkts",
        "packets",
        "slow start threshold that the first event sets, to which a fast recovery lowers cwnd; median",
    ),
    Metric("switch_ssthresh_p50_bytes", "bytes", "that threshold times the configured segment size"),
    Metric("switch_ssthresh_ratio_p50", "1", "that threshold divided by cwnd before the event, median"),
    Metric("switch_cwnd_low_p50_pkts", "packets", "lowest cwnd from the first event to the end of recovery, median"),
    Metric("switch_cwnd_low_pkts", "packets", "lowest of these"),
    Metric("switch_cwnd_1s_p50_pkts", "packets", "lowest cwnd between 0.9 and 1.1 s after the first event, median"),
    Metric(
        "switch_cwnd_back_share",
        "1",
        "share of switches after which cwnd is what it was again, or fills the receive window, before the next one",
    ),
    Metric(
        "switch_cwnd_back_p50_ms", "ms",
        "from the switch to that moment, median of all switches; null when most do not reach it",
    ),
    Metric("fast_recoveries", "1", "fast retransmits that begin a recovery, from the trace, whole flow"),
    Metric("fast_recovery_p50_ms", "ms", "from the fast retransmit to the ACK of everything sent before it, median"),
    Metric("fast_recovery_max_ms", "ms", "longest of these"),
    Metric("fast_recovery_rto_share", "1", "share of fast recoveries during which the timer expires"),
    Metric("fast_recovery_rto_p50_ms", "ms", "from the fast retransmit to that timeout, median"),
    Metric(
        "ack_same_tti_share",
        "1",
        "share of ACKs of new data that reach the sender less than 1 ms after the one before; needs every segment",
    ),
)


def switch_metrics(bundle: Bundle, flow: Flow) -> Values:
    """Metrics of the flow's mode switches; nothing for runs whose modes do not change."""
    found = switches(bundle, flow)
    if not found:
        return {}
    sender = Sender(bundle, flow)
    followed = [reaction for reaction in reactions(bundle, flow) if reaction.switch.flushed]
    return {
        "mode_switches": len(found),
        "flushed_data_pkts": sum(switch.data_pkts for switch in found),
        "flushed_ack_pkts": sum(switch.ack_pkts for switch in found),
        **reaction_metrics(followed, mss_bytes(bundle)),
        **event_metrics(congestion_events(sender)),
        **ack_metrics(bundle, sender),
        **air_metrics(bundle, [switch.t_ns for switch in found if switch.flushed]),
    }


def mss_bytes(bundle: Bundle) -> int | None:
    """The configured segment size."""
    mss = bundle.settings.get("tcp", {}).get("mss")
    return None if mss is None else int(mss)


def reaction_metrics(followed: Sequence[Reaction], mss: int | None) -> Values:
    """Metrics over the switches that flushed data.

    Args:
        followed: their reactions.
        mss: bytes of a segment, for windows in bytes.
    """
    values: Values = {"flushing_switches": len(followed)}
    if not followed:
        return values
    first = [reaction.events[0] for reaction in followed if reaction.events]
    repaired = [_ms(reaction.repaired_ns, reaction.switch.t_ns) for reaction in followed]
    back = [_ms(reaction.back_ns, reaction.switch.t_ns) for reaction in followed]
    low = _known(reaction.low for reaction in followed)
    ssthresh = _known(event.ssthresh for event in first)
    after = _known(reaction.after_1s for reaction in followed)
    values |= {
        "switch_flushed_data_mean_pkts": _mean(reaction.switch.data_pkts for reaction in followed),
        "switch_flushed_data_mean_bytes": _mean(reaction.switch.data_bytes for reaction in followed),
        "switch_flushed_ack_mean_pkts": _mean(reaction.switch.ack_pkts for reaction in followed),
        "switch_outstanding_mean_pkts": _mean(reaction.outstanding for reaction in followed),
        "switch_flushed_share": sum(r.switch.data_pkts + r.switch.ack_pkts for r in followed)
        / max(sum(r.outstanding for r in followed), 1),
        "switch_rto_share": _mean(reaction.waited for reaction in followed),
        "switch_rto_first_share": _mean(
            bool(reaction.events) and reaction.events[0].kind == "timeout" for reaction in followed
        ),
        "switch_second_event_share": _mean(reaction.second_event for reaction in followed),
        "switch_unrepaired": sum(value is None for value in repaired),
        "switch_recovery_p50_ms": _median(_known(repaired)),
        "switch_recovery_max_ms": max(_known(repaired), default=None),
        "switch_cwnd_low_p50_pkts": _median(low),
        "switch_cwnd_low_pkts": min(low, default=None),
        "switch_cwnd_1s_p50_pkts": _median(after),
        "switch_cwnd_back_share": _mean(value is not None for value in back),
        "switch_cwnd_back_p50_ms": _median_of_censored(back),
    }
    if first:
        values |= {
            "switch_sacked_mean_pkts": _mean(event.sacked for event in first),
            "switch_first_event_p50_ms": _median(
                [_ms(r.events[0].t_ns, r.switch.t_ns) or 0.0 for r in followed if r.events]
            ),
            "switch_ssthresh_p50_pkts": _median(ssthresh),
            "switch_ssthresh_ratio_p50": _median(
                [event.ssthresh / event.cwnd for event in first if event.ssthresh is not None and event.cwnd]
            ),
            "switch_rto_p50_ms": _median(_known(_first_timeout_ms(reaction) for reaction in followed)),
        }
    if mss and ssthresh:
        values["switch_ssthresh_p50_bytes"] = float(np.median(ssthresh)) * mss
    return values


def _first_timeout_ms(reaction: Reaction) -> float | None:
    return next((_ms(e.t_ns, reaction.switch.t_ns) for e in reaction.events if e.kind == "timeout"), None)


def ack_metrics(bundle: Bundle, sender: Sender) -> Values:
    """How many ACKs come together; nothing where not every segment was sampled."""
    if bundle.settings.get("capture", {}).get("tcp_interval_ms"):
        return {}
    t_ns = sender.t_ns[sender.new_ack]
    return {"ack_same_tti_share": float((np.diff(t_ns) < SUBFRAME_NS).mean())} if len(t_ns) > 1 else {}


def air_metrics(bundle: Bundle, times_ns: Sequence[int]) -> Values:
    """Flushed packets that had left their buffer; nothing where radio.trace has events only.

    Args:
        times_ns: the switches.
    """
    if bundle.settings.get("capture", {}).get("radio_trace", "full") != "full" or not times_ns:
        return {}
    packet = ["pkt", "node", "dir"]
    dropped = rows_of(bundle.radio, "pkt_drop").filter(pl.col("t_ns").is_in(list(times_ns))).select(packet)
    sent = rows_of(bundle.radio, "rlc_tx").filter(pl.col("aux") & 1 == 1).select(packet).unique()
    return {"switch_flushed_on_air_mean_pkts": len(dropped.join(sent, on=packet)) / len(times_ns)}


def event_metrics(events: Sequence[CongestionEvent]) -> Values:
    """Fast recoveries of the whole flow: how long they took, and whether the timer ended them."""
    fast = [event for event in events if event.kind == "fast retransmit"]
    lengths = _known(_ms(event.end_ns, event.t_ns) for event in fast)
    values: Values = {
        "fast_recoveries": len(fast),
        "fast_recovery_p50_ms": _median(lengths),
        "fast_recovery_max_ms": max(lengths, default=None),
    }
    waits = []
    for event, following in itertools.pairwise(events):
        if event.kind != "fast retransmit" or following.kind != "timeout":
            continue
        if event.end_ns is None or following.t_ns < event.end_ns:
            waits.append((following.t_ns - event.t_ns) / 1e6)
    if fast:
        values["fast_recovery_rto_share"] = len(waits) / len(fast)
    values["fast_recovery_rto_p50_ms"] = _median(waits)
    return values


def channel_metrics(bundle: Bundle, flow: Flow) -> Values:
    """Range of the CQIs of the flow's UEs while it lasts, by direction; nothing without a channel, or with two, whose
    CQIs say different things."""
    if grid_of(bundle).stations:
        return {}
    ues = [bundle.ue_numbers[name] for name in (flow.source, flow.sink) if name in bundle.ue_numbers]
    rows = rows_of(bundle.radio, "channel").filter(pl.col("node").is_in(ues) | pl.col("peer").is_in(ues))
    values: Values = {}
    for direction in ("ul", "dl", "sl"):
        of_direction = rows.filter(pl.col("dir") == direction)
        inside = of_direction.filter(pl.col("t_ns").is_between(flow.start_ns, flow.end_ns, closed="left"))
        # A value holds until the next one: the last before the flow counts too.
        held = of_direction.filter(pl.col("t_ns") < flow.start_ns).group_by("node", "peer").last()
        seen = np.concatenate([held["cqi"].to_numpy(), inside["cqi"].to_numpy()])
        if len(seen):
            values |= {f"cqi_{direction}_min": int(seen.min()), f"cqi_{direction}_max": int(seen.max())}
    return values


def _ms(t_ns: int | None, since_ns: int) -> float | None:
    return None if t_ns is None else (t_ns - since_ns) / 1e6


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _median(values: Sequence[float]) -> float | None:
    return float(np.median(values)) if values else None


def _median_of_censored(values: Sequence[float | None]) -> float | None:
    """Median of waits of which some did not end: these are longer than all others. None when it is one of them."""
    middle = float(np.median([np.inf if value is None else value for value in values]))
    return middle if np.isfinite(middle) else None
