# SPDX-License-Identifier: GPL-2.0-or-later
"""Headers of the packets of any capture: IPv4 and IPv6 over several links, TCP with its options, UDP.

A field is read of all packets at once, from where they lie in the file; nothing is copied. What a short snap length cut
off reads as 0, so lengths are taken from headers and never from what was captured.

Source: RFC 791 section 3.1; RFC 8200 sections 3, 4; RFC 9293 section 3.1; RFC 768; RFC 2018 section 3; RFC 2883
section 4; RFC 7323 section 3.2
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from .pcap_file import Records

PROTOCOL_TCP, PROTOCOL_UDP = 6, 17
UDP_HEADER_BYTES, IPV6_HEADER_BYTES = 8, 40
FIN, SYN, RST, PSH, ACK, ECE, CWR = 0x01, 0x02, 0x04, 0x08, 0x10, 0x40, 0x80
#: Bytes in front of an IP packet for the link types whose header has one length and is followed by nothing but IP.
PLAIN_LINKS = {0: 4, 12: 0, 14: 0, 101: 0, 108: 4, 228: 0, 229: 0}
#: Link types with an EtherType: where that is, and how long the header is. Ethernet, Linux cooked mode v1 and v2.
TYPED_LINKS = {1: (12, 14), 113: (14, 16), 276: (0, 20)}
LINKS = {**dict.fromkeys(PLAIN_LINKS, "raw IP or loopback"), 1: "Ethernet", 113: "Linux cooked", 276: "Linux cooked v2"}
IPV4_TYPE, IPV6_TYPE, PPPOE_TYPE = 0x0800, 0x86DD, 0x8864
VLAN_TYPES, VLAN_BYTES, TAGS_MAX = (0x8100, 0x88A8, 0x9100), 4, 3
PPP_OF_IP = {0x0021: IPV4_TYPE, 0x0057: IPV6_TYPE}
PPPOE_BYTES = 8
#: Headers that may stand between IPv6 and the transport; the fragment header, and authentication, which counts by four.
EXTENSIONS, FRAGMENT_HEADER, AUTHENTICATION, EXTENSIONS_MAX = (0, 43, 44, 51, 60, 135), 44, 51, 8
#: Kinds of TCP options. An option list has at most so many entries.
NOP, OPTION_MSS, OPTION_SCALE, OPTION_SACK_OK, OPTION_SACK, OPTION_TIME, OPTIONS_MAX = 1, 2, 3, 4, 5, 8, 40
MAPPED = 0xFFFF << 32  # of an IPv4 address in one of IPv6, Source: RFC 4291 section 2.5.5.2

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


@dataclass(frozen=True)
class Bytes:
    """Places in a file, one for each of some packets, and where each packet's captured bytes end."""

    content: np.ndarray
    at: np.ndarray
    end: np.ndarray

    def of(self, rows: np.ndarray) -> Bytes:
        """Those of some rows."""
        return Bytes(self.content, self.at[rows], self.end[rows])

    def plus(self, n_bytes: int | np.ndarray) -> Bytes:
        """The places some bytes further on."""
        return Bytes(self.content, self.at + n_bytes, self.end)

    def byte(self, offset: int | np.ndarray = 0) -> np.ndarray:
        """The byte there, (n,) int64; 0 where it was not captured."""
        at = self.at + offset
        have = at < self.end
        if have.all():
            return self.content[at].astype(np.int64)
        return np.where(have, self.content[np.where(have, at, 0)], 0).astype(np.int64) if len(at) else at

    def number(self, offset: int | np.ndarray, n_bytes: int) -> np.ndarray:
        """A big-endian number, (n,) int64; of eight bytes uint64."""
        if n_bytes == 8:
            high, low = (self.number(offset + i, 4).astype(np.uint64) for i in (0, 4))
            return high << np.uint64(32) | low
        value = np.zeros(len(self.at), dtype=np.int64)
        for i in range(n_bytes):
            value = value << 8 | self.byte(offset + i)
        return value


@dataclass(frozen=True)
class Packets:
    """IP packets of a capture: their fields, and where they begin."""

    frame: pl.DataFrame  # SCHEMA, and OPTIONS where they were asked for
    ip: Bytes
    header_bytes: np.ndarray  # of IP


