# SPDX-License-Identifier: GPL-2.0-or-later
"""Reader of the IP captures (ip-*.pcap) that tcpdump writes on TUN devices.

dpkt reads the container; the IPv4 and TCP headers of all packets are then
taken apart together with numpy, since a Python object per packet would cost
more than the whole emulation of that packet did.
"""

from __future__ import annotations

from pathlib import Path

import dpkt
import numpy as np
import polars as pl

from .error import FileError

#: Bytes in front of the IP header for the link types tcpdump may write.
LINK_HEADER_BYTES = {12: 0, 101: 0, 228: 0, 1: 14}
IP_TCP_MAX_BYTES = 120  # 60 of IPv4 and 60 of TCP, both with all options
PROTOCOL_TCP = 6

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
}


def read_capture(path: Path) -> pl.DataFrame:
    """Read the IPv4 packets of a capture.

    Args:
        path: classic pcap, nanosecond or microsecond, raw IP or Ethernet;
            a snap length of 128 bytes is enough.

    Returns:
        One row per IPv4 packet, in the order captured. `t_ns` is
        CLOCK_REALTIME in ns; addresses and ports are host-order integers;
        the TCP columns are 0 for other protocols; `payload_bytes` comes from
        the headers, so a short snap length does not shrink it.

    Raises:
        FileError: not a pcap, an unexpected link type, or cut short.
    """
    times, frames, link_bytes = _read_frames(path)
    if not frames:
        return pl.DataFrame(schema=SCHEMA)
    head = _header_matrix(frames, link_bytes)
    keep = (head[:, 0] >> 4) == 4
    return _parse(head[keep], np.array(times, dtype=np.int64)[keep])


def _read_frames(path: Path) -> tuple[list[int], list[bytes], int]:
    """Timestamps (ns), frames and length of their link header."""
    size_bytes = path.stat().st_size
    with path.open("rb") as file:
        try:
            reader = dpkt.pcap.Reader(file)
        except (ValueError, dpkt.dpkt.NeedData) as error:
            raise FileError(path, f"not a pcap file: {error}") from error
        link = reader.datalink()
        if link not in LINK_HEADER_BYTES:
            raise FileError(path, f"link type {link}: readable: raw IP (101, 228), Ethernet (1)")
        try:
            packets = list(reader)
        except dpkt.dpkt.NeedData as error:
            raise FileError(path, "truncated: ends inside a packet header") from error
        if packets:
            last = len(packets[-1][1])
            file.seek(size_bytes - last - dpkt.pcap.PktHdr.__hdr_len__ + 8)
            captured = int.from_bytes(file.read(4), "little" if _little(path) else "big")
            if captured != last:
                raise FileError(path, f"truncated: its last packet has {last} of {captured} bytes")
    # Nanosecond captures carry exact Decimals, microsecond ones floats.
    times = [round(t * 10**6) * 1000 if isinstance(t, float) else int(t * 10**9) for t, _ in packets]
    return times, [frame for _, frame in packets], LINK_HEADER_BYTES[link]


def _little(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(1) != b"\xa1"


def _header_matrix(frames: list[bytes], skip: int) -> np.ndarray:
    """The first bytes of every packet, (n, 120) uint8, short ones padded with 0."""
    rows = [frame[skip : skip + IP_TCP_MAX_BYTES].ljust(IP_TCP_MAX_BYTES, b"\0") for frame in frames]
    return np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(-1, IP_TCP_MAX_BYTES)


def _parse(head: np.ndarray, t_ns: np.ndarray) -> pl.DataFrame:
    """IPv4 and TCP fields. Source: RFC 791 section 3.1, RFC 9293 section 3.1."""
    rows = np.arange(len(head))
    ip_header = (head[:, 0] & 15).astype(np.int64) * 4

    def big_endian(offset: int | np.ndarray, n_bytes: int) -> np.ndarray:
        value = np.zeros(len(head), dtype=np.int64)
        for i in range(n_bytes):
            value = value << 8 | head[rows, offset + i]
        return value

    tcp = (head[:, 9] == PROTOCOL_TCP).astype(np.int64)
    ip_bytes = big_endian(2, 2)
    tcp_header = (head[rows, ip_header + 12] >> 4).astype(np.int64) * 4
    columns = {
        "t_ns": t_ns,
        "src": big_endian(12, 4),
        "dst": big_endian(16, 4),
        "protocol": head[:, 9],
        "ip_bytes": ip_bytes,
        "ip_id": big_endian(4, 2),
        "sport": big_endian(ip_header, 2) * tcp,
        "dport": big_endian(ip_header + 2, 2) * tcp,
        "seq": big_endian(ip_header + 4, 4) * tcp,
        "ack": big_endian(ip_header + 8, 4) * tcp,
        "flags": head[rows, ip_header + 13] * tcp,
        "window": big_endian(ip_header + 14, 2) * tcp,
        "payload_bytes": np.maximum(ip_bytes - ip_header - tcp_header, 0) * tcp,
    }
    return pl.DataFrame(
        [pl.Series(name, np.ascontiguousarray(columns[name])).cast(kind) for name, kind in SCHEMA.items()]
    )
