# SPDX-License-Identifier: GPL-2.0-or-later
"""Order in NR: PDCP that waits for what is missing, or delivers at once what comes.

Source: TS 38.322 4.2.1; TS 38.323 5.2.2; Park 2013 section 4 (the question, asked of LTE)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...study import BaseStudy, Row


class Study(BaseStudy):
    """The study's answers."""

    place = 70

    def columns(self) -> Mapping[str, Sequence[Any]]:
        from .metrics import COLUMNS

        return COLUMNS

    def run_metrics(self, bundle: Any, flow: Any) -> Mapping[str, Any]:
        from .metrics import order_metrics

        return order_metrics(bundle, flow)

    def draws_alone(self, row: Row) -> bool:
        from .chart import belongs

        return belongs(row)

    def figures(self, runs: Sequence[Any]) -> list[Any]:
        from .chart import specs

        return specs([run.row for run in runs])
