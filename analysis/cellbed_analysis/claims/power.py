# SPDX-License-Identifier: GPL-2.0-or-later
"""What a claim's runs could have told: the chance that they reproduce it, if it is true.

Source: docs/claims.md
"""

from __future__ import annotations

import math
from typing import Any

from ..stats.interval import Z95, Estimate
from .expect import tolerance

#: A direction is true by this many of its least effects.
EFFECTS = 2


def power(expect: dict[str, Any], compared: Estimate) -> float | None:
    """Chance of the verdict "reproduced" where the paper is right, by the normal distribution of the measured value.

    Right means: the true value is the paper's; lies in the middle of the range; is beyond the bound by twice the least
    effect.

    Args:
        expect: of the claim.
        compared: the measured value with the interval that decided.

    Returns:
        None without an interval, of a trend, and of a bound without a least effect.

    Source: Schuirmann
    """
    half = compared.half_width
    if half is None or half == 0:
        return None
    if math.isinf(half):
        return 0.0
    sigma = half / Z95
    if "effect" in expect and "trend" not in expect:
        effect = float(expect["effect"])
        return _normal((EFFECTS * effect - max(effect, half)) / sigma)
    if "value" in expect:
        room = tolerance(expect) - half
    elif "low" in expect:
        room = (float(expect["high"]) - float(expect["low"])) / 2 - half
    else:
        return None
    return 2 * _normal(room / sigma) - 1 if room > 0 else 0.0


def _normal(x: float) -> float:
    """Distribution function of the standard normal distribution."""
    return 0.5 * math.erfc(-x / math.sqrt(2))
