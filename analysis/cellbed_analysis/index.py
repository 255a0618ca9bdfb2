# SPDX-License-Identifier: GPL-2.0-or-later
"""The page that lists every bundle of a results folder: what it is, whether to believe it, key metrics, links."""

from __future__ import annotations

import os
import urllib.parse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .bundle import DERIVED, Results
from .explore import offered
from .figures.order import brief
from .metrics.names import short_names
from .metrics.run import RunAnalysis
from .page import page

INDEX = "index.html"
#: Metrics of a line; those that the runs have are shown, the first few.
COLUMNS_MAX = 6
COLUMNS = (
    "goodput_mbps", "goodput_iperf3_mbps", "ip_throughput_mbps", "transfer_kbps", "rtt_mean_ms", "rtt_p99_ms",
    "karn_rtt_mean_s", "ip_lost_pct", "retransmissions", "tcp_retransmissions", "rto_count", "cwnd_mean_pkts",
    "rlc_retransmissions", "radio_delivered_mbps", "command_s",
)  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A bundle in the list; links are relative to the page, None where there is nothing."""

    run: RunAnalysis
    params: str
    folder: str
    report: str | None


def write_index(results: Results, runs: Sequence[RunAnalysis], directory: Path, report: Path) -> Path:
    """Write index.html into a directory, beside the report about all runs."""
    lines = [_line(run, directory) for run in runs]
    rows = [run.row for run in runs]
    have = set(offered(rows))
    html = page(
        "index.html.j2",
        title=f"runs of {results.path.resolve().name}",
        lines=lines,
        rejected=results.rejected,
        metrics=[name for name in COLUMNS if name in have][:COLUMNS_MAX],
        counts=Counter(str(row["status"]) for row in rows),
        scenarios=Counter(str(row["scenario"]) for row in rows),
        report=_link(report, directory),
        script=None,
    )
    path = directory / INDEX
    path.write_text(html)
    return path


def _line(run: RunAnalysis, directory: Path) -> Line:
    own = run.bundle.path / DERIVED / "report.html"
    params = run.bundle.manifest.get("params", {})
    words = ", ".join(brief(f"{name}={params[key]}") for key, name in sorted(short_names(params).items()))
    return Line(run, words, _link(run.bundle.path, directory), _link(own, directory) if own.is_file() else None)


def _link(path: Path, directory: Path) -> str:
    return urllib.parse.quote(os.path.relpath(path, directory))
