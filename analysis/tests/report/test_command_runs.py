# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs with a command for traffic: a row of their own, and no flow that anybody would have to name."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console
from synthetic_bundle import DADDR, PORT, SADDR, START_NS, TCP_FIELDS, TCP_SYMBOLS, trace_bytes, write_bundle
from synthetic_switch import tcp_row

from cellbed_analysis.interactive.series import run_series
from cellbed_analysis.metrics.catalog import METRICS
from cellbed_analysis.metrics.commands import of_command
from cellbed_analysis.metrics.run import analyse
from cellbed_analysis.report.console import print_table
from cellbed_analysis.report.write import write_report
from cellbed_analysis.tcp.shown_flow import shown_flow
from cellbed_formats.bundle import read_bundle

STATS = {
    "pkts_in": 100, "pkts_delivered": 90, "bytes_delivered": 250_000, "rlc_retx": 4, "radio_link_failures": 0,
    "pkts_dropped": {"queue_full": 7, "duplicate": 2, "shutdown": 1}, "control_missed": 0,
    "ul": {"mac_pdus": 90, "mac_bytes": 100000, "harq_retx": 10, "harq_failures": 0},
    "dl": {"mac_pdus": 75, "mac_bytes": 100000, "harq_retx": 25, "harq_failures": 1},
}  # fmt: skip


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A link with a command, beside a run of a file transfer."""
    commands = [
        {"id": "server", "node": "server", "argv": ["iperf3", "-s"], "background": True, "status": None},
        {"id": "command", "node": "ue1", "argv": ["sh", "-c", "curl $X; exit 3"], "background": False, "status": 3},
    ]  # fmt: skip
    clock = {"realtime_offset_ns": 0, "start_ns": START_NS, "end_ns": START_NS + 2_000_000_000}
    path = write_bundle(tmp_path / "results", "DM-IM", scenario="links/good", flows=[], commands=commands, clock=clock)
    stats = json.loads((path / "radio.json").read_text()) | STATS
    (path / "radio.json").write_text(json.dumps(stats))
    write_bundle(tmp_path / "results", "DM-DM")
    return tmp_path / "results"


def test_row(results: Path) -> None:
    run = analyse(read_bundle(next(results.glob("DM-IM*"))))
    assert run.usable and run.problem is None
    expected = {
        "command": "sh -c 'curl $X; exit 3'", "command_id": "command", "command_status": 3, "command_s": 2.0,
        "radio_in_pkts": 100, "radio_delivered_pkts": 90, "radio_lost_pkts": 7, "radio_delivered_mbps": 1.0,
        "rlc_retransmissions": 4, "harq_retx_ul_share": 0.1, "harq_retx_dl_share": 0.25,
        "dropped_queue_full_pkts": 7, "lateness_p99_us": 40,
    }  # fmt: skip
    assert {name: run.row[name] for name in expected} == expected
    assert {name for name in run.row if not name.startswith("param.")} <= set(METRICS)


def test_a_command_has_the_flows_of_its_own_programs(results: Path) -> None:
    """As the probe counted them: one that sends 1500 bytes and gets 40, and one of the server's."""
    bundle = read_bundle(next(results.glob("DM-IM*")))
    flow = {"protocol": "tcp", "saddr": SADDR, "daddr": DADDR, "dport": PORT, "first_ns": START_NS, "last_ns": START_NS,
            "sent_pkts": 1, "sent_bytes": 1500, "received_pkts": 1, "received_bytes": 40}  # fmt: skip
    counted = [flow | {"sport": 9, "command": "command"}, flow | {"sport": 8, "command": "server"}]
    (bundle.path / "tcp.json").write_text(json.dumps({"lost": 0, "flows": counted}))
    values = of_command(bundle, bundle.manifest["commands"][1])
    assert (values["command_flows"], values["command_bytes"]) == (1, 1540)


def test_report(results: Path) -> None:
    html = write_report(results).read_text()
    assert "exit 3" in html and "unreadable" not in html and 'id="headline"' in html
    assert html.count('class="run"') == 2  # the command's largest connection is shown over time like a flow
    frame = pl.read_parquet(results / "summary/metrics.parquet")
    of_link = frame.filter(pl.col("scenario") == "links/good")
    assert of_link["command_status"].to_list() == [3, None]  # the command, and a flow that nobody says is its own
    assert of_link["flow"].to_list() == [None, "10.45.0.1:40002-10.45.0.2:5201"]
    assert frame.filter(pl.col("scenario") != "links/good")["flow"].to_list() == ["file"]


def test_report_of_commands_alone_has_no_table_of_rtts(results: Path) -> None:
    next(results.glob("DM-DM*")).rename(results.parent / "elsewhere")
    html = write_report(results).read_text()
    assert 'id="commands"' in html and 'id="headline"' not in html


def test_console(results: Path) -> None:
    console = Console(width=140, record=True)
    print_table(results, console)
    text = console.export_text()
    assert "exit status" in text and "UNREADABLE" not in text
    assert "links/good, DM-IM, seed 1: sh -c" in text


def test_the_flow_shown_of_a_command_is_its_largest_connection(results: Path) -> None:
    bundle = read_bundle(next(results.glob("DM-IM*")))
    samples = ((1, 1, 7), (2, 5, 8), (3, 2, 9))
    rows = [tcp_row(ms, "segment_in", 1000 * n, 9000, 9, sport=port) for ms, n, port in samples]
    (bundle.path / "tcp.trace").write_bytes(trace_bytes("tcp", TCP_FIELDS, TCP_SYMBOLS, rows, 128))
    flow = shown_flow(bundle)
    assert (flow.source, flow.sport, flow.port, flow.transport) == (SADDR, 8, PORT, "tcp")
    assert (flow.start_ns, flow.end_ns) == (START_NS + 2_000_000, START_NS + 2_000_001)


def test_without_a_connection_the_radio_is_shown(results: Path) -> None:
    bundle = read_bundle(next(results.glob("DM-IM*")))
    (bundle.path / "tcp.trace").unlink()
    flow = shown_flow(bundle)
    assert (flow.source, flow.transport) == ("ue1", "none")
    series = run_series(analyse(read_bundle(bundle.path)), flow, 100)
    assert series.queues and not series.lines and not series.cuts
