# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of runs over the UTRAN: names, titles, captions, and how to draw them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from matplotlib.figure import Figure

from ...metrics.one_lab import one_lab
from . import demey, measured_chart, model_chart
from .sweep import Surface, surfaces

Spec = tuple[str, str, str, Callable[[], Figure]]

#: A map needs this many BLERs and maxDATs.
LEAST = 3
CUTS = ((6, float(demey.FIGURE6_BLER)), (7, float(demey.FIGURE7_BLER)))
INTERVALS = "Mean over seeds with 95 % confidence intervals (Student's t)."


def specs(rows: Sequence[dict[str, Any]]) -> list[Spec]:
    """Figures that the rows of metrics.parquet allow."""
    found = surfaces(rows)
    if not found:
        return []
    of_lab = one_lab(found, lambda surface: surface.lab)
    by_scenario: dict[str, list[Surface]] = {}
    for surface in of_lab:
        by_scenario.setdefault(surface.scenario, []).append(surface)
    studied = {name: group for name, group in by_scenario.items() if any(surface.study for surface in group)}
    plain = [surface for surface in of_lab if surface.scenario not in studied]
    maps = [s for s in plain if len(s.blers) >= LEAST and len(s.maxdats) >= LEAST]
    maps.sort(key=lambda surface: surface.rate_kbps)
    made = _maps(maps, maps[0].lab) if maps else []
    for number, bler in CUTS:
        cut = sorted((s for s in plain if bler in s.blers and len(s.maxdats) >= LEAST), key=lambda s: s.rate_kbps)
        made += _cut(number, bler, cut) if cut else []
    for name, group in studied.items():
        rates = {surface.rate_kbps for surface in group}
        base = [s for s in plain if s.rate_kbps in rates and len(s.maxdats) >= LEAST]
        made += _studies(name, [*base, *group])
    return made


def _maps(found: Sequence[Surface], lab: str) -> list[Spec]:
    seeds = max(cell.seeds for surface in found for cell in surface.cells)
    which = f"{', '.join(surface.scenario for surface in found)}; {lab} lab, means over {seeds} seeds or fewer. "
    wired = "The closed form takes the RTT measured at BLER 0 for RTT_Wired, as the paper does. "
    return [
        (
            "maxdat-fig2-rtt",
            "RTT over BLER and maxDAT, measured and computed",
            f"{which}RTT by Karn's rule, one sample a round trip. {wired}Crossed out: cells below Ret_A, where the "
            "paper calls the estimate unavailable or questionable. Figures 2 and 3 of the paper show 128 kbit/s: the "
            "RTT grows slightly more than linearly with BLER.",
            partial(measured_chart.draw, "rtt", found),
        ),
        (
            "maxdat-fig4-throughput",
            "Throughput over BLER and maxDAT, measured and computed",
            f"{which}{wired}Ret_A: the smallest maxDAT with 1 % of the highest throughput of its BLER; Ret_B: with "
            "95 % of it. Figures 4 and 5 of the paper show 128 kbit/s: nothing below Ret_A, no increase beyond Ret_B.",
            partial(measured_chart.draw, "throughput", found),
        ),
        (
            "maxdat-fig5-closed-form",
            "Throughput over BLER and maxDAT, the closed form alone",
            "De Mey's equations 1 to 11 with Table I and what it leaves open as stated in the model's source; Figure 5 "
            "of the paper shows 128 kbit/s.",
            partial(model_chart.draw, "throughput"),
        ),
    ]


def _cut(number: int, bler: float, found: Sequence[Surface]) -> list[Spec]:
    said = {
        6: "Figure 6 of the paper, 128 kbit/s: with maxDAT 6 the highest throughput, 115 kbit/s, at an RTT of 1.4 s "
        "(diamonds); half the maxDAT divides the throughput by 8.",
        7: "Figure 7 of the paper, 128 kbit/s: maxDAT 6 gives less than an eighth of the highest throughput.",
    }[number]
    return [
        (
            f"maxdat-fig{number}-cut",
            f"RTT and throughput against maxDAT at BLER {bler:g}",
            f"{INTERVALS} Lines: the closed form, with the RTT measured at BLER 0 and with Table I's for RTT_Wired. "
            f"{said}",
            partial(measured_chart.draw_cut, bler, found),
        )
    ]


def _studies(name: str, found: Sequence[Surface]) -> list[Spec]:
    suffix = name.rsplit("/", 1)[-1]
    return [
        (
            f"maxdat-{suffix}-{bler:g}",
            f"What the paper leaves open, at BLER {bler:g}",
            f"{name}. {INTERVALS} Each line varies one parameter that the paper does not state; its name is the "
            "variant's. No value is chosen to meet the paper's (diamonds).",
            partial(measured_chart.draw_studies, bler, [s for s in found if bler in s.blers]),
        )
        for _, bler in CUTS
        if sum(bool(s.study) and bler in s.blers for s in found)
    ]
