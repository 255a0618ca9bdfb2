#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Change the code at random, one place at a time, and see whether a test fails.

    mutate.py [--part core] [--mutants 300] [--seed 1] [--jobs CPUS] [--programs]

A line is drawn, then one of the changes that can be made in it (changes.py). What does not compile, and what compiles
to the same, is no mutant. Each mutant is built in a copy of the checkout and meets the part's tests (parts.py), the
quickest first, until one fails; of Python only tests that execute a line of the function that is changed, or of the
file, where the change is in no function. Survivors are printed as a difference, but for those that equivalent.txt
explains. Exit status 1 when any is left. With --programs mutants meet the part's programs alone: that takes less time,
and what dies so dies with all tests, too.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import dataclasses
import difflib
import os
import queue
import random
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from changes import Change, bodies, changes, functions
from checkout import Checkout, Limit, Lines, Test, name
from memory import Memory
from parts import PARTS, Part

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NOT_JUDGED = ("invalid", "same")
ANYWHERE = "*"  # in place of a file

Key = tuple[str, str, str, str]  # file, function, line as it is, line as it would be


@dataclass(frozen=True)
class Mutant:
    file: str  # in the checkout
    text: bytes  # of the file as it is
    change: Change

    def key(self) -> Key:
        """What equivalent.txt calls it, whatever is written above it one day: equal lines of a function are one."""
        _, old, new = self.change.lines(self.text)
        return self.file, self.function(), _bare(old), _bare(new)

    def function(self) -> str:
        """The innermost one that the change is in; empty outside of all."""
        around = [name for start, end, name in functions(Path(self.file).suffix, self.text)
                  if start <= self.change.start < end]
        return around[-1] if around else ""

    def reached_by(self, lines: Lines) -> bool:
        """Whether what executes these lines may notice."""
        around = [(start, end) for start, end in bodies(Path(self.file).suffix, self.text)
                  if start <= self.change.start < end]
        start, end = around[-1] if around else (0, len(self.text))
        first, last = (self.text.count(b"\n", 0, at) + 1 for at in (start, end))
        return any(first <= line <= last for line in lines.get(self.file, ()))

    def __str__(self) -> str:
        before, after = (text.decode().splitlines() for text in (self.text, self.change.apply(self.text)))
        return "\n".join(difflib.unified_diff(before, after, self.file, self.file, lineterm="", n=2))


def _bare(lines: str) -> str:
    return "\n".join(line.strip() for line in lines.splitlines())


def draw(root: Path, part: Part, seed: int) -> Iterator[Mutant]:
    """A mutant of every line that can be changed, in the seed's order; then a second one of each, and so on."""
    by_line = collections.defaultdict(list)
    for file in sorted({path for pattern in part.sources for path in root.glob(pattern)}):
        if file.name not in part.without:
            text = file.read_bytes()
            for change in changes(file.suffix, text):
                by_line[file, change.lines(text)[0]].append(Mutant(str(file.relative_to(root)), text, change))
    chance = random.Random(seed)
    while by_line:
        for line in chance.sample(sorted(by_line), len(by_line)):
            yield by_line[line].pop(chance.randrange(len(by_line[line])))
            if not by_line[line]:
                del by_line[line]


def explained(file: Path) -> dict[Key, str]:
    """Mutants that mean the same, with the reason: paragraphs of a file's name and a function's, - old, + new, and the
    reason."""
    found = {}
    for block in file.read_text().split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        old, new = ([line[2:] for line in lines if line.startswith(sign)] for sign in ("- ", "+ "))
        reason = " ".join(line for line in lines[1:] if line[:2] not in ("- ", "+ "))
        if lines:
            name, _, function = lines[0].partition(" ")
            found[name, function, _bare("\n".join(old)), _bare("\n".join(new))] = reason
    return found


