# SPDX-License-Identifier: GPL-2.0-or-later
"""A claim and the row of a run, which a test changes as it needs them."""

from __future__ import annotations

from typing import Any


def claim(**change: Any) -> dict[str, Any]:
    """That direct mode both ways has an RTT of 30 ms, with what the test changes."""
    return {
        "id": "c", "source": "Figure 3", "scenario": "s", "statement": "It is  30.", "unit": "ms",
        "measure": {"metric": "rtt_mean_ms", "where": {"combination": "DM-DM"}}, "tests": "digits",
        "expect": {"value": 30, "tolerance": 1},
    } | change  # fmt: skip


def row(value: float, **change: Any) -> dict[str, Any]:
    """A run that measured an RTT of @value ms."""
    return {
        "scenario": "s", "combination": "DM-DM", "seed": 1, "lab": "virtual", "usable": True,
        "bundle": "b", "receive_window_bytes": 8192, "rtt_mean_ms": value,
        "rtt_mean_ms_low": value - 0.5, "rtt_mean_ms_high": value + 0.5,
    } | change  # fmt: skip


def of(combination: str) -> dict[str, Any]:
    """The RTT of runs of one combination."""
    return {"metric": "rtt_mean_ms", "where": {"combination": combination}}


#: A claim that compares two arms, and two that they may be compared with.
OF_IM = of("IM-IM")
THAN = {"measure": of("DM-IM"), "minus": of("IM-DM")}
MORE: dict[str, Any] = {"minus": OF_IM, "tests": "direction", "expect": {"above": 0, "effect": 1}}
