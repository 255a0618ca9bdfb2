# SPDX-License-Identifier: GPL-2.0-or-later
"""Confidence intervals against textbook values, SciPy and their own coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import signal, stats

from cellbed_analysis.stats.interval import (
    RESAMPLES,
    Estimate,
    difference,
    mean_within_run,
    over_seeds,
    proportion,
    std_within_run,
    t95,
    within_run,
)

S = 1_000_000_000


def test_student_t_over_three_seeds() -> None:
    # mean 4, s = 1, t(2) = 4.30265: half width 4.30265 / sqrt(3) = 2.48414
    found = over_seeds([3.0, 4.0, 5.0])
    assert found.value == 4
    assert found.low == pytest.approx(4 - 2.48414, abs=1e-5)
    assert found.high == pytest.approx(4 + 2.48414, abs=1e-5)


def test_quantiles_of_student_s_t() -> None:
    degrees = np.arange(1, 3001)
    own = np.array([t95(int(n)) for n in degrees])
    assert np.abs(own - stats.t.ppf(0.975, degrees)).max() < 1e-10


def test_one_seed_has_no_interval() -> None:
    assert over_seeds([3.0]) == Estimate(3.0)
    assert over_seeds([3.0]).half_width is None


def test_constant_series_has_an_interval_of_no_width() -> None:
    t = np.arange(1000) * S // 100
    found = mean_within_run(t, np.full(1000, 30.0))
    assert found.value == found.low == found.high == 30


def test_short_runs_have_no_interval() -> None:
    found = mean_within_run(np.arange(400) * S // 100, np.arange(400.0))  # 4 blocks
    assert (found.value, found.low) == (199.5, None)


def test_five_blocks_have_an_interval() -> None:
    found = mean_within_run(np.arange(500) * S // 100, np.arange(500.0))
    assert found.low is not None and found.high is not None and found.low < found.value < found.high


def test_seconds_of_their_own_have_the_width_of_student_s_t() -> None:
    """Of n of them: t of 1.5 n values times their standard deviation over the root of n, the textbook's, with n - 1."""
    random, widths = np.random.default_rng(1), []
    for _ in range(300):
        values = random.normal(size=12)
        found = mean_within_run(np.arange(12) * S, values)
        if found.method.endswith("blocks of 1 s"):
            textbook = t95(int(1.5 * 12) - 1) * values.std(ddof=1) / math.sqrt(12)
            widths.append((found.high - found.low) / 2 / textbook)
    assert len(widths) > 100 and np.mean(widths) == pytest.approx(1, abs=0.015)


def test_empty_series_is_not_a_number() -> None:
    assert math.isnan(mean_within_run(np.array([], dtype=np.int64), np.array([])).value)


def test_mean_interval_covers_the_truth_as_often_as_it_says() -> None:
    """100 series of 60 blocks, each block shifted as a whole: neighbours depend on each other.

    95 % of the intervals should hold the mean 0; with 100 trials fewer than
    88 would happen once in a thousand times. Resampling single values instead
    of blocks covers about a third.
    """
    rng = np.random.default_rng(7)
    t = np.arange(60 * 40) * S // 40
    held = 0
    for _ in range(100):
        series = np.repeat(rng.normal(size=60), 40) + rng.normal(size=60 * 40)
        found = mean_within_run(t, series)
        assert found.low is not None and found.high is not None
        held += found.low <= 0 <= found.high
    assert 88 <= held <= 100


@pytest.mark.parametrize(("correlation", "least", "most"), [(-0.8, 0.92, 1.0), (0.0, 0.92, 0.98), (0.5, 0.85, 0.98)])
def test_coverage_does_not_depend_on_how_seconds_depend_on_each_other(correlation: float, least: float,
                                                                     most: float) -> None:
    """300 series of 100 s, each second as far from the mean as the one before it says.

    With blocks of 1 s these intervals hold the mean in 100, 95 and 75 % of all series.
    """
    rng, t, held = np.random.default_rng(11), np.arange(100) * S, 0
    for _ in range(300):
        series = signal.lfilter([1.0], [1.0, -correlation], rng.normal(size=150))[50:]
        found = mean_within_run(t, series)
        assert found.low is not None and found.high is not None
        held += found.low <= 0 <= found.high
    assert least <= held / 300 <= most


