# SPDX-License-Identifier: GPL-2.0-or-later
"""Standardised QoS characteristics of bearers, and what the radio daemon is told of them."""

from __future__ import annotations

from typing import Any, NamedTuple

RATES = ("gbr_dl", "gbr_ul", "mbr_dl", "mbr_ul")
KEYS = ("five_qi", "qci", "priority_level", "pdb_ms", *RATES, "averaging_window_ms")


class Characteristics(NamedTuple):
    """What a 5QI or QCI stands for."""

    gbr: bool  # guaranteed bit rate, delay-critical or not
    priority_level: int
    pdb_ms: int  # packet delay budget


def _all(gbr: bool, of: dict[int, tuple[int, int]]) -> dict[int, Characteristics]:
    return {number: Characteristics(gbr, level, pdb_ms) for number, (level, pdb_ms) in of.items()}


# A QCI has a tenth of the 5QI's priority level, and otherwise the same; only LTE has 75. Source: TS 23.501 Table
# 5.7.4-1; TS 23.203 Tables 6.1.7-A, 6.1.7-B
CHARACTERISTICS = {
    **_all(True, {1: (20, 100), 2: (40, 150), 3: (30, 50), 4: (50, 300), 65: (7, 75), 66: (20, 100), 67: (15, 100),
                  71: (56, 150), 72: (56, 300), 73: (56, 300), 74: (56, 500), 75: (25, 50), 76: (56, 500)}),
    **_all(False, {5: (10, 100), 6: (60, 300), 7: (70, 100), 8: (80, 300), 9: (90, 300), 10: (90, 1100), 69: (5, 60),
                   70: (55, 200), 79: (65, 50), 80: (68, 10)}),
    **_all(True, {82: (19, 10), 83: (22, 10), 84: (24, 30), 85: (21, 5), 86: (18, 5), 87: (25, 5), 88: (25, 10),
                  89: (25, 15), 90: (25, 20)}),
}


def told(bearer: dict[str, Any]) -> dict[str, Any]:
    """A bearer with the characteristics of its 5QI or QCI in place of the number."""
    number = bearer.get("five_qi") or bearer.get("qci")
    rest = {key: value for key, value in bearer.items() if key not in ("five_qi", "qci")}
    if number is None:
        return rest
    standard = CHARACTERISTICS[number]
    return {"priority_level": standard.priority_level, "pdb_ms": standard.pdb_ms, **rest}
