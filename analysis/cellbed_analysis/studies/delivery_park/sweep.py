# SPDX-License-Identifier: GPL-2.0-or-later
"""In-sequence against out-of-sequence delivery, measured: Table 4 and Figure 3 beside the paper's.

The runs are those of a sweep whose variants are named `<congestion control>-<order>`
and whose grid varies the loss rate of RLC PDUs after HARQ. Runs of one seed met the
same radio, so gains are taken seed by seed and averaged then.

Source: Park 2013 section 4, Table 4 and Figure 3
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...metrics.over_runs import estimate
from ...metrics.series_name import natural
from ...report.words import window_text
from ...stats.interval import Estimate, over_seeds
from . import park
from .model_runs import VARIANT

Row = dict[str, Any]
#: Scenario, lab, and what is varied.
Key = tuple[str, str, tuple[tuple[str, str], ...]]

#: Scenarios of the study.
SCENARIO_PREFIX = "delivery-park"
RATE = "param.radio.ues.ue1.bler_dl"
RATE_KEY = RATE.rsplit(".", 1)[-1]
#: Where packets are put in order: RLC, nowhere, PDCP.
ORDERS = {"in": "in sequence", "out": "out of sequence", "pdcp": "order kept by PDCP"}
REFERENCE = "in"
#: A file's goodput holds its slow start, as the paper's FTP does; other flows have the steady one.
GOODPUT = ("file_goodput_mbps", "goodput_mbps")

#: What explains a difference: metric, label, decimals.
CAUSES = (
    ("spurious_retransmits", "spurious retransmits", 1),
    ("fast_retransmits", "fast retransmits", 1),
    ("rto_count", "timeouts", 1),
    ("reordering_events", "reordered packets", 1),
    ("reordering_dupack_events", "of these by 3 or more", 1),
    ("cwnd_reductions", "cwnd reductions", 1),
    ("cwnd_undos", "cwnd undos", 1),
    ("ack_compression", "ACK compression, way back", 3),
    ("ack_clock_compression", "ACK compression, whole loop", 3),
)


@dataclass(frozen=True)
class Cause:
    """Means over seeds of one metric, per order; absent where the runs have none."""

    label: str
    decimals: int
    values: dict[str, Estimate]


@dataclass(frozen=True)
class Cell:
    """One congestion control at one loss rate."""

    congestion_control: str
    rate: float
    seeds: tuple[int, ...]
    goodput_mbps: dict[str, Estimate]
    gain_percent: dict[str, Estimate]  # of IN's goodput, paired by seed
    paper_mbps: dict[str, float]
    paper_percent: float | None
    causes: tuple[Cause, ...]

    def cause(self, label: str, order: str) -> Estimate | None:
        """A cause by its label, None where it was not counted."""
        return next((cause.values.get(order) for cause in self.causes if cause.label == label), None)


@dataclass(frozen=True)
class Sweep:
    """All cells of one scenario, lab and point of its other parameters.

    Attributes:
        varied: name and value of each of these that the scenario varies.
    """

    scenario: str
    lab: str
    varied: tuple[tuple[str, str], ...]
    metric: str
    cells: tuple[Cell, ...]

    @property
    def point(self) -> str:
        """What is varied, in words."""
        return in_words(self.varied)

    @property
    def rates(self) -> tuple[float, ...]:
        """Loss rates, rising."""
        return tuple(sorted({cell.rate for cell in self.cells}))

    @property
    def orders(self) -> tuple[str, ...]:
        """Orders of delivery that were run, IN first."""
        return tuple(order for order in ORDERS if any(order in cell.goodput_mbps for cell in self.cells))

    @property
    def controls(self) -> tuple[str, ...]:
        """Congestion controls, the paper's first."""
        return tuple(dict.fromkeys(cell.congestion_control for cell in self.cells))

    def cell(self, congestion_control: str, rate: float) -> Cell | None:
        """One cell, None where nothing was run."""
        return next((cell for cell in self.at(rate) if cell.congestion_control == congestion_control), None)

    def at(self, rate: float) -> tuple[Cell, ...]:
        """Cells of one rate, the paper's congestion controls first and in its order."""
        return tuple(cell for cell in self.cells if cell.rate == rate)


def in_words(varied: tuple[tuple[str, str], ...]) -> str:
    """Parameters with their values."""
    return ", ".join(f"{name} {value}" for name, value in varied)


def variant_of(row: Row) -> tuple[str, str] | None:
    """(congestion control, order) of a run, None for variants that are named otherwise."""
    name, _, order = str(row.get("variant") or "").rpartition("-")
    return (name, order) if name and order in ORDERS else None


def belongs(row: Row) -> bool:
    """Whether a run is part of such a sweep, usable or not."""
    of_paper = str(row["scenario"]).startswith(SCENARIO_PREFIX)
    is_model = VARIANT.fullmatch(str(row.get("variant") or "")) is not None
    return of_paper and not is_model and variant_of(row) is not None and row.get(RATE) is not None


