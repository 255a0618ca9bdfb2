# SPDX-License-Identifier: GPL-2.0-or-later
"""RTT and throughput measured over maxDAT and BLER: the surfaces of Figures 2 and 4, Ret_A, Ret_B and Table II.

The runs are those over the UTRAN. What a scenario varies besides maxDAT and BLER names a
study: runs of two studies are never averaged.

Source: DeMey 2005 section V
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from cellbed_formats import parquet
from cellbed_formats.inside import Inside

from ...metrics.over_runs import estimate
from ...stats.interval import Estimate, t95
from ...stats.numbers import mean_of
from . import demey, maxdat
from .metrics import session_of

Row = dict[str, Any]
RATE, BLER, MAXDAT = "utran_rate_kbps", "utran_bler", "utran_max_dat"
RTT, THROUGHPUT = "karn_rtt_mean_s", "transfer_kbps"
#: Swept keys that are the axes of a surface, by the last part of their name.
AXES = ("max_dat", "bler_dl", "bler_ul")
#: Means per run, told beside a cell.
FACTS = (
    "karn_rtt_samples", "sdus_discarded_share", "sdus_discarded_dl", "rto_count", "fast_retransmits",
    "tcp_retransmissions", "rlc_transmissions_per_pdu", "wall_s",
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """Runs of one BLER and maxDAT; RTT None where no segment sent once was ever confirmed."""

    bler: float
    maxdat: int
    seeds: int
    rtt_s: Estimate | None
    kbps: Estimate
    facts: dict[str, float]


@dataclass(frozen=True)
class Surface:
    """All cells of one scenario, lab, rate and study."""

    scenario: str
    lab: str
    rate_kbps: float
    study: str
    cells: tuple[Cell, ...]
    printed: maxdat.Session | None  # the closed form with RTT_Wired of Table I
    rows: tuple[Row, ...] = field(default=(), repr=False, compare=False)  # of its runs

    @property
    def key(self) -> tuple[str, str, float, str]:
        """As `group_of` has it."""
        return self.scenario, self.lab, self.rate_kbps, self.study

    @property
    def blers(self) -> tuple[float, ...]:
        """BLERs, rising."""
        return tuple(sorted({cell.bler for cell in self.cells}))

    @property
    def maxdats(self) -> tuple[int, ...]:
        """maxDATs, rising."""
        return tuple(sorted({cell.maxdat for cell in self.cells}))

    @cached_property
    def _by_place(self) -> dict[tuple[float, int], Cell]:
        return {(cell.bler, cell.maxdat): cell for cell in self.cells}

    def cell(self, bler: float, of: int) -> Cell | None:
        """One cell, None where nothing was run."""
        return self._by_place.get((bler, of))

    def cut(self, bler: float) -> tuple[Cell, ...]:
        """Cells of one BLER by rising maxDAT."""
        return tuple(sorted((cell for cell in self.cells if cell.bler == bler), key=lambda cell: cell.maxdat))

    @property
    def rtt_wired_s(self) -> float | None:
        """Mean RTT without errors, which is where the paper takes RTT_Wired from; None without BLER 0."""
        found = [cell.rtt_s.value for cell in self.cut(0.0) if cell.rtt_s is not None]
        return float(np.mean(found)) if found else None

    @property
    def session(self) -> maxdat.Session | None:
        """The closed form with RTT_Wired as measured; Table I's where nothing ran without errors."""
        wired_s = self.rtt_wired_s
        return self.printed if self.printed is None or wired_s is None else replace(self.printed, rtt_wired_s=wired_s)

    def limits(self, bler: float) -> tuple[int, int]:
        """Ret_A and Ret_B of the measured throughputs, by the shares that the closed form's have."""
        cut = self.cut(bler)
        share = np.array([cell.kbps.value for cell in cut])
        share = share / max(share.max(), 1e-9)
        first, full = (int(np.argmax(share >= level)) for level in (maxdat.SHOWN, maxdat.PLATEAU))
        return cut[first].maxdat, cut[full].maxdat

    def counted(self, cell: Cell) -> bool:
        """Not in the "uncertainty area": at or beyond Ret_A."""
        return cell.maxdat >= self.limits(cell.bler)[0]

    def frame(self) -> pl.DataFrame:
        """One row per cell, the closed form beside the measurements."""
        rows = []
        for cell in self.cells:
            low, high = self.limits(cell.bler)
            rows.append(
                {
                    "scenario": self.scenario, "lab": self.lab, "study": self.study, "rate_kbps": self.rate_kbps,
                    "bler": cell.bler, "maxdat": cell.maxdat, "seeds": cell.seeds, "ret_a": low, "ret_b": high,
                    **_three("rtt_s", cell.rtt_s), **_three("kbps", cell.kbps), **_model(self, cell), **cell.facts,
                }
            )  # fmt: skip
        return pl.DataFrame(rows, infer_schema_length=None)


