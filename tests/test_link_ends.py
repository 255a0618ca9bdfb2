# SPDX-License-Identifier: GPL-2.0-or-later
"""A link ends with its terminal, and when it is told to, whatever its command thinks of it."""

import os
import signal
import subprocess
import time

import pytest
from e2e import CELLBED, cellbed, needs_native
from machine import nothing_left, wait_until
from test_behind_a_link import BOTH, Terminal, start

pytestmark = pytest.mark.lab

STUBBORN = "trap '' TERM HUP; echo ready; while :; do sleep 0.2; done"
# What a command has to end by itself, and as long again for what is around it.
SOON_S = 20


def ended(pid):
    return os.waitpid(pid, os.WNOHANG)[0] == pid


@pytest.fixture
def tidy(tmp_path, monkeypatch):
    """Run the test in a folder of its own; nothing of it may be left soon after it."""
    monkeypatch.chdir(tmp_path)
    with nothing_left(SOON_S):
        yield
        assert "nothing to clean" in cellbed("clean").stdout


@pytest.fixture(params=["virtual", pytest.param("native", marks=needs_native)])
def shell(request, tidy):
    """A shell behind a link, on a terminal, at its prompt."""
    person = Terminal("link", "good", "--lab", request.param, "--serve", "true")
    person.until("[good] ")
    return person


@pytest.mark.parametrize("typed", ["", "sleep 100000\n", f"bash -c \"{STUBBORN}\"\n"],
                         ids=["prompt", "job", "stubborn"])
def test_terminal_closed(shell, typed):
    shell.type(typed)
    if "ready" in typed:
        shell.until("ready\r\n")
    time.sleep(1)
    os.close(shell.fd)
    wait_until(lambda: ended(shell.pid), "end of the link", SOON_S)


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGHUP])
def test_signal_to_a_link_with_a_shell(shell, sig):
    """Interactive shells ignore SIGTERM."""
    os.kill(shell.pid, sig)
    began = time.monotonic()
    shell.status()
    assert time.monotonic() - began < SOON_S


@BOTH
def test_shell_around_it_killed(tidy, lab):
    """The link is a job of a shell that is killed; then its terminal closes."""
    person = Terminal("--norc", "-i", program="/bin/bash")
    person.type(f"PS1=; {CELLBED} link good --lab {lab} --serve true\n")
    person.until("[good] ")
    os.kill(person.pid, signal.SIGKILL)
    os.waitpid(person.pid, 0)
    os.close(person.fd)


@BOTH
@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGHUP])
def test_stubborn_command(tidy, tmp_path, lab, sig):
    process = start(lab, "bash", "-c", STUBBORN, cwd=tmp_path)
    process.send_signal(sig)
    process.communicate(timeout=SOON_S)
    assert process.returncode == 128 + signal.SIGKILL


@BOTH
def test_nohup(tidy, tmp_path, lab):
    """Who asks for it keeps the link when he leaves."""
    process = start(lab, "bash", "-c", "echo ready; sleep 4; echo done", cwd=tmp_path,
                    preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    assert process.communicate(timeout=60)[0] == "done\n" and process.returncode == 0


@BOTH
def test_visitor_with_its_terminal(tidy, tmp_path, lab):
    process = start(lab, "sh", "-c", "echo ready; cat", cwd=tmp_path, stdin=subprocess.PIPE)
    visitor = Terminal("shell", "--pid", str(process.pid), "ue1")
    visitor.until("[ue1] ")
    visitor.type("trap '' HUP; echo $((6*7))\n")
    visitor.until("42")
    os.close(visitor.fd)
    wait_until(lambda: ended(visitor.pid), "end of the visit", SOON_S)
    process.stdin.close()
    assert process.wait(60) == 0
