# SPDX-License-Identifier: GPL-2.0-or-later
"""Echo requests and replies in captures, and the pings that sent them."""

from __future__ import annotations

import ipaddress
import struct
from pathlib import Path

from synthetic_bundle import MS, echo, tcp_packet, write_pcap

from cellbed_formats.address import number_of
from cellbed_formats.capture import read_capture
from cellbed_formats.echo import echoes, pings

UE, SERVER = "10.45.0.1", "10.46.0.1"
UE6, SERVER6 = "2001:db8:45::1", "2001:db8:46::1"


def echo6(src: str, dst: str, kind: int, number: int, seq: int) -> bytes:
    """The same of ICMPv6."""
    ends = (ipaddress.IPv6Address(end).packed for end in (src, dst))
    message = struct.pack(">BBHHH", kind, 0, 0, number, seq) + b"x" * 56
    return struct.pack(">IHBB", 6 << 28, len(message), 58, 64) + b"".join(ends) + message


def test_requests_and_replies_of_both_versions(tmp_path: Path) -> None:
    write_pcap(tmp_path / "ip.pcap", [
        (1 * MS, echo(UE, SERVER, 8, 77, 1)), (2 * MS, tcp_packet(True, 1, 2, 0)), (3 * MS, echo(SERVER, UE, 0, 77, 1)),
        (4 * MS, echo(SERVER, UE, 3, 77, 1)),  # unreachable
        (5 * MS, echo6(UE6, SERVER6, 128, 0xFFFF, 2)), (6 * MS, echo6(SERVER6, UE6, 129, 0xFFFF, 2)),
    ])  # fmt: skip
    found = echoes(read_capture(tmp_path / "ip.pcap"))
    assert found.select("row", "reply", "id", "seq", "ip_bytes").rows() == [
        (0, False, 77, 1, 84), (2, True, 77, 1, 84), (4, False, 0xFFFF, 2, 104), (5, True, 0xFFFF, 2, 104)]
    four, six = ((number_of(ue), number_of(server)) for ue, server in ((UE, SERVER), (UE6, SERVER6)))
    assert found.select("requester", "replier").rows() == [four, four, six, six]


def test_one_in_fragments_ends_with_its_last(tmp_path: Path) -> None:
    first = bytearray(echo(UE, SERVER, 8, 7, 1, 1472))
    rest = bytearray(echo(UE, SERVER, 8, 9, 9, 592))
    for packet, flags in ((first, 0x2000), (rest, 185)):
        struct.pack_into(">HH", packet, 4, 4711, flags)
    write_pcap(tmp_path / "ip.pcap", [(1 * MS, bytes(first)), (2 * MS, bytes(rest)),
                                      (3 * MS, echo(UE, SERVER, 8, 7, 2))])
    found = echoes(read_capture(tmp_path / "ip.pcap"))
    assert found.select("row", "seq", "ip_bytes").rows() == [(1, 1, 1500 + 620), (2, 2, 84)]
    assert (found["last_ns"] - found["t_ns"]).to_list() == [MS, 0]


def test_pings_have_the_names_of_their_ends_and_commands(tmp_path: Path) -> None:
    sent = [(1, UE, SERVER, 1), (2, UE, SERVER, 1), (3, UE, SERVER, 2), (4, UE, "10.9.9.9", 3)]
    write_pcap(tmp_path / "ue.pcap", [(ms * MS, echo(src, dst, 8, number, 1)) for ms, src, dst, number in sent])
    write_pcap(tmp_path / "server.pcap", [(5 * MS, echo(UE, SERVER, 8, 1, 1)), (6 * MS, echo(SERVER, UE, 8, 4, 1))])
    captures = {node: read_capture(tmp_path / f"{node}.pcap") for node in ("ue", "server")}
    start = captures["ue"]["t_ns"][0]
    commands = [{"id": "a", "argv": ["ping", UE], "node": "server", "start_ns": start, "end_ns": None},
                {"id": "b", "argv": ["sh", "-c", "ping"], "node": "server"},
                {"id": "early", "argv": ["/bin/ping"], "node": "ue", "end_ns": start + MS},
                {"id": "late", "argv": ["sh"], "node": "ue", "start_ns": start + 2 * MS}]
    found = pings(captures, {number_of(UE): "ue", number_of(SERVER): "server"}, commands, {})
    assert [(flow.id, flow.command) for flow in found] == [
        ("ue:ping-server/1", "early"), ("ue:ping-server/2", "late"), ("ue:ping-10.9.9.9", "late"),
        ("server:ping-ue", "a")]
    assert [(flow.source, flow.sink, flow.sport, flow.sent_bytes) for flow in found][0] == ("ue", "server", 1, 168)
