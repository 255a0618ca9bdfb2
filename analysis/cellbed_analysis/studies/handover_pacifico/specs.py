# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of handovers: Figures 8 to 12, Table IV and the measured Figure 4 of Pacifico et al."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from matplotlib.figure import Figure

from ...metrics.rows import primary_flow
from ...metrics.run import RunAnalysis
from ...stats.interval import Estimate
from . import bar_chart, model_chart, pacifico, time_chart
from . import handover as model
from .handover_window import HandoverWindow, handover_window
from .sweep import Group, case_shares, groups
from .words import queue_of

Spec = tuple[str, str, str, Callable[[], Figure]]

CASE_WORDS = {"timeout": "timeout", "halving": "window halving", "nothing": "nothing"}
#: Rows of Table IV by queue management.
TABLE4 = {"none": "drop-tail", "red": "red-dropping", "red_ecn": "red-marking"}
#: The scenario whose cells and MEs are those of Table III.
TABLE4_SCENARIO = "handover-pacifico/aqm"
#: Readings of Figure 12: name, where the span begins, and metric; where it ends is the rest of the metric's name.
DELIVERED = (
    ("delivered", "the source's decision", "ho_delivered"),
    ("delivered-switch", "the path switch, where that comes before the decision", "ho_delivered_switch"),
)
CELLS = {"source cell": "_kb", "target cell": "_target_kb"}
#: More panels than these are no figure.
MOST_PANELS = 6


def specs(runs: Sequence[RunAnalysis]) -> list[Spec]:
    """Figures of every scenario with handovers."""
    ready = [run for run in runs if run.usable and run.row.get("ho_handovers") is not None]
    found: list[Spec] = []
    for scenario in sorted({str(run.row["scenario"]) for run in ready}):
        of_scenario = [run for run in ready if run.row["scenario"] == scenario]
        by_label = groups([run.row for run in of_scenario])
        suffix = scenario.rsplit("/", 1)[-1]
        found += _cases(scenario, suffix, by_label) + _windows(scenario, suffix, by_label, of_scenario)
        found += _delivered(scenario, suffix, by_label) + _drops(scenario, suffix, by_label)
        found += _model(scenario, suffix, by_label)
    return found + ([_figure4()] if found else [])


def _seeds(by_label: Sequence[Group]) -> str:
    most = max(group.runs for group in by_label)
    return f"{most} seeds" if most > 1 else "one seed"


def _mes(mes: int) -> str:
    return f"{mes} MEs"


def _cases(scenario: str, suffix: str, by_label: Sequence[Group]) -> list[Spec]:
    if max(group.runs for group in by_label) < 2:
        return []
    panels = {}
    for group in by_label[:MOST_PANELS]:
        shares = case_shares(group)
        panels[group.label] = {
            words: {_mes(mes): of_case[case] for mes, of_case in shares.items()} for case, words in CASE_WORDS.items()
        }
    return [
        (
            f"fig8-cases-{suffix}",
            "What a handover does to TCP",
            f"Bars show for how large a share of the handovers of {scenario} the timer expired, the window was only "
            "halved, or neither happened, by the number of MEs in the target cell, with Wilson's 95 % intervals. "
            f"Each bar is made of {_seeds(by_label)}. Figure 8 of the paper has the standard procedure, Figure 11 "
            "the prediction. Its bars are lost; what the text says of them is in the claims.",
            partial(bar_chart.draw, panels, "share of handovers (%)", 108.0, 100.0),
        )
    ]


def _windows(scenario: str, suffix: str, by_label: Sequence[Group], runs: Sequence[RunAnalysis]) -> list[Spec]:
    panels: dict[str, HandoverWindow] = {}
    shown = set()
    for group in by_label[:MOST_PANELS]:
        mes = max(group.by_mes)
        row = min(group.by_mes[mes], key=lambda row: row["seed"])
        run = next(run for run in runs if run.row["bundle"] == row["bundle"])
        window = handover_window(run.bundle, primary_flow(run.bundle))
        if window is not None:
            panels[group.label] = window
            shown.add((row["seed"], mes))
    if not panels:
        return []
    which = f"{scenario} with seed {' or '.join(sorted({str(seed) for seed, _ in shown}))} and " + " or ".join(
        sorted({_mes(mes) for _, mes in shown})
    )
    found: list[Spec] = [
        (
            f"fig9-cwnd-{suffix}",
            "Congestion window around a handover",
            f"The runs are those of {which} in the target cell, and time counts from the start of the traffic. The "
            "values of cwnd and ssthresh are the kernel's (tcp.trace), the handover is the radio's (radio.trace). "
            "Figure 9 of the paper shows a timeout with the standard procedure (a), a fast path switch that avoids "
            "it only partially (b), and only a window halving with a prediction (c).",
            partial(time_chart.draw_cwnd, panels, float(pacifico.FIGURE9_CWND_PKTS[1])),
        )
    ]
    if any(len(window.sent_s) for window in panels.values()):
        found.append(
            (
                f"fig10-rtt-{suffix}",
                "RTT of every packet around a handover",
                f"The runs are those of {which} in the target cell. The RTT is taken from the captures at both ends, "
                "from the sending of a packet to the arrival of what the receiver answers to it. Figure 10 of the "
                "paper has the RTT of the received packets on an axis up to 0.2 s.",
                partial(time_chart.draw_rtt, panels, pacifico.FIGURE10_RTT_S[1]),
            )
        )
    return found