def ip_packets(records: Records, options: bool = False) -> Packets:
    """Fields of the IPv4 and IPv6 packets of a capture, in its order.

    Returns:
        Times in ns since 1970; `row`, the packet's place in the file, from 0. IPv4 addresses are mapped into IPv6's.
        Columns of TCP are 0 for other protocols, of which UDP has ports, payload and its payload's `first_byte`, and
        the `next_word` after that. A `fragment` that is not a packet's first has no ports. With `options` also mss and
        scale (0: not told), sack_ok, timestamps, how many blocks of SACK there are, the first of them, the highest
        end of any, and whether the first repeats what was received before (`dsack`).
    """
    rows, ip, version = _ip(records)
    four = version == 4
    header = np.where(four, (ip.byte() & 15) * 4, IPV6_HEADER_BYTES)
    protocol = np.where(four, ip.byte(9), ip.byte(6))
    fragment = four & ((ip.number(6, 2) & 0x1FFF) != 0)
    ip_id = np.where(four, ip.number(4, 2), 0)
    sixes = np.flatnonzero(~four)
    header[sixes], protocol[sixes], fragment[sixes], ip_id[sixes] = _extensions(ip.of(sixes), protocol[sixes])
    on_wire = records.original[rows] - (ip.at - records.begin[rows])
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
        **_addresses(ip, four), "ip_bytes": ip_bytes, "ip_id": ip_id,
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
        schema = SCHEMA | OPTIONS
    frame = pl.DataFrame([pl.Series(name, np.ascontiguousarray(columns[name])).cast(kind, wrap_numerical=True)
                          for name, kind in schema.items()])
    return Packets(frame, ip, header)


def _ip(records: Records) -> tuple[np.ndarray, Bytes, np.ndarray]:
    """Which records are IP packets, where these begin, and their versions."""
    end = records.begin + records.captured
    begin = Bytes(records.content, records.begin, end)
    at, typed = records.begin.copy(), np.zeros(len(records), dtype=np.int64)
    for link in records.links:
        own = np.flatnonzero(records.link == link)
        if link in PLAIN_LINKS:
            at[own] += PLAIN_LINKS[link]
        elif link in TYPED_LINKS:
            where, length = TYPED_LINKS[link]
            typed[own], skipped = _tags(begin.of(own), begin.of(own).number(where, 2), length)
            at[own] += skipped
    found = Bytes(records.content, at, end)
    version = found.byte() >> 4
    plain = np.isin(records.link, list(PLAIN_LINKS))
    known = (plain & np.isin(version, (4, 6))) | ((typed == IPV4_TYPE) & (version == 4)) | (
        (typed == IPV6_TYPE) & (version == 6))
    rows = np.flatnonzero(known)
    return rows, found.of(rows), version[rows]


def _tags(begin: Bytes, typed: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """EtherType behind tags of VLANs and PPPoE, and the bytes up to what it is the type of."""
    skipped = np.full(len(typed), length)
    for _ in range(TAGS_MAX):
        tagged = np.flatnonzero(np.isin(typed, VLAN_TYPES))
        if not len(tagged):
            break
        inner = begin.of(tagged)
        typed[tagged] = inner.number(skipped[tagged] + 2, 2)
        skipped[tagged] += VLAN_BYTES
    sessions = np.flatnonzero(typed == PPPOE_TYPE)
    inside = begin.of(sessions).number(skipped[sessions] + 6, 2)
    typed[sessions] = np.select([inside == ppp for ppp in PPP_OF_IP], list(PPP_OF_IP.values()), 0)
    skipped[sessions] += PPPOE_BYTES
    return typed, skipped


def _extensions(ip: Bytes, following: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Bytes of all headers in front of the transport's, its protocol, whether it begins elsewhere, identification."""
    header = np.full(len(following), IPV6_HEADER_BYTES)
    elsewhere, ip_id = np.zeros(len(following), dtype=bool), np.zeros(len(following), dtype=np.int64)
    for _ in range(EXTENSIONS_MAX):
        more = np.flatnonzero(np.isin(following, EXTENSIONS) & ~elsewhere)
        if not len(more):
            break
        here, kind = ip.of(more).plus(header[more]), following[more]
        cut = kind == FRAGMENT_HEADER
        elsewhere[more] |= cut & (here.number(2, 2) >> 3 != 0)
        ip_id[more] = np.where(cut, here.number(4, 4), ip_id[more])
        units = here.byte(1)
        header[more] += np.select([cut, kind == AUTHENTICATION], [8, (units + 2) * 4], (units + 1) * 8)
        following[more] = here.byte(0)
    return header, following, elsewhere, ip_id


def _addresses(ip: Bytes, four: np.ndarray) -> dict[str, np.ndarray]:
    columns: dict[str, np.ndarray] = {}
    for name, at_four, at_six in (("src", 12, 8), ("dst", 16, 24)):
        mapped = ip.number(at_four, 4).astype(np.uint64) | np.uint64(MAPPED)
        if four.all():
            columns |= {f"{name}_high": np.zeros(len(four), dtype=np.uint64), f"{name}_low": mapped}
        else:
            columns[f"{name}_high"] = np.where(four, np.uint64(0), ip.number(at_six, 8))
            columns[f"{name}_low"] = np.where(four, mapped, ip.number(at_six + 8, 8))
    return columns


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
        go_on = (kind != 0) & (length >= np.where(kind == NOP, 1, 2)) & (place + length <= header_bytes[rows])
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
