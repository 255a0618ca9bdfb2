# SPDX-License-Identifier: GPL-2.0-or-later
"""The model of section 3 beside runs, from rows of metrics made up so that every number can be worked out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from collector import Collector

from cellbed_analysis.claims.judge import evaluate_one
from cellbed_analysis.figures import style
from cellbed_analysis.report.make import render
from cellbed_analysis.studies.delivery_park import delivery, utilisation_chart
from cellbed_analysis.studies.delivery_park.model_runs import belongs, points
from cellbed_analysis.studies.delivery_park.sweep import sweeps
from cellbed_formats.bundle import Results


def row(variant: str, seed: int, rtt_ms: float, goodput_mbps: float, **more: Any) -> dict[str, Any]:
    return {
        "scenario": "delivery-park/utilisation", "variant": variant, "seed": seed, "lab": "virtual", "usable": True,
        "rtt_mean_ms": rtt_ms, "goodput_mbps": goodput_mbps, "pdus_per_s_dl": 500.0, "pdus_per_s_ul": 250.0,
        "part_data_reorder_ms": 0.0, "part_receiver_ms": 0.0, "bundle": f"{variant}-{seed}", "point": "",
        "param.radio.ues.ue1.bler_dl": 0.0,
    } | more  # fmt: skip


def rows() -> list[dict[str, Any]]:
    """Seeds of very different rates, whose shares are 0.6 in and 0.7 out of sequence."""
    return [
        line
        for seed in (1, 2)
        for line in (
            row("rtt20-free", seed, 20.0, 10.0 * seed),
            row("rtt20-harq8-in", seed, 33.0, 6.0 * seed, part_data_reorder_ms=9.0),
            row(
                "rtt20-harq8-out", seed, 31.0, 7.0 * seed, part_receiver_ms=8.0,
                **{"param.radio.rlc.delivery": "out_of_sequence"},
            ),
        )
    ]  # fmt: skip


def test_a_point_has_the_model_and_what_was_measured() -> None:
    (point,) = points([*rows(), row("rtt20-harq8-in", 3, 99.0, 0.1, usable=False), row("rtt50-harq8-in", 1, 60, 8)])
    assert (point.e2e_ms, point.harq_ms, point.printed) == (20, 8, "0.5257704")
    assert point.model_share == pytest.approx(0.5257704, abs=1e-6)
    assert {order: value.value for order, value in point.increment_ms.items()} == {"in": 13, "out": 11}
    assert {order: value.value for order, value in point.share.items()} == pytest.approx({"in": 0.6, "out": 0.7})
    assert point.share["in"].half_width == pytest.approx(0, abs=1e-9)
    assert point.in_flight == pytest.approx(16.5)
    assert (point.parts_ms["in"]["behind gaps"], point.parts_ms["out"]["receiver's TCP"]) == (9, 8)
    assert point.bounded_inc_ms is not None and 0 < point.bounded_inc_ms < point.model_inc_ms


def test_runs_of_the_model_are_no_sweep_of_table_4() -> None:
    assert all(belongs(r) for r in rows())
    assert sweeps(rows()) == []
    assert not belongs({"variant": "cubic-in"})


def test_without_pdus_nothing_is_bounded() -> None:
    (point,) = points([r | {"pdus_per_s_dl": None} for r in rows()])
    assert (point.bounded_inc_ms, point.bounded_share, point.in_flight) == (None, None, None)


def test_a_pdu_of_the_ladder_counts_once() -> None:
    link = replace(delivery.Link(), residual_bler=(0.1, 0.01), arq_retransmissions=1, nack_to_ack=0.0)
    delays, p = delivery.ladder_delays(link)
    assert delays.tolist() == [0, 8, 24, 32]  # an ARQ round: two transmissions and the report
    assert p == pytest.approx([0.9, 0.09, 0.009, 0.001])
    assert delivery.ladder_wait_ms(link, 1) == pytest.approx(float(delays @ p))
    waits = [delivery.ladder_wait_ms(link, n) for n in (1, 2, 4, 8, 100)]
    assert waits == sorted(waits)
    misread = delivery.ladder_delays(replace(link, nack_to_ack=0.01))[1]
    assert misread.sum() == pytest.approx(1)
    assert misread[2:].sum() == pytest.approx(0.011, rel=1e-2)
    assert np.all(np.diff(delivery.ladder_delays(delivery.Link())[0]) >= 0)


def test_causes_of_an_increment() -> None:
    claim = {
        "id": "u", "source": "Table 2", "scenario": "delivery-park/utilisation", "statement": "s", "unit": "1",
        "measure": {"metric": "goodput_mbps", "where": {"variant": "rtt20-harq8-in"}}, "explain": "increment",
        "ratio": {"metric": "goodput_mbps", "where": {"variant": "rtt20-free"}},
        "expect": {"value": 0.53, "tolerance": 0.005},
    }  # fmt: skip
    cause = evaluate_one(claim, rows()).cause
    assert "RTT 33.0 ms; against runs without loss: data: RLC reassembly and reordering +9.0 ms" in cause
    assert "16 PDUs are in flight: no more can wait" in cause
    out = claim | {"measure": {"metric": "goodput_mbps", "where": {"variant": "rtt20-harq8-out"}}}
    assert "waits for it in the receiver's TCP" in evaluate_one(out, rows()).cause
    empty = [r | {"pdus_per_s_dl": None} for r in rows()]
    assert evaluate_one(claim, empty).cause == "The runs have no RTT or no PDUs."


def test_figure_2_with_measurements() -> None:
    with style.theme():
        axes = utilisation_chart.draw(points(rows())).axes[0]
        stars = [(list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines if line.get_marker() == "*"]
        assert stars == [([20], [pytest.approx(0.6)]), ([20], [pytest.approx(0.7)])]


def test_report_has_the_comparison(tmp_path: Path) -> None:
    class Run:
        def __init__(self, row: dict[str, Any]) -> None:
            self.row = {"combination": None, "status": "usable", "receive_window_bytes": None} | row
            self.rows = [self.row]
            self.usable, self.readable, self.reasons = True, False, ()
            self.bundle = type("Bundle", (), {"path": Path(row["bundle"]), "manifest": {}})

    page = render(Results(tmp_path, []), [Run(r) for r in rows()], [], [], [])  # type: ignore[arg-type]
    collector = Collector()
    collector.feed(page)
    assert collector.open == []
    text = " ".join(" ".join(collector.text).split())
    assert "The model beside the emulator" in text
    assert "20 8 16 18.0" in text
    assert "behind gaps +9.0 / +0.0" in text
