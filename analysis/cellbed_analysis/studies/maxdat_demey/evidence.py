# SPDX-License-Identifier: GPL-2.0-or-later
"""What runs say about a maxDAT that the closed form proposes: measured points around a BLER, and what lies between.

Between two measured BLERs values are interpolated linearly, at each maxDAT by itself; nothing is
extrapolated. Where one of the two has no RTT, there is none between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cellbed_formats.bundle import load_results
from cellbed_formats.error import DataError

from ...metrics.runs import analyse_all
from . import maxdat
from .sweep import Cell, Surface, surfaces

#: BLERs nearer to a measured one than this are it.
SAME = 1e-9


@dataclass(frozen=True)
class Between:
    """One maxDAT at a BLER, from the cells of the nearest measured BLERs (one where it was measured itself)."""

    maxdat: int
    cells: tuple[Cell, ...]
    kbps: float
    rtt_s: float | None


def evidence(results: Path, rate_bps: float, bler: float) -> tuple[Surface, list[Between]]:
    """The surface of a rate, and its values at a BLER by rising maxDAT.

    Raises:
        DataError: no such results, rate or BLER; the text says which there are.
    """
    rows = [run.row for run in analyse_all(load_results(results).bundles)]
    surface = _of_rate(results, surfaces(rows), rate_bps / 1e3)
    near = nearest(surface.blers, bler)
    if not near:
        low, high = surface.blers[0], surface.blers[-1]
        raise DataError(f"{results}: BLER {bler:g} was not measured: allowed {low:g} to {high:g}")
    return surface, [at for m in surface.maxdats if (at := between(surface, m, bler, near)) is not None]


def _of_rate(results: Path, found: Sequence[Surface], rate_kbps: float) -> Surface:
    """The surface with the most cells among those of a rate, the virtual lab's first; studies do not count."""
    plain = [surface for surface in found if not surface.study]
    if not plain:
        raise DataError(f"{results}: holds no usable run over the UTRAN")
    of_rate = [surface for surface in plain if abs(surface.rate_kbps - rate_kbps) < 0.001 * rate_kbps]
    if not of_rate:
        rates = ", ".join(f"{rate:g}kbit" for rate in sorted({surface.rate_kbps for surface in plain}))
        raise DataError(f"{results}: {rate_kbps:g}kbit was not measured: allowed {rates}")
    return max(of_rate, key=lambda surface: (len(surface.cells), surface.lab == "virtual"))


def nearest(blers: Sequence[float], bler: float) -> tuple[float, ...]:
    """The measured BLER, or those on either side; none beyond the ends."""
    same = [b for b in blers if abs(b - bler) < SAME]
    if same:
        return (same[0],)
    below, above = [b for b in blers if b < bler], [b for b in blers if b > bler]
    return (below[-1], above[0]) if below and above else ()


def between(surface: Surface, m: int, bler: float, near: Sequence[float]) -> Between | None:
    """Values at a BLER; None where one of the nearest ones was not run with this maxDAT."""
    cells = [surface.cell(b, m) for b in near]
    known = tuple(cell for cell in cells if cell is not None)
    if len(known) < len(near):
        return None
    share = 0.0 if len(near) == 1 else (bler - near[0]) / (near[1] - near[0])
    weights = (1.0,) if len(near) == 1 else (1 - share, share)
    kbps = sum(w * cell.kbps.value for w, cell in zip(weights, known, strict=True))
    rtts = [cell.rtt_s.value for cell in known if cell.rtt_s is not None]
    rtt_s = sum(w * rtt for w, rtt in zip(weights, rtts, strict=True)) if len(rtts) == len(known) else None
    return Between(m, known, kbps, rtt_s)