def sweeps(rows: Sequence[Row]) -> list[Sweep]:
    """Sweeps among the rows of metrics.parquet; only usable runs count."""
    mine = [row for row in rows if row["usable"] and belongs(row)]
    free = {name: _free_parameters([row for row in mine if row["scenario"] == name]) for name in _scenarios(mine)}
    groups: dict[Key, list[Row]] = {}
    for row in mine:
        point = _point(row)
        varied = tuple((name, point[name]) for name in sorted(free[row["scenario"]] & set(point)))
        groups.setdefault((row["scenario"], row["lab"], varied), []).append(row)
    return [_sweep(key, groups[key]) for key in sorted(groups, key=lambda key: (*key[:2], natural(in_words(key[2]))))]


def studies(found: Sequence[Sweep]) -> dict[str, list[Sweep]]:
    """Sweeps that vary more than the paper does, by scenario, in the order of what they vary."""
    varied: dict[str, list[Sweep]] = {}
    for sweep in found:
        if sweep.point:
            varied.setdefault(f"{sweep.scenario}, {sweep.lab} lab", []).append(sweep)
    return varied


def _point(row: Row) -> dict[str, str]:
    """Swept parameters of a run besides the rate, by name, and the receive window."""
    window = {"receive window": window_text(row.get("receive_window_bytes")) or "autotuned"}
    parts = (part.partition("=") for part in str(row.get("point") or "").split(", ") if part)
    return window | {key: value for key, _, value in parts if key != RATE_KEY}


def _scenarios(rows: Sequence[Row]) -> set[str]:
    return {str(row["scenario"]) for row in rows}


def _free_parameters(rows: Sequence[Row]) -> set[str]:
    """Parameters that differ between runs of one variant: runs that differ in them are never averaged.

    What a variant itself sets, such as the order of delivery, differs between variants only.
    """
    by_variant: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in rows:
        by_variant.setdefault((row["scenario"], row["variant"]), []).append(_point(row))
    return {
        key
        for points in by_variant.values()
        for key in set().union(*points)
        if len({point.get(key) for point in points}) > 1
    }


def _sweep(key: Key, rows: list[Row]) -> Sweep:
    metric = next((name for name in GOODPUT if any(row.get(name) is not None for row in rows)), GOODPUT[-1])
    cells: dict[tuple[str, float], dict[str, list[Row]]] = {}
    for row in rows:
        congestion_control, order = variant_of(row) or ("", "")
        cells.setdefault((congestion_control, float(row[RATE])), {}).setdefault(order, []).append(row)
    known = list(park.TABLE4_MBPS)
    ordered = sorted(cells, key=lambda k: (known.index(k[0]) if k[0] in known else len(known), k))
    return Sweep(*key, metric, tuple(_cell(*k, cells[k], metric) for k in ordered))


def _cell(congestion_control: str, rate: float, by_order: dict[str, list[Row]], metric: str) -> Cell:
    goodput = {order: estimate(by_order[order], metric) for order in ORDERS if order in by_order}
    pairs = {order: paired_percent(by_order.get(REFERENCE, []), by_order[order], metric) for order in goodput}
    position = next((i for i, r in enumerate(park.TABLE4_RATES) if math.isclose(r, rate)), None)
    mbps: dict[str, float] = {}
    percent = None
    if position is not None and congestion_control in park.TABLE4_MBPS:
        mbps = dict(zip(("in", "out"), park.TABLE4_MBPS[congestion_control][position], strict=True))
        percent = park.FIGURE3_PERCENT[congestion_control][position]
    return Cell(
        congestion_control=congestion_control,
        rate=rate,
        seeds=tuple(sorted({row["seed"] for group in by_order.values() for row in group})),
        goodput_mbps={order: value for order, value in goodput.items() if value is not None},
        gain_percent={order: v for order, v in pairs.items() if v is not None and order != REFERENCE},
        paper_mbps=mbps,
        paper_percent=percent,
        causes=_causes(by_order),
    )


def paired_percent(reference: Sequence[Row], other: Sequence[Row], metric: str) -> Estimate | None:
    """`other` in percent of `reference`, seed by seed.

    Seeds that only one of them has do not count.

    Returns:
        Mean and Student's t interval over the seeds; None without a common seed.
    """
    base = {row["seed"]: row[metric] for row in reference if row.get(metric)}
    percents = [
        100 * row[metric] / base[row["seed"]] for row in other if row["seed"] in base and row.get(metric) is not None
    ]
    return over_seeds(percents) if percents else None


def _causes(by_order: dict[str, list[Row]]) -> tuple[Cause, ...]:
    found = []
    for metric, label, decimals in CAUSES:
        values = {order: estimate(by_order[order], metric) for order in ORDERS if order in by_order}
        present = {order: value for order, value in values.items() if value is not None}
        if present:
            found.append(Cause(label, decimals, present))
    return tuple(found)
