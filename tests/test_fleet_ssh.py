# SPDX-License-Identifier: GPL-2.0-or-later
"""Sweeps on hosts over SSH: a real server, keys of its own, and a user who has nothing of cellbed."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from e2e import CELLBED, bundles, cellbed
from machine import own_part, wait_until
from ssh_server import SshServer, needs_an_ssh_server
from test_fleet import SHORT_RUNS, content, running

from cellbed.sweep import ssh, ssh_boot, ssh_frames

TWO = "ssh://runner@127.0.0.1,runner@127.0.0.2"


def on_hosts(test):
    return pytest.mark.lab(needs_an_ssh_server(test))


@pytest.fixture(scope="module")
def machine():
    """One machine with two addresses, as two hosts, and a third one that is not known."""
    folder = Path(tempfile.mkdtemp(prefix="cellbed-ssh-", dir="/tmp"))
    folder.chmod(0o755)
    with own_part():
        server = SshServer(folder, "127.0.0.1", "127.0.0.2", "127.0.0.3")
        known = folder / "known"
        known.write_text(known.read_text().replace(",127.0.0.3", ""))
        (folder / "other").mkdir()
        (folder / "other/ip").write_text("#!/bin/sh\necho ip utility, iproute2-9.9\n")
        (folder / "other/ip").chmod(0o755)
        with running(server.command, stderr=subprocess.DEVNULL):
            wait_until(server.answers, "a server")
            yield server
    shutil.rmtree(folder)


def executing(machine):
    return [path for path in machine.folder.glob("tmp/*/tmp/.tmp-*/progress") if "\nat " in path.read_text()]


@on_hosts
def test_hosts_give_the_bytes_of_this_machine(machine, scenario, tmp_path):
    sweep = ("sweep", scenario, *SHORT_RUNS, "--set", "radio.channel={model: swing}", "--seeds", "1-2")
    here, there = tmp_path / "here", tmp_path / "there"
    cellbed(*sweep, "--results", here)
    done = cellbed(*sweep, "--results", there, "--on", TWO, env=machine.environment)
    assert done.stdout.count(" valid") == 2 and not done.stderr
    names = sorted(path.name for path in here.iterdir())
    assert sorted(path.name for path in there.iterdir()) == names and len(names) == 3
    for name in names[:-1]:
        assert content(there / name) == content(here / name)
    assert (there / "summary/sweep.parquet").read_bytes() == (here / "summary/sweep.parquet").read_bytes()
    assert (bundles(here)["DM-DM"] / "channel.trace").exists() and machine.left() == []


@on_hosts
def test_what_a_host_had_that_dies_goes_to_another(machine, scenario, tmp_path):
    with subprocess.Popen([CELLBED, "sweep", scenario, "--variant", "DM-DM", "--set", "traffic.0.duration_s=20",
                           "--seeds", "1-2", "--results", tmp_path / "r", "--on", TWO], env=machine.environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        wait_until(lambda: executing(machine), "a run", 200)
        victim = int(executing(machine)[0].parent.suffix[1:])
        os.kill(victim, signal.SIGKILL)
        out, _ = process.communicate(timeout=800)
    assert process.returncode == 0, out
    assert out.count(" valid") == 2 and out.count(" is lost: ") == 1
    assert machine.left() == []


@on_hosts
@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_of_a_sweep_that_is_stopped(machine, scenario, tmp_path, sig):
    with running([CELLBED, "run", scenario, "--variant", "DM-DM", "--set", "traffic.0.duration_s=20000", "--results",
                  tmp_path / "r", "--on", TWO], env=machine.environment, stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: executing(machine), "a run", 200)
        process.send_signal(sig)
        _, err = process.communicate(timeout=60)
        if sig != signal.SIGKILL:
            assert process.returncode == 130 and err.endswith("cellbed: interrupted; nothing was left behind\n")
            assert machine.left() == [] and not list((tmp_path / "r").iterdir())
    wait_until(lambda: not machine.left(), "the end of the run", 30)


@on_hosts
@pytest.mark.parametrize(("on", "has", "said"), [
    ("ssh://runner@127.0.0.1:23", (), "ssh://runner@127.0.0.1:23: ssh: connect to host 127.0.0.1 port 23: Connection "
                                      "refused"),
    ("ssh://runner@127.0.0.3", (), "ssh://runner@127.0.0.3: Host key verification failed."),
    ("ssh://nobody@127.0.0.1", (), "Permission denied (publickey)."),
    ("ssh://no.such.host.invalid", (), "Could not resolve hostname no.such.host.invalid"),
    (TWO, ("export PATH=/nowhere",), "there is no python"),
    (TWO, ("export PATH=$HOME/../other:$PATH",), "iproute2 is ip utility, iproute2-9.9, here ip utility, "),
    (TWO, ("ulimit -f 100",), "File too large")])
def test_a_host_that_cannot_run_is_one_line(machine, scenario, tmp_path, on, has, said):
    machine.has(*has)
    try:
        done = cellbed("sweep", scenario, "--results", tmp_path / "r", "--on", on, env=machine.environment, check=False)
    finally:
        machine.has()
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and said in done.stderr, done.stderr
    assert not (tmp_path / "r").exists()
    # The other one may still have been getting its programs, of which the connection's end tells it.
    wait_until(lambda: not machine.left(), "the end of the programs there")


@pytest.mark.parametrize("text", ["node1", "ssh://", "ssh://a,", "ssh://a:99999", "ssh://-oProxyCommand=true",
                                  "ssh://a b", "ssh://a,a", "tcp://a", "ssh://a/b"])
def test_what_is_no_host_is_refused(scenario, tmp_path, command, text):
    done = command("sweep", scenario, "--results", tmp_path / "r", "--on", text)
    assert done.returncode == 1 and done.stderr.startswith(f"cellbed: --on: value {text}: ")
    assert done.stderr.count("\n") == 1 and not (tmp_path / "r").exists()


def test_hosts_are_named_as_ssh_does():
    assert ssh.parse(["ssh://node1,me@node2:2222", "ssh://[::1]"]) == ["ssh://node1", "ssh://me@node2:2222",
                                                                      "ssh://[::1]"]
    assert ssh._where("ssh://me@[::1]:22") == ["-l", "me", "-p", "22", "--", "::1"]


@pytest.mark.parametrize(("words", "said"), [
    (["--scheduler", "tcp://127.0.0.1:1"], "--on and --scheduler exclude each other"),
    (["--lab", "native"], "--on: workers have no lab native")])
def test_hosts_run_virtual_labs_and_no_others(scenario, tmp_path, command, words, said):
    done = command("run", scenario, "--results", tmp_path / "r", "--on", "ssh://node1", *words)
    assert done.returncode == 1 and said in done.stderr


@pytest.mark.lab
def test_a_host_gives_up_a_client_that_is_silent():
    """As after a network that went away, which ends no connection."""
    with subprocess.Popen([sys.executable, "-m", "cellbed.sweep.ssh_worker", "6.12", "1"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as worker:
        ssh_frames.await_beginning(worker.stdout)
        said, _ = ssh_frames.hear(worker.stdout, ssh_frames.OF_HOST)
        began = time.monotonic()
        assert isinstance(said, ssh_frames.Ready) and said.cpus > 0
        ssh_frames.say(worker.stdin, ssh_frames.Ping())
        assert worker.wait(30) == 0 and time.monotonic() - began > 0.9


def test_what_a_killed_program_left_goes_with_the_next(tmp_path):
    dead = subprocess.Popen(["true"])
    dead.wait()
    names = [f"{ssh_boot.PREFIX}{dead.pid}-x", f"{ssh_boot.PREFIX}{os.getpid()}-x", "cellbed-host-of-mine"]
    for name in names:
        (tmp_path / name / "sub").mkdir(parents=True)
    ssh_boot.remove_dead(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])


@pytest.mark.lab
@pytest.mark.parametrize("facts", [b"null", b"1e999", b"{}", b"[" * 900_000])
def test_a_host_that_says_what_none_says_is_one_line(scenario, tmp_path, facts):
    """From the command line; lab/tests/sweep/test_ssh_hosts.py has many more."""
    (tmp_path / "said").write_bytes(ssh_frames.BEGINNING + b'{"kind": "ready", "facts": ' + facts + b"}\n")
    (tmp_path / "ssh").write_text(f"#!/bin/sh\ncat {tmp_path}/said\nexec cat >/dev/null\n")
    (tmp_path / "ssh").chmod(0o755)
    done = cellbed("sweep", scenario, "--results", tmp_path / "r", "--on", "ssh://evil", check=False,
                   env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert done.returncode == 1 and done.stderr.startswith("cellbed: ssh://evil: ") and done.stderr.count("\n") == 1
