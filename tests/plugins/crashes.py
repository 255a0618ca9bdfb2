# SPDX-License-Identifier: GPL-2.0-or-later
"""The example with which a property test ended its process, as a failed assertion of the core does.

Nothing of Python's can print it then. A process beside the tests knows which one is under way; when they die it runs
that test again, with Hypothesis telling each example before it is tried, and prints the last one.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What Hypothesis begins an example with, of versions past and present.
_TRIED = re.compile(r"(?:Trying example|Test case): ")
_LINES_MAX = 40
_LIMIT_S = 600


def command(test: str) -> list[str]:
    """What runs a property test again and tells each of its examples."""
    return [sys.executable, "-u", "-m", "pytest", "-s", "-p", "no:xdist", "--hypothesis-verbosity=verbose", test]


def last_example(said: str) -> str:
    """What Hypothesis told of the last example that it tried."""
    begins = [found.end() for found in _TRIED.finditer(said)]
    return "\n".join(said[begins[-1]:].splitlines()[:_LINES_MAX]) if begins else "no example was tried"


def _replay(test: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    try:
        done = subprocess.run(command(test), cwd=ROOT, env={**environment, Watcher.OFF: "1"}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        print(f"\n{test} ended its process; again it takes longer than {_LIMIT_S} s", file=sys.stderr)
        return
    ended = f"by signal {-done.returncode}" if done.returncode < 0 else f"with status {done.returncode}"
    print(f"\n{test} ended its process; again, {ended}, with the example\n"
          f"{last_example(done.stdout.decode(errors='replace'))}\n"
          f"run it again: {' '.join(command(test))}", file=sys.stderr, flush=True)


class Watcher:
    """A process that is told which property test is under way."""

    OFF = "CELLBED_NO_CRASH_WATCHER"  # in the environment: of the test that is run again

    def __init__(self) -> None:
        self._pid, self._pipe = 0, -1
        if os.environ.get(self.OFF):
            return
        read_fd, self._pipe = os.pipe()
        self._pid = os.fork()
        if self._pid:
            os.close(read_fd)
            return
        os.close(self._pipe)
        try:
            self._watch(read_fd)
        finally:
            os._exit(0)

    @staticmethod
    def _watch(read_fd: int) -> None:
        os.setsid()  # an interrupt of the tests is none of it
        with os.fdopen(read_fd) as told:
            lines = told.read().splitlines()
        if lines and lines[-1]:
            _replay(lines[-1])

    def under_way(self, test: str) -> None:
        """Args: test: its id, empty when none is."""
        if self._pid:
            os.write(self._pipe, f"{test}\n".encode())

    def close(self) -> None:
        if self._pid:
            os.close(self._pipe)
            os.waitpid(self._pid, 0)
            self._pid = 0
