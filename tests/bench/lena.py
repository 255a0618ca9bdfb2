#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The same downlink in LENA, the LTE module of ns-3, and in the virtual lab: CPU seconds of a second of either.

    lena.py [--rounds N]

LENA comes as a wheel of ns-3 from PyPI, with headers and libraries built for release, into a folder of its own; lena.cc
is compiled against it. It writes no trace and no capture, the virtual lab everything. Both run two durations in
turns, as in virtual.py, so that neither's start counts.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from base import HERE, folder
from cases import Scenario, downlink, write
from cost import Failed, cpu_s, say, told

NS3 = "ns3==3.44.post0"
MODULES = ("lte", "applications", "internet", "point-to-point", "mobility", "network", "core")
RATE_BPS = 33_700_000
SECONDS = (2, 12)
# UEs, flows and transport.
CASES = ((1, 1, "udp"), (1, 1, "tcp"), (20, 1, "udp"), (20, 20, "udp"), (20, 20, "tcp"))


def built() -> Path:
    """Install ns-3 and compile lena.cc, unless that was done before. Return: the program.

    Raises:
        Failed: it cannot be had or does not compile.
    """
    where = folder() / NS3
    home = where / "ns3"
    if not home.exists():
        say(f"installing {NS3} into {where}")
        _must([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", where, NS3])
    source, program = Path(__file__).with_name("lena.cc"), where / "lena"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        say(f"compiling {source.name}")
        # Libraries beside those used here want GTK, which nothing here calls.
        _must(["g++", "-O2", "-std=c++20", f"-isystem{home}/include", source, "-o", program, f"-L{home}/lib64",
               f"-Wl,-rpath,{home}/lib64", "-Wl,--unresolved-symbols=ignore-in-shared-libs",
               *(f"-lns3.44-{module}" for module in MODULES)])
    return program


def _must(command: list) -> None:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"{command[0]}: status {done.returncode}: {done.stderr.strip()[-2000:]}")


def scenario(ues: int, flows: int, transport: str) -> Scenario:
    """What LENA runs: the datagrams' payload is RATE_BPS, or the wire's rate is."""
    if transport == "udp":
        return downlink(ues, flows, "udp", rate=f"{RATE_BPS / flows / 1e6:g}Mbit")
    return downlink(ues, flows, "tcp", wire=f"{RATE_BPS / 1e6:g}Mbit")


def virtual_s(case: tuple, seconds: int, scratch: Path) -> tuple[float, int]:
    """Return: CPU seconds, and bytes that arrived."""
    file = write(scenario(*case), seconds, scratch / "bench.yaml")
    with tempfile.TemporaryDirectory(dir=scratch) as results:
        spent = cpu_s([str(HERE / ".venv/bin/cellbed"), "run", str(file), "--results", results, "--seed", "1"])
        facts = [json.loads(path.read_text()) for path in Path(results).rglob("flow*.stream.json")]
    return spent, sum(fact["received_bytes"] for fact in facts)


def lena_s(program: Path, case: tuple, seconds: int) -> tuple[float, int]:
    """Return: CPU seconds, and bytes that arrived."""
    ues, flows, transport = case
    words = [str(program), str(ues), str(flows), str(seconds), transport, str(RATE_BPS)]
    received = subprocess.run(words, capture_output=True, text=True, check=True).stdout if seconds == SECONDS[1] else 0
    return cpu_s(words), int(received)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    try:
        program = built()
        with tempfile.TemporaryDirectory() as scratch:
            print(f"{'':26}{'Mbit/s':>18}{'CPU s a second':>22}{'':>8}{'start, CPU s':>16}")
            print(f"{'':26}{'LENA':>9}{'cellbed':>9}{'LENA':>11}{'cellbed':>11}{'ratio':>8}{'LENA':>8}{'cellbed':>8}")
            for case in CASES:
                show(case, [compare(program, case, Path(scratch)) for _ in range(chosen.rounds)])
    except Failed as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    return 0


def compare(program: Path, case: tuple, scratch: Path) -> tuple:
    """One round. Return: costs and Mbit/s of LENA, then of the virtual lab."""
    say(title(case))
    by_simulator = [lena_s(program, case, seconds) for seconds in SECONDS]
    by_lab = [virtual_s(case, seconds, scratch) for seconds in SECONDS]
    return tuple((told(short[0], long[0], SECONDS), 8e-6 * long[1] / SECONDS[1])
                 for short, long in (by_simulator, by_lab))


def title(case: tuple) -> str:
    ues, flows, transport = case
    return f"{ues} UE{'s' * (ues > 1)}, {flows} flow{'s' * (flows > 1)}, {transport.upper()}"


def show(case: tuple, measured: list[tuple]) -> None:
    (lena, lena_mbps), (lab, lab_mbps) = ([_median([pair[k][0].per_s for pair in measured]), measured[0][k][1]]
                                          for k in (0, 1))
    ratio = _median([pair[0][0].per_s / pair[1][0].per_s for pair in measured])
    start = [_median([pair[k][0].start_s for pair in measured]) for k in (0, 1)]
    print(f"{title(case):26}{lena_mbps:9.1f}{lab_mbps:9.1f}{lena:11.3f}{lab:11.3f}{ratio:7.2f}x{start[0]:8.2f}{start[1]:8.2f}",
          flush=True)


def _median(values: list[float]) -> float:
    return statistics.median(values)


if __name__ == "__main__":
    sys.exit(main())
