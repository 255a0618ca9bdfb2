# SPDX-License-Identifier: GPL-2.0-or-later
"""Which figures some results allow, with captions: those of any runs, and those of studies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl
from matplotlib.figure import Figure

from ..claims.claim import paper_beside
from ..claims.explain import parts_ms
from ..metrics.flow_table import fairness
from ..metrics.one_lab import one_lab
from ..metrics.over_runs import estimate, series_over
from ..metrics.rows import primary_flow
from ..metrics.run import TIMED, RunAnalysis
from ..metrics.series_name import brief, by_combination, file_name, label
from ..metrics.share import arrivals
from ..radio.grid import grid_of
from ..study import Remark, studies
from ..tcp import timeline
from . import decomposition, flow_throughput, lateness, rtt_cdf, rtt_goodput, rtt_time, rtt_window, sequence
from .figure import FigureSpec

#: So many series can be told apart in one figure.
SERIES_MAX = 12
#: Runs whose flows are drawn, and flows of each.
THROUGHPUTS_MAX, FLOWS_MAX = 6, 12


def representatives(runs: Sequence[RunAnalysis]) -> dict[str, RunAnalysis]:
    """One usable run per series: smallest window, virtual lab, lowest seed first.

    Runs that sweep something besides modes and windows count only where there are no others. Those never do whose
    modes change, which have handovers, or no captures, or which a study draws alone.
    """
    ready = [run for run in runs if run.usable and not drawn_alone(run.row)]
    ready = [run for run in ready if run.row.get("rtt_mean_ms") and run.row.get("mode_switches") is None]
    ready = [run for run in ready if run.row.get("ho_handovers") is None]
    ready = [run for run in ready if not run.row["point"]] or ready
    ready.sort(
        key=lambda run: (
            run.row.get("receive_window_bytes") or 0,
            run.row["lab"] != "virtual",
            run.row["seed"],
        )
    )
    names = by_combination([run.row for run in ready])
    return {name: next(run for run in ready if label(run.row) == name) for name in names}


def drawn_alone(row: dict[str, Any]) -> bool:
    """Whether a study has figures of its own for a run."""
    return any(study.draws_alone(row) for study in studies())


def _remark(figure: str, paper_ms: Mapping[str, float]) -> Remark:
    """What papers say of a figure, after a space."""
    said = [remark for study in studies() if (remark := study.remark(figure, paper_ms)) is not None]
    return Remark("".join(f" {remark.caption}" for remark in said), tuple(ms for one in said for ms in one.points_ms))


def available(runs: Sequence[RunAnalysis], claims: Sequence[dict[str, Any]] = ()) -> list[FigureSpec]:
    """Figures that these runs allow, in the order of the report.

    Args:
        runs: all runs.
        claims: the paper's claims, for its values beside the measured ones.
    """
    chosen = representatives(runs)
    paper_ms = {
        name: value
        for name, run in chosen.items()
        if (value := paper_beside(claims, run.row, "rtt_mean_ms")) is not None
    }
    specs: list[FigureSpec] = []
    if chosen:
        specs += [_rtt_time(chosen, paper_ms), *_sequences(chosen, paper_ms)]
        specs += [_decomposition(chosen, paper_ms), _cdf(chosen, paper_ms)]
    specs += _windows(runs) + _trade_offs(runs)
    specs += [FigureSpec(*spec) for study in studies() for spec in study.figures(runs)]
    specs += _throughputs(runs)
    specs += _lateness(runs)
    return specs


def _throughputs(runs: Sequence[RunAnalysis]) -> list[FigureSpec]:
    """Flows that contend for a cell, of the first usable run of each configuration."""
    first: dict[tuple[str, str], RunAnalysis] = {}
    for run in runs:
        if run.usable and _contending(run):
            first.setdefault((run.row["scenario"], label(run.row)), run)
    return [
        FigureSpec(
            f"flow-throughput{'' if place == 0 else f'-{place + 1}'}",
            f"Throughput of all flows, {scenario} {brief(name)}",
            f"Payload that came, by flow, over time; {run.row['lab']} lab, seed {run.row['seed']}. "
            + " ".join(f"{line}." for line in fairness(run.rows)) + _left_out(run),
            partial(_draw_throughputs, run),
        )
        for place, ((scenario, name), run) in enumerate(list(first.items())[:THROUGHPUTS_MAX])
    ]


def _contending(run: RunAnalysis) -> list[str]:
    """Flows of which it is known when their data came."""
    return [row["flow"] for row in run.rows if row.get("jain") is not None and row.get("flow_mbps") is not None]


def _left_out(run: RunAnalysis) -> str:
    """What a figure of very many flows does not show."""
    rest = _contending(run)[FLOWS_MAX:]
    return f" Not drawn: {', '.join(rest)}." if rest else ""


def _draw_throughputs(run: RunAnalysis) -> Figure:
    bundle = run.bundle.lent()
    wanted = _contending(run)[:FLOWS_MAX]
    flows = {flow.id: arrivals(bundle, flow) for flow in bundle.all_flows if flow.id in wanted}
    return flow_throughput.draw(flows, bundle.start_ns)


def _steady(run: RunAnalysis, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Segments sent after the warm-up that have an RTT."""
    start_ns = run.bundle.start_ns + run.row["window_start_s"] * 1e9
    end_ns = start_ns + run.row["window_s"] * 1e9
    segments = run.segments(columns=columns)
    return segments.filter(pl.col("rtt_ns").is_not_null() & pl.col("out_ns").is_between(start_ns, end_ns))


