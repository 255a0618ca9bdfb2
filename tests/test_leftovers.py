# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever ends a run early, nothing is left on the machine, at the latest after `cellbed clean`."""

import os
import signal
import subprocess
import time

import pytest
from e2e import CELLBED, cellbed, needs_native
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


def test_interrupted_while_polars_listens_too(scenario, tmp_path):
    """--until knows the metrics, and with them Polars is there, whose own handler has signals end no wait."""
    words = ["sweep", scenario, "--results", tmp_path / "results", "--variant", "DM-DM", "--seeds", "1", "--until",
             "goodput_mbps=0.1", "--set", "traffic.0.duration_s=2000"]
    process = subprocess.Popen([CELLBED, *map(str, words)], stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not list(tmp_path.glob("results/.tmp-*/tcp.trace")):
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=40)
    assert process.returncode == 130 and "interrupted; nothing was left behind" in err


def test_interrupted_while_a_channel_is_rendered(wired, tmp_path):
    """Here that takes most of a minute, in a thread that hears of no signal."""
    results = tmp_path / "results"
    words = ["run", wired, "--results", results, "--set", "traffic.0.limit_s=600",
             "--set", "radio.channel={model: cell_edge, granularity_ms: 1}"]
    process = subprocess.Popen([CELLBED, *map(str, words)], stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not list(results.glob(".tmp-*/programs.json")):
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=40)
    assert process.returncode == 130 and "interrupted; nothing was left behind" in err
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
                                              pytest.param("native", "cellbed.run.runner", marks=needs_native)])
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
