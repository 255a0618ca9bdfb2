# SPDX-License-Identifier: GPL-2.0-or-later
"""How probable a difference is where there is none, and the same for many differences at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .interval import t_central


def paired_p(differences: np.ndarray) -> float | None:
    """Two-sided p value of Student's t test, of the hypothesis that the mean difference is zero.

    Args:
        differences: (n,) one for each pair.

    Returns:
        0 to 1; None of one pair, and of differences that are all the same, which Student's t says nothing about.
    """
    n = len(differences)
    spread = float(differences.std(ddof=1)) if n > 1 else 0.0
    if spread == 0:
        return None
    t = abs(float(differences.mean())) / (spread / math.sqrt(n))
    return min(max(1 - t_central(t, n - 1), 0.0), 1.0)


def holm(p: Sequence[float | None]) -> list[float | None]:
    """p values adjusted for their number: the chance that any of them is below a limit by chance is that limit at most.

    Args:
        p: of all that is compared at once, which may depend on each other; None is not counted.

    Returns:
        As many, in the same order.

    Source: Holm
    """
    adjusted: list[float | None] = [None] * len(p)
    ranked = sorted((value, i) for i, value in enumerate(p) if value is not None)
    largest = 0.0
    for rank, (value, i) in enumerate(ranked):
        largest = max(largest, min(1.0, value * (len(ranked) - rank)))
        adjusted[i] = largest
    return adjusted
