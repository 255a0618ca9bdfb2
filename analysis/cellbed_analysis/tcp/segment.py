# SPDX-License-Identifier: GPL-2.0-or-later
"""TCP segments as the sender's capture sees them, and where their RTT went.

The RTT of a data segment is the time from the segment leaving the sender to
the first ACK that covers it (Karn: not for retransmitted segments). Joined with
radio.trace it splits into the parts below, which are differences of successive
moments and therefore add up to the RTT exactly.

Source: RFC 6298 section 3 (Karn's algorithm)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.capture import ACK, SYN
from cellbed_formats.error import DataError
from cellbed_formats.flow import Flow

from ..radio.packet_path import ENB, MOMENTS, both_crossings
from ..stats.ranks import with_rank

#: Of the header that a link sends with each packet.
ETHERNET_BYTES = 14

#: Parts of one way through the radio network in order, each ended by the moment named; labels for people.
WAY_PARTS = {
    "queue": "wait in the RLC queue behind earlier data",
    "rac_wait": "wait before the RAC request",
    "rar": "RAC request to its answer",
    "bsr": "answer to the BSR",
    "bsr_decode": "BSR on the air and decoded",
    "bsr_harq": "HARQ retransmissions of the BSR",
    "tdd": "wait for an uplink slot",
    "schedule": "wait for the data grant",
    "grant": "data grant to transmission",
    "air": "transmission and decoding",
    "harq": "HARQ retransmissions",
    "arq": "RLC retransmissions",
    "dl_tdd": "wait for a downlink slot",
    "dl_wait": "wait at the eNB for the downlink",
    "dl": "downlink and decoding",
    "dl_harq": "HARQ retransmissions in the downlink",
    "dl_arq": "RLC retransmissions in the downlink",
    "link_wait": "wait in the queue of the link",
    "link": "sent, and on the way over the link",
    "reorder": "RLC reassembly and reordering",
}
#: The same in NR, where other things take that time.
NR_WAY_PARTS = {
    "rac_wait": "wait for an occasion to request a grant",
    "rar": "request (SR or random access) to the grant that answers it",
    "bsr": "that grant to the BSR",
    "dl_wait": "wait at the gNB for the downlink",
    "reorder": "RLC reassembly, and reordering in PDCP",
}
#: Of these, time that errors of the radio took; empty where every first attempt is decoded.
HARQ_PARTS, ARQ_PARTS = ("bsr_harq", "harq", "dl_harq"), ("arq", "dl_arq")
#: All parts of a round trip, in order.
RTT_PARTS = (
    "host_tx",
    *(f"data_{part}" for part in WAY_PARTS),
    "receiver",
    *(f"ack_{part}" for part in WAY_PARTS),
    "host_rx",
)
HOST_LABELS = {
    "host_tx": "sender's host, capture to radio",
    "receiver": "receiver's host and TCP (delayed ACK)",
    "host_rx": "sender's host, radio to capture",
}
#: The same where the sender, or for `receiver` the receiver, is a server behind the eNB.
WIRED_LABELS = {
    "host_tx": "sender's host and wires to the radio",
    "receiver": "wires, receiver's host and TCP (delayed ACK)",
    "host_rx": "wires from the radio to the sender's host",
}


#: What goes there and what comes back: of a flow of TCP, of a ping.
DATA_AND_ACK, ECHOES = {"data": "data", "ack": "ACK"}, {"data": "echo request", "ack": "echo reply"}


def part_label(part: str, wired: bool = False, nr: bool = False, packets: Mapping[str, str] = DATA_AND_ACK) -> str:
    """A part of the RTT in words, e.g. "data: wait before the RAC request"."""
    if part in HOST_LABELS:
        label = (WIRED_LABELS if wired else HOST_LABELS)[part]
        return label if packets is DATA_AND_ACK else label.replace(" and TCP (delayed ACK)", "")
    side, _, step = part.partition("_")
    words = WAY_PARTS | NR_WAY_PARTS if nr else WAY_PARTS
    return f"{packets[side]}: {words[step]}"


def tcp_tag() -> pl.Expr:
    """Tag of a TCP packet as celld computes it: seq << 32 | ack."""
    return pl.col("seq").cast(pl.UInt64) * 2**32 + pl.col("ack").cast(pl.UInt64)


def flow_packets(bundle: Bundle, flow: Flow, node: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A flow's data direction and ACK direction at one node's capture.

    iperf3 opens a control connection to the same port; the flow is the
    connection that carried most payload. What the node sends has the time at
    which TCP sends it, before the delay of a server's link.

    Raises:
        DataError: the capture has no data of this flow.
    """
    packets = bundle.capture(node).with_row_index("row").with_columns(tag=tcp_tag())
    data = flow.packets(packets)
    volume = data.group_by("sport").agg(pl.col("payload_bytes").sum()).sort("payload_bytes")
    if volume.is_empty() or volume["payload_bytes"][-1] == 0:
        raise DataError(f"{bundle.path}: flow {flow.id}: ip-{node}.pcap has no data of it; choose another flow")
    port = flow.sport if flow.found else volume["sport"][-1]
    acks = packets.filter(
        (pl.col("src") == flow.daddr)
        & (pl.col("dst") == flow.saddr)
        & (pl.col("sport") == flow.port)
        & (pl.col("dport") == port)
        & (pl.col("flags") & ACK == ACK)  # a reset acknowledges nothing
    )
    data = data.filter(pl.col("sport") == port)
    if node == flow.source:
        return before_the_wire(data, bundle.link_of(node)), acks
    return data, before_the_wire(acks, bundle.link_of(node))


