# SPDX-License-Identifier: GPL-2.0-or-later
"""Lengths of blocks against the formula for AR(1), and what resamples consist of."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from cellbed_analysis.stats.blocks import block_length, resampled


@pytest.mark.parametrize("correlation", [-0.6, 0.3, 0.6])
def test_length_of_an_ar_1_series(correlation: float) -> None:
    """Of AR(1) with phi the best length is n^(1/3) (1.5 (2 phi / (1 - phi^2))^2)^(1/3)."""
    n = 20_000
    series = signal.lfilter([1.0], [1.0, -correlation], np.random.default_rng(2).normal(size=n))
    best = (1.5 * n) ** (1 / 3) * abs(2 * correlation / (1 - correlation**2)) ** (2 / 3)
    assert block_length(series) == pytest.approx(best, rel=0.25)


def test_independent_values_need_no_blocks() -> None:
    rng = np.random.default_rng(3)
    assert np.median([block_length(rng.normal(size=300)) for _ in range(100)]) <= 2


@pytest.mark.parametrize("n", [2, 3, 5, 9, 100])
def test_length_is_one_to_a_third(n: int) -> None:
    rng = np.random.default_rng(4)
    for series in (np.zeros(n), np.arange(float(n)), np.resize([1.0, -1.0], n), rng.normal(size=n)):
        assert 1 <= block_length(series) <= max(1, -(-n // 3))


@pytest.mark.parametrize("length", [1, 3, 4, 10])
def test_a_resample_has_blocks_of_the_circle(length: int) -> None:
    """Each value is a power of eleven, so that the digits of a sum say how often each was in it."""
    n = 10
    made = resampled(np.array([[11.0**k] for k in range(n)]), length, 50)
    for sums in made[:, 0].astype(np.int64):
        times = [int(sums) // 11**k % 11 for k in range(n)]
        assert sum(times) == n
        changes = sum(abs(times[k] - times[k - 1]) for k in range(n))
        assert changes <= 2 * -(-n // length)
