# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever ends a run early, nothing is left on the machine, at the latest after `cellbed clean`."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from e2e import CELLBED, cellbed, needs_native

pytestmark = pytest.mark.lab


def machine_state():
    """Processes, namespaces and interfaces that a run could leave."""
    interfaces = sorted(os.listdir("/sys/class/net"))
    cgroups = sorted(str(p) for p in Path("/sys/fs/cgroup").rglob("cellbed-*"))
    namespaces = len({os.readlink(p) for p in Path("/proc").glob("[0-9]*/ns/net") if os.access(p, os.R_OK)})
    return interfaces, cgroups, namespaces


def ours(marker):
    """Processes whose command line or working directory speaks of this test's folder."""
    found = []
    for proc in Path("/proc").glob("[0-9]*"):
        try:
            text = (proc / "cmdline").read_bytes().decode(errors="replace") + os.readlink(proc / "cwd")
        except OSError:
            continue
        if str(marker) in text and int(proc.name) != os.getpid():
            found.append(int(proc.name))
    return found


def wait_until(condition, what, deadline_s=30):
    end = time.monotonic() + deadline_s
    while not condition():
        assert time.monotonic() < end, f"{what} did not happen within {deadline_s} s"
        time.sleep(0.05)


def start(scenario, results, lab, *options):
    process = subprocess.Popen([CELLBED, "run", scenario, "--results", results, "--lab", lab,
                                *(options or ("--variant", "DM-DM", "--set", "traffic.0.duration_s=2000"))],
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_until(lambda: any("\nat " in p.read_text() for p in Path(results).glob(".tmp-*/progress")), "traffic")
    return process


@pytest.mark.parametrize("lab", ["virtual", pytest.param("native", marks=needs_native)])
@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(scenario, tmp_path, lab, sig):
    before = machine_state()
    results = tmp_path / "results"
    process = start(scenario, results, lab)
    process.send_signal(sig)
    _, err = process.communicate(timeout=40)
    assert process.returncode == 130
    assert "interrupted; nothing was left behind" in err
    assert not list(results.iterdir())
    wait_until(lambda: not ours(tmp_path), "end of all processes")
    assert machine_state() == before


@pytest.mark.parametrize("lab", ["virtual", pytest.param("native", marks=needs_native)])
@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGKILL])
def test_wired_links_go_too(wired, tmp_path, lab, sig):
    before = machine_state()
    results = tmp_path / "results"
    process = start(wired, results, lab, "--set", "traffic.0.bytes=100GB")
    process.send_signal(sig)
    process.communicate(timeout=40)
    cellbed("clean")
    wait_until(lambda: not ours(tmp_path), "end of all processes")
    assert machine_state() == before
    assert not list(results.iterdir())


@pytest.mark.parametrize("lab", ["virtual", pytest.param("native", marks=needs_native)])
def test_killed_then_cleaned(scenario, tmp_path, lab):
    before = machine_state()
    results = tmp_path / "results"
    process = start(scenario, results, lab)
    process.kill()
    process.wait()
    out = cellbed("clean").stdout
    assert "unfinished bundle" in out
    wait_until(lambda: not ours(tmp_path), "end of all processes")
    assert machine_state() == before
    assert not list(results.iterdir())
    assert "nothing to clean" in cellbed("clean").stdout


@pytest.mark.parametrize(("lab", "program"), [("virtual", "time-travel=inf-cpu"),
                                              pytest.param("native", "cellbed.runner", marks=needs_native)])
def test_the_player_killed_under_the_command(scenario, tmp_path, lab, program):
    """The guest, or the native runner, is killed: the command says so, fails and leaves nothing."""
    before = machine_state()
    results = tmp_path / "results"
    process = start(scenario, results, lab)
    victims = [pid for pid in ours(tmp_path) if program in Path(f"/proc/{pid}/cmdline").read_text()]
    assert victims
    os.kill(min(victims), signal.SIGKILL)
    _, err = process.communicate(timeout=40)
    assert process.returncode == 1
    assert "DM-DM seed 1: failed:" in err
    wait_until(lambda: not ours(tmp_path), "end of all processes")
    assert machine_state() == before
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
