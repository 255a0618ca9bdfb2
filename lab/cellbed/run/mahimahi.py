# SPDX-License-Identifier: GPL-2.0-or-later
"""Packet-delivery traces in Mahimahi's format: read, checked, and made up: `python -m cellbed.run.mahimahi`.

A line is a whole number of milliseconds at which a packet of 1500 bytes may leave; a number that occurs twice stands
for two packets. Lines do not decrease, and the last one, more than 0, is where the trace begins again.
"""

from __future__ import annotations

from pathlib import Path

from cellbed.error import ScenarioError
from cellbed.host.regular import regular_file

MS_MAX = 2**32 - 1
LINES_MAX = 10_000_000
BYTES_MAX = 128 << 20  # more than so many lines have
BYTES = 1500
# Of a trace that is made up: the rate takes a step so often, by up to this factor.
_STEP_MS = 100
_STEP_FACTOR = 1.3


def lines(path: Path) -> list[str]:
    """Of a trace.

    Raises:
        ScenarioError: it cannot be read, or has too many or none.
    """
    try:
        with open(path, "rb", opener=regular_file) as file:
            content = file.read(BYTES_MAX + 1)
        found = content.decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{path}: {getattr(error, 'strerror', None) or 'no text'}") from error
    if len(content) > BYTES_MAX:
        raise ScenarioError(f"{path}: allowed at most {BYTES_MAX} bytes")
    if not 1 <= len(found) <= LINES_MAX:
        raise ScenarioError(f"{path}: {len(found)} lines: allowed 1..{LINES_MAX}")
    return found


def is_whole(word: str, low: int, high: int) -> bool:
    """Whether a word is a whole number within bounds; one of thousands of digits is not looked at."""
    return len(word) <= len(str(high)) and word.isascii() and word.isdigit() and low <= int(word) <= high


def read(path: Path) -> list[int]:
    """Times in ms.

    Raises:
        ScenarioError: it cannot be read, or a line is wrong; with file, line, value and what is allowed.
    """
    times: list[int] = []
    for number, line in enumerate(lines(path), 1):
        low = times[-1] if times else 0
        if not is_whole(line, low, MS_MAX):
            order = ", not less than in the line before" if times else ""
            raise ScenarioError(f"{path}: line {number}: value '{line[:40]}': allowed whole milliseconds, "
                                f"{low}..{MS_MAX}{order}")
        times.append(int(line))
    if times[-1] == 0:
        raise ScenarioError(f"{path}: line {len(times)}: value '0': allowed more than 0 in the last line, which is the "
                            "period")
    return times


def make(seed: int, seconds: int, low_mbps: float, high_mbps: float) -> list[int]:
    """A trace whose rate walks at random between two bounds; the same for the same arguments."""
    import random

    source = random.Random(seed)
    mbps = (low_mbps * high_mbps) ** 0.5
    due, times = 0.0, []
    for ms in range(1, 1000 * seconds + 1):
        if ms % _STEP_MS == 0:
            mbps = min(max(mbps * _STEP_FACTOR ** source.uniform(-1, 1), low_mbps), high_mbps)
        due += mbps * 1000 / 8 / BYTES
        times += [ms] * int(due)
        due -= int(due)
    return [*times, 1000 * seconds] if not times or times[-1] != 1000 * seconds else times


def main() -> None:
    import argparse

    parser = argparse.ArgumentParser(description="Make up a packet-delivery trace and print it.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--low-mbps", type=float, default=1.0)
    parser.add_argument("--high-mbps", type=float, default=12.0)
    chosen = parser.parse_args()
    print("\n".join(map(str, make(chosen.seed, chosen.seconds, chosen.low_mbps, chosen.high_mbps))))


if __name__ == "__main__":
    main()
