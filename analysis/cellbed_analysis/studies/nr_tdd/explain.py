# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a claim about latencies differs: what pings took at least, on average and at most."""

from __future__ import annotations

from collections.abc import Sequence

from ...stats.numbers import mean_of as mean
from ...study import Row, of_both_arms


@of_both_arms
def latency(rows: Sequence[Row]) -> str:
    """RTTs of pings in words."""
    low, middle, top = (mean(rows, f"ping_rtt_{name}_ms") for name in ("min", "mean", "max"))
    if low is None or middle is None or top is None:
        return ""
    return (f"{rows[0].get('variant')}: the shortest ping takes {low:.1f} ms, which is grants, slots and decoding; the "
            f"mean of {middle:.1f} ms and the longest of {top:.1f} ms add the wait for an uplink slot and for an "
            "occasion to ask.")
