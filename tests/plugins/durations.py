# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests cost, by measurement: marks `slow` and `long`, which `make test-fast` and `make test` leave out.

Times are CPU seconds of a test function with all its parameters and all that it starts, from tests/durations.txt, which
`make durations` writes anew. A function that is not in the file is quick until somebody measures.
"""

import os
import resource
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).parents[1] / "durations.txt"
SLOW_S, LONG_S = 1, 10
_PROPERTY = "cpu_s"
_HEAD = "# CPU seconds of test functions that take more than one; `make durations` writes this.\n"


def measured() -> dict[str, float]:
    """CPU seconds by test function, of those that are in the file."""
    lines = [line.split() for line in FILE.read_text().splitlines() if not line.startswith("#")]
    return {name: float(seconds) for seconds, name in lines}


def function(test: str) -> str:
    """Of a test's id, what is the same for all parameters."""
    return test.partition("[")[0]


def mark(items: list[Any]) -> None:
    known = measured()
    for item in items:
        seconds = known.get(function(item.nodeid), 0)
        for marker, limit_s in (("slow", SLOW_S), ("long", LONG_S)):
            if seconds > limit_s:
                item.add_marker(marker)


class Meter:
    """Measures the tests of a session, also those of pytest-xdist's workers, and writes the file in the end."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        before = _cpu_s()
        item.user_properties.append((_PROPERTY, before))  # of the set-up, until something is known
        yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[None]:
        outcome = yield
        if call.when == "teardown":
            spent = _cpu_s() - dict(item.user_properties)[_PROPERTY]
            outcome.get_result().user_properties = [(_PROPERTY, spent)]

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "teardown":
            self.spent[function(report.nodeid)] += dict(report.user_properties).get(_PROPERTY, 0)

    def pytest_sessionfinish(self) -> None:
        if "PYTEST_XDIST_WORKER" not in os.environ:
            lines = [f"{seconds:6.1f} {name}\n" for name, seconds in sorted(self.spent.items()) if seconds > 1]
            FILE.write_text(_HEAD + "".join(lines))


def _cpu_s() -> float:
    both = (resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)
