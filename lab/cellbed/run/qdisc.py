# SPDX-License-Identifier: GPL-2.0-or-later
"""Queue disciplines of a bearer, in the words of tc(8), as parameters of the radio core.

`codel target 5ms interval 100ms ecn`, `fq_codel`, `pie target 15ms`, `dualpi2 step_thresh 1ms`, `pfifo limit 50`: what
is not given is as in Linux, but for `limit`, which is the bearer's. Numbers are read here; which ones are allowed,
cellbed.scenario.qdisc says.

Source: tc(8)
"""

from __future__ import annotations

from cellbed.run.tc_words import Words

Value = int | str | bool
FORMS = {
    "pfifo": "[limit N]",
    "codel": "[limit N] [target TIME] [interval TIME] [ecn|noecn]",
    "fq_codel": "[limit N] [flows N] [target TIME] [interval TIME] [quantum BYTES] [ecn|noecn]",
    "pie": "[limit N] [target TIME] [tupdate TIME] [alpha N] [beta N] [ecn|noecn]",
    "dualpi2": "[limit N] [target TIME] [tupdate TIME] [max_rtt TIME] [step_thresh TIME] [coupling_factor N] "
               "[any_ect|l4s_ect]",
}
# What Linux has and a bearer has not, and why.
ELSEWHERE = {
    "cake": "cake shapes to a rate of its own, and a radio has none; fq_codel is its queue",
    "fq_pie": "no RFC says what it is; use fq_codel, or pie",
    "red": "RED is on wired links, links.aqm; use pie, which needs no thresholds in packets",
    "fq": "fq paces the sockets of its own host; it is on wired links, links.qdisc",
}
# Linux's defaults, where they are not those of all kinds. Source: net/sched/sch_pie.c, sch_dualpi2.c, sch_fq_codel.c
_DEFAULTS: dict[str, dict[str, Value]] = {
    "fq_codel": {"ecn": True}, "pie": {"target_us": 15_000, "tupdate_us": 15_000},
    "dualpi2": {"target_us": 15_000, "tupdate_us": 16_000}}
_SWITCHES: dict[str, tuple[str, Value]] = {
    "ecn": ("ecn", True), "noecn": ("ecn", False), "any_ect": ("l4s_id", "any_ect"), "l4s_ect": ("l4s_id", "ect_1")}
_TIMES = ("target", "interval", "tupdate", "max_rtt", "step_thresh")


def _names(kind: str) -> list[str]:
    """Words that may follow the kind, in the order of its form."""
    return [word for word in FORMS[kind].replace("[", " ").replace("]", " ").replace("|", " ").split()
            if word.islower()]


def _time_us(words: Words, name: str) -> int:
    value = words.time_us(name)
    if value is None:
        raise ValueError(f"{name}: allowed a time in us, ms or s, such as 10ms")
    return value


def _read(words: Words, name: str) -> tuple[str, Value]:
    """A word and what follows it: a key of the core's configuration, and its value."""
    if name in _SWITCHES:
        return _SWITCHES[name]
    if name in _TIMES:
        return f"{name}_us", _time_us(words, name)
    return name, words.whole(name)


def parse(text: str) -> dict[str, Value]:
    """Parameters of the radio core, by the keys of its configuration.

    Raises:
        ValueError: what the words are not, and what is allowed.
    """
    words = Words(text)
    if (kind := words.take()) in ELSEWHERE:
        raise ValueError(f"{kind}: a bearer does not have it: {ELSEWHERE[kind]}; allowed {', '.join(FORMS)}")
    if kind not in FORMS:
        raise ValueError(f"'{kind}': allowed {', '.join(FORMS)}, with parameters")
    given: dict[str, Value] = {}
    while words:
        name = words.take(*_names(kind))
        key, value = _read(words, name)
        if key in given:
            raise ValueError(f"{name} is given twice; give it once")
        given[key] = value
    return {"kind": kind, **_DEFAULTS.get(kind, {}), **given}
