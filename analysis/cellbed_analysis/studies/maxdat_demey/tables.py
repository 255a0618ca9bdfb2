# SPDX-License-Identifier: GPL-2.0-or-later
"""The report's part about maxDAT: surfaces as tables, Ret_A and Ret_B, Table II beside the paper's, what it cost.

Source: DeMey 2005 section V, Table II
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ...report import page
from ...report.fitted import Column, Fitted
from . import demey, maxdat
from .sweep import Cell, Mismatch, Surface, group_of, mismatch, surfaces

Row = dict[str, Any]


@dataclass(frozen=True)
class Table2Line:
    """A rate of Table II: (average, maximum) in percent as printed, and recomputed."""

    surface: Surface
    paper: dict[str, tuple[str, str] | None]
    found: dict[str, Mismatch | None]  # with RTT_Wired as measured
    printed: dict[str, Mismatch | None]  # with RTT_Wired of Table I


@dataclass(frozen=True)
class LimitLine:
    """Ret_A and Ret_B at one BLER, measured and of the closed form."""

    bler: float
    measured: tuple[int, int]
    model: tuple[int, int] | None


@dataclass(frozen=True)
class Cost:
    """What the runs of a surface took."""

    runs: int
    wall_s: float
    virtual_s: float
    bytes: int


@dataclass(frozen=True)
class SurfacePart:
    """Everything the report says about one surface."""

    surface: Surface
    limits: tuple[LimitLine, ...]
    cost: Cost


def section(rows: Sequence[Row]) -> Markup | None:
    """The report's part about maxDAT; None where no run is about it."""
    found = parts(rows)
    if not found:
        return None
    return page.section(Path(__file__).parent, {"maxdat_cell": cell_text}, parts=found, table2=table2(surfaces(rows)))


def table2(found: Sequence[Surface]) -> list[Table2Line]:
    """Table II for the surfaces of the paper's sweep; not for studies."""
    printed = {"rtt": demey.TABLE2_RTT, "throughput": demey.TABLE2_THROUGHPUT}
    return [
        Table2Line(
            surface=surface,
            paper={q: printed[q].get(round(surface.rate_kbps)) for q in printed},
            found={q: mismatch(surface, q) for q in printed},
            printed={q: mismatch(surface, q, surface.printed) for q in printed},
        )
        for surface in found
        if not surface.study and surface.session is not None and len(surface.blers) > 2 and len(surface.maxdats) > 2
    ]


def parts(rows: Sequence[Row]) -> list[SurfacePart]:
    """One part per surface, by scenario, rate and study."""
    return [
        SurfacePart(surface, tuple(_limit(surface, bler) for bler in surface.blers), _cost(surface, rows))
        for surface in sorted(surfaces(rows), key=lambda s: (s.study, s.rate_kbps, s.scenario, s.lab))
    ]


def _limit(surface: Surface, bler: float) -> LimitLine:
    of = surface.session
    model = None
    if of is not None:
        low, high = maxdat.limits(bler, of)
        model = int(low), int(high)
    return LimitLine(bler, surface.limits(bler), model)


def _cost(surface: Surface, rows: Sequence[Row]) -> Cost:
    name = (surface.scenario, surface.lab, surface.rate_kbps, surface.study)
    mine = [row for row in rows if group_of(row) == name]
    return Cost(
        len(mine),
        sum(row.get("wall_s") or 0.0 for row in mine),
        sum(row.get("window_s") or 0.0 for row in mine),
        sum(row.get("bundle_bytes") or 0 for row in mine),
    )


def cell_text(cell: Cell | None, quantity: str, counted: bool = True) -> str:
    """A measured cell: a mean with its half width; "·" where nothing was measured."""
    value = None if cell is None else cell.rtt_s if quantity == "rtt" else cell.kbps
    if value is None:
        return "·"
    decimals = 2 if quantity == "rtt" else 1
    text = f"{value.value:.{decimals}f}"
    if value.half_width is not None and value.half_width >= 0.5 * 10**-decimals:
        text += f" ± {value.half_width:.{decimals}f}"
    return text if counted else f"({text})"


def console_tables(found: Sequence[Surface]) -> list[Fitted]:
    """Throughput and RTT of each surface: maxDAT down, BLER across; 80 columns are enough for nine BLERs."""
    tables = []
    for surface in found:
        name = ", ".join(filter(None, (surface.scenario, surface.study, f"{surface.rate_kbps:g} kbit/s", surface.lab)))
        table = Fitted(f"{name}: kbit/s and RTT in s", Column("maxDAT"), *(Column(f"{b:g}") for b in surface.blers))
        for m in surface.maxdats:
            cells = [surface.cell(bler, m) for bler in surface.blers]
            table.add_row(str(m), *(_short(cell) for cell in cells))
        tables.append(table)
    return tables


def _short(cell: Cell | None) -> str:
    if cell is None:
        return ""
    rtt = "-" if cell.rtt_s is None else f"{cell.rtt_s.value:.2f}"
    return f"{cell.kbps.value:.1f}\n{rtt}"
