# SPDX-License-Identifier: GPL-2.0-or-later
"""Fragments of IP packets: each belongs to the flow of its packet's first fragment, which alone has ports.

Source: RFC 791 section 2.3; RFC 8200 section 4.5
"""

from __future__ import annotations

import polars as pl

from cellbed_formats.packet import PROTOCOL_TCP

#: What fragments of one packet have in common.
PACKET = ("protocol", "src_high", "src_low", "dst_high", "dst_low", "ip_id")
#: What they take from the first one.
TAKEN = ("sport", "dport")
#: A first fragment with the same identification later than this is of another packet.
TOGETHER_NS = 10**9


def joined(packets: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Give fragments the ports of their packets, and a TCP segment all of its payload.

    Args:
        packets: in the file's order.

    Returns:
        The packets, and how many fragments have no first one: they stay out.
    """
    if not packets["fragment"].any():
        return packets, 0
    packets = packets.with_columns(order=pl.int_range(pl.len()))
    parts = packets.filter(pl.col("fragment") | pl.col("more_fragments"))
    # The first fragment may come behind others, and twice; its identification is used again, but not at once.
    first = ~pl.col("fragment")
    begun = pl.when(first).then(pl.col("t_ns")).forward_fill().shift(1).over(PACKET)
    later = (first & (pl.col("t_ns") - begun > TOGETHER_NS)).fill_null(False)
    parts = parts.with_columns(turn=later.cast(pl.Int32).cum_sum().over(PACKET))
    of = [*PACKET, "turn"]
    firsts = parts.filter(first)
    rest = parts.filter("fragment").drop(TAKEN).join(firsts.select(*of, *TAKEN).unique(of), on=of, how="inner")
    of_tcp = rest.filter(pl.col("protocol") == PROTOCOL_TCP).unique([*of, "next_word"]).group_by(of).agg(
        more=pl.col("payload_bytes").sum())
    longer = firsts.join(of_tcp, on=of).select("order", "more")
    whole = packets.filter(first).join(longer, on="order", how="left").with_columns(
        payload_bytes=pl.col("payload_bytes") + pl.col("more").fill_null(0)).select(packets.columns)
    rest = rest.with_columns(
        payload_bytes=pl.when(pl.col("protocol") == PROTOCOL_TCP).then(0).otherwise(pl.col("payload_bytes")))
    lost = int(packets["fragment"].sum()) - len(rest)
    found = pl.concat([whole, rest.select(packets.columns).cast(dict(whole.schema))])  # type: ignore[arg-type]
    return found.sort("order").drop("order").cast({"payload_bytes": packets.schema["payload_bytes"]}), lost
