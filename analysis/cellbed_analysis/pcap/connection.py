# SPDX-License-Identifier: GPL-2.0-or-later
"""Flows of a capture: packets sorted by their two ends; TCP connections may use the same ends one after another."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cellbed_formats.capture import ip_records
from cellbed_formats.flow import QUIC, TCP, TRANSPORTS, UDP, is_quic
from cellbed_formats.packet import ACK, PROTOCOL_TCP, PROTOCOL_UDP, SYN, ip_packets
from cellbed_formats.pcap_file import Records

from .columns import Columns, of_frame

#: Both ends, the smaller one first, and how often a connection between them began.
ENDS = ("protocol", "a_high", "a_low", "a_port", "b_high", "b_low", "b_port", "turn")
#: Packets that are parsed together.
PART = 1 << 17
_MAPPED = 0xFFFF << 32


@dataclass(frozen=True)
class Capture:
    """A capture of IP packets."""

    path: Path
    packets: pl.DataFrame  # `packet.ip_packets` of TCP and UDP by time, with `flow` and `forth`
    flows: pl.DataFrame  # one row each, in the order of their first packets
    records: int  # packets of any kind
    cut: str | None  # what the file's end lacks

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


def read(path: Path, records: Records | None = None) -> Capture:
    """Read a capture and sort its packets by flow.

    Args:
        records: of the file, where they are read already.

    Raises:
        FileError: no capture, or none of IP packets.
    """
    records = ip_records(path, records)
    packets = pl.concat([_transport(records, begin) for begin in range(0, max(len(records), 1), PART)]).sort(
        "t_ns", maintain_order=True)
    swap = pl.lit(False)
    for low, high in (("sport", "dport"), ("src_low", "dst_low"), ("src_high", "dst_high")):
        swap = (pl.col(low) > pl.col(high)) | ((pl.col(low) == pl.col(high)) & swap)
    pairs = {"high": ("src_high", "dst_high"), "low": ("src_low", "dst_low"), "port": ("sport", "dport")}
    packets = packets.with_columns(swapped=swap).with_columns(
        pl.when("swapped").then(pl.col(names[1 - end])).otherwise(pl.col(names[end])).alias(f"{letter}_{name}")
        for end, letter in enumerate("ab") for name, names in pairs.items())
    packets = packets.with_columns(turn=_turns(ENDS[:-1]))
    flows = packets.group_by(ENDS, maintain_order=True).agg(swapped_first=pl.col("swapped").first())
    flows = flows.with_row_index("flow")
    packets = packets.join(flows, on=ENDS, how="left", maintain_order="left").with_columns(
        forth=pl.col("swapped") == pl.col("swapped_first")).drop(
        "swapped", "swapped_first", *ENDS[1:])
    return Capture(path, packets, _flows(packets), len(records), records.cut)


def _transport(records: Records, begin: int) -> pl.DataFrame:
    """TCP and UDP of a part of a capture, since parsing takes several times the memory of its result."""
    frame = ip_packets(records.part(begin, begin + PART), options=True).frame
    return frame.filter(pl.col("protocol").is_in(list(TRANSPORTS)) & ~pl.col("fragment")).with_columns(
        pl.col("row") + begin)


def _turns(ends: tuple[str, ...]) -> pl.Expr:
    """How many connections between two ends have begun: a SYN with another sequence number begins one."""
    opening = (pl.col("protocol") == PROTOCOL_TCP) & (pl.col("flags") & (SYN | ACK) == SYN)
    number = pl.when(opening).then(pl.col("seq"))
    before = number.forward_fill().shift(1).over(ends)
    return (opening & (before.is_null() | (before != pl.col("seq")))).cast(pl.UInt32).cum_sum().over(ends)


def _flows(packets: pl.DataFrame) -> pl.DataFrame:
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
        quic=is_quic().head(2).any() & (pl.col("protocol").first() == PROTOCOL_UDP))
    transport = pl.when(pl.col("protocol") == PROTOCOL_TCP).then(pl.lit(TCP)).when("quic").then(pl.lit(QUIC)).otherwise(
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
    if not high and low >> 32 == _MAPPED >> 32:
        return f"{ipaddress.IPv4Address(low & 0xFFFFFFFF)}:{port}"
    return f"[{ipaddress.IPv6Address(high << 64 | low)}]:{port}"