def _which(chosen: dict[str, RunAnalysis]) -> str:
    run = next(iter(chosen.values()))
    window = run.row.get("receive_window_bytes")
    text = f"{run.row['lab']} lab, seed {run.row['seed']}"
    if run.others:
        text += f", flow {run.row.get('flow')}, the first of {len(run.rows)}"
    return f"{text}, receive window {window / 1024:g} KiB" if window else text


def _rtt_time(chosen: dict[str, RunAnalysis], paper_ms: dict[str, float]) -> FigureSpec:
    data = {name: (run.segments(columns=TIMED), run.bundle.start_ns) for name, run in chosen.items()}
    return FigureSpec(
        "rtt-over-time",
        "RTT over time",
        "RTT of every data segment (dots) and its mean per second (line), from the sender's "
        f"capture; {_which(chosen)}; warm-up included.{_remark('rtt-over-time', paper_ms).caption}",
        lambda: rtt_time.draw(data, paper_ms),
    )


def _sequences(chosen: dict[str, RunAnalysis], paper_ms: dict[str, float]) -> list[FigureSpec]:
    specs = []
    for name, run in chosen.items():
        segment = timeline.typical(_steady(run))
        if segment is None:
            continue
        flow = primary_flow(run.bundle)
        chart = timeline.sequence_of(flow, segment, grid_of(run.bundle).nr)
        figure = f"sequence-{file_name(name)}"
        remark = _remark(figure, paper_ms)
        caption = (
            f"One segment of {name} whose life nothing else disturbed, rebuilt from radio.trace "
            f"(byte {chart.seq} of the stream, RTT {chart.rtt_ns / 1e6:.2f} ms). Slanted lines "
            f"begin when a message is sent and end when it is decoded; a grant ends when used.{remark.caption}"
        )
        title = f"One segment and its ACK, {name}"
        specs.append(FigureSpec(figure, title, caption, partial(sequence.draw, chart, remark.points_ms)))
    return specs


def _decomposition(chosen: dict[str, RunAnalysis], paper_ms: dict[str, float]) -> FigureSpec:
    data = {name: parts_ms([run.row]) for name, run in chosen.items()}
    return FigureSpec(
        "rtt-decomposition",
        "Where the RTT goes",
        "Mean of each part of the RTT over all segments after the warm-up, in order of time; the "
        f"parts of each segment add up to its RTT exactly; {_which(chosen)}."
        f"{_remark('rtt-decomposition', paper_ms).caption}",
        lambda: decomposition.draw({name: parts for name, parts in data.items() if parts}, paper_ms),
    )


