#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What reports cost: CPU seconds and memory of `cellbed report`, the first time and when nothing is new.

    reports.py [--base COMMIT] [--rounds N] [--least]

With --base that commit executes the same runs and reports them in turns, and the ratios are of the same round. Medians
of all rounds. With --least only the smallest results are reported.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from base import HERE, built
from cases import Scenario, downlink, nr, write
from cost import Failed, Spent, say, spent


@dataclass(frozen=True)
class Results:
    """What is reported: @runs of a scenario, each so long."""

    scenario: Scenario
    seconds: float
    runs: int = 1


_TCP = downlink(wire="30Mbit")
RESULTS: dict[str, Results] = {
    "a run of 1 s": Results(_TCP, 1),
    "a run of 1 s over NR, 100 Mbit/s": Results(nr(wire="100Mbit"), 1),
    "a run of 60 s": Results(_TCP, 60),
    "100 runs of 0.2 s": Results(_TCP, 0.2, 100),
}


def executed(checkout: Path, wanted: Results, scratch: Path) -> Path:
    """Its results, as a user of that checkout gets them; nothing is known of them yet."""
    folder = Path(tempfile.mkdtemp(dir=scratch))
    seeds = list(range(1, wanted.runs + 1))
    file = write({**wanted.scenario, "seeds": seeds}, wanted.seconds, folder / "bench.yaml")
    spent([str(checkout / ".venv/bin/cellbed"), "run", str(file), "--results", str(folder / "results")], cwd=checkout)
    return folder / "results"


def forget(results: Path) -> None:
    """Remove all that was made of the runs."""
    for made in [results / "summary", *results.glob("*/derived")]:
        shutil.rmtree(made, ignore_errors=True)


def report(checkout: Path, results: Path) -> Spent:
    """Of one `cellbed report`."""
    return spent([str(checkout / ".venv/bin/cellbed"), "report", str(results)], cwd=checkout)


def rounds(checkouts: list[Path], wanted: Results, number: int, scratch: Path) -> dict[str, list[list[Spent]]]:
    """A new report and one again, of every checkout in turn. Return: by which of both and by round, in their order."""
    places = [executed(checkout, wanted, scratch) for checkout in checkouts]
    found: dict[str, list[list[Spent]]] = {"new": [], "nothing new": []}
    for _ in range(number):
        for place in places:
            forget(place)
        for costs in found.values():
            costs.append([report(*pair) for pair in zip(checkouts, places, strict=True)])
    return found


def lines(name: str, found: dict[str, list[list[Spent]]]) -> list[str]:
    """Of the table: CPU s then and now and their ratio, or now alone, and MB of memory."""
    rows = []
    for kind, costs in found.items():
        own = [statistics.median(one[k].cpu_s for one in costs) for k in reversed(range(len(costs[0])))]
        cells = [f"{cpu_s:.2f}" for cpu_s in own]
        if len(own) == 2:
            cells.append(f"{statistics.median(then.cpu_s / now.cpu_s for now, then in costs):.1f}")
        cells.append(f"{max(one[0].memory_mb for one in costs):.0f}")
        rows.append(f"| {name}, {kind} | {' | '.join(cells)} |")
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", metavar="COMMIT", help="report with that commit in turns with this one")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--least", action="store_true", help="only the smallest results")
    chosen = parser.parse_args()
    try:
        checkouts = [HERE, *([built(chosen.base)] if chosen.base else [])]
        columns = ["CPU s: then", "now", "ratio"] if chosen.base else ["CPU s"]
        print(f"| report of | {' | '.join(columns)} | MB |\n| --- |{' ---: |' * (len(columns) + 1)}")
        for name, wanted in list(RESULTS.items())[: 1 if chosen.least else None]:
            say(name)
            with tempfile.TemporaryDirectory() as scratch:
                print("\n".join(lines(name, rounds(checkouts, wanted, chosen.rounds, Path(scratch)))), flush=True)
    except Failed as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
