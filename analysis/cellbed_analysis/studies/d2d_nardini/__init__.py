# SPDX-License-Identifier: GPL-2.0-or-later
"""Nardini: the RTT of direct and infrastructure mode, and six TCPs across mode switches.

Source: Nardini, sections III and IV
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...study import BaseStudy, Explanation, Remark, Row

#: Modes of the UEs that send data and ACKs.
MODES = ("DM-DM", "DM-IM", "IM-DM", "IM-IM")
#: What the paper says of figures of RTTs, where claims give RTTs of the paper for the runs that are drawn.
REMARKS = {
    "rtt-over-time": "Figure 3 of the paper shows the RTT of the four combinations over time: level at 30 ms for "
    "DM-DM, about 42 ms on average for IM-IM, fluctuating when ACKs go through the infrastructure.",
    "rtt-decomposition": "Not in the paper, which says that RAC and BSR take two thirds of the time.",
    "rtt-cdf": "Not in the paper.",
}
#: What it says of figures that need no claim.
ALWAYS = {
    "rtt-over-window": "Figure 5 of the paper: the RTT grows with the window; with data in infrastructure mode it "
    "falls after a point and ends below that of direct mode.",
    "lateness": "Not in the paper, whose time is simulated.",
}
#: Figure 4 of the paper is about one combination of modes.
SEQUENCE, DRAWN = "sequence-", MODES[0]


class Study(BaseStudy):
    """The study's answers."""

    place = 20

    def explanations(self) -> Mapping[str, Explanation]:
        from . import explain

        return {"switch": explain.switch, "cqi": explain.cqi}

    def expected_rtt(self, row: Row) -> tuple[str, Mapping[str, float]] | None:
        from .figure4 import paper_parts_ms

        return ("the timeline of Figure 4", paper_parts_ms(row)) if row.get("combination") else None

    def series(self) -> tuple[str, Sequence[str]]:
        return "data-ACK", MODES

    def figures(self, runs: Sequence[Any]) -> list[Any]:
        from .specs import specs

        return specs(runs)

    def remark(self, figure: str, paper_ms: Mapping[str, float]) -> Remark | None:
        if figure.startswith(SEQUENCE) and paper_ms:
            from .figure4 import POINTS, POINTS_MS

            of_paper = figure == f"{SEQUENCE}{DRAWN.lower()}" and DRAWN in paper_ms
            return Remark(POINTS, POINTS_MS) if of_paper else Remark(f"The paper shows this for {DRAWN} only.")
        said = ALWAYS.get(figure) or (REMARKS.get(figure) if paper_ms else None)
        return None if said is None else Remark(said)
