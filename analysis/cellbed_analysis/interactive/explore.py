# SPDX-License-Identifier: GPL-2.0-or-later
"""A sweep as points to look at: every run by what was varied, and means with intervals, for each key metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cellbed_formats.error import DataError
from cellbed_formats.size import parse_size

from ..metrics.flow_table import transfers
from ..metrics.over_runs import estimate
from ..metrics.run import RunAnalysis
from ..metrics.series_name import brief, label
from ..stats.interval import Estimate

Row = dict[str, Any]

#: What a reader asks for first; those that the runs have are offered, in this order.
KEY_METRICS = (
    "goodput_mbps", "goodput_iperf3_mbps", "ip_throughput_mbps", "transfer_kbps", "rtt_mean_ms", "rtt_p50_ms",
    "rtt_p99_ms", "karn_rtt_mean_s", "cwnd_mean_pkts", "completion_time_s", "ip_lost_pct", "lost_transmissions",
    "retransmissions", "tcp_retransmissions", "spurious_retransmits", "fast_retransmits", "rto_count",
    "cwnd_reductions", "rlc_retransmissions", "sdus_discarded_share", "harq_retx_dl_share", "harq_retx_ul_share",
    "mode_switches", "ho_timeout", "ho_halving", "ho_delivered_kb", "radio_delivered_mbps", "radio_lost_pkts",
    "command_s", "flow_share_together", "jain_together", "flow_mbps",
)  # fmt: skip
#: A parameter with fewer values is no axis.
LEAST_POINTS = 3
MOST_SERIES = 12
#: More rows than these are no figure.
MOST_LABELS = 60


@dataclass(frozen=True)
class Point:
    """Runs of one configuration: where it stands, and its estimate per metric."""

    series: str
    x: float | str
    rows: tuple[Row, ...]
    estimates: dict[str, Estimate]


@dataclass(frozen=True)
class Exploration:
    """The runs of one scenario and lab."""

    scenario: str
    lab: str
    axis: str | None  # the parameter that is the abscissa; None: the points are names
    metrics: tuple[str, ...]
    points: tuple[Point, ...]

    @property
    def series(self) -> list[str]:
        """Names of the series, in the order of the points."""
        return list(dict.fromkeys(point.series for point in self.points))


def explorations(runs: Sequence[RunAnalysis]) -> list[Exploration]:
    """One for each scenario and lab with two usable runs or more."""
    usable = [run for run in runs if run.usable]
    groups = dict.fromkeys((str(run.row["scenario"]), str(run.row["lab"])) for run in usable)
    found = []
    for scenario, lab in groups:
        own = [run for run in usable if (run.row["scenario"], run.row["lab"]) == (scenario, lab)]
        made = _of(scenario, lab, own) if len(own) > 1 else None
        if made is not None:
            found.append(made)
    return found


def offered(rows: Sequence[Row]) -> tuple[str, ...]:
    """The key metrics that some of the rows have."""
    return tuple(m for m in KEY_METRICS if any(isinstance(row.get(m), int | float) for row in rows))


def _of(scenario: str, lab: str, runs: Sequence[RunAnalysis]) -> Exploration | None:
    metrics = offered([row for run in runs for row in transfers(run.rows)])
    if not metrics:
        return None
    axis = _axis(runs)
    points = _points(runs, axis, metrics)
    if axis is not None and len({point.series for point in points}) > MOST_SERIES:
        axis, points = None, _points(runs, None, metrics)
    if axis is None and not 1 < len(points) <= MOST_LABELS:
        return None
    return Exploration(scenario, lab, axis, metrics, points)


def number(value: Any) -> float | None:
    """A parameter as a number: also of sizes such as 8KiB."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        return float(value) if isinstance(value, int | float) else float(parse_size(value))
    except (DataError, TypeError, ValueError):
        return None


def _swept(runs: Sequence[RunAnalysis]) -> dict[str, list[Any]]:
    """Parameters that differ between the runs, with their values in order."""
    keys = dict.fromkeys(key for run in runs for key in run.bundle.manifest.get("params", {}))
    values = {key: list(dict.fromkeys(_param(run, key) for run in runs)) for key in keys}
    return {key: found for key, found in values.items() if len(found) > 1}


def _param(run: RunAnalysis, key: str) -> Any:
    value = run.bundle.manifest.get("params", {}).get(key)
    return str(value) if isinstance(value, dict | list) else value


def _axis(runs: Sequence[RunAnalysis]) -> str | None:
    """The numeric parameter with most values."""
    counts = {
        key: len(values) for key, values in _swept(runs).items() if all(number(value) is not None for value in values)
    }
    best = max(counts, key=lambda key: counts[key], default=None)
    return best if best is not None and counts[best] >= LEAST_POINTS else None


def _points(runs: Sequence[RunAnalysis], axis: str | None, metrics: Sequence[str]) -> tuple[Point, ...]:
    groups: dict[tuple[str, float | str], list[Row]] = {}
    besides = _besides(runs, axis)
    several = any(len(transfers(run.rows)) > 1 for run in runs)
    for run in runs:
        for row in transfers(run.rows):
            flow = f", {row['flow']}" if several else ""
            if axis is None:
                key: tuple[str, float | str] = (f"{row['variant']}{flow}", f"{brief(label(row))}{_window(row)}{flow}")
            else:
                key = (f"{_series(run, besides)}{flow}", number(_param(run, axis)) or 0.0)
            groups.setdefault(key, []).append(row)
    order = sorted(groups.items(), key=lambda item: (item[0][0], item[0][1] if axis is not None else 0))
    made = []
    for (series, x), rows in order:
        estimates = {name: value for name in metrics if (value := estimate(rows, name)) is not None}
        made.append(Point(series, x, tuple(rows), estimates))
    return tuple(made)


def _window(row: Row) -> str:
    return f", {row['receive_window_bytes'] / 1024:g} KiB" if row.get("receive_window_bytes") else ""


def _besides(runs: Sequence[RunAnalysis], axis: str | None) -> list[str]:
    """Parameters besides the abscissa that runs of one variant differ in."""
    by_variant: dict[str, list[RunAnalysis]] = {}
    for run in runs:
        by_variant.setdefault(str(run.row["variant"]), []).append(run)
    return sorted({key for own in by_variant.values() for key in _swept(own)} - {axis})


def _series(run: RunAnalysis, besides: Sequence[str]) -> str:
    """What distinguishes a run besides the abscissa: its variant, and what was swept too."""
    rest = [f"{key.rsplit('.', 1)[-1]} {_param(run, key)}" for key in besides]
    return ", ".join([str(run.row["variant"]), *rest])
