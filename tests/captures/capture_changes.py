# SPDX-License-Identifier: GPL-2.0-or-later
"""What captures do to the packets that they see: copies, steps of the clock, drops, fragments, joined segments."""

import random
import struct
from dataclasses import replace

from files import Frame, Recording, recording
from packets import Link, fragments, udp, with_sum
from transfer import MS, Seen


def doubled(seen, later_ns, *, ways=(True, False), link=None, second=None, hops=0, share=1.0, seed=3):
    """Packets again some ns later, at the same place or over another link.

    Args:
        ways: directions that are doubled.
        hops: by which the copy's time to live is less.
        share: of packets that have a copy.
    """
    source = random.Random(seed)
    first = recording(seen, link)
    link, second = link or Link(), second or link or Link()
    frames = []
    for one, frame in zip(seen, first.frames, strict=True):
        frames.append(frame)
        if one.up in ways and source.random() < share:
            packet = replace(one.packet, ttl=one.packet.ttl - hops)
            frames.append(Frame(one.t_ns + later_ns, second.frame(packet.bytes(), one.up), 0))
    frames.sort(key=lambda one: one.t_ns)
    return Recording(frames, link.kind)


def two_points(seen, transit_ns, links, interfaces=False, hops=1):
    """A router or bridge between the sender and the receiver, captured on both sides: data come to the first one first.

    Args:
        interfaces: each side is an interface of a pcapng file.
    """
    frames = []
    for one in seen:
        for side in (0, 1):
            first = side == (not one.up)
            packet = one.packet if first else replace(one.packet, ttl=one.packet.ttl - hops)
            frames.append(Frame(one.t_ns + (side if one.up else -side) * transit_ns,
                                links[side].frame(packet.bytes(), one.up), side if interfaces else 0))
    frames.sort(key=lambda one: one.t_ns)
    return Recording(frames, links[0].kind, ("eth0", "eth1"))


def stepped(seen, *steps):
    """The clock steps: (share of the packets in front of it, ms)."""
    made = []
    for place, one in enumerate(seen):
        shift = sum(by_ms for share, by_ms in steps if place >= share * len(seen))
        made.append(replace(one, t_ns=one.t_ns + round(shift * MS)))
    return made


def without(seen, choose):
    """Packets that the capture lost are missing. Args: choose: of a place and a packet."""
    return [one for place, one in enumerate(seen) if not choose(place, one)]


def cut_up(seen, size=1480, backwards=False, at_most=None):
    """Each packet in fragments of so many bytes."""
    made = []
    for one in seen:
        pieces = fragments(one.packet, size)
        for number, piece in enumerate(reversed(pieces) if backwards else pieces):
            made.append(Seen(one.t_ns + number * 1000, one.up, piece))
    return made


def joined(seen, n, mss):
    """Every n data segments as one, as LRO hands them to the receiver's TCP."""
    made, held = [], []
    for one in seen:
        body = one.packet.body
        header = (body[12] >> 4) * 4
        if len(body) - header != mss:
            made.append(one)
            continue
        held.append(one)
        if len(held) == n:
            first = held[0].packet
            payload = b"".join(each.packet.body[(each.packet.body[12] >> 4) * 4:] for each in held)
            whole = with_sum(first.src, first.dst, 6, first.body[:header] + payload, 16)
            made.append(Seen(held[-1].t_ns, True, replace(first, body=whole)))
            held = []
    return sorted([*made, *held], key=lambda one: one.t_ns)


def shuffled(frames, by_ns, seed=5):
    """The same frames, written by queues that are up to some ns late."""
    source = random.Random(seed)
    return sorted(frames, key=lambda one: one.t_ns + source.randrange(by_ns))


def wireguard(seen):
    """Datagrams of WireGuard with as many bytes."""
    made = []
    for one in seen:
        size = -(-len(one.packet.body) // 16) * 16
        head = struct.pack("<IIQ", 4, 7, len(made))
        ends = ("192.168.1.1", 51820, "192.168.1.2", 51820) if one.up else ("192.168.1.2", 51820, "192.168.1.1", 51820)
        made.append(Seen(one.t_ns, one.up, udp(*ends, head + b"\x55" * (size + 16), ip_id=len(made) + 1)))
    return made