def _by_mes(group: Group, metric: str) -> dict[str, Estimate]:
    return {_mes(mes): value for mes, value in group.estimates(metric).items()}


def _delivered(scenario: str, suffix: str, by_label: Sequence[Group]) -> list[Spec]:
    found: list[Spec] = []
    early = any((row.get("ho_path_switch_ms") or 0) < 0 for group in by_label for row in group.rows)
    for name, begin, metric in DELIVERED if early else DELIVERED[:1]:
        panels = {f"to an RTT of the {cell}": _bars(by_label, f"{metric}{end}") for cell, end in CELLS.items()}
        panels = {title: bars for title, bars in panels.items() if len(bars) > 1}
        if not panels or len({mes for bars in panels.values() for values in bars.values() for mes in values}) < 2:
            continue
        found.append(
            (
                f"fig12-{name}-{suffix}",
                f"Data delivered during a handover, from {begin}",
                f"Bars show the new data that reached the ME in {scenario} from {begin} until one RTT after its "
                "arrival in the target cell, in kB of 1000 bytes: the kernel's RTT at the start, which is one of the "
                "source cell, or the median of packets received in the second after the arrival. They are means over "
                f"{_seeds(by_label)} with 95 % intervals (Student's t). Figure 12 of the paper has an axis up to 700 "
                "KB, more than the link to the target carries in that time; its bars are lost. The paper says neither "
                "which RTT it is, nor whether a handover that is predicted starts with the prediction.",
                partial(bar_chart.draw, panels, "data delivered (kB)"),
            )
        )
    return found


def _bars(by_label: Sequence[Group], metric: str) -> dict[str, dict[str, Estimate]]:
    """Of each group that has the metric, by the number of MEs."""
    bars = {group.label.replace(", ", ",\n"): _by_mes(group, metric) for group in by_label}
    return {label: values for label, values in bars.items() if values}


def _drops(scenario: str, suffix: str, by_label: Sequence[Group]) -> list[Spec]:
    queues = {group.label: queue_of(group.rows[0]) for group in by_label}
    if set(queues.values()) <= {"none"}:
        return []
    bars: dict[str, dict[str, Estimate]] = {}
    paper: dict[str, Mapping[str, float]] = {}
    ends = {"source": "router to source eNB", "target": "router to target eNB"}
    for group in by_label:
        whole = Group(group.label, {max(group.by_mes): group.by_mes[max(group.by_mes)]})
        values = {words: whole.estimates(f"ho_drop_{side}_percent") for side, words in ends.items()}
        label = group.label.replace(", ", ",\n")
        bars[label] = {words: next(iter(found.values())) for words, found in values.items() if found}
        if scenario == TABLE4_SCENARIO:
            paper[label] = dict(zip(ends.values(), pacifico.TABLE4_PERCENT[TABLE4[queues[group.label]]], strict=True))
    return [
        (
            f"table4-drops-{suffix}",
            "Packets that the router drops in front of the cells",
            f"Bars show which share of the packets that came to the queue in {scenario} a full queue or RED dropped "
            f"in the whole run. They are means over {_seeds(by_label)} with 95 % intervals (Student's t). "
            + ("Diamonds show Table IV of the paper." if paper else "Of each group those with the most MEs are shown."),
            partial(bar_chart.draw, {"": bars}, "packets dropped (%)", None, 1.0, 2, paper),
        )
    ]


def _model(scenario: str, suffix: str, by_label: Sequence[Group]) -> list[Spec]:
    """Equations 1 to 3 with measured probabilities and windows, where there are runs enough for probabilities."""
    if max(group.runs for group in by_label) < 2:
        return []
    bars = {group.label.replace(", ", ",\n"): _by_mes(group, "ho_model_share") for group in by_label}
    bars = {label: values for label, values in bars.items() if values}
    if not bars:
        return []
    top = float(pacifico.CWND_MAX_PKTS)
    equal = {
        place: 100 * sum(float(model.normalised(case, top, at)) for case in ("ideal", "halving", "timeout")) / 3
        for place, at in (("cwnd_max", top), ("the middle", float(model.middle_pkts(top))))
    }
    return [
        (
            f"fig4-measured-{suffix}",
            "Normalised throughput by the paper's equations, with measured probabilities",
            "Bars are what equations 1 to 3 give for the case and the cwnd of each handover, as means over "
            f"{_seeds(by_label)} of {scenario} with 95 % intervals (Student's t). The paper's Figure 4 sets the "
            f"three probabilities equal. With cwnd_max = {top:.0f} that gives {equal['cwnd_max']:.0f} % for a "
            f"handover at cwnd_max and {equal['the middle']:.0f} % for one in the middle. The waiting for the timer, "
            "a second or more, is in none of the equations.",
            partial(bar_chart.draw, {"": bars}, "normalised throughput (%)", 112.0, 100.0),
        )
    ]


def _figure4() -> Spec:
    return (
        "fig4-model",
        "Normalised throughput by the paper's equations, with equal probabilities",
        "This is Figure 4 of the paper, computed from equations 1 to 5. Dotted lines count windows up to the end of "
        "the interval only, where equation 3 does not stop. Nothing is measured here.",
        model_chart.draw,
    )