def _cdf(chosen: dict[str, RunAnalysis], paper_ms: dict[str, float]) -> FigureSpec:
    data = {name: _steady(run, TIMED)["rtt_ns"].to_numpy() / 1e6 for name, run in chosen.items()}
    return FigureSpec(
        "rtt-cdf",
        "Distribution of the RTT",
        f"Share of segments with at most this RTT, after the warm-up; {_which(chosen)}."
        f"{_remark('rtt-cdf', paper_ms).caption}",
        lambda: rtt_cdf.draw({name: rtt for name, rtt in data.items() if len(rtt)}),
    )


def _windows(runs: Sequence[RunAnalysis]) -> list[FigureSpec]:
    rows = [run.row for run in runs if run.row["usable"] and run.row.get("rtt_mean_ms") is not None]
    swept = [row for row in rows if row.get("receive_window_bytes") and not drawn_alone(row)]
    scenarios = Counter(scenario for scenario, _ in {(row["scenario"], row["receive_window_bytes"]) for row in swept})
    if not scenarios or scenarios.most_common(1)[0][1] < 3:
        return []
    scenario = scenarios.most_common(1)[0][0]
    of_scenario = one_lab([row for row in swept if row["scenario"] == scenario])
    groups = by_combination(of_scenario)
    data = {name: series_over(group, "rtt_mean_ms", "receive_window_bytes") for name, group in groups.items()}
    return [
        FigureSpec(
            "rtt-over-window",
            "RTT against the receive window",
            f"Mean RTT per segment ({of_scenario[0]['lab']} lab) with 95 % confidence intervals: Student's t over "
            f"seeds, or block bootstrap where there is one seed.{_remark('rtt-over-window', {}).caption}",
            lambda: rtt_window.draw(data),
        )
    ]


def _trade_offs(runs: Sequence[RunAnalysis]) -> list[FigureSpec]:
    """Goodput against RTT, for each scenario with several series; not where a study draws it, or where windows vary."""
    rows = [run.row for run in runs if run.usable and not drawn_alone(run.row)]
    found = []
    for scenario in sorted({str(row["scenario"]) for row in rows}):
        own = one_lab([row for row in rows if row["scenario"] == scenario])
        known = {brief(name): (estimate(group, "rtt_mean_ms"), estimate(group, "goodput_mbps"))
                 for name, group in by_combination(own).items()}  # fmt: skip
        series = {name: (rtt, rate) for name, (rtt, rate) in known.items() if rtt is not None and rate is not None}
        windows = {row.get("receive_window_bytes") for row in own}
        if 1 < len(series) <= SERIES_MAX and len(windows) == 1:
            found.append(FigureSpec(
                f"rtt-goodput-{file_name(scenario.rsplit('/', 1)[-1])}",
                f"Goodput against RTT, {scenario}",
                "What each series got, and the delay that it paid for it: up and to the left is better; "
                f"{own[0]['lab']} lab. Means with 95 % confidence intervals: Student's t over seeds, or block "
                "bootstrap where there is one seed.",
                partial(rtt_goodput.draw, series),
            ))  # fmt: skip
    return found


def _lateness(runs: Sequence[RunAnalysis]) -> list[FigureSpec]:
    """Histogram per lab over all complete runs, invalid ones too: it is about validity."""
    labs: dict[str, Counter[float]] = {}
    bound = None
    for run in runs:
        if not run.readable:
            continue
        buckets = run.bundle.radio_stats.get("lateness", {}).get("histogram", [])
        counts = labs.setdefault(run.row["lab"], Counter())
        for upper_us, count in buckets:
            counts[float(upper_us)] += count
        bound = run.bundle.settings.get("validity", {}).get("lateness_p99_us", bound)
    data = {lab: sorted(counts.items()) for lab, counts in labs.items() if counts.total()}
    if not data:
        return []
    return [
        FigureSpec(
            "lateness",
            "Lateness of the emulation",
            "How long after its scheduled time the radio daemon woke up, over all runs that have "
            f"a trace. This is the error the harness itself adds.{_remark('lateness', {}).caption}",
            lambda: lateness.draw(data, bound),
        )
    ]


