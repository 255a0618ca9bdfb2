#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Hundreds of virtual labs one after another in one process: the same bytes at the end, and nothing that grows.

    soak.py RUNS     exit 1 when a run fails or gives other bytes than the first of its kind, or something is left
"""

import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

from e2e import SHORT, digests
from machine import own_part

from cellbed.scenario.description import expand
from cellbed.sweep.execute import Sweep

SEEDS = (1, 2, 3, 4)
ROUND = 25  # runs between two looks
WARM_UP = 2  # rounds in which caches fill
GROWTH_MIB = 16
ENDS_WITHIN_S = 30  # whatever runs have started


class Silent:
    """Of a sweep nobody watches."""

    def advanced(self, *_):
        pass

    def noticed(self, *_):
        pass

    def finished(self, *_):
        pass


def state(folder: Path) -> dict[str, int]:
    """What could grow: of this process, and of the folder that runs work in."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {"RSS MiB": int(status["VmRSS"].split()[0]) // 1024, "descriptors": len(os.listdir("/proc/self/fd")),
            "threads": threading.active_count(), "files": sum(1 for _ in folder.rglob("*"))}


def soak(runs: int, folder: Path, seeds: tuple[int, ...] = SEEDS) -> list[str]:
    """Return: what went wrong."""
    with own_part() as left:
        return execute(runs, folder, seeds) + left(ENDS_WITHIN_S)


def execute(runs: int, folder: Path, seeds: tuple[int, ...]) -> list[str]:
    """Return: what went wrong while it run."""
    scenario = folder / "short.yaml"
    scenario.write_text(SHORT.replace("duration_s: 3", "duration_s: 1"))
    model, kinds = expand(scenario, seeds=list(seeds))
    expected: dict[tuple[str, int], dict[str, str]] = {}
    wrong: list[str] = []
    early, results = None, folder / "results"
    began = time.monotonic()
    for n in range(0, runs, ROUND):
        for k in range(n, min(n + ROUND, runs)):
            run = kinds[k % len(kinds)]
            (outcome,) = Sweep(model, [], results, "virtual", None, Silent()).execute([run], 1)
            if outcome.error is not None:
                wrong.append(f"run {k + 1}: {outcome.error}")
                continue
            found = digests(outcome.path)
            if found != expected.setdefault((run.variant, run.seed), found):
                wrong.append(f"run {k + 1}: other bytes than the first of {run.variant} seed {run.seed}")
            shutil.rmtree(outcome.path)
        now = state(folder)
        done = min(n + ROUND, runs)
        print(f"{done} runs, {(time.monotonic() - began) / done:.2f} s each, {len(wrong)} wrong; "
              + ", ".join(f"{name} {value}" for name, value in now.items()), flush=True)
        if n // ROUND + 1 == WARM_UP:
            early = now
    if early is not None:
        wrong += [f"{name}: {early[name]} after {WARM_UP * ROUND} runs, {now[name]} in the end"
                  for name, most in (("RSS MiB", GROWTH_MIB), ("descriptors", 0), ("threads", 0), ("files", 0))
                  if now[name] - early[name] > most]
    return wrong


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        wrong = soak(int(sys.argv[1]), Path(folder))
    print("\n".join(wrong) or "the same bytes throughout, and nothing left", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
