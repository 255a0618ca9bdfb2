# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that compute and programs that wait."""

import subprocess
import sys
import time

import pytest

from cellbed.host.busy import Busy


@pytest.fixture
def start():
    started = []

    def run(code):
        started.append(subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True))
        assert started[-1].stdout.readline() == "ready\n"
        return started[-1].pid

    yield run
    for process in started:
        process.kill()
        process.communicate()


def longest_idle_s(busy, seconds):
    until, longest = time.monotonic() + seconds, 0.0
    while time.monotonic() < until:
        longest = max(longest, busy.idle_s())
        time.sleep(0.01)
    return longest


def test_a_program_that_waits_is_idle_for_longer_than_one_that_computes(start):
    waits = Busy(start("print('ready', flush=True); import time; time.sleep(60)"))
    computes = Busy(start("print('ready', flush=True)\nwhile True: pass"))
    waits.idle_s()
    assert longest_idle_s(computes, 1.0) < waits.idle_s()


def test_a_process_that_is_gone_computes_no_more():
    process = subprocess.Popen(["true"])
    process.wait()
    busy = Busy(process.pid)
    time.sleep(0.05)
    assert busy.idle_s() >= 0.05
