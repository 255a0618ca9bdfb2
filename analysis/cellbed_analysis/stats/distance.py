# SPDX-License-Identifier: GPL-2.0-or-later
"""How far apart two samples are."""

from __future__ import annotations

import numpy as np


def ks_distance(a: np.ndarray, b: np.ndarray) -> float:
    """The Kolmogorov-Smirnov distance of two samples, which are sorted. Source: NIST/SEMATECH 1.3.5.16"""
    every = np.concatenate([a, b])
    apart = np.searchsorted(a, every, "right") / len(a) - np.searchsorted(b, every, "right") / len(b)
    return float(np.abs(apart).max())
