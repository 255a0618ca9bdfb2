# SPDX-License-Identifier: GPL-2.0-or-later
"""Round trips of pings as the sender's capture sees them, and where their time went.

radio.trace has no tag for ICMP. What it does not tag comes in the same order there as in the capture of a UE, so a
packet's rank among those of its length finds it again: of what the UE sent by entry, of what it received by delivery.

Source: RFC 792 (Echo or Echo Reply Message); docs/trace-format.md (`tag`)
"""

from __future__ import annotations

import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.capture import PROTOCOL_TCP, PROTOCOL_UDP
from cellbed_formats.echo import echoes
from cellbed_formats.flow import Flow

from ..radio.packet_path import both_crossings
from ..stats.ranks import with_rank
from .segment import before_the_wire, radio_parts

#: A packet is in radio.trace at most so much before it is in the capture of what was sent, by the clocks of both.
CLOCKS_NS = 1_000_000
#: Of a round trip what lies between the radio and the reply's way back, where there is a capture of the replier.
BEYOND_PARTS = {
    "wires_there": "wires from the radio to the host that replies",
    "replier": "host that replies",
    "wires_back": "wires from that host to the radio",
}


def decomposed_echoes(bundle: Bundle, ping: Flow, lives: pl.DataFrame) -> pl.DataFrame:
    """Every echo request of a ping, in order.

    Args:
        lives: `packet_path.packet_paths` of the bundle's radio.trace.

    Returns:
        out_ns, seq (icmp_seq), ip_bytes, data_pkt and ack_pkt (packet numbers in radio.trace, of the request and its
        reply), ack_ns and rtt_ns (null: no reply came), and as `segment.decomposed_segments` has them the columns of
        both ways and RTT_PARTS; of a host with a capture there_ns and reply_ns, when it had the request and replied,
        and BEYOND_PARTS. Parts are null where radio.trace cannot tell the packet from others.
    """
    found = _round_trips(bundle, ping)
    for side, on, reply in (("data", "row", False), ("ack", "ack_row", True)):
        pkts = _on_radio(bundle, ping, reply)
        frame = radio_parts(both_crossings(lives, pkts)).join(pkts.select("row", "pkt"), on="pkt")
        frame = frame.rename({name: f"{side}_{name}" for name in frame.columns})
        found = found.join(frame, left_on=on, right_on=f"{side}_row", how="left", maintain_order="left")
    # In virtual time a host replies at once, and its link's share of the wire is known to a part of a microsecond.
    replied_ns = pl.max_horizontal("there_ns", "reply_ns")
    return found.with_columns(
        host_tx=pl.col("data_in_ns") - pl.col("out_ns"),
        receiver=pl.col("ack_in_ns") - pl.col("data_out_ns"),
        host_rx=pl.col("ack_ns") - pl.col("ack_out_ns"),
        wires_there=pl.col("there_ns") - pl.col("data_out_ns"),
        replier=replied_ns - pl.col("there_ns"),
        wires_back=pl.col("ack_in_ns") - replied_ns,
    )


def _round_trips(bundle: Bundle, ping: Flow) -> pl.DataFrame:
    """Requests with their first replies, by the captures: row, ack_row and all that is no matter of the radio."""
    here, there = (_of(bundle, ping, node) for node in (ping.source, ping.sink))
    link, far = bundle.link_of(ping.source), bundle.link_of(ping.sink)
    trips = before_the_wire(here.filter(~pl.col("reply")), link).select(
        "row", "seq", "ip_bytes", out_ns="t_ns", sent_ns="t_ns")
    for name, frame in (
        ("ack", here.filter("reply").select("seq", ack_row="row", ack_ns="last_ns")),
        ("there", there.filter(~pl.col("reply")).select("seq", there_ns="last_ns")),
        ("reply", before_the_wire(there.filter("reply"), far).select("seq", reply_ns="t_ns")),
    ):
        at = f"{name}_ns"
        trips = trips.sort("sent_ns", maintain_order=True).join_asof(
            frame.sort(at).with_columns(pl.col(at).alias("at_ns")), left_on="sent_ns", right_on="at_ns", by="seq",
            strategy="forward", check_sortedness=False).drop("at_ns")
    # icmp_seq has 16 bits: a request whose reply is lost has none of a later request with its number.
    again = pl.col("out_ns").shift(-1).over("seq", order_by="out_ns")
    before = {name: pl.when(again.is_null() | (pl.col(name.replace("row", "ns")) < again)).then(name)
              for name in ("there_ns", "reply_ns", "ack_row", "ack_ns")}
    return trips.with_columns(**before).with_columns(rtt_ns=pl.col("ack_ns") - pl.col("out_ns")).drop("sent_ns")


