# SPDX-License-Identifier: GPL-2.0-or-later
"""`make conformance` itself, in real guests: commands of our own, and scripts of packetdrill where it is here."""

import os
import subprocess
import sys
import threading

import pytest
import yaml
from lab_kernel import cached

from cellbed.error import LabError
from cellbed_kernel.conformance import guest, known, packetdrill

CPU = min(os.sched_getaffinity(0))
PASSES = "packetdrill/close/close-remote-fin-then-close.pkt"
FAILS = "packetdrill/fastopen/server/simple1.pkt"
REASON = "It is only here for this test."


def execute(kernel, folder, command, limit_s=100):
    return guest.execute(cached(kernel).path, guest.Test("own", folder, command), CPU, limit_s, threading.Event())


@pytest.mark.lab
@pytest.mark.parametrize("kernel", packetdrill.COMMITS)
def test_the_status_of_a_command_is_its_verdict(kernel, tmp_path):
    (tmp_path / "here").touch()
    assert execute(kernel, tmp_path, "ls here && ping -c 1 127.0.0.1 && touch /tmp/it").passed
    failed = execute(kernel, tmp_path, "echo 'what it says'; exit 3")
    assert not failed.passed
    assert failed.said.split("\n")[-3:] == ["what it says", "ended with 3", ""]


@pytest.mark.lab
@pytest.mark.parametrize(("command", "limit_s", "why"), [
    ("sleep 100000", 100, "ended with 124"),  # of the guest's time, which jumps
    ("while :; do :; done", 2, "no end within 2 s"),  # keeps its clock from going on
    ("python3 -c 'import ctypes; ctypes.CDLL(None).reboot(0x4321FEDC)'", 100, "the guest died; its console: "),
])
def test_what_does_not_end_fails(tmp_path, command, limit_s, why):
    result = execute("6.12", tmp_path, command, limit_s)
    assert not result.passed and why in result.said
    assert result.took_s < 60


def conform(*words):
    done = subprocess.run([sys.executable, "-m", "cellbed_kernel.conformance.run", *map(str, words)],
                          capture_output=True, text=True, timeout=250, check=False)
    assert "Traceback" not in done.stderr
    return done


def listing(path, *entries):
    path.write_text(yaml.safe_dump(list(entries)))
    return path


@pytest.mark.lab
@pytest.mark.parametrize("version", packetdrill.COMMITS)
def test_failures_are_compared_with_the_list(version, tmp_path):
    cached(version)
    if where := os.environ.get("CELLBED_PACKETDRILL"):
        packetdrill.obtain(version, where)
    elif not packetdrill.cached(version).exists():
        pytest.skip("packetdrill is not here: `make conformance` fetches it, CELLBED_PACKETDRILL names a copy")
    both = ("--kernel", version, PASSES, FAILS)

    done = conform(*both)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == f"Linux {version}: 2 tests, 1 pass, 1 fail as known, 0 fail and are not known to\n"

    done = conform(*both, "--known", listing(tmp_path / "other.yaml", {"reason": REASON, "tests": [PASSES]}))
    assert done.returncode == 1
    assert f"{PASSES} passes, but is listed as failing: {REASON}\n" in done.stdout
    assert f"{FAILS} fails and is not known to:\n" in done.stdout and "FOEXP 00abaaabe8e954c2" in done.stdout
    assert done.stdout.endswith(f"Linux {version}: 2 tests, 1 pass, 0 fail as known, 1 fail and are not known to\n")


@pytest.mark.parametrize(("entry", "why"), [
    ({"reason": REASON}, "key 'tests': value"),
    ({"reason": "no", "tests": [PASSES]}, "key 'reason': value 'no'"),
    ({"reason": REASON, "tests": [PASSES], "kernel": ["7.3"]}, "key 'kernel': value"),
    ({"reason": REASON, "tests": [PASSES], "kernels": ["5.4"]}, "key 'kernels': value 5.4: allowed 7.3, 6.12, 6.1"),
    ({"reason": REASON, "tests": [PASSES, PASSES]}, f"key 'tests': value {PASSES}: listed twice for Linux 6.12"),
])
def test_a_list_that_says_nothing(entry, why, tmp_path):
    path = listing(tmp_path / "known.yaml", entry)
    with pytest.raises(LabError) as caught:
        known.load(path, "6.12")
    assert str(caught.value).startswith(f"{path}: {why}")


def test_a_packetdrill_that_cannot_be_had(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(LabError, match="^packetdrill cannot be fetched: .*; name a copy with PACKETDRILL=FOLDER$"):
        packetdrill.obtain("6.12", str(tmp_path / "nowhere"))
    subprocess.run(["git", "init", "-q", tmp_path / "empty"], check=True)
    with pytest.raises(LabError, match=f"has no commit {packetdrill.COMMITS['6.12'][:12]}: "):
        packetdrill.obtain("6.12", str(tmp_path / "empty"))
    assert list((tmp_path / "cache/cellbed/conformance").iterdir()) == []
