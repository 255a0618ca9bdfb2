# SPDX-License-Identifier: GPL-2.0-or-later
"""Stalls of a download: how long nothing arrives, how late it goes on, and how long what has piled up takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ...metrics.metric import Metric
from ...metrics.rows import traced_in_full
from ...metrics.rtt import Values
from ...metrics.window import evaluated_window
from ...radio.events import rows_of
from ...radio.grid import grid_of
from ...radio.packet_path import ENB

#: A pause is a stall from here on: Linux's least retransmission timeout.
STALL_NS = 200_000_000
#: Columns of a run, by the one that they follow.
COLUMNS = {
    "rto_count": (
        Metric("stall_count", "1", "NR downloads: pauses of 200 ms or more in what arrives at the UE"),
        Metric("stall_max_ms", "ms", "longest of these"),
        Metric("stall_late_max_ms", "ms", "from where the downlink is in range again to the packet that ends a stall, "
                                          "longest"),
        Metric("stall_drain_max_ms", "ms", "from that packet to the first one that takes less than twice the median "
                                           "through the radio, longest"),
    ),
}


@dataclass(frozen=True)
class Stall:
    """A pause in what arrives, by index of the packet that ends it; times in ns."""

    start_ns: int
    end_ns: int
    index: int


def stalls_of(out_ns: np.ndarray) -> list[Stall]:
    """Pauses between arrivals, which are in order of time."""
    pauses = np.flatnonzero(np.diff(out_ns) >= STALL_NS)
    return [Stall(int(out_ns[i]), int(out_ns[i + 1]), int(i) + 1) for i in pauses]


def late_ns(stall: Stall, changed_ns: np.ndarray, cqi: np.ndarray) -> int | None:
    """From the last time within a stall that the channel came into range to its end; None where it was never out.

    Args:
        changed_ns, cqi: when the CQI of the downlink changed, in order of time, and to what.
    """
    back = changed_ns[1:][(cqi[:-1] == 0) & (cqi[1:] > 0)]
    inside = back[(back >= stall.start_ns) & (back <= stall.end_ns)]
    return stall.end_ns - int(inside[-1]) if len(inside) else None


def drain_ns(stall: Stall, out_ns: np.ndarray, wait_ns: np.ndarray) -> int | None:
    """From the end of a stall to the first packet that waits less than twice the median; None where none does."""
    short = np.flatnonzero(wait_ns[stall.index:] < 2 * np.median(wait_ns))
    return int(out_ns[stall.index + short[0]]) - stall.end_ns if len(short) else None


def _longest_ms(values_ns: list[int | None]) -> float | None:
    known = [value for value in values_ns if value is not None]
    return max(known) / 1e6 if known else None


@dataclass(frozen=True)
class Passage:
    """Packets of a download in order of their arrival, and the CQI and SINR of their downlink as they change; in ns."""

    out_ns: np.ndarray
    wait_ns: np.ndarray
    size_bytes: np.ndarray
    changed_ns: np.ndarray
    cqi: np.ndarray
    sinr_cdb: np.ndarray


def passage_of(bundle: Bundle, flow: Flow) -> Passage:
    """How a download of a UE passed the radio; every packet has to be traced."""
    ue = bundle.radio_node(flow.sink)
    came = rows_of(bundle.radio, "pkt_in").filter(node=ENB, peer=ue).select("pkt", "bytes", in_ns="t_ns")
    left = rows_of(bundle.radio, "pkt_out").filter(node=ue, peer=ENB).select("pkt", out_ns="t_ns")
    packets = came.join(left, on="pkt").sort("out_ns")
    channel = rows_of(bundle.radio, "channel").filter(dir="dl", peer=ue).sort("t_ns")
    return Passage(packets["out_ns"].to_numpy(), (packets["out_ns"] - packets["in_ns"]).to_numpy(),
                   packets["bytes"].to_numpy(), channel["t_ns"].to_numpy(), channel["cqi"].to_numpy(),
                   channel["value"].to_numpy())


def stall_metrics(bundle: Bundle, flow: Flow) -> Values:
    """Stalls in the flow's steady part; nothing but of downloads over NR with every packet traced."""
    if not grid_of(bundle).nr or not traced_in_full(bundle) or flow.sink not in bundle.ue_numbers:
        return {}
    passage, window = passage_of(bundle, flow), evaluated_window(bundle, flow)
    inside = (passage.out_ns >= window.start_ns) & (passage.out_ns < window.end_ns)
    out_ns, wait_ns = passage.out_ns[inside], passage.wait_ns[inside]
    found = stalls_of(out_ns)
    return {"stall_count": len(found),
            "stall_max_ms": _longest_ms([one.end_ns - one.start_ns for one in found]),
            "stall_late_max_ms": _longest_ms([late_ns(one, passage.changed_ns, passage.cqi) for one in found]),
            "stall_drain_max_ms": _longest_ms([drain_ns(one, out_ns, wait_ns) for one in found])}