def before_the_wire(sent: pl.DataFrame, link: dict[str, Any] | None) -> pl.DataFrame:
    """Packets with the time at which they came to a link, whose qdisc delays them before captures see them.

    What they waited for others at the link's rate is not known and stays.
    """
    if link is None:
        return sent
    transmission_ns = (pl.col("ip_bytes").cast(pl.Int64) + ETHERNET_BYTES) * 8_000_000_000 // int(link["rate"])
    return sent.with_columns(pl.col("t_ns") - round(link["delay_ms"] * 1e6) - transmission_ns)


def unwrap(seq: np.ndarray) -> np.ndarray:
    """Sequence numbers as int64 that do not wrap, starting with the first one's value.

    Args:
        seq: (n,) uint32, neighbours less than 2**31 apart.
    """
    seq = seq.astype(np.int64)
    steps = (np.diff(seq) + 2**31) % 2**32 - 2**31
    return np.concatenate([seq[:1], seq[:1] + np.cumsum(steps)])


def data_segments(data: pl.DataFrame, acks: pl.DataFrame) -> pl.DataFrame:
    """RTT of each data segment at the sender.

    Args:
        data: packets of the data direction in capture order.
        acks: packets of the ACK direction in capture order.

    Returns:
        One row per transmission that carries payload: out_ns, seq (bytes since
        the initial sequence number), payload_bytes, tag, data_row,
        retransmitted (its bytes were sent more than once), ack_ns, ack_tag,
        ack_row (of the first ACK covering it), oldest (the first segment that
        this ACK covers), flight_bytes (sent and not acknowledged, itself
        included), rtt_ns; null where never acknowledged or, for rtt_ns,
        retransmitted.
    """
    base = first_byte(data["seq"].to_numpy(), data["flags"].to_numpy())
    segments = data.with_columns(position=pl.Series(unwrap(data["seq"].to_numpy()) - base)).filter(
        pl.col("payload_bytes") > 0
    )
    start = segments["position"].to_numpy()
    end = start + segments["payload_bytes"].to_numpy()
    reach = np.maximum.accumulate(positions(acks["ack"].to_numpy(), base))
    cover, una = covering(segments["t_ns"].to_numpy(), end, acks["t_ns"].to_numpy(), reach)
    covered = cover < len(reach)
    oldest = np.zeros(len(cover), dtype=bool)
    oldest[np.unique(cover, return_index=True)[1]] = True

    def of_ack(name: str) -> pl.Series:
        some = acks[name] if len(acks) else acks[name].clear(1)
        return some.gather(np.where(covered, cover, 0)).set(pl.Series(~covered), None)

    return segments.select(
        out_ns="t_ns",
        seq="position",
        payload_bytes="payload_bytes",
        tag="tag",
        data_row="row",
        retransmitted=pl.Series(sent_more_than_once(start, end)),
        oldest=pl.Series(oldest & covered),
        flight_bytes=pl.Series(end - una),
        ack_ns=of_ack("t_ns"),
        ack_tag=of_ack("tag"),
        ack_row=of_ack("row"),
    ).with_columns(rtt_ns=pl.when(~pl.col("retransmitted")).then(pl.col("ack_ns") - pl.col("out_ns")))


def first_byte(seq: np.ndarray, flags: np.ndarray) -> int:
    """Sequence number of the first byte of a direction: after its SYN, else of its first packet."""
    return int(seq[0]) + (1 if flags[0] & SYN else 0)


def positions(ack: np.ndarray, base: int) -> np.ndarray:
    """What each ACK acknowledges, in bytes after the sequence number @base, on whichever side of a wrap."""
    numbers = unwrap(ack)
    return numbers - numbers[:1] + (numbers[:1] - base + 2**31) % 2**32 - 2**31