def propose(
    points: Sequence[Between], max_rtt_s: float | None = None, min_throughput_bps: float | None = None
) -> Between:
    """The measured counterpart of `maxdat.propose`, by the same rule.

    Raises:
        ValueError: none meets the goals; the text says what is possible.
    """
    within = [at for at in points if max_rtt_s is None or (at.rtt_s is not None and at.rtt_s <= max_rtt_s)]
    if not within:
        shortest = min((at.rtt_s for at in points if at.rtt_s is not None), default=None)
        said = "no RTT was measured" if shortest is None else f"the shortest is {shortest:.3f} s"
        raise ValueError(f"no maxDAT keeps the RTT within the goal: {said}")
    best = max(at.kbps for at in within)
    wanted = maxdat.PLATEAU * best if min_throughput_bps is None else min_throughput_bps / 1e3
    enough = [at for at in within if at.kbps >= wanted]
    if not enough:
        raise ValueError(f"no maxDAT gives {wanted:g} kbit/s: the most is {best:.1f} kbit/s")
    return enough[0]


def told(
    surface: Surface,
    points: Sequence[Between],
    bler: float,
    proposed: int,
    max_rtt_s: float | None = None,
    min_throughput_bps: float | None = None,
) -> str:
    """The evidence as text: what was run, a table beside the closed form, and what the runs would propose.

    Args:
        surface, points: see `evidence`.
        bler: asked for.
        proposed: the closed form's maxDAT.
        max_rtt_s, min_throughput_bps: goals.
    """
    seeds = sorted({cell.seeds for at in points for cell in at.cells})
    near = sorted({cell.bler for at in points for cell in at.cells})
    where = (
        f"at BLER {near[0]:g}"
        if len(near) == 1
        else f"at BLER {near[0]:g} and {near[1]:g}, the nearest measured; between them linearly interpolated"
    )
    runs = "1 run" if seeds == [1] else f"{seeds[0]} to {seeds[-1]} runs" if len(seeds) > 1 else f"{seeds[0]} runs"
    try:
        own = propose(points, max_rtt_s, min_throughput_bps).maxdat
        verdict = f"By these measurements the proposal would be maxDAT {own}" + (", too." if own == proposed else ".")
    except ValueError as error:
        verdict = f"By these measurements {error}."
    return "\n".join(
        [
            f"Emulated, {surface.scenario}, {surface.lab} lab, {runs} a point, {where}:",
            "",
            *_rows(surface, points, bler, proposed, near),
            "",
            verdict,
            *_missing(points, proposed),
            "The model's columns take the RTT measured at BLER 0 for the RTT without errors on the air."
            if surface.rtt_wired_s is not None
            else "The model's columns take RTT_Wired of Table I; nothing was measured at BLER 0.",
        ]
    )


def _rows(
    surface: Surface, points: Sequence[Between], bler: float, proposed: int, near: Sequence[float]
) -> list[str]:
    """Header and rows; with one BLER half widths of the confidence intervals, with two the values at each."""
    of = surface.session
    detail = "95 % CI (s, kbit/s)" if len(near) == 1 else f"kbit/s at {near[0]:g} and {near[1]:g}"
    rows = [f"  {'maxDAT':>6}  {'RTT (s)':>8}  {'model':>7}  {'kbit/s':>8}  {'model':>7}  {detail}"]
    for at in points:
        rtt = "-" if at.rtt_s is None else f"{at.rtt_s:.3f}"
        model_rtt = model_kbps = ""
        if of is not None:
            model_rtt = f"{float(maxdat.rtt_tcp(bler, at.maxdat, of)):.3f}"
            model_kbps = f"{float(maxdat.throughput(bler, at.maxdat, of)) / 1e3:.1f}"
        mark = ">" if at.maxdat == proposed else " "
        rows.append(
            f"{mark} {at.maxdat:>6}  {rtt:>8}  {model_rtt:>7}  {at.kbps:8.1f}  {model_kbps:>7}  {_detail(at)}".rstrip()
        )
    return rows


def _detail(at: Between) -> str:
    if len(at.cells) > 1:
        return " and ".join(f"{cell.kbps.value:.1f}" for cell in at.cells)
    halves = (at.cells[0].rtt_s, at.cells[0].kbps)
    texts = [
        "-" if value is None or value.half_width is None else f"± {value.half_width:.{digits}f}"
        for value, digits in zip(halves, (3, 1), strict=True)
    ]
    return "" if texts == ["-", "-"] else ", ".join(texts)


def _missing(points: Sequence[Between], proposed: int) -> list[str]:
    if any(at.maxdat == proposed for at in points):
        return []
    return [f"maxDAT {proposed} was not measured there."]
