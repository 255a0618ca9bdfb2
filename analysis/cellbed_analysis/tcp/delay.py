# SPDX-License-Identifier: GPL-2.0-or-later
"""Datagrams on their way: one-way delays between the captures of both ends, which share a clock, and QUIC's spin bit.

UDP acknowledges nothing, so there is no RTT of a datagram. A QUIC connection whose two ends let the spin bit spin shows
one: the bit of what an end sends changes once a round trip.

Source: RFC 9000 section 17.4; RFC 9312 section 3.8.2
"""

from __future__ import annotations

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ..stats.ranks import with_rank
from .segment import before_the_wire

#: First byte of a QUIC packet with a short header: form and fixed bit, and the spin bit among the rest.
FORM_AND_FIXED, SHORT, SPIN = 0xC0, 0x40, 0x20
#: So many round trips, and this share of them no shorter than the way through the network, show a bit that spins.
SPINS_LEAST, PLAUSIBLE_SHARE = 3, 0.9


def datagram_delays(bundle: Bundle, flow: Flow, back: bool = False) -> pl.DataFrame:
    """Datagrams of one direction at the end that sends them.

    Twins with equal ports, length and first bytes are matched in their order.

    Args:
        back: those that go against the data direction.

    Returns:
        sent_ns (before the delay of a server's link), came_ns (null: lost, or the bundle has no capture there), tag,
        rank (among twins), first_byte, ip_bytes, payload_bytes; no rows without a capture at the sender.
    """
    source, sink = (flow.sink, flow.source) if back else (flow.source, flow.sink)
    columns = {"tag": "udp_tag", "first_byte": "first_byte", "ip_bytes": "ip_bytes", "payload_bytes": "payload_bytes"}

    def at(node: str) -> pl.DataFrame | None:
        return flow.packets(bundle.capture(node), back) if node in bundle.captured_nodes else None

    sent, came = at(source), at(sink)
    if sent is None:
        sent = bundle.capture(bundle.captured_nodes[0]).clear() if bundle.captured_nodes else None
    if sent is None:
        return pl.DataFrame(schema={"sent_ns": pl.Int64, "came_ns": pl.Int64, "tag": pl.UInt64, "rank": pl.Int64,
                                    "first_byte": pl.UInt8, "ip_bytes": pl.UInt16, "payload_bytes": pl.UInt16})
    sent = with_rank(before_the_wire(sent, bundle.link_of(source)), "rank", ["udp_tag"])
    left = sent.select(sent_ns="t_ns", rank="rank", **columns)
    other = with_rank((sent.clear() if came is None else came).select("udp_tag", came_ns="t_ns"), "rank", ["udp_tag"])
    return left.join(other, left_on=["tag", "rank"], right_on=["udp_tag", "rank"], how="left", maintain_order="left")


def spin_rtts(sent: pl.DataFrame, least_ns: int) -> tuple[np.ndarray, np.ndarray]:
    """Round trips that the spin bit of one end's packets shows.

    Args:
        sent: QUIC packets of one direction in the order in which that end sent them: sent_ns, first_byte.
        least_ns: the shortest way there and back that any packet of the connection had. Ends that do not let the bit
            spin may set it at random, which changes it far more often.

    Returns:
        When each round trip ended (n,), and how long it took (n,), in ns; none of a bit that does not spin.
    """
    short = sent.filter((pl.col("first_byte") & FORM_AND_FIXED) == SHORT)
    spin = (short["first_byte"].to_numpy() & SPIN) > 0
    edges = short["sent_ns"].to_numpy()[1:][spin[1:] != spin[:-1]]
    rtts = np.diff(edges)
    plausible = rtts >= least_ns
    if len(rtts) < SPINS_LEAST or plausible.mean() < PLAUSIBLE_SHARE:
        return edges[:0], rtts[:0]
    return edges[1:][plausible], rtts[plausible]


def least_way_ns(*ways: pl.DataFrame) -> int:
    """The shortest delays of both directions together. Args: ways: `datagram_delays` of each."""
    delays = [(way["came_ns"] - way["sent_ns"]).drop_nulls().to_numpy() for way in ways]
    return int(sum(delay.min() for delay in delays if len(delay)))
