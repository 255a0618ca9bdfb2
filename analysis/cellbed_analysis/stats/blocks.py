# SPDX-License-Identifier: GPL-2.0-or-later
"""Circular block bootstrap of a series whose neighbours depend on each other, with blocks as long as it asks for.

Long blocks keep what neighbours have in common, and few of them tell little: the length that the series itself suggests
has the least error of the interval.
"""

from __future__ import annotations

import math

import numpy as np


def block_length(series: np.ndarray) -> int:
    """Length of the blocks of a circular block bootstrap of the mean.

    Args:
        series: (n,) float, n at least 2.

    Returns:
        Number of values, 1..n/3.

    Source: Politis and White; Patton
    """
    n = len(series)
    covariance, n_lags = _covariances(series)
    if covariance[0] == 0:
        return 1
    lag = np.arange(1, n_lags + 1)
    weight = np.clip(2 * (1 - lag / n_lags), 0, 1)  # the flat-top window
    spectrum_0 = covariance[0] + 2 * float(weight @ covariance[1:])
    most = max(1, math.ceil(min(3 * math.sqrt(n), n / 3)))
    if spectrum_0 <= 0:
        return most
    curvature = 2 * float((weight * lag) @ covariance[1:])
    length = (1.5 * (curvature / spectrum_0) ** 2 * n) ** (1 / 3)
    return min(max(1, round(length)), most)


def _covariances(series: np.ndarray) -> tuple[np.ndarray, int]:
    """Autocovariances for twice as many lags as matter, from lag 0, and that number of lags."""
    n = len(series)
    run = max(5, math.ceil(math.sqrt(math.log10(n))))
    most = min(math.ceil(math.sqrt(n)) + run, n - 1)
    centred = series - series.mean()
    covariance = np.array([float(centred[:n - k] @ centred[k:]) for k in range(most + 1)]) / n
    matters = np.abs(covariance[1:]) >= 2 * math.sqrt(math.log10(n) / n) * covariance[0]
    last = next((k for k in range(most) if not matters[k:k + run].any()), most)
    n_lags = min(2 * max(last, 1), most)
    return covariance[:n_lags + 1], n_lags


def resampled(sums: np.ndarray, length: int, n_resamples: int) -> np.ndarray:
    """Sums of series that consist of blocks of this one, which is taken as a circle.

    Args:
        sums: (n, k) float.
        length: of a block, 1..n; the last one is cut where n is no multiple.

    Returns:
        (n_resamples, k). The generator is seeded, so a report can be repeated to the last digit.
    """
    n = len(sums)
    lengths = np.full(-(-n // length), length)
    lengths[-1] = n - lengths[:-1].sum()
    until = np.concatenate([np.zeros((1, sums.shape[1])), np.cumsum(np.concatenate([sums, sums[:length]]), axis=0)])
    start = np.random.default_rng(1).integers(0, n, size=(n_resamples, len(lengths)))
    made: np.ndarray = (until[start + lengths] - until[start]).sum(axis=1)
    return made
