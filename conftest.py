# SPDX-License-Identifier: GPL-2.0-or-later
"""How property tests draw, with no limit of time, which a busy machine would exceed. And a browser, for the tests of
pages.

The gate has the same examples every time. With CELLBED_PROPERTY_SEED, a number, they are those of that seed, and what
fails is kept in build/hypothesis, from where it is tried first: tests/properties.py does that with seeds of its own.
Either way a failure ends with the command that runs it again.
"""

import gc
import os
import readline
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import durations
import pytest
from crashes import Watcher
from hypothesis import HealthCheck, Phase, is_hypothesis_test, settings
from hypothesis.database import DirectoryBasedExampleDatabase

pytest_plugins = ["longest_first", "own_signals"]

# The first import of readline gives children a terminal of 24 lines, past os.environ; mininet and pdb import it.
assert readline
for _size in ("LINES", "COLUMNS"):
    os.unsetenv(_size)

# Collecting as often as Python does by itself takes a tenth of a worker's time: it goes through all that was imported.
gc.set_threshold(50_000)

_EXAMPLES = Path(os.environ.get("CELLBED_BUILD", Path(__file__).parent / "build")) / "hypothesis"
_TEXT_MAX = 24
_SEED = os.environ.get("CELLBED_PROPERTY_SEED")

settings.register_profile("cellbed", derandomize=True, deadline=None, database=None,
                          suppress_health_check=[HealthCheck.too_slow])
# That something fails is all that tests/mutate asks.
settings.register_profile("mutant", settings.get_profile("cellbed"), phases=[Phase.explicit, Phase.generate])
settings.register_profile("new", settings.get_profile("cellbed"), derandomize=False, print_blob=True,
                          database=DirectoryBasedExampleDatabase(_EXAMPLES))
settings.load_profile("new" if _SEED else "cellbed")


def _part(text: str) -> tuple[int, int]:
    k, n = map(int, text.split("/"))
    if not 1 <= k <= n:
        raise ValueError(text)
    return k - 1, n


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--golden-update", action="store_true", help="accept what golden tests find")
    parser.addoption("--durations-file", action="store_true", help="write tests/durations.txt")
    parser.addoption("--long-part", metavar="K/N", type=_part, default=(0, 1),
                     help="of the tests that are marked `long` only the K-th of N parts")


def pytest_configure(config: Any) -> None:
    if config.getoption("durations_file"):
        config.pluginmanager.register(durations.Meter())


def pytest_make_parametrize_id(val: Any, argname: str) -> str | None:
    """Bytes that are no short text are called by their parameter and number: an archive is another one each second."""
    text = isinstance(val, bytes) and len(val) <= _TEXT_MAX and val.isascii() and val.decode().isprintable()
    return argname if isinstance(val, bytes) and not text else None


@pytest.hookimpl(tryfirst=True)  # before those are left out that have a mark
def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Mark what takes long, and leave out what is in another part; and give property tests their seed.

    Not by seed() or --hypothesis-seed, with which Hypothesis keeps nothing. Only a seed leads back to what ends the
    process, as a failed assertion of the core does.
    """
    durations.mark(items)
    long_ones = [item.nodeid for item in items if item.get_closest_marker("long")]
    left_out = set(long_ones) - durations.part(long_ones, durations.measured(), *config.getoption("long_part"))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
    items[:] = [item for item in items if item.nodeid not in left_out]
    for item in items if _SEED else []:
        if is_hypothesis_test(item.obj):
            item.obj._hypothesis_internal_use_seed = int(_SEED)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: Any) -> Iterator[None]:
    """Tell the process that knows what to do when a property test ends this one."""
    watcher = _watcher(item.config) if is_hypothesis_test(getattr(item, "obj", None)) else None
    if watcher is not None:
        watcher.under_way(f"{item.path}::{item.nodeid.partition('::')[2]}")
    yield
    if watcher is not None:
        watcher.under_way("")


def _watcher(config: Any) -> Watcher:
    if not hasattr(config, "crash_watcher"):
        config.crash_watcher = Watcher()
        config.add_cleanup(config.crash_watcher.close)
    return config.crash_watcher


def pytest_terminal_summary(terminalreporter: Any) -> None:
    failed = [f"{report.location[0]}::{report.nodeid.partition('::')[2]}"
              for report in terminalreporter.stats.get("failed", ())]
    if _SEED and failed:
        terminalreporter.write_line(f"run again: CELLBED_PROPERTY_SEED={_SEED} {sys.executable} -m pytest "
                                    f"{shlex.join(failed)}")


_BROWSERS = ("chromium-headless-shell", "chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium without a window; `make setup` installs it.

    It ends with the module: while it is there, an event loop runs in this thread, and no command can run one.
    """
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, _BROWSERS)), None)
    assert path is not None, "no chromium-headless-shell here; run `make setup`"
    with sync_playwright() as playwright:
        # As root Chromium's own sandbox does not work; the pages are the project's.
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()
