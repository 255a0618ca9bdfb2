# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of runs at the edge of a cell, made up so that every number can be worked out."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl

from cellbed_analysis.studies.celledge_li.edge import DISTANCE

SCENARIO = "celledge-li/distance"
VARIANTS = tuple(f"{transport}-{rlc}{control}" for control in ("", "-control") for transport in ("TCP", "UDP")
                 for rlc in ("UM", "AM"))
DISTANCES = tuple(range(40, 301, 20))


def row(variant: str, distance_m: float, scenario: str = SCENARIO, **more: Any) -> dict[str, Any]:
    """A run whose throughput falls by 0.05 Mbit/s a metre, and whose RTT has a median of 30 ms and a tenth of a metre.

    UDP has 0.5 Mbit/s more than TCP and loses 10 packets a metre, in AM half as many; errors of the control channels
    take half of the throughput.
    """
    transport, rlc, *control = (f"{variant}-UM" if "-" not in variant else variant).split("-")
    tcp = transport != "UDP"
    rate = (19 - 0.05 * distance_m + (not tcp) * 0.5) / (2 if control else 1)
    return {
        "scenario": scenario, "variant": variant, "seed": 1, "lab": "virtual", "usable": True, "mode_switches": None,
        "bundle": f"{scenario}-{variant}-{distance_m}", "point": f"distance_m={distance_m}", "window_start_s": 5.0,
        "window_s": 45.0, "ip_throughput_mbps": max(rate, 0), "ip_lost_pkts": 0 if tcp else round(
            10 * distance_m / (2 if rlc == "AM" else 1)), "ip_lost_pct": 0.0 if tcp else 100 * distance_m / 30_000,
        "cwnd_change_p50_pkts": 128 - 0.1 * distance_m if tcp else None,
        "rtt_p50_ms": 30 + 0.1 * distance_m if tcp else None, "control_missed_ttis": 10 * distance_m if control else 0,
        "param.radio.channel.model": "cell_edge", "param.radio.control.errors": bool(control),
        "param.radio.control.dtx": "lose", "param.radio.rlc.mode": rlc.lower(), "param.radio.n_rb": 50,
        "param.radio.channel.cell_edge.interference": True, "param.radio.mac.grants_ignore_headers": True,
        "param.traffic.0.transport": transport.lower() if transport in ("TCP", "UDP") else "tcp",
        "param.traffic.0.rate": None if tcp else 40_000_000, "param.tcp.receive_window": 131072,
        "param.tcp.profile": "paper", DISTANCE: distance_m,
    } | more  # fmt: skip


def rows(variants: tuple[str, ...] = VARIANTS, distances: tuple[float, ...] = DISTANCES,
         **more: Any) -> list[dict[str, Any]]:
    return [row(variant, distance, **more) for variant in variants for distance in distances]


@dataclass(frozen=True)
class Run:
    """What figures ask of a RunAnalysis."""

    row: dict[str, Any]
    usable: bool = True
    bundle: Any = field(default_factory=lambda: SimpleNamespace(start_ns=0))

    def segments(self, columns: tuple[str, ...]) -> pl.DataFrame:
        """A segment every 10 ms; RTTs even between half and three halves of the median."""
        n = 5000
        share = (np.arange(n) * 0.618) % 1
        median_ms = self.row["rtt_p50_ms"]
        segments = pl.DataFrame({"out_ns": np.arange(n) * 10_000_000,
                                 "rtt_ns": (median_ms * (0.5 + share) * 1e6).round()})
        return segments.select(columns)


def runs(found: list[dict[str, Any]]) -> list[Run]:
    return [Run(one) for one in found]
