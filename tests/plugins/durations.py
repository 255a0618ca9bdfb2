# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests cost, by measurement: marks `slow` and `long`, which `make test-fast` and `make test` leave out.

tests/durations.txt, which `make durations` writes again, has the seconds of test functions with all their parameters,
and of files what their tests share, which the first one of them has to wait for. What is not in it is quick until
somebody measures.
"""

import os
from collections import Counter
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "durations.txt"
SLOW_S, LONG_S = 1, 4
_MUCH_LONGER = 10
_HEAD = "# Seconds of test functions, and of what files share, beyond one; `make durations` writes this.\n"


def measured() -> dict[str, float]:
    """Seconds by test function and file, of those that are in the file."""
    lines = [line.split() for line in FILE.read_text().splitlines() if not line.startswith("#")]
    return {name: float(seconds) for seconds, name in lines}


def function(test: str) -> str:
    """Of a test's id, what is the same for all parameters."""
    return test.partition("[")[0]


def file(test: str) -> str:
    return test.partition("::")[0]


def unit(test: str, known: dict[str, float]) -> str:
    """What goes to one worker as a whole: a file, or a test that takes long, much longer than what its file shares."""
    alone = known.get(function(test), 0) > max(LONG_S, _MUCH_LONGER * known.get(file(test), 0))
    return test if alone else file(test)


def longest_first(tests: list[str], known: dict[str, float]) -> dict[str, list[str]]:
    """Tests by what goes to one worker as a whole, the longest first. Parameters share the time of their function."""
    alike = Counter(map(function, tests))
    seconds: Counter[str] = Counter()
    units: dict[str, list[str]] = {}
    for test in tests:
        name = unit(test, known)
        if name not in units:
            seconds[name] += known.get(name, 0) if name == file(test) else 0
        seconds[name] += known.get(function(test), 0) / alike[function(test)]
        units.setdefault(name, []).append(test)
    return {name: units[name] for name, _ in seconds.most_common()}


def part(tests: list[str], known: dict[str, float], k: int, n: int) -> set[str]:
    """Of tests the @k-th of @n parts, @k from 0; each part takes as long as the others."""
    alike = Counter(map(function, tests))
    return set(sorted(tests, key=lambda test: (-known.get(function(test), 0) / alike[function(test)], test))[k::n])


def mark(items: list[Any]) -> None:
    known = measured()
    for item in items:
        alone, shared = (known.get(name, 0) for name in (function(item.nodeid), file(item.nodeid)))
        if max(alone, shared) > SLOW_S:
            item.add_marker("slow")
        if alone > LONG_S:
            item.add_marker("long")


class Meter:
    """Adds up a session, with what pytest-xdist's workers report, and writes the file in the end."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: Any) -> None:
        name = file(report.nodeid) if report.when == "setup" else function(report.nodeid)
        self.spent[name] += report.duration

    def pytest_sessionfinish(self) -> None:
        if "PYTEST_XDIST_WORKER" not in os.environ:
            lines = [f"{seconds:6.1f} {name}\n" for name, seconds in sorted(self.spent.items()) if seconds > 1]
            FILE.write_text(_HEAD + "".join(lines))
