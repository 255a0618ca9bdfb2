# SPDX-License-Identifier: GPL-2.0-or-later
"""SIGTERM ends every command within a second, whatever it is at; what runs leave is in test_leftovers.py."""

import subprocess
import sys
import time

import pytest
from e2e import CELLBED, SHORT

from cellbed_formats.bounded_yaml import NODES_MAX


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A scenario with nearly as many values as it may have, and the least time that reading it takes here."""
    path = tmp_path_factory.mktemp("large") / "large.yaml"
    path.write_text(SHORT + "title:\n" + "- [x, x]\n" * (NODES_MAX // 3 - 100))
    took_s = []
    for _ in range(3):
        started = time.monotonic()
        subprocess.run([CELLBED, "check", path], capture_output=True, check=False)
        took_s.append(time.monotonic() - started)
    return path, min(took_s)


def end_within_a_second(args, after_s):
    with subprocess.Popen([str(arg) for arg in args], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        time.sleep(after_s)
        assert process.poll() is None, process.stderr.read()
        process.terminate()
        sent = time.monotonic()
        process.communicate(timeout=20)
        assert time.monotonic() - sent < 1
        assert process.returncode not in (0, 1)


@pytest.mark.parametrize("share", [0.25, 0.7])
@pytest.mark.parametrize("words", [["check"], ["run"], ["sweep", "--seeds", "1-50000"], ["topology"], ["link"]])
def test_while_a_scenario_is_read(large, words, share):
    path, took_s = large
    end_within_a_second([CELLBED, words[0], path, *words[1:]], share * took_s)


def test_a_fifo_is_refused_before_it_is_read(tmp_path):
    subprocess.run(["mkfifo", tmp_path / "fifo.yaml"], check=True)
    done = subprocess.run([CELLBED, "run", tmp_path / "fifo.yaml"], capture_output=True, text=True, check=False,
                          timeout=60)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr


def test_while_a_library_keeps_the_interpreter():
    """As the model's validation does, or a C library that reads a capture: no Python runs meanwhile."""
    busy = ("from cellbed.api.scenario import Scenario; from cellbed.cli import main; "
            "Scenario.load = lambda *_, **options: sum(range(10**11)); main.app(['check', 'x'])")
    end_within_a_second([sys.executable, "-c", busy], 3)
