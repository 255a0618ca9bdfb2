# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of runs at the edge of a cell: Figures 2 and 4 to 7 of Li et al, and what they do not specify."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from cellbed_channel.cell_edge import CellEdgeParameters
from cellbed_channel.figure import draw_map

from ...metrics.run import TIMED, RunAnalysis
from . import line_chart, rtt_chart
from .edge import DISTANCE, INTERFERENCE, TRANSPORT, belongs
from .sweep import Edge, Study, edges, studies, sweeps

Spec = tuple[str, str, str, Callable[[], Figure]]

THROUGHPUT, LOST, CWND = "throughput (Mbit/s)", "packets lost", "median cwnd (packets)"
#: What is drawn of studies: label -> (metric, width).
STUDIED = {"throughput (Mbit/s)": ("ip_throughput_mbps", 3.0), "median RTT (ms)": ("rtt_p50_ms", 2.0),
           "lost (%)": ("ip_lost_pct", 2.0)}
TITLES = {
    "headers": "What grants without room for headers cost",
    "unstated-dtx": "What the paper does not specify: a block whose assignment was missed",
    "unstated-rate": "What the paper does not specify: the rate of UDP",
    "unstated-threshold": "What the paper does not specify: retransmissions up to a radio link failure",
    "unstated-window": "What the paper does not specify: TCP's receive window",
}
EDGE = "param.radio.channel.cell_edge."
COUNTED = (
    "Throughput is that of the IP layer after the warm-up. Lost packets are those of the whole flow that the capture "
    "at the UE does not have; for UDP they include those that found RLC's queue full."
)


def specs(runs: Sequence[RunAnalysis]) -> list[Spec]:
    """Figures that these runs allow."""
    ready = [run for run in runs if run.usable and belongs(run.row)]
    found = edges([run.row for run in ready])
    made: list[Spec] = [_map(found)] if found else []
    for edge in sweeps(found):
        made += _lines(edge) + _rtt(edge, ready) if edge.of_paper else [_today(edge)]
    return made + [spec for study in studies(found) for spec in _study(study)]


def _map(found: Sequence[Edge]) -> Spec:
    """The radio environment of some run."""
    row: Mapping[str, Any] = found[0].rows[0]
    paper = " Figure 2 of the paper shows the same for LENA's control channel."
    names = CellEdgeParameters.__dataclass_fields__
    parameters = CellEdgeParameters(**{name: row[f"{EDGE}{name}"] for name in names if f"{EDGE}{name}" in row})
    return (
        "celledge-fig2-map",
        "Radio environment",
        "The map shows the SINR of the strongest cell at every place when all cells send. It follows from path "
        "loss, antennas and noise of the channel's model, without shadowing and fading. Squares mark the boxes in "
        "which the UE moves." + (paper if any(edge.of_study for edge in found) else ""),
        partial(_themed_map, parameters, int(row["param.radio.n_rb"])),
    )


def _themed_map(parameters: CellEdgeParameters, n_rb: int) -> Figure:
    figure = draw_map(parameters, n_rb)
    legend = figure.axes[0].get_legend()
    if legend is not None:
        legend.set_frame_on(True)
    return figure


def _lines(edge: Edge) -> list[Spec]:
    made: list[Spec] = []
    data = edge.of(control=False)
    panels = {THROUGHPUT: data.series("ip_throughput_mbps"), LOST: data.series("ip_lost_pkts")}
    if panels[THROUGHPUT]:
        made.append((
            f"celledge-fig4-throughput-{edge.suffix}",
            "Throughput and lost packets against the distance, without errors of the control channels",
            f"The runs are those of {edge.scenario}. {COUNTED} In Figure 4 of the paper the throughput of both falls "
            "from 40 m to 300 m. UDP has at most about 0.5 Mbit/s more than TCP in UM and 1 Mbit/s in AM, and it "
            "loses half as much in AM as in UM.",
            partial(line_chart.draw, panels, (LOST,)),
        ))  # fmt: skip
    control = edge.of(control=True)
    panels = {THROUGHPUT: control.series("ip_throughput_mbps"),
              "assignments missed": control.series("control_missed_ttis")}
    if panels[THROUGHPUT]:
        made.append((
            f"celledge-fig5-control-{edge.suffix}",
            "Throughput against the distance, with errors of the control channels",
            f"The runs are those of {edge.scenario}. The lower panel shows the downlink assignments that the UE "
            "missed in the whole run; where little is sent, few can be missed. Figure 5 of the paper has TCP in UM "
            "and AM, and UDP in UM: TCP falls most in UM, stays just below UDP in AM, and all three are low above "
            "200 m.",
            partial(line_chart.draw, panels, ("assignments missed",)),
        ))  # fmt: skip
    windows = edge.of(transport="tcp").series("cwnd_change_p50_pkts")
    if windows:
        made.append((
            f"celledge-fig6-cwnd-{edge.suffix}",
            "Median congestion window against the distance",
            f"The runs are those of {edge.scenario}. Each point is the median of all values that cwnd changed to "
            "during the whole flow, from tcp.trace. Linux lets cwnd grow only while it limits the sender, so a "
            "receive window of 128 KiB, which is 128 packets, bounds it. In Figure 6 of the paper the median falls "
            "with the distance, and it is low in UM with errors of the control channels.",
            partial(line_chart.draw, {CWND: windows}),
        ))  # fmt: skip
    return made


