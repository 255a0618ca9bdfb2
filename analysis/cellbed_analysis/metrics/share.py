# SPDX-License-Identifier: GPL-2.0-or-later
"""What each flow got of a cell, and how fairly: shares and Jain's index of the flows of one direction.

Jain's index of n throughputs x is (sum of x)^2 / (n * sum of x^2): 1 when all are equal, 1/n when one has everything.
It is taken of the payload that came, over the whole run and over the time in which all these flows were active: from
the last one's start to the first one's end. Flows of the scenario count, and others that carried SHARED_BYTES or more;
a name that is looked up contends with nobody.

Source: Jain 1984; RFC 5166 section 2.3.1
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import SUBFLOW, Flow

from ..tcp.segment import unwrap
from .datagrams import received_bytes
from .rtt import Values

SHARED_BYTES = 65536
UPLINK, DOWNLINK, BETWEEN = "uplink", "downlink", "between UEs"


@dataclass(frozen=True)
class Arrivals:
    """Payload of a flow's data direction as it came: times (n,) in ns, and bytes so far (n,).

    Attributes:
        timed: these are known. Without captures only the receiving program says how many datagrams came.
        counted: bytes that it says; None: there is none to ask.
    """

    t_ns: np.ndarray = field(default_factory=partial(np.zeros, 0, np.int64))
    bytes: np.ndarray = field(default_factory=partial(np.zeros, 0, np.int64))
    timed: bool = True
    counted: int | None = None

    @property
    def total(self) -> int | None:
        """All of them; None: not known."""
        return self.counted if not self.timed else int(self.bytes[-1]) if len(self.bytes) else 0

    def between(self, start_ns: int, end_ns: int) -> int | None:
        """Bytes that came in [start_ns, end_ns); None: not known."""
        if not self.timed:
            return None
        below = np.concatenate([[0], self.bytes])[np.searchsorted(self.t_ns, [start_ns, end_ns])]
        return int(below[1] - below[0])


def arrivals(bundle: Bundle, flow: Flow) -> Arrivals:
    """By the receiver's capture, else the sender's; without captures of TCP by what the sender saw acknowledged, of
    datagrams by what the receiving program counted; of a connection of MPTCP by its receiving program."""
    if flow.whole:
        came = bundle.stream(flow.id)["came"]
        return Arrivals(np.array(came["t_ns"], dtype=np.int64), np.array(came["bytes"], dtype=np.int64))
    for node in (flow.sink, flow.source):
        if node in bundle.captured_nodes:
            packets = flow.packets(bundle.capture(node)).filter(pl.col("payload_bytes") > 0)
            if not flow.found and flow.sport is not None:
                packets = packets.filter(pl.col("sport") == flow.sport)
            return Arrivals(packets["t_ns"].to_numpy(), packets["payload_bytes"].cast(pl.Int64).cum_sum().to_numpy())
    if flow.transport != "tcp" or not bundle.probed:
        return Arrivals(timed=False, counted=None if flow.found else received_bytes(bundle, flow))
    own = (pl.col("saddr") == flow.saddr) & (pl.col("daddr") == flow.daddr) & (pl.col("dport") == flow.port)
    rows = bundle.tcp.filter(own & (pl.col("snd_una") != 0) & (pl.col("kind").cast(pl.String) != "state"))
    if flow.sport is not None:
        rows = rows.filter(pl.col("sport") == flow.sport)
    rows = rows.sort("t_ns", maintain_order=True)
    reached = unwrap(rows["snd_una"].to_numpy())
    return Arrivals(rows["t_ns"].to_numpy(), np.maximum.accumulate(reached) - reached[:1].sum())


def direction(bundle: Bundle, flow: Flow) -> str:
    """Which way its data take through the cell."""
    ues = bundle.settings.get("radio", {}).get("ues", {})
    if flow.source in ues:
        return BETWEEN if flow.sink in ues else UPLINK
    return DOWNLINK


def jain(throughputs: Sequence[float]) -> float | None:
    """Jain's index of some flows; None of fewer than two, or when none got anything."""
    x = np.asarray(throughputs, dtype=float)
    return float(x.sum() ** 2 / (len(x) * (x**2).sum())) if len(x) > 1 and x.any() else None


def shares(bundle: Bundle, came: Mapping[str, Arrivals]) -> dict[str, Values]:
    """Columns of every flow that contends with others, by its id.

    Args:
        came: `arrivals` of all flows by id.
    """
    groups: dict[str, list[Flow]] = {}
    for flow in bundle.all_flows:
        total = came[flow.id].total
        if flow.kind != SUBFLOW and total is not None and (not flow.found or total >= SHARED_BYTES):
            groups.setdefault(direction(bundle, flow), []).append(flow)
    found = _of_subflows(bundle, came)
    for flows in groups.values():
        if len(flows) > 1:
            found |= _of_direction(flows, came)
    return found


def _of_subflows(bundle: Bundle, came: Mapping[str, Arrivals]) -> dict[str, Values]:
    """What each subflow carried of its connection, reinjections included."""
    parts = [[part for part in bundle.all_flows if flow.has_part(part)] for flow in bundle.all_flows if flow.whole]
    totals = [{part.id: came[part.id].total or 0 for part in of} for of in parts]
    return {part: {"flow_share": total / max(sum(of.values()), 1)} for of in totals for part, total in of.items()}


def _of_direction(flows: Sequence[Flow], came: Mapping[str, Arrivals]) -> dict[str, Values]:
    spans = [active(flow, came[flow.id]) for flow in flows]
    start_ns, end_ns = max(span[0] for span in spans), min(span[1] for span in spans)
    totals = [came[flow.id].total or 0 for flow in flows]
    if start_ns < end_ns and all(came[flow.id].timed for flow in flows):
        together = [came[flow.id].between(start_ns, end_ns) or 0 for flow in flows]
    else:
        together = [0] * len(flows)
    both: Values = {"jain": jain(totals), "jain_together": jain(together), "flows_together": len(flows),
            "together_s": max(end_ns - start_ns, 0) / 1e9}
    return {
        flow.id: both | {"flow_share": totals[i] / max(sum(totals), 1),
                         "flow_share_together": together[i] / sum(together) if sum(together) else None}
        for i, flow in enumerate(flows)
    }  # fmt: skip


def active(flow: Flow, came: Arrivals) -> tuple[int, int]:
    """From when to when a flow wanted to send: what the scenario gives it, else from its first to its last packet."""
    if not flow.found and flow.bytes is None:
        return flow.start_ns, flow.end_ns
    last_ns = int(came.t_ns[-1]) + 1 if len(came.t_ns) else flow.start_ns
    return flow.start_ns, last_ns if flow.bytes is not None else max(flow.end_ns, last_ns)
