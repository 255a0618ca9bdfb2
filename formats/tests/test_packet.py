# SPDX-License-Identifier: GPL-2.0-or-later
"""Headers of packets over every link that is read, IPv6 with its extensions, and TCP's options."""

from __future__ import annotations

import ipaddress
import struct
from pathlib import Path
from typing import Any

import dpkt
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_bundle import write_pcap

from cellbed_formats.packet import Bytes, ip_packets
from cellbed_formats.pcap_file import read_records

SIX = [ipaddress.IPv6Address(text) for text in ("2001:db8::1", "2001:db8::2")]


def tcp(options: bytes = b"", payload: bytes = b"", **fields: Any) -> bytes:
    segment = dpkt.tcp.TCP(sport=40000, dport=443, seq=7, ack=9, flags=0x10, win=500, opts=options, data=payload)
    segment.off = (20 + len(options)) // 4
    for name, value in fields.items():
        setattr(segment, name, value)
    return bytes(segment)


def four(inner: bytes, protocol: int = 6, tos: int = 0) -> bytes:
    packet = dpkt.ip.IP(src=b"\1\2\3\4", dst=b"\5\6\7\10", p=protocol, tos=tos, id=77, data=inner)
    packet.len = 20 + len(inner)
    return bytes(packet)


def six(inner: bytes, following: int = 6, traffic_class: int = 0) -> bytes:
    return struct.pack(">IHBB", 6 << 28 | traffic_class << 20, len(inner), following, 64) + SIX[0].packed + \
        SIX[1].packed + inner


def read(folder: Path, packet: bytes, link: int = 101, captured: int | None = None) -> pl.DataFrame:
    path = folder / "x.pcap"
    write_pcap(path, [(0, packet[:captured])], link=link)
    return ip_packets(read_records(path), options=True).frame


ETHERNET = b"\2" * 12


@pytest.mark.parametrize(("link", "start"), [
    (101, b""), (12, b""), (228, b""), (0, b"\2\0\0\0"), (108, b"\0\0\0\2"),
    (1, ETHERNET + b"\x08\0"),
    (1, ETHERNET + b"\x81\0\0\7\x08\0"),
    (1, ETHERNET + b"\x88\xa8\0\7\x81\0\0\5\x08\0"),
    (1, ETHERNET + b"\x88\x64\x11\0\0\1\0\x50\0\x21"),
    (113, b"\0" * 14 + b"\x08\0"),
    (276, b"\x08\0" + b"\0" * 18),
])  # fmt: skip
def test_ip_is_found_behind_the_header_of_each_link(tmp_path: Path, link: int, start: bytes) -> None:
    row = read(tmp_path, start + four(tcp(payload=b"abc")), link).row(0, named=True)
    assert (row["version"], row["sport"], row["seq"], row["payload_bytes"]) == (4, 40000, 7, 3)
    assert row["src_low"] == 0xFFFF << 32 | 0x01020304 and row["ip_bytes"] == 43 and row["ip_id"] == 77


@pytest.mark.parametrize(("link", "start"), [
    (1, ETHERNET + b"\x08\x06" + b"\0\1"),  # ARP
    (1, ETHERNET + b"\x08\0"),  # what says IPv4, and is none
    (113, b"\0" * 14 + b"\0\x04"),
])
def test_what_is_no_ip_is_left_out(tmp_path: Path, link: int, start: bytes) -> None:
    assert read(tmp_path, start + b"\x00" * 40, link).is_empty()


@pytest.mark.parametrize("extensions", [
    [], [(0, 0)], [(60, 1)], [(43, 0), (60, 2)], [(51, 4)], [(0, 0), (44, 0)],
])
def test_ipv6_with_any_extensions(tmp_path: Path, extensions: list[tuple[int, int]]) -> None:
    inner, following = tcp(payload=b"abcd"), 6
    for kind, units in reversed(extensions):
        size = (units + 2) * 4 if kind == 51 else 8 if kind == 44 else (units + 1) * 8
        inner, following = bytes([following, units]) + b"\0" * (size - 2) + inner, kind
    row = read(tmp_path, six(inner, following)).row(0, named=True)
    assert (row["version"], row["protocol"], row["dport"], row["payload_bytes"]) == (6, 6, 443, 4)
    assert row["src_high"] << 64 | row["src_low"] == int(SIX[0])
    assert row["dst_high"] << 64 | row["dst_low"] == int(SIX[1])


