# SPDX-License-Identifier: GPL-2.0-or-later
"""Pacifico: what TCP makes of a handover inside LTE, by procedure and queue management.

Source: Pacifico 2009 sections IV to VI
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...study import BaseStudy, Explanation


class Study(BaseStudy):
    """The study's answers."""

    place = 40

    def columns(self) -> Mapping[str, Sequence[Any]]:
        from .metrics import COLUMNS

        return COLUMNS

    def run_metrics(self, bundle: Any, flow: Any) -> Mapping[str, Any]:
        from .metrics import equation_metrics

        return equation_metrics(bundle, flow)

    def explanations(self) -> Mapping[str, Explanation]:
        from . import explain

        return {"handover": explain.handover}

    def figures(self, runs: Sequence[Any]) -> list[Any]:
        from .specs import specs

        return specs(runs)
