# SPDX-License-Identifier: GPL-2.0-or-later
"""95 % confidence intervals: over seeds, and within one run.

Several seeds give independent values: Student's t. What happens in a run or
does not is counted: Wilson. One run gives a series whose neighbours depend on
each other (a queue remembers): blocks of its seconds, some thirty round trips
each, are resampled instead of its values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .blocks import block_length, resampled

PART_NS = 1_000_000_000
RESAMPLES = 2000
MIN_PARTS = 5
_NS_PER_S = 1e9

Z95 = 1.959963984540054


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
    """Two-sided 95 % quantile of Student's t, to the last digits of a float.

    Args:
        degrees: of freedom, 1 or more.
    """
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    t = step = Z95
    # Newton's method, which never steps past the root of a concave function; a step leaves its square, which is less
    # than a float's last digit at the end.
    while abs(step) > 1e-9 * t:
        density = scale * (1 + t * t / degrees) ** (-(degrees + 1) / 2)
        step = (0.95 - t_central(t, degrees)) / (2 * density)
        t += step
    return t


def t_central(t: float, degrees: int) -> float:
    """Probability that Student's t lies between -t and t.

    Args:
        t: 0 or more.
        degrees: of freedom, 1 or more.

    Source: Abramowitz and Stegun, 26.7.3 and 26.7.4
    """
    angle = math.atan(t / math.sqrt(degrees))
    cosine_2, odd = math.cos(angle) ** 2, degrees % 2
    term = math.sin(angle) * (math.cos(angle) if odd else 1.0)
    total = 0.0
    for i in range(degrees // 2):
        total += term
        term *= cosine_2 * (2 * i + 2) / (2 * i + 3) if odd else cosine_2 * (2 * i + 1) / (2 * i + 2)
    return 2 / math.pi * (angle + total) if odd else total


def over_seeds(values: Sequence[float]) -> Estimate:
    """Mean over independent runs with Student's t interval.

    Args:
        values: (n,) one value per seed; n = 1 gives no interval.
    """
    data = np.asarray(values)
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
    found = share_of(int(np.sum(values)), len(values))
    return replace(found, method=f"Wilson over {len(values)} runs", runs=len(values))


def share_of(k: int, n: int) -> Estimate:
    """Share of n things of which k happened, with Wilson's score interval.

    Source: Wilson
    """
    share = k / n
    middle = (share + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
    half = Z95 / (1 + Z95**2 / n) * math.sqrt(share * (1 - share) / n + (Z95 / (2 * n)) ** 2)
    return Estimate(share, max(middle - half, 0.0), min(middle + half, 1.0), f"Wilson over {n}")


def paired_shares(pairs: Sequence[tuple[float, float]]) -> Estimate:
    """Difference of the shares of runs in which one thing happened and in which another did.

    Args:
        pairs: (n, 2) 0 or 1, both of the same run. They may depend on each other, or exclude each other.

    Source: Newcombe, paired
    """
    n = len(pairs)
    first, second = proportion([one for one, _ in pairs]), proportion([other for _, other in pairs])
    both = sum(1 for one, other in pairs if one and other)
    one_only, other_only = round(first.value * n) - both, round(second.value * n) - both
    neither = n - both - one_only - other_only
    product: float = both * neither - one_only * other_only
    if product > 0:
        product = max(product - n / 2, 0)
    scale = math.sqrt(math.prod((both + one_only, other_only + neither, both + other_only, one_only + neither)))
    phi = product / scale if scale else 0.0
    value = first.value - second.value
    down = _together(first.value - (first.low or 0.0), (second.high or 0.0) - second.value, phi)
    up = _together((first.high or 0.0) - first.value, second.value - (second.low or 0.0), phi)
    return Estimate(value, value - down, value + up, f"Newcombe over {n} pairs", n)


def _together(a: float, b: float, phi: float) -> float:
    """Distance of two bounds of a difference, whose estimates have the correlation @phi."""
    return math.sqrt(max(a * a - 2 * phi * a * b + b * b, 0.0))


def within_run(
    t_ns: np.ndarray,
    columns: np.ndarray,
    statistic: Callable[[np.ndarray], np.ndarray],
    part_ns: int = PART_NS,
) -> Estimate:
    """Circular block bootstrap of a statistic that depends on sums only.

    Args:
        t_ns: (n,) int64, time of each sample in ns.
        columns: (n, k) float, the quantities whose sums the statistic needs.
        statistic: maps sums (..., k) to values (...); a mean is
            `lambda s: s[..., 0] / s[..., 1]` over columns (value, 1).
        part_ns: the run is cut into parts of this length; blocks are of whole parts.

    Returns:
        The statistic of all samples, and its interval; None below MIN_PARTS parts. How much the statistic changes
        without each part says how long the blocks have to be. The interval is the 2.5 and 97.5 % percentile,
        wider by what so few blocks do not show of the spread: n parts are worth 1.5 n / b values of Student's t.
        What no resample had it does not reach: a share stays one.

    Source: Politis and White; Meketon and Schmeiser
    """
    columns = np.asarray(columns, dtype=float)
    if len(t_ns) == 0:
        return Estimate(math.nan)
    value = float(statistic(columns.sum(axis=0)))
    part = (t_ns - t_ns.min()) // part_ns
    n = int(part.max()) + 1
    if n < MIN_PARTS:
        return Estimate(value)
    sums = np.stack([np.bincount(part, weights=column, minlength=n) for column in columns.T], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        without = statistic(sums.sum(axis=0) - sums)
        length = block_length(np.where(np.isfinite(without), without, value))
        found = statistic(resampled(sums, length, RESAMPLES))
    found = found[np.isfinite(found)]
    if len(found) < RESAMPLES // 2:
        return Estimate(value)
    n_blocks = n / length
    wider = t95(int(1.5 * n_blocks) - 1) / Z95 * math.sqrt(n_blocks / (n_blocks - 1))
    low, high = np.clip(value + wider * (np.percentile(found, [2.5, 97.5]) - value), found.min(), found.max())
    seconds = part_ns / _NS_PER_S
    return Estimate(value, float(low), float(high),
                    f"block bootstrap over {n * seconds:g} s of one run, blocks of {length * seconds:g} s")


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
