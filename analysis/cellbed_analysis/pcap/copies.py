# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets that a capture has more than once: at several places of a network, or because the network made copies.

A packet is the same where everything that ends put into it is: identification of IP, numbers and flags of TCP, lengths,
checksum of UDP. What is sent again has another identification. Where that says nothing (IPv6, or a sender that leaves
it 0), a copy is one that was seen at another place or with another hop limit, or whose whole direction is there twice.

What was captured at several places is looked at from one of them: RTTs between two places would be those of no path.

Source: RFC 6864 section 4 (identification); RFC 791 section 3.2 (time to live)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from cellbed_formats.packet import CUT_HEADER

from .columns import Columns

#: A copy comes no later than this where it is one beyond doubt, and where nothing but a pattern says so.
SURE_NS, DOUBTFUL_NS = 1_000_000_000, 5_000_000
#: From this share of a direction's packets on, copies are a pattern; identifications that differ at least so much say
#: something; and two places of which one has this share of the other's packets see the same.
PATTERN, TELLING, SAME = 0.5, 1 / 16, 0.1
#: A round trip longer than this leaves no time for a retransmission within DOUBTFUL_NS.
FAR_NS = 2 * DOUBTFUL_NS
#: What the ends of a flow put into a packet.
KEY = ("way", "ip_id", "seq", "ack", "flags", "payload_bytes", "ts_val", "ts_ecr", "sack_left", "sack_right", "udp_sum",
       "first_byte", "next_word", "fragment")
MS = 1e6


@dataclass(frozen=True)
class Copies:
    """What was left out of a flow."""

    packets: int  # that are copies
    of: int  # packets that have some
    median_ns: int  # between both
    places: int  # at which the flow was captured
    how: str  # what differs between a packet and its copy


def same_packets(packets: Columns) -> tuple[np.ndarray, np.ndarray]:
    """Rows of packets and of their copies.

    Args:
        packets: by time, of all flows: t_ns, way (a number for each direction of each flow), KEY, place (where each
            was captured), hop_limit, tcp.

    Returns:
        For each copy the row of the packet that came first, and its own row.
    """
    n = len(packets)
    mixed = np.zeros(n, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for name in KEY:
            mixed = (mixed ^ packets[name].astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
    order = np.argsort(mixed, kind="stable")
    # What the snap length left of a header does not tell packets apart.
    known = packets["cut"][order][1:] != CUT_HEADER
    alike = np.flatnonzero((np.diff(mixed[order]) == 0) & (np.diff(packets["t_ns"][order]) <= SURE_NS) & known)
    if not len(alike):
        return alike, alike
    # Rows behind each other in `order` are a chain, whose first is the packet.
    linked = np.zeros(n, dtype=bool)
    linked[alike + 1] = True
    head = np.maximum.accumulate(np.where(linked, 0, np.arange(n)))
    copy, first, before = order[alike + 1], order[head[alike + 1]], order[alike]
    sure = _sure(packets, copy, before)
    return first[sure], copy[sure]


def _sure(packets: Columns, copy: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Which of some packets that look alike are copies."""
    way, t_ns = packets["way"], packets["t_ns"]
    n_ways = int(way.max()) + 1
    sent = np.bincount(way, minlength=n_ways)
    with_id = packets["ip_id"] != 0
    ids = np.unique(way[with_id].astype(np.int64) << 32 | packets["ip_id"][with_id].astype(np.int64)) >> 32
    telling = np.bincount(ids, minlength=n_ways) >= TELLING * sent
    moved = (packets["place"][copy] != packets["place"][before]) | (
        packets["hop_limit"][copy] != packets["hop_limit"][before])
    near = t_ns[copy] - t_ns[before] <= DOUBTFUL_NS
    twice = np.bincount(way[copy[near]], minlength=n_ways)
    pattern = twice >= PATTERN * (sent - twice)
    of = way[copy]
    # One way of a TCP connection whose other way takes longer to answer.
    far = packets["tcp"][copy].astype(bool) & (packets["payload_bytes"][copy] > 0) & _far(packets)[of // 2]
    return (telling[of] & with_id[copy]) | moved | (near & (pattern[of] | far))


def _far(packets: Columns) -> np.ndarray:
    """Of each flow whether its handshake took long, (n,) by half of `way`."""
    way, flags = packets["way"] // 2, packets["flags"]
    begun, known = np.full(int(way.max()) + 1, -1), np.zeros(int(way.max()) + 1, dtype=bool)
    syn = np.flatnonzero(flags & 0x12 == 0x02)[::-1]
    begun[way[syn]] = packets["t_ns"][syn]
    open_ = np.flatnonzero((flags & 0x12 == 0x10) & (packets["way"] >= 0))[::-1]
    first = np.full(len(begun), -1)
    first[way[open_]] = packets["t_ns"][open_]
    known = (begun >= 0) & (first - begun >= FAR_NS)
    return known


def places_of(place: np.ndarray, first: np.ndarray, copy: np.ndarray) -> dict[int, int]:
    """Which places of a flow are one point of observation: those that do not have copies of each other.

    Args:
        place: of each packet of the flow.
        first: rows of packets, and
        copy: of their copies.

    Returns:
        A group of each place.
    """
    counts = Counter(place.tolist())
    pairs = Counter(zip(*np.sort(np.stack([place[first], place[copy]]), axis=0).tolist(), strict=True))
    groups: list[set[int]] = []
    for one, _ in counts.most_common():
        apart = {other for other in counts if other != one and
                 pairs[min(one, other), max(one, other)] >= SAME * min(counts[one], counts[other])}
        fitting = next((group for group in groups if not group & apart), None)
        if fitting is None:
            groups.append({one})
        else:
            fitting.add(one)
    return {one: number for number, group in enumerate(groups) for one in group}


def best_point(group: np.ndarray, data: np.ndarray, t_ns: np.ndarray) -> int:
    """The point that saw both directions and most packets; of equal ones the one that saw the data first.

    Args:
        group: of each packet of a flow; its points.
        data: whether it is of the data's direction.
    """
    def worth(one: int) -> tuple[bool, int, float]:
        own = group == one
        both = bool(data[own].any() and (~data[own]).any())
        return both, round(20 * own.sum() / len(own)), -float(np.mean(t_ns[own & data] - t_ns[0])) if both else 0.0

    return max(np.unique(group).tolist(), key=worth)