def _three(name: str, value: Estimate | None) -> dict[str, float | None]:
    low, high = (None, None) if value is None else (value.low, value.high)
    return {name: None if value is None else value.value, f"{name}_low": low, f"{name}_high": high}


def _model(surface: Surface, cell: Cell) -> dict[str, float]:
    of = surface.session
    if of is None:
        return {}
    return {
        "model_rtt_s": float(maxdat.rtt_tcp(cell.bler, cell.maxdat, of)),
        "model_kbps": float(maxdat.throughput(cell.bler, cell.maxdat, of)) / 1e3,
    }


def concerns(rows: Sequence[Row]) -> bool:
    """Whether any usable run belongs to a surface."""
    return any(row["usable"] and belongs(row) for row in rows)


def belongs(row: Row) -> bool:
    """Whether a run is part of a surface, usable or not."""
    return row.get(MAXDAT) is not None


def surfaces(rows: Sequence[Row]) -> list[Surface]:
    """Surfaces among the rows of metrics.parquet, by scenario and rate; only usable runs count."""
    groups: dict[tuple[str, str, float, str], list[Row]] = {}
    for row in rows:
        name = group_of(row)
        if name is not None:
            groups.setdefault(name, []).append(row)
    return [_surface(key, group) for key, group in sorted(groups.items(), key=lambda item: item[0])]


def group_of(row: Row) -> tuple[str, str, float, str] | None:
    """Scenario, lab, rate and study of a usable run over the UTRAN; None of another run."""
    if not row["usable"] or not belongs(row):
        return None
    return row["scenario"], row["lab"], float(row[RATE]), study_of(row)


def study_of(row: Row) -> str:
    """What was swept besides the axes: the variant's name without its BLER, e.g. "no-wire" of "no-wire-0.15"."""
    parts = dict(part.partition("=")[::2] for part in str(row.get("point") or "").split(", ") if part)
    if set(parts) <= set(AXES) and parts.get("bler_dl") == parts.get("bler_ul"):
        return ""
    name, _, bler = str(row["variant"]).rpartition("-")
    return name if name and bler.replace(".", "", 1).isdigit() else str(row["variant"])


def _surface(key: tuple[str, str, float, str], rows: list[Row]) -> Surface:
    cells: dict[tuple[float, int], list[Row]] = {}
    for row in rows:
        cells.setdefault((float(row[BLER]), int(row[MAXDAT])), []).append(row)
    made = tuple(_cell(*place, cells[place]) for place in sorted(cells))
    utran, tcp = (_parameters(rows[0], prefix) for prefix in ("param.radio.utran.", "param.tcp."))
    return Surface(*key, made, session_of(utran, tcp), tuple(rows))


def _parameters(row: Row, prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): value for name, value in row.items() if name.startswith(prefix)}


def _cell(bler: float, maxdat_: int, rows: list[Row]) -> Cell:
    kbps = estimate(rows, THROUGHPUT)
    facts = {name: value for name in FACTS if (value := mean_of(rows, name)) is not None}
    return Cell(bler, maxdat_, len(rows), estimate(rows, RTT), kbps or Estimate(0.0), facts)


@dataclass(frozen=True)
class Mismatch:
    """A row of Table II: what the closed form is beside the measurements, in percent of them."""

    rate_kbps: float
    cells: int
    mean_percent: float
    max_percent: float
    bler: float  # of the cell with the largest
    maxdat: int


def mismatch(surface: Surface, quantity: str, of: maxdat.Session | None = None) -> Mismatch | None:
    """Table II for one surface; cells below the measured Ret_A are the "uncertainty area" and left out.

    Args:
        surface: measured.
        quantity: "rtt" or "throughput".
        of: the closed form; with RTT_Wired as measured unless given.
    """
    of = of or surface.session
    if of is None:
        return None
    counted = [cell for cell in surface.cells if surface.counted(cell) and cell.maxdat in maxdat.maxdats()]
    rows = [
        {"rate": of.rate_bps, "bler": cell.bler, "maxdat": cell.maxdat, "value": value}
        for cell in counted
        if (value := _measured(cell, quantity)) is not None
    ]
    schema = {"rate": pl.Float64, "bler": pl.Float64, "maxdat": pl.Int64, "value": pl.Float64}
    table = maxdat.mismatch(pl.DataFrame(rows, schema=schema), quantity, [of])
    if table.is_empty():
        return None
    _, *found = table.row(0)
    return Mismatch(surface.rate_kbps, *found)


def _measured(cell: Cell, quantity: str) -> float | None:
    if quantity == "rtt":
        return None if cell.rtt_s is None else cell.rtt_s.value
    return 1e3 * cell.kbps.value


