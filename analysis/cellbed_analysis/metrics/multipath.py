# SPDX-License-Identifier: GPL-2.0-or-later
"""A connection of Multipath TCP as a whole: what its receiver got. Its subflows have rows of their own, as TCP has.

A capture shows what a subflow carries, and some of it twice: what one subflow has not delivered another one sends
again. So the receiving program says how far the connection is.

Source: RFC 8684 section 3.3.6 (reinjection)
"""

from __future__ import annotations

import numpy as np

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ..stats.interval import within_run
from .metric import Metric
from .rtt import Values
from .share import arrivals
from .throughput import receiver_metrics
from .window import evaluated_window

MULTIPATH = (
    Metric("mptcp_subflows", "1", "TCP connections that a connection of MPTCP was made of, failed attempts included"),
    Metric("mptcp_reinjected_bytes", "bytes", "data that the sender sent again over another subflow, whole flow"),
    Metric("mptcp_reinjected_share", "1", "these over all data that it sent"),
    Metric(
        "mptcp_stall_max_ms", "ms",
        "longest time in which the receiving program got nothing, from its first data to the flow's end",
    ),
)


def multipath_metrics(bundle: Bundle, flow: Flow) -> Values:
    """All that is said of a connection as a whole."""
    window, told = evaluated_window(bundle, flow), bundle.stream(flow.id)
    values: Values = {
        "window_start_s": (window.start_ns - bundle.start_ns) / 1e9,
        "window_s": window.seconds,
        "mptcp_subflows": sum(flow.has_part(other) for other in bundle.all_flows),
        "mptcp_reinjected_bytes": told["reinjected_bytes"],
        "mptcp_reinjected_share": told["reinjected_bytes"] / told["sent_bytes"] if told["sent_bytes"] else None,
        **receiver_metrics(bundle, flow),
    }
    came = arrivals(bundle, flow)
    if len(came.t_ns) and window.seconds:
        inside = (came.t_ns >= window.start_ns) & (came.t_ns < window.end_ns)
        grown = np.diff(came.bytes, prepend=0)
        values["goodput_mbps"] = within_run(
            came.t_ns[inside], grown[inside][:, None], lambda sums: sums[..., 0] * 8 / 1e6 / window.seconds,
            part_ns=-(-(window.end_ns - window.start_ns) // max(round(window.seconds), 1)))
        values["mptcp_stall_max_ms"] = float(np.diff(came.t_ns, append=flow.end_ns).max()) / 1e6
    return values
