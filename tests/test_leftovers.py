# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever ends a run early, nothing is left on the machine, at the latest after `cellbed clean`."""

import os
import signal

import pytest
from e2e import cellbed, needs_native
from machine import descendants, nothing_left, start

pytestmark = pytest.mark.lab


@pytest.fixture(autouse=True)
def tidy():
    """Nothing of a test may be left soon after it."""
    with nothing_left():
        yield


@pytest.mark.parametrize("lab", ["virtual", pytest.param("native", marks=needs_native)])
@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(scenario, tmp_path, lab, sig):
    results = tmp_path / "results"
    process = start(scenario, results, lab)
    process.send_signal(sig)
    _, err = process.communicate(timeout=40)
    assert process.returncode == 130
    assert "interrupted; nothing was left behind" in err
    assert not list(results.iterdir())


@pytest.mark.parametrize("lab", ["virtual", pytest.param("native", marks=needs_native)])
@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGKILL])
def test_wired_links_go_too(wired, tmp_path, lab, sig):
    results = tmp_path / "results"
    process = start(wired, results, lab, "--set", "traffic.0.bytes=100GB")
    process.send_signal(sig)
    process.communicate(timeout=40)
    cellbed("clean")
    assert not list(results.iterdir())


@pytest.mark.parametrize("lab", ["virtual", pytest.param("native", marks=needs_native)])
def test_killed_then_cleaned(scenario, tmp_path, lab):
    results = tmp_path / "results"
    process = start(scenario, results, lab)
    process.kill()
    process.wait()
    out = cellbed("clean").stdout
    assert "unfinished bundle" in out
    assert not list(results.iterdir())
    assert "nothing to clean" in cellbed("clean").stdout


@pytest.mark.parametrize(("lab", "program"), [("virtual", "time-travel=inf-cpu"),
                                              pytest.param("native", "cellbed.runner", marks=needs_native)])
def test_the_player_killed_under_the_command(scenario, tmp_path, lab, program):
    """The guest, or the native runner, is killed: the command says so, fails and leaves nothing."""
    results = tmp_path / "results"
    process = start(scenario, results, lab)
    victims = [pid for pid, said in descendants().items() if program in said]
    assert victims
    os.kill(min(victims), signal.SIGKILL)
    _, err = process.communicate(timeout=40)
    assert process.returncode == 1
    assert "DM-DM seed 1: failed:" in err
    assert not list(results.iterdir())


@pytest.mark.parametrize("lab", ["virtual", pytest.param("native", marks=needs_native)])
def test_clean_leaves_living_runs_alone(scenario, tmp_path, lab):
    process = start(scenario, tmp_path / "results", lab)
    try:
        assert "nothing to clean" in cellbed("clean").stdout
        assert process.poll() is None
    finally:
        process.terminate()
        process.communicate(timeout=40)
