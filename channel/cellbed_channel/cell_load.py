# SPDX-License-Identifier: GPL-2.0-or-later
"""Load of a cell over time: the share of its UEs that have something to receive.

Each UE is busy for a time and idle for a time, both exponential, and its cell sends for it while it is busy. Every
receiver of a cell's interference sees the same.
"""

from __future__ import annotations

import numpy as np

from .stream import stream

_AT_ONCE = 256  # times drawn
_FOR_EVER_S = 1e12


def share(seed: int, site: str, t_s: np.ndarray, load: float, users: int, busy_s: float) -> np.ndarray:
    """(times,) from 0 to 1.

    Args:
        t_s: times from 0 on, in order.
        load: mean of it, 0 to 1.
        users: so many UEs the cell has.
        busy_s: how long one is busy, on average.
    """
    if load in (0.0, 1.0) or len(t_s) == 0:
        return np.full(len(t_s), load)
    busy = [_busy(seed, f"load/{site}/{user}", t_s, load, busy_s) for user in range(users)]
    return np.asarray(np.mean(busy, axis=0))


def _busy(seed: int, name: str, t_s: np.ndarray, load: float, busy_s: float) -> np.ndarray:
    """Whether a UE is, at each time."""
    source = stream(seed, name)
    first = source.random() < load
    idle_s = min(busy_s * (1.0 - load) / load, _FOR_EVER_S)
    mean_s = np.array([busy_s, idle_s] if first else [idle_s, busy_s])
    changes_s = np.zeros(1)
    while changes_s[-1] <= t_s[-1]:
        lasting_s = -np.log(1.0 - source.random(_AT_ONCE)).reshape(-1, 2) * mean_s
        changes_s = np.concatenate([changes_s, changes_s[-1] + np.cumsum(lasting_s.ravel())])
    passed = np.searchsorted(changes_s, t_s, side="right") - 1
    return np.asarray((passed % 2 == 0) == first)
