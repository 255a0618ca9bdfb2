# SPDX-License-Identifier: GPL-2.0-or-later
"""Round trip times from the sender's capture, and their parts."""

from __future__ import annotations

import numpy as np
import polars as pl

from ..radio.grid import SUBFRAME_NS
from ..stats.interval import Estimate, mean_within_run, std_within_run
from ..stats.numbers import mean, scaled
from ..tcp.segment import RTT_PARTS, part_label
from .metric import Metric

Values = dict[str, Estimate | float | int | str | None]

RTT = (
    Metric("segments", "1", "data segments sent inside the window"),
    Metric("retransmitted_segments", "1", "of these, sent more than once"),
    Metric("rtt_mean_ms", "ms", "mean RTT per data segment, from the sender's capture", True),
    Metric("rtt_p50_ms", "ms", "median RTT"),
    Metric("rtt_p99_ms", "ms", "99th percentile of the RTT"),
    Metric("rtt_min_ms", "ms", "smallest RTT"),
    Metric("rtt_max_ms", "ms", "largest RTT"),
    Metric("rtt_std_ms", "ms", "standard deviation of the RTT", True),
    Metric(
        "rtt_first_mean_ms",
        "ms",
        "mean RTT of segments that found the sender's radio buffer empty",
    ),
    Metric("flight_mean_bytes", "bytes", "mean number of bytes sent and not yet acknowledged"),
    Metric("flight_max_bytes", "bytes", "largest number of such bytes"),
)

PARTS = (
    *(Metric(f"part_{part}_ms", "ms", f"mean part of the RTT: {part_label(part)}") for part in RTT_PARTS),
    *(Metric(f"part_{part}_std_ms", "ms", f"standard deviation of: {part_label(part)}") for part in RTT_PARTS),
    Metric("parts_segments_share", "1", "share of segments whose RTT could be taken apart"),
    Metric("receiver_delayed_share", "1", "share of segments whose ACK the receiver held back over 1 TTI", True),
    Metric("receiver_delayed_mean_ms", "ms", "how long it held these back, mean"),
)


def rtt_metrics(segments: pl.DataFrame) -> Values:
    """RTT statistics.

    Args:
        segments: `segment.decomposed_segments` inside the window, all of them.
    """
    timed = segments.filter(pl.col("rtt_ns").is_not_null())
    t = timed["out_ns"].to_numpy()
    rtt_ms = timed["rtt_ns"].to_numpy() / 1e6
    values: Values = {
        "segments": len(segments),
        "retransmitted_segments": int(segments["retransmitted"].sum()),
    }
    if not len(rtt_ms):
        return values
    p50, p99 = np.percentile(rtt_ms, [50, 99])
    return values | {
        "rtt_mean_ms": mean_within_run(t, rtt_ms),
        "rtt_p50_ms": float(p50),
        "rtt_p99_ms": float(p99),
        "rtt_min_ms": float(rtt_ms.min()),
        "rtt_max_ms": float(rtt_ms.max()),
        "rtt_std_ms": std_within_run(t, rtt_ms),
        "rtt_first_mean_ms": _first_of_burst(timed),
        **_flight(segments),
    }


def _first_of_burst(timed: pl.DataFrame) -> float | None:
    """Mean RTT of segments that found the sender's radio buffer empty."""
    first = timed.filter(pl.col("data_buffer_empty"))
    return scaled(mean(first["rtt_ns"]), 1e6)


def _flight(segments: pl.DataFrame) -> Values:
    """Bytes sent and not yet acknowledged, as each segment leaves (itself included)."""
    flight = segments["flight_bytes"].drop_nulls()
    return {
        "flight_mean_bytes": mean(flight),
        "flight_max_bytes": int(flight.to_numpy().max()),
    }


def part_metrics(segments: pl.DataFrame, tti_ns: int = SUBFRAME_NS) -> Values:
    """Each part of the RTT, in ms: means, whose sum is the mean RTT, and standard deviations."""
    whole = segments.drop_nulls(["rtt_ns", *RTT_PARTS])
    if whole.is_empty():
        return {}
    values: Values = {f"part_{part}_ms": scaled(mean(whole[part]), 1e6) for part in RTT_PARTS}
    values |= {f"part_{part}_std_ms": float(whole[part].to_numpy().std()) / 1e6 for part in RTT_PARTS}
    values["parts_segments_share"] = len(whole) / len(segments)
    held = whole["receiver"] > tti_ns
    values["receiver_delayed_share"] = mean_within_run(whole["out_ns"].to_numpy(), held.to_numpy().astype(float))
    values["receiver_delayed_mean_ms"] = scaled(mean(whole.filter(held)["receiver"]), 1e6)
    for side in ("data", "ack"):
        waited = whole[f"{side}_rac_wait"] + whole[f"{side}_queue"] > tti_ns
        joined = (whole[f"{side}_in_ns"] > whole[f"{side}_request_ns"]).fill_null(False)
        for name, mask in (("blocked", waited), ("joined", joined)):
            values[f"{side}_{name}_share"] = mean_within_run(whole["out_ns"].to_numpy(), mask.to_numpy().astype(float))
        blocked, free = whole.filter(waited), whole.filter(~waited)
        if len(blocked) and len(free):
            delays = [part[f"{side}_out_ns"] - part[f"{side}_in_ns"] for part in (blocked, free)]
            values[f"{side}_blocked_extra_rtt_ms"] = _excess_ms(blocked["rtt_ns"], free["rtt_ns"])
            values[f"{side}_blocked_extra_delay_ms"] = _excess_ms(*delays)
    return values


def _excess_ms(a: pl.Series, b: pl.Series) -> float:
    """Mean of `a` minus mean of `b`, ns in ms."""
    return float(a.to_numpy().mean() - b.to_numpy().mean()) / 1e6