def _today(edge: Edge) -> Spec:
    panels = {THROUGHPUT: edge.series("ip_throughput_mbps"), "median RTT (ms)": edge.series("rtt_p50_ms"),
              LOST: edge.series("ip_lost_pkts")}
    title, not_in_paper = "Transport protocols at the edge of a cell", ""
    if edge.of_study:
        title, not_in_paper = "Today's transport protocols at the edge of a cell", ", which is not in the paper"
    return (
        f"celledge-{edge.suffix}",
        title,
        f"The runs are those of {edge.scenario}{not_in_paper}. {COUNTED}",
        partial(line_chart.draw, {label: lines for label, lines in panels.items() if lines}, (LOST,)),
    )


def _rtt(edge: Edge, runs: Sequence[RunAnalysis]) -> list[Spec]:
    """Distributions in UM, of AM at the least distance, and of the runs without interference."""
    runs = [run for run in runs if run.row.get("rtt_p50_ms") is not None]
    of_scenario = [run for run in runs if run.row in edge.of(transport="tcp", control=False).rows]
    seed = min((run.row["seed"] for run in of_scenario), default=None)
    chosen = sorted((run for run in of_scenario if run.row["seed"] == seed), key=lambda run: float(run.row[DISTANCE]))
    um = {float(run.row[DISTANCE]): run for run in chosen if run.row["variant"] == "TCP-UM"}
    if not um:
        return []
    nearest = min(um)
    others = {f"AM, {nearest:g} m": (run, "-") for run in chosen
              if run.row["variant"] == "TCP-AM" and run.row[DISTANCE] == nearest}
    others |= {f"no interference, {run.row[DISTANCE]:g} m": (run, "--") for run in runs
               if run.row.get(INTERFERENCE) is False and run.row[TRANSPORT] == "tcp"}
    return [(
        f"celledge-fig7-rtt-{edge.suffix}",
        "Distribution of the RTT, without errors of the control channels",
        "The curves show which share of the segments had at most this RTT, from the captures after the warm-up of "
        f"{edge.scenario} with seed {seed}. In Figure 7 of the paper the RTT is the longer the further away the UE "
        "is, the shortest without interference, and slightly longer in AM than in UM.",
        partial(_draw_rtt, um, others),
    )]  # fmt: skip


def _draw_rtt(um: Mapping[float, RunAnalysis], others: Mapping[str, tuple[RunAnalysis, str]]) -> Figure:
    by_distance = {distance: rtt_ms for distance, run in um.items() if len(rtt_ms := _rtt_ms(run))}
    return rtt_chart.draw(by_distance, {name: (rtt_ms, line) for name, (run, line) in others.items()
                                           if len(rtt_ms := _rtt_ms(run))})


def _rtt_ms(run: RunAnalysis) -> np.ndarray:
    """RTTs of segments sent after the warm-up."""
    start_ns = run.bundle.start_ns + run.row["window_start_s"] * 1e9
    inside = pl.col("out_ns").is_between(start_ns, start_ns + run.row["window_s"] * 1e9)
    return run.segments(columns=TIMED).filter(pl.col("rtt_ns").is_not_null() & inside)["rtt_ns"].to_numpy() / 1e6


def _study(study: Study) -> list[Spec]:
    pairs = study.pairs
    metrics = {label: (metric, share) for label, (metric, share) in STUDIED.items()
               if any(pair.base.get(metric) is not None and pair.other.get(metric) is not None for pair in pairs)}
    title = TITLES.get(study.edge.suffix, f"{study.edge.scenario} beside {study.base.scenario}")
    return [(
        f"celledge-study-{study.edge.suffix}",
        title,
        f"Runs of {study.edge.scenario} stand beside those of {study.base.scenario} (circles), which have the same "
        "configurations, seed and channel and differ in one setting. No value is chosen to meet the paper's.",
        partial(line_chart.draw_pairs, pairs, metrics, study.base.scenario),
    )]  # fmt: skip