def write_surfaces(rows: Sequence[Row], path: Inside) -> bool:
    """Write all surfaces as Parquet, a row for each cell, and say whether there are any; else no file is left."""
    path.remove()
    found = surfaces(rows)
    if found:
        parquet.write(pl.concat([surface.frame() for surface in found], how="diagonal"), path)
    return bool(found)


def claim_rows(found: Sequence[Surface]) -> list[Row]:
    """What claims measure of surfaces: one row for each BLER, one for the whole (`surface` true).

    They look like rows of runs, with the surface's name for a bundle. A surface with holes in the paper's grid has
    no Ret_A and Ret_B, and no Table II: nothing is judged by a part of it. Of studies a part is all there is.
    """
    rows = []
    for surface in found:
        name = " ".join(filter(None, (f"surface of {surface.scenario}", surface.study)))
        common: Row = {
            "scenario": surface.scenario, "lab": surface.lab, "usable": True, "seed": 0, "bundle": name,
            "study": surface.study, RATE: surface.rate_kbps, "variant": surface.study or None,
        }  # fmt: skip
        for bler in surface.blers:
            low, high = surface.limits(bler)
            if surface.study or len(surface.cut(bler)) >= len(maxdat.maxdats()):
                rows.append(common | {BLER: bler, "ret_a": low, "ret_b": high})
        if surface.study or complete(surface):
            rows.append(common | {"surface": True} | _whole(surface) | _chance(surface))
    return rows


def complete(surface: Surface) -> bool:
    """Whether every maxDAT of the paper was run at every BLER of it. Source: DeMey 2005 Table I, section IV"""
    low, high = (float(value) for value in demey.BLER)
    blers = np.arange(low, high + 1e-9, float(demey.BLER_STEP))
    near = {b for b in blers.tolist() if any(abs(b - own) < 1e-9 for own in surface.blers)}
    return len(near) == len(blers) and all(
        len(surface.cut(bler)) >= len(maxdat.maxdats()) for bler in surface.blers
    )


def _whole(surface: Surface) -> Row:
    """Metrics of the whole surface."""
    values: Row = {
        "rtt_cells": sum(surface.counted(cell) and cell.rtt_s is not None for cell in surface.cells),
        "rtt_wired_s": surface.rtt_wired_s,
    }
    if surface.printed is not None:
        below = [cell for cell in surface.cells if cell.rtt_s and cell.rtt_s.value < surface.printed.rtt_wired_s]
        values["rtt_below_wired_cells"] = len(below)
    return values | _table2(surface) | _along_bler(surface)


def _table2(surface: Surface) -> Row:
    """A line of Table II."""
    values: Row = {}
    for quantity in ("rtt", "throughput"):
        line = mismatch(surface, quantity)
        if line is not None:
            values[f"table2_{quantity}_mean_percent"] = line.mean_percent
            values[f"table2_{quantity}_max_percent"] = line.max_percent
            values[f"table2_{quantity}_max_bler"] = line.bler
            values[f"table2_{quantity}_max_maxdat"] = line.maxdat
    return values


def _chance(surface: Surface) -> Row:
    """Intervals of Table II: the spread of a surface over seeds, by leaving out one after the other.

    A jackknife, since a mean or a largest mismatch over cells is no mean over runs.

    Source: Efron and Stein 1981
    """
    seeds = sorted({row["seed"] for row in surface.rows})
    n = len(seeds)
    if n < 2:
        return {}
    names = [f"table2_{quantity}_{kind}_percent" for quantity in ("rtt", "throughput") for kind in ("mean", "max")]
    without = [_table2(_surface(surface.key, [row for row in surface.rows if row["seed"] != seed])) for seed in seeds]
    whole, values = _table2(surface), {"runs": n, "interval": f"jackknife over {n} seeds"}
    for name in names:
        found = [one[name] for one in without if name in one]
        if name in whole and len(found) == n:
            half = t95(n - 1) * math.sqrt((n - 1) * float(np.var(found)))
            values |= {f"{name}_low": whole[name] - half, f"{name}_high": whole[name] + half}
    return values


def _along_bler(surface: Surface) -> Row:
    """How RTT and throughput change with BLER at the highest maxDAT."""
    top = [cell for bler in surface.blers if (cell := surface.cell(bler, surface.maxdats[-1])) and cell.rtt_s]
    if len(top) < 3:
        return {}
    b = np.array([cell.bler for cell in top])
    rtt = np.array([cell.rtt_s.value for cell in top if cell.rtt_s])
    rate = np.array([cell.kbps.value for cell in top])
    middle = float(np.interp((b[0] + b[-1]) / 2, b, rtt))
    straight = (rtt[0] + rtt[-1]) / 2
    values: Row = {"rtt_bend_percent": 100 * (straight - middle) / straight}
    if rate.std() > 0:
        values["throughput_line_r2"] = float(np.corrcoef(b, rate)[0, 1] ** 2)
    return values
