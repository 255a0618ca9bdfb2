# SPDX-License-Identifier: GPL-2.0-or-later
"""What the radio network did for the packets of one UE, from radio.trace: the source of link traces."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.error import DataError

from ..metrics.radio import HARMLESS
from ..radio.packet_path import radio_log

UP, DOWN = "up", "down"


@dataclass(frozen=True)
class Way:
    """One direction of a UE. Times in ns since the traffic began.

    packets: pkt, in_ns, out_ns (null: not delivered), bytes, drop (reason or null), by time of entry.
    blocks: t_ns, bytes of transport blocks that were decoded; empty where the trace has none (UTRAN).
    """

    name: str
    packets: pl.DataFrame
    blocks: pl.DataFrame

    @property
    def delivered(self) -> pl.DataFrame:
        """Packets that came, by time of delivery."""
        return self.packets.filter(pl.col("out_ns").is_not_null()).sort("out_ns", "pkt")


def ways(bundle: Bundle, ue: str) -> list[Way]:
    """Uplink and downlink of a UE; of direct mode what it sends and what it gets.

    Raises:
        DataError: radio.trace has events only.
    """
    if str(bundle.settings.get("capture", {}).get("radio_trace", "full")) != "full":
        raise DataError(f"{bundle.path}: radio.trace has no packets; run it with capture.radio_trace: full")
    log, node, start = radio_log(bundle), bundle.ue_numbers[ue], bundle.start_ns
    entered = log.rows("pkt_in").select("pkt", "node", "bytes", in_ns=pl.col("t_ns") - start)
    left = log.rows("pkt_out").group_by("pkt", maintain_order=True).agg(
        out_node=pl.col("node").first(), out_ns=pl.col("t_ns").first() - start)
    reasons = {number: name for number, name in bundle.drop_reasons.items() if name not in HARMLESS}
    dropped = log.rows("pkt_drop").filter(pl.col("value").is_in(list(reasons))).group_by("pkt").agg(
        drop=pl.col("value").first().replace_strict(reasons, return_dtype=pl.String),
        drop_node=pl.col("node").first(), drop_peer=pl.col("peer").first())
    lives = entered.join(left, on="pkt", how="left").join(dropped, on="pkt", how="left").filter(pl.col("in_ns") >= 0)
    lives = lives.with_columns(drop=pl.when(pl.col("out_ns").is_null()).then(pl.col("drop"))).sort("in_ns", "pkt")
    lost_there = (pl.col("node") != node) & ((pl.col("drop_peer") == node) | (pl.col("drop_node") == node))
    to_ue = (pl.col("out_node") == node) | (pl.col("out_ns").is_null() & lost_there)
    blocks = log.rows("mac_rx").filter(pl.col("t_ns") >= start)
    up = blocks.filter((pl.col("peer") == node) & (pl.col("dir").cast(pl.String) != "dl"))
    down = blocks.filter((pl.col("node") == node) & (pl.col("dir").cast(pl.String) != "ul"))
    columns = ("pkt", "in_ns", "out_ns", "bytes", "drop")
    return [
        Way(name, packets.select(columns), of.select("bytes", t_ns=pl.col("t_ns") - start).sort("t_ns"))
        for name, packets, of in ((UP, lives.filter(pl.col("node") == node), up), (DOWN, lives.filter(to_ue), down))
    ]
