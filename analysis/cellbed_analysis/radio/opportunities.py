# SPDX-License-Identifier: GPL-2.0-or-later
"""When a recorded link can deliver: its packet-delivery trace, again and again.

Source: Mahimahi (packet-delivery traces)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def opportunities(times_ms: Sequence[int] | np.ndarray, from_ms: int, to_ms: int) -> np.ndarray:
    """Those of a trace within [from_ms, to_ms), which begins again after its last one.

    Returns:
        (n,) int64, in ms.
    """
    period = int(times_ms[-1])
    every = np.asarray(times_ms, dtype=np.int64)
    rounds = np.arange(max(from_ms // period - 1, 0), -(-to_ms // period))  # a round's last line is the next one's 0
    unrolled = (rounds[:, None] * period + every[None, :]).ravel()
    return unrolled[(unrolled >= from_ms) & (unrolled < to_ms)]
