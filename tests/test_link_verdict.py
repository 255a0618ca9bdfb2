# SPDX-License-Identifier: GPL-2.0-or-later
"""A native link on a machine that is too slow says so at its end, as a run does."""

import json
import os
import re
import subprocess

import pytest
from e2e import CELLBED, needs_native

pytestmark = [pytest.mark.lab, needs_native]

BUSY = 4


@pytest.fixture
def crowded_cpu():
    """A CPU that others use, on which the link has to be."""
    cpu = min(os.sched_getaffinity(0))
    loops = [subprocess.Popen(["taskset", "-c", str(cpu), "sh", "-c", "while :; do :; done"]) for _ in range(BUSY)]
    yield str(cpu)
    for loop in loops:
        loop.kill()
        loop.wait()


@pytest.mark.skipif(not os.path.exists("/proc/pressure/cpu"), reason="the kernel does not count waits for a CPU")
def test_a_link_that_waits_for_a_cpu_says_what_it_cost(crowded_cpu, tmp_path):
    done = subprocess.run(
        ["taskset", "-c", crowded_cpu, CELLBED, "link", "nr-midband", "--serve", "iperf3 -s", "--results", tmp_path,
         "--", "sh", "-c", "sleep 2; iperf3 -c $CELLBED_BASE -R -t 3"],
        capture_output=True, text=True, timeout=200, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    (told,) = [line for line in done.stderr.splitlines() if "do not believe measurements of this link" in line]
    said = re.search(r"the radio delivered (\d+) Mbit/s, and (\d+) in the (\d+) % of the time in which it had "
                     r"something to send; processes of the run waited for a CPU, percent of the time "
                     r"\(([\d.]+), allowed 10\)", told)
    assert said, told
    (manifest,) = (json.loads(path.read_text()) for path in tmp_path.glob("*/manifest.json"))
    delivered, busy, share, waited = map(float, said.groups())
    assert waited == pytest.approx(manifest["cpu_wait_percent"], abs=0.06) and 10 < waited <= 100
    assert delivered == pytest.approx(busy * share / 100, rel=0.05, abs=2)
    assert "cpu_wait" in [reason["code"] for reason in manifest["validity"]["reasons"]]
