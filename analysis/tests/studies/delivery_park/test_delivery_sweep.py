# SPDX-License-Identifier: GPL-2.0-or-later
"""Table 4 and Figure 3 from rows of metrics made up so that every number can be worked out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from collector import Collector
from synthetic_bundle import write_bundle

import cellbed_analysis
from cellbed_analysis.figures import gallery, style
from cellbed_analysis.metrics.run import RunAnalysis, analyse
from cellbed_analysis.report.make import render
from cellbed_analysis.studies.delivery_park import gain_chart, park, window_chart
from cellbed_analysis.studies.delivery_park.sweep import RATE, paired_percent, studies, sweeps, variant_of
from cellbed_formats.bundle import Results, read_bundle

SCENARIO = "delivery-park/arq-rate"
RATES = (0.001, 0.01, 0.05)
CONTROLS = ("cubic-modern", "bbr", "newreno", "cubic", "yeah", "westwood", "illinois")


def row(cc: str, order: str, rate: float, seed: int, **more: Any) -> dict[str, Any]:
    """A run: IN has 100 Mbit/s + seed at the lowest rate, OUT 1.2 and PDCP 1.1 times as much."""
    factor = {"in": 1.0, "out": 1.2 + 0.01 * (seed % 2), "pdcp": 1.1}[order]
    return {
        "scenario": SCENARIO, "variant": f"{cc}-{order}", "seed": seed, "lab": "virtual", "usable": True,
        "point": f"bler_dl={rate}", RATE: rate, "bundle": f"{cc}-{order}-{rate}-{seed}",
        "file_goodput_mbps": (100 + seed) * factor * RATES[0] / rate, "goodput_mbps": 1.0,
        "spurious_retransmits": {"in": 0, "out": 10 + seed, "pdcp": 1}[order], "ack_compression": 0.25,
    } | more  # fmt: skip


@pytest.fixture
def rows() -> list[dict[str, Any]]:
    return [
        row(cc, order, rate, seed)
        for cc in CONTROLS for order in ("out", "in", "pdcp") for rate in RATES for seed in range(1, 11)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("variant", "found"),
    [
        ("cubic-in", ("cubic", "in")),
        ("cubic-modern-pdcp", ("cubic-modern", "pdcp")),
        ("DM-IM", None),
        ("in", None),
        (None, None),
    ],
)
def test_names_of_variants(variant: str | None, found: tuple[str, str] | None) -> None:
    assert variant_of({"variant": variant}) == found


def test_a_cell_has_means_gains_and_the_papers_numbers(rows: list[dict[str, Any]]) -> None:
    (sweep,) = sweeps(rows)
    assert (sweep.rates, sweep.orders, sweep.metric) == (RATES, ("in", "out", "pdcp"), "file_goodput_mbps")
    assert len(sweep.cells) == 21
    assert [cell.congestion_control for cell in sweep.at(0.01)] == [*park.TABLE4_MBPS, "bbr", "cubic-modern"]
    cell = next(c for c in sweep.at(0.01) if c.congestion_control == "westwood")
    assert cell.seeds == tuple(range(1, 11))
    assert cell.goodput_mbps["in"].value == pytest.approx(10.55)
    # Standard deviation of 0.1 .. 1.0 is 0.30277; t for 9 degrees of freedom is 2.262.
    assert cell.goodput_mbps["in"].half_width == pytest.approx(2.262 * 0.30277 / 10**0.5, rel=1e-4)
    assert cell.gain_percent["out"].value == pytest.approx(120.5)
    assert cell.gain_percent["out"].half_width == pytest.approx(2.262 * 0.52705 / 10**0.5, rel=1e-4)
    assert cell.gain_percent["pdcp"].value == pytest.approx(110)
    assert cell.gain_percent["pdcp"].half_width == pytest.approx(0, abs=1e-9)
    assert (cell.paper_mbps, cell.paper_percent) == ({"in": 35.0, "out": 55.3}, 158)
    causes = {cause.label: cause.values for cause in cell.causes}
    assert set(causes) == {"spurious retransmits", "ACK compression, way back"}
    spurious = causes["spurious retransmits"]
    assert [spurious[order].value for order in ("in", "out", "pdcp")] == [0, 15.5, 1]
    assert [c.paper_percent for c in sweep.at(0.01) if c.congestion_control == "bbr"] == [None]


def test_gains_are_paired_by_seed() -> None:
    """Radio of very different seeds: the ratio is 110 % with every one of them."""
    reference = [{"seed": s, "g": 10.0**s} for s in (1, 2, 3, 4)]
    other = [{"seed": s, "g": 1.1 * 10.0**s} for s in (3, 2, 1, 5)]
    found = paired_percent(reference, other, "g")
    assert found is not None
    assert found.value == pytest.approx(110)
    assert found.half_width == pytest.approx(0, abs=1e-9)
    assert paired_percent(reference, [{"seed": 9, "g": 1.0}], "g") is None
    assert paired_percent([{"seed": 1, "g": None}], [{"seed": 1, "g": 1.0}], "g") is None


def test_unusable_runs_other_scenarios_labs_and_points_stay_apart(rows: list[dict[str, Any]]) -> None:
    cell = [row("cubic", order, 0.01, seed) for order in ("in", "out") for seed in (1, 2)]
    noise = [
        row("cubic", "in", 0.01, 3, usable=False, file_goodput_mbps=1e6),
        row("cubic", "in", 0.01, 4, scenario="d2d-nardini/static", file_goodput_mbps=1e6),
        row("cubic", "in", 0.01, 5, variant="cubic", file_goodput_mbps=1e6),
    ]
    (sweep,) = sweeps(cell + noise)
    assert sweep.cells[0].seeds == (1, 2)
    others = [row("cubic", "in", 0.01, 1, lab="native"), row("cubic", "in", 0.01, 1, point="bler_dl=0.01, mss=536")]
    found = sweeps(cell + others)
    assert [(s.lab, s.point) for s in found] == [("native", ""), ("virtual", ""), ("virtual", "mss 536")]
    assert found[1] == sweep


def test_what_a_variant_sets_parts_nothing() -> None:
    """The point of a run names what its variant sets, too: IN and OUT stay in one sweep."""
    cell = [
        row("cubic", order, rate, seed, point=f"bler_dl={rate}, congestion_control=cubic, delivery={order}")
        for order in ("in", "out") for rate in (0.01, 0.05) for seed in (1, 2)
    ]  # fmt: skip
    (sweep,) = sweeps(cell)
    assert (sweep.point, len(sweep.cells), sweep.orders) == ("", 2, ("in", "out"))


def test_without_files_the_steady_goodput_counts() -> None:
    cell = [row("cubic", order, 0.02, 1, file_goodput_mbps=None) for order in ("in", "out")]
    (sweep,) = sweeps(cell)
    assert sweep.metric == "goodput_mbps"
    assert sweep.cells[0].gain_percent["out"].value == 100
    assert sweep.cells[0].paper_percent is None  # not one of the paper's rates


def test_figure_3(rows: list[dict[str, Any]]) -> None:
    with style.theme():
        figure = gain_chart.draw(sweeps(rows)[0])
        assert [axes.get_title(loc="left") for axes in figure.axes] == [
            "loss of 0.1 %", "loss of 1 %", "loss of 5 %",
        ]  # fmt: skip
        for column, axes in enumerate(figure.axes):
            heights = [bar.get_height() for bar in axes.patches]
            assert heights == pytest.approx([120.5] * 7 + [110.0] * 7)
            paper = next(line for line in axes.lines if line.get_marker() == gain_chart.PAPER_MARK)
            assert list(paper.get_ydata()) == [percents[column] for percents in park.FIGURE3_PERCENT.values()]
            bars = axes.containers[0].lines[2][0].get_segments()
            assert bars[0][1, 1] - bars[0][0, 1] == pytest.approx(2 * 2.262 * 0.52705 / 10**0.5, rel=1e-4)


def test_runs_of_a_sweep_have_no_figures_each(tmp_path: Path) -> None:
    made = analyse(read_bundle(write_bundle(tmp_path, scenario=SCENARIO, duration_s=2, variant="cubic-in")))
    assert list(gallery.representatives([made])) == ["cubic-in"]
    swept = RunAnalysis(made.bundle, made.row | {RATE: 0.01})
    assert gallery.representatives([swept]) == {}
    other = RunAnalysis(made.bundle, swept.row | {"variant": "cubic-out", "file_goodput_mbps": 12.0})
    assert "delivery-fig3-gain" not in [spec.name for spec in gallery.available([swept])]
    both = [RunAnalysis(made.bundle, swept.row | {"file_goodput_mbps": 10.0}), other]
    assert "delivery-fig3-gain" in [spec.name for spec in gallery.available(both)]


def test_a_gain_without_interval_has_no_bar() -> None:
    sweep = sweeps([row("cubic", order, 0.01, 1) for order in ("in", "out")])[0]
    assert gain_chart.errors([sweep.cells[0].gain_percent["out"]]) == [[0], [0]]


def test_report_has_table_4_with_causes(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    """Rendered from rows alone: two runs with the names of a sweep stand for the bundles."""
    path = tmp_path / "results"
    for order in ("in", "out"):
        made = write_bundle(path / order, scenario=SCENARIO, duration_s=2, variant=f"cubic-{order}")
        made.rename(path / f"cubic-{order}")
        (path / order).rmdir()
    source = cellbed_analysis.write_report(path).read_text()
    assert "In-sequence against out-of-sequence delivery, measured" not in source, "no rate is swept"

    class Run:
        """What the template reads of a run."""

        def __init__(self, row: dict[str, Any]) -> None:
            self.row = {"combination": None, "status": "usable", "receive_window_bytes": None} | row
            self.rows = [self.row]
            self.usable, self.readable, self.reasons = True, False, ()
            self.bundle = type("Bundle", (), {"path": Path(row["bundle"]), "manifest": {}})

    page = render(Results(path, []), [Run(r) for r in rows], [], [], [])  # type: ignore[arg-type]
    collector = Collector()
    collector.feed(page)
    assert collector.open == []
    text = " ".join(" ".join(collector.text).split())
    assert "Loss after HARQ: 0.1 %" in text
    assert "illinois 10 105.5 ± 2.2 127.1 ± 2.6 116.0 ± 2.4 132.3 136.4 120.5 ± 0.4 110.0 ± 0.0 103" in text
    assert "spurious retransmits 0.0 / 15.5 / 1.0; ACK compression, way back 0.250 / 0.250 / 0.250" in text
    assert "cubic-modern 10 105.5 ± 2.2" in text


def windows() -> list[dict[str, Any]]:
    """A study of windows beside a sweep without one: OUT makes 30 % more at 64 KiB, 40 % more where autotuned."""
    return [row(cc, order, 0.01, seed) for cc in ("cubic", "newreno") for order in ("in", "out") for seed in (1, 2)] + [
        row(
            cc, order, 0.01, seed, scenario="delivery-park/windows", receive_window_bytes=window, cwnd_reductions=7,
            file_goodput_mbps=10.0 * seed * (gain if order == "out" else 1),
        )
        for cc in ("cubic", "newreno") for order in ("in", "out") for seed in (1, 2)
        for window, gain in ((None, 1.4), (65536, 1.3), (262144, 1.5))
    ]  # fmt: skip


def test_windows_are_never_averaged() -> None:
    """The study stands apart, smallest window first; a scenario that varies none has no point."""
    plain, *study = sweeps(windows())
    assert (plain.point, plain.scenario) == ("", SCENARIO)
    assert [s.point for s in study] == [f"receive window {w}" for w in ("64 KiB", "256 KiB", "autotuned")]
    gains = [s.cell("newreno", 0.01).gain_percent["out"].value for s in study]  # type: ignore[union-attr]
    assert gains == pytest.approx([130, 150, 140])
    assert studies([plain, *study]) == {"delivery-park/windows, virtual lab": study}
    cell = study[0].cell("cubic", 0.01)
    assert cell is not None and cell.cause("cwnd reductions", "out").value == 7  # type: ignore[union-attr]
    assert (cell.cause("timeouts", "out"), study[0].cell("bbr", 0.01)) == (None, None)


def test_figure_of_a_study() -> None:
    with style.theme():
        figure = window_chart.draw(sweeps(windows())[1:])
        assert len(figure.axes) == 2
        axes = figure.axes[0]
        assert [label.get_text() for label in figure.axes[1].get_xticklabels()] == ["64 KiB", "256 KiB", "autotuned"]
        lines = {line.get_label(): list(line.get_ydata()) for line in axes.lines}
        assert lines["paper, in sequence"] == [22.0, 22.0]
        drawn = [list(container.lines[0].get_ydata()) for container in axes.containers]
        assert drawn == [pytest.approx([15, 15, 15]), pytest.approx([19.5, 22.5, 21.0])]


def test_queues_stand_in_order_beside_the_bandwidth_delay_product() -> None:
    """The product of 220 Mbit/s and 13 ms, 249.65 packets: half-way from a queue of 49.65 to one of 449.65."""
    study = sweeps([
        row("cubic", order, 0.01, 1, point=f"queue_pkts={queue}, bler_dl=0.01", receive_window_bytes=None)
        for queue in (1049.65, 449.65, 49.65) for order in ("in", "out")
    ])  # fmt: skip
    with style.theme():
        axes = window_chart.draw(study).axes[0]
        assert [label.get_text() for label in axes.get_xticklabels()] == ["49.65", "449.65", "1049.65"]
        assert axes.get_xlabel() == "queue of the eNB (packets)"
        (line,) = [line for line in axes.lines if line.get_label() == "bandwidth-delay product"]
        assert line.get_xdata() == pytest.approx([0.5, 0.5], abs=1e-3)
    with style.theme():
        windowed = window_chart.draw(sweeps(windows())[1:]).axes[-1]
        assert windowed.get_xlabel() == "receive window"
        assert "bandwidth-delay product" not in [line.get_label() for line in windowed.lines]


@pytest.mark.parametrize(("points", "label", "ticks"), [
    (("mode=um", "mode=2 am"), "mode", ["2 am", "um"]),
    (("mss=536, n_rb=6", "mss=1460, n_rb=50"), "", ["mss 536, n_rb 6", "mss 1460, n_rb 50"]),
])  # fmt: skip
def test_values_are_words_too_and_several_parameters_have_no_name(points, label, ticks) -> None:
    study = sweeps([
        row("cubic", order, 0.01, 1, point=f"bler_dl=0.01, {point}", receive_window_bytes=None)
        for point in points for order in ("in", "out")
    ])  # fmt: skip
    with style.theme():
        axes = window_chart.draw(study).axes[0]
        assert [text.get_text() for text in axes.get_xticklabels()] == ticks
        assert axes.get_xlabel() == label


def test_report_has_the_study(tmp_path: Path) -> None:
    class Run:
        def __init__(self, row: dict[str, Any]) -> None:
            self.row = {"combination": None, "status": "usable", "receive_window_bytes": None} | row
            self.rows = [self.row]
            self.usable, self.readable, self.reasons = True, False, ()
            self.bundle = type("Bundle", (), {"path": Path(row["bundle"]), "manifest": {}})

    page = render(Results(tmp_path, []), [Run(r) for r in windows()], [], [], [])  # type: ignore[arg-type]
    collector = Collector()
    collector.feed(page)
    assert collector.open == []
    text = " ".join(" ".join(collector.text).split())
    assert "cubic receive window 64 KiB 15.0 19.5 130 7 receive window 256 KiB 15.0 22.5 150 7" in text
    assert "paper 22.0 27.5 125 newreno" in text
