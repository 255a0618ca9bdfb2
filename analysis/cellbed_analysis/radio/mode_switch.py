# SPDX-License-Identifier: GPL-2.0-or-later
"""Mode switches: when the sending UE's mode changed, and what that flushed, counted by direction."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from .events import rows_of

MODES = {0: "IM", 1: "DM"}


@dataclass(frozen=True)
class Switch:
    """A change of the sending UE's mode; times in ns of CLOCK_MONOTONIC."""

    t_ns: int
    until_ns: int  # the next one, or the end of the flow
    before: str  # mode: DM or IM
    after: str
    data_pkts: int  # flushed, of the data flow
    data_bytes: int
    ack_pkts: int  # flushed, of the ACK flow
    ack_bytes: int

    @property
    def flushed(self) -> bool:
        """Data were lost."""
        return self.data_pkts > 0


def switches(bundle: Bundle, flow: Flow) -> list[Switch]:
    """Changes of the sending UE's mode while the flow lasts, in order; none without a mode to change.

    Packets of one direction may be flushed on two hops of infrastructure mode.
    """
    if flow.source not in bundle.ue_numbers or flow.sink not in bundle.ue_numbers:
        return []
    sender, receiver = bundle.ue_numbers[flow.source], bundle.ue_numbers[flow.sink]
    rows = rows_of(bundle.radio, "route", "flush")
    inside = rows.filter(pl.col("t_ns").is_between(flow.start_ns, flow.end_ns, closed="left"))
    routes = inside.filter((pl.col("event") == "route") & (pl.col("node") == sender)).sort("t_ns")
    flushes = inside.filter(pl.col("event") == "flush")
    of_data = flushes.filter((pl.col("node") == sender) | ((pl.col("dir") == "dl") & (pl.col("peer") == receiver)))
    of_acks = flushes.filter((pl.col("node") == receiver) | ((pl.col("dir") == "dl") & (pl.col("peer") == sender)))
    times = routes["t_ns"].to_list()
    found = []
    for t_ns, until_ns, value in zip(times, [*times, flow.end_ns][1:], routes["value"].to_list(), strict=True):
        lost = [frame.filter(pl.col("t_ns") == t_ns) for frame in (of_data, of_acks)]
        sums = [int(frame[column].sum()) for frame in lost for column in ("value", "bytes")]
        found.append(Switch(t_ns, until_ns, MODES[1 - value], MODES[value], *sums))
    return found


