# SPDX-License-Identifier: GPL-2.0-or-later
"""Which seeds each variant of a sweep gets: those asked for, then more until its metrics are known well enough.

How many are added depends on how many there are, never on the number of CPUs, so that the same command runs the same
runs everywhere, and an interrupted one goes on where it was.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from cellbed.error import CellbedError
from cellbed.scenario.description import RUNS_MAX

# Who looks after each run at an interval of few stops too early: by luck they lie together.
LEAST_RUNS = 5
# Seeds of one round, as a part of those there are.
_GROWTH = 1 / 4


def parse_seeds(text: str) -> list[int]:
    """Seeds of a text such as '1-20' or '1,3,5-7'."""
    seeds: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"([0-9]{1,16})(?:-([0-9]{1,16}))?", part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first:
            raise CellbedError(f"--seeds {text}: allowed numbers and ranges, such as 1-20 or 1,3,5-7")
        if last - first >= RUNS_MAX:
            raise CellbedError(f"--seeds {text}: allowed at most {RUNS_MAX} seeds")
        seeds += range(first, last + 1)
    if len(set(seeds)) < len(seeds):
        raise CellbedError(f"--seeds {text}: a seed is given twice; give each once")
    return seeds


@dataclass(frozen=True)
class Until:
    """How narrow an interval has to be: half of it, relative to the mean."""

    metric: str
    half_width: float

    @classmethod
    def parse(cls, text: str) -> Until:
        metric, equals, value = text.partition("=")
        try:
            share = float(value.removesuffix("%")) / (100 if value.endswith("%") else 1)
        except ValueError:
            share = math.nan
        if not equals or not 0 < share < 1:
            raise CellbedError(f"--until {text}: allowed METRIC=SHARE with a share between 0 and 1, such as "
                               "goodput_mbps=0.05 or goodput_mbps=5%")
        return cls(metric, share)

    def met(self, values: list[float], interval: Callable[[list[float]], float | None]) -> bool:
        """Whether the values of one variant are enough.

        Args:
            interval: half width of the 95 % confidence interval of the mean of values.
        """
        if len(values) < LEAST_RUNS:
            return False
        half, mean = interval(values), sum(values) / len(values)
        return half is not None and half <= self.half_width * abs(mean)


@dataclass
class Rounds:
    """Seeds of each variant, round by round."""

    variants: list[str]
    seeds: list[int]
    until: list[Until]
    max_seeds: int
    given: dict[str, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        if self.until and self.max_seeds < max(LEAST_RUNS, len(self.seeds)):
            raise CellbedError(f"--max-seeds {self.max_seeds}: --until needs more seeds for its first look; "
                               f"allowed {max(LEAST_RUNS, len(self.seeds))} or more")
        first = list(self.seeds)
        while self.until and len(first) < LEAST_RUNS:
            first.append(max(first) + 1)
        self.given = {variant: list(first) for variant in self.variants}

    def more(self, values: Callable[[str, str], list[float]],
             interval: Callable[[list[float]], float | None]) -> dict[str, list[int]]:
        """Seeds of the next round by variant; none when every variant has enough.

        Args:
            values: of a variant and a metric, one of each run that may be used.
        """
        added = {}
        for variant, seeds in self.given.items():
            package = self.max_seeds - len(seeds)
            if package > 0 and not all(until.met(values(variant, until.metric), interval) for until in self.until):
                n = min(package, math.ceil(len(seeds) * _GROWTH))
                added[variant] = [max(seeds) + 1 + i for i in range(n)]
        for variant, seeds in added.items():
            self.given[variant] += seeds
        return added
