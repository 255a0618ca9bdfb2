# SPDX-License-Identifier: GPL-2.0-or-later
"""What the queue management of the gNB did to a run's data flow: marks, why, and how long packets had waited."""

from __future__ import annotations

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ...metrics.metric import Metric
from ...metrics.rtt import Values
from ...radio.events import rows_of
from ...radio.grid import grid_of

#: Columns of a run, by the one that they follow.
COLUMNS = {
    "dropped_aqm_pkts": (
        Metric("ecn_marks", "packets", "NR: marked CE by the queue management of bearers, whole run"),
        Metric("ecn_marks_coupled_share", "1", "NR: of these, by the controller of DualPI2, whatever they waited"),
        Metric("ecn_mark_wait_p50_ms", "ms", "NR: how long marked packets had waited in their queue, median"),
    ),
}


def mark_metrics(bundle: Bundle, flow: Flow) -> Values:
    """Marks of a run over NR; nothing for others, and for runs whose trace has no rows about single packets."""
    if not grid_of(bundle).nr:
        return {}
    rows = rows_of(bundle.radio, "ecn_mark")
    values: Values = {"ecn_marks": len(rows)}
    if len(rows):
        values["ecn_marks_coupled_share"] = int((rows["aux"] == 1).sum()) / len(rows)
        values["ecn_mark_wait_p50_ms"] = float(np.median(rows["value"].cast(pl.Int64).to_numpy())) / 1e3
    return values
