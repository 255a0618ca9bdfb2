# SPDX-License-Identifier: GPL-2.0-or-later
"""What the report shows of the delivery paper, and when."""

from __future__ import annotations

from pathlib import Path

import pytest
from collector import Collector
from synthetic_bundle import write_bundle

import cellbed_analysis
from cellbed_analysis.figures import gallery, style
from cellbed_analysis.metrics.run import RunAnalysis, analyse
from cellbed_analysis.studies.delivery_park import park, utilisation_chart
from cellbed_analysis.studies.delivery_park.tables import beside, concerns, models
from cellbed_formats.bundle import load_results


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("delivery")
    write_bundle(path, scenario="delivery-park/arq-rate", duration_s=2)
    return path


@pytest.fixture(scope="module")
def runs(results: Path) -> list[RunAnalysis]:
    return [analyse(bundle) for bundle in load_results(results).bundles]


def test_both_tables_agree_in_every_cell() -> None:
    found = models()
    assert len(found.ladder) == 22
    assert all(line.cell.same for line in found.ladder)
    assert found.total.same
    assert [e2e_ms for e2e_ms, _ in found.utilisation] == list(range(10, 201, 10))
    assert all(cell.same for _, cells in found.utilisation for cell in cells)


def test_a_cell_that_differs_in_its_last_digit_shows() -> None:
    assert beside("1.163E-06", 1.1628e-6).same
    assert not beside("1.162E-06", 1.1628e-6).same
    assert beside("0.90891", 0.90891004, "0.0000000").same
    assert not beside("0.90891", 0.9089104, "0.0000000").same


def test_only_results_of_this_paper_have_the_part() -> None:
    assert concerns([{"scenario": "d2d-nardini/static"}, {"scenario": "delivery-park/arq-rate"}])
    assert not concerns([{"scenario": "d2d-nardini/static"}])


def test_report_shows_paper_beside_computed(results: Path) -> None:
    page = Collector()
    source = cellbed_analysis.write_report(results).read_text()
    page.feed(source)
    text = " ".join(" ".join(page.text).split())
    assert page.open == []
    assert "1 ARQ, 1 HARQ, NACK-to-ACK 0.0001 48 0.1176 0.1176" in text
    assert "Total 9.0197103 9.0197103" in text
    assert "170 0.9040658 0.9040658 0.856153 0.8561530 0.8026638 0.8026638" in text
    section = source.split('id="delivery"')[1].split("<h2")[0]
    assert 'class="bad"' not in section
    assert "delivery-fig2-utilisation" in source


def test_figure_2(runs: list[RunAnalysis]) -> None:
    assert "delivery-fig2-utilisation" in [spec.name for spec in gallery.available(runs)]
    with style.theme():
        axes = utilisation_chart.draw().axes[0]
        curves, marks = axes.lines[::2], axes.lines[1::2]
        assert len(curves) == len(marks) == 3
        for curve, mark in zip(curves, marks, strict=True):
            assert list(mark.get_xdata()) == list(park.TABLE2)
            on_curve = dict(zip(curve.get_xdata(), curve.get_ydata(), strict=True))
            assert (on_curve[10], on_curve[200]) == pytest.approx((mark.get_ydata()[0], mark.get_ydata()[-1]), abs=1e-7)
