# SPDX-License-Identifier: GPL-2.0-or-later
"""Words of tc(8) one after the other: names, and numbers with their units."""

from __future__ import annotations

import re

_ALL_PERCENT = 100
_US = {"s": 1e6, "ms": 1e3, "us": 1.0}
_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)(us|ms|s)")
_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?)(%?)")


class Words:
    """Words that are left."""

    def __init__(self, text: str) -> None:
        self._left = text.split()

    def __bool__(self) -> bool:
        return bool(self._left)

    def take(self, *wanted: str) -> str:
        """The next word. Raises ValueError when it is missing, or not one of those wanted."""
        if not self._left or (wanted and self._left[0] not in wanted):
            found = f"'{self._left[0]}'" if self._left else "nothing"
            raise ValueError(f"{found}: allowed {', '.join(wanted) or 'a value'}")
        return self._left.pop(0)

    def follows(self, *wanted: str) -> bool:
        return bool(self._left) and self._left[0] in wanted

    def number(self, key: str, pattern: re.Pattern[str], allowed: str) -> str | None:
        """The next word, where it begins as a number does. Raises ValueError when it is none."""
        if not self._left or not self._left[0][0].isdigit():
            return None
        if not pattern.fullmatch(self._left[0]):
            raise ValueError(f"{key}: value '{self._left[0][:40]}': allowed {allowed}")
        return self._left.pop(0)

    def percent(self, key: str) -> float | None:
        word = self.number(key, _PERCENT, "percents, such as 1.5%")
        if word is None:
            return None
        if float(word.rstrip("%")) > _ALL_PERCENT:
            raise ValueError(f"{key}: value {word[:40]}: allowed 0%..100%")
        return float(word.rstrip("%")) / _ALL_PERCENT

    def time_us(self, key: str) -> int | None:
        word = self.number(key, _TIME, "a time in us, ms or s, such as 10ms")
        if word is None:
            return None
        number, unit = _TIME.fullmatch(word).groups()  # type: ignore[union-attr]
        return round(float(number) * _US[unit])

    def whole(self, key: str) -> int:
        word = self.number(key, re.compile(r"[0-9]{1,9}"), "whole numbers")
        if word is None:
            raise ValueError(f"{key}: allowed a whole number after this word")
        return int(word)
