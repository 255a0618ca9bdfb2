# SPDX-License-Identifier: GPL-2.0-or-later
"""The tests' look at the machine: sees what a test leaves, whatever that did to hide, and nothing else."""

import os
import subprocess
import sys

import pytest
from e2e import needs_namespaces, needs_native
from machine import nothing_left, own_part

# A daemon: its parent ends, it has a session, a folder and an environment of its own.
HIDDEN = """
import os
if os.fork() == 0:
    os.setsid()
    os.chdir("/")
    os.execve("/bin/sleep", ["nobody", "1000"], {})
"""
IN_A_NAMESPACE = HIDDEN.replace('"/bin/sleep", ["nobody", ', '"/usr/bin/unshare", ["unshare", "-n", "sleep", ')


@pytest.mark.parametrize(("leak", "expected"), [
    ([sys.executable, "-c", HIDDEN], "nobody 1000"),
    pytest.param([sys.executable, "-c", IN_A_NAMESPACE], "sleep 1000", marks=needs_namespaces),
    pytest.param(["ip", "netns", "add", "cellbed-test"], "/run/netns/cellbed-test", marks=needs_namespaces),
    pytest.param(["ip", "link", "add", "left0", "type", "veth", "peer", "left1"], "interface left1",
                 marks=needs_namespaces),
    pytest.param(["sh", "-c", "mkdir $(awk '$3 == \"cgroup2\" {print $2; exit}' /proc/mounts)/cellbed-left.1"],
                 "/cellbed-left.1", marks=needs_native),
    (["sh", "-c", "mkdir $XDG_RUNTIME_DIR/cellbed-0 && touch $XDG_RUNTIME_DIR/cellbed-0/1-run.json"], "1-run.json"),
], ids=["process", "namespace", "named namespace", "interface", "cgroup", "ledger entry"])
def test_a_leak_is_noticed(leak, expected):
    try:
        with pytest.raises(AssertionError, match=expected), nothing_left(deadline_s=0.5):
            subprocess.run(leak, check=True)
    finally:
        if "netns" in leak:
            subprocess.run(["ip", "netns", "del", "cellbed-test"], check=True)
    with nothing_left(deadline_s=1):  # nor is it there for the next one
        pass


@needs_namespaces
def test_others_are_not_seen():
    """Nor do they see a test: what it leaves is in its own part of the machine."""
    outer = os.open("/proc/self/ns/net", os.O_RDONLY)
    elsewhere = subprocess.Popen(["unshare", "-n", "sleep", "1000"])

    def there(*command):
        return subprocess.run(["nsenter", f"--net=/proc/self/fd/{outer}", *command], pass_fds=(outer,),
                              capture_output=True, check=False).returncode

    try:
        with own_part() as left:
            assert there("ip", "link", "add", "other0", "type", "veth") == 0
            assert left() == []
            subprocess.run(["ip", "link", "add", "own0", "type", "veth", "peer", "own1"], check=True)
            assert left() == ["interface own0", "interface own1"]
            assert there("ip", "link", "show", "own0") != 0
    finally:
        there("ip", "link", "del", "other0")
        os.close(outer)
        elsewhere.kill()
        elsewhere.wait()
