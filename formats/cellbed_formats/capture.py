# SPDX-License-Identifier: GPL-2.0-or-later
"""Reader of the IP captures (ip-*.pcap) that ipdump writes, with tags of datagrams."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from .address import numbers_of_ipv6
from .error import FileError
from .header import LINKS, PROTOCOL_TCP, PROTOCOL_UDP, READABLE, USER_LINKS, link_name
from .inside import Inside
from .packet import ACK, FIN, PSH, RST, SYN, Packets, ip_packets
from .pcap_file import Records, read_records
from .translation import Translation

__all__ = ["ACK", "FIN", "PROTOCOL_TCP", "PROTOCOL_UDP", "PSH", "RST", "SYN", "ip_records", "read_capture",
           "read_packets", "udp_tags"]

#: Of UDP's header and payload: what celld makes its tag of, without the checksum.
TAG_UDP_BYTES, CHECKSUM_AT = 30, (6, 7)
PROTOCOL_ICMP, PROTOCOL_ICMPV6 = 1, 58
PROTOCOLS_ICMP = (PROTOCOL_ICMP, PROTOCOL_ICMPV6)
#: FNV-1a, 64 bits.
FNV_OFFSET, FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3

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
    "ecn": pl.UInt8,
    "first_byte": pl.UInt8,
    "next_word": pl.UInt32,
    "udp_tag": pl.UInt64,
}


def read_capture(path: Path | Inside, translation: Translation | None = None) -> pl.DataFrame:
    """Read the IP packets of a capture.

    Args:
        path: pcap or pcapng, of raw IP, Ethernet or Linux cooked mode;
            a snap length of 128 bytes is enough.
        translation: of the run; packets that were translated have the
            addresses that servers see, and an `ip_id` as those of IPv6.

    Returns:
        One row per packet of IPv4 or IPv6, in the order captured. `t_ns` is
        CLOCK_REALTIME in ns; ports are host-order integers, addresses
        numbers as in address.py. IPv6 has no `ip_id`; of TCP there it is the
        low half of the timestamp, by which transmissions of the same
        bytes are told apart, too;
        the columns of TCP are 0 for other protocols, of which UDP
        has ports and payload; `payload_bytes` comes from
        the headers, so a short snap length does not shrink it. A `fragment`
        that is not a packet's first has no ports. Of UDP there are the
        payload's `first_byte` and the four bytes after it, and `udp_tag`,
        the tag that the packet has in radio.trace. Of ICMP `first_byte` is
        the type, and `next_word` the identifier << 16 | the sequence number
        of an echo.

    Raises:
        FileError: no capture, an unexpected link type, or cut short.
    """
    records = _whole(path)
    packets = ip_packets(records)
    six = packets.frame["version"].to_numpy() == 6
    frame = packets.frame.with_columns(
        **{end: _numbers(packets.frame, end, six, translation) for end in ("src", "dst")},
        udp_tag=pl.Series(_tags(packets)), **_icmp(packets))
    if six.any() or translation is not None:
        timestamp = ip_packets(records, options=True).frame["ts_val"]
        without = (pl.col("version") == 6) | (pl.lit(False) if translation is None else translation.translated())
        of_tcp = without & (pl.col("protocol") == PROTOCOL_TCP) & ~pl.col("fragment")
        frame = frame.with_columns(ip_id=pl.when(of_tcp).then(timestamp).otherwise("ip_id"))
    return frame.select(pl.col(name).cast(kind, wrap_numerical=True) for name, kind in SCHEMA.items())


def read_packets(path: Path | Inside) -> tuple[int, Iterator[tuple[int, int, bytes]]]:
    """Link type, then (CLOCK_REALTIME in ns, bytes on the wire, bytes captured) of each packet.

    Raises:
        FileError: as read_capture.
    """
    records = _whole(path)
    table = zip(*(column.tolist() for column in (records.t_ns, records.start, records.captured, records.original)),
                strict=True)
    content = records.content.data
    return records.links[0], ((t_ns, original, bytes(content[at : at + n])) for t_ns, at, n, original in table)


def ip_records(path: Path | Inside, records: Records | None = None) -> Records:
    """Where the packets of a capture of IP lie; its end may be cut off.

    Args:
        records: of the file, where they are read already.

    Raises:
        FileError: no capture, or none of a link with IP packets.
    """
    records = read_records(path) if records is None else records
    unknown = [link for link in records.links if link not in LINKS and link not in USER_LINKS]
    if unknown and len(unknown) == len(records.links):
        raise FileError(path, f"link type {', '.join(map(link_name, unknown))}: {READABLE}")
    return records


def _whole(path: Path | Inside) -> Records:
    records = ip_records(path)
    if records.cut is not None:
        raise FileError(path, records.cut)
    return records


def _numbers(frame: pl.DataFrame, end: str, six: np.ndarray, translation: Translation | None) -> pl.Series:
    """Addresses of packets, which of IPv6 is in @six."""
    high, low = (frame[f"{end}_{half}"].to_numpy() for half in ("high", "low"))
    numbers = (low & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    if six.any():
        numbers[six] = numbers_of_ipv6(high[six], low[six])
        if translation is not None:
            numbers[six] = translation.seen(high[six], low[six], numbers[six])
    return pl.Series(numbers)


def _tags(packets: Packets) -> np.ndarray:
    """The tag of each datagram, 0 of other packets."""
    frame, ip = packets.frame, packets.ip
    tags = np.zeros(len(frame), dtype=np.uint64)
    at = np.flatnonzero(((frame["protocol"] == PROTOCOL_UDP) & ~frame["fragment"]).to_numpy())
    if len(at):
        udp = ip.of(at).plus(packets.header_bytes[at])
        start = np.stack([udp.byte(i) for i in range(TAG_UDP_BYTES)], axis=1).astype(np.uint8)
        tags[at] = udp_tags(start, frame["ip_bytes"].to_numpy()[at].astype(np.int64) - packets.header_bytes[at])
    return tags


def _icmp(packets: Packets) -> dict[str, pl.Series]:
    """`first_byte` and `next_word` with those of ICMP. Source: RFC 792; RFC 4443 section 4"""
    frame, ip = packets.frame, packets.ip
    columns = {name: frame[name] for name in ("first_byte", "next_word")}
    at = np.flatnonzero((frame["protocol"].is_in(PROTOCOLS_ICMP) & ~frame["fragment"]).to_numpy())
    if not len(at):
        return columns
    icmp = ip.of(at).plus(packets.header_bytes[at])
    values = {"first_byte": icmp.byte(), "next_word": icmp.number(4, 4)}
    return {name: column.scatter(at, pl.Series(values[name]).cast(column.dtype)) for name, column in columns.items()}


def udp_tags(start: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Tags of datagrams as celld computes them.

    Args:
        start: (n, TAG_UDP_BYTES) uint8, from UDP's header on.
        length: (n,) bytes that each datagram has.
    """
    tag = np.full(len(start), FNV_OFFSET, dtype=np.uint64)
    for i in range(TAG_UDP_BYTES):
        if i not in CHECKSUM_AT:
            tag = np.where(i < length, (tag ^ start[:, i]) * np.uint64(FNV_PRIME), tag)
    return tag
