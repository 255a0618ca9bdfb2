# SPDX-License-Identifier: GPL-2.0-or-later
"""Reader of the IP captures (ip-*.pcap) that ipdump writes.

dpkt judges the container; records are then walked, and the IPv4 and TCP headers
of all packets taken apart together with numpy, since a Python object per packet
would cost more than the whole emulation of that packet did.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from pathlib import Path

import dpkt
import numpy as np
import polars as pl

from . import stored
from .error import FileError

#: Bytes in front of the IP header for the link types of TUN devices and wires.
LINK_HEADER_BYTES = {12: 0, 101: 0, 228: 0, 1: 14}
#: Byte order and ns per unit of a record's fraction of a second, by the file's first bytes.
FRACTIONS_NS = {
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
    b"\xa1\xb2\x3c\x4d": (">", 1),
}
FILE_HEADER_BYTES = 24
PROTOCOL_TCP, PROTOCOL_UDP = 6, 17
UDP_HEADER_BYTES = 8
#: Of UDP's header and payload: what celld makes its tag of, without the checksum.
TAG_UDP_BYTES, CHECKSUM_AT = 30, (6, 7)
#: FNV-1a, 64 bits.
FNV_OFFSET, FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3
HEAD_BYTES = 60 + TAG_UDP_BYTES  # IPv4 with all options, and TCP up to its window: every field read below

FIN, SYN, RST, PSH, ACK = 0x01, 0x02, 0x04, 0x08, 0x10

SCHEMA = {
    "t_ns": pl.Int64,
    "src": pl.UInt32,
    "dst": pl.UInt32,
    "protocol": pl.UInt8,
    "ip_bytes": pl.UInt16,
    "ip_id": pl.UInt16,
    "sport": pl.UInt16,
    "dport": pl.UInt16,
    "seq": pl.UInt32,
    "ack": pl.UInt32,
    "flags": pl.UInt8,
    "window": pl.UInt16,
    "payload_bytes": pl.UInt16,
    "fragment": pl.Boolean,
    "first_byte": pl.UInt8,
    "next_word": pl.UInt32,
    "udp_tag": pl.UInt64,
}


def read_capture(path: Path) -> pl.DataFrame:
    """Read the IPv4 packets of a capture.

    Args:
        path: classic pcap, nanosecond or microsecond, raw IP or Ethernet;
            a snap length of 128 bytes is enough.

    Returns:
        One row per IPv4 packet, in the order captured. `t_ns` is
        CLOCK_REALTIME in ns; addresses and ports are host-order integers;
        the columns of TCP are 0 for other protocols, of which UDP
        has ports and payload; `payload_bytes` comes from
        the headers, so a short snap length does not shrink it. A `fragment`
        that is not a packet's first has no ports. Of UDP there are the
        payload's `first_byte` and the four bytes after it, and `udp_tag`,
        the tag that the packet has in radio.trace.

    Raises:
        FileError: not a pcap, an unexpected link type, or cut short.
    """
    t_ns, head = _read_records(path)
    if not len(t_ns):
        return pl.DataFrame(schema=SCHEMA)
    keep = (head[:, 0] >> 4) == 4
    return _parse(head[keep], t_ns[keep])


def read_packets(path: Path) -> tuple[int, Iterator[tuple[int, int, bytes]]]:
    """Link type, then (CLOCK_REALTIME in ns, bytes on the wire, bytes captured) of each packet.

    Raises:
        FileError: as read_capture.
    """
    content, link, table = _walk(path)
    return link, ((t_ns, original, content[at : at + captured]) for t_ns, at, captured, original in table)


def _walk(path: Path) -> tuple[bytes, int, list[tuple[int, int, int, int]]]:
    """Content, link type, and time in ns, offset, length and original length of every packet."""
    content = stored.content(path)
    try:
        link = dpkt.pcap.Reader(io.BytesIO(content)).datalink()
    except (ValueError, dpkt.dpkt.NeedData) as error:
        raise FileError(path, f"not a pcap file: {error}") from error
    if link not in LINK_HEADER_BYTES:
        raise FileError(path, f"link type {link}: readable: raw IP (101, 228), Ethernet (1)")
    if content[:4] not in FRACTIONS_NS:
        raise FileError(path, f"pcap magic {content[:4].hex()}: readable: classic pcap in us or ns")
    order, fraction_ns = FRACTIONS_NS[content[:4]]
    record = struct.Struct(f"{order}IIII")
    table, offset, size = [], FILE_HEADER_BYTES, len(content)
    while offset < size:
        if offset + record.size > size:
            raise FileError(path, "truncated: ends inside a packet header")
        seconds, fraction, captured, original = record.unpack_from(content, offset)
        offset += record.size
        if offset + captured > size:
            raise FileError(path, f"truncated: its last packet has {size - offset} of {captured} bytes")
        table.append((seconds * 1_000_000_000 + fraction * fraction_ns, offset, captured, original))
        offset += captured
    return content, link, table


def _read_records(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Timestamps (n,) in ns, and the first bytes of every packet (n, HEAD_BYTES) uint8, short ones padded with 0."""
    content, link, table = _walk(path)
    t_ns, begin, captured_bytes, _ = np.array(table, dtype=np.int64).reshape(-1, 4).T
    skip = LINK_HEADER_BYTES[link]
    return t_ns, _header_matrix(np.frombuffer(content, dtype=np.uint8), begin + skip, captured_bytes - skip)


