# SPDX-License-Identifier: GPL-2.0-or-later
"""Sweeps end to end: resumed after they were killed, stopped when enough is known, compared."""

import json
import os
import re
import signal
import subprocess

import pyarrow.parquet
import pytest
from e2e import CELLBED, cellbed
from machine import guests, nothing_left, start, wait_until

pytestmark = pytest.mark.lab

# One second of a quiet radio: no run takes long, and all of a variant say the same.
QUICK = ("--grid", "radio.ues.ue1.mode=dm,im", "--variant", "DM-DM", "--set", "traffic.0.duration_s=1", "--jobs", "1")


def rows(results):
    return pyarrow.parquet.read_table(results / "summary/sweep.parquet").to_pylist()


def identity(bundle):
    stat = (bundle / "manifest.json").stat()
    return stat.st_ino, stat.st_mtime_ns


def test_killed_and_resumed(scenario, tmp_path):
    """At any moment: what was finished stays, nothing of it is run again, and nothing is left of the rest."""
    results = tmp_path / "results"
    command = ["sweep", scenario, *QUICK, "--seeds", "1-2", "--results", results]
    for finished in (0, 1, 3):
        process = subprocess.Popen([CELLBED, *map(str, command)], stdout=subprocess.DEVNULL, start_new_session=True)
        wait_until(lambda n=finished: len(list(results.glob("[!.]*-seed*"))) >= n
                   and list(results.glob(".tmp-*/progress")), "a run", 120)
        before = {path: identity(path) for path in results.glob("[!.]*-seed*")}
        assert len(before) == finished
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        wait_until(lambda: not guests(), "end of the guest")
    out = cellbed(*command).stdout
    assert len(re.findall("already there", out)) == 3 and out.count(" valid") == 1
    assert {path: identity(path) for path in before} == before
    assert not list(results.glob(".tmp-*"))
    assert [(row["variant"], row["seed"], row["usable"]) for row in rows(results)] == [
        ("DM-DM_mode=dm", 1, True), ("DM-DM_mode=dm", 2, True), ("DM-DM_mode=im", 1, True), ("DM-DM_mode=im", 2, True)]
    compared = json.loads(cellbed("compare", results, "rtt_mean_ms", "--json").stdout)
    assert [(c["variant"], c["pairs"], round(c["difference"])) for c in compared] == [("DM-DM_mode=im", 2, 5)]


@pytest.fixture
def all_cpus():
    """Those of the machine, of which a worker of pytest-xdist has one."""
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count()))
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("this machine has one CPU")
    yield
    os.sched_setaffinity(0, own)


def test_commands_side_by_side_take_different_cpus(all_cpus, scenario, tmp_path):
    def cpus():
        return {cpu for pid in guests() if len(own := os.sched_getaffinity(pid)) == 1 for cpu in own}

    with nothing_left():
        commands = [start(scenario, tmp_path / name, "virtual", "--variant", "DM-DM", "--jobs", "1", "--set",
                          "traffic.0.duration_s=2000") for name in "ab"]
        assert len(cpus()) == 2
        for command in commands:
            command.send_signal(signal.SIGINT)
            command.communicate()


def test_until_an_interval_is_narrow(scenario, tmp_path):
    results = tmp_path / "results"
    cellbed("sweep", scenario, "--variant", "DM-DM", "--set", "traffic.0.duration_s=1", "--results", results,
            "--until", "rtt_mean_ms=1%", "--max-seeds", "8")
    assert [row["seed"] for row in rows(results)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("words", "message"), [
    (["--until", "bundle=5%"], "metric 'bundle'"), (["--grid", "radio.n_rb"], "--grid radio.n_rb: expected"),
    (["--grid", "radio.n_rb=0"], "radio.n_rb"), (["--seeds", "5-1"], "--seeds 5-1")])
def test_wrong_words(scenario, words, message):
    done = cellbed("sweep", scenario, *words, check=False)
    assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr

