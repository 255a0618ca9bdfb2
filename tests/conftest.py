# SPDX-License-Identifier: GPL-2.0-or-later
import signal

import pytest
from e2e import SHORT, WIRED

# Tests may run under nohup or in the background of a script, and commands would inherit that they ignore a hang-up or
# an interrupt. They do not inherit a handler.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
