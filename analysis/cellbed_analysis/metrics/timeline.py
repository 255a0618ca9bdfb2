# SPDX-License-Identifier: GPL-2.0-or-later
"""When the steps of an undisturbed segment take place."""

from __future__ import annotations

import numpy as np
import polars as pl

from ..stats.numbers import median, scaled
from ..tcp.timeline import undisturbed
from .metric import Metric
from .rtt import Values

TIMELINE = (
    Metric("timeline_segments", "1", "segments that nothing else delayed"),
    Metric("timeline_bsr_tx_ms", "ms", "from its RAC request to the BSR's transmission, median"),
    Metric("timeline_bsr_rx_ms", "ms", "from the request to the BSR's decoding, median"),
    Metric("timeline_data_tx_ms", "ms", "from the request to the data's transmission, median"),
    Metric("timeline_data_rx_ms", "ms", "from the request to the data's decoding after the uplink or sidelink, median"),
    Metric("timeline_data_out_ms", "ms", "from the request to the data's delivery to the receiver's TCP, median"),
    Metric("timeline_ack_out_ms", "ms", "from the request to the ACK's delivery to the sender's TCP, median"),
    Metric("timeline_access_share", "1", "share of the last of these times that RAC and BSR take in both directions"),
)


def timeline_metrics(segments: pl.DataFrame) -> Values:
    """Medians of the undisturbed segments' moments, ms after the RAC request."""
    calm = undisturbed(segments)
    values: Values = {"timeline_segments": len(calm)}
    if calm.is_empty():
        return values
    origin = calm["data_request_ns"]
    moments = {
        "bsr_tx": "data_bsr_tx_ns",
        "bsr_rx": "data_bsr_rx_ns",
        "data_tx": "data_tx_ns",
        "data_rx": "data_rx_ns",
        "data_out": "data_out_ns",
        "ack_out": "ack_out_ns",
    }
    for name, column in moments.items():
        values[f"timeline_{name}_ms"] = scaled(median(calm[column] - origin), 1e6)
    access = sum(
        calm[f"{side}_{part}"].to_numpy()
        for side in ("data", "ack")
        for part in ("rac_wait", "rar", "bsr", "bsr_decode")
    )
    total = (calm["ack_out_ns"] - calm["data_in_ns"]).to_numpy()
    values["timeline_access_share"] = float(np.median(access / total))
    return values