def covering(
    out_ns: np.ndarray, end: np.ndarray, ack_ns: np.ndarray, reach: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which ACK is the first to cover each segment, and what was acknowledged when it was sent.

    Args:
        end: position of each segment's end.
        reach: bytes acknowledged so far at each ACK: a late ACK never takes anything back.

    Returns:
        Index of the ACK, len(reach) without one; bytes acknowledged.
    """
    known = np.searchsorted(ack_ns, out_ns, "right")
    return np.searchsorted(reach, end), np.concatenate([[0], reach])[known]


def sent_more_than_once(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Which transmissions overlap another one in sequence space."""
    order = np.lexsort((end, start))
    reached = np.maximum.accumulate(end[order])
    repeats_earlier = np.zeros(len(start), dtype=bool)
    repeats_earlier[1:] = start[order][1:] < reached[:-1]
    follow = np.zeros(len(start), dtype=bool)
    follow[:-1] = start[order][1:] < end[order][:-1]
    result = np.zeros(len(start), dtype=bool)
    result[order] = repeats_earlier | follow
    return result


def way_parts(life: pl.DataFrame) -> pl.DataFrame:
    """Split each packet's way through the radio network into WAY_PARTS.

    A part ends at its moment; a packet that lacks the moment has an empty part,
    and one that joined a request under way begins its parts at its arrival.

    Args:
        life: rows of `packet_path.packet_paths`, delivered packets only.

    Returns:
        One Int64 column per part, in ns, in the order of `life`; each row's
        sum is out_ns - in_ns.
    """
    moments = life.select(pl.col(MOMENTS).fill_null(-1))
    arrived = moments["in_ns"].to_numpy()
    before = arrived
    parts = {}
    for part, moment in zip(WAY_PARTS, MOMENTS[1:], strict=True):
        at = moments[moment].to_numpy()
        after = np.where(at < 0, before, np.maximum(at, arrived))
        parts[part] = after - before
        before = after
    return pl.DataFrame(parts)


def radio_parts(lives: pl.DataFrame) -> pl.DataFrame:
    """Delivered packets with their parts, keyed for joining with captures.

    Returns:
        `lives` of delivered packets with WAY_PARTS columns and two ranks among
        packets of the same node and tag: in order of entry and of delivery. A
        pure ACK may repeat another's numbers, and captures and trace have such
        twins in the same order.
    """
    entered = with_rank(lives, "in_rank", ["node", "tag"], "in_ns")
    ranked = with_rank(entered.filter(pl.col("out_ns").is_not_null()), "out_rank", ["node", "tag"], "out_ns")
    return pl.concat([ranked, way_parts(ranked)], how="horizontal")


def decomposed_segments(bundle: Bundle, flow: Flow, lives: pl.DataFrame) -> pl.DataFrame:
    """`data_segments` of a flow at its sender, with the parts of each RTT.

    Args:
        lives: `packet_path.packet_paths` of the bundle's radio.trace.

    Returns:
        The columns of `data_segments`, data_pkt and ack_pkt (packet numbers in
        radio.trace) and RTT_PARTS in ns; the parts are null where the RTT is,
        or where the trace lacks the packet.
    """
    data, acks = flow_packets(bundle, flow, flow.source)
    segments = data_segments(data, acks)
    sent = _leg(bundle, lives, flow.source, flow.sink, "data")
    returned = _leg(bundle, lives, flow.sink, flow.source, "ack")
    data_rank = with_rank(data.select("row", "tag"), "data_rank", ["tag"]).drop("tag")
    ack_rank = with_rank(acks.select("row", "tag"), "ack_rank", ["tag"]).drop("tag")
    joined = (
        segments.join(data_rank, left_on="data_row", right_on="row", how="left")
        .join(ack_rank, left_on="ack_row", right_on="row", how="left")
        .join(sent, left_on=["tag", "data_rank"], right_on=["data_tag", "data_in_rank"], how="left")
        .join(
            returned,
            left_on=["ack_tag", "ack_rank"],
            right_on=["ack_tag", "ack_out_rank"],
            how="left",
        )
    )
    return joined.with_columns(
        host_tx=pl.col("data_in_ns") - pl.col("out_ns"),
        receiver=pl.col("ack_in_ns") - pl.col("data_out_ns"),
        host_rx=pl.col("ack_ns") - pl.col("ack_out_ns"),
    ).sort("data_row")


def _leg(bundle: Bundle, lives: pl.DataFrame, sender: str, receiver: str, side: str) -> pl.DataFrame:
    """Packets that entered where the sender is, every column prefixed with the side's name."""
    entered = lives.filter(pl.col("node") == bundle.radio_node(sender))
    if sender in bundle.ue_numbers and receiver in bundle.ue_numbers:
        entered = both_crossings(lives, _crossings(entered, lives.filter(pl.col("node") == ENB)))
    frame = radio_parts(entered).drop("node")
    return frame.rename({name: f"{side}_{name}" for name in frame.columns})


def _crossings(entered: pl.DataFrame, back: pl.DataFrame) -> pl.DataFrame:
    """pkt and last_pkt, as `both_crossings` wants them, of what one UE sends to another.

    That is directly, by the eNB, or by way of the core network, where the packet gets another number.

    Args:
        entered: lives of what entered at the UE.
        back: lives of what the core network sends; twins are in the same order there.
    """
    sent_back = pl.col("dl_tx_ns").is_null() & pl.col("direction").ne_missing("sl") & pl.col("out_ns").is_not_null()
    there = with_rank(entered.filter(sent_back), "rank", ["tag"], "out_ns").select("pkt", "tag", "rank")
    last = with_rank(back, "rank", ["tag"], "in_ns").select("tag", "rank", last_pkt="pkt")
    pairs = there.join(last, on=["tag", "rank"], how="left").select("pkt", "last_pkt")
    rest = entered.join(pairs, on="pkt", how="anti").select("pkt", last_pkt="pkt")
    return pl.concat([rest, pairs]).sort("pkt")
