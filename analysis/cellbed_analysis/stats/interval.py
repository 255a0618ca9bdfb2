# SPDX-License-Identifier: GPL-2.0-or-later
"""95 % confidence intervals: over seeds, and within one run.

Several seeds give independent values: Student's t. What happens in a run or
does not is counted: Wilson. One run gives a series whose neighbours depend on
each other (a queue remembers): its blocks of one second, some thirty round
trips, are resampled instead of its values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

BLOCK_NS = 1_000_000_000
RESAMPLES = 2000
MIN_BLOCKS = 5

#: Two-sided 95 % quantiles of Student's t for 1..30 degrees of freedom.
#: Source: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2
T95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
Z95 = 1.959964


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % confidence interval; the bounds are None when unknown."""

    value: float
    low: float | None = None
    high: float | None = None
    method: str = "none"
    runs: int = 1  # independent runs behind it; of two estimates the fewer

    @property
    def half_width(self) -> float | None:
        """Half the interval, in the value's unit."""
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2


def t95(degrees: int) -> float:
    """Two-sided 95 % quantile of Student's t, right to three decimals.

    Args:
        degrees: of freedom, 1 or more; those beyond the table by the expansion in their inverse.

    Source: Abramowitz and Stegun, 26.7.5
    """
    if degrees <= len(T95):
        return T95[degrees - 1]
    z = Z95
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return sum(term / degrees**power for power, term in enumerate(terms))


def over_seeds(values: Sequence[float]) -> Estimate:
    """Mean over independent runs with Student's t interval.

    Args:
        values: (n,) one value per seed; n = 1 gives no interval.
    """
    data = np.asarray(values, dtype=float)
    mean = float(data.mean())
    n = len(data)
    if n < 2:
        return Estimate(mean)
    half = t95(n - 1) * float(data.std(ddof=1)) / math.sqrt(n)
    return Estimate(mean, mean - half, mean + half, f"Student's t over {n} seeds", n)


def proportion(values: Sequence[float]) -> Estimate:
    """Share of runs in which something happened, with Wilson's score interval.

    Args:
        values: (n,) 0 or 1 per run.

    Source: Wilson
    """
    n, share = len(values), float(np.mean(values))
    middle = (share + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
    half = Z95 / (1 + Z95**2 / n) * math.sqrt(share * (1 - share) / n + (Z95 / (2 * n)) ** 2)
    return Estimate(share, max(middle - half, 0.0), min(middle + half, 1.0), f"Wilson over {n} runs", n)


def within_run(
    t_ns: np.ndarray,
    columns: np.ndarray,
    statistic: Callable[[np.ndarray], np.ndarray],
    block_ns: int = BLOCK_NS,
) -> Estimate:
    """Block bootstrap of a statistic that depends on sums only.

    Args:
        t_ns: (n,) int64, time of each sample in ns.
        columns: (n, k) float, the quantities whose sums the statistic needs.
        statistic: maps sums (..., k) to values (...); a mean is
            `lambda s: s[..., 0] / s[..., 1]` over columns (value, 1).
        block_ns: length of a block.

    Returns:
        The statistic of all samples; the interval is the 2.5 and 97.5 %
        percentile over resampled blocks, None below MIN_BLOCKS blocks. The
        generator is seeded, so a report can be repeated to the last digit.
    """
    columns = np.asarray(columns, dtype=float)
    if len(t_ns) == 0:
        return Estimate(math.nan)
    value = float(statistic(columns.sum(axis=0)))
    block = (t_ns - t_ns.min()) // block_ns
    n_blocks = int(block.max()) + 1
    if n_blocks < MIN_BLOCKS:
        return Estimate(value)
    sums = np.stack([np.bincount(block, weights=column, minlength=n_blocks) for column in columns.T], axis=1)
    counts = np.random.default_rng(1).multinomial(n_blocks, np.full(n_blocks, 1 / n_blocks), size=RESAMPLES)
    with np.errstate(invalid="ignore", divide="ignore"):
        resampled = statistic(counts @ sums)
    resampled = resampled[np.isfinite(resampled)]
    if len(resampled) < RESAMPLES // 2:
        return Estimate(value)
    low, high = np.percentile(resampled, [2.5, 97.5])
    return Estimate(value, float(low), float(high), f"block bootstrap over {n_blocks} s of one run")


def mean_within_run(t_ns: np.ndarray, values: np.ndarray) -> Estimate:
    """Mean of a series, with its block bootstrap interval."""
    columns = np.stack([values, np.ones(len(values))], axis=1)
    return within_run(t_ns, columns, lambda s: s[..., 0] / s[..., 1])


def std_within_run(t_ns: np.ndarray, values: np.ndarray) -> Estimate:
    """Standard deviation of a series, with its block bootstrap interval."""
    centred = values - (values.mean() if len(values) else 0.0)  # keeps the squares small
    columns = np.stack([centred, centred**2, np.ones(len(values))], axis=1)

    def std(sums: np.ndarray) -> np.ndarray:
        mean = sums[..., 0] / sums[..., 2]
        variance: np.ndarray = np.maximum(sums[..., 1] / sums[..., 2] - mean**2, 0)
        return variance**0.5

    return within_run(t_ns, columns, std)


def difference(a: Estimate, b: Estimate) -> Estimate:
    """a - b of independent estimates: the distances to their bounds add in quadrature.

    Of two proportions with Wilson's intervals this is Newcombe's interval.

    Source: Newcombe
    """
    value, runs = a.value - b.value, min(a.runs, b.runs)
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return Estimate(value, runs=runs)
    down, up = math.hypot(a.value - a.low, b.high - b.value), math.hypot(a.high - a.value, b.value - b.low)
    return Estimate(value, value - down, value + up, f"{a.method}, difference in quadrature", runs)
