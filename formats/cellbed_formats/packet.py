# SPDX-License-Identifier: GPL-2.0-or-later
"""Fields of the packets of any capture: of IP as `header` finds it, of TCP with its options, of UDP.

What a short snap length cut off reads as 0, so lengths are taken from headers and never from what was captured.

Source: RFC 9293 section 3.1; RFC 768; RFC 2018 section 3; RFC 2883 section 4; RFC 7323 section 3.2
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from .header import (
    COOKED_2,
    ETHERNET,
    IPV6_HEADER_BYTES,
    LINKS,
    PROTOCOL_TCP,
    PROTOCOL_UDP,
    UDP_HEADER_BYTES,
    VLAN_TYPES,
    Bytes,
    ip_places,
    network,
)
from .pcap_file import Records
from .tunnel import Ends, carried, is_wireguard

__all__ = ["LINKS", "PROTOCOL_TCP", "PROTOCOL_UDP", "Bytes", "Packets", "ip_packets"]

FIN, SYN, RST, PSH, ACK, ECE, CWR = 0x01, 0x02, 0x04, 0x08, 0x10, 0x40, 0x80
TCP_HEADER_BYTES = 20
#: Kinds of TCP options. An option list has at most so many entries.
NOP, OPTION_MSS, OPTION_SCALE, OPTION_SACK_OK, OPTION_SACK, OPTION_TIME, OPTIONS_MAX = 1, 2, 3, 4, 5, 8, 40
#: What a snap length cut off: nothing, options of TCP, the header itself.
CUT_NOTHING, CUT_OPTIONS, CUT_HEADER = 0, 1, 2
#: Odd numbers that mix what tells places of a network apart into one number.
MIX = np.array([0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D], dtype=np.int64)

#: Columns of all packets; then those of a TCP header's options.
SCHEMA = {
    "t_ns": pl.Int64, "row": pl.UInt32, "version": pl.UInt8, "protocol": pl.UInt8,
    "src_high": pl.UInt64, "src_low": pl.UInt64, "dst_high": pl.UInt64, "dst_low": pl.UInt64,
    "ip_bytes": pl.UInt32, "ip_id": pl.UInt32, "ecn": pl.UInt8, "fragment": pl.Boolean,
    "sport": pl.UInt16, "dport": pl.UInt16, "seq": pl.UInt32, "ack": pl.UInt32, "flags": pl.UInt8,
    "window": pl.UInt16, "payload_bytes": pl.UInt32, "first_byte": pl.UInt8, "next_word": pl.UInt32,
}  # fmt: skip
OPTIONS = {
    "mss": pl.UInt16, "scale": pl.UInt8, "sack_ok": pl.Boolean, "timed": pl.Boolean, "ts_val": pl.UInt32,
    "ts_ecr": pl.UInt32, "sacks": pl.UInt8, "sack_left": pl.UInt32, "sack_right": pl.UInt32, "sack_reach": pl.UInt32,
    "dsack": pl.Boolean,
}  # fmt: skip
#: And those that say where, and in what, a packet was captured.
PLACES = {
    "more_fragments": pl.Boolean, "hop_limit": pl.UInt8, "udp_sum": pl.UInt16, "cut": pl.UInt8, "interface": pl.UInt32,
    "wire": pl.UInt32, "tunnel": pl.UInt32, "outer_bytes": pl.UInt16, "outer_forth": pl.Boolean,
    "wireguard": pl.Boolean,
}  # fmt: skip


@dataclass(frozen=True)
class Packets:
    """IP packets of a capture: their fields, and where they start."""

    frame: pl.DataFrame  # SCHEMA, and OPTIONS and PLACES where they were asked for
    ip: Bytes
    header_bytes: np.ndarray  # of IP
    tunnels: list[tuple[str, Ends]] = field(default_factory=list)  # kind and ends; numbers from 1 in `tunnel`


def ip_packets(records: Records, options: bool = False, places: bool = False) -> Packets:
    """Fields of the IPv4 and IPv6 packets of a capture, in its order.

    Returns:
        Times in ns since 1970; `row`, the packet's place in the file, from 0. IPv4 addresses are mapped into IPv6's.
        Columns of TCP are 0 for other protocols, of which UDP has ports, payload and its payload's `first_byte`, and
        the `next_word` after that. A `fragment` that is not a packet's first has no ports. With `options` also mss and
        scale (0: not told), sack_ok, timestamps, how many blocks of SACK there are, the first of them, the highest
        end of any, and whether the first repeats what was received before (`dsack`). With `places` the packets that
        tunnels carry are in the place of the tunnels' own, and there are also more_fragments, hop_limit, udp_sum, cut
        (CUT_…), interface, wire (a number for both ends of the link and its VLAN; 0: not known), tunnel,
        outer_bytes (of headers around the packet), outer_forth, wireguard; and
        next_word is the offset of a fragment that is not the first.
    """
    start = Bytes(records.content, records.start, records.start + records.captured)
    rows, ip, version = ip_places(start, records.link, records.links, records.original)
    inside = carried(ip, version) if places else None
    if inside is not None:
        ip, version = inside.ip, inside.version
    four = version == 4
    head = network(ip, version) if inside is None or inside.head is None else inside.head
    header, protocol, fragment = head.bytes, head.protocol, head.elsewhere
    on_wire = records.original[rows] - (ip.at - records.start[rows])
    told = np.where(four, ip.number(2, 2), ip.number(4, 2) + IPV6_HEADER_BYTES)
    # A host that leaves segmentation to its device says 0 for what is longer than the field holds.
    ip_bytes = np.where(told == np.where(four, 0, IPV6_HEADER_BYTES), np.maximum(on_wire, told), told)
    of_tcp, of_udp = protocol == PROTOCOL_TCP, protocol == PROTOCOL_UDP
    whole = ~fragment
    tcp, udp = (of_tcp & whole).astype(np.int64), (of_udp & whole).astype(np.int64)
    above = ip.plus(header)
    tcp_header = (above.byte(12) >> 4) * 4 * tcp
    columns = {
        "t_ns": records.t_ns[rows], "row": rows, "version": version, "protocol": protocol,
        "src_high": head.src_high, "src_low": head.src_low, "dst_high": head.dst_high, "dst_low": head.dst_low,
        "ip_bytes": ip_bytes, "ip_id": head.ip_id,
        "ecn": np.where(four, ip.byte(1), ip.byte(1) >> 4) & 3, "fragment": fragment,
        "sport": above.number(0, 2) * (tcp + udp), "dport": above.number(2, 2) * (tcp + udp),
        "seq": above.number(4, 4) * tcp, "ack": above.number(8, 4) * tcp, "flags": above.byte(13) * tcp,
        "window": above.number(14, 2) * tcp,
        "payload_bytes": np.maximum(ip_bytes - header - tcp_header - UDP_HEADER_BYTES * udp, 0) * (of_tcp | of_udp),
        "first_byte": above.byte(UDP_HEADER_BYTES) * udp, "next_word": above.number(UDP_HEADER_BYTES + 1, 4) * udp,
    }  # fmt: skip
    schema = SCHEMA
    if options:
        columns |= _options(above, tcp_header)
        schema = schema | OPTIONS
    if inside is not None:
        columns |= {"more_fragments": head.more, "hop_limit": np.where(four, ip.byte(8), ip.byte(7)),
                    "next_word": np.where(fragment, head.offset, columns["next_word"]),
                    "udp_sum": above.number(6, 2) * udp, **_cut(above, tcp_header, tcp, udp),
                    **_where(records, start, rows), "tunnel": inside.tunnel, "outer_bytes": inside.outer_bytes,
                    "outer_forth": inside.forth,
                    "wireguard": is_wireguard(above.plus(UDP_HEADER_BYTES), columns["payload_bytes"]) & (udp == 1)}
        schema = schema | PLACES
    frame = pl.DataFrame([pl.Series(name, np.ascontiguousarray(columns[name])).cast(kind, wrap_numerical=True)
                          for name, kind in schema.items()])
    return Packets(frame, ip, header, [] if inside is None else inside.tunnels)


def _cut(above: Bytes, tcp_header: np.ndarray, tcp: np.ndarray, udp: np.ndarray) -> dict[str, np.ndarray]:
    """How much of each transport's header is missing."""
    have = above.end - above.at
    header = (have < TCP_HEADER_BYTES * tcp + UDP_HEADER_BYTES * udp) & (tcp + udp > 0)
    return {"cut": np.where(header, CUT_HEADER, np.where(have < tcp_header, CUT_OPTIONS, CUT_NOTHING))}


