# SPDX-License-Identifier: GPL-2.0-or-later
"""How property tests draw: the same examples every time, and no limit of time, which a busy machine would exceed.
And a browser, for the tests of pages."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("cellbed", derandomize=True, deadline=None, database=None,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("cellbed")

_BROWSERS = ("chromium-headless-shell", "chromium")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium without a window; `make setup` installs it."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, _BROWSERS)), None)
    assert path is not None, "no chromium-headless-shell here; run `make setup`"
    with sync_playwright() as playwright:
        # As root Chromium's own sandbox does not work; the pages are the project's.
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()
