# SPDX-License-Identifier: GPL-2.0-or-later
"""Which flow of a run a tool is asked about, and why some of them have nothing to tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from synthetic_bundle import DADDR, MS, SADDR, START_NS, echo, tcp_packet, write_bundle, write_pcap

from cellbed_analysis.metrics.asked import Asked
from cellbed_formats.bundle import Bundle, read_bundle
from cellbed_formats.error import DataError

PCAP_HEADER_BYTES = 24


def with_packets(folder: Path, packets: list[bytes], flows: list[Any] | None = None) -> Bundle:
    """A run in which ue1 also sends these after its flow, one each millisecond, and both UEs capture them.

    Args:
        flows: []: there is no flow, and nothing else in the captures.
    """
    path = write_bundle(folder, duration_s=0.2)
    sent = [(START_NS + (300 + n) * MS, packet) for n, packet in enumerate(packets)]
    for node in ("ue1", "ue2"):
        capture = path / f"ip-{node}.pcap"
        known = capture.read_bytes()
        write_pcap(capture, sent)
        if flows is None:
            capture.write_bytes(known + capture.read_bytes()[PCAP_HEADER_BYTES:])
    if flows is not None:
        told = json.loads((path / "manifest.json").read_text()) | {"flows": flows}
        told["description"]["settings"]["nodes"] = {
            name: {"address": f"{own}/24"} for name, own in (("ue1", SADDR), ("ue2", DADDR))}
        (path / "manifest.json").write_text(json.dumps(told))
    return read_bundle(path)


def ping(number: int) -> bytes:
    return echo(SADDR, DADDR, 8, number, 1)


def test_the_only_ping_is_meant_by_that_word(tmp_path: Path) -> None:
    asked = Asked.of(with_packets(tmp_path, [ping(1), ping(1)]), "ping")
    assert (asked.flow.id, asked.flow.pings) == ("ue1:ping-ue2", True)


def test_of_several_pings_one_is_to_be_named(tmp_path: Path) -> None:
    bundle = with_packets(tmp_path, [ping(1), ping(2)])
    with pytest.raises(DataError, match=r"--flow ping: the run has 2; allowed ue1:ping-ue2/1, ue1:ping-ue2/2$"):
        Asked.of(bundle, "ping")
    assert Asked.of(bundle, "ue1:ping-ue2/2").flow.sport == 2


def test_a_run_without_flows_says_what_it_has(tmp_path: Path) -> None:
    bundle = with_packets(tmp_path, [echo(SADDR, DADDR, 3, 1, 1)] * 3, flows=[])
    for name in ("tcp.trace", "file.iperf3.json"):
        (bundle.path / name).unlink()
    with pytest.raises(DataError, match="no TCP or UDP flow: its captures hold 6 packets of other protocols$"):
        Asked.of(bundle, None)


def test_a_connection_without_data_has_no_segments(tmp_path: Path) -> None:
    handshake = bytearray(tcp_packet(True, 5, 0, 0, flags=0x02))
    handshake[22:24] = (80).to_bytes(2, "big")  # its port
    bundle = with_packets(tmp_path, [bytes(handshake)])
    (other,) = (flow.id for flow in bundle.all_flows if flow.id != "file")
    message = f"flow {other}: the connection carried no data; choose another flow with --flow$"
    with pytest.raises(DataError, match=message):
        Asked.of(bundle, other).explained()


def test_parts_beyond_the_radio_have_words(dm_dm: Bundle) -> None:
    asked = Asked.of(dm_dm, "file")
    assert asked.label("replier") == "host that replies"
    assert asked.label("host_tx") == "sender's host, capture to radio"


def test_what_nothing_explains_says_of_what(tmp_path: Path, dm_dm: Bundle) -> None:
    assert Asked.of(dm_dm, "file").unexplained.endswith("flow file: radio.trace explains no RTT of this flow; choose "
                                                        "another flow or time")
    pinged = Asked.of(with_packets(tmp_path, [ping(1)]), "ping")
    assert pinged.unexplained.endswith("explains no RTT of this ping; choose another flow or time")


@pytest.mark.parametrize(("tcp", "advice"), [
    ({}, "run it with capture.ip: true"),
    ({"segmentation_offload": True}, "run it with capture.ip: true and without tcp.segmentation_offload"),
])
def test_without_captures_it_says_how_to_get_them(tmp_path: Path, tcp: dict[str, Any], advice: str) -> None:
    path = write_bundle(tmp_path, duration_s=1)
    for capture in path.glob("ip-*.pcap"):
        capture.unlink()
    bundle = read_bundle(path)
    settings = bundle.manifest["description"]["settings"]
    settings |= {"capture": {"ip": False}, "tcp": settings["tcp"] | tcp}
    with pytest.raises(DataError, match=f"flow file: no capture of what ue1 sent; {advice}$"):
        Asked.of(bundle, "file")
