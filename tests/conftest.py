# SPDX-License-Identifier: GPL-2.0-or-later
import contextlib
import signal
import subprocess
import sys

import pytest
from e2e import SHORT, WIRED

from cellbed import cli

# Tests may run under nohup or in the background of a script, and commands would inherit that they ignore a hang-up or
# an interrupt. They do not inherit a handler.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def command(monkeypatch, capsys):
    """The command in this process, for tests of many words: what a user is told, and the status."""
    def call(*words):
        monkeypatch.setattr(sys, "argv", ["cellbed", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            cli.main()
            raise SystemExit(0)
        out, err = capsys.readouterr()
        return subprocess.CompletedProcess(words, end.value.code, out, err)

    return call


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "short.yaml"
    path.write_text(SHORT)
    return path


@pytest.fixture
def wired(tmp_path):
    path = tmp_path / "wired.yaml"
    path.write_text(WIRED)
    return path


@pytest.fixture
def stack():
    """Things to leave at the end of the test."""
    with contextlib.ExitStack() as entered:
        yield entered
