# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run could leave on the machine, and which processes are of a test's own run."""

import os
import subprocess
import time
from pathlib import Path

from e2e import CELLBED


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
    """A run that has got as far as its traffic. Return: the process of the command."""
    process = subprocess.Popen([CELLBED, "run", scenario, "--results", results, "--lab", lab,
                                *(options or ("--variant", "DM-DM", "--set", "traffic.0.duration_s=2000"))],
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_until(lambda: any("\nat " in p.read_text() for p in Path(results).glob(".tmp-*/progress")), "traffic")
    return process
