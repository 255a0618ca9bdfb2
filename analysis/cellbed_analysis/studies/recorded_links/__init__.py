# SPDX-License-Identifier: GPL-2.0-or-later
"""Recorded links: how much of what a packet-delivery trace offers a transport protocol takes, and what delay it makes.

Source: Mahimahi (packet-delivery traces, and its graphs of throughput and delay)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...study import BaseStudy


class Study(BaseStudy):
    """The study's answers."""

    place = 60

    def columns(self) -> Mapping[str, Sequence[Any]]:
        from .metrics import COLUMNS

        return COLUMNS

    def run_metrics(self, bundle: Any, flow: Any) -> Mapping[str, Any]:
        from .metrics import link_metrics

        return link_metrics(bundle, flow)

    def figures(self, runs: Sequence[Any]) -> list[Any]:
        from .use import specs

        return specs(runs)
