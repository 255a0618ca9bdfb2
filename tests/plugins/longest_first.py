# SPDX-License-Identifier: GPL-2.0-or-later
"""Which worker of pytest-xdist runs which tests: one that has none left gets the longest that remain.

So no worker is left with a long one in the end. Tests of a file share what they have run, and stay together, unless
they are much longer than that (tests/plugins/durations.py). For each CPU there are two workers: while a test of one
waits, the other computes.
"""

import os
from typing import Any

import durations
import pytest
from xdist.scheduler import LoadScopeScheduling

_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")


class LongestFirst(LoadScopeScheduling):
    """Gives out what goes to one worker as a whole, in the order in which the workers have put it."""

    def __init__(self, config: Any, log: Any) -> None:
        config.option.loadscopereorder = False  # by the number of tests
        self._known = durations.measured()
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return durations.unit(nodeid, self._known)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: Any, log: Any) -> LongestFirst:
    return LongestFirst(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: Any) -> int:
    return 2 * len(os.sched_getaffinity(0))


def pytest_configure(config: Any) -> None:
    """A worker has one CPU: every lab takes the first one that it may have."""
    if _WORKER:
        cpus = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cpus[int(_WORKER) % len(cpus)]})


@pytest.hookimpl(trylast=True)  # of those that are not left out
def pytest_collection_modifyitems(items: list[Any]) -> None:
    if _WORKER:
        by_id = {item.nodeid: item for item in items}
        units = durations.longest_first(list(by_id), durations.measured())
        items[:] = [by_id[test] for tests in units.values() for test in tests]
