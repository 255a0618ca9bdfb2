# SPDX-License-Identifier: GPL-2.0-or-later
"""Headers up to IP's: links with their tags, IPv4, and IPv6 with its extensions.

A field is read of all packets at once, from where they lie in the file; nothing is copied. What a short snap length cut
off reads as 0.

Source: RFC 791 section 3.1; RFC 8200 sections 3, 4; RFC 3032 section 2.1 (MPLS); IEEE 802.1Q; RFC 2516 (PPPoE)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

PROTOCOL_TCP, PROTOCOL_UDP = 6, 17
UDP_HEADER_BYTES, IPV6_HEADER_BYTES = 8, 40
#: Bytes in front of an IP packet for the link types whose header has one length and is followed by nothing but IP.
PLAIN_LINKS = {0: 4, 12: 0, 14: 0, 101: 0, 108: 4, 228: 0, 229: 0}
ETHERNET, COOKED, COOKED_2 = 1, 113, 276
#: Link types with an EtherType: where that is, and how long the header is. Ethernet, Linux cooked mode v1 and v2.
TYPED_LINKS = {ETHERNET: (12, 14), COOKED: (14, 16), COOKED_2: (0, 20)}
LINKS = {**dict.fromkeys(PLAIN_LINKS, "raw IP or loopback"), 1: "Ethernet", 113: "Linux cooked", 276: "Linux cooked v2"}
#: Link types that mean what their users agreed on.
USER_LINKS = tuple(range(147, 163))
#: Names of some that have no IP where it is looked for. Source: tcpdump.org
OTHER_LINKS = {105: "IEEE 802.11", 127: "IEEE 802.11 with radiotap", 119: "IEEE 802.11 with Prism",
               163: "IEEE 802.11 with AVS", 189: "USB", 192: "PPI", 195: "IEEE 802.15.4", 201: "Bluetooth HCI",
               220: "USB", 227: "CAN", 251: "Bluetooth LE", 253: "netlink"}
#: End of the message where a capture has nothing that is read here.
READABLE = ("readable: IP over Ethernet, Linux cooked mode or raw, also in GTP-U and other tunnels; PDUs of MAC and "
            "RLC as Wireshark frames them")
IPV4_TYPE, IPV6_TYPE, PPPOE_TYPE, MPLS_TYPES, ETHERNET_TYPE = 0x0800, 0x86DD, 0x8864, (0x8847, 0x8848), 0x6558
VLAN_TYPES, VLAN_BYTES, TAGS_MAX = (0x8100, 0x88A8, 0x9100), 4, 3
PPP_OF_IP = {0x0021: IPV4_TYPE, 0x0057: IPV6_TYPE}
PPPOE_BYTES, LABEL_BYTES, LABELS_MAX = 8, 4, 6
#: Headers that may stand between IPv6 and the transport; the fragment header, and authentication, which counts by four.
EXTENSIONS, FRAGMENT_HEADER, AUTHENTICATION, EXTENSIONS_MAX = (0, 43, 44, 51, 60, 135), 44, 51, 8
G_PDU, GTP_HEADER_BYTES, GTP_EXTENSIONS_MAX = 255, 8, 8  # Source: TS 29.281 section 5
#: Big-endian numbers that are read in one piece, by their bytes.
WORDS = {2: ">u2", 4: ">u4"}
MAPPED = 0xFFFF << 32  # of an IPv4 address in one of IPv6, Source: RFC 4291 section 2.5.5.2


def link_name(number: int) -> str:
    """A link type for people, such as "127 (IEEE 802.11 with radiotap)"."""
    name = (LINKS | OTHER_LINKS).get(number)
    return f"{number} ({name})" if name is not None else str(number)


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
        at = self.at + offset
        if n_bytes in WORDS and len(at) and (at + n_bytes <= self.end).all():
            return sliding_window_view(self.content, n_bytes)[at].view(WORDS[n_bytes])[:, 0].astype(np.int64)
        value = np.zeros(len(self.at), dtype=np.int64)
        for i in range(n_bytes):
            value = value << 8 | self.byte(offset + i)
        return value


@dataclass(frozen=True)
class Network:
    """IP headers of some packets. Addresses are uint64, those of IPv4 mapped into IPv6's."""

    bytes: np.ndarray  # of all headers up to the transport's
    protocol: np.ndarray
    offset: np.ndarray  # of a fragment, in bytes
    more: np.ndarray  # it is a fragment, and others follow
    ip_id: np.ndarray
    src_high: np.ndarray
    src_low: np.ndarray
    dst_high: np.ndarray
    dst_low: np.ndarray

    @property
    def elsewhere(self) -> np.ndarray:
        """The transport's header is in another fragment."""
        return self.offset != 0

    def of(self, rows: np.ndarray) -> Network:
        """Those of some rows."""
        return Network(**{name: column[rows] for name, column in vars(self).items()})


def network(ip: Bytes, version: np.ndarray) -> Network:
    """Read IP headers. Args: version: 4 or 6 of each."""
    four = version == 4
    header = np.where(four, (ip.byte() & 15) * 4, IPV6_HEADER_BYTES)
    protocol = np.where(four, ip.byte(9), ip.byte(6))
    flags = np.where(four, ip.number(6, 2), 0)
    offset, more = (flags & 0x1FFF) * 8, (flags & 0x2000) != 0
    ip_id = np.where(four, ip.number(4, 2), 0)
    sixes = np.flatnonzero(~four)
    if len(sixes):
        header[sixes], protocol[sixes], offset[sixes], more[sixes], ip_id[sixes] = _extensions(
            ip.of(sixes), protocol[sixes])
    return Network(header, protocol, offset, more, ip_id, **_addresses(ip, four))


