# SPDX-License-Identifier: GPL-2.0-or-later
"""A walk at millimetre waves over time: how good the downlink is, what arrives, and how long it took."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cellbed_formats.flow import Flow

from ...figures.figure import FigureSpec
from ...figures.style import STYLES
from ...metrics.rows import primary_flow
from ...metrics.run import RunAnalysis
from ...metrics.series_name import brief, label
from .metrics import Passage, passage_of

#: Runs that are drawn, and over what time arrivals are summed.
RUNS_MAX, BIN_S = 4, 0.1
COLOURS = [colour for colour, *_ in STYLES]


def specs(runs: Sequence[RunAnalysis]) -> list[FigureSpec]:
    """A figure for each scenario with stalls: the usable runs of one seed, one of each series."""
    by_scenario: dict[str, dict[str, RunAnalysis]] = {}
    for run in runs:
        if run.usable and run.row.get("stall_count"):
            of = by_scenario.setdefault(str(run.row["scenario"]), {})
            if all(other.row["seed"] == run.row["seed"] for other in of.values()):
                of.setdefault(label(run.row), run)
    return [
        FigureSpec(
            f"stalls-{scenario.rsplit('/', 1)[-1]}",
            f"Stalls behind corners and people, {scenario}",
            f"Seed {next(iter(series.values())).row['seed']}. Above: SINR of the downlink, shaded where it is out of "
            f"range; the middle: what arrives, means of {BIN_S * 1000:g} ms; below: time of each packet through the "
            "radio.",
            partial(draw, dict(list(series.items())[:RUNS_MAX])),
        )
        for scenario, series in sorted(by_scenario.items())
    ]


def draw(series: dict[str, RunAnalysis]) -> Figure:
    """Draw three panels over one time."""
    figure, (channel, rate, wait) = plt.subplots(3, 1, figsize=(7.4, 6.2), layout="constrained", sharex=True)
    for i, ((name, run), colour) in enumerate(zip(series.items(), COLOURS, strict=False)):
        bundle = run.bundle.lent()
        flow = primary_flow(bundle)
        passage = passage_of(bundle, flow)
        if not i:
            _channel(channel, passage, flow)
        start_ns, seconds = flow.start_ns, (flow.end_ns - flow.start_ns) / 1e9
        out_s = (passage.out_ns - start_ns) / 1e9
        bits, edges = np.histogram(out_s, np.arange(0, seconds + BIN_S, BIN_S), weights=passage.size_bytes * 8.0)
        rate.stairs(bits / BIN_S / 1e6, edges, color=colour, label=brief(name))
        wait.plot(out_s, passage.wait_ns / 1e6, ".", markersize=1.5, color=colour, rasterized=True)
    channel.set_ylabel("SINR (dB)")
    rate.set_ylabel("arrives (Mbit/s)")
    wait.set_ylabel("through the radio (ms)")
    wait.set_xlabel("time of the flow (s)")
    figure.legend(*rate.get_legend_handles_labels(), loc="outside upper center", ncols=RUNS_MAX, fontsize=8.5)
    return figure


def _channel(axes: Axes, passage: Passage, flow: Flow) -> None:
    """SINR in steps, and where the CQI is 0."""
    times_s = (np.append(passage.changed_ns, flow.end_ns) - flow.start_ns) / 1e9
    axes.step(times_s[:-1], passage.sinr_cdb / 100, where="post", color="0.4", linewidth=0.8)
    for i in np.flatnonzero(passage.cqi == 0):
        axes.axvspan(times_s[i], times_s[i + 1], color="#D55E00", alpha=0.25, linewidth=0)
    axes.set_xlim(0, (flow.end_ns - flow.start_ns) / 1e9)
