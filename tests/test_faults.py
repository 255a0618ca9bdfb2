# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever breaks during a run: a clear message, no bundle or one that is marked, and nothing left on the machine.

Moments and victims are drawn from a seed, which the test's name tells. CELLBED_FAULT_ROUNDS asks for more of them than
the gate has time for. Interrupts and kills of the command itself are in test_leftovers.py.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from e2e import CELLBED, bundles, cellbed, needs_native
from machine import descendants, nothing_left, start, wait_until

pytestmark = [pytest.mark.lab, needs_native]

ROUNDS = int(os.environ.get("CELLBED_FAULT_ROUNDS", "1"))
BOTH = pytest.mark.parametrize("lab", ["virtual", "native"])
BRIEF = ["--variant", "DM-DM", "--set", "traffic.0.duration_s=1"]


def processes(program):
    """Ids of this test's processes that run @program."""
    found = []
    for pid in descendants():
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/comm").read_text().strip() == program:
                found.append(pid)
    return found


def begin(scenario, results, lab, *options):
    return subprocess.Popen([CELLBED, "run", scenario, "--results", results, "--lab", lab, *options],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)


def end(process, deadline_s=120):
    """Return: exit status and messages."""
    _, err = process.communicate(timeout=deadline_s)
    return process.returncode, err


def assert_marked(results, status, err, *expected):
    """The run failed with one of these messages, or its bundle says that it is not valid."""
    found = [path for path in Path(results).glob("*") if path.name != "summary"]
    if status == 3:
        (bundle,) = bundles(results).values()
        verdict = json.loads((bundle / "manifest.json").read_text())["validity"]
        assert verdict["verdict"] == "invalid", verdict
        told = " ".join(f"{reason['text']} {reason['value']}" for reason in verdict["reasons"])
    else:
        assert status == 1 and "failed:" in err, err
        assert "Traceback" not in err
        assert not found
        told = err
    assert any(text in told for text in expected), told


# Who is killed, and what is then said of it.
VICTIMS = {
    "celld": ["failed: celld: "],
    "tcpwatch": ["failed: tcpwatch: "],
    "ipdump": ["failed: ipdump: "],
    "iperf3": ["iperf3", "flow file failed"],
}


@pytest.mark.parametrize("seed", range(ROUNDS))
@pytest.mark.parametrize("victim", VICTIMS)
def test_a_program_killed_at_a_random_moment(scenario, tmp_path, victim, seed):
    draw = random.Random(f"{victim} {seed}")
    with nothing_left():
        process = begin(scenario, tmp_path / "r", "native", "--variant", "DM-DM", "--set", "traffic.0.duration_s=4")
        wait_until(lambda: processes(victim) or process.poll() is not None, f"start of {victim}")
        time.sleep(draw.uniform(0, 3))
        victims = processes(victim)
        assert victims, "it ended before"
        with contextlib.suppress(ProcessLookupError):
            os.kill(draw.choice(victims), signal.SIGKILL)
        assert_marked(tmp_path / "r", *end(process), *VICTIMS[victim])


@pytest.mark.parametrize("phase", ["traffic", "stop"])
@pytest.mark.parametrize("sig", [signal.SIGKILL, signal.SIGSYS])
def test_the_program_that_failed_first_is_named(scenario, tmp_path, phase, sig):
    """When the radio ends its devices are gone, which captures notice, and flows come to nothing."""
    process = begin(scenario, tmp_path / "r", "native", "--variant", "DM-DM")
    wait_until(lambda: any(phase in path.read_text() for path in (tmp_path / "r").glob(".tmp-*/progress")), phase)
    (radio,) = processes("celld")
    os.kill(radio, sig)
    _, err = end(process)
    (told,) = [line for line in err.splitlines() if "failed: " in line]
    assert told.partition("failed: ")[2].startswith("celld: "), err
    assert f"{sig.name}" in told and ("filter forbids" in told) == (sig == signal.SIGSYS)


def test_a_runner_that_is_killed_is_named(scenario, tmp_path):
    with nothing_left():
        process = begin(scenario, tmp_path / "r", "native", "--variant", "DM-DM")
        wait_until(lambda: processes("celld"), "the radio")
        runner = min(pid for pid, said in descendants().items() if "cellbed.run.runner" in said)
        os.kill(runner, signal.SIGKILL)
        _, err = end(process)
    assert "failed: the runner was ended by SIGKILL" in err


