# SPDX-License-Identifier: GPL-2.0-or-later
"""Surfaces over maxDAT and BLER: cells, Ret_A and Ret_B, Table II, the claims' rows, tables and figures."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl
import pytest
from collector import Collector
from rich.console import Console
from synthetic_surface import BLERS, SCENARIO, SESSION, row, rows

import cellbed_analysis
from cellbed_analysis.claims.claim import check
from cellbed_analysis.claims.judge import evaluate_one
from cellbed_analysis.figures import gallery, style
from cellbed_analysis.metrics.run import RunAnalysis
from cellbed_analysis.report.headline import headline
from cellbed_analysis.report.make import LISTED_MAX, listed_runs, render
from cellbed_analysis.studies.maxdat_demey import demey, maxdat, measured_chart
from cellbed_analysis.studies.maxdat_demey.sweep import claim_rows, mismatch, surfaces
from cellbed_analysis.studies.maxdat_demey.tables import cell_text, console_tables, parts, table2
from cellbed_formats.bundle import Results


class Bundle:
    """What the report asks of a bundle that is not there."""

    path = Path("nowhere")
    radio_stats: ClassVar[dict[str, object]] = {}
    manifest: ClassVar[dict[str, object]] = {}
    settings: ClassVar[dict[str, object]] = {}
    validity_reasons: ClassVar[list[str]] = []


def test_a_cell_is_the_mean_of_its_seeds() -> None:
    (surface,) = surfaces(rows())
    assert (surface.scenario, surface.rate_kbps, surface.study) == (SCENARIO, 128, "")
    assert (surface.blers, surface.maxdats) == (BLERS, tuple(range(1, 13)))
    cell = surface.cell(0.2, 6)
    assert cell is not None and cell.seeds == 3 and cell.rtt_s is not None
    assert cell.kbps.value == pytest.approx(1.1e-3 * maxdat.throughput(0.2, 6, SESSION))
    # Three seeds one percent apart: t for 2 degrees of freedom is 4.303, the deviation 1 %.
    assert cell.kbps.half_width == pytest.approx(cell.kbps.value * 0.01 * 4.302652729911275 / 3**0.5, rel=1e-4)
    assert cell.facts["karn_rtt_samples"] == 402 and cell.facts["rto_count"] == 60
    assert surface.cell(0.26, 6) is None


def test_the_sessions_are_of_the_runs_own_parameters() -> None:
    (surface,) = surfaces(rows())
    assert surface.printed == replace(SESSION, t_polling_s=0.085)
    assert surface.printed is not None and (surface.printed.pdus, surface.printed.pdus_per_tti) == (26, 4)
    # RTT_Wired is the RTT without errors, which is 1 % above Table I's here.
    assert surface.rtt_wired_s == pytest.approx(1.01 * 1.283)
    assert surface.session == replace(SESSION, rtt_wired_s=surface.rtt_wired_s)
    without = surfaces([r for r in rows() if r["utran_bler"] > 0])[0]
    assert without.rtt_wired_s is None and without.session == without.printed
    free = surfaces([r | {"param.tcp.mss": None} for r in rows()])[0]
    assert free.session is None and mismatch(free, "rtt") is None and free.frame()["ret_b"][0] == 1


def test_ret_a_and_ret_b_are_those_of_the_model_where_the_shape_is() -> None:
    (surface,) = surfaces(rows())
    for bler in BLERS:
        low, high = maxdat.limits(bler, SESSION)
        assert surface.limits(bler) == (int(low), int(high))
    dead = surfaces([r | {"transfer_kbps": 0.0} for r in rows((0.4,))])[0]
    assert dead.limits(0.4) == (1, 1)


def test_table_2_leaves_out_what_is_below_ret_a() -> None:
    measured = rows()
    (surface,) = surfaces(measured)
    low = sum(surface.limits(bler)[0] - 1 for bler in BLERS)
    line = mismatch(surface, "throughput", surface.printed)
    assert line is not None and line.cells == 108 - low
    assert (line.mean_percent, line.max_percent) == pytest.approx((100 / 11, 100 / 11))
    rtt = mismatch(surface, "rtt", surface.printed)
    assert rtt is not None and rtt.mean_percent == pytest.approx(100 / 101)
    # An RTT out of all bounds below Ret_A changes nothing.
    wild = [r | ({"karn_rtt_mean_s": 99.0} if (r["utran_bler"], r["utran_max_dat"]) == (0.4, 1) else {})
            for r in measured]  # fmt: skip
    assert mismatch(surfaces(wild)[0], "rtt", surface.printed) == rtt
    (printed,) = table2([surface])
    assert printed.paper == {"rtt": ("6.93", "13.85"), "throughput": ("8.90", "34.79")}
    assert printed.found["rtt"] != printed.printed["rtt"]


def test_studies_are_never_averaged() -> None:
    other = [r | {"point": f"delay_ms=0, {r['point']}"} for r in rows((0.2, 0.4), variant="no-wire")]
    found = surfaces([*rows(), *other, row(0.2, 6) | {"usable": False, "transfer_kbps": 1e9}])
    assert [(s.study, len(s.cells), s.cells[0].seeds) for s in found] == [("", 108, 3), ("no-wire", 24, 3)]
    assert not table2(found[1:])
    assert surfaces([{"usable": True, "scenario": "static", "lab": "virtual"}]) == []


def claim(**keys: object) -> dict[str, object]:
    return check({"id": "x", "source": "s", "scenario": SCENARIO, "statement": "t", "unit": "1"} | keys)


def test_claims_measure_runs_and_surfaces() -> None:
    measured = [*rows(), *rows(rate_kbps=32)]
    every = [*measured, *claim_rows(surfaces(measured))]
    where = {"utran_bler": 0.2, "utran_max_dat": 6}
    ratio = claim(
        tests="words", measure={"metric": "transfer_kbps", "where": where}, expect={"above": 1},
        ratio={"metric": "transfer_kbps", "where": where | {"utran_max_dat": 3}},
    )  # fmt: skip
    outcome = evaluate_one(ratio, every)
    assert outcome.verdict == "reproduced" and outcome.measured is not None
    assert outcome.measured.value == pytest.approx(
        maxdat.throughput(0.2, 6, SESSION) / maxdat.throughput(0.2, 3, SESSION)
    )
    ret_b = claim(measure={"metric": "ret_b", "where": {"utran_bler": 0.2}}, expect={"value": 99, "tolerance": 0},
                  tests="digits", explain="maxdat")  # fmt: skip
    outcome = evaluate_one(ret_b, every)
    assert outcome.verdict == "differs" and outcome.measured is not None
    assert outcome.measured.value == maxdat.limits(0.2, SESSION)[1]
    assert "128 kbit/s, BLER 0.2, surface: Ret_A" in outcome.cause
    rises = claim(measure={"metric": "ret_a", "over": "utran_bler"}, expect={"trend": "rises", "effect": 1},
                  tests="direction")  # fmt: skip
    assert evaluate_one(rises, every).verdict == "reproduced"
    both = claim(
        tests="words", scenario=[SCENARIO, SCENARIO.replace("128k", "32k")], expect={"above": 0},
        measure={"metric": "rtt_wired_s", "where": {"utran_rate_kbps": 32}},
        minus={"metric": "rtt_wired_s", "where": {"utran_rate_kbps": 128}},
    )  # fmt: skip
    outcome = evaluate_one(both, every)
    assert outcome.measured is not None and outcome.measured.value == pytest.approx(1.01 * (5.1966 - 1.283))
    assert evaluate_one(both, rows()).verdict == "not-run"


def test_causes_are_counted_facts() -> None:
    wrong = claim(measure={"metric": "transfer_kbps", "where": {"utran_bler": 0.2, "utran_max_dat": 6}},
                  expect={"value": 1, "tolerance": 0}, tests="digits", explain="maxdat")  # fmt: skip
    cause = evaluate_one(wrong, rows()).cause
    assert cause.startswith("128 kbit/s, BLER 0.2, maxDAT 6, mean of 3 runs: ")
    assert "60 timeouts" in cause and "Errors leave 102.4 kbit/s of the link: a full window takes 1.62 s" in cause


def test_whole_surface() -> None:
    whole = next(r for r in claim_rows(surfaces(rows())) if r.get("surface"))
    assert whole["rtt_below_wired_cells"] == 0 and whole["rtt_cells"] == 108 - sum(
        int(maxdat.limits(b, SESSION)[0]) - 1 for b in BLERS
    )
    assert whole["rtt_bend_percent"] > 0 and 0.5 < whole["throughput_line_r2"] < 1
    low = [r | {"karn_rtt_mean_s": 0.5} if r["utran_max_dat"] < 3 else r for r in rows()]
    assert next(r for r in claim_rows(surfaces(low)) if r.get("surface"))["rtt_below_wired_cells"] == 18


def test_table_2_spreads_as_the_jackknife_over_seeds_has_it() -> None:
    """Seeds differ by 1 %: throughputs are 10 % above the model, seed by seed 9 to 11 %."""
    (surface,) = surfaces([r | {"karn_rtt_mean_s": r["karn_rtt_mean_s"] / 1.01} for r in rows()])
    whole = next(r for r in claim_rows([surface]) if r.get("surface"))
    assert (whole["runs"], whole["interval"]) == (3, "jackknife over 3 seeds")
    left_out = []
    for seed in (1, 2, 3):
        (part,) = surfaces([r for r in surface.rows if r["seed"] != seed])
        line = mismatch(part, "throughput")
        assert line is not None
        left_out.append(line.mean_percent)
    half = (whole["table2_throughput_mean_percent_high"] - whole["table2_throughput_mean_percent_low"]) / 2
    assert half == pytest.approx(4.302652729911275 * (2 * np.var(left_out)) ** 0.5) and half > 0.5
    alone = claim_rows(surfaces([r for r in rows() if r["seed"] == 1]))
    assert not any("runs" in r for r in alone)


def test_table_2_is_judged_within_its_spread() -> None:
    every = [*rows(), *claim_rows(surfaces(rows()))]
    table = claim(measure={"metric": "table2_throughput_mean_percent", "where": {"surface": True}}, tests="spread",
                  expect={"value": 8.9, "rounding": 0.005, "runs": 3}, explain="maxdat")  # fmt: skip
    found = evaluate_one(table, every)
    assert found.verdict == "undecided"  # chance leaves more than half of it open
    half = found.measured.half_width if found.measured else None
    assert found.judgement is not None and half is not None
    assert found.judgement.compared.half_width == pytest.approx(half * 2**0.5)


def test_nothing_is_judged_by_a_part_of_the_surface() -> None:
    part = [r for r in rows() if (r["utran_bler"], r["utran_max_dat"]) != (0.2, 9)]
    found = claim_rows(surfaces(part))
    assert not any(r.get("surface") for r in found)
    assert [r["utran_bler"] for r in found] == [b for b in BLERS if b != 0.2]
    fewer = claim_rows(surfaces([r for r in rows() if r["utran_bler"] != 0.05]))
    assert not any(r.get("surface") for r in fewer) and len(fewer) == 8
    study = [r | {"point": f"delay_ms=0, {r['point']}"} for r in rows((0.4,), variant="no-wire")]
    assert [r.get("surface") for r in claim_rows(surfaces(study[6:12]))] == [None, True]


def test_cells_of_a_map_meet_halfway() -> None:
    assert measured_chart.edges((1, 3, 4)) == {1: (0, 2), 3: (2, 3.5), 4: (3.5, 4.5)}


def test_cells_in_words() -> None:
    (surface,) = surfaces(rows())
    cell = surface.cell(0.0, 1)
    assert cell is not None
    assert cell_text(cell, "rtt") == "1.30 ± 0.03" and cell_text(cell, "rtt", False) == "(1.30 ± 0.03)"
    assert cell_text(None, "rtt") == cell_text(replace(cell, rtt_s=None), "rtt") == "·"
    output = io.StringIO()
    for table in console_tables([surface]):
        Console(file=output, width=80).print(table)
    assert SCENARIO in output.getvalue() and "142.7" in output.getvalue() and "…" not in output.getvalue()
    assert headline([*rows(), *rows(rate_kbps=32)], []) == []


def test_frame_has_measurements_beside_the_model() -> None:
    frame = surfaces(rows())[0].frame()
    cell = frame.filter((pl.col("bler") == 0.2) & (pl.col("maxdat") == 6)).row(0, named=True)
    assert cell["kbps_low"] < cell["kbps"] < cell["kbps_high"]
    assert cell["model_kbps"] == pytest.approx(cell["kbps"] / 1.1, rel=0.02)


FIGURES = (
    "maxdat-fig2-rtt", "maxdat-fig4-throughput", "maxdat-fig5-closed-form", "maxdat-fig6-cut", "maxdat-fig7-cut",
)  # fmt: skip


@pytest.fixture
def runs() -> list[RunAnalysis]:
    measured = [*rows(), *rows((0.0, 0.1, 0.2, 0.4), rate_kbps=384)]
    return [RunAnalysis(Bundle, r | {"status": "usable"}) for r in measured]  # type: ignore[arg-type]


def test_figures_draw(runs: list[RunAnalysis]) -> None:
    specs = {spec.name: spec for spec in gallery.available(runs) if spec.name.startswith("maxdat")}
    assert tuple(specs) == FIGURES
    with style.theme():
        figure = specs["maxdat-fig4-throughput"].draw()
        titled = {axes.get_title(): axes for axes in figure.axes if axes.get_xlabel() == "BLER"}
        assert set(titled) == {f"{r} kbit/s, {kind}" for r in (128, 384) for kind in ("measured", "closed form")}
        drawn = np.asarray(titled["128 kbit/s, measured"].collections[0].get_array())
        assert drawn.shape == (12, 9) and drawn[5, 4] == pytest.approx(1.1e-3 * maxdat.throughput(0.2, 6, SESSION))
        cut = specs["maxdat-fig7-cut"].draw()
        assert [axes.get_title() for axes in cut.axes[:2]] == ["128 kbit/s, BLER 0.4", "384 kbit/s, BLER 0.4"]
        assert all(spec.draw().axes for spec in specs.values())


def test_cut_marks_what_the_text_says() -> None:
    with style.theme():
        figure = measured_chart.draw_cut(0.15, surfaces(rows((0.0, 0.15)))[:1])
        lines = [line for axes in figure.axes for line in axes.lines]
        marks = [line for line in lines if line.get_marker() == "D" and len(line.get_xdata()) == 1]
        assert [(m.get_xdata()[0], m.get_ydata()[0]) for m in marks] == [(6, 1.4), (6, 115)]
        studies = [r | {"point": f"delay_ms=0, {r['point']}"} for r in rows((0.15,), variant="no-wire")]
        figure = measured_chart.draw_studies(0.15, surfaces([*rows((0.15,)), *studies]))
        named = [text.get_text() for text in figure.legends[0].get_texts()]
        assert named == ["paper's text", "as the sweep", "no-wire"]


def test_report_has_table_2_and_surfaces(runs: list[RunAnalysis], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cellbed_analysis.report.make.timelines", lambda *_: [])  # these runs have no traces
    html = render(Results(Path(), []), runs, [], [], [])
    Collector().feed(html)
    text = " ".join(html.split())
    assert "13.85" in text and "9.09" in text and "Ret_A, Ret_B measured" in text
    assert f"{len([r for r in runs if r.row['utran_rate_kbps'] == 128])} runs, 194400 s of traffic" in text
    assert [p.surface.rate_kbps for p in parts([r.row for r in runs])] == [128, 384]


def test_very_many_runs_are_not_listed_one_by_one(runs: list[RunAnalysis]) -> None:
    assert listed_runs(runs) == runs
    many = [replace(run) for run in runs * (LISTED_MAX // len(runs) + 1)][: LISTED_MAX + 1]
    bad = many[7].set_apart("invalid", "late")
    few = listed_runs([*many[:7], bad, *many[8:]])
    assert len(few) == 3 and bad in few


def test_the_text_of_the_paper_is_what_the_figures_mark() -> None:
    assert measured_chart.PRINTED["rtt"] == (128, 0.15, 6, 1.4)
    assert float(demey.FIGURE7_BLER) == 0.4
    assert cellbed_analysis.__doc__
