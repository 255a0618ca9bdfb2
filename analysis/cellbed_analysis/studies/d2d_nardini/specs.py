# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of runs whose mode changes: names, titles, captions, and how to draw them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from matplotlib.figure import Figure

from ...metrics.one_lab import one_lab
from ...metrics.over_runs import estimate
from ...metrics.rows import primary_flow
from ...metrics.run import RunAnalysis
from ...radio.events import rows_of
from ...radio.mode_switch import switches
from . import channel_chart, cwnd_chart, throughput_chart
from .switch_window import RULE, switch_window

Spec = tuple[str, str, str, Callable[[], Figure]]

#: The paper's TCPs in the order of its Figure 6, by the names of the scenario's variants.
NAMES = {
    "reno": "Reno",
    "newreno": "NewReno",
    "westwood": "Westwood",
    "westwoodplus": "Westwood+",
    "sack": "SACK",
    "cubic": "Cubic",
}
#: Longer runs repeat what this much of them shows.
CHANNEL_S = 120.0
#: What section IV says of Figure 7.
PAPER_SCENARIO = "d2d-nardini/dynamic"
PAPER_ORDER = (
    ("best", ("SACK", "Cubic")),
    ("about the same", ("Reno", "Westwood", "Westwood+")),
    ("smallest", ("NewReno",)),
)


def specs(runs: Sequence[RunAnalysis]) -> list[Spec]:
    """Figures of every scenario whose runs change modes."""
    ready = [run for run in runs if run.usable and run.row.get("mode_switches") is not None]
    found: list[Spec] = []
    for scenario in sorted({str(run.row["scenario"]) for run in ready}):
        of_scenario = [run for run in ready if run.row["scenario"] == scenario]
        found += _of_scenario(scenario, one_lab(of_scenario, lambda run: run.row["lab"]))
    return found


def name(run: RunAnalysis) -> str:
    """The TCP of a run, as figures call it."""
    variant = str(run.row["variant"])
    base, dash, rest = variant.partition("-")
    return f"{NAMES.get(base, base)}{', ' if dash else ''}{rest}"


def in_order(runs: Sequence[RunAnalysis]) -> dict[str, list[RunAnalysis]]:
    """Runs per TCP, the paper's first and in its order, by seed."""
    known = list(NAMES.values())
    groups: dict[str, list[RunAnalysis]] = {}
    for run in sorted(runs, key=lambda run: int(run.row["seed"])):
        groups.setdefault(name(run), []).append(run)
    return dict(sorted(groups.items(), key=lambda item: (known.index(item[0]) if item[0] in known else 99, item[0])))


def _of_scenario(scenario: str, runs: Sequence[RunAnalysis]) -> list[Spec]:
    groups = in_order(runs)
    suffix = scenario.rsplit("/", 1)[-1]
    found = [*_channel(scenario, suffix, runs[0]), *_cwnd(scenario, suffix, groups)]
    return found + ([_throughput(scenario, suffix, groups)] if len(groups) > 1 else [])


def _channel(scenario: str, suffix: str, run: RunAnalysis) -> list[Spec]:
    bundle, flow = run.bundle, primary_flow(run.bundle)
    trace = bundle.find("channel.trace")
    rows = rows_of(bundle.radio, "channel")
    if trace is None or rows.is_empty():
        return []
    offset_s = (bundle.start_ns - int(rows["t_ns"][0])) / 1e9  # its first record is that of sub-frame 0
    end_s = min((flow.end_ns - bundle.start_ns) / 1e9, CHANNEL_S)
    shown = switches(bundle, flow)
    return [
        (
            f"channel-{suffix}",
            "Distance, SINR, CQI and mode over time",
            f"The links are those of {flow.source} in {scenario}, from channel.trace. Bands and letters show the "
            "mode that its packets took, from radio.trace, and lines mark switches. Time counts from the start of "
            f"the traffic{', of which the first two minutes are shown' if end_s == CHANNEL_S else ''}. Section IV of "
            "the paper has a constant UL CQI of 9, an SL CQI above and below 9, and the mode with the higher CQI "
            "chosen every second.",
            partial(channel_chart.draw, trace, flow.source, offset_s, shown, bundle.start_ns, end_s),
        )
    ]


def _cwnd(scenario: str, suffix: str, groups: dict[str, list[RunAnalysis]]) -> list[Spec]:
    first = {tcp: group[0] for tcp, group in groups.items()}
    found = {tcp: switch_window(run.bundle, primary_flow(run.bundle)) for tcp, run in first.items()}
    panels = {tcp: window for tcp, window in found.items() if window is not None}
    if not panels:
        return []
    times = sorted({f"{window.at_s:.0f}" for window in panels.values()}, key=float)
    seed = next(iter(first.values())).row["seed"]
    return [
        (
            f"fig6-cwnd-{suffix}",
            "Congestion window around a mode switch",
            f"The runs are those of {scenario} with seed {seed}. The switch shown is {RULE}, here at "
            f"{' or '.join(times)} s. The values of cwnd and ssthresh are the kernel's (tcp.trace); the switch and "
            "what it flushed are the radio's (radio.trace). A segment is in flight while the sender has no ACK of "
            "it, so flushed ACKs count too. Figures 6a to 6f of the paper show a switch at about 221 s; its text "
            "tells of duplicate ACKs, and of a timeout after 1 s.",
            partial(cwnd_chart.draw, panels),
        )
    ]


def _throughput(scenario: str, suffix: str, groups: dict[str, list[RunAnalysis]]) -> Spec:
    values = {
        tcp: value
        for tcp, group in groups.items()
        if (value := estimate([run.row for run in group], "goodput_iperf3_mbps")) is not None
    }
    order = PAPER_ORDER if scenario == PAPER_SCENARIO else ()
    if order:
        ranked = [tcp for _, members in order for tcp in members]
        values = {tcp: values[tcp] for tcp in [*ranked, *values] if tcp in values}
    seeds = max(len(group) for group in groups.values())
    means = f"Bars are means over {seeds} seeds with 95 % confidence intervals (Student's t)."
    interval = means if seeds > 1 else "There is one seed."
    return (
        f"fig7-throughput-{suffix}",
        "Application throughput of each TCP",
        f"The runs are those of {scenario}; what counts are the bytes that iperf3's receiver got over the whole run. "
        f"{interval} The axis does not begin at 0. "
        + (
            "Brackets show the order that section IV states of Figure 7, from left to right."
            if order
            else "The paper has no such figure."
        ),
        partial(throughput_chart.draw, values, order),
    )
