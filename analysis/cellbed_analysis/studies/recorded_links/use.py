# SPDX-License-Identifier: GPL-2.0-or-later
"""A recorded link over time: what it could carry, what came to it and what left it, and how long each packet took."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from matplotlib.figure import Figure

from cellbed_formats.bundle import Bundle

from ...export.delivery import DOWN, UP, ways
from ...figures.legend import legend_above
from ...figures.style import GREEN, ORANGE, RED, ink
from ...metrics.rows import primary_flow, traced_in_full
from ...metrics.run import RunAnalysis
from ...metrics.series_name import brief, file_name, label
from .metrics import opportunities_ns, opportunity_bytes

#: Runs that are drawn, and the length of a step.
RUNS_MAX, BIN_S = 6, 0.5


def specs(runs: Sequence[RunAnalysis]) -> list[tuple[str, str, str, Callable[[], Figure]]]:
    """A figure for the first usable run of each series over a recorded link."""
    first: dict[tuple[str, str], RunAnalysis] = {}
    for run in runs:
        if run.usable and run.row.get("link_capacity_mbps") is not None and traced_in_full(run.bundle):
            first.setdefault((str(run.row["scenario"]), label(run.row)), run)
    return [
        (
            f"link-use-{file_name(scenario.rsplit('/', 1)[-1])}-{file_name(name)}",
            f"What a recorded link offered and carried, {brief(name)}",
            f"{scenario}, seed {run.row['seed']}, {run.row['lab']} lab, direction of the data. Grey: what the link's "
            "delivery opportunities could carry. Below: the time that each packet was in the link, with its constant "
            "delay; crosses at the bottom are packets that were dropped.",
            partial(draw, run.bundle),
        )
        for (scenario, name), run in list(first.items())[:RUNS_MAX]
    ]


def draw(bundle: Bundle) -> Figure:
    """Draw the direction of the first flow's data, from the start of the traffic to the flow's end."""
    bundle = bundle.lent()
    flow = primary_flow(bundle)
    down = flow.sink in bundle.ue_numbers
    offered = opportunities_ns(bundle, flow)
    packets = {way.name: way for way in ways(bundle, flow.sink if down else flow.source)}[DOWN if down else UP].packets
    assert offered is not None
    end_s = (flow.end_ns - bundle.start_ns) / 1e9
    edges = np.linspace(0, end_s, max(round(end_s / BIN_S), 1) + 1)
    figure, (rates, delays) = plt.subplots(2, 1, figsize=(7.4, 5.2), layout="constrained", sharex=True)

    def mbps(t_ns: np.ndarray, size: np.ndarray | int) -> np.ndarray:
        weights = np.broadcast_to(size, len(t_ns))
        found: np.ndarray = np.histogram(t_ns / 1e9, edges, weights=weights)[0] * 8e-6 / np.diff(edges)
        return found

    came = packets.filter(pl.col("out_ns").is_not_null())
    capacity = mbps(offered - bundle.start_ns, opportunity_bytes(bundle, flow))
    rates.stairs(capacity, edges, fill=True, color=ink(), alpha=0.18, label="capacity")
    rates.stairs(mbps(packets["in_ns"].to_numpy(), packets["bytes"].to_numpy()), edges, baseline=None,
                 color=ORANGE, linestyle="--", label="into the link")
    rates.stairs(mbps(came["out_ns"].to_numpy(), came["bytes"].to_numpy()), edges, baseline=None,
                 color=GREEN, linewidth=1.6, label="out of it")
    rates.set_ylim(bottom=0)
    rates.set_ylabel("Mbit/s of IP")
    delays.plot(came["out_ns"].to_numpy() / 1e9, (came["out_ns"] - came["in_ns"]).to_numpy() / 1e6, ".", markersize=2.5,
                color=GREEN, rasterized=True)
    lost = packets.filter(pl.col("drop").is_not_null())
    delays.plot(lost["in_ns"].to_numpy() / 1e9, np.zeros(len(lost)), "x", color=RED, clip_on=False)
    delays.set_ylim(bottom=0)
    delays.set_xlim(0, end_s)
    delays.set_ylabel("time in the link (ms)")
    delays.set_xlabel("time since the start of the traffic (s)")
    legend_above(figure, 3)
    return figure