def _where(records: Records, start: Bytes, rows: np.ndarray) -> dict[str, np.ndarray]:
    """On which interface, and between which ends of a link, packets were captured."""
    interface, wire = records.interface[rows].copy(), np.zeros(len(rows), dtype=np.int64)
    link = records.link[rows]
    own = np.flatnonzero(link == COOKED_2)
    if len(own):
        interface[own] = start.of(rows[own]).number(4, 4)
    own = np.flatnonzero(link == ETHERNET)
    if len(own):
        frame = start.of(rows[own])
        ends = [frame.number(place, 2) << 32 | frame.number(place + 2, 4) for place in (0, 6)]
        tagged = np.isin(frame.number(12, 2), VLAN_TYPES)
        vlan = np.where(tagged, (frame.number(14, 2) & 0xFFF) + 1, 0)
        mixed = (np.minimum(*ends) * MIX[0]) ^ (np.maximum(*ends) * MIX[1]) ^ (vlan * MIX[2])
        wire[own] = (mixed ^ mixed >> 32) & 0xFFFFFFFF
    return {"interface": interface, "wire": wire}


def _options(tcp: Bytes, header_bytes: np.ndarray) -> dict[str, np.ndarray]:
    """What TCP's options say: an entry of all packets' lists at a time."""
    found = {name: np.zeros(len(header_bytes), dtype=np.int64) for name in OPTIONS}
    rows = np.flatnonzero(header_bytes > 20)
    place = np.full(len(rows), 20)
    for _ in range(OPTIONS_MAX):
        here = tcp.of(rows).plus(place)
        kind = here.byte()
        length = np.where(kind == NOP, 1, here.byte(1))
        # An option needs its length, and room: a list that lies ends there.
        go_on = (kind != 0) & (length >= np.where(kind == NOP, 1, 2)) & (place + length <= header_bytes[rows]) & (
            here.at + length <= here.end)
        rows, place, kind, length = rows[go_on], place[go_on], kind[go_on], length[go_on]
        if not len(rows):
            break
        _take(found, tcp.of(rows).plus(place), rows, kind, length)
        place = place + length
        left = place < header_bytes[rows]
        rows, place = rows[left], place[left]
    return found


