# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs at the edge of a cell, grouped: configurations over distances, and studies of what is not specified.

A study is a scenario that runs some of another one's configurations at some of its distances with another setting.

Source: Li et al, section III
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...metrics.one_lab import one_lab
from ...metrics.over_runs import series_over
from ...report.words import window_text
from ...stats.interval import Estimate
from .edge import CONTROL, DISTANCE, PROFILE, RLC, TRANSPORT, Row, belongs, family

Series = list[tuple[float, Estimate]]

#: What studies vary: column, and words for its value.
VARIED: dict[str, Callable[[Any], str]] = {
    "param.radio.mac.grants_ignore_headers": lambda value: "grants without headers" if value else "grants with headers",
    "param.radio.control.dtx": lambda value: {"lose": "missed block lost", "retry": "missed block sent again"}[value],
    "param.radio.rlc_am.max_retx_threshold": lambda value: f"maxRetxThreshold {value}",
    "param.traffic.0.rate": lambda value: f"UDP {float(value) / 1e6:g} Mbit/s",
    "param.tcp.receive_window": lambda value: f"window {window_text(value)}",
}
#: A line needs so many distances.
LEAST = 3


@dataclass(frozen=True)
class Edge:
    """The usable runs of a scenario, one lab's."""

    scenario: str
    rows: Sequence[Row]

    @property
    def suffix(self) -> str:
        """For names of files."""
        return self.scenario.rsplit("/", 1)[-1]

    @property
    def variants(self) -> list[str]:
        """Without errors of the control channels first, then by protocol, UM before AM."""
        rank = {str(row["variant"]): (bool(row.get(CONTROL)), family(str(row["variant"])), row.get(RLC) == "am")
                for row in self.rows}
        return sorted(rank, key=lambda name: (rank[name], name))

    @property
    def of_paper(self) -> bool:
        """Whether its TCP is the paper's."""
        return all(row.get(PROFILE) == "paper" for row in self.rows)

    @property
    def of_study(self) -> bool:
        """Whether the scenario is one of this study, and not a user's own at the edge of a cell."""
        return self.scenario.startswith("celledge-li/")

    @property
    def distances(self) -> list[float]:
        return sorted({float(row[DISTANCE]) for row in self.rows})

    def of(self, **wanted: Any) -> Edge:
        """Runs with some settings: `transport`, `control`, `rlc`."""
        keys = {"transport": TRANSPORT, "control": CONTROL, "rlc": RLC}
        return Edge(self.scenario, [row for row in self.rows
                                    if all(row.get(keys[name]) == value for name, value in wanted.items())])

    def series(self, metric: str) -> dict[str, Series]:
        """Variant -> the metric over distance; those without are left out."""
        found = {name: series_over([row for row in self.rows if row["variant"] == name], metric, DISTANCE)
                 for name in self.variants}
        return {name: points for name, points in found.items() if points}


@dataclass(frozen=True)
class Pair:
    """A run of a study and the one it differs from."""

    name: str  # configuration and distance
    setting: str
    base: Row
    other: Row


@dataclass(frozen=True)
class Study:
    """A scenario beside the one whose configurations it runs again."""

    edge: Edge
    base: Edge
    pairs: Sequence[Pair]


def edges(rows: Sequence[Row]) -> list[Edge]:
    """Scenarios at the cell edge by name; of each the virtual lab's runs when there are such."""
    usable = [row for row in rows if row["usable"] and belongs(row)]
    found = []
    for scenario in sorted({str(row["scenario"]) for row in usable}):
        found.append(Edge(scenario, one_lab([row for row in usable if row["scenario"] == scenario])))
    return found


def sweeps(found: Sequence[Edge]) -> list[Edge]:
    """Those that are about distance, and no study of another one."""
    studied = {study.edge.scenario for study in studies(found)}
    return [edge for edge in found if len(edge.distances) >= LEAST and edge.scenario not in studied]


def studies(found: Sequence[Edge]) -> list[Study]:
    """Each scenario that repeats runs of the one with the most, with something else set."""
    if len(found) < 2:
        return []
    base = max(found, key=lambda edge: len(edge.rows))
    made = [Study(edge, base, list(_pairs(edge, base))) for edge in found if edge is not base]
    return [study for study in made if study.pairs]


def _pairs(edge: Edge, base: Edge) -> Iterator[Pair]:
    known = {(row["variant"], row[DISTANCE], row["seed"]): row for row in base.rows}
    for name in edge.variants:
        for row in sorted((row for row in edge.rows if row["variant"] == name), key=lambda row: row[DISTANCE]):
            beside = known.get((name, row[DISTANCE], row["seed"]))
            setting = beside and ", ".join(said(row[key]) for key, said in VARIED.items()
                                           if row.get(key) is not None and row.get(key) != beside.get(key))
            if beside and setting:
                yield Pair(f"{name}, {row[DISTANCE]:g} m", setting, beside, row)
