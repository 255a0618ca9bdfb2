# SPDX-License-Identifier: GPL-2.0-or-later
"""When a scan of what a paper does not specify tells how far its numbers are."""

from __future__ import annotations

import pytest

from cellbed_analysis.claims.judge import Outcome
from cellbed_analysis.claims.scan import SETTINGS_SHOWN, Scan
from cellbed_analysis.stats.interval import Estimate


def outcome(paper: float | str, measured: float | None) -> Outcome:
    return Outcome({"id": "x", "paper": paper}, "differs", None if measured is None else Estimate(measured))


@pytest.mark.parametrize(("claimed", "settings", "tells"), [
    ([(1.0, 1.1), (2.0, 2.2), (3.0, 3.3)], 2, True),
    ([(1.0, 1.1), (2.0, 2.2)], 2, False),  # too few numbers
    ([(1.0, 1.1), (2.0, 2.2), ("rises", 3.3)], 2, False),  # words are none
    ([(1.0, 1.1), (2.0, 2.2), (3.0, None)], 2, False),  # nor is what was not measured
    ([(1.0, 1.1), (2.0, 2.2), (3.0, 3.3)], SETTINGS_SHOWN, True),
    ([(1.0, 1.1), (2.0, 2.2), (3.0, 3.3)], SETTINGS_SHOWN + 1, False),
])  # fmt: skip
def test_enough_numbers_at_few_enough_settings(
    claimed: list[tuple[float | str, float | None]], settings: int, tells: bool
) -> None:
    outcomes = tuple(outcome(*one) for one in claimed)
    assert Scan("s", outcomes, {str(n): outcomes for n in range(settings)}).tells == tells
