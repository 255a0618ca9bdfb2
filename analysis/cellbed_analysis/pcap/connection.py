# SPDX-License-Identifier: GPL-2.0-or-later
"""Flows of a capture: packets sorted by their two ends; TCP connections may use the same ends one after another.

On the way there what is no packet of a flow is set apart: steps of the capture's clock, fragments, copies, tunnels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from cellbed_formats import unpacked
from cellbed_formats.capture import ip_records
from cellbed_formats.flow import TRANSPORTS
from cellbed_formats.packet import ACK, PROTOCOL_TCP, SYN, ip_packets
from cellbed_formats.pcap_file import Records
from cellbed_formats.tunnel import Ends

from . import clock, fragments
from .captured import Capture, Tunnel, flow_table, names
from .columns import of_frame
from .points import points

__all__ = ["Capture", "Tunnel", "names", "read", "read_points"]

_ODD = np.uint64(0x9E3779B97F4A7C15)
#: Columns that nothing asks for once the flows are known.
PASSED = ("version", "src_high", "src_low", "dst_high", "dst_low", "sport", "dport", "first_byte", "next_word",
          "more_fragments", "hop_limit", "udp_sum", "cut", "interface", "wire", "outer_bytes", "outer_forth",
          "wireguard", "tunnel")
#: Packets that are parsed together.
PART = 1 << 17


def read(path: Path, records: Records | None = None) -> Capture:
    """Read a capture with one point of observation. As `read_points`."""
    return read_points(path, records)[0]


def read_points(path: Path, records: Records | None = None) -> list[Capture]:
    """Read a capture and sort its packets by flow.

    Args:
        records: of the file, where they are read already.

    Returns:
        A capture for each point of observation: one, or of a file with several named interfaces of which some saw the
        same packets, one for each of these.

    Raises:
        FileError: no capture, or none of IP packets.
    """
    records = ip_records(path, records)
    packets, tunnels = _packets(records)
    packets, without_first = fragments.joined(packets)
    packets, notes = _on_one_clock(_by_ends(packets))
    if not packets["t_ns"].is_sorted():
        packets = packets.sort("t_ns", maintain_order=True)
    packets = packets.with_columns(turn=_turns(("pair",)))
    flows = packets.group_by("pair", "turn", maintain_order=True).agg(swapped_first=pl.col("swapped").first())
    packets = packets.join(flows.with_row_index("flow"), on=["pair", "turn"], how="left", maintain_order="left")
    packets = packets.with_columns(forth=pl.col("swapped") == pl.col("swapped_first")).drop(
        "swapped", "swapped_first", "pair", "turn")
    if without_first:
        notes.append(f"{without_first} fragments of packets whose first fragment is missing: they belong to no flow")
    whole = Capture(path, packets, pl.DataFrame(), len(records), records.cut, None, tunnels, {},
                    [*records.notes, *notes], records.timed)
    return [replace(one, flows=flow_table(one.packets), packets=one.packets.drop(PASSED))
            for one in points(whole, records)]


def _packets(records: Records) -> tuple[pl.DataFrame, list[Tunnel]]:
    """TCP and UDP of a capture in its order; part by part, as parsing takes several times the memory of its result."""
    parts, seen = [], _Tunnels()
    for begin in range(0, max(len(records), 1), PART):
        found = ip_packets(records.part(begin, begin + PART), options=True, places=True)
        frame = found.frame.with_columns(pl.col("row") + begin)
        parts.append(seen.numbered(frame, found.tunnels).filter(pl.col("protocol").is_in(list(TRANSPORTS))))
        unpacked.release(records.content)
    return pl.concat(parts), seen.tunnels()


class _Tunnels:
    """Tunnels of all parts of a capture, numbered together, and what each carried."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[str, Ends], int] = {}
        self.sums: list[pl.DataFrame] = []

    def numbered(self, frame: pl.DataFrame, tunnels: Sequence[tuple[str, Ends]]) -> pl.DataFrame:
        if not tunnels:
            return frame
        new = [0, *(self.numbers.setdefault(tunnel, len(self.numbers) + 1) for tunnel in tunnels)]
        frame = frame.with_columns(tunnel=pl.Series(np.array(new, dtype=np.uint32)[frame["tunnel"].to_numpy()]))
        self.sums.append(frame.filter(pl.col("tunnel") > 0).group_by("tunnel", "outer_forth").agg(
            pkts=pl.len(), size=(pl.col("ip_bytes").cast(pl.Int64) + pl.col("outer_bytes")).sum(),
            first=pl.col("t_ns").min(), last=pl.col("t_ns").max()))
        return frame

    def tunnels(self) -> list[Tunnel]:
        if not self.sums:
            return []
        every = pl.concat(self.sums)
        found = []
        for (kind, ends), number in self.numbers.items():
            own = every.filter(pl.col("tunnel") == number)
            if own.is_empty():  # it carries tunnels only
                found.append(Tunnel(kind, ends, (0, 0), (0, 0), 0, 0))
                continue
            ways = [own.filter(pl.col("outer_forth") == forth) for forth in (True, False)]
            found.append(Tunnel(kind, ends, (int(ways[0]["pkts"].sum()), int(ways[1]["pkts"].sum())),
                                (int(ways[0]["size"].sum()), int(ways[1]["size"].sum())),
                                int(own["first"].min()), int(own["last"].max())))  # type: ignore[arg-type]
        return found


