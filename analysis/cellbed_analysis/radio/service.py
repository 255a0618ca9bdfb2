# SPDX-License-Identifier: GPL-2.0-or-later
"""What the air was used for while the packets of one UE and direction waited, TTI by TTI.

Each TTI belongs to causes by the resource blocks that were used in it: for data of a flow, for other data of the UE,
for other UEs, for what HARQ or RLC sent again. A TTI in which the UE could not be served belongs to the reason.

Source: docs/trace-format.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from .packet_path import RadioLog

#: What takes the time of packets that wait, in words.
WAITS = {
    "own": "the flow's own earlier data (its window)",
    "same_ue": "other flows of the same UE",
    "other_ues": "other UEs of the cell",
    "harq": "HARQ retransmissions",
    "rlc": "RLC retransmissions and reordering",
    "cqi_0": "CQI 0",
    "handover": "handover",
    "tdd": "slots of the other direction (TDD)",
    "air": "requests, grants and time on the air",
}
#: Directions that share the resource blocks of one direction.
BANDS = {"dl": ("dl",), "ul": ("ul", "sl"), "sl": ("ul", "sl")}


@dataclass(frozen=True)
class Service:
    """The time of each of WAITS since a first moment, in ns; together they are all of the time."""

    edges_ns: np.ndarray  # (n + 1,) begin of each TTI, and the end
    cumulative: dict[str, np.ndarray]  # (n + 1,) each

    def between(self, start_ns: np.ndarray, end_ns: np.ndarray) -> dict[str, np.ndarray]:
        """ns of each cause between moments that lie within the edges, (m,) each."""
        ends = (np.asarray(at, dtype=np.int64) - self.edges_ns[0] for at in (start_ns, end_ns))
        start, end = ends
        x = (self.edges_ns - self.edges_ns[0]).astype(float)
        return {cause: np.interp(end, x, y) - np.interp(start, x, y) for cause, y in self.cumulative.items()}


def service(log: RadioLog, ue: int, direction: str, own: pl.Series, away_ns: Sequence[tuple[int, int]],
            crowd_rb: int = 0) -> Service:
    """What the air was used for.

    Args:
        ue: number of the UE that sends, or of a downlink receives.
        direction: ul, sl or dl.
        own: packets of the flow that is asked about.
        away_ns: from when to when the UE was in no cell, for each handover.
        crowd_rb: resource blocks of the carrier of a cell with a crowd, which has no rows in radio.trace: what others
            leave of them is the crowd's while a packet waits.
    """
    tti_ns, zero_ns = log.grid.tti_ns, log.zero_ns
    first, last = log.span_ns
    begin = (first - zero_ns) // tti_ns
    edges = zero_ns + tti_ns * np.arange(begin, (last - zero_ns) // tti_ns + 2)
    n = len(edges) - 1

    def slot(frame: pl.DataFrame) -> np.ndarray:
        return ((frame["t_ns"].to_numpy() - edges[0]) // tti_ns).astype(np.int64)

    used = _transmissions(log, ue, direction)
    mine = used.filter("mine")
    per_tti = {cause: np.zeros(n) for cause in WAITS}
    shares = _contents(log, mine.filter("first"), own)
    for cause in ("own", "same_ue", "rlc", "air"):
        np.add.at(per_tti[cause], slot(shares), shares[cause].to_numpy())
    again, others = mine.filter(~pl.col("first")), used.filter(~pl.col("mine"))
    for cause, rows in (("harq", again), ("other_ues", others)):
        np.add.at(per_tti[cause], slot(rows), rows["rb"].to_numpy())
    per_tti["other_ues"] += np.maximum(crowd_rb - sum(per_tti.values()), 0)
    total = sum(per_tti.values())
    served = np.zeros(n, dtype=bool)
    served[slot(mine)] = True
    why = np.select([_within(edges[:-1], away_ns), ~served & _cqi_0(log, ue, direction, edges),
                     (total == 0) & _closed(log, direction, edges), total == 0],
                    ["handover", "cqi_0", "tdd", "air"], "")  # fmt: skip
    scale = np.where(why == "", tti_ns / np.where(total > 0, total, 1), 0.0)
    time = {cause: np.where(why == cause, float(tti_ns), 0.0) + scale * values for cause, values in per_tti.items()}
    return Service(edges, {cause: np.concatenate([[0.0], np.cumsum(ns)]) for cause, ns in time.items()})


def _transmissions(log: RadioLog, ue: int, direction: str) -> pl.DataFrame:
    """Every transmission in the band of a direction, in the UE's cell: t_ns, block, rb, mine, first (not HARQ's)."""
    rows = pl.concat([log.rows(event).with_columns(first=pl.lit(event == "mac_tx")) for event in ("mac_tx", "harq_tx")])
    rows = rows.filter(pl.col("dir").is_in(BANDS[direction])).sort("t_ns", maintain_order=True)
    whose = pl.when(pl.col("dir") == "dl").then("peer").otherwise("node")
    rows = rows.with_columns(mine=(whose == ue) & (pl.col("dir") == direction), rb=pl.max_horizontal("rb", 1))
    cell = rows.filter("mine").select("t_ns", own_enb="enb")
    if log.grid.stations:  # it is in the cells of both
        return rows
    near = rows.join_asof(cell, on="t_ns", strategy="nearest", check_sortedness=False)
    return near.filter("mine" if cell.is_empty() else pl.col("own_enb") == pl.col("enb"))


def _contents(log: RadioLog, blocks: pl.DataFrame, own: pl.Series) -> pl.DataFrame:
    """t_ns of blocks, and how many of their resource blocks carried what."""
    mine = pl.when(pl.col("pkt").is_in(own.implode())).then(pl.lit("own")).otherwise(pl.lit("same_ue"))
    data = log.rows("rlc_tx").select("block", size=pl.col("value").cast(pl.Float64), cause=mine)
    again = log.rows("rlc_retx").select("block", size=pl.col("bytes").cast(pl.Float64), cause=pl.lit("rlc"))
    sums = [pl.col("size").filter(pl.col("cause") == cause).sum().alias(cause) for cause in ("own", "same_ue", "rlc")]
    held = pl.concat([data, again]).group_by("block").agg(*sums)
    found = blocks.select("t_ns", "block", "rb").join(held, on="block", how="left").fill_null(0.0)
    size = pl.sum_horizontal("own", "same_ue", "rlc")
    return found.with_columns(air=pl.when(size == 0).then(pl.col("rb")).otherwise(0.0),
                              **{cause: pl.when(size > 0).then(pl.col(cause) / size * pl.col("rb")).otherwise(0.0)
                                 for cause in ("own", "same_ue", "rlc")})


def _cqi_0(log: RadioLog, ue: int, direction: str, edges: np.ndarray) -> np.ndarray:
    """Of each TTI whether nothing can be sent, by the channel as the core had it; with EN-DC, by that of LTE."""
    rows = log.rows("channel", dir=direction).filter(pl.col("peer" if direction == "dl" else "node") == ue)
    if log.grid.stations:
        rows = rows.filter(pl.col("enb") == 0)
    if rows.is_empty():
        return np.zeros(len(edges) - 1, dtype=bool)
    at = np.searchsorted(rows["t_ns"].to_numpy(), edges[:-1], "right") - 1
    return np.where(at >= 0, rows["cqi"].to_numpy()[np.maximum(at, 0)] == 0, False)


def _closed(log: RadioLog, direction: str, edges: np.ndarray) -> np.ndarray:
    """Of each TTI whether TDD has no data of the direction in it."""
    pattern = np.array(log.grid.downlink if direction == "dl" else log.grid.uplink, dtype=bool)
    if not len(pattern):
        return np.zeros(len(edges) - 1, dtype=bool)
    return ~pattern[((edges[:-1] - log.zero_ns) // log.grid.tti_ns) % len(pattern)]


def _within(at_ns: np.ndarray, spans_ns: Sequence[tuple[int, int]]) -> np.ndarray:
    inside = np.zeros(len(at_ns), dtype=bool)
    for start, end in spans_ns:
        inside |= (at_ns >= start) & (at_ns < end)
    return inside
