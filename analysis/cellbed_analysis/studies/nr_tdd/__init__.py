# SPDX-License-Identifier: GPL-2.0-or-later
"""TDD in NR: what the pattern does to TCP's ACK clock and to latency.

Source: TS 38.213 11.1 (patterns), 9.2.3 (when feedback is sent)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...study import BaseStudy, Explanation


class Study(BaseStudy):
    """The study's answers."""

    place = 75

    def columns(self) -> Mapping[str, Sequence[Any]]:
        from .metrics import COLUMNS

        return COLUMNS

    def run_metrics(self, bundle: Any, flow: Any) -> Mapping[str, Any]:
        from .metrics import clock_metrics

        return clock_metrics(bundle, flow)

    def explanations(self) -> Mapping[str, Explanation]:
        from .explain import latency

        return {"nr_latency": latency}

    def figures(self, runs: Sequence[Any]) -> list[Any]:
        from . import clock_chart, latency_chart

        return clock_chart.specs(runs) + latency_chart.specs([run.row for run in runs])