def _of(bundle: Bundle, ping: Flow, node: str) -> pl.DataFrame:
    """A ping's requests and replies at a node; none without a capture there."""
    capture = bundle.capture(node if node in bundle.captured_nodes else ping.source)
    found = echoes(capture).filter(
        (pl.col("requester") == ping.saddr) & (pl.col("replier") == ping.daddr) & (pl.col("id") == ping.sport))
    return found if node in bundle.captured_nodes else found.clear()


def _on_radio(bundle: Bundle, ping: Flow, reply: bool) -> pl.DataFrame:
    """row of requests or replies in the capture of the ping's source, pkt, and last_pkt, which goes to the receiver.

    From one UE to another by way of the network a packet enters the radio twice, as two packets.
    """
    sender, receiver = (ping.sink, ping.source) if reply else (ping.source, ping.sink)
    ways = [_same_echo(bundle, ping, node, _ranked(bundle, node, node == sender), reply)
            for node in (sender, receiver) if node in bundle.ue_numbers and node in bundle.captured_nodes]
    if not ways:
        return pl.DataFrame(schema={"row": pl.get_index_type(), "pkt": pl.UInt32, "last_pkt": pl.UInt32})
    return ways[0].join(ways[-1].select("row", last_pkt="pkt"), on="row", how="left", maintain_order="left")


def _ranked(bundle: Bundle, ue: str, sent: bool) -> pl.DataFrame:
    """row and pkt of what a UE sent, or received, that radio.trace does not tag."""
    rows = bundle.radio.filter((pl.col("tag") == 0) & (pl.col("event") == ("pkt_in" if sent else "pkt_out"))
                               & (pl.col("node") == bundle.ue_numbers[ue])).sort("t_ns", maintain_order=True)
    radio = with_rank(rows.select(pl.col("bytes").cast(pl.Int64), "pkt", radio_ns="t_ns"), "rank", ["bytes"])
    own = [address for address, node in bundle.names_by_address.items() if node == ue]
    tagged = pl.col("protocol").is_in([PROTOCOL_TCP, PROTOCOL_UDP]) & ~pl.col("fragment")
    elsewhere = bundle.addresses_elsewhere(ue)  # a capture has the packets of all radio networks
    here = ~pl.col("src").is_in(elsewhere) & ~pl.col("dst").is_in(elsewhere)
    captured = bundle.capture(ue).with_row_index("row").filter(~tagged & here & (pl.col("src").is_in(own) == sent))
    ranked = with_rank(captured.select("row", "t_ns", bytes=pl.col("ip_bytes").cast(pl.Int64)), "rank", ["bytes"])
    late_ns = (pl.col("radio_ns") - pl.col("t_ns")) * (1 if sent else -1)
    return ranked.join(radio, on=["bytes", "rank"]).filter(late_ns >= -CLOCKS_NS).select("row", "pkt")


def _same_echo(bundle: Bundle, ping: Flow, node: str, met: pl.DataFrame, reply: bool) -> pl.DataFrame:
    """row and pkt of a ping's requests or replies. Args: met: by their rows in the capture of @node."""
    here, there = (_of(bundle, ping, place).filter(pl.col("reply") == reply).select("row", "seq")
                   for place in (ping.source, node))
    return met.join(there, on="row").drop("row").join(here, on="seq").select("row", "pkt")
