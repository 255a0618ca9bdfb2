#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Property tests with inputs that no run had before: a new seed each round.

    properties.py ROUNDS [PYTEST ARGUMENTS]
    properties.py --minutes MINUTES [PYTEST ARGUMENTS]    rounds that begin until the time is over, one at least

Exit 1 when a round found something. What fails is kept in build/hypothesis and tried first in every later round, until
it holds. The gate does not read that folder: such an input becomes an @example of its test. `CELLBED_PROPERTY_SEED=SEED
pytest` runs a round again.
"""

import itertools
import os
import re
import resource
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SEEDS = 2**32
LIMIT_S = 3600  # of a test: by the clock on the wall, which a busy machine stretches


class Round(NamedTuple):
    held: bool
    examples: int  # inputs that met a property, those that it does not want left out


def execute(seed: int, arguments: list[str]) -> Round:
    """Run all properties once. What pytest says is shown where one fails."""
    began, used_s = time.monotonic(), cpu_s()
    done = subprocess.run([sys.executable, "-m", "pytest", "-m", "hypothesis", "--hypothesis-show-statistics",
                           f"--timeout={LIMIT_S}", *arguments], stdout=subprocess.PIPE, text=True, cwd=ROOT,
                          env={**os.environ, "CELLBED_PROPERTY_SEED": str(seed)}, check=False)
    held = done.returncode == 0
    examples = sum(map(int, re.findall(r"^ +- (\d+) passing, ", done.stdout, re.MULTILINE)))
    if not held:
        print(done.stdout)
    print(f"properties, seed {seed}: {'held' if held else 'failed'}, {examples} examples, "
          f"{time.monotonic() - began:.0f} s, {cpu_s() - used_s:.0f} s of CPU time", flush=True)
    return Round(held, examples)


def cpu_s() -> float:
    """CPU time of rounds that are over: on a busy machine the clock says little of how much was tried."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def until(end_s: float) -> Iterator[None]:
    """Go on until the monotonic clock shows @end_s, once at least."""
    yield
    while time.monotonic() < end_s:
        yield


def main() -> int:
    words, began = sys.argv[1:], time.monotonic()
    turns: Iterator[object] = iter(())
    if words[:1] == ["--minutes"]:
        turns, words = until(began + 60 * float(words[1])), words[1:]
    elif words:
        turns = itertools.repeat(None, int(words[0]))
    rounds = [execute(secrets.randbelow(SEEDS), words[1:]) for _ in turns]
    failed = sum(not one.held for one in rounds)
    print(f"properties: {len(rounds)} rounds, {failed} failed, {sum(one.examples for one in rounds)} examples, "
          f"{time.monotonic() - began:.0f} s, {cpu_s():.0f} s of CPU time")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
