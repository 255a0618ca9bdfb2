#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How the cost of runs grows with UEs, with their length, with a crowd, and with their number.

    scale.py [--only TEXT] [--least]

Each line is one execution; nothing in it should grow faster than what is varied. Memory is that of the largest process,
which is the guest where a run is short. With --least only the smallest size of each kind is executed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from base import HERE
from cases import Scenario, crowded, downlink, write
from cost import Failed, Spent, say, spent

_WIRE = "30Mbit"  # of all flows together


@dataclass(frozen=True)
class Size:
    """One execution: @runs of a scenario, each so long."""

    scenario: Scenario
    seconds: float = 10
    runs: int = 1


def _ues(count: int) -> Size:
    return Size(downlink(count, wire=_WIRE))


def _flows(count: int) -> Size:
    return Size(downlink(count, count, wire=_WIRE))


KINDS: dict[str, tuple[Callable[[int], Size], tuple[int, ...]]] = {
    "UEs, one with a flow": (_ues, (1, 5, 20, 50, 100)),
    "UEs, each with a flow": (_flows, (1, 5, 20, 50, 100)),
    "seconds": (lambda seconds: Size(downlink(wire=_WIRE), seconds), (10, 100, 1000)),
    "UEs of a crowd": (lambda count: Size(crowded(count)), (0, 50, 500)),
    "runs of 0.2 s": (lambda runs: Size(downlink(wire=_WIRE), 0.2, runs), (10, 100, 1000)),
}  # fmt: skip


def executed(size: Size, scratch: Path) -> tuple[Spent, float]:
    """Execute it as a user does. Return: what it used, and MB on the disk after it."""
    file = write(size.scenario, size.seconds, scratch / "scale.yaml")
    with tempfile.TemporaryDirectory(dir=scratch) as results:
        used = spent([str(HERE / ".venv/bin/cellbed"), "sweep", str(file), "--results", results, "--seeds",
                      f"1-{size.runs}"], cwd=HERE)
        folders = os.walk(results)
        return used, sum(Path(folder, name).stat().st_size for folder, _, names in folders for name in names) / 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="TEXT", default="", help="only the kinds that have this in their names")
    parser.add_argument("--least", action="store_true", help="only the smallest size of each kind")
    chosen = parser.parse_args()
    kinds = {name: kind for name, kind in KINDS.items() if chosen.only in name}
    if not kinds:
        parser.error(f"argument --only: value {chosen.only}: allowed a part of {'; '.join(KINDS)}")
    print("| | | CPU s | CPU s for a second | MB of memory | MB on the disk |\n"
          "| --- | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as scratch:
        for name, (made, counts) in kinds.items():
            for count in counts[:1] if chosen.least else counts:
                say(f"{count} {name}")
                size = made(count)
                try:
                    used, disk_mb = executed(size, Path(scratch))
                except Failed as error:
                    print(f"bench: {error}", file=sys.stderr)
                    return 1
                per_s = used.cpu_s / (size.seconds * size.runs)
                print(f"| {name} | {count:,} | {used.cpu_s:.1f} | {per_s:.2f} | {used.memory_mb:.0f} | {disk_mb:.1f} |",
                      flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
