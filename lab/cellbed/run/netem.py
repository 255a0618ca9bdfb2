# SPDX-License-Identifier: GPL-2.0-or-later
"""What a link does to packets on their way, in the words of tc-netem(8), as parameters of the radio core.

`loss gemodel 1% 20%`, `delay 10ms 2ms distribution normal`, `reorder 25% 50% gap 5`, `duplicate 1%`,
`slot 10ms 20ms packets 16`: the words and their order are those of tc, and so is what is not given. Numbers are read
here; which ones are allowed, cellbed.scenario.netem says.

Source: tc-netem(8)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from cellbed.error import ScenarioError
from cellbed.run import mahimahi

DELAY_MAX_MS = 10_000
Value = float | int | str
FORMS = ("loss random P", "loss state P13 [P31 [P32 [P23 [P14]]]]", "loss gemodel P [R [1-H [1-K]]]",
         "delay TIME [JITTER [CORRELATION]] [distribution uniform|normal]", "reorder P [CORRELATION] [gap N]",
         "duplicate P [CORRELATION]", "slot MIN [MAX] [packets N] [bytes N]")
_ALL_PERCENT = 100
_US = {"s": 1e6, "ms": 1e3, "us": 1.0}
_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)(us|ms|s)")
_MS = re.compile(r"[0-9]{1,5}(\.[0-9]{1,6})?")
_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?)(%?)")


class _Words:
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


def parse(text: str) -> dict[str, Value]:
    """Parameters of the radio core, by the keys of its configuration; those of words that are not there are missing.

    Raises:
        ValueError: what the words are not, and what is allowed.
    """
    words, found = _Words(text), dict[str, Value]()
    while words:
        word = words.take(*_READ)
        one = _READ[word](words)
        if found.keys() & one.keys():
            raise ValueError(f"{word} is given twice; give it once")
        found |= one
    return found


def _percents(words: _Words, *keys: str) -> dict[str, Value]:
    """One after the other, as many as there are; the first is needed."""
    found: dict[str, Value] = {}
    for key in keys:
        value = words.percent(key)
        if value is None:
            break
        found[key] = value
    if not found:
        raise ValueError(f"{keys[0]}: allowed percents, such as 1.5%")
    return found


def _loss(words: _Words) -> dict[str, Value]:
    if not words.follows("state", "gemodel"):
        if words.follows("random"):
            words.take()
        return {"loss": "random", **_percents(words, "random")}
    model = words.take()
    if model == "state":
        found = _percents(words, "p13", "p31", "p32", "p23", "p14")
        return {"loss": model, "p31": 1 - float(found["p13"]), "p23": 1.0, **found}
    found = _percents(words, "p", "r", "bad", "good")
    return {"loss": model, "r": 1 - float(found["p"]), "bad": 1.0, **found}


def _delay(words: _Words) -> dict[str, Value]:
    delay_us = words.time_us("delay_us")
    if delay_us is None:
        raise ValueError("delay_us: allowed a time in us, ms or s, such as 10ms")
    found: dict[str, Value] = {"delay_us": delay_us}
    jitter_us = words.time_us("jitter_us")
    if jitter_us is not None:
        found["jitter_us"] = jitter_us
        correlation = words.percent("jitter_correlation")
        if correlation is not None:
            found["jitter_correlation"] = correlation
    if words.follows("distribution"):
        words.take()
        found["distribution"] = words.take("uniform", "normal")
    return found


def _reorder(words: _Words) -> dict[str, Value]:
    found = _percents(words, "reorder", "reorder_correlation")
    if words.follows("gap"):
        words.take()
        found["reorder_gap"] = words.whole("reorder_gap")
    return found


def _duplicate(words: _Words) -> dict[str, Value]:
    return _percents(words, "duplicate", "duplicate_correlation")


def _slot(words: _Words) -> dict[str, Value]:
    low_us = words.time_us("slot")
    if low_us is None:
        raise ValueError("slot: allowed a time in us, ms or s, such as 10ms")
    high_us = words.time_us("slot")
    if high_us is None:
        high_us = low_us
    if high_us < low_us or high_us == 0:
        raise ValueError(f"slot: value {low_us}us {high_us}us: allowed MIN and MAX, not less than MIN and more than 0")
    found: dict[str, Value] = {"slot_us": low_us, "slot_more_us": high_us - low_us}
    while words.follows("packets", "bytes"):
        key = f"slot_{words.take()}"
        found[key] = words.whole(key)
    return found


_READ: dict[str, Callable[[_Words], dict[str, Value]]] = {
    "loss": _loss, "delay": _delay, "reorder": _reorder, "duplicate": _duplicate, "slot": _slot}


# --- traces ---


def read_delays(path: Path) -> list[int]:
    """[time in ms, delay in us, ...] of a trace of delays.

    Raises:
        ScenarioError: it cannot be read, or a line is wrong; with file, line, value and what is allowed.
    """
    found: list[int] = []
    for number, line in enumerate(mahimahi.lines(path), 1):
        words, low = line.split(), found[-2] if found else 0
        if len(words) != 2 or not mahimahi.is_whole(words[0], low, mahimahi.MS_MAX) \
                or not _MS.fullmatch(words[1]) or float(words[1]) > DELAY_MAX_MS:
            raise ScenarioError(f"{path}: line {number}: value '{line[:40]}': allowed a time in whole milliseconds, "
                                f"{low}..{mahimahi.MS_MAX}, and a delay in milliseconds, 0..{DELAY_MAX_MS}")
        found += [int(words[0]), round(float(words[1]) * 1000)]
    if len(found) < 4 or found[-2] == 0:
        raise ScenarioError(f"{path}: {len(found) // 2} lines: allowed 2 or more, the last one with a time above 0, "
                            "which is the period")
    return found


def read_losses(path: Path) -> list[int]:
    """1 for each packet that is lost, and 0 for the others.

    Raises:
        ScenarioError: as read_delays().
    """
    found = []
    for number, line in enumerate(mahimahi.lines(path), 1):
        if line.strip() not in ("0", "1"):
            raise ScenarioError(f"{path}: line {number}: value '{line[:40]}': allowed 0 and 1")
        found.append(int(line))
    return found