@contextlib.contextmanager
def mounted(path, options):
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", path], check=True)
    try:
        yield path
    finally:
        subprocess.run(["umount", path], check=True)


@BOTH
@pytest.mark.parametrize("size", ["300k", "900k"])
def test_a_full_disk(scenario, tmp_path, lab, size):
    """No room for what a guest starts with, or for the beginning of a run and not for its captures."""
    with nothing_left(), mounted(tmp_path / "small", f"size={size}") as small:
        status, err = end(begin(scenario, small / "r", lab, "--variant", "DM-DM"))
        assert status == 1
        assert "No space left on device" in err, err
        assert "Traceback" not in err
        assert not bundles(small / "r")


@BOTH
def test_results_that_cannot_be_written(scenario, tmp_path, lab):
    with nothing_left(), mounted(tmp_path / "fixed", "ro") as fixed:
        status, err = end(begin(scenario, fixed / "r", lab, *BRIEF))
        assert status != 0
        assert "Read-only file system" in err and str(fixed) in err, err
        assert "Traceback" not in err


def in_namespace_of(bundle, node, *command):
    pid = json.loads((bundle / "celld.json").read_text())["ports"][node]["netns"]
    return subprocess.run(["nsenter", f"--net={pid}", *command], capture_output=True, text=True, check=False)


def test_a_device_disappears(scenario, tmp_path):
    """The radio daemon ends, and with it at once a run that had half an hour left."""
    with nothing_left():
        process = start(scenario, tmp_path / "r", "native")
        (unfinished,) = (tmp_path / "r").glob(".tmp-*")
        assert in_namespace_of(unfinished, 1, "ip", "link", "del", "lte0").returncode == 0
        assert_marked(tmp_path / "r", *end(process, 20), "reading lte0 of 'ue2'")


def test_a_node_disappears(scenario, tmp_path):
    """The process that holds a namespace ends; the run goes on or fails, and cleans up."""
    with nothing_left():
        process = start(scenario, tmp_path / "r", "native", "--variant", "DM-DM", "--set", "traffic.0.duration_s=3")
        (unfinished,) = (tmp_path / "r").glob(".tmp-*")
        holder = json.loads((unfinished / "celld.json").read_text())["ports"][1]["netns"].split("/")[2]
        os.kill(int(holder), signal.SIGKILL)
        assert_marked(tmp_path / "r", *end(process), "node ue2: its process ended")


def test_the_daemon_sleeps_for_a_second(scenario, tmp_path):
    """A run that the machine stopped for a while is marked, not averaged."""
    with nothing_left():
        process = start(scenario, tmp_path / "r", "native", "--variant", "DM-DM", "--set", "traffic.0.duration_s=3",
                        "--set", "validity.missed_ttis=0")
        (celld,) = processes("celld")
        os.kill(celld, signal.SIGSTOP)
        time.sleep(1)
        os.kill(celld, signal.SIGCONT)
        assert_marked(tmp_path / "r", *end(process), "wake-ups later than a sub-frame")
        (bundle,) = bundles(tmp_path / "r").values()
        assert json.loads((bundle / "radio.json").read_text())["lateness"]["max_us"] > 900_000


@BOTH
def test_two_labs_at_once(scenario, tmp_path, lab):
    with nothing_left():
        runs = [begin(scenario, tmp_path / name, lab, *BRIEF) for name in "ab"]
        for process, name in zip(runs, "ab", strict=True):
            assert end(process)[0] == 0
            assert set(bundles(tmp_path / name)) == {"DM-DM"}


@BOTH
def test_many_labs_one_after_another(scenario, tmp_path, lab):
    """As many more as it takes to see what grows."""
    with nothing_left():
        for number in range(2 + 5 * (ROUNDS - 1)):
            cellbed("run", scenario, "--results", tmp_path / "r", "--lab", lab, "--seed", number + 1, *BRIEF)
            assert not list((tmp_path / "r").glob(".tmp-*"))