def _take(found: dict[str, np.ndarray], option: Bytes, rows: np.ndarray, kind: np.ndarray, length: np.ndarray) -> None:
    """Note one option of each of some packets."""
    for wanted, n_bytes, names in ((OPTION_TIME, 10, ("ts_val", "ts_ecr")), (OPTION_MSS, 4, ("mss",)),
                                   (OPTION_SCALE, 3, ("scale",)), (OPTION_SACK_OK, 2, ("sack_ok",))):
        at = np.flatnonzero((kind == wanted) & (length == n_bytes))
        if not len(at):
            continue
        own = option.of(at)
        for place, name in enumerate(names):
            each = (n_bytes - 2) // len(names)
            found[name][rows[at]] = own.number(2 + place * each, each) if each else 1
        if wanted == OPTION_TIME:
            found["timed"][rows[at]] = 1
    at = np.flatnonzero((kind == OPTION_SACK) & (length >= 10))
    if len(at):
        _sack(found, option.of(at), rows[at], (length[at] - 2) // 8)


def _sack(found: dict[str, np.ndarray], option: Bytes, rows: np.ndarray, blocks: np.ndarray) -> None:
    """The first block and the farthest end of any, relative to the first: sequence numbers wrap."""
    left, right = option.number(2, 4), option.number(6, 4)
    reach, second = right.copy(), np.flatnonzero(blocks > 1)
    within = np.zeros(len(rows), dtype=bool)
    for place in range(1, 4):
        more = np.flatnonzero(blocks > place)
        ends = option.of(more).number(6 + 8 * place, 4)
        reach[more] = np.where(_after(ends, reach[more]), ends, reach[more])
    if len(second):
        own = option.of(second)
        within[second] = ~_after(own.number(10, 4), left[second]) & ~_after(right[second], own.number(14, 4))
    found["sacks"][rows] = blocks
    found["sack_left"][rows], found["sack_right"][rows], found["sack_reach"][rows] = left, right, reach
    found["dsack"][rows] = within


def _after(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether sequence numbers come after others."""
    return (a != b) & (((a - b) & 0xFFFFFFFF) < 2**31)
