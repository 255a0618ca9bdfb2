# SPDX-License-Identifier: GPL-2.0-or-later
"""Lines of several flows: each of the scenario's, the largest of very many, and how fairly they shared."""

from __future__ import annotations

from typing import Any

import pytest

from cellbed_analysis.metrics.flow_table import LINES_MAX, delay_ms, fairness, flow_tables
from cellbed_analysis.report.headline import command_rows, headline
from cellbed_analysis.report.timelines import FLOWS_MAX, drawn_beside
from cellbed_formats.flow import FOUND, Flow, ids

RUN = {"scenario": "s", "variant": "v", "seed": 1, "lab": "virtual", "usable": True, "status": "usable", "bundle": "b"}


def row(flow: str | None, **values: Any) -> dict[str, Any]:
    """A row of metrics.parquet."""
    return {**RUN, "flow": flow, **values}


def test_each_flow_of_the_scenario_has_a_line_of_its_own_over_seeds() -> None:
    rows = [
        row(flow, seed=seed, bundle=f"b{seed}", rtt_mean_ms=ms + seed, flow_share_together=ms / 60)
        for seed in (1, 2) for flow, ms in (("a", 20.0), ("b", 40.0))
    ]  # fmt: skip
    rows.append(row("ue1:5-ue2:6", bundle="b2", rtt_mean_ms=9.0))  # of no scenario: in the table of its run
    first, second = headline(rows, [])
    assert (first.flow, first.seeds, first.values["rtt_mean_ms"].value) == ("a", (1, 2), 21.5)
    assert (second.flow, second.values["rtt_mean_ms"].value) == ("b", 41.5)
    assert (first.share.value, second.share.value) == (pytest.approx(1 / 3), pytest.approx(2 / 3))


def test_a_run_of_one_flow_says_no_flow() -> None:
    (line,) = headline([row("file", rtt_mean_ms=5.0)], [])
    assert line.flow is None and line.share is None


def test_the_papers_value_stands_beside_the_first_flow_only() -> None:
    claim = {"scenario": "s", "measure": {"metric": "rtt_mean_ms"}, "expect": {"value": 30, "tolerance": 1}}
    first, second = headline([row("a", rtt_mean_ms=20.0), row("b", rtt_mean_ms=40.0)], [claim])
    assert (first.paper["rtt_mean_ms"], second.paper["rtt_mean_ms"]) == (30, None)


def test_the_largest_of_very_many_flows() -> None:
    rows = [row(f"a:{n}-b:80", flow_sent_bytes=n, flow_back_bytes=1) for n in range(LINES_MAX + 7)]
    (table,) = flow_tables([rows])
    assert table.more == 7 and [one["flow_sent_bytes"] for one in table.rows] == list(range(7, LINES_MAX + 7))
    flows = [Flow(f"f{n}", FOUND, "a", "b", 1, 2, 3, 0, 1) for n in range(40)]
    drawn, left = drawn_beside(flows, flows[0])
    assert len(drawn) == FLOWS_MAX - 1 and len(left) == 40 - FLOWS_MAX
    assert ids(left, 3) == "f8, f9, f10 and 29 more"


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ({"rtt_p50_ms": 20.0}, 20.0),
        ({"spin_rtt_p50_ms": 30.0, "owd_p50_ms": 9.0}, 30.0),
        ({"owd_p50_ms": 9.25}, "9.25 one way"),
        ({}, None),
    ],
)
def test_a_delay_is_what_it_is_called(values: dict[str, float], shown: float | str | None) -> None:
    assert delay_ms(row("a", **values)) == shown


def test_fairness_counts_a_run_once() -> None:
    shared = {"jain": 0.8, "jain_together": 0.9, "flows_together": 2, "together_s": 4.0, "flow_direction": "uplink"}
    (line,) = fairness([row("a", **shared), row("b", **shared), row("c"), row("d", **shared) | {"usable": False}])
    assert str(line) == (
        "s, v, virtual lab: Jain's index of 2 flows, uplink: 0.900 while all were active (4.0 s), "
        "0.800 over the whole run"
    )


def test_a_command_has_the_bytes_of_its_own_flows() -> None:
    of = {"command": "curl", "command_id": "get", "command_s": 2.0, "command_bytes": 1_000_000}
    other = {"command": "true", "command_id": "idle", "command_s": 0.0, "command_bytes": 0}
    rows = command_rows([row("a:1-b:2", **of), row("a:3-b:2", **of), row(None, **other), row("up")])
    assert [(one["command_id"], one["command_mbps"]) for one in rows] == [("get", 4.0), ("idle", None)]


def test_an_unreadable_run_is_no_second_flow() -> None:
    lines = headline([row("file", rtt_mean_ms=5.0), row(None, bundle="c", usable=False, status="unreadable")], [])
    assert [line.flow for line in lines] == [None, None]
