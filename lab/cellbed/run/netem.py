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
from cellbed.run.tc_words import Words

DELAY_MAX_MS = 10_000
Value = float | int | str
FORMS = ("loss random P", "loss state P13 [P31 [P32 [P23 [P14]]]]", "loss gemodel P [R [1-H [1-K]]]",
         "delay TIME [JITTER [CORRELATION]] [distribution uniform|normal|pareto|paretonormal]",
         "reorder P [CORRELATION] [gap N]", "duplicate P [CORRELATION]", "corrupt P [CORRELATION]",
         "slot MIN [MAX] [packets N] [bytes N]")
_MS = re.compile(r"[0-9]{1,5}(\.[0-9]{1,6})?")


def parse(text: str) -> dict[str, Value]:
    """Parameters of the radio core, by the keys of its configuration; those of words that are not there are missing.

    Raises:
        ValueError: what the words are not, and what is allowed.
    """
    words, found = Words(text), dict[str, Value]()
    while words:
        word = words.take(*_READ)
        one = _READ[word](words)
        if found.keys() & one.keys():
            raise ValueError(f"{word} is given twice; give it once")
        found |= one
    return found


def _percents(words: Words, *keys: str) -> dict[str, Value]:
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


def _loss(words: Words) -> dict[str, Value]:
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


def _delay(words: Words) -> dict[str, Value]:
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
        found["distribution"] = words.take("uniform", "normal", "pareto", "paretonormal")
    return found


def _reorder(words: Words) -> dict[str, Value]:
    found = _percents(words, "reorder", "reorder_correlation")
    if words.follows("gap"):
        words.take()
        found["reorder_gap"] = words.whole("reorder_gap")
    return found


def _duplicate(words: Words) -> dict[str, Value]:
    return _percents(words, "duplicate", "duplicate_correlation")


def _corrupt(words: Words) -> dict[str, Value]:
    return _percents(words, "corrupt", "corrupt_correlation")


def _slot(words: Words) -> dict[str, Value]:
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


_READ: dict[str, Callable[[Words], dict[str, Value]]] = {
    "loss": _loss, "delay": _delay, "reorder": _reorder, "duplicate": _duplicate, "corrupt": _corrupt,
    "slot": _slot}


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
