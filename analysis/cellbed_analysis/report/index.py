# SPDX-License-Identifier: GPL-2.0-or-later
"""The page that lists every bundle of a results folder: what it is, whether to believe it, key metrics, links."""

from __future__ import annotations

import os
import urllib.parse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cellbed_formats.bundle import DERIVED, Results
from cellbed_formats.inside import Inside

from ..interactive.explore import offered
from ..metrics.names import short_names
from ..metrics.run import RunAnalysis
from ..metrics.series_name import brief
from .page import page
from .whole import REPORT, has_own_report

INDEX = "index.html"
#: Metrics of a line; those that the runs have are shown, the first few.
COLUMNS_MAX = 6
#: Lines of a run.
FLOWS_MAX = 8
COLUMNS = (
    "goodput_mbps", "goodput_iperf3_mbps", "ip_throughput_mbps", "transfer_kbps", "rtt_mean_ms", "rtt_p99_ms",
    "karn_rtt_mean_s", "ip_lost_pct", "retransmissions", "tcp_retransmissions", "rto_count", "cwnd_mean_pkts",
    "rlc_retransmissions", "radio_delivered_mbps", "command_s",
)  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A flow of a bundle in the list; links are relative to the page, None where there is nothing."""

    run: RunAnalysis
    row: dict[str, Any]
    flow: str  # its id, of runs with several; how many more there are, in words
    params: str
    folder: str
    report: str | None


def write_index(results: Results, runs: Sequence[RunAnalysis], directory: Inside, report: Inside) -> Inside:
    """Write index.html into a directory, beside the report about all runs."""
    lines = [line for run in runs for line in _lines(run, directory.path)]
    rows = [line.row for line in lines]
    have = set(offered(rows))
    html = page(
        "index.html.j2",
        title=f"runs of {results.path.resolve().name}",
        lines=lines,
        rejected=results.rejected,
        in_progress=results.in_progress,
        metrics=[name for name in COLUMNS if name in have][:COLUMNS_MAX],
        several=any(line.flow for line in lines),
        runs=len(runs),
        counts=Counter(str(run.row["status"]) for run in runs),
        scenarios=Counter(str(run.row["scenario"]) for run in runs),
        report=_link(report.path, directory.path),
        script=None,
    )
    index = directory / INDEX
    index.write(html)
    return index


def _lines(run: RunAnalysis, directory: Path) -> list[Line]:
    params = run.bundle.manifest.get("params", {})
    words = ", ".join(brief(f"{name}={params[key]}") for key, name in sorted(short_names(params).items()))
    own = _link(run.bundle.path / DERIVED / REPORT, directory) if has_own_report(run.bundle) else None
    links = _link(run.bundle.path, directory), own
    shown, more = run.rows[:FLOWS_MAX], len(run.rows) - FLOWS_MAX
    names = [str(row.get("flow") or "") if len(run.rows) > 1 else "" for row in shown]
    if more > 0:
        names[-1] += f" (and {more} more)"
    return [Line(run, row, name, words, *links) for row, name in zip(shown, names, strict=True)]


def _link(path: Path, directory: Path) -> str:
    return urllib.parse.quote(os.path.relpath(path, directory))
