# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs by the settings that a scenario varies, and what a claim measures at each of them, in words."""

from __future__ import annotations

from typing import Any

import pytest

from cellbed_analysis.claims.vary import by_setting, variations, ways

WAY = {"scenario": "s/varied", "by": ["radio.rlc.mode", "tcp.receive_window"]}
CLAIM = {"unit": "ms", "measure": {"metric": "rtt_mean_ms", "where": {}}, "vary": WAY}


def row(mode: Any, window: Any, seed: int = 1, **other: Any) -> dict[str, Any]:
    return {"scenario": "s/varied", "usable": True, "lab": "virtual", "seed": seed, "rtt_mean_ms": 20.0 + seed,
            "param.radio.rlc.mode": mode, "param.tcp.receive_window": window} | other


def test_ways() -> None:
    assert ways({}) == [] and ways({"vary": WAY}) == [WAY] and ways({"vary": [WAY, {"by": []}]}) == [WAY, {"by": []}]


def test_settings_in_order_and_in_words() -> None:
    """Numbers, then none, then words; windows as people say them; of one lab, usable, of that scenario."""
    rows = [row("um", None), row("am", 65536), row("am", "8KiB"), row("am", None), row(3, 131072), row("am", 65536, 2),
            row("tm", 1, usable=False), row("tm", 1, scenario="s/other"), row("tm", 1, lab="native")]
    found = by_setting(rows, WAY)
    assert list(found) == ["mode 3, window 128 KiB", "mode am, window 64 KiB", "mode am, window autotuned",
                           "mode am, window 8 KiB", "mode um, window autotuned"]
    assert [one["seed"] for one in found["mode am, window 64 KiB"]] == [1, 2]


def test_columns_that_are_no_parameters() -> None:
    found = by_setting([{"scenario": "s", "usable": True, "lab": "virtual", "combination": "DM-IM"}],
                       {"scenario": "s", "by": ["combination"]})
    assert list(found) == ["combination DM-IM"]


@pytest.mark.parametrize(("change", "rows", "said"), [
    ({}, [], "What the paper does not state is varied by the scenario s/varied, which is not in these results."),
    ({}, [row("am", None), row("am", None, 2)],
     "Measured where s/varied varies what the paper does not state: 21.5 ms (mode am, window autotuned)."),
    ({"unit": "1"}, [row("am", None, 2), row("um", None, 4)], "Measured where s/varied varies what the paper does not "
     "state: 22.0 (mode am, window autotuned); 24.0 (mode um, window autotuned)."),
    ({"ratio": {"metric": "half", "where": {}}}, [row("am", None, half=8.0)],
     "Measured where s/varied varies what the paper does not state: 2.62 ms (mode am, window autotuned)."),
    ({"measure": {"metric": "rtt_mean_ms", "where": {"lab": "moon"}}}, [row("am", None)],
     "s/varied, which varies what the paper does not state, has no run of this kind."),
    ({"vary": []}, [row("am", None)], ""),
])
def test_in_words(change: dict[str, Any], rows: list[dict[str, Any]], said: str) -> None:
    assert variations(CLAIM | change, rows) == said
