# SPDX-License-Identifier: GPL-2.0-or-later
"""Handovers over many runs: groups, shares, figures, claims and their causes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from synthetic_handover import handover_rows, write_handover_bundle
from synthetic_timeout import BEFORE, forwarded_wire, timeout_rows

from cellbed_analysis import write_report
from cellbed_analysis.claims.explain import explain
from cellbed_analysis.claims.judge import evaluate_one
from cellbed_analysis.figures.gallery import representatives
from cellbed_analysis.figures.style import theme
from cellbed_analysis.metrics.run import RunAnalysis
from cellbed_analysis.metrics.runs import analyse_all
from cellbed_analysis.studies.handover_pacifico import specs
from cellbed_analysis.studies.handover_pacifico.handover_window import handover_window
from cellbed_analysis.studies.handover_pacifico.sweep import case_shares, groups
from cellbed_formats.bundle import load_results, read_bundle


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two procedures, two and three MEs, two seeds: timeouts with the standard procedure, nothing with a prediction."""
    path = tmp_path_factory.mktemp("handover")
    for procedure, tcp in (("prediction", BEFORE), ("standard", timeout_rows())):
        for mes in (2, 3):
            for seed in (1, 2):
                radio = handover_rows(2300)
                write_handover_bundle(path, radio, tcp, forwarded_wire(), procedure, mes, seed)
    return path


@pytest.fixture(scope="module")
def runs(results: Path) -> list[RunAnalysis]:
    return analyse_all(load_results(results).bundles)


def test_runs_are_grouped_by_procedure_and_number_of_mes(runs: list[RunAnalysis]) -> None:
    standard, prediction = groups([run.row for run in runs])
    assert (standard.label, prediction.label, standard.runs) == ("standard", "prediction", 2)
    assert list(standard.by_mes) == [2, 3] and [row["seed"] for row in standard.by_mes[2]] == [1, 2]
    shares = case_shares(standard)[2]
    assert [shares[case].value for case in ("timeout", "halving", "nothing")] == [1, 0, 0]
    assert shares["timeout"].method == "Wilson over 2 runs" and shares["timeout"].low == pytest.approx(0.342, abs=1e-3)


def test_groups_name_the_queue_management_and_what_else_differs() -> None:
    def row(aqm: str, rto_ms: int) -> dict[str, Any]:
        return {
            "usable": True, "ho_handovers": 1, "lab": "virtual", "seed": 1, "ho_target_mes": 3,
            "param.radio.handover.procedure": "standard", "param.links.3.aqm": aqm, "param.links.0.aqm": "none",
            "param.tcp.rto_min_ms": rto_ms,
        }  # fmt: skip

    assert [g.label for g in groups([row("red_ecn", 200), row("none", 200)])] == ["standard", "standard, RED marking"]
    assert [g.label for g in groups([row("none", 200), row("none", 50)])] == [
        "standard, least RTO 200 ms", "standard, least RTO 50 ms",
    ]  # fmt: skip


def test_figures_of_a_sweep(runs: list[RunAnalysis]) -> None:
    found = {spec[0]: spec for spec in specs.specs(runs)}
    assert list(found) == [
        "fig8-cases-standard-prediction", "fig9-cwnd-standard-prediction", "fig10-rtt-standard-prediction",
        "fig12-delivered-standard-prediction", "fig4-measured-standard-prediction", "fig4-model",
    ]  # fmt: skip
    assert "with seed 1 and 3 MEs in the target cell" in found["fig9-cwnd-standard-prediction"][2]
    # (1 + 737/759 + 672/759) / 3
    assert "gives 95 % for a handover at cwnd_max" in found["fig4-measured-standard-prediction"][2]
    assert representatives(runs) == {}  # figures of the RTT are for other experiments


def test_figures_draw(runs: list[RunAnalysis]) -> None:
    with theme():
        drawn = {spec[0]: spec[3]() for spec in specs.specs(runs)}
    cases = drawn["fig8-cases-standard-prediction"].axes
    assert [axes.get_title(loc="left") for axes in cases] == ["standard", "prediction"]
    assert [tick.get_text() for tick in cases[0].get_xticklabels()] == ["timeout", "window halving", "nothing"]
    assert [text.get_text() for text in cases[0].texts] == ["100", "0", "0", "100", "0", "0"]


def test_what_is_delivered_by_every_reading_of_the_span(runs: list[RunAnalysis]) -> None:
    """Where the path is switched before the handover starts the span may begin there."""
    early = [replace(run, row=run.row | {"ho_path_switch_ms": -122.0}) for run in runs]
    found = {spec[0]: spec[3] for spec in specs.specs(early) if spec[0].startswith("fig12")}
    assert list(found) == ["fig12-delivered-standard-prediction", "fig12-delivered-switch-standard-prediction"]
    ends = ["to an RTT of the source cell", "to an RTT of the target cell"]
    for draw in found.values():
        assert [axes.get_title(loc="left") for axes in draw().axes] == ends


def test_a_panel_shows_what_was_lost_and_what_was_sent_again(results: Path) -> None:
    bundle = read_bundle(next(results.glob("3me_procedure=standard-seed1-*")))
    window = handover_window(bundle, bundle.flows[0])
    assert window is not None
    assert len(window.lost_s) == 2 and len(window.again_s) == 2 and window.rtt_s.max() == pytest.approx(0.16)
    assert [event.kind for event in window.events] == ["timeout"]


def _claim(**more: Any) -> dict[str, Any]:
    return {
        "id": "x", "source": "section VI", "scenario": "handover-pacifico/standard-prediction", "statement": "x",
        "unit": "1", "explain": "handover",
    } | more  # fmt: skip


def test_shares_are_judged_by_counted_runs(runs: list[RunAnalysis]) -> None:
    rows = [run.row for run in runs]
    standard, prediction = (
        {"metric": "ho_timeout", "where": {"param.radio.handover.procedure": name}}
        for name in ("standard", "prediction")
    )
    fewer = evaluate_one(_claim(measure=standard, minus=prediction, expect={"above": 0}), rows)
    assert fewer.verdict == "reproduced" and fewer.measured is not None
    # Newcombe of 4/4 and 0/4: Wilson's bounds of both are 0.51 and 0.49.
    assert (fewer.measured.value, fewer.measured.low) == (1, pytest.approx(1 - 2**0.5 * 0.4899, abs=1e-3))
    assert fewer.measured.high == 1


def test_a_cause_is_made_of_counted_facts(runs: list[RunAnalysis]) -> None:
    rows = [
        run.row | {"param.tcp.rto_min_ms": 1000, "ho_end_markers_lost": 1, "ho_timeout_spurious": 0} for run in runs
    ]
    of = [row for row in rows if row["param.radio.handover.procedure"] == "standard"]
    text = explain(_claim(), of, [])
    assert text.startswith("standard, mean of 4 runs: cwnd 40 packets, RTT 30 ms before, 0 packets forwarded")
    assert "100% of the timeouts are about segments that were lost" in text
    assert "the least RTO is 1000 ms on top of the RTT" in text and "The End Marker is lost" in text
    early = [row | {"ho_path_switch_ms": -122, "ho_ack_gap_ms": 160} for row in of]
    assert "switched 122 ms before, more than the RTT of 30 ms" in explain(_claim(), early, [])


def test_the_report_of_a_sweep(results: Path) -> None:
    assert "What a handover does to TCP" in write_report(results).read_text()
