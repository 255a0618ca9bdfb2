# SPDX-License-Identifier: GPL-2.0-or-later
"""What a trace offers over time."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cellbed_analysis.radio.opportunities import opportunities

TRACES = st.lists(st.integers(0, 400), min_size=1, max_size=40).map(sorted).filter(lambda times: times[-1] > 0)


def test_it_begins_again_after_its_last_line() -> None:
    assert opportunities([0, 3, 5], 0, 12).tolist() == [0, 3, 5, 5, 8, 10, 10]
    assert opportunities([5], 12, 26).tolist() == [15, 20, 25]


@given(TRACES, st.integers(0, 2000), st.integers(0, 1000))
def test_as_one_that_counts_them_ms_by_ms(times: list[int], start: int, length: int) -> None:
    every = [round_ * times[-1] + t for round_ in range(start // times[-1] + length // times[-1] + 3) for t in times]
    found = opportunities(times, start, start + length)
    assert sorted(found.tolist()) == sorted(t for t in every if start <= t < start + length)
    assert np.all(np.diff(found) >= 0)
