# SPDX-License-Identifier: GPL-2.0-or-later
"""Which figures some results allow, with captions, and how they are saved."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import polars as pl
from matplotlib.figure import Figure

from cellbed_formats.bundle import Bundle

from .. import timeline
from ..celledge import belongs as at_cell_edge
from ..claims import paper_beside, series_over
from ..delivery import concerns
from ..delivery_sweep import belongs, studies, sweeps
from ..delivery_utilisation import belongs as of_model
from ..delivery_utilisation import points
from ..explain import parts_ms
from ..flow_table import fairness
from ..metrics.run import RunAnalysis, primary_flow
from ..metrics.share import arrivals
from ..one_lab import one_lab
from . import (
    celledge_specs,
    decomposition,
    delivery_gain,
    delivery_window,
    flow_throughput,
    handover_specs,
    lateness,
    maxdat_specs,
    rtt_cdf,
    rtt_time,
    rtt_window,
    sequence,
    switching_specs,
    utilisation,
)
from .order import brief, by_combination, file_name, label
from .style import THEMES, theme

PNG_DPI = 150
#: Runs whose flows are drawn, and flows of each.
THROUGHPUTS_MAX, FLOWS_MAX = 6, 12
#: Without it the files carry the time of their making and never compare equal.
NO_DATE = {"png": {"Software": None}, "pdf": {"CreationDate": None}}


@dataclass(frozen=True)
class FigureSpec:
    """A figure that can be drawn from the results at hand."""

    name: str
    title: str
    caption: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class SavedFigure:
    """A figure on disk, and its PNG bytes per theme for the report."""

    spec: FigureSpec
    paths: tuple[Path, ...]
    png: dict[str, bytes]


def representatives(runs: Sequence[RunAnalysis]) -> dict[str, RunAnalysis]:
    """One usable run per series: smallest window, virtual lab, lowest seed first.

    Runs that sweep something besides modes and windows count only where there are no others; those of a
    delivery sweep never do: its series would be too many for one figure, and it has figures of its own. Nor do
    those whose modes change, those with handovers, those at a cell's edge, or which have no captures.
    """
    ready = [run for run in runs if run.usable and not (belongs(run.row) or of_model(run.row))]
    ready = [run for run in ready if run.row.get("rtt_mean_ms") and run.row.get("mode_switches") is None]
    ready = [run for run in ready if run.row.get("ho_handovers") is None and not at_cell_edge(run.row)]
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
    specs += _windows(runs)
    specs += _delivery(runs)
    specs += [FigureSpec(*spec) for spec in switching_specs.specs(runs)]
    specs += [FigureSpec(*spec) for spec in maxdat_specs.specs([run.row for run in runs])]
    specs += [FigureSpec(*spec) for spec in handover_specs.specs(runs)]
    specs += [FigureSpec(*spec) for spec in celledge_specs.specs(runs)]
    specs += _throughputs(runs)
    specs += _lateness(runs)
    return specs


def _throughputs(runs: Sequence[RunAnalysis]) -> list[FigureSpec]:
    """Flows that contend for a cell, of the first usable run of each configuration."""
    first: dict[tuple[str, str], RunAnalysis] = {}
    for run in runs:
        if run.usable and any(row.get("jain") is not None for row in run.rows):
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
    return [row["flow"] for row in run.rows if row.get("jain") is not None]


def _left_out(run: RunAnalysis) -> str:
    """What a figure of very many flows does not show."""
    rest = _contending(run)[FLOWS_MAX:]
    return f" Not drawn: {', '.join(rest)}." if rest else ""


def _draw_throughputs(run: RunAnalysis) -> Figure:
    bundle = Bundle(run.bundle.path, run.bundle.manifest)  # its captures are forgotten with it
    wanted = _contending(run)[:FLOWS_MAX]
    flows = {flow.id: arrivals(bundle, flow) for flow in bundle.all_flows if flow.id in wanted}
    return flow_throughput.draw(flows, bundle.start_ns)


def _steady(run: RunAnalysis) -> pl.DataFrame:
    """Segments sent after the warm-up that have an RTT."""
    begin_ns = run.bundle.start_ns + run.row["window_begin_s"] * 1e9
    end_ns = begin_ns + run.row["window_s"] * 1e9
    return run.segments().filter(pl.col("rtt_ns").is_not_null() & pl.col("out_ns").is_between(begin_ns, end_ns))


def _which(chosen: dict[str, RunAnalysis]) -> str:
    run = next(iter(chosen.values()))
    window = run.row.get("receive_window_bytes")
    text = f"{run.row['lab']} lab, seed {run.row['seed']}"
    if run.others:
        text += f", flow {run.row.get('flow')}, the first of {len(run.rows)}"
    return f"{text}, receive window {window / 1024:g} KiB" if window else text


def _rtt_time(chosen: dict[str, RunAnalysis], paper_ms: dict[str, float]) -> FigureSpec:
    data = {name: (run.segments(), run.bundle.start_ns) for name, run in chosen.items()}
    paper = (
        " Figure 3 of the paper shows the RTT of the four combinations over time: level at 30 ms for DM-DM, about "
        "42 ms on average for IM-IM, fluctuating when ACKs go through the infrastructure."
    )
    return FigureSpec(
        "fig3-rtt-over-time",
        "RTT over time",
        "RTT of every data segment (dots) and its mean per second (line), from the sender's "
        f"capture; {_which(chosen)}; warm-up included.{paper if paper_ms else ''}",
        lambda: rtt_time.draw(data, paper_ms),
    )


def _sequences(chosen: dict[str, RunAnalysis], paper_ms: dict[str, float]) -> list[FigureSpec]:
    specs = []
    for name, run in chosen.items():
        segment = timeline.typical(_steady(run))
        if segment is None:
            continue
        flow = primary_flow(run.bundle)
        chart = timeline.sequence_of(flow, segment)
        paper = name == "DM-DM" and name in paper_ms
        caption = (
            f"One segment of {name} whose life nothing else disturbed, rebuilt from radio.trace "
            f"(byte {chart.seq} of the stream, RTT {chart.rtt_ns / 1e6:.2f} ms). Slanted lines "
            "begin when a message is sent and end when it is decoded; a grant ends when used."
        )
        if paper:
            caption += (
                " Figure 4 of the paper: RAC request at 0, BSR at 5, decoded at 9, data at 11, "
                "delivered at 15, ACK delivered at 30 ms (dotted)."
            )
        elif paper_ms:
            caption += " The paper shows this for DM-DM only."
        specs.append(
            FigureSpec(
                f"fig4-sequence-{file_name(name)}",
                f"One segment and its ACK, {name}",
                caption,
                partial(sequence.draw, chart, paper),
            )
        )
    return specs


def _decomposition(chosen: dict[str, RunAnalysis], paper_ms: dict[str, float]) -> FigureSpec:
    data = {name: parts_ms([run.row]) for name, run in chosen.items()}
    return FigureSpec(
        "rtt-decomposition",
        "Where the RTT goes",
        "Mean of each part of the RTT over all segments after the warm-up, in order of time; the "
        f"parts of each segment add up to its RTT exactly; {_which(chosen)}."
        f"{' Not in the paper, which says that RAC and BSR take two thirds of the time.' if paper_ms else ''}",
        lambda: decomposition.draw({name: parts for name, parts in data.items() if parts}, paper_ms),
    )


def _cdf(chosen: dict[str, RunAnalysis], paper_ms: dict[str, float]) -> FigureSpec:
    data = {name: _steady(run)["rtt_ns"].to_numpy() / 1e6 for name, run in chosen.items()}
    return FigureSpec(
        "rtt-cdf",
        "Distribution of the RTT",
        f"Share of segments with at most this RTT, after the warm-up; {_which(chosen)}."
        f"{' Not in the paper.' if paper_ms else ''}",
        lambda: rtt_cdf.draw({name: rtt for name, rtt in data.items() if len(rtt)}),
    )


def _windows(runs: Sequence[RunAnalysis]) -> list[FigureSpec]:
    rows = [run.row for run in runs if run.row["usable"] and run.row.get("rtt_mean_ms") is not None]
    rows = [row for row in rows if not at_cell_edge(row)]
    swept = [row for row in rows if row.get("receive_window_bytes") and not (belongs(row) or of_model(row))]
    scenarios = Counter(scenario for scenario, _ in {(row["scenario"], row["receive_window_bytes"]) for row in swept})
    if not scenarios or scenarios.most_common(1)[0][1] < 3:
        return []
    scenario = scenarios.most_common(1)[0][0]
    of_scenario = one_lab([row for row in swept if row["scenario"] == scenario])
    groups = by_combination(of_scenario)
    data = {name: series_over(group, "rtt_mean_ms", "receive_window_bytes") for name, group in groups.items()}
    return [
        FigureSpec(
            "fig5-rtt-over-window",
            "RTT against the receive window",
            f"Mean RTT per segment ({of_scenario[0]['lab']} lab) with 95 % confidence intervals: Student's t over "
            "seeds, or block bootstrap where there is one seed. Figure 5 of the paper: the RTT "
            "grows with the window; with data in infrastructure mode it falls after a point and "
            "ends below that of direct mode.",
            lambda: rtt_window.draw(data),
        )
    ]


def _delivery(runs: Sequence[RunAnalysis]) -> list[FigureSpec]:
    """The model of in-sequence delivery, where the results are about it."""
    rows = [run.row for run in runs]
    if not concerns(rows):
        return []
    found = sweeps(rows)
    measured = [sweep for sweep in found if not sweep.point and any(cell.gain_percent for cell in sweep.cells)]
    shares = points(rows)
    gains = [
        FigureSpec(
            f"delivery-fig3-gain{'' if index == 0 else f'-{index + 1}'}",
            "Goodput in percent of in-sequence delivery",
            f"{sweep.scenario}, {sweep.lab} lab{', ' + sweep.point if sweep.point else ''}. Bars: mean over seeds "
            "of the ratio of two runs that met the same radio, with 95 % confidence intervals (Student's t). "
            "Diamonds: the percentages the paper states for out-of-sequence delivery (Figure 3).",
            partial(delivery_gain.draw, sweep),
        )
        for index, sweep in enumerate(measured)
    ]
    windows = [
        FigureSpec(
            f"delivery-window{'' if index == 0 else f'-{index + 1}'}",
            "Goodput against what the paper leaves open",
            f"{title}. Mean over seeds with 95 % confidence intervals (Student's t). Dotted: the paper's Table 4, "
            "whose receive window is not known. No value is chosen to meet it.",
            partial(delivery_window.draw, study),
        )
        for index, (title, study) in enumerate(studies(found).items())
    ]
    return [
        *gains,
        *windows,
        FigureSpec(
            "delivery-fig2-utilisation",
            "Throughput utilisation with in-sequence delivery, by the paper's model",
            "Lines: computed from the residual BLERs of the paper's section 3. Marks: the values it prints in "
            "Table 2. Figure 2 of the paper: the shorter the end-to-end RTT and the longer the HARQ RTT of the "
            "downlink, the less of the throughput is left. "
            + (
                "Stars: measured, filled in sequence and empty out of sequence."
                if shares
                else "Nothing is measured here."
            ),
            partial(utilisation.draw, shares),
        ),
    ]


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
            "a trace. This is the error the harness itself adds. Not in the paper, whose time is "
            "simulated.",
            lambda: lateness.draw(data, bound),
        )
    ]


def save(specs: Sequence[FigureSpec], directory: Path) -> list[SavedFigure]:
    """Draw every figure: PNG and PDF files in the light theme, PNG bytes in both."""
    directory.mkdir(parents=True, exist_ok=True)
    for stale in [*directory.glob("*.png"), *directory.glob("*.pdf")]:
        stale.unlink()
    saved = []
    for spec in specs:
        png: dict[str, bytes] = {}
        paths: tuple[Path, ...] = ()
        for name in THEMES:
            with theme(name):
                figure = spec.draw()
                png[name] = _render(figure, "png")
                if name == "light":
                    paths = (directory / f"{spec.name}.png", directory / f"{spec.name}.pdf")
                    paths[0].write_bytes(png[name])
                    paths[1].write_bytes(_render(figure, "pdf"))
                plt.close(figure)
        saved.append(SavedFigure(spec, paths, png))
    return saved


def _render(figure: Figure, kind: str) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=PNG_DPI, metadata=NO_DATE[kind])
    return buffer.getvalue()
