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
INTERVALS = "Points are means over seeds with 95 % confidence intervals (Student's t)."


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
    of = "one seed" if seeds == 1 else f"means over {seeds} seeds or fewer"
    which = f"The cells are {of} of {', '.join(surface.scenario for surface in found)} in the {lab} lab. "
    wired = "The closed form takes the RTT measured at BLER 0 for RTT_Wired, as the paper does. "
    return [
        (
            "maxdat-fig2-rtt",
            "RTT over BLER and maxDAT, measured and computed",
            f"{which}The RTT is taken by Karn's rule, one sample a round trip. {wired}Cells below Ret_A are crossed "
            "out; there the paper calls the estimate unavailable or questionable. Figures 2 and 3 of the paper show "
            "128 kbit/s, where the RTT grows slightly more than linearly with BLER.",
            partial(measured_chart.draw, "rtt", found),
        ),
        (
            "maxdat-fig4-throughput",
            "Throughput over BLER and maxDAT, measured and computed",
            f"{which}{wired}Ret_A is the smallest maxDAT with 1 % of the highest throughput of its BLER, Ret_B the "
            "smallest with 95 % of it. Figures 4 and 5 of the paper show 128 kbit/s, with no throughput below Ret_A "
            "and no increase beyond Ret_B.",
            partial(measured_chart.draw, "throughput", found),
        ),
        (
            "maxdat-fig5-closed-form",
            "Throughput over BLER and maxDAT, the closed form alone",
            "The surfaces are De Mey's equations 1 to 11 with the values of Table I; what the paper does not specify "
            "is as the model's source states. Figure 5 of the paper shows 128 kbit/s. Nothing is measured here.",
            partial(model_chart.draw, "throughput"),
        ),
    ]


def _cut(number: int, bler: float, found: Sequence[Surface]) -> list[Spec]:
    said = {
        6: "In Figure 6 of the paper, at 128 kbit/s, maxDAT 6 gives the highest throughput, 115 kbit/s, at an RTT "
        "of 1.4 s (diamonds), and half the maxDAT divides the throughput by 8.",
        7: "In Figure 7 of the paper, at 128 kbit/s, maxDAT 6 gives less than an eighth of the highest throughput.",
    }[number]
    return [
        (
            f"maxdat-fig{number}-cut",
            f"RTT and throughput against maxDAT at BLER {bler:g}",
            f"{INTERVALS} Lines are the closed form, once with the RTT measured at BLER 0 and once with Table I's for "
            "RTT_Wired. "
            f"{said}",
            partial(measured_chart.draw_cut, bler, found),
        )
    ]


def _studies(name: str, found: Sequence[Surface]) -> list[Spec]:
    suffix = name.rsplit("/", 1)[-1]
    return [
        (
            f"maxdat-{suffix}-{bler:g}",
            f"What the paper does not specify, at BLER {bler:g}",
            f"The runs are those of {name}. {INTERVALS} Each line varies one parameter that the paper does not "
            "state, and has the name of the variant. No value is chosen to meet the paper's (diamonds).",
            partial(measured_chart.draw_studies, bler, [s for s in found if bler in s.blers]),
        )
        for _, bler in CUTS
        if sum(bool(s.study) and bler in s.blers for s in found)
    ]
