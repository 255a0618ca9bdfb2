# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings in CellReplay's format, beside packet-delivery traces: read and checked.

A trace of trains has a line for each: when it began, how long its first packet was on its way, and how much later each
opportunity of the train arrived than that packet, all in whole milliseconds with one space between them. A trace of
sizes has a line for 100, 200, 300, ... bytes with the milliseconds that packets of that size take more than others.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cellbed.error import ScenarioError
from cellbed.run import mahimahi

DELAY_MAX_MS = 60_000
TRAINS_MIN = 3
SIZE_STEP_BYTES = 100
_SIZE_MAX_MS = 1000


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Numbers and words of the lines of a file."""
    for number, line in enumerate(mahimahi.lines(path), 1):
        yield number, line.split(" ")


def _whole(path: Path, number: int, word: str, low: int, high: int, what: str) -> int:
    if not mahimahi.is_whole(word, low, high):
        raise ScenarioError(f"{path}: line {number}: value '{word[:40]}': allowed {what}, whole milliseconds, "
                            f"{low}..{high}")
    return int(word)


def read_trains(path: Path) -> list[list[int]]:
    """[when, base delay, offset, ...] of each train.

    Raises:
        ScenarioError: it cannot be read, or a line is wrong; with file, line, value and what is allowed.
    """
    trains: list[list[int]] = []
    for number, words in _lines(path):
        if len(words) < 3:
            raise ScenarioError(f"{path}: line {number}: {len(words)} values: allowed three or more, the time, the "
                                "base delay and offsets of opportunities")
        at = _whole(path, number, words[0], trains[-1][0] if trains else 0, mahimahi.MS_MAX,
                    "times that do not decrease")
        delay = _whole(path, number, words[1], 0, DELAY_MAX_MS, "a base delay")
        train = [at, delay]
        for word in words[2:]:
            low = train[-1] if len(train) > 2 else 0
            train.append(_whole(path, number, word, low, DELAY_MAX_MS, "offsets that do not decrease"))
        trains.append(train)
    if len(trains) < TRAINS_MIN or trains[-1][0] == 0:
        raise ScenarioError(f"{path}: {len(trains)} lines: allowed {TRAINS_MIN} or more, the last one with a time "
                            "above 0, which is the period")
    return trains


def read_sizes(path: Path) -> list[int]:
    """Microseconds that packets of 100, 200, ... bytes take more.

    Raises:
        ScenarioError: as read_trains().
    """
    found = []
    for number, words in _lines(path):
        try:
            size, ms = int(words[0]), float(words[1])
        except (ValueError, IndexError):
            size, ms = 0, 0.0
        if len(words) != 2 or size != number * SIZE_STEP_BYTES or not -_SIZE_MAX_MS <= ms <= _SIZE_MAX_MS:
            raise ScenarioError(f"{path}: line {number}: value '{' '.join(words)[:40]}': allowed "
                                f"{number * SIZE_STEP_BYTES} and milliseconds, -{_SIZE_MAX_MS}..{_SIZE_MAX_MS}")
        found.append(round(ms * 1000))
    return found
