# SPDX-License-Identifier: GPL-2.0-or-later
"""A capture as its flows: packets with the flow that each is of, the flows' ends and names, and what carried them."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cellbed_formats.flow import QUIC, TCP, UDP, is_quic
from cellbed_formats.header import MAPPED
from cellbed_formats.packet import CUT_HEADER, CUT_OPTIONS, PROTOCOL_TCP, PROTOCOL_UDP
from cellbed_formats.tunnel import Ends

from . import copies
from .columns import Columns, of_frame

#: Transport of tunnels whose packets cannot be read.
WIREGUARD = "wireguard"


@dataclass(frozen=True)
class Tunnel:
    """What carries flows: kind, both ends, what went from the first end to the other and back."""

    kind: str
    ends: Ends
    pkts: tuple[int, int]
    ip_bytes: tuple[int, int]
    first_ns: int
    last_ns: int

    @property
    def ends_text(self) -> tuple[str, str]:
        """Addresses of both ends."""
        return _address(self.ends[0], self.ends[1]), _address(self.ends[2], self.ends[3])

    @property
    def name(self) -> str:
        """Both ends, for people."""
        return "-".join(self.ends_text)


@dataclass(frozen=True)
class Capture:
    """A capture of IP packets, as one point of observation saw it."""

    path: Path
    packets: pl.DataFrame  # `packet.ip_packets` of TCP and UDP by time, with `flow`, `forth` and `epoch`
    flows: pl.DataFrame  # one row each, in the order of their first packets
    records: int  # packets of any kind
    cut: str | None  # what the file's end lacks
    point: str | None = None  # the interface, where a file has several
    tunnels: list[Tunnel] = field(default_factory=list)
    copies: dict[int, copies.Copies] = field(default_factory=dict)  # by flow
    notes: list[str] = field(default_factory=list)
    timed: bool = True  # False: there are packets without a time

    @property
    def label(self) -> str:
        """File and point, for people."""
        return str(self.path) if self.point is None else f"{self.path} ({self.point})"

    @property
    def start_ns(self) -> int:
        """When the first packet of a flow was captured, in ns since 1970; 0 without any."""
        return int(self.packets["t_ns"].min() or 0)  # type: ignore[arg-type]

    def connections(self) -> Iterator[tuple[dict[str, Any], Columns]]:
        """Each flow's row of `flows` with its packets by time."""
        order = np.argsort(self.packets["flow"].to_numpy(), kind="stable")
        every = of_frame(self.packets)
        at = 0
        for row in self.flows.iter_rows(named=True):
            n = row["forth_pkts"] + row["back_pkts"]
            yield row, every.where(order[at : at + n])
            at += n


def flow_table(packets: pl.DataFrame) -> pl.DataFrame:
    """A row for each flow: its ends as the first packet has them, what it carried each way, and its transport."""
    first = [pl.col(name).first() for name in
             ("protocol", "src_high", "src_low", "sport", "dst_high", "dst_low", "dport")]
    ways = []
    for name, own in (("forth", pl.col("forth")), ("back", ~pl.col("forth"))):
        ways += [own.sum().alias(f"{name}_pkts"),
                 pl.col("ip_bytes").filter(own).cast(pl.Int64).sum().alias(f"{name}_bytes"),
                 pl.col("payload_bytes").filter(own).cast(pl.Int64).sum().alias(f"{name}_payload_bytes")]
    found = packets.group_by("flow", maintain_order=True).agg(
        *first, *ways, first_ns=pl.col("t_ns").first(), last_ns=pl.col("t_ns").last(),
        fragments=pl.col("fragment").sum(), cut_headers=(pl.col("cut") == CUT_HEADER).sum(),
        cut_options=(pl.col("cut") == CUT_OPTIONS).sum(), tunnel=pl.col("tunnel").first(),
        wireguard=pl.col("wireguard").mean() == 1.0,
        quic=is_quic().head(2).any() & (pl.col("protocol").first() == PROTOCOL_UDP))
    transport = pl.when(pl.col("protocol") == PROTOCOL_TCP).then(pl.lit(TCP)).when("quic").then(pl.lit(QUIC)).when(
        "wireguard").then(pl.lit(WIREGUARD)).otherwise(
        pl.lit(UDP))
    # The direction that carries more payload is the data's, as everywhere.
    return found.sort("flow").with_columns(transport=transport,
                                           data_forth=pl.col("forth_payload_bytes") >= pl.col("back_payload_bytes"))


def names(flows: pl.DataFrame) -> list[str]:
    """Ids of flows, source-sink in the data's direction; of those with the same ends a number is added."""
    taken: dict[str, int] = {}
    made = []
    for row in flows.iter_rows(named=True):
        ends = [_end(row[f"{way}_high"], row[f"{way}_low"], row[f"{way[0]}port"]) for way in ("src", "dst")]
        name = "-".join(ends if row["data_forth"] else reversed(ends))
        taken[name] = taken.get(name, 0) + 1
        made.append(name if taken[name] == 1 else f"{name}#{taken[name]}")
    return made


def _end(high: int, low: int, port: int) -> str:
    address = _address(high, low)
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def of_ipv4(high: int, low: int) -> bool:
    """Whether the halves of an address of IPv6 are those of one of IPv4."""
    return not high and low >> 32 == MAPPED >> 32


def _address(high: int, low: int) -> str:
    if of_ipv4(high, low):
        return str(ipaddress.IPv4Address(low & 0xFFFFFFFF))
    return str(ipaddress.IPv6Address(high << 64 | low))
