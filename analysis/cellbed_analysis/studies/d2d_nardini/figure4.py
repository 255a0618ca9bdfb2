# SPDX-License-Identifier: GPL-2.0-or-later
"""The timeline of Figure 4: how long each part of an undisturbed round trip takes by the paper.

Source: Nardini, section III, Figure 4
"""

from __future__ import annotations

from ...claims.explain import SIDES, Row
from ...tcp.segment import RTT_PARTS

#: Parts of an undisturbed way, in ms. Source: Nardini, section III, Figure 4
PAPER_WAY_MS = {"rar": 3.0, "bsr": 2.0, "bsr_decode": 4.0, "grant": 2.0, "air": 4.0}
PAPER_DOWNLINK_MS = 5.0
#: Points of the figure in ms, for one round trip in direct mode, and what they are.
POINTS_MS = (0, 5, 9, 11, 15, 30)
POINTS = (
    "Figure 4 of the paper: RAC request at 0, BSR at 5, decoded at 9, data at 11, delivered at 15, ACK delivered at "
    "30 ms (dotted)."
)


def paper_parts_ms(row: Row) -> dict[str, float]:
    """Parts of the RTT by Figure 4's timeline for the row's combination of modes."""
    parts = dict.fromkeys(RTT_PARTS, 0.0)
    for side in SIDES:
        parts |= {f"{side}_{part}": value for part, value in PAPER_WAY_MS.items()}
        if row.get(f"{side}_mode") == "IM":
            parts[f"{side}_dl"] = PAPER_DOWNLINK_MS
    return parts
