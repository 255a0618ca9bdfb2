# SPDX-License-Identifier: GPL-2.0-or-later
"""Plain numbers of columns and of rows, and distances of samples."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cellbed_analysis.stats.distance import ks_distance
from cellbed_analysis.stats.numbers import facts, mean, mean_of, median, scaled


def test_of_columns() -> None:
    column = pl.Series([1.0, None, 4.0, 4.0, None])
    assert (mean(column), median(column)) == (3.0, 4.0)
    assert mean(pl.Series([0.0])) == median(pl.Series([0.0])) == 0.0
    for nothing in (pl.Series([], dtype=pl.Float64), pl.Series([None], dtype=pl.Float64)):
        assert mean(nothing) is None and median(nothing) is None
    assert (scaled(6.0, 4.0), scaled(0.0, 4.0), scaled(None, 4.0)) == (1.5, 0.0, None)


def test_of_rows() -> None:
    rows = [{"a": 1.0, "b": None}, {"a": 4.0, "b": 0}, {"b": 3}]
    assert (mean_of(rows, "a"), mean_of(rows, "b"), mean_of(rows, "c"), mean_of([], "a")) == (2.5, 1.5, None, None)
    wordings = [("a", "{:.1f} ms of a"), ("c", "{:.0f} of c"), ("b", "b {:g}")]
    assert facts(rows, wordings) == "2.5 ms of a, b 1.5" and facts(rows, [("c", "{}")]) == ""


SAMPLES = st.lists(st.integers(0, 20), min_size=1, max_size=30).map(lambda found: np.array(sorted(found), dtype=float))


@given(SAMPLES, SAMPLES)
def test_distances_are_those_of_scipy(a: np.ndarray, b: np.ndarray) -> None:
    assert ks_distance(a, b) == pytest.approx(stats.ks_2samp(a, b, method="asymp").statistic)
