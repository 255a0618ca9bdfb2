# SPDX-License-Identifier: GPL-2.0-or-later
"""What TCP feels of a link, as samples of a recording: rates over windows, how long they last, outages, delays.

Rates are divided by the mean of their recording. An outage is a time of 50 ms or more in which each window has less
than a twentieth of it. RTTs count from the least one of their recording, as the path behind the radio network is
another one for every test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .recording import Recording

OUTAGE_SHARE, OUTAGE_S = 0.05, 0.05
#: So many lags of an autocorrelation must be there.
_LAGS_LEAST = 3
#: Of statistics with one value for a recording: short, so that a recording has several and they have a distribution.
PIECE_S = 30
_NONE = np.zeros(0)


@dataclass(frozen=True)
class Statistic:
    """A statistic of recordings.

    Attributes:
        name: with the unit.
        sample: values of a recording; none where it cannot have them.
        finest_s: the longest step of a recording that can have it.
        piece_s: it has one value for each piece of a recording of this length; 0: values of the whole recording.
    """

    name: str
    sample: Callable[[Recording], np.ndarray]
    finest_s: float
    piece_s: float = 0


def _windows(window_s: float) -> Callable[[Recording], np.ndarray]:
    def sample(one: Recording) -> np.ndarray:
        rate, mean = one.over(window_s), one.rate.mean() if len(one.rate) else 0.0
        return rate / mean if mean > 0 and len(rate) > 1 else _NONE

    return sample


def _variation(window_s: float) -> Callable[[Recording], np.ndarray]:
    def sample(one: Recording) -> np.ndarray:
        rate = one.over(window_s)
        return np.array([rate.std() / rate.mean()]) if len(rate) > 1 and rate.mean() > 0 else _NONE

    return sample


def autocorrelation(values: np.ndarray, lag: int) -> float:
    """Of a series at a lag; 0 where nothing varies. Source: NIST/SEMATECH 1.3.5.12"""
    apart = values - values.mean()
    total = float(apart @ apart)
    return float(apart[:-lag] @ apart[lag:]) / total if total > 0 else 0.0


def _correlation(window_s: float, lag_s: float) -> Callable[[Recording], np.ndarray]:
    def sample(one: Recording) -> np.ndarray:
        rate, lag = one.over(window_s), round(lag_s / window_s)
        return np.array([autocorrelation(rate, lag)]) if len(rate) >= _LAGS_LEAST * lag and rate.any() else _NONE

    return sample


def outages_s(one: Recording) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of outages, and of the times between them, in s; what the recording cuts is not counted."""
    if not one.rate.any():
        return _NONE, _NONE
    low = one.rate < OUTAGE_SHARE * one.rate.mean()
    edges = np.flatnonzero(np.diff(low.astype(np.int8)))
    begins = edges[~low[edges]] + 1
    ends = edges[low[edges]] + 1
    if len(begins) and len(ends) and ends[0] < begins[0]:
        ends = ends[1:]
    n = min(len(begins), len(ends))
    begins, ends = begins[:n], ends[:n]
    long = (ends - begins) * one.step_s >= OUTAGE_S - one.step_s / 2
    begins, ends = begins[long], ends[long]
    return (ends - begins) * one.step_s, (begins[1:] - ends[:-1]) * one.step_s


#: That load a link, by their names in Linux and in tables.
CONGESTION_CONTROLS = {"cubic": "CUBIC", "bbr": "BBR"}


def _loaded(congestion_control: str) -> Callable[[Recording], np.ndarray]:
    return lambda one: _above_least(one.loaded_ms.get(congestion_control, _NONE))


def _above_least(values: np.ndarray) -> np.ndarray:
    return values - values.min() if len(values) else _NONE


STATISTICS = (
    *(Statistic(f"rate over {name}, of the mean", _windows(window_s), window_s)
      for name, window_s in (("10 ms", 0.01), ("100 ms", 0.1), ("1 s", 1), ("10 s", 10))),
    *(Statistic(f"its variation (CoV) over {name}", _variation(window_s), window_s, PIECE_S)
      for name, window_s in (("10 ms", 0.01), ("100 ms", 0.1), ("1 s", 1))),
    *(Statistic(f"autocorrelation over 10 ms, at {name}", _correlation(0.01, lag_s), 0.01, PIECE_S)
      for name, lag_s in (("100 ms", 0.1), ("1 s", 1))),
    *(Statistic(f"autocorrelation over 1 s, at {lag_s} s", _correlation(1, lag_s), 1, PIECE_S) for lag_s in (1, 5, 10)),
    Statistic("length of an outage (s)", lambda one: outages_s(one)[0], 1),
    Statistic("time between outages (s)", lambda one: outages_s(one)[1], 1),
    Statistic("RTT, idle, above the least (ms)", lambda one: _above_least(one.rtt_ms), np.inf),
    *(Statistic(f"RTT, {name} downloads, above the least (ms)", _loaded(key), np.inf)
      for key, name in CONGESTION_CONTROLS.items()),
    Statistic("gap of a handover (ms)", lambda one: one.handover_ms, np.inf),
)  # fmt: skip
