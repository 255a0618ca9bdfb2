#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run in the virtual lab costs, by load and by size: CPU seconds of its start, and of each second it executes.

    virtual.py [--base COMMIT] [--rounds N] [--only TEXT]

A run is executed for two durations; the difference is what the additional seconds cost, the rest is the start: the
command, the guest's boot, its nodes and programs, and their end. With --base that commit runs the same in turns, and
the ratios are of the same round, so that the machine's moods meet both. Medians of all rounds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from base import HERE, built
from cases import AT_ONCE, CASES, SIZES, Scenario, write
from cost import Cost, Failed, cpu_s, say, told

SECONDS = (2, 12)


def cost(checkout: Path, scenario: Scenario, scratch: Path) -> Cost:
    """Of a scenario, as that checkout runs it."""
    spent = []
    for seconds in SECONDS:
        file = write(scenario, seconds, scratch / "bench.yaml")
        with tempfile.TemporaryDirectory(dir=scratch) as results:
            spent.append(cpu_s([str(checkout / ".venv/bin/cellbed"), "run", str(file), "--results", results,
                                "--seed", "1"], cwd=checkout))
    return told(*spent, SECONDS)


def rounds(checkouts: list[Path], cases: dict[str, Scenario], number: int) -> dict[str, list[list[Cost]]]:
    """Every case of every checkout in turn. Return: by case and round, costs in the order of checkouts."""
    found: dict[str, list[list[Cost]]] = {name: [] for name in cases}
    with tempfile.TemporaryDirectory() as name:
        for i in range(number):
            for case, scenario in cases.items():
                say(f"round {i + 1} of {number}: {case}")
                found[case].append([cost(checkout, scenario, Path(name)) for checkout in checkouts])
    return found


def _median(values: list[float]) -> float:
    return statistics.median(values)


def show(found: dict[str, list[list[Cost]]]) -> None:
    print(f"{'':38} virtual s a CPU s   start, CPU s")
    for case, measured in found.items():
        own = [costs[0] for costs in measured]
        print(f"{case:38} {_median([1 / c.per_s for c in own]):17.2f}   {_median([c.start_s for c in own]):12.2f}")


def compare(found: dict[str, list[list[Cost]]], base: str) -> None:
    print(f"{'':32}{'virtual s a CPU s':>24}{'start, CPU s':>26}")
    print(f"{'':32}{base:>8}{'now':>7}{'ratio':>9}{base:>11}{'now':>7}{'ratio':>8}")
    for case, measured in found.items():
        fast = [_median([1 / costs[k].per_s for costs in measured]) for k in (1, 0)]
        start = [_median([costs[k].start_s for costs in measured]) for k in (1, 0)]
        faster = _median([then.per_s / now.per_s for now, then in measured])
        quicker = _median([then.start_s / now.start_s for now, then in measured])
        print(f"{case:32}{fast[0]:8.2f}{fast[1]:7.2f}{faster:8.2f}x{start[0]:11.2f}{start[1]:7.2f}{quicker:7.2f}x")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", metavar="COMMIT", help="run that commit in turns with this one")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", metavar="TEXT", default="", help="only the loads that have this in their names")
    chosen = parser.parse_args()
    every = CASES if chosen.base else CASES | SIZES | AT_ONCE
    cases = {name: case for name, case in every.items() if chosen.only in name}
    if not cases:
        parser.error(f"argument --only: value {chosen.only}: allowed a part of {'; '.join(every)}")
    try:
        if chosen.base:
            checkouts = [HERE, built(chosen.base)]
            compare(rounds(checkouts, cases, chosen.rounds), checkouts[1].name[:7])
        else:
            show(rounds([HERE], cases, chosen.rounds))
    except Failed as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
