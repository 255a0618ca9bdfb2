# SPDX-License-Identifier: GPL-2.0-or-later
"""Park: RLC that delivers in or out of sequence, by a model and by a sweep of congestion controls.

Source: Park 2013 sections 3 and 4
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...study import BaseStudy, Explanation, Row


class Study(BaseStudy):
    """The study's answers."""

    place = 10

    def explanations(self) -> Mapping[str, Explanation]:
        from . import explain

        return {"delivery": explain.delivery, "increment": explain.increment}

    def draws_alone(self, row: Row) -> bool:
        from . import model_runs, sweep

        return sweep.belongs(row) or model_runs.belongs(row)

    def figures(self, runs: Sequence[Any]) -> list[Any]:
        from .specs import specs

        return specs([run.row for run in runs])

    def page_section(self, paper: str, outcomes: Mapping[str, Any]) -> str | None:
        from .page import section

        return section(outcomes) if paper == "delivery-park" else None

    def section(self, rows: Sequence[Row]) -> str | None:
        from .tables import section

        return section(rows)
