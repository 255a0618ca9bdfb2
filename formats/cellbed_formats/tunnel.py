# SPDX-License-Identifier: GPL-2.0-or-later
"""IP packets inside of IP packets: what tunnels carry is found behind their headers, several of them deep.

A header that does not make sense, such as one whose inner packet is longer than the outer one, is no tunnel's.

Source: RFC 2003 (IP in IP), RFC 4213 (IPv6 in IPv4), RFC 2784 and RFC 2890 (GRE), RFC 7348 (VXLAN), RFC 8926 (Geneve);
TS 29.281 section 5 (GTP-U); WireGuard (its messages)
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .header import (
    ETHERNET_TYPE,
    IPV4_TYPE,
    IPV6_TYPE,
    MPLS_TYPES,
    PROTOCOL_UDP,
    UDP_HEADER_BYTES,
    Bytes,
    Network,
    behind_tags,
    gtp_payload,
    network,
)

IPIP, SIX_IN, GRE, GTPU, VXLAN, GENEVE = "ipip", "6in4", "gre", "gtp-u", "vxlan", "geneve"
KINDS = ("", IPIP, SIX_IN, GRE, GTPU, VXLAN, GENEVE)
PROTOCOL_IPIP, PROTOCOL_IPV6, PROTOCOL_GRE, PROTOCOL_ESP = 4, 41, 47, 50
GTPU_PORT, VXLAN_PORTS, GENEVE_PORT = 2152, (4789, 8472), 6081
#: Ethernet in GRE, and mirrored frames: ERSPAN of type II, and of type III, with the bytes of their headers.
BRIDGED, ERSPAN = 0x6558, {0x88BE: 8, 0x22EB: 12}
VXLAN_HEADER_BYTES, GENEVE_HEADER_BYTES = 8, 8
ETHERNET_BYTES = 14
LEVELS = 4

Ends = tuple[int, int, int, int]


@dataclass
class Carried:
    """What was found: for each IP packet where the innermost one starts, and the tunnel around that."""

    ip: Bytes
    version: np.ndarray
    tunnel: np.ndarray  # number in `tunnels` and one more; 0: none
    forth: np.ndarray  # whether it goes from the tunnel's first end to the other
    outer_bytes: np.ndarray  # of headers around the inner packet
    head: Network | None = None  # of the packets, where none is in a tunnel
    tunnels: list[tuple[str, Ends]] = field(default_factory=list)  # kind, addresses from the smaller end to the other


def carried(ip: Bytes, version: np.ndarray) -> Carried:
    """Follow tunnels to the packets in them."""
    at, version = ip.at.copy(), version.copy()
    found = Carried(Bytes(ip.content, at, ip.end), version, np.zeros(len(at), dtype=np.int64), np.zeros(len(at), bool),
                    np.zeros(len(at), dtype=np.int64))
    rows = np.arange(len(at))
    for level in range(LEVELS):
        outer = found.ip.of(rows)
        head = network(outer, version[rows])
        if not level:
            found.head = head
        skipped, typed, kind = _inside(outer, head, version[rows])
        inner = outer.plus(np.maximum(skipped, 0))
        nibble = inner.byte() >> 4
        skipped = np.where(_makes_sense(inner, nibble, typed), skipped, -1)
        keep = np.flatnonzero(skipped > 0)
        if not len(keep):
            break
        found.head = None
        _note(found, rows[keep], kind[keep], head.of(keep))
        rows, inner = rows[keep], inner.of(keep)
        at[rows], version[rows] = inner.at, nibble[keep]
    found.outer_bytes = at - ip.at
    return found


def is_wireguard(udp_payload: Bytes, n_bytes: np.ndarray) -> np.ndarray:
    """Whether datagrams are WireGuard's: a type, three zeros, and the length of that type."""
    kind = udp_payload.number(0, 4)
    lengths = {0x01000000: 148, 0x02000000: 92, 0x03000000: 64}
    found = (kind == 0x04000000) & (n_bytes >= 32) & (n_bytes % 16 == 0)
    for number, length in lengths.items():
        found |= (kind == number) & (n_bytes == length)
    return found


