# SPDX-License-Identifier: GPL-2.0-or-later
"""What PDCP of NR waited for: how often needless, and how long a packet at most."""

from __future__ import annotations

import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ...metrics.metric import Metric
from ...metrics.rows import traced_in_full
from ...metrics.rtt import Values
from ...radio.events import rows_of
from ...radio.grid import grid_of
from ...radio.links import lives_of

#: Columns of a run, by the one that they follow.
COLUMNS = {
    "dropped_pdcp_discard_pkts": (
        Metric("pdcp_expiries", "1", "NR: expiries of PDCP's t-Reordering, whole run"),
        Metric("pdcp_wait_max_ms", "ms", "NR: the longest that RLC or PDCP held a packet of the data flow back after "
                                         "its last byte had come"),
    ),
}


def order_metrics(bundle: Bundle, flow: Flow) -> Values:
    """Waits for order of a run over NR; nothing for others."""
    if not grid_of(bundle).nr:
        return {}
    values: Values = {"pdcp_expiries": len(rows_of(bundle.radio, "pdcp_t_reordering"))}
    if not traced_in_full(bundle):
        return values
    lives = lives_of(bundle).filter(pl.col("node") == bundle.radio_node(flow.source))
    held_ns = (lives["out_ns"] - lives["dl_rx_ns"].fill_null(lives["rx_ns"])).drop_nulls()
    return values | {"pdcp_wait_max_ms": float(held_ns.to_numpy().max()) / 1e6 if len(held_ns) else None}
