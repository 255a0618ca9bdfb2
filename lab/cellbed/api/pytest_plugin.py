# SPDX-License-Identifier: GPL-2.0-or-later
"""pytest's plugin: the fixture `cellbed_link`. Every pytest session loads it, so it imports nothing of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from cellbed.api.link import Link

_OPTION = "--cellbed-results"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("cellbed").addoption(_OPTION, metavar="DIR", help="keep what links of tests recorded")


@pytest.fixture
def cellbed_link(request: pytest.FixtureRequest) -> Iterator[Callable[..., Link]]:
    """Makes links: `cellbed_link("edge", rtt="80ms")`, with the arguments of cellbed.Link.

    Those of the native lab are open when it returns, and end with the test. Why not to believe one is a warning.
    """
    from cellbed import CellbedError, Link

    with contextlib.ExitStack() as stack:
        made: list[Link] = []

        def make(*args: Any, **options: Any) -> Link:
            options.setdefault("results", request.config.getoption(_OPTION))
            try:
                link = Link(*args, **options)
                made.append(link if link.lab == "virtual" else stack.enter_context(link))
            except CellbedError as error:
                raise pytest.fail.Exception(f"cellbed: {error}", pytrace=False) from None
            return made[-1]

        yield make
        stack.close()
        for link in made:
            for text in link.warnings:
                request.node.warn(pytest.PytestWarning(f"{link!r}: {text}"))
