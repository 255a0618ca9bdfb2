# SPDX-License-Identifier: GPL-2.0-or-later
"""What a recorded link offered in the direction of a flow's data, and how much of that carried anything.

Source: docs/scenario-format.md
"""

from __future__ import annotations

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ...metrics.metric import Metric
from ...metrics.rtt import Values
from ...metrics.window import evaluated_window
from ...radio.events import rows_of
from ...radio.opportunities import opportunities

_NS_PER_MS = 1_000_000
#: Columns of a run, by the one that they follow.
COLUMNS = {
    "goodput_difference_pct": (
        Metric("link_capacity_mbps", "Mbit/s", "what the delivery opportunities of a recorded link could carry"),
        Metric("link_used_share", "1", "share of these opportunities that carried a packet or a part of one"),
    ),
}


def _ue(bundle: Bundle, flow: Flow) -> str:
    """The UE over whose link a flow goes."""
    return next((name for name in (flow.sink, flow.source) if name in bundle.ue_numbers), "")


def opportunities_ns(bundle: Bundle, flow: Flow) -> np.ndarray | None:
    """Times of the delivery opportunities in the direction of a flow's data, up to the flow's end.

    Returns:
        (n,) int64, CLOCK_MONOTONIC, rising, a time as often as it has opportunities; None for runs without a
        packet-delivery trace of that direction. A UE's own trace begins with its name.
    """
    if bundle.settings.get("radio", {}).get("system") != "packet_trace":
        return None
    name = f"{'downlink' if flow.sink in bundle.ue_numbers else 'uplink'}.mahimahi"
    path = bundle.find(f"{_ue(bundle, flow)}-{name}") or bundle.find(name)
    if path is None:
        return None
    start_ns = int(bundle.celld["start_ns"])
    until_ms = -(-max(flow.end_ns - start_ns, 0) // _NS_PER_MS)
    once = np.array(path.text().split(), dtype=np.int64)
    times: np.ndarray = start_ns + opportunities(once, 0, until_ms) * _NS_PER_MS
    return times


def opportunity_bytes(bundle: Bundle, flow: Flow) -> int:
    """What one opportunity of a flow's link carries at most."""
    radio = bundle.settings["radio"]
    own = radio.get("ues", {}).get(_ue(bundle, flow), {}).get("packet_trace")
    return int((own or radio["packet_trace"])["bytes"])


def link_metrics(bundle: Bundle, flow: Flow) -> Values:
    """Capacity and use of a recorded link after the flow's warm-up; nothing for other runs."""
    times = opportunities_ns(bundle, flow)
    if times is None:
        return {}
    window = evaluated_window(bundle, flow)
    offered = int(((times >= window.start_ns) & (times < window.end_ns)).sum())
    direction = "dl" if flow.sink in bundle.ue_numbers else "ul"
    ue = bundle.radio_node(_ue(bundle, flow))
    used = rows_of(bundle.radio, "mac_tx").filter(
        (pl.col("dir") == direction) & (pl.col("peer" if direction == "dl" else "node") == ue))
    sent = window.cut(used, "t_ns")
    values: Values = {"link_capacity_mbps": offered * opportunity_bytes(bundle, flow) * 8e-6 / window.seconds}
    if offered:
        values["link_used_share"] = len(sent) / offered
    return values
