# SPDX-License-Identifier: GPL-2.0-or-later
"""Series come in the order in which people look for them."""

from __future__ import annotations

from cellbed_analysis.metrics.series_name import by_combination


def test_series_of_studies_first_then_by_name_and_number() -> None:
    names = ["am, distance_m=100.0", "IM-IM", "am, distance_m=40.0", "am", "DM-DM", "2me", "10me"]
    assert list(by_combination([{"variant": name} for name in names])) == [
        "DM-DM", "IM-IM", "2me", "10me", "am", "am, distance_m=40.0", "am, distance_m=100.0",
    ]  # fmt: skip
