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