class Judges:
    """Copies of the checkout, which stay for the next time, in which mutants are tried side by side."""

    def __init__(self, root: Path, part: Part, jobs: int) -> None:
        self._pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self._free: queue.Queue[Checkout] = queue.Queue()
        self._all = list(self._pool.map(lambda i: Checkout(root, part, root / f"build/mutate/{i}"), range(jobs)))
        for checkout in self._all:
            self._free.put(checkout)
        self._memory = Memory(root / "build/mutate/measured.json", self._all[0].digest)
        timed = self._pool.map(lambda test: (self._limit(test), test), self._all[0].tests())
        self._tests = [(test, limit) for limit, test in sorted(timed)]
        self._lines: dict[Test, Lines] = {}
        if part.by_lines:
            found = self._pool.map(lambda one: self._reached(one[0]), self._tests)
            self._lines = {test: lines for (test, _), lines in zip(self._tests, found, strict=True)}
        self._kills: collections.Counter[tuple[str, str]] = collections.Counter()

    def _limit(self, test: Test) -> Limit:
        return Limit(*self._memory.recall(f"time {' '.join(test)}", lambda: self._with_one(Checkout.time, test)))

    def _reached(self, test: Test) -> Lines:
        def measure() -> dict[str, list[int]]:
            return {file: sorted(lines) for file, lines in self._with_one(Checkout.reached, test).items()}

        return {file: set(lines) for file, lines in self._memory.recall(f"lines {' '.join(test)}", measure).items()}

    def _with_one(self, do, *what):
        checkout = self._free.get()
        try:
            return do(checkout, *what)
        finally:
            self._free.put(checkout)

    def judge(self, mutant: Mutant) -> concurrent.futures.Future[str]:
        return self._pool.submit(self._judge, mutant)

    def _judge(self, mutant: Mutant) -> str:
        """First what takes little time for the mutants that it has killed before, most of all those of this file."""
        meant = [one for one in self._tests if one[0] not in self._lines or mutant.reached_by(self._lines[one[0]])]
        tests = sorted(meant, key=lambda one: one[1].cpu_s / (1 + self._kills[mutant.file, name(one[0])]
                                                              + self._kills[ANYWHERE, name(one[0])] / 4))
        what = self._with_one(Checkout.judge, mutant.file, mutant.change.apply(mutant.text), tests)
        for file in (mutant.file, ANYWHERE):
            self._kills[file, what] += 1
        return what

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        for checkout in self._all:
            checkout.stop()
        self._pool.shutdown()


def execute(judges: Judges, drawn: Iterator[Mutant], known: dict, wanted: int,
            jobs: int) -> Iterator[tuple[Mutant, str]]:
    """Yield: mutants in the order in which they were drawn, and what became of each, until so many were judged."""
    waiting: collections.deque[tuple[Mutant, concurrent.futures.Future | None]] = collections.deque()
    while wanted > 0:
        for mutant in drawn:
            waiting.append((mutant, None if mutant.key() in known else judges.judge(mutant)))
            if len(waiting) >= 4 * jobs:
                break
        if not waiting:
            return
        mutant, judged = waiting.popleft()
        what = judged.result() if judged else "equivalent"
        wanted -= what not in NOT_JUDGED
        yield mutant, what


def tell(found: collections.Counter[str], seconds: float) -> None:
    judged = sum(n for what, n in found.items() if what not in NOT_JUDGED)
    killed = judged - found["survived"] - found["equivalent"]
    for what, n in found.most_common():
        if what not in (*NOT_JUDGED, "survived", "equivalent"):
            print(f"{n:5} killed by {what}")
    print(f"{killed} of {judged} killed, {100 * killed / max(1, judged):.1f} %; {found['equivalent']} are equivalent, "
          f"{found['survived']} survived; {found['same']} compiled to the same, {found['invalid']} not at all; "
          f"{seconds:.0f} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=PARTS, default="core")
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--programs", action="store_true")
    chosen = parser.parse_args()
    part = dataclasses.replace(PARTS[chosen.part], pytest=()) if chosen.programs else PARTS[chosen.part]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # by way of what stops the tests and deletes the copies
    return run(ROOT, part, HERE / "equivalent.txt", chosen.mutants, chosen.seed, chosen.jobs)


def run(root: Path, part: Part, equivalent: Path, mutants: int, seed: int, jobs: int) -> int:
    """Return: the exit status."""
    began, found = time.monotonic(), collections.Counter()
    judges = Judges(root, part, jobs)
    try:
        for mutant, what in execute(judges, draw(root, part, seed), explained(equivalent), mutants, jobs):
            found[what] += 1
            if what == "survived":
                print(f"{mutant}\n", flush=True)
            print(f"\r{sum(found.values())} drawn, {found['survived']} survived ", end="", file=sys.stderr, flush=True)
    finally:
        judges.close()
    print(file=sys.stderr)
    tell(found, time.monotonic() - began)
    return 1 if found["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