def ip_places(start: Bytes, link: np.ndarray, links: tuple[int, ...], original: np.ndarray) -> tuple[
        np.ndarray, Bytes, np.ndarray]:
    """Which records are IP packets, where these start, and their versions.

    Args:
        original: bytes that each record had on its link.
    """
    at, typed = start.at.copy(), np.zeros(len(link), dtype=np.int64)
    plain = np.isin(link, list(PLAIN_LINKS))
    for one in links:
        own = np.flatnonzero(link == one)
        if one in PLAIN_LINKS:
            at[own] += PLAIN_LINKS[one]
        elif one in TYPED_LINKS:
            where, length = TYPED_LINKS[one]
            typed[own], skipped = behind_tags(start.of(own), start.of(own).number(where, 2), length)
            at[own] += skipped
        elif one in USER_LINKS:
            skipped = _of_users(start.of(own), original[own])
            at[own] += np.maximum(skipped, 0)
            plain[own] = skipped >= 0
    found = Bytes(start.content, at, start.end)
    version = found.byte() >> 4
    known = (plain & np.isin(version, (4, 6))) | ((typed == IPV4_TYPE) & (version == 4)) | (
        (typed == IPV6_TYPE) & (version == 6))
    rows = np.flatnonzero(known)
    return rows, found.of(rows), version[rows]


def _of_users(start: Bytes, original: np.ndarray) -> np.ndarray:
    """Bytes in front of IP on a link whose type says nothing, -1 without IP: raw IP, or GTP-U, of the right length."""
    skipped = np.maximum(gtp_payload(start), 0)
    skipped[(skipped > 0) & (start.number(2, 2) + 8 != original)] = 0
    inner = start.plus(skipped)
    nibble = inner.byte() >> 4
    length = np.where(nibble == 4, inner.number(2, 2), inner.number(4, 2) + IPV6_HEADER_BYTES)
    right = ((nibble == 4) & (inner.byte() & 15 >= 5) | (nibble == 6)) & (length == original - skipped)
    return np.where(right, skipped, -1)


def gtp_payload(start: Bytes) -> np.ndarray:
    """Bytes of a GTP-U header with its extensions, (n,); -1 where there is none, or where it carries no packet."""
    flags = start.byte()
    known = (flags >> 5 == 1) & (flags & 0x10 != 0) & (start.byte(1) == G_PDU) & (start.number(2, 2) > 0)
    length = np.where(flags & 7 != 0, 12, GTP_HEADER_BYTES)
    following = np.where(flags & 4 != 0, start.byte(11), 0)
    for _ in range(GTP_EXTENSIONS_MAX):
        more = np.flatnonzero(known & (following != 0))
        if not len(more):
            break
        here = start.of(more).plus(length[more])
        units = here.byte() * 4
        known[more] &= units > 0
        length[more] += units
        following[more] = np.where(units > 0, start.of(more).plus(length[more]).byte(-1), 0)
    return np.where(known & (following == 0), length, -1)


def behind_tags(start: Bytes, typed: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """EtherType behind tags of VLANs, PPPoE and labels of MPLS, and the bytes up to what it is the type of."""
    skipped = np.full(len(typed), length)
    for _ in range(TAGS_MAX):
        tagged = np.flatnonzero(np.isin(typed, VLAN_TYPES))
        if not len(tagged):
            break
        inner = start.of(tagged)
        typed[tagged] = inner.number(skipped[tagged] + 2, 2)
        skipped[tagged] += VLAN_BYTES
    sessions = np.flatnonzero(typed == PPPOE_TYPE)
    if len(sessions):
        inside = start.of(sessions).number(skipped[sessions] + 6, 2)
        typed[sessions] = np.select([inside == ppp for ppp in PPP_OF_IP], list(PPP_OF_IP.values()), 0)
        skipped[sessions] += PPPOE_BYTES
    labelled = np.flatnonzero(np.isin(typed, MPLS_TYPES))
    going = labelled
    for _ in range(LABELS_MAX):
        if not len(going):
            break
        last = start.of(going).byte(skipped[going] + 2) & 1 == 1
        skipped[going] += LABEL_BYTES
        going = going[~last]
    if len(labelled):
        nibble = start.of(labelled).byte(skipped[labelled]) >> 4
        typed[labelled] = np.select([nibble == 4, nibble == 6], [IPV4_TYPE, IPV6_TYPE], 0)
    return typed, skipped


def _extensions(ip: Bytes, following: np.ndarray) -> tuple[np.ndarray, ...]:
    """As the fields of `Network`: bytes, protocol, offset, more, ip_id."""
    header = np.full(len(following), IPV6_HEADER_BYTES)
    offset, ip_id = (np.zeros(len(following), dtype=np.int64) for _ in range(2))
    more_of = np.zeros(len(following), dtype=bool)
    for _ in range(EXTENSIONS_MAX):
        more = np.flatnonzero(np.isin(following, EXTENSIONS) & (offset == 0))
        if not len(more):
            break
        here, kind = ip.of(more).plus(header[more]), following[more]
        cut = kind == FRAGMENT_HEADER
        offset[more] = np.where(cut, here.number(2, 2) & 0xFFF8, offset[more])
        more_of[more] |= cut & (here.byte(3) & 1 != 0)
        ip_id[more] = np.where(cut, here.number(4, 4), ip_id[more])
        units = here.byte(1)
        header[more] += np.select([cut, kind == AUTHENTICATION], [8, (units + 2) * 4], (units + 1) * 8)
        following[more] = here.byte(0)
    return header, following, offset, more_of, ip_id


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
