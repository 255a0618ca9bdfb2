#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run the fuzz targets one after another, or put what they found into the corpus of the tree.

    run.py BUILD --seconds 3600      share that time among the targets; exit 1 when something was found
    run.py BUILD --seed 1            make up the same inputs every time, as many as there is time for
    run.py BUILD --merge             the fewest inputs that reach the same code replace the corpus of the tree

BUILD is a build folder of meson with -Dfuzz=true. Inputs go to BUILD/corpus, what makes a target fail to
BUILD/findings, and the CPU time spent on every target adds up in BUILD/cpu_seconds.json.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGETS = sorted(path.stem.removeprefix("fuzz_") for path in HERE.glob("fuzz_*.c"))
# The whole core is worth as much time as all the others.
WEIGHT = {"cell": len(TARGETS) - 1}
MAX_BYTES = 1024  # of an input: small ones are tried faster and read more easily


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fuzz(build: Path, target: str, seconds: int, seed: int) -> tuple[float, str, list[Path]]:
    """Return: CPU time, the fuzzer's last words, and inputs that made it fail. @seed: 0 for one that is new."""
    work, findings = build / "corpus" / target, build / "findings"
    work.mkdir(parents=True, exist_ok=True)
    findings.mkdir(exist_ok=True)
    # Time limits are those of a clock on the wall, which a busy machine stretches.
    before, known = cpu_seconds(), set(findings.iterdir())
    done = subprocess.run(
        [build / f"emulator/fuzz/fuzz_{target}", f"-max_total_time={seconds}", f"-seed={seed}", f"-max_len={MAX_BYTES}",
         "-timeout=300", "-report_slow_units=300", "-rss_limit_mb=2048", f"-artifact_prefix={findings}/{target}-", work,
         HERE / "corpus" / target],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)  # fmt: skip
    found = sorted(set(findings.iterdir()) - known)
    if done.returncode != 0 and not found:
        sys.exit(f"fuzz_{target} ended with {done.returncode}:\n{done.stdout[-2000:]}")
    if found:
        print(done.stdout[-4000:])
    last = re.findall(r"^#\d+\s+DONE.*$", done.stdout, re.M)
    return cpu_seconds() - before, last[-1] if last else "", found


def run(build: Path, targets: list[str], seconds: int, seed: int) -> int:
    ledger = build / "cpu_seconds.json"
    spent = json.loads(ledger.read_text()) if ledger.exists() else {}
    total, failed = sum(WEIGHT.get(t, 1) for t in targets), 0
    for target in targets:
        used, last, found = fuzz(build, target, max(1, seconds * WEIGHT.get(target, 1) // total), seed)
        spent[target] = round(spent.get(target, 0) + used, 3)
        ledger.write_text(json.dumps(spent, indent=1) + "\n")
        print(f"{target:12} {used:7.1f} s of CPU time, {spent[target]:9.1f} s in all  {last}", flush=True)
        for path in found:
            print(f"{target:12} fails with {path}", flush=True)
        failed += len(found)
    return 1 if failed else 0


def merge(build: Path, targets: list[str]):
    """By code reached, not by how often: that would keep hundreds of inputs."""
    for target in targets:
        tree, new = HERE / "corpus" / target, build / "merged" / target
        work = build / "corpus" / target
        work.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        subprocess.run([build / f"emulator/fuzz/fuzz_{target}", "-merge=1", "-use_counters=0",
                        f"-max_len={4 * MAX_BYTES}", new, tree, work], check=True, capture_output=True)  # fmt: skip
        for path in [*tree.iterdir()]:
            if not path.name.startswith("found-"):  # what once made the target fail stays
                path.unlink()
        for path in new.iterdir():
            shutil.copyfile(path, tree / path.name[:12])
        print(f"{target:12} {len(list(tree.iterdir()))} inputs")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--seconds", type=int, default=3600, help="of all targets together")
    parser.add_argument("--seed", type=int, default=0, help="of what is made up; 0: a new one")
    parser.add_argument("--merge", action="store_true")
    parser.add_argument("--target", action="append", choices=TARGETS, help="only this one; may be repeated")
    args = parser.parse_args()
    targets = args.target or TARGETS
    if args.merge:
        merge(args.build.resolve(), targets)
        return 0
    os.environ["ASAN_OPTIONS"] = "detect_leaks=1:" + os.environ.get("ASAN_OPTIONS", "")
    return run(args.build.resolve(), targets, args.seconds, args.seed)


if __name__ == "__main__":
    sys.exit(main())
