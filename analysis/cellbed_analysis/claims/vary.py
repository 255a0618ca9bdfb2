# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenarios that vary what the paper does not specify: their runs by setting, and a claim's values there in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cellbed_formats.size import parse_size

from ..metrics.one_lab import one_lab
from .explain import Row
from .measure import measure


def ways(claim: dict[str, Any]) -> list[dict[str, Any]]:
    """The scenarios that vary a claim, each with the parameters that it varies."""
    said = claim.get("vary", [])
    return [said] if isinstance(said, dict) else list(said)


def by_setting(rows: Sequence[Row], way: dict[str, Any]) -> dict[str, list[Row]]:
    """Usable runs of such a scenario, of one lab, by what it varies in words, in the order of the values."""
    keys = way["by"]
    usable = one_lab([row for row in rows if row["scenario"] == way["scenario"] and row["usable"]])
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in usable:
        found.setdefault(tuple(row.get(f"param.{key}", row.get(key)) for key in keys), []).append(row)
    return {
        ", ".join(_setting(key, value) for key, value in zip(keys, values, strict=True)): found[values]
        for values in sorted(found, key=_in_order)
    }


def variations(claim: dict[str, Any], rows: Sequence[Row]) -> str:
    """What a claim measures where scenarios vary what the paper does not state, in words."""
    return " ".join(_variation(claim, way, rows) for way in ways(claim))


def _variation(claim: dict[str, Any], way: dict[str, Any], rows: Sequence[Row]) -> str:
    scenario, settings = way["scenario"], by_setting(rows, way)
    if not settings:
        return f"What the paper does not state is varied by the scenario {scenario}, which is not in these results."
    points = []
    for where, own in settings.items():
        found = measure(claim, own)
        if found is not None:
            unit = "" if claim["unit"] == "1" else f" {claim['unit']}"
            points.append(f"{found.value:.{2 if 'ratio' in claim else 1}f}{unit} ({where})")
    if not points:
        return f"{scenario}, which varies what the paper does not state, has no run of this kind."
    return f"Measured where {scenario} varies what the paper does not state: {'; '.join(points)}."


def _in_order(values: Sequence[Any]) -> list[tuple[bool, Any]]:
    """Sorts settings: numbers, none, words."""
    return [(isinstance(value, str), math.inf if value is None else value) for value in values]


def _setting(key: str, value: Any) -> str:
    """A parameter and its value, for people."""
    if key == "tcp.receive_window":
        return "window autotuned" if value is None else f"window {parse_size(value) / 1024:g} KiB"
    return f"{key.rsplit('.', 1)[-1]} {value}"
