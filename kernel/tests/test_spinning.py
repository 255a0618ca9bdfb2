# SPDX-License-Identifier: GPL-2.0-or-later
"""In virtual time computing takes no time: what spins until something happens has to make time go on all the same."""

import shutil
import subprocess
from pathlib import Path

import pytest
from lab_kernel import KINDS, boot, cached

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def spin(tmp_path_factory):
    built = tmp_path_factory.mktemp("spin") / "spin"
    subprocess.run([shutil.which("gcc"), "-O1", "-Wall", "-o", built, HERE / "spin.c"], check=True)
    return built


WAYS = ["coarse", "times", "yield", "poll", "talk"]


@pytest.mark.parametrize("kernel", KINDS)
def test_a_program_that_waits_for_a_clock_that_stands_still_ends(kernel, spin, tmp_path):
    out, _ = boot(cached(kernel), tmp_path, "\n".join(f"{spin} {way}" for way in WAYS))
    took_s = dict(line.split() for line in out.splitlines())
    assert list(took_s) == WAYS
    for way in WAYS:
        assert float(took_s[way]) == pytest.approx(0.1, abs=0.012), way  # a tick of times() is 10 ms


@pytest.mark.parametrize("kernel", KINDS)
def test_work_takes_no_time(kernel, tmp_path):
    """Thousands of system calls that get something done are not charged: what idles in between does not spin.

    All of them together are more than are free for what makes no progress; those between two sleeps are not.
    """
    out, _ = boot(cached(kernel), tmp_path, """python3 -c '
import os, time
first = time.monotonic_ns()
for _ in range(10):
    for _ in range(11_000): os.getppid()
    time.sleep(0.01)
print(time.monotonic_ns() - first)'""")
    assert int(out) == pytest.approx(100_000_000, abs=2_000_000)


@pytest.mark.parametrize("kernel", KINDS)
def test_processes_that_end_while_others_read_about_them(kernel, tmp_path):
    """The kernel itself waits with cond_resched() for a process that takes /proc/PID apart at the same time."""
    out, _ = boot(cached(kernel), tmp_path, """python3 -c '
import os, signal, threading
def child():
    threads = [threading.Thread(target=signal.pause, daemon=True) for _ in range(20)]
    [t.start() for t in threads]
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)) if os.getpid() % 2 else None
    os.listdir("/proc/self/task"); [open(f"/proc/self/task/{t}/stat").read() for t in os.listdir("/proc/self/task")]
    os._exit(0)
for _ in range(10):
    children = []
    for _ in range(10):
        pid = os.fork()
        if pid == 0: child()
        children.append(pid)
    for pid in children:
        try: [os.stat(f"/proc/{pid}/task/{t}/fd") for t in os.listdir(f"/proc/{pid}/task")]
        except OSError: pass
    [os.waitpid(pid, 0) for pid in children]
print("ended")'""")
    assert out.strip() == "ended"
