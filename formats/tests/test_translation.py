# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets on both sides of a translator are the same packets. Source: RFC 6052 section 2.2; RFC 7915 sections 4, 5"""

from __future__ import annotations

import socket
import struct
from pathlib import Path

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_bundle import write_pcap

from cellbed_formats.address import number_of
from cellbed_formats.capture import read_capture
from cellbed_formats.translation import HOST, PREFIX, Translation

SERVER, OUTSIDE = "10.46.0.1", "203.0.113.7"
NODES = {f"ue{n}": {"kind": "ue", "clat": f"2001:db8:45::c1a{n}/128", "nat64": f"10.45.0.{n}/24"} for n in (1, 2)}
BOTH = Translation.of({"nodes": NODES | {"server": {"kind": "server"}}})
#: What both sides have in common. IPv6 has a longer header, and numbers of its own for ICMP.
SAME = ["src", "dst", "ip_id", "sport", "dport", "seq", "ack", "flags", "window", "payload_bytes", "udp_tag"]


def of_ipv4(src: str, dst: str, protocol: int, content: bytes, number: int = 77) -> bytes:
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(content), number, 0x4000, 64, protocol, 0)
    return head + socket.inet_aton(src) + socket.inet_aton(dst) + content


def of_ipv6(src: str, dst: str, protocol: int, content: bytes) -> bytes:
    ends = (socket.inet_pton(socket.AF_INET6, one) for one in (src, dst))
    return struct.pack(">IHBB", 6 << 28, len(content), protocol, 64) + b"".join(ends) + content


def embedded(ipv4: str) -> str:
    return PREFIX.removesuffix("/96") + ipv4


def tcp(sport: int, seq: int, ack: int, stamp: int, payload: int = 20) -> bytes:
    options = b"\1\1" + struct.pack(">BBII", 8, 10, stamp, 5)
    return struct.pack(">HHIIBBHHH", sport, 7007, seq, ack, 8 << 4, 16, 500, 0, 0) + options + bytes(payload)


def udp(content: bytes, checksum: int) -> bytes:
    return struct.pack(">HHHH", 40000, 7007, 8 + len(content), checksum) + content


def read(folder: Path, *packets: bytes, translation: Translation | None = BOTH) -> pl.DataFrame:
    write_pcap(folder / "ip.pcap", list(enumerate(packets)))
    return read_capture(folder / "ip.pcap", translation)


@settings(max_examples=40)
@given(*[st.integers(0, 2**32 - 1)] * 4, st.integers(0, 1000), st.booleans(), st.sampled_from((SERVER, OUTSIDE)))
def test_a_segment_is_the_same_at_both_ends(tmp_path_factory, seq, ack, stamp, number, payload, up, peer) -> None:
    folder = tmp_path_factory.mktemp("ends")
    ends, translated = ("10.45.0.2", peer), ("2001:db8:45::c1a2", embedded(peer))
    content = tcp(40000, seq, ack, stamp, payload)
    order = 1 if up else -1
    at_ue = read(folder, of_ipv6(*translated[::order], 6, content))
    at_server = read(folder, of_ipv4(*ends[::order], 6, content, number % 2**16))
    assert at_ue.select(SAME).equals(at_server.select(SAME))
    assert at_ue["src"].to_list() == [number_of(ends[::order][0])]
    assert (at_ue["ip_bytes"] - at_server["ip_bytes"]).to_list() == [BOTH.grows_bytes(*map(number_of, ends))] == [20]


def test_a_datagram_is_the_same_at_both_ends(tmp_path) -> None:
    at_ue = read(tmp_path, of_ipv6("2001:db8:45::c1a1", embedded(SERVER), 17, udp(b"hello", 0x1234)))
    at_server = read(tmp_path, of_ipv4("10.45.0.1", SERVER, 17, udp(b"hello", 0)))
    one = [name for name in SAME if name != "ip_id"]
    assert at_ue.select(one).equals(at_server.select(one)) and at_ue["udp_tag"][0]


def test_what_is_not_translated_stays_as_it_is(tmp_path) -> None:
    packets = (of_ipv6("2001:db8:45::1", "2001:db8:46::1", 6, tcp(1, 2, 3, 4)),
               of_ipv4("10.44.0.1", SERVER, 6, tcp(1, 2, 3, 4)))
    plain, translated = read(tmp_path, *packets, translation=None), read(tmp_path, *packets)
    assert translated.equals(plain) and plain["ip_id"].to_list() == [4, 77]
    assert BOTH.grows_bytes(number_of("10.44.0.1"), number_of(SERVER)) == 0


def test_a_run_without_translators_has_no_translation() -> None:
    assert Translation.of({"nodes": {"ue1": {"kind": "ue", "address": "10.45.0.1/24"}}}) is None


def samples(*sockets: tuple[str, int]) -> pl.DataFrame:
    rows = [{"t_ns": t, "saddr": number_of(own), "sport": port, "daddr": number_of(SERVER), "dport": 7007}
            for t, (own, port) in enumerate(sockets)]
    return pl.DataFrame(rows, schema={"t_ns": pl.Int64, "saddr": pl.UInt32, "sport": pl.UInt16, "daddr": pl.UInt32,
                                      "dport": pl.UInt16})


def test_the_only_ues_sockets_are_known_by_their_address() -> None:
    one = Translation.of({"nodes": {"ue1": NODES["ue1"]}})
    known = one.of_samples(samples((HOST, 40000), (SERVER, 7007)), {})
    assert known["saddr"].to_list() == [number_of("10.45.0.1"), number_of(SERVER)]
    assert known.columns == samples().columns
    assert one.hosts == {number_of(HOST): "ue1"} and BOTH.hosts == {}
    counted = [{"saddr": HOST, "sport": 1, "daddr": SERVER, "dport": 2}, {"saddr": SERVER, "sport": 3}]
    assert [entry["saddr"] for entry in one.of_probe(counted, {})] == ["10.45.0.1", SERVER]


def test_of_several_ues_captures_tell_whose_a_socket_is(tmp_path) -> None:
    """A port that both use, to the same server, is nobody's, and so is one that no capture has."""
    def sent(ue: int, *ports: int) -> pl.DataFrame:
        return read(tmp_path, *(of_ipv6(f"2001:db8:45::c1a{ue}", embedded(SERVER), 6, tcp(port, 1, 1, 1))
                                for port in ports))

    captures = {"ue1": sent(1, 40001, 40003), "ue2": sent(2, 40002, 40003)}
    known = BOTH.of_samples(samples((HOST, 40002), (HOST, 40001), (HOST, 40003), (HOST, 40004)), captures)
    assert known["saddr"].to_list() == [number_of(own) for own in ("10.45.0.2", "10.45.0.1", HOST, HOST)]
    counted = [{"saddr": HOST, "sport": port, "daddr": SERVER, "dport": 7007} for port in (40001, 40002, 40003)]
    assert [one["saddr"] for one in BOTH.of_probe(counted, captures)] == ["10.45.0.1", "10.45.0.2", HOST]
