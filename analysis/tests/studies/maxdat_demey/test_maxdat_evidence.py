# SPDX-License-Identifier: GPL-2.0-or-later
"""`maxdat --results`: measured points beside the closed form's proposal, and what may not be asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_bundle import write_bundle
from synthetic_surface import SESSION, rows

from cellbed_analysis.__main__ import main
from cellbed_analysis.studies.maxdat_demey import evidence, maxdat
from cellbed_analysis.studies.maxdat_demey.evidence import between, nearest, propose
from cellbed_analysis.studies.maxdat_demey.sweep import surfaces


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A results directory whose runs are made up."""
    made = [*rows(), *rows(rate_kbps=32)]
    found = [type("Run", (), {"row": row}) for row in made]
    monkeypatch.setattr(evidence, "load_results", lambda path: type("Results", (), {"bundles": []}))
    monkeypatch.setattr(evidence, "analyse_all", lambda bundles: found)
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], results: Path, *options: str) -> str:
    assert main(["maxdat", "--results", str(results), *options]) == 0
    return capsys.readouterr().out


def test_nearest_bler() -> None:
    assert nearest((0.0, 0.1, 0.2), 0.1 + 1e-12) == (0.1,)
    assert nearest((0.0, 0.1, 0.2), 0.17) == (0.1, 0.2)
    assert nearest((0.0, 0.1, 0.2), 0.3) == nearest((0.1, 0.2), 0.05) == ()


def test_between_is_linear_and_never_guesses() -> None:
    (surface,) = surfaces(rows())
    low, high = surface.cell(0.1, 6), surface.cell(0.2, 6)
    assert low is not None and high is not None and low.rtt_s is not None and high.rtt_s is not None
    at = between(surface, 6, 0.125, (0.1, 0.2))
    assert at is not None
    assert at.kbps == pytest.approx(0.75 * low.kbps.value + 0.25 * high.kbps.value)
    assert at.rtt_s == pytest.approx(0.75 * low.rtt_s.value + 0.25 * high.rtt_s.value)
    cells = tuple(replace(cell, rtt_s=None) if cell is low else cell for cell in surface.cells)
    gap = between(replace(surface, cells=cells), 6, 0.125, (0.1, 0.2))
    assert gap is not None and gap.rtt_s is None and gap.kbps == at.kbps
    without = replace(surface, cells=tuple(cell for cell in surface.cells if cell is not high))
    assert between(without, 6, 0.125, (0.1, 0.2)) is None


def test_measured_points_beside_the_model(measured: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, measured, "--bler", "0.2", "--rate", "128kbit")
    model, emulated = text.split("\n\nEmulated, ")
    assert model.startswith("maxDAT 7 for the highest throughput")
    assert emulated.startswith("maxdat-demey/sweep-128k, virtual lab, 3 runs a point, at BLER 0.2:\n")
    table = [line.replace(">", " ").split() for line in emulated.splitlines()[3:15]]
    of = replace(SESSION, rtt_wired_s=1.01 * 1.283)
    assert table[6][0] == "7" and "> " in emulated.splitlines()[9]
    assert table[6][1:5] == [
        f"{1.01 * maxdat.rtt_tcp(0.2, 7, SESSION):.3f}", f"{maxdat.rtt_tcp(0.2, 7, of):.3f}",
        f"{1.1e-3 * maxdat.throughput(0.2, 7, SESSION):.1f}", f"{1e-3 * maxdat.throughput(0.2, 7, of):.1f}",
    ]  # fmt: skip
    assert table[6][5] == "±"
    assert "By these measurements the proposal would be maxDAT 7, too." in emulated


def test_interpolation_is_stated(measured: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, measured, "--bler", "0.17", "--rate", "128kbit", "--min-throughput", "60kbit")
    assert "at BLER 0.15 and 0.2, the nearest measured; between them linearly interpolated" in text
    assert "kbit/s at 0.15 and 0.2" in text


def test_goals_of_the_measurements() -> None:
    (surface,) = surfaces(rows())
    points = [at for m in surface.maxdats if (at := between(surface, m, 0.2, (0.2,)))]
    assert propose(points).maxdat == maxdat.limits(0.2, SESSION)[1]
    fourth = points[3]
    assert propose(points, min_throughput_bps=1e3 * fourth.kbps).maxdat == 4
    assert propose(points, max_rtt_s=fourth.rtt_s).maxdat == 4
    with pytest.raises(ValueError, match="the most is"):
        propose(points, min_throughput_bps=1e9)
    with pytest.raises(ValueError, match="the shortest is"):
        propose(points, max_rtt_s=0.1)
    with pytest.raises(ValueError, match="no RTT was measured"):
        propose([replace(at, rtt_s=None) for at in points], max_rtt_s=9)
    assert propose([replace(at, rtt_s=None) for at in points]).maxdat == propose(points).maxdat


def test_a_goal_that_only_the_model_meets(measured: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limit = f"{maxdat.rtt_tcp(0.2, 1, SESSION) * 1.001:.6f}"
    text = told(capsys, measured, "--bler", "0.2", "--rate", "128kbit", "--max-rtt", limit)
    assert "By these measurements no maxDAT keeps the RTT within the goal: the shortest is" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--bler", "0.45", "--rate", "128kbit"), "BLER 0.45 was not measured: allowed 0 to 0.4"),
        (("--bler", "0.1", "--rate", "64kbit"), "64kbit was not measured: allowed 32kbit, 128kbit"),
    ],
)
def test_what_was_not_measured(
    measured: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], message: str
) -> None:
    assert main(["maxdat", "--results", str(measured), *options]) == 1
    assert capsys.readouterr().err == f"error: {measured}: {message}\n"


def test_other_results_and_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_bundle(tmp_path, duration_s=2)
    for path, message in ((tmp_path, "holds no usable run over the UTRAN"), (tmp_path / "x", "no such results")):
        assert main(["maxdat", "--bler", "0.1", "--rate", "128kbit", "--results", str(path)]) == 1
        assert message in capsys.readouterr().err


def test_a_proposal_that_nobody_measured_is_said(measured: Path, capsys: pytest.CaptureFixture[str],
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    few = [type("Run", (), {"row": row}) for row in rows() if row["utran_max_dat"] <= 3]
    monkeypatch.setattr(evidence, "analyse_all", lambda bundles: few)
    text = told(capsys, measured, "--bler", "0.2", "--rate", "128kbit")
    assert "maxDAT 7 was not measured there." in text and ">" not in text.split("Emulated, ")[1]


def test_a_rate_that_the_closed_form_does_not_know_has_no_model_beside_it() -> None:
    (surface,) = surfaces(rows())
    points = [at for m in surface.maxdats if (at := between(surface, m, 0.2, (0.2,)))]
    unknown = replace(surface, printed=None)
    with_model, without = (evidence._rows(one, points, 0.2, 7, (0.2,)) for one in (surface, unknown))
    assert len(with_model) == len(without) == 1 + len(points)
    assert with_model[1].split()[2] == f"{maxdat.rtt_tcp(0.2, 1, surface.session):.3f}"
    assert without[1].split()[:3] == ["1", f"{points[0].rtt_s:.3f}", f"{points[0].kbps:.1f}"]
