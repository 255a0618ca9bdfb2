# SPDX-License-Identifier: GPL-2.0-or-later
"""Every flow of a run: whatever a capture holds, no byte is lost, and each has its ends, its program and its share."""

from __future__ import annotations

import tempfile
from pathlib import Path

import dpkt
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_bundle import START_NS, address, write_pcap

from cellbed_analysis.metrics.share import jain
from cellbed_analysis.tcp.delay import spin_rtts
from cellbed_formats.capture import FNV_OFFSET, FNV_PRIME, TAG_UDP_BYTES, read_capture, udp_tags
from cellbed_formats.error import DataError
from cellbed_formats.flow import Sightings, found, named, note, of_captures, of_probe, tuples

UE, SERVER = "10.45.0.1", "10.1.0.1"
NODES = {address(UE): "ue1", address(SERVER): "server"}
COMMANDS = [
    {"id": "web", "node": "server", "background": True, "argv": ["httpd"]},
    {"id": "get", "node": "ue1", "background": False, "argv": ["curl"]},
]
MS = 1_000_000


def packet(src: str, sport: int, dst: str, dport: int, payload: bytes, protocol: int = 17) -> bytes:
    """An IPv4 packet."""
    layer = dpkt.udp.UDP if protocol == 17 else dpkt.tcp.TCP
    inner = layer(sport=sport, dport=dport, data=payload)
    if protocol == 17:
        inner.ulen = 8 + len(payload)
    ends = [bytes(map(int, end.split("."))) for end in (src, dst)]
    whole = dpkt.ip.IP(src=ends[0], dst=ends[1], p=protocol, data=inner)
    whole.len = len(bytes(whole))
    return bytes(whole)


