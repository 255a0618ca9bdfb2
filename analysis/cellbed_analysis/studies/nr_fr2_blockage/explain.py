# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a claim about blocked links differs: how long and how often nothing arrived, and what TCP made of it."""

from __future__ import annotations

from collections.abc import Sequence

from ...stats.numbers import mean_of as mean
from ...study import Row, of_both_arms


@of_both_arms
def stalled(rows: Sequence[Row]) -> str:
    """Stalls in words."""
    names = ("stall_count", "goodput_mbps", "rtt_p50_ms", "rtt_max_ms")
    count, goodput, low, top = (mean(rows, name) for name in names)
    if count is None or goodput is None or low is None or top is None:
        return ""
    longest = mean(rows, "stall_max_ms")
    stalls = f"{count:.1f} stalls a run" + (f", the longest of {longest:.0f} ms" if longest is not None else "")
    timeouts = mean(rows, "rto_count") or 0.0
    return (f"{rows[0].get('variant')}: {stalls}; {timeouts:.1f} timeouts; {goodput:.1f} Mbit/s; half of the segments "
            f"have an RTT of {low:.0f} ms or less, the slowest one {top:.0f} ms.")