def test_later_fragments_have_no_ports(tmp_path: Path) -> None:
    fragment = bytes([17, 0]) + struct.pack(">HI", 100 << 3, 0xABCDE) + b"\x11" * 30
    row = read(tmp_path, six(fragment, 44)).row(0, named=True)
    assert (row["fragment"], row["sport"], row["ip_id"], row["protocol"]) == (True, 0, 0xABCDE, 17)


@pytest.mark.parametrize("version", [4, 6])
def test_ecn(tmp_path: Path, version: int) -> None:
    packet = four(tcp(), tos=3) if version == 4 else six(tcp(), traffic_class=3)
    assert read(tmp_path, packet)["ecn"].to_list() == [3]


def test_options_of_a_syn(tmp_path: Path) -> None:
    options = struct.pack(">BBH BB BBII B BBB", 2, 4, 1460, 4, 2, 8, 10, 0xFFFFFFF0, 0, 1, 3, 3, 7)
    row = read(tmp_path, four(tcp(options, flags=2))).row(0, named=True)
    assert [row[name] for name in ("mss", "sack_ok", "timed", "ts_val", "ts_ecr", "scale", "sacks")] == [
        1460, True, True, 0xFFFFFFF0, 0, 7, 0]


def sack(*blocks: tuple[int, int]) -> bytes:
    body = b"".join(struct.pack(">II", *block) for block in blocks)
    return b"\1\1" + bytes([5, 2 + len(body)]) + body


@pytest.mark.parametrize(("blocks", "expected"), [
    ([(100, 200)], (1, 100, 200, 200, False)),
    ([(100, 200), (300, 400)], (2, 100, 200, 400, False)),
    ([(100, 200), (50, 300)], (2, 100, 200, 300, True)),  # the first lies within the second: received twice
    ([(0xFFFFFF00, 0xFFFFFF80), (0xFFFFFFF0, 0x10), (5, 6)], (3, 0xFFFFFF00, 0xFFFFFF80, 0x10, False)),
])  # fmt: skip
def test_blocks_of_sack(tmp_path: Path, blocks: list[tuple[int, int]], expected: tuple[Any, ...]) -> None:
    row = read(tmp_path, four(tcp(sack(*blocks)))).row(0, named=True)
    assert tuple(row[name] for name in ("sacks", "sack_left", "sack_right", "sack_reach", "dsack")) == expected


def test_a_short_snap_length_loses_options_and_no_lengths(tmp_path: Path) -> None:
    options = struct.pack(">BBII", 8, 10, 5, 6) + b"\1\1"
    row = read(tmp_path, four(tcp(options, b"x" * 1000)), captured=40).row(0, named=True)
    assert (row["payload_bytes"], row["seq"], row["timed"], row["ts_val"]) == (1000, 7, False, 0)


@pytest.mark.parametrize("options", [b"\2\0\0\0", b"\2\1\1\1", b"\2\xff\0\0", b"\5\3\1\1", b"\x08\x0a\0\0"])
def test_lists_of_options_that_lie_end_there(tmp_path: Path, options: bytes) -> None:
    row = read(tmp_path, four(tcp(options, b"abc"))).row(0, named=True)
    assert (row["payload_bytes"], row["timed"], row["sacks"]) == (3, False, 0)


def test_a_length_of_nothing_is_that_of_the_wire(tmp_path: Path) -> None:
    """As captured where a network card cuts what is longer than the field."""
    packet = bytearray(four(tcp(payload=b"x" * 2000)))
    packet[2:4] = b"\0\0"
    assert read(tmp_path, bytes(packet))["payload_bytes"].to_list() == [2000]


@given(st.binary(max_size=120), st.sampled_from([0, 1, 12, 101, 113, 276]))
def test_any_bytes_are_packets_or_none(tmp_path_factory: pytest.TempPathFactory, data: bytes, link: int) -> None:
    frame = read(tmp_path_factory.getbasetemp(), data, link)
    assert len(frame) <= 1 and frame.null_count().sum_horizontal().sum() == 0


@given(content=st.binary(min_size=1, max_size=40), at=st.lists(st.integers(0, 39), min_size=1, max_size=5),
       end=st.integers(0, 40), n_bytes=st.sampled_from((1, 2, 4, 8)))
def test_a_number_has_zeros_for_what_was_not_captured(content: bytes, at: list[int], end: int, n_bytes: int) -> None:
    """Also where all of it was, and it is read in one piece."""
    end = min(end, len(content))
    places = np.array(at)
    found = Bytes(np.frombuffer(content, np.uint8), places, np.full(len(at), end)).number(0, n_bytes)
    padded = content[:end].ljust(80, b"\0")
    assert found.tolist() == [int.from_bytes(padded[one : one + n_bytes], "big") for one in at]
