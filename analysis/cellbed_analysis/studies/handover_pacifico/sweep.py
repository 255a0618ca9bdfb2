# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs of handovers, grouped as in the paper's figures: by procedure and queue management, and by MEs at the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...metrics.one_lab import one_lab
from ...metrics.over_runs import estimate
from ...stats.interval import Estimate
from ...tcp.after_handover import CASES
from .words import PROCEDURES, QUEUES, queue_of

Row = dict[str, Any]

#: Parameters that make a run another one than a procedure and a queue management do, and what they are called.
OTHERS = {
    "param.tcp.congestion_control": "", "param.tcp.rto_min_ms": "least RTO {} ms",
    "param.radio.handover.prediction_timeout_ms": "back after {} ms",
}  # fmt: skip


@dataclass(frozen=True)
class Group:
    """Runs of one scenario that differ in their seeds and in the number of MEs only."""

    label: str
    by_mes: dict[int, list[Row]]

    def estimates(self, metric: str) -> dict[int, Estimate]:
        """A metric over seeds, per number of MEs."""
        found = {mes: estimate(rows, metric) for mes, rows in self.by_mes.items()}
        return {mes: value for mes, value in found.items() if value is not None}

    @property
    def rows(self) -> list[Row]:
        """All its runs."""
        return [row for rows in self.by_mes.values() for row in rows]

    @property
    def runs(self) -> int:
        """Most runs for one number of MEs."""
        return max(len(rows) for rows in self.by_mes.values())


def groups(rows: Sequence[Row]) -> list[Group]:
    """Usable runs with a handover of one scenario, by label, those of the virtual lab if there are any."""
    usable = one_lab([row for row in rows if row["usable"] and row.get("ho_handovers") is not None])
    varied = [key for key in OTHERS if len({row.get(key) for row in usable}) > 1]
    found: dict[str, dict[int, list[Row]]] = {}
    for row in sorted(usable, key=lambda row: (_order(row, varied), row["ho_target_mes"], row["seed"])):
        found.setdefault(_label(row, varied), {}).setdefault(int(row["ho_target_mes"]), []).append(row)
    return [Group(label, by_mes) for label, by_mes in found.items()]


def _label(row: Row, varied: Sequence[str]) -> str:
    procedure = str(row.get("param.radio.handover.procedure", "standard"))
    words = [PROCEDURES.get(procedure, procedure), QUEUES[queue_of(row)]]
    words += [(OTHERS[key] or "{}").format(row.get(key)) for key in varied]
    return ", ".join(word for word in words if word)


def _order(row: Row, varied: Sequence[str]) -> tuple[Any, ...]:
    procedure = list(PROCEDURES).index(str(row.get("param.radio.handover.procedure", "standard")))
    return (*(str(row.get(key)) for key in varied), procedure, list(QUEUES).index(queue_of(row)))


def case_shares(group: Group) -> dict[int, dict[str, Estimate]]:
    """Share of runs in each of CASES with Wilson's intervals, per number of MEs."""
    of_case = {case: group.estimates(f"ho_{case}") for case in CASES}
    known = [mes for mes in group.by_mes if all(mes in found for found in of_case.values())]
    return {mes: {case: of_case[case][mes] for case in CASES} for mes in known}
