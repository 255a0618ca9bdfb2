# SPDX-License-Identifier: GPL-2.0-or-later
"""Following a lab's process: progress counts, silence ends it, and time in which nobody ran is no silence."""

import os
import signal
import subprocess
import threading
import time

import pytest

from cellbed.error import LabError
from cellbed.labs import follow as module
from cellbed.labs.follow import Watch, follow


class Impatient(Watch):
    stalled_after_s = 1.0

    def __init__(self):
        self.told = []

    def noticed(self, text):
        self.told.append(text)


@pytest.fixture
def lab():
    """A process that does nothing."""
    with subprocess.Popen(["sleep", "30"]) as process:
        yield process
        process.kill()


class Computes:
    def look(self):
        return "sh (pid 7) computes"


def test_no_progress_ends_it_and_names_who_computes(lab, tmp_path):
    watch = Impatient()
    with pytest.raises(LabError, match=r"^the run made no progress for 1 s and was stopped: sh \(pid 7\) computes$"):
        follow(lab, tmp_path, watch, computing=Computes())
    assert watch.told == ["sh (pid 7) computes"]


def test_progress_is_no_silence(lab, tmp_path):
    def work():
        for n in range(8):
            with open(tmp_path / "progress", "a") as file:
                file.write(f"at {n}.0 8.0\n")
            time.sleep(0.25)
        lab.kill()

    threading.Thread(target=work).start()
    assert follow(lab, tmp_path, Impatient()) == {}


def test_a_stopped_command_has_not_waited(tmp_path):
    """Ctrl-Z for longer than the patience, then fg: the lab was stopped, too."""
    script = ("import subprocess, sys\nfrom pathlib import Path\nfrom cellbed.labs.follow import Watch, follow\n"
              "class Impatient(Watch):\n    stalled_after_s = 2.5\n"
              f"follow(subprocess.Popen(['sleep', '6']), Path({str(tmp_path)!r}), Impatient())\n")
    follower = subprocess.Popen([os.sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    follower.send_signal(signal.SIGSTOP)
    time.sleep(5)
    follower.send_signal(signal.SIGCONT)
    assert follower.communicate(timeout=30)[1] == ""


def test_the_end_wakes_the_follower(monkeypatch, tmp_path):
    """Neither the next look at the progress nor any other pause goes by first."""
    def pause(_):
        raise AssertionError("a pause")

    monkeypatch.setattr(module, "_POLL_S", 3600)
    with subprocess.Popen(["sleep", "0.3"]) as process:
        monkeypatch.setattr(time, "sleep", pause)
        assert follow(process, tmp_path, Watch()) == {}
        assert process.returncode == 0
