# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever ends a run early, nothing is left on the machine, at the latest after `cellbed clean`."""

import os
import random
import signal
import subprocess
import time

import pytest
from e2e import CELLBED, cellbed, needs_native
from machine import descendants, nothing_left, start

from cellbed.host import ledger

pytestmark = pytest.mark.lab


# From the start of Python to the end of a run of a second.
ROUNDS = int(os.environ.get("CELLBED_FAULT_ROUNDS", "1"))
MOMENTS_S = [0.8, *(random.Random(n).uniform(0.05, 2.5) for n in range(5 * ROUNDS))]


def brief(scenario, results, lab):
    """A run that has ended soon."""
    words = ["run", scenario, "--results", results, "--lab", lab, "--variant", "DM-DM",
             "--set", "traffic.0.duration_s=1"]
    return subprocess.Popen([CELLBED, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


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


@pytest.mark.parametrize("lab", ["virtual", pytest.param("native", marks=needs_native)])
@pytest.mark.parametrize("after_s", MOMENTS_S)
def test_killed_at_any_moment(scenario, tmp_path, lab, after_s):
    """Also while modules are imported, a folder is made, a bundle is finished."""
    results = tmp_path / "results"
    process = brief(scenario, results, lab)
    time.sleep(after_s)
    process.kill()
    process.communicate()
    cellbed("clean")
    left = [path.name for path in results.iterdir()] if results.exists() else []
    assert all(name.startswith("DM-DM") and (results / name / "manifest.json").exists() for name in left)
    assert "nothing to clean" in cellbed("clean").stdout
    assert not [path for path in ledger.directory().iterdir() if path.name.startswith(f"{process.pid}-")]


@pytest.mark.parametrize("lab", ["virtual", pytest.param("native", marks=needs_native)])
@pytest.mark.parametrize("after_s", MOMENTS_S)
def test_interrupted_three_times(scenario, tmp_path, lab, after_s):
    results = tmp_path / "results"
    process = brief(scenario, results, lab)
    time.sleep(after_s)
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    _, err = process.communicate(timeout=40)
    left = [path.name for path in results.iterdir()] if results.exists() else []
    if process.returncode == 0:  # it had ended before
        return
    assert process.returncode in (130, -signal.SIGINT), err  # the latter: while the interpreter starts
    if process.returncode == 130:
        assert err.count("interrupted; nothing was left behind") == 1 and "Traceback" not in err
    assert all(name.startswith("DM-DM") for name in left)
    assert "nothing to clean" in cellbed("clean").stdout
    assert not [path for path in ledger.directory().iterdir() if path.name.startswith(f"{process.pid}-")]


def test_two_sweeps_into_one_folder(scenario, tmp_path):
    """Every run is executed once, whichever command has it, and nobody replaces what the other has made."""
    results = tmp_path / "results"
    words = ["run", scenario, "--results", results, "--set", "traffic.0.duration_s=20", "--seed=1", "--seed=2",
             "--seed=3"]
    both = [subprocess.Popen([CELLBED, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(2)]
    said = [process.communicate(timeout=200) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    out = "".join(one for one, _ in said)
    assert out.count("already there") == 6 and out.count(" valid") == 6, said
    assert len(list(results.iterdir())) == 6  # bundles and nothing else


def test_a_run_that_somebody_executes_is_waited_for(scenario, tmp_path):
    results = tmp_path / "results"
    words = ["run", scenario, "--results", results, "--variant", "DM-DM", "--again"]
    first = start(scenario, results, "virtual")
    second = subprocess.Popen([CELLBED, *map(str, words), "--set", "traffic.0.duration_s=2000"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert any(line.endswith("another command is running it; waiting for that\n") for line in second.stderr)
    assert second.poll() is None and len(list(results.glob(".tmp-*"))) == 1
    for process in (second, first):
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=40)
        assert process.returncode == 130
    assert not list(results.iterdir())


@pytest.mark.parametrize(("lab", "program"), [("virtual", "time-travel=inf-cpu"),
                                              pytest.param("native", "cellbed.run.runner", marks=needs_native)])
def test_the_runner_killed_under_the_command(scenario, tmp_path, lab, program):
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
