# SPDX-License-Identifier: GPL-2.0-or-later
"""The capture reader: exact times, header fields, and refusal of broken files."""

from __future__ import annotations

import ipaddress
import socket
import struct
import time
from pathlib import Path

import dpkt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_bundle import OFFSET_NS, SPORT, tcp_packet, write_pcap

from cellbed_formats.address import number_of
from cellbed_formats.capture import read_capture
from cellbed_formats.error import FileError


def test_times_are_exact_to_the_nanosecond(tmp_path: Path) -> None:
    path = tmp_path / "ip.pcap"
    packet = tcp_packet(True, 1, 2, 0)
    write_pcap(path, [(123_456_789, packet), (1_000_000_000_000_000_001, packet)])
    assert read_capture(path)["t_ns"].to_list() == [
        OFFSET_NS + 123_456_789,
        OFFSET_NS + 1_000_000_000_000_000_001,
    ]


def test_header_fields(tmp_path: Path) -> None:
    path = tmp_path / "ip.pcap"
    # 1460 bytes of payload although the snap length keeps 128 bytes of packet.
    write_pcap(path, [(0, tcp_packet(True, 0xFFFFFFFF, 0x80000000, 1460, flags=0x18))])
    row = read_capture(path).row(0, named=True)
    row.pop("t_ns")
    assert row == {
        "src": 0x0A2D0001, "dst": 0x0A2D0002, "protocol": 6, "ip_bytes": 1500, "ip_id": 0, "sport": SPORT,
        "dport": 5201, "seq": 0xFFFFFFFF, "ack": 0x80000000, "flags": 0x18, "window": 8192,
        "payload_bytes": 1460, "fragment": False, "ecn": 0, "first_byte": 0, "next_word": 0, "udp_tag": 0,
    }  # fmt: skip


def test_options_do_not_count_as_payload(tmp_path: Path) -> None:
    segment = dpkt.tcp.TCP(sport=1, dport=2, opts=b"\x01" * 12, data=b"y" * 5)
    segment.off = (20 + 12) // 4
    packet = dpkt.ip.IP(src=b"\1\2\3\4", dst=b"\5\6\7\10", p=6, opts=b"\x01" * 4, data=segment)
    packet.hl = 6
    packet.len = 24 + 32 + 5
    path = tmp_path / "ip.pcap"
    write_pcap(path, [(0, bytes(packet))])
    row = read_capture(path).row(0, named=True)
    assert (row["sport"], row["dport"], row["payload_bytes"]) == (1, 2, 5)


def test_udp_has_ports_and_payload(tmp_path: Path) -> None:
    udp = dpkt.ip.IP(src=b"\1\2\3\4", dst=b"\5\6\7\10", p=17, data=dpkt.udp.UDP(sport=9, dport=8, data=b"x" * 30))
    udp.len = 20 + 8 + 30
    path = tmp_path / "ip.pcap"
    write_pcap(path, [(0, bytes(udp))])
    frame = read_capture(path)
    assert frame.select("sport", "dport", "payload_bytes", "seq", "flags").rows() == [(9, 8, 30, 0, 0)]


def test_other_protocols_have_no_tcp_fields(tmp_path: Path) -> None:
    icmp = dpkt.ip.IP(src=b"\1\2\3\4", dst=b"\5\6\7\10", p=1, data=b"\x08\0" + b"\x11" * 26)
    icmp.len = 48
    path = tmp_path / "ip.pcap"
    write_pcap(path, [(0, bytes(icmp)), (1, b"\x60" + b"\0" * 39)])
    frame = read_capture(path)
    assert frame.select("protocol", "sport", "seq", "payload_bytes").rows() == [(1, 0, 0, 0), (0, 0, 0, 0)]


def test_a_segment_of_ipv6_has_numbers_of_its_addresses_and_its_timestamp_for_an_identification(tmp_path: Path) -> None:
    source, sink = "2001:db8:46::1", "2001:db8:45::1"
    tcp = dpkt.tcp.TCP(sport=1, dport=2, seq=3, ack=4, flags=16, data=b"x" * 50,
                       opts=b"\1\1\x08\x0a" + struct.pack(">II", 0x12345678, 9))
    tcp.off = 8
    packet = dpkt.ip6.IP6(src=socket.inet_pton(socket.AF_INET6, source), dst=socket.inet_pton(socket.AF_INET6, sink),
                          nxt=6, plen=82, data=tcp)
    path = tmp_path / "ip.pcap"
    write_pcap(path, [(0, bytes(packet))])
    row = read_capture(path).row(0, named=True)
    assert (row["src"], row["dst"]) == (number_of(source), number_of(sink))
    assert (row["seq"], row["payload_bytes"], row["ip_bytes"], row["ip_id"]) == (3, 50, 122, 0x5678)


