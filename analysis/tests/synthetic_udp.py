# SPDX-License-Identifier: GPL-2.0-or-later
"""Bundles whose first UE sends datagrams to the second, for tests only: the times and losses are those of a list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dpkt
from synthetic_bundle import DADDR, MS, PORT, SADDR, SPORT, START_NS, write_bundle, write_pcap

from cellbed_formats.bundle import Bundle, read_bundle

DELAY_NS, BACK_NS = 15 * MS, 6 * MS
LONG, SHORT, SPIN = 0xC0, 0x40, 0x20  # first byte of a QUIC packet
FLOW = {"id": "file", "kind": "iperf3", "from": "ue1", "to": "ue2", "saddr": SADDR, "daddr": DADDR, "port": PORT,
        "protocol": "udp", "start_s": 0, "duration_s": 2.0}  # fmt: skip


def datagram(number: int, payload: int, back: bool = False, first: int = 0) -> bytes:
    """A packet whose payload begins with @first, a QUIC version and its number."""
    ends = (bytes(map(int, SADDR.split("."))), SADDR), (bytes(map(int, DADDR.split("."))), DADDR)
    body = (bytes([first]) + b"\0\0\0\1" + number.to_bytes(4, "big")).ljust(payload, b"x")[:payload]
    ports = (PORT, SPORT) if back else (SPORT, PORT)
    udp = dpkt.udp.UDP(sport=ports[0], dport=ports[1], data=body)
    udp.ulen = 8 + payload
    packet = dpkt.ip.IP(src=ends[back][0], dst=ends[not back][0], p=17, data=udp)
    packet.len = 28 + payload
    return bytes(packet)[:128]


def write_udp(
    results: Path, sent: Sequence[tuple[int, bytes, bool]], answers: Sequence[tuple[int, bytes]] = (),
    settings: dict[str, Any] | None = None, **manifest: Any,
) -> Bundle:  # fmt: skip
    """A bundle of datagrams.

    Args:
        sent: (ns after the start, packet, whether it arrives) of the first UE.
        answers: the same of the second one, which all arrive.
        settings: replace those of the run at the top.
        manifest: replaces what a bundle's manifest has.
    """
    path = write_bundle(results, duration_s=0.2, **manifest)
    here = [(START_NS + t, packet) for t, packet, _ in sent]
    there = [(START_NS + t + DELAY_NS, packet) for t, packet, arrives in sent if arrives]
    here += [(START_NS + t + BACK_NS, packet) for t, packet in answers]
    there += [(START_NS + t, packet) for t, packet in answers]
    write_pcap(path / "ip-ue1.pcap", here)
    write_pcap(path / "ip-ue2.pcap", there)
    content = json.loads((path / "manifest.json").read_text())
    content["description"]["settings"] |= settings or {}
    (path / "manifest.json").write_text(json.dumps(content))
    return read_bundle(path)
