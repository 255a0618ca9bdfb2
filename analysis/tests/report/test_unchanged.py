# SPDX-License-Identifier: GPL-2.0-or-later
"""A report with nothing new is not made again; one that has anything new is, whatever it is."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from synthetic_bundle import write_bundle

from cellbed_analysis import print_table, write_report
from cellbed_analysis.metrics.run import analyse
from cellbed_analysis.report import make, unchanged
from cellbed_formats import checksums
from cellbed_formats.bundle import Results, load_results, read_bundle
from cellbed_formats.error import DataError
from cellbed_formats.inside import Inside

CLAIM = {"id": "C1", "source": "figure 1", "scenario": "d2d-nardini/static", "statement": "RTTs are short",
         "unit": "ms", "not_testable": "a test"}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a sealed bundle, an unsealed one, and a report."""
    results = tmp_path_factory.mktemp("made") / "results"
    seal(write_bundle(results, duration_s=1))
    write_bundle(results, seed=2, duration_s=1)
    write_report(results)
    return results


def seal(bundle: Path) -> None:
    """Take checksums, as a run does at its end."""
    path = bundle / "manifest.json"
    manifest = json.loads(path.read_text())
    path.unlink()
    path.write_text(json.dumps(checksums.sealed(manifest, checksums.of_folder(Inside(bundle)))))


@pytest.fixture
def results(made: Path, tmp_path: Path) -> Path:
    """The same at another place, where nothing has been drawn since."""
    return Path(shutil.copytree(made, tmp_path / "results"))


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """Figures that are saved from now on."""
    found: list[Figure] = []
    save = Figure.savefig

    def counted(figure: Figure, *words: Any, **named: Any) -> None:
        found.append(figure)
        save(figure, *words, **named)

    monkeypatch.setattr(Figure, "savefig", counted)
    return found


@pytest.fixture
def n_made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """An element for each time that a report is made from now on: of few words, and of no figure."""
    found: list[int] = []

    def made(results: Results, claims: Any, directory: Inside, kinds: Any) -> list[Inside]:
        found.append(len(results.bundles))
        paths = [directory / name for name in ("report.html", "index.html", "claims.json", "figures/one.svg")]
        for path in paths:
            path.write(f"{path.name} of {len(results.bundles)} with {kinds} and {len(claims)}")
        return paths

    monkeypatch.setattr(make, "make", made)
    return found


@pytest.fixture
def short(n_made: list[int], results: Path) -> Path:
    """The same results with such a report."""
    shutil.rmtree(results / "summary")
    write_report(results)
    assert n_made == [2]
    n_made.clear()
    return results