def test_neighbours_that_make_up_for_each_other_have_a_narrow_interval() -> None:
    """What one second lacks the next one has, as where an ACK arrives before or after its end."""
    rng = np.random.default_rng(5)
    noise = rng.normal(size=101)
    alone, together = (mean_within_run(np.arange(100) * S, series)
                       for series in (rng.permutation(np.diff(noise)), np.diff(noise)))
    assert alone.half_width is not None and together.half_width is not None
    assert together.half_width < alone.half_width / 3


@pytest.mark.parametrize("n", [5, 6, 7, 10, 30, 400])
def test_a_share_stays_one(n: int) -> None:
    happened = np.zeros(n * 10)
    happened[::37] = 1
    found = mean_within_run(np.arange(n * 10) * S // 10, happened)
    assert found.low is not None and found.high is not None and 0 <= found.low <= found.value <= found.high <= 1


def test_the_same_series_gives_the_same_interval() -> None:
    t = np.arange(1000) * S // 100
    values = np.random.default_rng(3).normal(size=1000)
    assert mean_within_run(t, values) == mean_within_run(t, values)


def test_standard_deviation() -> None:
    # Half the values are 1 and half 3: standard deviation 1, in every block.
    found = std_within_run(np.arange(1000) * S // 100, np.array([1.0, 3.0] * 500))
    assert found.value == pytest.approx(1)
    assert found.low == pytest.approx(1)
    assert found.high == pytest.approx(1)


def test_ratio_of_sums() -> None:
    t = np.arange(100) * S // 10
    columns = np.stack([np.full(100, 2.0), np.full(100, 8.0)], axis=1)
    found = within_run(t, columns, lambda sums: sums[..., 0] / sums[..., 1])
    assert (found.value, found.low, found.high) == (0.25, 0.25, 0.25)


def test_half_widths_of_a_difference_add_in_quadrature() -> None:
    found = difference(Estimate(10, 7, 13), Estimate(4, 0, 8))
    assert (found.value, found.low, found.high) == (6, 1, 11)  # sqrt(9 + 16) = 5
    assert difference(Estimate(10, 7, 13), Estimate(4)) == Estimate(6)


def test_wilson_of_a_share() -> None:
    # Newcombe 1998 (single proportions), Table I, method 3: 81 of 263 and 0 of 20.
    found = proportion([1.0] * 81 + [0.0] * 182)
    assert (found.value, found.low, found.high) == pytest.approx((0.3080, 0.2553, 0.3662), abs=1e-4)
    none = proportion([0.0] * 20)
    assert (none.low, none.high) == (0.0, pytest.approx(0.1611, abs=1e-4))


@pytest.mark.parametrize("runs", [1, 2, 3, 10, 57])
def test_wilson_of_every_count(runs: int) -> None:
    for count in range(runs + 1):
        found = proportion([1.0] * count + [0.0] * (runs - count))
        interval = stats.binomtest(count, runs).proportion_ci(method="wilson")
        assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-7)


def test_newcombe_of_a_difference_of_shares() -> None:
    # Newcombe 1998 (differences), method 10: 56 of 70 minus 48 of 80.
    found = difference(proportion([1.0] * 56 + [0.0] * 14), proportion([1.0] * 48 + [0.0] * 32))
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=1e-4)


def test_a_statistic_that_most_resamples_lack_has_no_interval() -> None:
    """Only one of ten blocks has what the statistic divides by: two of three resamples have it, not one of six."""
    t = np.arange(10) * S
    columns = np.stack([np.ones(10), np.eye(10)[0]], axis=1)

    def known(sums: np.ndarray) -> np.ndarray:
        return sums[..., 0] / sums[..., 1]

    def rare(sums: np.ndarray) -> np.ndarray:
        return np.where(sums[..., 1] == 2, sums[..., 0], np.nan)  # a sixth of the resamples

    with_interval = within_run(t, columns, known)
    assert with_interval.value == 10 and with_interval.low is not None
    assert within_run(t, columns, lambda sums: rare(sums) if sums.ndim > 1 else 7.0) == Estimate(7.0)


@pytest.mark.parametrize(("least", "known"), [(RESAMPLES // 2, True), (RESAMPLES // 2 + 1, False)])
def test_a_statistic_that_half_of_the_resamples_have(least: int, known: bool) -> None:
    """@least: from this resample on, one has it."""
    columns = np.stack([np.arange(10.0), np.ones(10)], axis=1)

    def half(sums: np.ndarray) -> np.ndarray:
        means = sums[..., 0] / sums[..., 1]
        return np.where(np.arange(len(sums)) >= least, means, np.nan) if len(sums) == RESAMPLES else means

    assert (within_run(np.arange(10) * S, columns, half).low is not None) == known
