# SPDX-License-Identifier: GPL-2.0-or-later
"""What `cellbed pcap` prints and writes: tables for people, and the same numbers for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from cellbed_formats import parquet
from cellbed_formats.error import DataError
from cellbed_formats.inside import Inside

from ..report.fitted import ALWAYS, Column, Fitted
from ..report.words import number_text
from .fitted_link import Nearness
from .fitted_trace import TraceNearness
from .measures import COLUMNS as MEASURED

#: Columns of the terminal: name, title, whether words, and which are left out first where there is no room.
COLUMNS = (
    ("flow", "flow", True, ALWAYS), ("transport", "by", True, 20), ("seen_at", "seen at", True, 25),
    ("ip_mb", "MB", False, 90), ("duration_s", "s", False, 60), ("goodput_mbps", "Mbit/s", False, 80),
    ("rtt_min_ms", "RTT min", False, 50), ("rtt_p50_ms", "RTT p50", False, 85), ("rtt_p99_ms", "RTT p99", False, 55),
    ("back_rtt_p50_ms", "back p50", False, 30), ("segments", "segments", False, 45),
    ("retransmissions", "again", False, 75), ("fast", "fast", False, 42), ("timeouts", "timeout", False, 43),
    ("after_timeouts", "after it", False, 15), ("tail_probes", "probe", False, 41), ("spurious", "needless", False, 44),
    ("flight_kb", "flight kB", False, 48),
)  # fmt: skip
DELAYS = (
    ("flow", "flow", True, ALWAYS), ("pkts", "packets", False, 60), ("lost_pkts", "lost", False, 70),
    ("delay_min_ms", "min", False, 80), ("delay_p50_ms", "p50", False, 85), ("delay_p99_ms", "p99", False, 75),
    ("back_lost_pkts", "back lost", False, 40), ("back_delay_min_ms", "back min", False, 50),
    ("back_delay_p50_ms", "back p50", False, 55), ("back_delay_p99_ms", "back p99", False, 45),
    ("clock_offset_ms", "clock", False, 20),
)  # fmt: skip
RADIO = (
    ("layer", "layer", True, ALWAYS), ("ue", "UE", False, 90), ("direction", "direction", True, 95),
    ("pdus", "PDUs", False, 80), ("bytes", "bytes", False, 30), ("sent_again", "sent again", False, 75),
    ("sent_again_share", "share", False, 40), ("failed", "not decoded", False, 50),
    ("repair_p50_ms", "repair p50", False, 70), ("repair_p99_ms", "repair p99", False, 60),
    ("repair_max_ms", "repair max", False, 55),
)  # fmt: skip
#: Flows that a terminal lists.
FLOWS_MAX = 30
WRITERS = (".csv", ".parquet", ".json")


def flow_table(title: str, rows: Sequence[dict[str, Any]]) -> Fitted:
    """A row for each flow, the first FLOWS_MAX."""
    return table(title, COLUMNS, [shown_row(row) for row in rows[:FLOWS_MAX]])


def details(title: str, row: dict[str, Any]) -> Fitted:
    """Everything that is known of one flow."""
    made = Fitted(title, Column("number", words=True), Column("value"), Column("unit", words=True, keep=2),
                  Column("meaning", words=True, keep=1))
    for name, metric in MEASURED.items():
        if row[name] is not None:
            made.add_row(name, number_text(row[name]), metric.unit, metric.meaning)
    return made


def shown_row(row: dict[str, Any]) -> dict[str, Any]:
    """A flow's row with the columns that only people get."""
    flight = row["flight_max_bytes"]
    return row | {"ip_mb": (row["ip_bytes"] + row["back_ip_bytes"]) / 1e6,
                  "flight_kb": None if flight is None else flight / 1e3}


def table(title: str, columns: Sequence[tuple[str, str, bool, int]], rows: Sequence[dict[str, Any]]) -> Fitted:
    """A table of some columns of rows."""
    made = Fitted(title, *(Column(heading, words, keep) for _, heading, words, keep in columns))
    for row in rows:
        made.add_row(*(number_text(row.get(name)) for name, *_ in columns))
    return made


def comparison(found: Nearness) -> Fitted:
    """A capture beside its replay."""
    made = Fitted("the capture and its replay", Column("", words=True), Column("capture"), Column("replay"),
                  Column("difference"))
    pairs = {"goodput (Mbit/s)": found.goodput_mbps, "retransmissions": found.retransmissions,
             **{f"RTT p{q} (ms)": pair for q, pair in found.rtt_ms.items()}}
    for name, (original, replay) in pairs.items():
        apart = f"{100 * (replay / original - 1):+.1f} %" if original else ""
        made.add_row(name, number_text(original), number_text(replay), apart)
    return made


def of_trace(found: TraceNearness) -> Fitted:
    """What a trace offers, and what a transfer over it got."""
    made = Fitted("the trace and its replay", Column("", words=True), Column("value"))
    rows = {"offered (Mbit/s)": found.offered_mbps, "delivered (Mbit/s)": found.delivered_mbps,
            "used (%)": 100 * found.delivered_mbps / found.offered_mbps if found.offered_mbps else 0.0,
            **{f"RTT p{q} (ms)": value for q, value in found.rtt_ms.items()}}
    for name, value in rows.items():
        made.add_row(name, number_text(value))
    return made


def check_output(path: Path) -> None:
    """Raises DataError: no format is known by the file's suffix."""
    if path.suffix not in WRITERS:
        raise DataError(f"--output {path}: suffix '{path.suffix}': allowed {', '.join(WRITERS)}, .html")


def write(frame: pl.DataFrame, path: Path) -> None:
    """A frame as CSV, Parquet or JSON, by the file's suffix; whole or not at all.

    Raises:
        DataError: another suffix.
        OSError: the file cannot be written.
    """
    check_output(path)
    if path.suffix == ".parquet":
        parquet.write(frame, Inside.beside(path))
    else:
        Inside.beside(path).write(frame.write_csv() if path.suffix == ".csv" else text_of(frame.to_dicts()))


def text_of(value: Any) -> str:
    """JSON for people and programs, without what JSON has no word for."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
