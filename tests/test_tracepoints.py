# SPDX-License-Identifier: GPL-2.0-or-later
"""Tracepoints of the kernel in the bundle: what they tell, that they repeat, what is lost, and what is left."""

import json
import re
import signal
import subprocess
import sys
import time

import pytest
from e2e import CELLBED, bundles, cellbed, digests, needs_native
from machine import nothing_left
from one_cleaner import the_only_cleaner

pytestmark = pytest.mark.lab
LABS = ["virtual", pytest.param("native", marks=needs_native)]
PROBE = re.compile(r"(\d+\.\d+): tcp_probe: .*:5201 .*sock_cookie=(\w+)")
SHORT_RUN = ("--variant", "IM-IM", "--set", "traffic.0.duration_s=1")


@pytest.mark.parametrize("lab", LABS)
def test_they_are_recorded_on_the_clock_of_the_run(scenario, tmp_path, lab):
    with nothing_left():
        cellbed("run", scenario, "--results", tmp_path, "--lab", lab, *SHORT_RUN, "--set",
                "capture.tracepoints=[tcp:tcp_probe, tcp:tcp_destroy_sock]")
    bundle = bundles(tmp_path)["IM-IM"]
    manifest = json.loads((bundle / "manifest.json").read_text())
    text = (bundle / "tracepoints.txt").read_text()
    clock = manifest["clock"]
    sockets = {}
    for t_s, cookie in PROBE.findall(text):
        sockets.setdefault(cookie, []).append(float(t_s))
    start_s, end_s = clock["start_ns"] / 1e9 - 1e-6, clock["end_ns"] / 1e9 + 1
    of_the_run = [at for at in sockets.values() if at == sorted(at) and start_s < at[0] and at[-1] < end_s]
    # A kernel tells of all its sockets: natively of those that other tests have on this machine, too.
    assert lab == "native" or len(of_the_run) == len(sockets)
    assert max(map(len, of_the_run)) > 100
    assert "tcp_destroy_sock" in text
    assert manifest["tracepoints"] == {"lost": 0}
    cellbed("report", tmp_path)


def test_the_same_run_has_the_same_events(scenario, tmp_path):
    found = []
    for name in "ab":
        cellbed("run", scenario, "--results", tmp_path / name, *SHORT_RUN, "--set",
                "capture.tracepoints=[tcp:tcp_probe]")
        bundle = bundles(tmp_path / name)["IM-IM"]
        found.append((digests(bundle), (bundle / "tracepoints.txt").read_bytes()))
    assert found[0] == found[1]


@pytest.mark.parametrize("lab", LABS)
@pytest.mark.parametrize(("name", "known"), [("tcp:nosuch", "tcp:tcp_probe"), ("nosuch:tcp", "tcp:…")])
def test_one_that_the_kernel_lacks(scenario, tmp_path, lab, name, known):
    with nothing_left():
        done = cellbed("run", scenario, "--results", tmp_path / "r", "--lab", lab, *SHORT_RUN, "--set",
                       f"capture.tracepoints=[{name}]", check=False)
    assert done.returncode == 1
    assert f"key 'capture.tracepoints.0': value {name}: this kernel has " in done.stderr
    assert f" {known}, " in done.stderr
    assert list((tmp_path / "r").iterdir()) == []


SMALL = "import sys; from cellbed.host import tracepoints; tracepoints._BUFFER_KIB = 4; " \
    "tracepoints._DRAIN_S = 60; tracepoints.main()"


@pytest.fixture
def recorder(tmp_path, stack):
    """A recorder of scheduling on this machine, whose buffer is small and never emptied in time."""
    process = stack.enter_context(subprocess.Popen([sys.executable, "-c", SMALL, str(tmp_path), "sched:sched_switch"],
                                                   stdout=subprocess.PIPE))
    stack.callback(process.kill)
    assert process.stdout.readline() == b"ready\n"
    return process


@needs_native
def test_what_is_lost_is_counted(recorder, tmp_path):
    end = time.monotonic() + 1
    while time.monotonic() < end:
        subprocess.run(["true"], check=True)
    recorder.send_signal(signal.SIGTERM)
    assert recorder.wait() == 0
    assert json.loads((tmp_path / "tracepoints.json").read_text())["lost"] > 100
    assert "sched_switch" in (tmp_path / "tracepoints.txt").read_text()


@needs_native
def test_clean_takes_away_the_buffer_of_a_killed_recorder(recorder):
    with the_only_cleaner():
        recorder.kill()
        recorder.wait()
        first, second = (subprocess.check_output([CELLBED, "clean"], text=True) for _ in range(2))
    assert f"removed trace buffer /sys/kernel/tracing/instances/cellbed-{recorder.pid}" in first
    assert "trace buffer" not in second
