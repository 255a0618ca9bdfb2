# SPDX-License-Identifier: GPL-2.0-or-later
"""The report's part about in-sequence delivery: the paper's tables beside computed ones.

Source: Park 2013 section 3
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ...report import page
from . import delivery, park
from .model_runs import points
from .sweep import ORDERS, SCENARIO_PREFIX, studies, sweeps


@dataclass(frozen=True)
class Cell:
    """A printed number and the computed one, rounded to the printed digits."""

    paper: str
    computed: str

    @property
    def same(self) -> bool:
        """Equal in every printed digit; zeros at the end that the paper drops do not count."""
        return Decimal(self.paper) == Decimal(self.computed)


@dataclass(frozen=True)
class LadderLine:
    """A row of Table 1."""

    label: str
    p: float
    d_max_ms: float
    cell: Cell


@dataclass(frozen=True)
class Models:
    """Tables 1 and 2 as printed beside as computed."""

    ladder: tuple[LadderLine, ...]
    total: Cell
    general_total_ms: float
    utilisation: tuple[tuple[int, tuple[Cell, ...]], ...]


def section(rows: Sequence[dict[str, Any]]) -> Markup | None:
    """The report's part about in-sequence delivery; None where no run is about it."""
    if not concerns(rows):
        return None
    found = sweeps(rows)
    return page.section(
        Path(__file__).parent,
        {"order": ORDERS.__getitem__},
        delivery=models(),
        harq_rtts_ms=park.TABLE2_HARQ_RTT_MS,
        sweeps=[sweep for sweep in found if not sweep.point],
        studies=studies(found),
        utilisation=points(rows),
    )


def concerns(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether some of the runs belong to this paper."""
    return any(str(row["scenario"]).startswith(SCENARIO_PREFIX) for row in rows)


def beside(printed: str, computed: float, digits: str | None = None) -> Cell:
    """A cell, the computed value rounded half up to the last digit of `digits` (default: of `printed`).

    Twelve digits of the computed value count: the rest is the error of floating point.
    """
    last = Decimal(1).scaleb(int(Decimal(digits or printed).as_tuple().exponent))
    return Cell(printed, str(Decimal(f"{computed:.12g}").quantize(last, ROUND_HALF_UP)))


def models() -> Models:
    """Compute both tables."""
    ladder = []
    for printed, row in zip(
        park.TABLE1, delivery.rows(delivery.Link(), as_printed=True).iter_rows(named=True), strict=True
    ):
        label = f"{row['arq']} ARQ, {row['harq']} HARQ{', NACK-to-ACK' if row['nack_to_ack'] else ''}"
        ladder.append(LadderLine(label, row["p"], row["d_max_ms"], beside(printed[-1], row["rtt_inc_ms"])))
    table = []
    increments_ms = [delivery.both_ways_ms(harq_rtt_ms, as_printed=True) for harq_rtt_ms in park.TABLE2_HARQ_RTT_MS]
    for e2e_ms, printed_cells in park.TABLE2.items():
        shares = delivery.utilisation(e2e_ms, increments_ms)
        cells = [beside(cell, float(share), "0.0000000") for cell, share in zip(printed_cells, shares, strict=True)]
        table.append((e2e_ms, tuple(cells)))
    return Models(
        ladder=tuple(ladder),
        total=beside(park.TABLE1_TOTAL, delivery.rtt_increment_ms(delivery.Link(), as_printed=True)),
        general_total_ms=delivery.rtt_increment_ms(delivery.Link()),
        utilisation=tuple(table),
    )
