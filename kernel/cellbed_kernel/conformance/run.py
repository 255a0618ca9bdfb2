# SPDX-License-Identifier: GPL-2.0-or-later
"""Run TCP tests that others wrote in a lab kernel: packetdrill's public scripts and the kernel's own selftests.

Each test has a guest of its own, in virtual time, so that what it says does not depend on how busy this machine is.
Failures are compared with known.yaml. Exit 1 for one that is not on the list, and for one on the list that passes.
What failing tests said is kept in build/conformance/VERSION.
"""

from __future__ import annotations

import argparse
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from cellbed import paths
from cellbed.error import CellbedError, LabError
from cellbed.labs import kernels
from cellbed.labs.lab_kernels import VERSIONS
from cellbed.run import memory
from cellbed_kernel.conformance import known, packetdrill, selftests
from cellbed_kernel.conformance.guest import MEMORY_MIB, Result, Test, execute

HERE = Path(__file__).resolve().parent
LIMIT_S = 300  # of a test, on the wall; the longest take 8 s of an idle machine
LAST_LINES = 15


class Progress:
    """One line on a terminal, a line every 20 s elsewhere."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done, self.failed = what, total, 0, 0
        self.start = self.shown = time.monotonic()
        self.tty = sys.stderr.isatty()

    def count(self, result: Result) -> None:
        self.done += 1
        self.failed += not result.passed
        now = time.monotonic()
        if now - self.shown < (0.2 if self.tty else 20) and self.done < self.total:
            return
        self.shown = now
        line = f"{self.what}: {self.done} of {self.total} tests, {self.failed} failed, {now - self.start:.0f} s"
        last = self.done == self.total
        print(f"\r\033[K{line}" if self.tty else line, end="" if self.tty and not last else "\n", file=sys.stderr,
              flush=True)


def execute_all(kernel: Path, tests: list[Test], progress: Progress) -> list[Result]:
    """As many side by side as there are CPUs and memory. Return: results in the order of the tests."""
    cpus: queue.Queue[int] = queue.Queue()
    usable = sorted(os.sched_getaffinity(0))
    for cpu in usable[:memory.side_by_side(MEMORY_MIB)]:
        cpus.put(cpu)
    stop = threading.Event()

    def one(test: Test) -> Result:
        cpu = cpus.get()
        try:
            return execute(kernel, test, cpu, LIMIT_S, stop)
        finally:
            cpus.put(cpu)

    with ThreadPoolExecutor(cpus.qsize()) as pool:
        futures = [pool.submit(one, test) for test in tests]
        try:
            for future in as_completed(futures):
                progress.count(future.result())
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [future.result() for future in futures]


def base_version(kernel: Path) -> str:
    """The lab kernel whose tests and list hold for a kernel, which may be one's own: the newest that is not newer."""
    release = subprocess.run([kernel, "--version"], capture_output=True, text=True, check=True).stdout.strip()

    def number(version: str) -> tuple[int, ...]:
        return tuple(int("0" + "".join(filter(str.isdigit, part))) for part in version.split(".")[:2])

    return next((version for version in VERSIONS if number(version) <= number(release)), VERSIONS[-1])


def gather(version: str, tree: Path | None, where: str | None, parts: list[str], programs: Path) -> list[Test]:
    """The tests whose names contain one of the parts, or all.

    Args:
        tree: source of the kernel where it is one's own.
        where: packetdrill's repository.
        programs: folder for what is compiled.

    Raises:
        LabError: there is none, or what they need cannot be had.
    """
    net = packetdrill.obtain(version, where)
    tests = packetdrill.tests(net)
    if not parts or not all(part.startswith("packetdrill/") for part in parts):
        tests += selftests.tests(selftests.obtain(version, tree), programs, packetdrill.program(net))
    chosen = [test for test in tests if not parts or any(part in test.name for part in parts)]
    if not chosen:
        raise LabError(f"TESTS={' '.join(parts)}: no test has that in its name")
    return chosen


def judge(results: list[Result], reasons: dict[str, str], whole: bool, folder: Path) -> list[str]:
    """What is not as the list has it, in whole lines; what failing tests said goes to @folder.

    Args:
        whole: all tests were run, so each of the list has to be among them.
    """
    wrong = []
    for test, passed, said, _ in results:
        log = folder / f"{test.name.replace('/', '-').replace(' ', '')}.log"
        if passed:
            log.unlink(missing_ok=True)
        else:
            log.write_text(said)
        if not passed and test.name not in reasons:
            last = "".join(f"    {line}\n" for line in said.strip().splitlines()[-LAST_LINES:])
            wrong.append(f"{test.name} fails and is not known to:\n{last}    all it said: {log}")
        if passed and test.name in reasons:
            wrong.append(f"{test.name} passes, but is listed as failing: {reasons[test.name]}")
    if whole:
        missing = sorted(reasons.keys() - {result.test.name for result in results})
        wrong += [f"{name} is listed as failing, but there is no such test" for name in missing]
    return wrong


def conform(args: argparse.Namespace) -> int:
    """Raises CellbedError."""
    kernel = kernels.find(args.kernel)
    version = base_version(kernel)
    reasons = known.load(args.known, version)
    tree = Path(args.kernel).expanduser() if args.kernel and Path(args.kernel).expanduser().is_dir() else None
    with tempfile.TemporaryDirectory(prefix="cellbed-conformance-") as programs:
        tests = gather(version, tree, args.packetdrill, args.parts, Path(programs))
        results = execute_all(kernel, tests, Progress(f"Linux {version}", len(tests)))
    folder = paths.BUILD / "conformance" / version
    folder.mkdir(parents=True, exist_ok=True)
    wrong = judge(results, reasons, not args.parts, folder)
    failed = sum(not result.passed for result in results)
    as_known = sum(not result.passed and result.test.name in reasons for result in results)
    print("".join(f"{line}\n" for line in wrong), end="")
    print(f"Linux {version}: {len(results)} tests, {len(results) - failed} pass, {as_known} fail as known, "
          f"{failed - as_known} fail and are not known to")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help="of a test's name; default: all tests")
    parser.add_argument("--kernel", help="as of `cellbed run`; default: the newest that is built")
    parser.add_argument("--packetdrill", metavar="REPOSITORY", help=f"a copy, or an address; default: "
                        f"{packetdrill.PUBLIC}")
    parser.add_argument("--known", type=Path, default=HERE / "known.yaml", help="list of known failures")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return conform(args)
    except CellbedError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("conformance: interrupted; nothing was left behind", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
