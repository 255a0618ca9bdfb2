# SPDX-License-Identifier: GPL-2.0-or-later
"""SIGTERM ends every command within a second, whatever it is at; what runs leave is in test_leftovers.py."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from e2e import CELLBED, SHORT

from cellbed_formats.bounded_yaml import NODES_MAX


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A scenario with nearly as many values as it may have, and the CPU time that reading it takes here."""
    path = tmp_path_factory.mktemp("large") / "large.yaml"
    path.write_text(SHORT + "title:\n" + "- [x, x]\n" * (NODES_MAX // 3 - 100))
    with subprocess.Popen([CELLBED, "check", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        return path, cpu_s(process.pid)


def cpu_s(pid):
    """The CPU time of a process that has not been waited for. Load hardly changes it, as it does the clock's time."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def end_within_a_second(args, begun):
    """Send SIGTERM once `begun(pid)` holds. Returns whether the command was still at work then."""
    with subprocess.Popen([str(arg) for arg in args], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while process.poll() is None and not begun(process.pid):
            time.sleep(0.01)
        if process.returncode is not None:
            return False
        process.terminate()
        sent = time.monotonic()
        process.communicate(timeout=20)
        assert time.monotonic() - sent < 1
        assert process.returncode not in (0, 1)
        return True


@pytest.mark.parametrize("share", [0.25, 0.7])
@pytest.mark.parametrize("words", [["check"], ["run"], ["sweep", "--seeds", "1-50000"], ["topology"], ["link"]])
def test_while_a_scenario_is_read(large, words, share):
    path, whole_s = large
    for faster in 1, 0.8, 0.6, 0.4:
        at_s = share * whole_s * faster
        if end_within_a_second([CELLBED, words[0], path, *words[1:]], lambda pid, at_s=at_s: cpu_s(pid) >= at_s):
            return
    pytest.fail("each time the command ended before the signal")


def test_a_fifo_is_refused_before_it_is_read(tmp_path):
    subprocess.run(["mkfifo", tmp_path / "fifo.yaml"], check=True)
    done = subprocess.run([CELLBED, "run", tmp_path / "fifo.yaml"], capture_output=True, text=True, check=False,
                          timeout=60)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr


def test_while_a_library_keeps_the_interpreter():
    """As the model's validation does, or a C library that reads a capture: no Python runs meanwhile."""
    busy = ("from cellbed.api.scenario import Scenario; from cellbed.cli import main; "
            "Scenario.load = lambda *_, **options: sum(range(10**11)); main.app(['check', 'x'])")
    started = time.monotonic()
    assert end_within_a_second([sys.executable, "-c", busy], lambda _: time.monotonic() > started + 3)
