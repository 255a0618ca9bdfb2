# SPDX-License-Identifier: GPL-2.0-or-later
"""The console table: RTT and throughput, paper beside measured, and the claims."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from cellbed_formats.bundle import Rejected, Results
from cellbed_formats.printable import shown
from cellbed_formats.screen import Screen

from ..claims.claim import collect
from ..claims.judge import COUNTED, VERDICTS, Outcome, distant, evaluate, with_sweeps
from ..metrics.flow_table import FLOW_COLUMNS, FlowTable, fairness, flow_tables
from ..metrics.run import RunAnalysis
from ..metrics.runs import analyse_all
from ..metrics.series_name import brief
from ..study import studies
from .fitted import ALWAYS, Column, Fitted
from .headline import (
    COMMAND_COLUMNS,
    RADIO_COLUMNS,
    HeadlineRow,
    Row,
    command_rows,
    evaluated_text,
    headline,
    radio_rows,
    run_name,
    series_title,
)
from .whole import whole
from .words import distance_text, estimate_text, multiple_text, number_text, window_text

#: Beside the name of the series: what is kept longest has the greatest number.
HEADLINE_COLUMNS = (
    Column("flow", words=True, keep=8), Column("window", keep=2), Column("seeds", words=True, keep=7),
    Column("RTT mean (ms)", keep=9), Column("paper", keep=5), Column("p50", keep=3), Column("p99", keep=4),
    Column("Mbit/s", keep=10), Column("share", keep=6),
)  # fmt: skip
#: Of a claim that differs; so many are listed, the farthest first.
CLAIM_COLUMNS = (
    Column("claim", words=True), Column("paper", words=True, keep=2), Column("expected", words=True, keep=1),
    Column("measured"), Column("distance"), Column("that is", words=True), Column("unit", words=True, keep=3),
)  # fmt: skip
CLAIMS_MAX = 20
#: Columns of flows that may be left out; the others are always shown.
FLOW_KEEP = {
    "flow_back_bytes": 1, "flow_direction": 2, "flow_s": 3, "flow_share": 4, "flow_delay_ms": 5, "flow_sent_bytes": 6,
}  # fmt: skip
VERDICT_STYLE = {
    "reproduced": "green",
    "differs": "bold yellow",
    "undecided": "cyan",
    "implied": "dim",
    "not-testable": "dim",
    "not-run": "dim",
}


def print_table(results_dir: Path | Results, console: Console | None = None,
                report: Path | None = None) -> list[RunAnalysis]:
    """Print the headline table, validity, claims by verdict and the report's path.

    Args:
        report: where it is, when it is not at its usual place.

    Returns:
        The runs, as they were analysed.

    Raises:
        DataError: no bundle below the directory, or a malformed claim.
    """
    # In a log or a pipe there is no width to respect; columns must not be cut.
    console = console or (Screen() if sys.stdout.isatty() else Screen(width=140))
    results = whole(results_dir)
    runs = analyse_all(results.bundles)
    rows, all_rows = [run.row for run in runs], [row for run in runs for row in run.rows]
    claims = collect(results)
    tables = [*_tables(headline(all_rows, claims)), *_command_tables(command_rows(all_rows)),
              *_radio_tables(radio_rows(rows)), *_flow_tables(flow_tables([run.rows for run in runs])),
              *(table for study in studies() for table in study.tables(rows))]  # fmt: skip
    for table in tables:
        console.print(table)
    for line in fairness(all_rows):
        console.print(str(line), soft_wrap=True, highlight=False)
    _print_set_apart(console, runs, results.rejected)
    for name in results.in_progress:
        console.print(f"in progress {shown(name)}", soft_wrap=True, highlight=False, markup=False)
    _print_claims(console, evaluate(claims, with_sweeps(rows)))
    report = report or results.report_dir.path / "report.html"
    if report.exists():
        console.print(f"Report: {report}", soft_wrap=True)
    return runs


def _print_claims(console: Console, outcomes: Sequence[Outcome]) -> None:
    """How far the claims that differ are from the paper, and how many there are of each verdict."""
    far = distant(outcomes)
    table = Fitted("claims that differ, the farthest first", *CLAIM_COLUMNS)
    for one in far[:CLAIMS_MAX]:
        unit = "" if one.claim["unit"] == "1" else one.claim["unit"]
        measured = number_text(one.measured.value if one.measured else None)
        table.add_row(one.claim["id"], number_text(one.paper), one.tolerance, measured, distance_text(one.judgement),
                      multiple_text(one.judgement), unit)  # fmt: skip
    if far:
        console.print(table)
    if len(far) > CLAIMS_MAX:
        console.print(f"and {len(far) - CLAIMS_MAX} more, which claims.json of a report has")
    counts = Counter(outcome.verdict for outcome in outcomes)
    said = {one: Text(f"{counts[one]} {one}", VERDICT_STYLE[one]) for one in VERDICTS if counts[one]}
    decided = Text(", ").join(text for verdict, text in said.items() if verdict in COUNTED)
    others = Text(", ").join(text for verdict, text in said.items() if verdict not in COUNTED)
    if said:
        apart = Text("; not counted: ") + others if others else Text()
        console.print(Text("Claims: ") + (decided or Text("none decided")) + apart)


def _tables(lines: list[HeadlineRow]) -> Iterator[Fitted]:
    """One table per scenario and lab."""
    for scenario, lab in dict.fromkeys((line.scenario, line.lab) for line in lines):
        own = [line for line in lines if (line.scenario, line.lab) == (scenario, lab)]
        title = ", ".join(filter(None, (scenario, f"{lab} lab", evaluated_text(own))))
        table = Fitted(title, Column(series_title(own), words=True), *HEADLINE_COLUMNS)
        for line in own:
            table.add_row(*_cells(line), style=None if line.status == "usable" else "red")
        yield table


def _command_tables(rows: list[Row]) -> Iterator[Fitted]:
    """How each command ended and what it sent; commands may be long."""
    names = [f"{run_name(row)}: {row['command']}" for row in rows]
    return _named("commands", "command", names, COMMAND_COLUMNS, rows)


def _radio_tables(rows: list[Row]) -> Iterator[Fitted]:
    """What the radio did for all packets of runs with commands."""
    names = [run_name(row) for row in rows]
    return _named("radio network, whole runs", "run", names, RADIO_COLUMNS, rows)


def _named(
    title: str, heading: str, names: Sequence[str], columns: Sequence[tuple[str, str]], rows: Sequence[Row]
) -> Iterator[Fitted]:
    """A table with a name and numbers for each row; none without rows."""
    table = Fitted(title, Column(heading, words=True), *_columns(columns))
    for name, row in zip(names, rows, strict=True):
        cells = [number_text(row.get(metric)) for metric, _ in columns]
        table.add_row(name, *cells, style=None if row["usable"] else "red")
    yield from [table] if rows else []


def _columns(named: Sequence[tuple[str, str]]) -> list[Column]:
    """Numbers, of which the first ones are kept longest."""
    return [Column(title, keep=-place) for place, (_, title) in enumerate(named)]


def _flow_tables(found: Sequence[FlowTable]) -> Iterator[Fitted | Text]:
    """Flows that programs opened, the largest of each run."""
    for one in found:
        table = Fitted(one.title, *(Column(title, words, FLOW_KEEP.get(name, ALWAYS))
                                    for name, title, words in FLOW_COLUMNS))  # fmt: skip
        for row in one.rows:
            cells = [number_text(row.get(name)) for name, _, _ in FLOW_COLUMNS]
            table.add_row(*cells, style=None if one.usable else "red")
        yield table
        if one.more:
            yield Text(f"and {one.more} smaller flows, which metrics.parquet of a report has")


def _cells(line: HeadlineRow) -> list[str | Text]:
    values = line.values
    seeds = ",".join(map(str, line.seeds)) if len(line.seeds) < 4 else f"{len(line.seeds)} seeds"
    return [
        brief(line.name),
        line.flow or "",
        window_text(line.window_bytes),
        seeds if line.status == "usable" else Text(f"{seeds} {line.status.upper()}", style="bold red"),
        estimate_text(values["rtt_mean_ms"], 2),
        number_text(line.paper["rtt_mean_ms"]),
        estimate_text(values["rtt_p50_ms"], 2, interval=False),
        estimate_text(values["rtt_p99_ms"], 2, interval=False),
        estimate_text(values["goodput_mbps"], 3, interval=False),
        estimate_text(line.share, 3, interval=False) if line.flow is not None else "",
    ]


def _print_set_apart(console: Console, runs: Sequence[RunAnalysis], rejected_paths: Sequence[Rejected]) -> None:
    for run in (run for run in runs if not run.usable):
        reasons = "; ".join(run.reasons) or f"validity {run.bundle.validity_verdict}"
        console.print(_set_apart("not usable", run.bundle.path.name, reasons))
    for rejected in rejected_paths:
        console.print(_set_apart("not read", rejected.path.name, rejected.reason))


def _set_apart(how: str, name: str, reason: str) -> Text:
    return Text.assemble((how, "bold red"), f" {name}: {shown(reason)}")


