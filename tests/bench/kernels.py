#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run costs in each lab kernel, in turns: CPU seconds of its start, and of each second that it executes.

    kernels.py [--rounds N]
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

from base import HERE
from cases import CASES, Scenario, write
from cost import Cost, Failed, cpu_s, say, told

SECONDS = (2, 12)
WAYS = {"7.3, seccomp": ("7.3", ""), "7.3, ptrace": ("7.3", "1"), "6.12": ("6.12", ""), "6.1": ("6.1", "")}
_CASES = ("TCP, 30 Mbit/s", "TCP, window of 8 KiB", "datagrams, 30 Mbit/s")


def cost(way: str, scenario: Scenario, scratch: Path) -> Cost:
    kernel, os.environ["CELLBED_PTRACE"] = WAYS[way]
    spent = []
    for seconds in SECONDS:
        file = write(scenario, seconds, scratch / "bench.yaml")
        with tempfile.TemporaryDirectory(dir=scratch) as results:
            spent.append(cpu_s([str(HERE / ".venv/bin/cellbed"), "run", str(file), "--results", results, "--seed", "1",
                                "--kernel", kernel], cwd=HERE))
    return told(*spent, SECONDS)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    found: dict[tuple[str, str], list[Cost]] = {(case, way): [] for case in _CASES for way in WAYS}
    with tempfile.TemporaryDirectory() as scratch:
        for i in range(rounds):
            for (case, way), costs in found.items():
                say(f"round {i + 1} of {rounds}: {case}, {way}")
                try:
                    costs.append(cost(way, CASES[case], Path(scratch)))
                except Failed as error:
                    print(f"bench: {error}", file=sys.stderr)
                    return 1
    print(f"{'':22}{'':14} virtual s a CPU s   start, CPU s")
    for (case, way), costs in found.items():
        fast = statistics.median(1 / one.per_s for one in costs)
        start_s = statistics.median(one.start_s for one in costs)
        print(f"{case:22}{way:14} {fast:17.2f}   {start_s:12.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