def files(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Content of each file below a folder, and the time of its last change."""
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in folder.rglob("*") if path.is_file()}


def bundle(results: Path, seed: int) -> Path:
    return next(results.glob(f"*-seed{seed}-*"))


def test_with_nothing_new_nothing_is_drawn_or_written(results: Path, drawn: list[Figure]) -> None:
    before = files(results)
    assert write_report(results) == results / "summary/report.html"
    assert drawn == [] and files(results) == before


def test_with_nothing_new_no_library_that_draws_is_imported(results: Path) -> None:
    code = ("import sys; from pathlib import Path; from cellbed_analysis import print_table, write_report\n"
            "write_report(Path(sys.argv[1])); print_table(Path(sys.argv[1]))\n"
            "print(*sorted({'matplotlib', 'bokeh', 'scipy', 'pandas'} & set(sys.modules)))")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code, results], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == ""


def _touched(results: Path) -> None:
    (bundle(results, 1) / "tcp.trace").touch()
    os.utime(bundle(results, 1) / "ip-ue1.pcap", (0, 0))


def test_a_sealed_bundle_is_known_by_its_content(short: Path, n_made: list[int]) -> None:
    _touched(short)
    write_report(short)
    assert n_made == []


def _new_bundle(results: Path) -> None:
    write_bundle(results, seed=3, duration_s=1)


def _gone_bundle(results: Path) -> None:
    shutil.rmtree(bundle(results, 2))


def _changed_file(results: Path) -> None:
    path = bundle(results, 2) / "radio.json"
    path.write_text(path.read_text() + "\n")


def _changed_manifest(results: Path) -> None:
    path = bundle(results, 2) / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"claims": [CLAIM]}))


def _damaged_file(results: Path) -> None:
    path = bundle(results, 1) / "tcp.trace"
    path.write_bytes(path.read_bytes()[:-1] + b"?")


def _own_report(results: Path) -> None:
    (bundle(results, 2) / "derived/report.html").write_text("")


def _other_name(results: Path) -> None:
    (results / "unknown").mkdir()


def _begun_run(results: Path) -> None:
    (results / f".tmp-next-seed3-0123456789.{os.getpid()}").mkdir()


CHANGES = (_begun_run, _new_bundle, _gone_bundle, _changed_file, _changed_manifest, _damaged_file, _own_report,
           _other_name)


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_of_the_bundles_makes_it_again(short: Path, n_made: list[int],
                                                  change: Callable[[Path], None]) -> None:
    change(short)
    for _ in range(2):
        write_report(short)
        assert len(n_made) == 1


def test_runs_in_progress_are_shown_as_such(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _begun_run(results)
    html = write_report(results).read_text()
    for page in (html, (results / "summary/index.html").read_text()):
        assert "<b>1</b> in progress" in page and "next-seed3-0123456789<" in page and ".tmp-" not in page
    print_table(results)
    assert "in progress next-seed3-0123456789\n" in capsys.readouterr().out
    shutil.rmtree(bundle(results, 1))
    shutil.rmtree(bundle(results, 2))
    with pytest.raises(DataError, match="no run has finished yet, 1 in progress"):
        write_report(results)


def _other_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unchanged, "_code", lambda: ["of the next version"])


def _other_library(monkeypatch: pytest.MonkeyPatch) -> None:
    unchanged._code.cache_clear()
    monkeypatch.setattr(unchanged.metadata, "version", lambda name: f"next {name}")


@pytest.mark.parametrize("change", [_other_code, _other_library])
def test_other_code_makes_it_again(short: Path, n_made: list[int], monkeypatch: pytest.MonkeyPatch,
                                   change: Callable[[pytest.MonkeyPatch], None]) -> None:
    with monkeypatch.context() as patch:
        change(patch)
        write_report(short)
    unchanged._code.cache_clear()
    assert len(n_made) == 1


def test_the_code_is_all_that_makes_reports() -> None:
    assert {path.name for path in unchanged.code_files()} >= {"report.html.j2", "figures.js", "gallery.py", "trace.py",
                                                         "edge.py", "inside.py"}  # fmt: skip


def test_other_claims_make_it_again(short: Path, tmp_path: Path, n_made: list[int]) -> None:
    claims = tmp_path / "claims.yaml"
    claims.write_text(json.dumps([CLAIM]))
    for _ in range(2):
        write_report(short, claims)
        assert len(n_made) == 1


def test_other_formats_of_figures_make_it_again(short: Path, n_made: list[int]) -> None:
    for figures in (("pdf", "png"), ("png", "pdf", "pdf")):
        assert "with ['pdf', 'png']" in write_report(short, figures=figures).read_text()
        assert len(n_made) == 1
    with pytest.raises(DataError, match="--figures gif: allowed pdf, png"):
        write_report(short, figures=("gif",))


@pytest.mark.parametrize("name", ["report.html", "index.html", "claims.json", "figures/one.svg", "report.json"])
@pytest.mark.parametrize("how", ["gone", "changed"])
def test_every_file_that_is_gone_or_changed_comes_again(short: Path, n_made: list[int], name: str, how: str) -> None:
    path = short / "summary" / name
    content = path.read_bytes()
    if how == "gone":
        path.unlink()
    else:
        path.write_bytes(b"[]")
    write_report(short)
    assert len(n_made) == 1 and path.read_bytes() == content


def test_a_report_of_one_bundle_is_kept_too(short: Path, n_made: list[int]) -> None:
    one = bundle(short, 1)
    for _ in range(2):
        assert write_report(one) == one / "derived/report.html"
        assert n_made == [1]


def test_a_run_that_could_not_be_read_is_tried_again(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make, "available", lambda runs, claims: [])
    cut = bundle(results, 2) / "radio.trace"
    cut.write_bytes(cut.read_bytes()[:-1])
    directory = Inside(results, "summary")
    assert make.make(load_results(results), [], directory, ()) is None
    cut.unlink()
    shutil.rmtree(bundle(results, 2))
    assert directory / "report.html" in (make.make(load_results(results), [], directory, ()) or [])


def test_what_lies_there_cannot_lead_elsewhere(short: Path, tmp_path: Path, n_made: list[int]) -> None:
    path = short / "summary/report.json"
    (tmp_path / "victim").write_text("")
    outside = {"../../victim": hashlib.sha256().hexdigest()}
    for place, said in enumerate((outside, [], {"report.html": 1}, None)):
        path.write_text(json.dumps(json.loads(path.read_text()) | {"files": said}))
        write_report(short)
        assert len(n_made) == place + 1
    path.unlink()
    path.symlink_to(tmp_path / "victim")
    write_report(short)
    assert len(n_made) == 5 and (tmp_path / "victim").read_text() == "" and not path.is_symlink()


def test_metrics_of_a_sealed_bundle_survive_its_copy(results: Path) -> None:
    one = bundle(results, 1)
    row = json.loads((one / "derived/metrics.json").read_text())
    analyse(read_bundle(one))
    _touched(results)
    before = (one / "derived/metrics.json").stat().st_mtime_ns
    assert analyse(read_bundle(one)).row == row["row"]
    assert (one / "derived/metrics.json").stat().st_mtime_ns == before
