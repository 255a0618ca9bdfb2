# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a claim about marking differs: what marks there were, and what delay is left."""

from __future__ import annotations

from collections.abc import Sequence

from ...stats.numbers import mean_of as mean
from ...study import Row, of_both_arms


@of_both_arms
def marking(rows: Sequence[Row]) -> str:
    """Throughput, delay and marks in words."""
    goodput, delay, top = (mean(rows, name) for name in ("goodput_mbps", "data_delay_mean_ms", "data_delay_p99_ms"))
    if goodput is None or delay is None or top is None:
        return ""
    text = (f"{rows[0].get('variant')}: {goodput:.1f} Mbit/s; packets take {delay:.1f} ms through the radio network, "
            f"{top:.1f} ms at the 99th percentile")
    share, waited = mean(rows, "flow_ce_share"), mean(rows, "ecn_mark_wait_p50_ms")
    if share and waited is not None:
        text += f"; {100 * share:.1f} % of them are marked, after {waited:.1f} ms in the queue"
    dropped = mean(rows, "dropped_aqm_pkts")
    return f"{text}; the queue management dropped {dropped:.0f}." if dropped else f"{text}."
