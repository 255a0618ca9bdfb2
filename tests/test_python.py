# SPDX-License-Identifier: GPL-2.0-or-later
"""cellbed from Python: its docstrings, errors, progress, cancellation, and its notebook."""

import asyncio
import doctest
import importlib

import polars as pl
import pytest
from e2e import ROOT
from e2e import cellbed as run

import cellbed
from cellbed.host import ledger

pytestmark = pytest.mark.lab

MODULES = ("cellbed", "cellbed.api.scenario", "cellbed.api.run", "cellbed.api.bundle", "cellbed.api.results")
ALIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
SHORT = cellbed.Scenario.load("d2d-nardini/static").set("traffic.0.duration_s", 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("python")


@pytest.fixture(scope="module")
def results(folder):
    return cellbed.run_scenario(SHORT.variant("DM-DM", "IM-IM"), folder / "results")


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_are_true(folder, results, name, monkeypatch):
    monkeypatch.chdir(folder)
    module = importlib.import_module(name)
    names = {**vars(cellbed), **{name: getattr(cellbed, name) for name in cellbed.__all__}, "asyncio": asyncio,
             "results": results, "run": results.bundle(variant="IM-IM")}
    found, tried = doctest.testmod(module, extraglobs=names, optionflags=ALIKE)
    assert tried > 0 and found == 0


def test_running_again_runs_nothing(results, folder):
    told = []
    again = cellbed.run_scenario(SHORT.variant("IM-IM"), folder / "results", progress=told.append)
    assert [run.path for run in again] == [results.bundle(variant="IM-IM").path]
    assert [(step.ended, step.runs_done, step.runs) for step in told] == [(True, 1, 1)]


def test_progress_comes_to_its_end(folder):
    told = []
    cellbed.run_scenario(SHORT.variant("DM-DM").seeds(7), folder / "told", progress=told.append)
    assert any(0 < step.done_s < step.all_s == 2 for step in told)
    assert str(told[-1]) == "[1/1] DM-DM seed 7: done"


def test_the_same_bytes_as_the_command(results, folder):
    run("run", "d2d-nardini/static", "--variant", "IM-IM", "--set", "traffic.0.duration_s=2", "--results",
        folder / "typed")
    typed, = cellbed.Results.load(folder / "typed")
    executed = results.bundle(variant="IM-IM")
    assert typed.path.name == executed.path.name
    for name in ("radio.trace", "tcp.trace", "ip-ue1.pcap"):
        assert (typed.path / name).read_bytes() == (executed.path / name).read_bytes()


def test_a_run_that_fails_is_said_to_have_failed(folder):
    scenario = SHORT.variant("DM-DM").set("tcp.congestion_control", "nosuch")
    with pytest.raises(cellbed.CellbedError, match="1 of 1 runs failed: DM-DM seed 1: .*nosuch"):
        cellbed.run_scenario(scenario, folder / "failed")
    assert not list((folder / "failed").iterdir())


def test_a_cancelled_task_leaves_nothing(folder):
    async def cancelled():
        started = asyncio.Event()
        loop = asyncio.get_running_loop()
        long = SHORT.variant("DM-DM").set("traffic.0.duration_s", 2000)
        executing = asyncio.create_task(cellbed.run_scenario_async(
            long, folder / "cancelled", progress=lambda _: loop.call_soon_threadsafe(started.set)))
        await started.wait()
        executing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await executing

    asyncio.run(cancelled())
    assert not list((folder / "cancelled").iterdir())
    assert not [lab for lab in ledger.living() if "cancelled" in str(lab.temporary)]


def test_frames_agree_with_each_other(results):
    run = results.bundle(variant="IM-IM")
    delivered = run.segments.filter(pl.col("rtt_ms").is_not_null())
    assert run.flows["rtt_p50_ms"][0] == pytest.approx(delivered.filter(pl.col("t_s") >= run.metrics["window_start_s"])
                                                       ["rtt_ms"].median(), rel=0.02)
    parts = [name for name in delivered.columns[7:] if name.endswith("_ms")]
    assert delivered.select((pl.sum_horizontal(parts) - pl.col("rtt_ms")).abs().max()).item() < 1e-6
    sent = run.packets("ue1").filter(pl.col("payload_bytes") > 0, pl.col("dport") == 5201)
    assert len(run.segments) > 10 and set(run.segments["t_s"]) <= set(sent["t_s"])
    assert set(run.radio["node"].unique()) == {"enb", "ue1", "ue2"}
    assert run.tcp["cwnd_pkts"].min() >= 1


def test_the_figure_of_the_window_has_every_sample(results, folder):
    run = results.bundle(variant="IM-IM")
    figure, data = run.plot("cwnd").write(folder / "cwnd.pdf")
    assert figure.stat().st_size > 5000
    assert pl.read_csv(data)["cwnd_pkts"].to_list() == run.tcp["cwnd_pkts"].to_list()


def test_a_wrong_word_is_answered_with_the_right_ones(results):
    run = results.bundle(variant="IM-IM")
    for wrong, message in (
        (lambda: run.plot("rtts"), "plot rtts: allowed cwnd, rtt, rtt-cdf"),
        (lambda: run.plot("cwnd", venue="nature"), "--venue nature: allowed ieee, acm"),
        (lambda: run.plot("cwnd", flows=("data",)), "--flow data: allowed file"),
        (lambda: run.plot("pdus"), "--from and --to: [0-9]+ transport blocks in that time: allowed at most"),
        (lambda: run.packets("ue9"), "no capture of node ue9: allowed ue1, ue2"),
        (lambda: results.compare("rtt"), "metric 'rtt': allowed .*rtt_p50_ms"),
        (lambda: results.bundle(variant="DM"), "no bundle of this choice; choose one of DM-DM seed 1, IM-IM seed 1"),
    ):
        with pytest.raises((cellbed.CellbedError, cellbed.DataError), match=message):
            wrong()


def test_a_bundle_shows_itself_in_a_notebook(results):
    page = results.bundle(variant="IM-IM")._repr_html_()
    assert page.startswith('<iframe srcdoc="&lt;!doctype html') and "<script" not in page
    assert "IM-IM" in results._repr_html_()


def test_the_notebook_runs(folder):
    """As a reader runs it: every cell, from top to bottom."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(ROOT / "docs/notebook.ipynb", as_version=4)
    here = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=here).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert any("image/png" in output.get("data", {}) for output in shown)


def test_a_report_has_figures_of_the_formats_that_are_asked_for(results):
    run = results.bundle(variant="IM-IM")
    page = run.report(figures=["pdf"])
    drawn = [path.suffix for path in (page.parent / "figures").iterdir()]
    assert drawn.count(".pdf") == drawn.count(".svg") > 0 and ".png" not in drawn
    with pytest.raises(cellbed.DataError, match="jpg: allowed pdf, png$"):
        results.report(figures=["jpg"])
