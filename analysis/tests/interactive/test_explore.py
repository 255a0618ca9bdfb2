# SPDX-License-Identifier: GPL-2.0-or-later
"""Sweeps as points: which parameter is the abscissa, what is a series, what is averaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cellbed_analysis.interactive.explore import explorations, number
from cellbed_analysis.metrics.catalog import labelled
from cellbed_analysis.metrics.run import RunAnalysis
from cellbed_formats.bundle import Bundle


def run(variant: str, seed: int, mbps: float, usable: bool = True, **params: Any) -> RunAnalysis:
    """A run with one metric."""
    row = {"scenario": "s", "lab": "virtual", "variant": variant, "seed": seed, "usable": usable, "goodput_mbps": mbps,
           "bundle": f"{variant}-{seed}", "status": "usable" if usable else "invalid"}
    return RunAnalysis(Bundle(Path(), {"params": params}), row)


def test_the_number_with_most_values_is_the_abscissa() -> None:
    runs = [run(v, 1, d / 10, distance=d, size="8KiB" if v == "a" else "16KiB") for v in "ab" for d in (40, 60, 80)]
    (found,) = explorations(runs)
    assert found.axis == "distance" and found.metrics == ("goodput_mbps",)
    assert found.series == ["a", "b"]  # the size goes with the variant
    assert [point.x for point in found.points if point.series == "a"] == [40, 60, 80]


def test_what_was_swept_too_makes_series() -> None:
    runs = [run("a", 1, 1.0, distance=d, size=size) for size in ("8KiB", "16KiB") for d in (40, 60, 80)]
    assert explorations(runs)[0].series == ["a, size 16KiB", "a, size 8KiB"]


def test_seeds_are_averaged_and_unusable_runs_are_not() -> None:
    runs = [run("a", 1, 1.0), run("a", 2, 3.0), run("b", 1, 5.0), run("b", 2, 99.0, usable=False)]
    (found,) = explorations(runs)
    assert found.axis is None
    means = {point.x: point.estimates["goodput_mbps"].value for point in found.points}
    assert means == {"a": 2.0, "b": 5.0}
    assert found.points[0].estimates["goodput_mbps"].half_width is not None


def test_one_configuration_is_no_comparison() -> None:
    assert explorations([run("a", 1, 1.0), run("a", 2, 2.0)]) == []
    assert explorations([run("a", 1, 1.0)]) == []


@pytest.mark.parametrize(("value", "expected"), [(3, 3.0), ("8KiB", 8192.0), (True, None), ("cubic", None)])
def test_numbers(value: Any, expected: float | None) -> None:
    assert number(value) == expected


def test_labels_have_units() -> None:
    assert labelled("goodput_mbps") == "goodput_mbps (Mbit/s)" and labelled("rto_count") == "rto_count"
