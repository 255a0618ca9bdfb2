# SPDX-License-Identifier: GPL-2.0-or-later
"""Delays of TCP packets between two captures: at both ends of a path, or anywhere on it.

A connection is the same where both ends are or, behind an address translation, where the sequence numbers of its SYN
and of the answer are. Two clocks that are not synchronised differ by an unknown time. `two_clocks` takes the one with
which the least delays of both directions are equal, which is right for a path that is as long both ways.

Source: RFC 7679 section 3
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from cellbed_formats.packet import ACK, PROTOCOL_TCP, SYN

from ..stats.ranks import with_rank
from .captured import of_ipv4
from .connection import Capture, names

MS = 1e6
#: What tells a packet of a connection from others; twins are matched in their order. An address translation leaves it,
#: but for the identification where it makes IPv6 of IPv4.
KEY = ("seq", "ack", "flags", "payload_bytes", "ts_val", "ts_ecr", "ip_id")


@dataclass(frozen=True)
class OneWay:
    """A connection that two captures have. Frames: sent_ns, came_ns (null: not in the other capture), payload_bytes."""

    flow: str
    data: pl.DataFrame
    back: pl.DataFrame
    offset_ns: int  # of the second capture's clock against the first one's, which was taken off

    def row(self) -> dict[str, Any]:
        """Numbers of both directions."""
        row: dict[str, Any] = {"flow": self.flow, "clock_offset_ms": self.offset_ns / MS}
        for name, frame in (("", self.data), ("back_", self.back)):
            delay = (frame["came_ns"] - frame["sent_ns"]).drop_nulls().to_numpy() / MS
            row |= {f"{name}pkts": len(frame), f"{name}lost_pkts": int(frame["came_ns"].null_count())}
            if len(delay):
                p50, p95, p99 = np.percentile(delay, (50, 95, 99)).tolist()
                row |= {f"{name}delay_min_ms": float(delay.min()), f"{name}delay_p50_ms": p50,
                        f"{name}delay_p95_ms": p95, f"{name}delay_p99_ms": p99,
                        f"{name}delay_max_ms": float(delay.max())}
        return row


def one_way(first: Capture, second: Capture, two_clocks: bool = False) -> list[OneWay]:
    """TCP connections that both captures have, in the order of the first one's largest.

    Args:
        two_clocks: the captures' clocks are not synchronised.
    """
    ids = names(first.flows)
    found = []
    for flow, there, same in _same_flows(first, second):
        own = first.packets.filter(pl.col("flow") == flow["flow"])
        other = second.packets.filter(pl.col("flow") == there)
        ends = flow, second.flows.row(by_predicate=pl.col("flow") == there, named=True)
        if len({of_ipv4(row["src_high"], row["src_low"]) for row in ends}) > 1:  # IPv6 has no identification
            own, other = (packets.with_columns(pl.lit(0, pl.UInt32).alias("ip_id")) for packets in (own, other))
        ways = [(own.filter(pl.col("forth") == forth), other.filter(pl.col("forth") == (forth == same)))
                for forth in (flow["data_forth"], not flow["data_forth"])]
        if any(len(way) for way in ways[0]) and any(len(way) for way in ways[1]):
            found.append(_delays(ids[flow["flow"]], ways, two_clocks))
    return found


def _same_flows(first: Capture, second: Capture) -> list[tuple[dict[str, Any], int, bool]]:
    """Rows of the first capture's flows, numbers of the same in the second, whether `forth` means the same there."""
    ends = ("src_high", "src_low", "sport", "dst_high", "dst_low", "dport")
    theirs: dict[tuple[int, ...], int] = {}
    for row in second.flows.filter(pl.col("protocol") == PROTOCOL_TCP).iter_rows(named=True):
        theirs.setdefault(tuple(row[name] for name in ends), row["flow"])
    own_numbers = _openings(first)
    by_numbers = {numbers: flow for flow, numbers in _openings(second).items()}
    found, taken = [], set()
    tcp = first.flows.filter(pl.col("protocol") == PROTOCOL_TCP)
    for row in tcp.sort(pl.col("forth_bytes") + pl.col("back_bytes"), descending=True).iter_rows(named=True):
        own = tuple(row[name] for name in ends)
        there, same = by_numbers.get(own_numbers.get(row["flow"], (-1, -1))), True
        if there is None:
            there = theirs.get(own)
        if there is None:
            there, same = theirs.get((*own[3:], *own[:3])), False
        if there is not None and there not in taken:
            taken.add(there)
            found.append((row, there, same))
    return found


def _openings(capture: Capture) -> dict[int, tuple[int, int]]:
    """Sequence numbers of each connection's SYN and of its answer."""
    opening = capture.packets.filter((pl.col("flags") & SYN == SYN) & (pl.col("protocol") == PROTOCOL_TCP))
    asked = opening.filter(pl.col("flags") & ACK == 0).group_by("flow").agg(pl.col("seq").first())
    answered = opening.filter(pl.col("flags") & ACK == ACK).group_by("flow").agg(answer=pl.col("seq").first())
    return {flow: (seq, answer) for flow, seq, answer in asked.join(answered, on="flow").iter_rows()}


def _delays(flow: str, ways: list[tuple[pl.DataFrame, pl.DataFrame]], two_clocks: bool) -> OneWay:
    """Args: ways: packets of the data's direction in both captures, then of the other one."""
    both = [_both(*way) for way in ways]
    gaps = [(frame["there_ns"] - frame["here_ns"]).to_numpy() for frame in both]
    middles = [float(np.median(gap)) if len(gap) else 0.0 for gap in gaps]
    # The data go from the first capture to the second where they are later there than the answers are.
    forwards = middles[0] >= middles[1]
    offset_ns = 0
    if two_clocks and all(map(len, gaps)):
        early, late = (gaps[0], gaps[1]) if forwards else (gaps[1], gaps[0])
        offset_ns = int((early.min() + late.max()) // 2)
    data, back = _directed(*ways[0], forwards, offset_ns), _directed(*ways[1], not forwards, offset_ns)
    return OneWay(flow, data, back, offset_ns)


def _ranked(packets: pl.DataFrame) -> pl.DataFrame:
    return with_rank(packets, "rank", KEY)


def _both(here: pl.DataFrame, there: pl.DataFrame) -> pl.DataFrame:
    """Times of packets that both captures have."""
    return _ranked(here).select(*KEY, "rank", here_ns="t_ns").join(
        _ranked(there).select(*KEY, "rank", there_ns="t_ns"), on=[*KEY, "rank"], how="inner", maintain_order="left")


def _directed(here: pl.DataFrame, there: pl.DataFrame, forwards: bool, offset_ns: int) -> pl.DataFrame:
    """Every packet at the capture that it comes to first, with its time at the other."""
    there = there.with_columns(pl.col("t_ns") - offset_ns)
    sent, came = (here, there) if forwards else (there, here)
    return _ranked(sent).select(*KEY, "rank", sent_ns="t_ns").join(
        _ranked(came).select(*KEY, "rank", came_ns="t_ns"), on=[*KEY, "rank"], how="left", maintain_order="left",
    ).select("sent_ns", "came_ns", "payload_bytes")