def _inside(ip: Bytes, head: Network, version: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bytes from each packet's start to one inside of it (-1: none), its EtherType (0: either), kind of the tunnel."""
    n = len(version)
    skipped, typed, kind = np.full(n, -1), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    whole = ~head.elsewhere
    for protocol, inside, name in ((PROTOCOL_IPIP, IPV4_TYPE, IPIP), (PROTOCOL_IPV6, IPV6_TYPE, SIX_IN)):
        own = np.flatnonzero(whole & (head.protocol == protocol))
        skipped[own], typed[own], kind[own] = head.bytes[own], inside, KINDS.index(name)
    own = np.flatnonzero(whole & (head.protocol == PROTOCOL_GRE))
    if len(own):
        length, ethertype = _gre(ip.of(own).plus(head.bytes[own]))
        skipped[own], typed[own] = np.where(length >= 0, head.bytes[own] + length, -1), ethertype
        kind[own] = KINDS.index(GRE)
    udp = np.flatnonzero(whole & (head.protocol == PROTOCOL_UDP))
    if not len(udp):
        return skipped, typed, kind
    above = ip.of(udp).plus(head.bytes[udp])
    source, sink = above.number(0, 2), above.number(2, 2)
    payload = above.plus(UDP_HEADER_BYTES)
    for name, ports in ((GTPU, (GTPU_PORT,)), (VXLAN, VXLAN_PORTS), (GENEVE, (GENEVE_PORT,))):
        which = np.flatnonzero(np.isin(sink, ports) | ((name == GTPU) & np.isin(source, ports)))
        if not len(which):
            continue
        start, rows = payload.of(which), udp[which]
        if name == GTPU:
            length, ethertype = gtp_payload(start), np.zeros(len(which), dtype=np.int64)
        elif name == VXLAN:
            length, ethertype = np.where(start.byte() & 8, VXLAN_HEADER_BYTES, -1), np.full(len(which), ETHERNET_TYPE)
        else:
            length = np.where(start.byte() >> 6 == 0, GENEVE_HEADER_BYTES + (start.byte() & 0x3F) * 4, -1)
            ethertype = start.number(2, 2)
        length, ethertype = _ethernet(start, length, np.where(ethertype == BRIDGED, ETHERNET_TYPE, ethertype))
        skipped[rows] = np.where(length >= 0, head.bytes[rows] + UDP_HEADER_BYTES + length, -1)
        typed[rows], kind[rows] = ethertype, KINDS.index(name)
    return skipped, typed, kind


def _gre(start: Bytes) -> tuple[np.ndarray, np.ndarray]:
    """Bytes of GRE's header up to an IP packet, -1 without one, and the EtherType."""
    flags, ethertype = start.number(0, 2), start.number(2, 2)
    length = 4 + 4 * ((flags >> 15 & 1) + (flags >> 13 & 1) + (flags >> 12 & 1))
    length = np.where((flags & 7) == 0, length, -1)
    for mirrored, header in ERSPAN.items():
        own = ethertype == mirrored
        # Without a sequence number ERSPAN is of type I, which has no header.
        length = np.where(own & (length >= 0) & (flags >> 12 & 1 == 1), length + header, length)
        ethertype = np.where(own, ETHERNET_TYPE, ethertype)
    return _ethernet(start, length, np.where(ethertype == BRIDGED, ETHERNET_TYPE, ethertype))


def _ethernet(start: Bytes, length: np.ndarray, ethertype: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same behind an Ethernet header, where one is inside, or labels of MPLS."""
    for wanted, header in (((ETHERNET_TYPE,), ETHERNET_BYTES), (MPLS_TYPES, 0)):
        own = np.flatnonzero(np.isin(ethertype, wanted) & (length >= 0))
        if len(own):
            frame = start.of(own).plus(length[own])
            inner = frame.number(12, 2) if header else ethertype[own]
            ethertype[own], more = behind_tags(frame, inner, header)
            length[own] += more
    return length, ethertype


def _makes_sense(inner: Bytes, nibble: np.ndarray, typed: np.ndarray) -> np.ndarray:
    """Whether an IP packet starts there, with a version that is the EtherType's."""
    four = (nibble == 4) & ((inner.byte() & 15) >= 5) & np.isin(typed, (0, IPV4_TYPE))
    six = (nibble == 6) & np.isin(typed, (0, IPV6_TYPE))
    return (four | six) & (inner.at < inner.end)


def _note(found: Carried, rows: np.ndarray, kind: np.ndarray, head: Network) -> None:
    """Number the tunnels around some packets."""
    ends = np.stack([head.src_high, head.src_low, head.dst_high, head.dst_low], axis=1)
    swap = (ends[:, 0] > ends[:, 2]) | ((ends[:, 0] == ends[:, 2]) & (ends[:, 1] > ends[:, 3]))
    ends = np.where(swap[:, None], ends[:, [2, 3, 0, 1]], ends)
    every, which = np.unique(np.concatenate([ends, kind[:, None].astype(np.uint64)], axis=1), axis=0,
                             return_inverse=True)
    numbers = []
    for *pair, number in every.tolist():
        tunnel = (KINDS[int(number)], tuple(int(part) for part in pair))
        if tunnel not in found.tunnels:
            found.tunnels.append(tunnel)  # type: ignore[arg-type]
        numbers.append(found.tunnels.index(tunnel) + 1)  # type: ignore[arg-type]
    found.tunnel[rows], found.forth[rows] = np.array(numbers)[which.reshape(-1)], ~swap
