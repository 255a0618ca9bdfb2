# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a claim about latencies differs: what pings took at least, on average and at most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...stats.numbers import mean_of as mean
from ...study import Row


def latency(claim: Mapping[str, Any], rows: Sequence[Row], other: Sequence[Row]) -> str:
    """RTTs of pings in words."""
    text = _told(rows)
    if other and text:
        text += f" Against that {_told(other)}"
    return text


def _told(rows: Sequence[Row]) -> str:
    low, middle, top = (mean(rows, f"ping_rtt_{name}_ms") for name in ("min", "mean", "max"))
    if low is None or middle is None or top is None:
        return ""
    return (f"{rows[0].get('variant')}: the shortest ping takes {low:.1f} ms, which is grants, slots and decoding; the "
            f"mean of {middle:.1f} ms and the longest of {top:.1f} ms add the wait for an uplink slot and for an "
            "occasion to ask.")
