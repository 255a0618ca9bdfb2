# SPDX-License-Identifier: GPL-2.0-or-later
"""p values of differences, and of many at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cellbed_analysis.stats.significance import holm, paired_p

P = st.one_of(st.none(), st.floats(0, 1))


@pytest.mark.parametrize("n", [2, 3, 10, 11, 200])
@pytest.mark.parametrize("shift", [0.0, 0.3, 3.0])
def test_against_scipy(n: int, shift: float) -> None:
    differences = np.random.default_rng(n).normal(shift, 1, n)
    assert paired_p(differences) == pytest.approx(stats.ttest_1samp(differences, 0).pvalue, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("differences", [[1.0], [2.0, 2.0], [0.0, 0.0, 0.0]])
def test_what_student_says_nothing_about(differences: list[float]) -> None:
    assert paired_p(np.array(differences)) is None


def test_an_example_by_hand() -> None:
    assert holm([0.01, None, 0.04, 0.03, 0.5]) == [0.04, None, 0.09, 0.09, 0.5]


@given(st.lists(P, max_size=30))
def test_adjusted_values_keep_the_order_and_are_never_smaller(p: list[float | None]) -> None:
    adjusted = holm(p)
    assert [a is None for a in adjusted] == [one is None for one in p]
    both = sorted((one, a) for one, a in zip(p, adjusted, strict=True) if one is not None and a is not None)
    assert all(one <= a <= 1 for one, a in both)
    assert [a for _, a in both] == sorted(a for _, a in both)
    if both:
        assert both[0][1] == pytest.approx(min(1.0, both[0][0] * len(both)))


def test_of_twenty_without_a_difference_one_is_found_in_one_of_twenty_tables() -> None:
    random = np.random.default_rng(1)
    tables = [holm([paired_p(random.normal(0, 1, 10)) for _ in range(20)]) for _ in range(1000)]
    found = sum(any(p is not None and p < 0.05 for p in table) for table in tables)
    assert 30 <= found <= 70
