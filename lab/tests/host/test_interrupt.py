# SPDX-License-Identifier: GPL-2.0-or-later
"""An interrupt is one, whatever a library makes of it."""

import subprocess
import sys

import pytest

# As pydantic, which raises SchemaError with the interrupt in its text only.
PROGRAM = """
import os, signal
from cellbed.host.interrupt import interrupt, was_interrupted

signal.pthread_sigmask(signal.SIG_SETMASK, [])
signal.signal(signal.SIGINT, interrupt)
try:
    try:
        {come}
    except KeyboardInterrupt:
        pass
    raise ValueError("KeyboardInterrupt: ")
except ValueError as error:
    print(was_interrupted(error))
"""


@pytest.mark.parametrize(("come", "said"), [("os.kill(os.getpid(), signal.SIGINT)", "True"), ("pass", "False")])
def test_an_error_without_a_cause(come, said):
    done = subprocess.run([sys.executable, "-P", "-c", PROGRAM.format(come=come)], capture_output=True, text=True)
    assert done.stdout.strip() == said, done.stderr


# An interrupt comes when a lock of a future has just been taken, which the thread that finishes the future needs.
WAITS = """
import os, signal, sys, threading
from concurrent.futures import Future
from cellbed.host.interrupt import interrupt
from cellbed.sweep.execute import Sweep

def look(frame, event, _):
    if event == "return" and frame.f_code is threading.Condition.__enter__.__code__:
        sys.settrace(None)
        os.kill(os.getpid(), signal.SIGINT)
    return look

signal.pthread_sigmask(signal.SIG_SETMASK, [])
signal.signal(signal.SIGINT, interrupt)
future = Future()
sys.settrace(look)
try:
    Sweep._results([future])
except KeyboardInterrupt:
    print("interrupted")
finishes = threading.Thread(target=future.set_result, args=(1,), daemon=True)
finishes.start()
finishes.join(5)
print("hangs" if finishes.is_alive() else "ends")
"""


def test_who_waits_for_runs_keeps_no_lock_when_it_is_interrupted():
    done = subprocess.run([sys.executable, "-P", "-c", WAITS], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\nends\n", done.stdout + done.stderr
