# SPDX-License-Identifier: GPL-2.0-or-later
"""What tables say of several flows: one line each, the largest of very many, and how fairly they shared a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..stats.interval import Estimate
from .over_runs import estimate
from .series_name import brief, label

Row = dict[str, Any]

#: Lines of a run's table; the rest is said to be there.
LINES_MAX = 12
#: Columns of a run's table of flows: column of metrics.parquet, title, whether it is text.
FLOW_COLUMNS = (
    ("flow", "flow", True),
    ("flow_program", "program", True),
    ("flow_transport", "over", True),
    ("flow_direction", "direction", True),
    ("flow_s", "time (s)", False),
    ("flow_sent_bytes", "sent (bytes)", False),
    ("flow_back_bytes", "back (bytes)", False),
    ("flow_mbps", "Mbit/s", False),
    ("flow_ect", "ECN", True),
    ("flow_ce_pkts", "CE marks", False),
    ("flow_delay_ms", "RTT p50 (ms)", False),
    ("flow_share", "share", False),
)


@dataclass(frozen=True)
class FlowTable:
    """The flows of one run: its largest ones, and how many more there are."""

    title: str
    usable: bool
    rows: list[Row]
    more: int


def named_by_scenario(row: Row) -> bool:
    """The row is about a flow of the scenario's traffic, or about the run as a whole."""
    return ":" not in str(row.get("flow") or "")


def transfers(rows: Sequence[Row]) -> list[Row]:
    """Of a run's rows those that other runs of its scenario have too: of the scenario's own flows, else the first."""
    named = [row for row in rows if named_by_scenario(row) and row.get("command") is None]
    return named or list(rows[:1])


def flow_tables(runs: Sequence[Sequence[Row]]) -> list[FlowTable]:
    """Tables of the runs that have flows which no scenario names. Args: runs: rows of each run."""
    tables = []
    for rows in runs:
        flows = [row for row in rows if row.get("flow")]
        if any(not named_by_scenario(row) for row in flows):
            largest = sorted(flows, key=lambda row: -_bytes(row))[:LINES_MAX]
            shown = [row | {"flow_delay_ms": delay_ms(row)} for row in flows if row in largest]
            first = rows[0]
            title = f"flows of {first['scenario']}, {brief(label(first))}, seed {first['seed']}, {first['lab']} lab"
            tables.append(FlowTable(title, bool(first["usable"]), shown, len(flows) - len(shown)))
    return tables


def _bytes(row: Row) -> int:
    return int(row.get("flow_sent_bytes") or 0) + int(row.get("flow_back_bytes") or 0)


def delay_ms(row: Row) -> str | float | None:
    """The median RTT of a flow, of QUIC by the spin bit; of other datagrams their one-way delay, named as such."""
    for name in ("rtt_p50_ms", "spin_rtt_p50_ms"):
        if row.get(name) is not None:
            return float(row[name])
    one_way = row.get("owd_p50_ms")
    return None if one_way is None else f"{one_way:.4g} one way"


@dataclass(frozen=True)
class Fairness:
    """How fairly the flows of one direction shared a cell, over the runs of a configuration."""

    title: str
    direction: str
    flows: int
    jain: Estimate
    jain_together: Estimate | None
    together_s: float

    def __str__(self) -> str:
        """In words, for people."""
        whole = f"{self.jain.value:.3f} over the whole run"
        said = f"{self.title}: Jain's index of {self.flows} flows, {self.direction}:"
        if self.jain_together is None:
            return f"{said} {whole}{'' if self.together_s else '; they were never all active at once'}"
        return f"{said} {self.jain_together.value:.3f} while all were active ({self.together_s:.1f} s), {whole}"


def fairness(rows: Sequence[Row]) -> list[Fairness]:
    """Of every configuration and direction in which flows contended, over its usable runs."""
    groups: dict[tuple[str, str, str, str], dict[str, Row]] = {}
    for row in rows:
        if row.get("jain") is not None and row["usable"]:
            key = (row["scenario"], brief(label(row)), row["lab"], row["flow_direction"])
            groups.setdefault(key, {}).setdefault(row["bundle"], row)  # all flows of a run have the same
    found = []
    for (scenario, name, lab, direction), of in groups.items():
        own = list(of.values())
        whole = estimate(own, "jain")
        if whole is not None:
            seconds = sum(row["together_s"] for row in own) / len(own)
            title = f"{scenario}, {name}, {lab} lab"
            found.append(Fairness(title, direction, own[0]["flows_together"], whole, estimate(own, "jain_together"),
                                  seconds))
    return found