def _by_ends(packets: pl.DataFrame) -> pl.DataFrame:
    """With `pair`, a number for both ends of each packet, and `swapped`: it comes from the larger one."""
    one, other = (_mixed(packets, (f"{end}_high", f"{end}_low", f"{end[0]}port")) for end in ("src", "dst"))
    both = (one + other) * _ODD ^ packets["protocol"].to_numpy()
    pair = np.unique(both, return_inverse=True)[1]
    return packets.with_columns(pair=pl.Series(pair.astype(np.uint32)), swapped=pl.Series(one > other))


def _mixed(packets: pl.DataFrame, names: Sequence[str]) -> np.ndarray:
    """A number for what some columns say, different for others as far as 64 bits go, (n,) uint64."""
    mixed = np.zeros(len(packets), dtype=np.uint64)
    for name in names:
        mixed = (mixed ^ packets[name].cast(pl.UInt64).to_numpy()) * _ODD
        mixed ^= mixed >> np.uint64(31)
    return mixed


def _on_one_clock(packets: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Packets without steps of the clock, with `epoch`, how many were before; and what was found."""
    asked = of_frame(packets.select(
        "t_ns", "timed", "ts_val", "seq", "ack", tcp=pl.col("protocol") == PROTOCOL_TCP,
        stream=2 * pl.col("pair") + pl.col("swapped")))
    found = clock.watch(asked)
    notes = []
    rows = packets["row"]
    for step in found.steps:
        how = ("mended by TCP's timestamps" if step.exact else
               "no TCP timestamps say by how much exactly, so that durations across it are not exact either")
        notes.append(f"the clock went {'forward' if step.by_ns > 0 else 'back'} by {abs(step.by_ns) / 1e6:.4g} ms at "
                     f"packet {rows[step.at] + 1}: {how}; round trips across it are left out")
    if found.back_ns >= clock.BACK_NS:
        notes.append(f"{found.out_of_order} packets stand in the file behind later ones, by up to "
                     f"{found.back_ns / 1e6:.4g} ms: sorted by time")
    if found.steps:
        packets = packets.with_columns(t_ns=pl.Series(found.mended(packets["t_ns"].to_numpy())))
    return packets.with_columns(epoch=pl.Series(found.epochs(len(packets)))), notes


def _turns(ends: tuple[str, ...]) -> pl.Expr:
    """How many connections between two ends have begun: a SYN of another number, or its answer, begins one."""
    handshake = (pl.col("protocol") == PROTOCOL_TCP) & (pl.col("flags") & SYN == SYN) & ~pl.col("fragment")
    answer = pl.col("flags") & ACK == ACK
    asked = pl.when(answer).then((pl.col("ack").cast(pl.Int64) - 1) % 2**32).otherwise(pl.col("seq").cast(pl.Int64))
    number = pl.when(handshake).then(asked)
    before = number.forward_fill().shift(1).over(ends)
    return (handshake & (before.is_null() | (before != number))).cast(pl.UInt32).cum_sum().over(ends)
