# SPDX-License-Identifier: GPL-2.0-or-later
"""L4S in NR: what marks at the gNB do to latency and throughput, by congestion control and queue.

Source: RFC 9330; RFC 9332; TS 23.501 5.37.3
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...study import BaseStudy, Explanation, Row


class Study(BaseStudy):
    """The study's answers."""

    place = 78

    def columns(self) -> Mapping[str, Sequence[Any]]:
        from .metrics import COLUMNS

        return COLUMNS

    def run_metrics(self, bundle: Any, flow: Any) -> Mapping[str, Any]:
        from .metrics import mark_metrics

        return mark_metrics(bundle, flow)

    def explanations(self) -> Mapping[str, Explanation]:
        from .explain import marking

        return {"l4s": marking}

    def draws_alone(self, row: Row) -> bool:
        from .chart import belongs

        return belongs(row)

    def figures(self, runs: Sequence[Any]) -> list[Any]:
        from .chart import specs

        return specs([run.row for run in runs])
