# SPDX-License-Identifier: GPL-2.0-or-later
"""metrics.parquet and the headline table, made of the rows of all runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from . import parquet
from .claims import estimate, paper_beside
from .figures.order import by_combination
from .interval import Estimate
from .maxdat_sweep import group_of
from .metrics.catalog import METRICS

Row = dict[str, Any]

HEADLINE = ("rtt_mean_ms", "rtt_p50_ms", "rtt_p99_ms", "goodput_mbps")


def metrics_frame(rows: Sequence[Row]) -> pl.DataFrame:
    """All rows with the catalog's columns first, then every parameter."""
    columns = []
    for metric in METRICS.values():
        columns.append(metric.name)
        if metric.interval:
            columns += [f"{metric.name}_low", f"{metric.name}_high"]
    parameters = sorted({key for row in rows for key in row if key not in set(columns)})
    return pl.DataFrame([_series(name, rows) for name in [*columns, *parameters]])


def _series(name: str, rows: Sequence[Row]) -> pl.Series:
    """One column; parameters that differ in type between runs become text."""
    values = [row.get(name) for row in rows]
    kinds = {type(value) for value in values if value is not None}
    if not kinds:
        text = name in METRICS and METRICS[name].unit == ""
        return pl.Series(name, values, dtype=pl.String if text else pl.Float64)
    if kinds <= {int, float} and len(kinds) == 2:
        return pl.Series(name, values, dtype=pl.Float64, strict=False)
    if len(kinds) > 1:
        return pl.Series(name, [None if value is None else str(value) for value in values])
    return pl.Series(name, values)


def write_metrics(rows: Sequence[Row], path: Path) -> None:
    """Write metrics.parquet."""
    parquet.write(metrics_frame(rows), path)


@dataclass(frozen=True)
class HeadlineRow:
    """Runs of one scenario, combination, window and lab, over their seeds."""

    scenario: str
    name: str
    window_bytes: int | None
    lab: str
    seeds: tuple[int, ...]
    values: dict[str, Estimate | None]
    paper: dict[str, float | None]
    status: str
    bundles: tuple[str, ...]


def headline(rows: Sequence[Row], claims: Sequence[dict[str, Any]]) -> list[HeadlineRow]:
    """The headline table: usable runs averaged over seeds, every other run by itself.

    Surfaces and commands have tables of their own.
    """
    table: list[HeadlineRow] = []
    rows = [row for row in rows if group_of(row) is None and row.get("command") is None]
    for scenario in sorted({row["scenario"] for row in rows}):
        for name, group in by_combination([r for r in rows if r["scenario"] == scenario]).items():
            keys = sorted({(row.get("receive_window_bytes") or 0, row["lab"]) for row in group})
            for window, lab in keys:
                of_key = [row for row in group if (row.get("receive_window_bytes") or 0, row["lab"]) == (window, lab)]
                usable = [row for row in of_key if row["usable"]]
                batches = ([usable] if usable else []) + [[r] for r in of_key if not r["usable"]]
                table += [_headline_row(name, batch, claims) for batch in batches]
    return table


def _goodput(rows: Sequence[Row]) -> Estimate | None:
    """From captures; of runs without any, what the receiving program counted."""
    names = ("goodput_mbps", "goodput_iperf3_mbps", "goodput_stream_mbps")
    return next((value for name in names if (value := estimate(rows, name)) is not None), None)


def _headline_row(name: str, rows: Sequence[Row], claims: Sequence[dict[str, Any]]) -> HeadlineRow:
    first = rows[0]
    return HeadlineRow(
        scenario=first["scenario"],
        name=name,
        window_bytes=first.get("receive_window_bytes"),
        lab=first["lab"],
        seeds=tuple(sorted(row["seed"] for row in rows)),
        values={metric: estimate(rows, metric) for metric in HEADLINE} | {"goodput_mbps": _goodput(rows)},
        paper={metric: paper_beside(claims, first, metric) for metric in HEADLINE},
        status=first["status"],
        bundles=tuple(row["bundle"] for row in rows),
    )


#: Of a command's row: column of metrics.parquet, title.
COMMAND_COLUMNS = (
    ("command_status", "exit status"),
    ("command_s", "time (s)"),
    ("radio_delivered_pkts", "packets"),
    ("radio_lost_pkts", "lost"),
    ("radio_delivered_mbps", "Mbit/s"),
    ("harq_retx_ul_share", "HARQ up"),
    ("harq_retx_dl_share", "HARQ down"),
    ("rlc_retransmissions", "RLC again"),
)


def command_rows(rows: Sequence[Row]) -> list[Row]:
    """Runs of commands, each by itself, in the order of the results."""
    return [row for row in rows if row.get("command") is not None]