@given(st.integers(0, 2**128 - 1), st.integers(0, 2**32 - 1))
def test_no_address_of_ipv6_has_the_number_of_a_host_of_ipv4(six: int, four: int) -> None:
    """FNV-1a over 16 bytes, and of IPv4 the address itself."""
    number = 0x811C9DC5
    for octet in six.to_bytes(16):
        number = (number ^ octet) * 0x01000193 & 0xFFFFFFFF
    assert number_of(str(ipaddress.IPv6Address(six))) == number | 0xF0000000
    assert number_of(str(ipaddress.IPv4Address(four))) == four


def test_ethernet_and_microsecond_files_read_too(tmp_path: Path) -> None:
    path = tmp_path / "ip.pcap"
    with path.open("wb") as file:
        writer = dpkt.pcap.Writer(file, linktype=1)
        writer.writepkt(b"\0" * 12 + b"\x08\x00" + tcp_packet(True, 5, 6, 0), ts=1600000000.123456)
    row = read_capture(path).row(0, named=True)
    assert (row["t_ns"], row["seq"]) == (1_600_000_000_123_456_000, 5)


def test_either_byte_order_reads(tmp_path: Path) -> None:
    path = tmp_path / "ip.pcap"
    packet = tcp_packet(True, 5, 6, 0)
    head = struct.pack(">IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 128, 101)
    path.write_bytes(head + struct.pack(">IIII", 1_600_000_000, 987_654_321, len(packet), len(packet)) + packet)
    row = read_capture(path).row(0, named=True)
    assert (row["t_ns"], row["seq"]) == (1_600_000_000_987_654_321, 5)


def test_a_last_packet_shorter_than_any_header_is_no_ip(tmp_path: Path) -> None:
    path = tmp_path / "ip.pcap"
    with path.open("wb") as file:
        writer = dpkt.pcap.Writer(file, linktype=1, nano=True)
        writer.writepkt(b"\0" * 12 + b"\x08\x00" + tcp_packet(True, 5, 6, 0), ts=1)
        writer.writepkt(b"\x45", ts=2)
    assert read_capture(path)["seq"].to_list() == [5]


def test_no_packets_is_an_empty_frame(tmp_path: Path) -> None:
    path = tmp_path / "ip.pcap"
    write_pcap(path, [])
    assert read_capture(path).is_empty()


@pytest.mark.parametrize(("cut", "message"), [(1, "last packet has 39 of 40 bytes"), (45, "inside a packet header")])
def test_refuses_a_file_that_is_cut_short(tmp_path: Path, cut: int, message: str) -> None:
    path = tmp_path / "ip.pcap"
    write_pcap(path, [(i, tcp_packet(True, i, 0, 0)) for i in range(3)])
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(FileError, match=message):
        read_capture(path)


@pytest.mark.parametrize("content", [b"", b"{}", b'{"format":"cellbed-trace"}' * 9])
def test_refuses_what_is_no_pcap(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ip.pcap"
    path.write_bytes(content)
    with pytest.raises(FileError, match="not a pcap file"):
        read_capture(path)


def test_refuses_a_link_type_it_does_not_know(tmp_path: Path) -> None:
    path = tmp_path / "radio.pcap"
    write_pcap(path, [], link=252)
    with pytest.raises(FileError, match="link type 252"):
        read_capture(path)


def test_reads_100k_packets_in_seconds(tmp_path: Path) -> None:
    """A 60 s run has about that many; a Python object per packet took over 5 s."""
    path = tmp_path / "ip.pcap"
    write_pcap(path, [(i, tcp_packet(True, i, 0, 0)) for i in range(1000)])
    head, packets = path.read_bytes()[:24], path.read_bytes()[24:]
    path.write_bytes(head + packets * 100)
    start = time.process_time()
    assert len(read_capture(path)) == 100_000
    assert time.process_time() - start < 4