def _header_matrix(content: np.ndarray, begin: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Bytes of each packet from `begin` on, (n, HEAD_BYTES), zero where it has fewer."""
    padded = np.concatenate([content, np.zeros(HEAD_BYTES + max(LINK_HEADER_BYTES.values()), dtype=np.uint8)])
    head = np.lib.stride_tricks.sliding_window_view(padded, HEAD_BYTES)[begin]
    head[np.arange(HEAD_BYTES) >= length[:, None]] = 0
    return head


def _parse(head: np.ndarray, t_ns: np.ndarray) -> pl.DataFrame:
    """IPv4, TCP and UDP fields. Source: RFC 791 section 3.1, RFC 9293 section 3.1, RFC 768."""
    rows = np.arange(len(head))
    ip_header = (head[:, 0] & 15).astype(np.int64) * 4

    def big_endian(offset: int | np.ndarray, n_bytes: int) -> np.ndarray:
        value = np.zeros(len(head), dtype=np.int64)
        for i in range(n_bytes):
            value = value << 8 | head[rows, offset + i]
        return value

    fragment = (big_endian(6, 2) & 0x1FFF) != 0
    of_tcp, of_udp = head[:, 9] == PROTOCOL_TCP, head[:, 9] == PROTOCOL_UDP
    tcp, udp = ((own & ~fragment).astype(np.int64) for own in (of_tcp, of_udp))
    ip_bytes = big_endian(2, 2)
    tcp_header = (head[rows, ip_header + 12] >> 4).astype(np.int64) * 4
    payload = np.maximum(ip_bytes - ip_header - tcp_header * tcp - UDP_HEADER_BYTES * udp, 0) * (of_tcp | of_udp)
    at = np.flatnonzero(udp)
    tags = np.zeros(len(head), dtype=np.uint64)
    tags[at] = udp_tags(head[at[:, None], ip_header[at, None] + np.arange(TAG_UDP_BYTES)], (ip_bytes - ip_header)[at])
    columns = {
        "t_ns": t_ns,
        "src": big_endian(12, 4),
        "dst": big_endian(16, 4),
        "protocol": head[:, 9],
        "ip_bytes": ip_bytes,
        "ip_id": big_endian(4, 2),
        "sport": big_endian(ip_header, 2) * (tcp + udp),
        "dport": big_endian(ip_header + 2, 2) * (tcp + udp),
        "seq": big_endian(ip_header + 4, 4) * tcp,
        "ack": big_endian(ip_header + 8, 4) * tcp,
        "flags": head[rows, ip_header + 13] * tcp,
        "window": big_endian(ip_header + 14, 2) * tcp,
        "payload_bytes": payload,
        "fragment": fragment,
        "first_byte": head[rows, ip_header + UDP_HEADER_BYTES] * udp,
        "next_word": big_endian(ip_header + UDP_HEADER_BYTES + 1, 4) * udp,
        "udp_tag": tags,
    }
    return pl.DataFrame(
        [pl.Series(name, np.ascontiguousarray(columns[name])).cast(kind) for name, kind in SCHEMA.items()]
    )


def udp_tags(begin: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Tags of datagrams as celld computes them.

    Args:
        begin: (n, TAG_UDP_BYTES) uint8, from UDP's header on.
        length: (n,) bytes that each datagram has.
    """
    tag = np.full(len(begin), FNV_OFFSET, dtype=np.uint64)
    for i in range(TAG_UDP_BYTES):
        if i not in CHECKSUM_AT:
            tag = np.where(i < length, (tag ^ begin[:, i]) * np.uint64(FNV_PRIME), tag)
    return tag
