# SPDX-License-Identifier: GPL-2.0-or-later
"""Millimetre waves behind corners and people: downloads that stall for seconds.

Source: TR 38.901 7.6.3.3 (line of sight by place), 7.6.4.2 (blockage)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...study import BaseStudy, Explanation


class Study(BaseStudy):
    """The study's answers."""

    place = 80

    def columns(self) -> Mapping[str, Sequence[Any]]:
        from .metrics import COLUMNS

        return COLUMNS

    def run_metrics(self, bundle: Any, flow: Any) -> Mapping[str, Any]:
        from .metrics import stall_metrics

        return stall_metrics(bundle, flow)

    def explanations(self) -> Mapping[str, Explanation]:
        from .explain import stalled

        return {"nr_stalls": stalled}

    def figures(self, runs: Sequence[Any]) -> list[Any]:
        from .chart import specs

        return specs(runs)
