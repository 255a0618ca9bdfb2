# SPDX-License-Identifier: GPL-2.0-or-later
"""Sees that somebody sets the machine's clock during a run, of which captures have their times.

The kernel stamps captured packets by CLOCK_REALTIME and cannot do otherwise (packet(7)); all else has times of
CLOCK_MONOTONIC. What lies between the two is read once, so a clock that is set moves captures against the rest. A clock
that is slewed moves both.
"""

from __future__ import annotations

import time

# What is less comes of reading two clocks one after the other.
_NOISE_NS = 100_000
_READINGS = 5

Step = dict[str, int]  # t_ns (CLOCK_MONOTONIC, when it was seen), step_ns, off_ns (since the run began, all in all)


def _read() -> tuple[int, int]:
    """CLOCK_REALTIME minus CLOCK_MONOTONIC, and how exactly that is known: by the quickest of some readings."""
    readings = []
    for _ in range(_READINGS):
        before, real, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        readings.append((after - before, real - (before + after) // 2))
    took, offset = min(readings)
    return offset, took


class WallClock:
    """What has become of the clock since this was made."""

    def __init__(self) -> None:
        self._last, self._known = _read()
        self._first = self._last
        self.steps: list[Step] = []

    def look(self) -> None:
        now, known = _read()
        if abs(now - self._last) > _NOISE_NS + known + self._known:
            self.steps.append({"t_ns": time.monotonic_ns(), "step_ns": now - self._last, "off_ns": now - self._first})
            self._last, self._known = now, known
