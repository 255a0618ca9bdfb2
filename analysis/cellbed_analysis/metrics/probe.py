# SPDX-License-Identifier: GPL-2.0-or-later
"""RTT as the kernel sees it (tcp.trace), and its agreement with the capture.

The kernel takes a sample when it processes an ACK: time of processing minus
the time TCP handed the oldest segment that this ACK covers to IP, in us. The
capture sees the same segment a little later on its way out and the same ACK a
little earlier on its way in, so the kernel's value is larger by the path
between TCP and the capture point, plus the rounding to us.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ..stats.numbers import mean, median, scaled
from .metric import Metric
from .rtt import Values
from .window import Window, evaluated_window

#: How far the probe's RTT may lie from the capture's, by lab, in us. Virtual: the kernel counts
#: whole us, and its clock moves by about 1 us at each of the few reads between TCP and the
#: capture, at both ends. In real time: soft interrupts and wake-ups of a busy host add to that; beyond
#: one sub-frame the lab itself is late.
AGREEMENT_BOUND_US = {"virtual": 10, "native": 1000, "vm": 1000}

#: An ACK is processed this near to its capture, or the pair is no pair.
PAIRING_NS = 1_000_000_000


PROBE = (
    Metric("probe_samples", "1", "rows of tcp.trace about the flow's sender"),
    Metric("probe_lost", "1", "samples that the probe lost, whole run"),
    Metric("probe_srtt_mean_ms", "ms", "mean of the kernel's smoothed RTT, at each ACK"),
    Metric("probe_rtt_samples", "1", "kernel RTT samples that a captured ACK explains"),
    Metric("probe_rtt_mean_ms", "ms", "mean of these samples"),
    Metric("probe_difference_p50_us", "us", "median of kernel minus capture RTT, per sample"),
    Metric("probe_difference_max_us", "us", "largest distance between the two"),
    Metric("probe_within_bound_share", "1", "share of samples within the stated bound"),
    Metric("cwnd_change_p50_pkts", "packets", "median of the values that the congestion window changed to, whole flow"),
    Metric("cwnd_mean_pkts", "packets", "mean congestion window at each ACK"),
    Metric(
        "cwnd_full_share",
        "1",
        "share of segments with new data that fill the congestion window: near 1 this window limits the flow, near 0 "
        "the program or the receiver's window does",
    ),
)


def probe_samples(bundle: Bundle, flow: Flow, sport: int) -> pl.DataFrame:
    """The probe's rows about the data connection at its sender."""
    return bundle.tcp.filter(
        (pl.col("saddr") == flow.saddr)
        & (pl.col("daddr") == flow.daddr)
        & (pl.col("sport") == sport)
        & (pl.col("dport") == flow.port)
    )


def paired_rtts(samples: pl.DataFrame, segments: pl.DataFrame) -> pl.DataFrame:
    """Join the kernel's RTT samples with the segments they timed.

    Args:
        samples: `probe_samples`.
        segments: `segment.data_segments` of the same connection.

    Returns:
        t_ns, probe_us, capture_us, difference_us of each sample whose ACK was
        captured: the segment is the oldest one that ACK covers.
    """
    rtt = samples.filter((pl.col("kind") == "rtt") & (pl.col("rtt_us") > 0))
    timed = segments.filter(pl.col("oldest") & pl.col("rtt_ns").is_not_null()).select(
        "ack_ns", "rtt_ns", acked=(pl.col("ack_tag") % 2**32).cast(pl.UInt32)
    )
    # By the number acknowledged; the time tells rounds of the 32-bit numbers apart.
    pairs = rtt.join(timed, left_on="snd_una", right_on="acked").filter(
        (pl.col("t_ns") - pl.col("ack_ns")).abs() < PAIRING_NS
    )
    return pairs.select(
        "t_ns",
        probe_us=pl.col("rtt_us").cast(pl.Float64),
        capture_us=pl.col("rtt_ns") / 1e3,
    ).with_columns(difference_us=pl.col("probe_us") - pl.col("capture_us"))


def probe_metrics(bundle: Bundle, samples: pl.DataFrame, segments: pl.DataFrame, window: Window) -> Values:
    """The probe's RTT inside the window, and how well it agrees."""
    inside = window.cut(samples, "t_ns")
    pairs = window.cut(paired_rtts(samples, segments), "t_ns")
    bound_us = AGREEMENT_BOUND_US.get(str(bundle.manifest["lab"]))
    values: Values = {
        "probe_samples": len(inside),
        "probe_lost": int(bundle.tcp_stats.get("lost", 0)),
        "probe_rtt_samples": len(pairs),
    }
    if len(pairs):
        distance = pairs["difference_us"].abs().to_numpy()
        values |= {
            "probe_rtt_mean_ms": scaled(mean(pairs["probe_us"]), 1e3),
            "probe_difference_p50_us": median(pairs["difference_us"]),
            "probe_difference_max_us": float(distance.max()),
            "probe_within_bound_share": float(np.mean(distance <= bound_us)) if bound_us else None,
        }
    return values | window_metrics(samples, window)


def sampled_metrics(bundle: Bundle, flow: Flow) -> Values:
    """What the probe alone tells of a connection without captures; nothing where it did not see it."""
    if not bundle.probed or not flow.sport:
        return {}
    window = evaluated_window(bundle, flow)
    return window_metrics(probe_samples(bundle, flow, flow.sport), window) if window.seconds else {}


def window_metrics(samples: pl.DataFrame, window: Window) -> Values:
    """What the probe alone tells of a connection's windows. Args: samples: `probe_samples`."""
    traced = samples.filter(pl.col("kind") == "segment_in")["snd_cwnd"]
    samples = window.cut(samples, "t_ns")
    came = samples.filter(pl.col("kind").cast(pl.String).is_in(["segment_in", "sample"]))
    smoothed = came.filter(pl.col("srtt_us") > 0)["srtt_us"]
    return {
        "probe_srtt_mean_ms": scaled(mean(smoothed), 1e3),
        "cwnd_mean_pkts": mean(came["snd_cwnd"]),
        "cwnd_full_share": cwnd_full_share(samples),
        "cwnd_change_p50_pkts": median(traced.filter(traced != traced.shift(1).fill_null(0))),
    }


def cwnd_full_share(samples: pl.DataFrame) -> float | None:
    """Share of new segments after which the congestion window has no room for another.

    A sample of a segment that leaves is taken before the kernel counts it, so its own packets are added; a segment that
    is cut up below TCP is as many as its length has of the maximum segment size.

    Args:
        samples: `probe_samples`.

    Returns:
        None where no segment with new data was sampled.

    Source: RFC 6675 section 2 (pipe: sent, not acknowledged, not taken for lost)
    """
    new = samples.filter((pl.col("kind") == "segment_out") & (pl.col("len") > 0) & (pl.col("seq") == pl.col("snd_nxt")))
    count = {name: pl.col(name).cast(pl.Int64) for name in ("packets_out", "sacked_out", "lost_out", "retrans_out")}
    own = -(-pl.col("len").cast(pl.Int64) // pl.col("mss").cast(pl.Int64).clip(1))
    pipe = count["packets_out"] - count["sacked_out"] - count["lost_out"] + count["retrans_out"] + own
    return mean(new.select((pipe >= pl.col("snd_cwnd").cast(pl.Int64)).cast(pl.Float64))["packets_out"])
