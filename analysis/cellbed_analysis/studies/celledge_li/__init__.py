# SPDX-License-Identifier: GPL-2.0-or-later
"""Li: TCP and UDP at the edge of a cell, over RLC UM and AM, with and without errors of the control channels.

Source: Li et al, sections III and IV
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...study import BaseStudy, Explanation, Row


class Study(BaseStudy):
    """The study's answers."""

    place = 50

    def explanations(self) -> Mapping[str, Explanation]:
        from . import explain

        return {"celledge": explain.celledge}

    def draws_alone(self, row: Row) -> bool:
        from .edge import belongs

        return belongs(row)

    def figures(self, runs: Sequence[Any]) -> list[Any]:
        from .specs import specs

        return specs(runs)