def capture(packets: list[bytes]) -> pl.DataFrame:
    """What is read of a capture with these packets, a millisecond apart."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ip.pcap")
        write_pcap(path, [(START_NS + i * MS, raw) for i, raw in enumerate(packets)])
        return read_capture(path)


ENDS = st.tuples(st.sampled_from([UE, SERVER, "10.45.0.2"]), st.sampled_from([1, 53, 443, 5201, 65535]))
REAL = st.builds(lambda a, b, payload, protocol: packet(*a, *b, payload, protocol), ENDS, ENDS,
                 st.binary(max_size=60), st.sampled_from([6, 17]))  # fmt: skip
BITS = st.builds(
    lambda raw, at, value: bytes(value if i == at else byte for i, byte in enumerate(raw)),
    REAL, st.integers(0, 59), st.integers(0, 255),
)  # fmt: skip


@given(st.lists(st.one_of(REAL, BITS, st.binary(max_size=80)), max_size=30))
def test_whatever_is_captured_no_byte_is_lost(packets: list[bytes]) -> None:
    frame = capture(packets)
    of_flows = frame.filter(pl.col("protocol").is_in([6, 17]))
    ways = tuples(frame)
    assert ways["bytes"].sum() == of_flows["ip_bytes"].cast(pl.Int64).sum()
    assert ways["pkts"].sum() == len(of_flows)
    flows = found(Sightings(of_captures({"ue1": frame}, NODES)), [], NODES, COMMANDS)
    assert sum(flow.sent_bytes + flow.back_bytes for flow in flows) == ways["bytes"].sum()
    assert len({flow.id for flow in flows}) == len(flows)


def test_a_datagram_in_fragments_is_of_one_flow() -> None:
    first = dpkt.ip.IP(packet(UE, 9, SERVER, 5201, b"x" * 1000))
    first.mf, first.id = 1, 7
    rest = dpkt.ip.IP(src=first.src, dst=first.dst, p=17, id=7, data=b"y" * 500)
    rest.offset, rest.len = 126, 520
    (row,) = tuples(capture([bytes(first), bytes(rest)])).rows(named=True)
    assert (row["sport"], row["dport"], row["pkts"], row["bytes"]) == (9, 5201, 2, 1028 + 520)
    assert row["payload_bytes"] == 1000 + 500


@pytest.mark.parametrize(
    ("first", "transport"),
    [
        (b"\xc3\x00\x00\x00\x01\x08" + b"d" * 20, "quic"),
        (b"\xd3\x6b\x33\x43\xcf\x08" + b"d" * 20, "quic"),
        (b"\xc3\xff\x00\x00\x1d\x08" + b"d" * 20, "quic"),
        (b"\xc3\x00\x00\x00\x09\x08" + b"d" * 20, "udp"),  # no version that is known
        (b"\x83\x00\x00\x00\x01\x08" + b"d" * 20, "udp"),  # the fixed bit is not set
        (b"", "udp"),
    ],
)
def test_quic_is_told_by_its_first_packet(first: bytes, transport: str) -> None:
    packets = [packet(UE, 4000, SERVER, 443, first), packet(SERVER, 443, UE, 4000, b"\x40" * 1000)]
    (flow,) = found(Sightings(of_captures({"ue1": capture(packets)}, NODES)), [], NODES, COMMANDS)
    assert (flow.transport, flow.id) == (transport, "server:443-ue1:4000")
    assert (flow.source, flow.sport, flow.sink, flow.port) == ("server", 443, "ue1", 4000)
    assert flow.command == "get"  # the only one at either end that the run is for


def test_the_probe_says_whose_it_is() -> None:
    def entry(saddr: str, sport: int, daddr: str, dport: int, sent: int, received: int, **owner: str | int) -> dict:
        times = {"first_ns": START_NS + sent, "last_ns": START_NS + 9 * MS}
        return {"protocol": "tcp", "saddr": saddr, "sport": sport, "daddr": daddr, "dport": dport, **times, **owner,
                "sent_pkts": 1, "sent_bytes": sent, "received_pkts": 1, "received_bytes": received}  # fmt: skip

    seen = of_probe([
        entry(UE, 4000, SERVER, 80, 100, 9000, program="curl", pid=7, command="get"),
        entry(SERVER, 80, UE, 4000, 9000, 100, program="httpd", pid=5, command="web"),
        entry(UE, 4001, SERVER, 80, 200, 8000, program="wget", pid=8),
    ])  # fmt: skip
    mine, other = found(seen, [], NODES, COMMANDS)
    assert (mine.id, mine.program, mine.command, mine.sent_bytes, mine.back_bytes) == (
        "server:80-ue1:4000", "curl", "get", 9000, 100)  # fmt: skip
    assert (other.program, other.command, other.sent_bytes, other.back_bytes) == ("wget", None, 8000, 200)


def test_a_flow_is_asked_for_by_its_id_or_its_command() -> None:
    packets = [packet(UE, port, SERVER, 80, b"x" * port, 6) for port in (30, 20)]
    flows = found(Sightings(of_captures({"ue1": capture(packets)}, NODES)), [], NODES, COMMANDS)
    assert named(flows, None, "run") is flows[0] and flows[0].sport == 30
    assert named(flows, "ue1:20-server:80", "run").sport == 20
    assert note(flows, flows[0], None) == "flow ue1:30-server:80; --flow names another: ue1:20-server:80"
    assert note(flows, flows[0], flows[0].id) is None and note(flows[:1], flows[0], None) is None
    with pytest.raises(DataError, match="run: --flow x: allowed ue1:30-server:80, ue1:20-server:80"):
        named(flows, "x", "run")
    assert named(flows[:1], "get", "run") is flows[0]
    with pytest.raises(DataError, match="--flow get: allowed"):
        named(flows, "get", "run")


def test_tag_of_a_datagram() -> None:
    """FNV-1a of the first bytes without the checksum, as celld has it; a short one is hashed to its end."""
    udp = bytes(range(1, 1 + TAG_UDP_BYTES))

    def fnv(data: bytes) -> int:
        value = FNV_OFFSET
        for byte in data:
            value = (value ^ byte) * FNV_PRIME % 2**64
        return value

    tags = udp_tags(np.array([list(udp), list(udp)], dtype=np.uint8), np.array([500, 12]))
    assert tags.tolist() == [fnv(udp[:6] + udp[8:]), fnv(udp[:6] + udp[8:12])]


def spinning(bits: list[int], step_ns: int) -> pl.DataFrame:
    """QUIC packets of one direction with short headers and these spin bits."""
    first = [0x40 | bit << 5 for bit in bits]
    return pl.DataFrame({"sent_ns": [i * step_ns for i in range(len(bits))], "first_byte": first},
                        schema_overrides={"first_byte": pl.UInt8})  # fmt: skip


def test_spin_bit() -> None:
    """It changes every 5 packets, which leave 4 ms apart."""
    _, rtts = spin_rtts(spinning([0] * 5 + [1] * 5 + [0] * 5 + [1] * 5 + [0] * 5, 4 * MS), 15 * MS)
    assert rtts.tolist() == [20 * MS] * 3


@pytest.mark.parametrize("bits", [[0] * 50, [i % 2 for i in range(50)], [], [1]])
def test_a_bit_that_does_not_spin(bits: list[int]) -> None:
    """Constant, or different in each packet: RFC 9000 lets an end choose it at random."""
    assert not len(spin_rtts(spinning(bits, 4 * MS), 15 * MS)[1])


def test_jain() -> None:
    assert jain([3, 3, 3]) == pytest.approx(1)
    assert jain([1, 0, 0, 0]) == pytest.approx(0.25)
    assert jain([3, 1]) == pytest.approx(16 / 20)
    assert jain([5]) is None and jain([0, 0]) is None
    assert jain([10**10, 10**10]) == pytest.approx(1)  # the square of these bytes is more than 64 bits hold
