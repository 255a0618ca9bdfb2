# SPDX-License-Identifier: GPL-2.0-or-later
"""metrics.parquet and the headline table, made of the rows of all runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from cellbed_formats import parquet
from cellbed_formats.inside import Inside

from ..claims.claim import paper_beside
from ..metrics.catalog import METRICS
from ..metrics.flow_table import transfers
from ..metrics.over_runs import estimate
from ..metrics.series_name import UNNAMED, by_combination, label
from ..stats.interval import Estimate
from ..study import studies

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


def write_metrics(rows: Sequence[Row], path: Inside) -> None:
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
    flow: str | None = None  # of runs with several
    share: Estimate | None = None  # of what the cell carried in its direction, while all flows were active
    evaluated_s: tuple[float, float] | None = None  # from when to when, of all of them


def headline(rows: Sequence[Row], claims: Sequence[dict[str, Any]]) -> list[HeadlineRow]:
    """The headline table: each flow of the scenario, usable runs averaged over seeds, every other run by itself.

    Commands, flows that no scenario names and what a study tabulates have tables of their own.

    Args:
        rows: of metrics.parquet, those of a run beside each other and that of its first flow first.
    """
    table: list[HeadlineRow] = []
    rows = [row for row in _of_transfers(rows) if row.get("command") is None]
    rows = [row for row in rows if not any(study.tabulates(row) for study in studies())]
    leading = {row["bundle"]: row.get("flow") for row in reversed(rows)}
    for scenario in sorted({row["scenario"] for row in rows}):
        for name, group in by_combination([r for r in rows if r["scenario"] == scenario]).items():
            keys = sorted({(row.get("receive_window_bytes") or 0, row["lab"]) for row in group})
            for window, lab in keys:
                of_key = [row for row in group if (row.get("receive_window_bytes") or 0, row["lab"]) == (window, lab)]
                usable = [row for row in of_key if row["usable"]]
                flows = dict.fromkeys(row.get("flow") for row in usable)
                batches = [[row for row in usable if row.get("flow") == flow] for flow in flows]
                batches += [[row] for row in of_key if not row["usable"]]
                several = len({row.get("flow") for row in of_key} - {None}) > 1  # unreadable runs say none
                for batch in batches:
                    first = all(row.get("flow") == leading[row["bundle"]] for row in batch)
                    table.append(_headline_row(name, batch, claims if first else (), several))
    return table


def series_title(lines: Sequence[HeadlineRow]) -> str:
    """What the names of series are: what a study calls its own, or variants."""
    return next((title for title, names in (study.series() for study in studies())
                 if any(line.name.startswith(tuple(names)) for line in lines)), "variant")


def _of_transfers(rows: Sequence[Row]) -> list[Row]:
    of_runs: dict[Any, list[Row]] = {}
    for at, row in enumerate(rows):
        of_runs.setdefault(row.get("bundle", at), []).append(row)
    return [row for of in of_runs.values() for row in transfers(of)]


def _goodput(rows: Sequence[Row]) -> Estimate | None:
    """From captures; of runs without any, what the receiving program counted."""
    names = ("goodput_mbps", "goodput_iperf3_mbps", "goodput_stream_mbps", "flow_mbps")
    return next((value for name in names if (value := estimate(rows, name)) is not None), None)


def _headline_row(
    name: str, rows: Sequence[Row], claims: Sequence[dict[str, Any]], several: bool = False
) -> HeadlineRow:
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
        flow=first.get("flow") if several else None,
        share=estimate(rows, "flow_share_together") or estimate(rows, "flow_share") if several else None,
        evaluated_s=evaluated_s(rows),
    )


def evaluated_s(rows: Sequence[Row]) -> tuple[float, float] | None:
    """From when to when rows are evaluated, in s after t = 0 of their runs; None where none says."""
    spans = [(row["window_start_s"], row["window_start_s"] + row["window_s"]) for row in rows
             if row.get("window_start_s") is not None and row.get("window_s")]
    return (min(start for start, _ in spans), max(end for _, end in spans)) if spans else None


def evaluated_text(lines: Sequence[HeadlineRow]) -> str:
    """The same of a table, for people: "evaluated from 5 to 60 s"."""
    usable = [line for line in lines if line.status == "usable"]
    spans = [line.evaluated_s for line in usable or lines if line.evaluated_s is not None]
    if not spans:
        return ""
    return f"evaluated from {min(start for start, _ in spans):.4g} to {max(end for _, end in spans):.4g} s"


#: Of a command's rows: column, title.
COMMAND_COLUMNS = (
    ("command_status", "exit status"),
    ("command_s", "time (s)"),
    ("command_flows", "flows"),
    ("command_bytes", "bytes"),
    ("command_mbps", "Mbit/s"),
)
#: Of the first row of a run with commands: what the radio did for all of them.
RADIO_COLUMNS = (
    ("radio_delivered_pkts", "packets"),
    ("radio_lost_pkts", "lost"),
    ("radio_delivered_mbps", "Mbit/s"),
    ("harq_retx_ul_share", "HARQ up"),
    ("harq_retx_dl_share", "HARQ down"),
    ("rlc_retransmissions", "RLC again"),
)


def command_rows(rows: Sequence[Row]) -> list[Row]:
    """A row for each command of each run, in the order of the results, with what its own flows carried."""
    first: dict[tuple[str, str], Row] = {}
    for row in rows:
        if row.get("command") is not None:
            first.setdefault((row["bundle"], str(row.get("command_id"))), row)
    return [row | {"command_mbps": _rate(row)} for row in first.values()]


def _rate(row: Row) -> float | None:
    """Mbit/s of IP, both ways, over the command's time."""
    if row.get("command_bytes") is None or not row["command_s"]:
        return None
    return float(row["command_bytes"]) * 8 / 1e6 / float(row["command_s"])


def run_name(row: Row) -> str:
    """A run in a table of several: its scenario, its series where it has a name, and its seed."""
    series = label(row)
    return ", ".join([str(row["scenario"]), *([] if series == UNNAMED else [series]), f"seed {row['seed']}"])


def radio_rows(rows: Sequence[Row]) -> list[Row]:
    """The first row of each run that was for commands: it has what the radio did for the whole run."""
    return [row for row in rows if row.get("radio_in_pkts") is not None]
