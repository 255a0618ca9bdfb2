# SPDX-License-Identifier: GPL-2.0-or-later
"""Several radio networks of a run: which network a flow goes over, its files and wires, and the subflows of MPTCP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cellbed_formats.address import number_of
from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import MPTCP, TCP, Ends, Flow, Seen, Sightings, belongs, completed, found
from cellbed_formats.interfaces import captures
from cellbed_formats.radios import OverRadio, networks, over
from cellbed_formats.subflows import subflows

LTE, WIFI, SERVER = map(number_of, ("10.45.0.1", "10.47.0.1", "10.46.1.1"))
PATHS = {LTE: "radio", WIFI: "wifi"}
NODES: dict[str, dict[str, Any]] = {
    "server": {"kind": "server", "address": "10.46.1.1/24"}, "enb": {"kind": "enb"}, "ap": {"kind": "enb"},
    "phone": {"kind": "ue", "address": "10.45.0.1/24", "radios": {"wifi": "10.47.0.1/24"}},
}  # fmt: skip
LINKS = [{"a": "ap", "b": "server", "rate": 1}, {"a": "server", "b": "enb", "rate": 2}]
SETTINGS = {"nodes": NODES, "links": LINKS, "radio": {"system": "lte"}, "radios": {"wifi": {"system": "nr"}}}


def flow(source: str = "server", **changes: Any) -> Flow:
    ends = {"saddr": SERVER, "daddr": LTE} if source == "server" else {"saddr": LTE, "daddr": SERVER}
    sink = "phone" if source == "server" else "server"
    return Flow(id="f", kind="stream", source=source, sink=sink, port=5201, start_ns=0, end_ns=100,
                **{"sport": 35201, "transport": MPTCP, "paths": PATHS, **ends, **changes})


def seen(*ways: tuple[int, int, int, int], first_ns: int = 10) -> Sightings:
    """Both directions of some 5-tuples, each later than the one before: 100 bytes forth, 10 back."""
    found: dict[Ends, Seen] = {}
    for place, (src, sport, dst, dport) in enumerate(ways):
        at = first_ns + place
        found[6, src, sport, dst, dport] = Seen(at, at + 50, 2, 100, 80)
        found[6, dst, dport, src, sport] = Seen(at + 1, at + 51, 2, 10, 0)
    return Sightings(found)


DOWN = seen((SERVER, 35201, LTE, 5201), (SERVER, 35201, WIFI, 40123), (SERVER, 35201, WIFI, 40124))


def test_subflows_of_a_download_are_called_by_their_networks() -> None:
    parts = subflows(flow(), DOWN)
    assert [(part.id, part.daddr, part.port, part.transport) for part in parts] == [
        ("f/radio", LTE, 5201, TCP), ("f/wifi", WIFI, 40123, TCP), ("f/wifi-2", WIFI, 40124, TCP)]
    assert all(flow().has_part(part) and part.found for part in parts)
    assert {(part.start_ns, part.end_ns) for part in parts} == {(0, 100)}


def test_subflows_of_an_upload() -> None:
    up = seen((WIFI, 40123, SERVER, 5201), (LTE, 35201, SERVER, 5201), (LTE, 35201, SERVER, 5202))
    parts = subflows(flow("phone"), up)
    assert [(part.id, part.saddr, part.sport) for part in parts] == [("f/wifi", WIFI, 40123), ("f/radio", LTE, 35201)]


def test_a_connection_has_the_bytes_of_all_its_subflows_and_leaves_none_over() -> None:
    whole = completed(flow(), DOWN)
    assert (whole.sent_bytes, whole.back_bytes) == (300, 30)
    assert all(belongs(flow(), ends) for ends in DOWN.ways)
    assert found(DOWN, [flow()], {}, []) == []


def test_tcp_has_no_subflows() -> None:
    assert subflows(flow(transport=TCP, paths={}), DOWN) == []
    assert len(found(DOWN, [flow(transport=TCP, paths={})], {}, [])) == 2


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    manifest = {"description": {"settings": SETTINGS}, "radios": {"wifi": {"nodes": ["ap"]}}}
    for name, ues in (("celld.json", ["phone", "tablet"]), ("wifi-celld.json", ["phone"])):
        (tmp_path / name).write_text(json.dumps({"cell": {"ues": [{"name": ue} for ue in ues]}}))
    return Bundle(tmp_path, manifest)


def test_a_flow_goes_over_the_network_of_its_address(bundle: Bundle) -> None:
    (wifi,) = networks(bundle).values()
    assert isinstance(wifi, OverRadio)
    assert over(bundle, flow()) is bundle and over(bundle, flow(daddr=WIFI)) is wifi
    assert (bundle.settings["radio"]["system"], wifi.settings["radio"]["system"]) == ("lte", "nr")
    assert (bundle.ue_numbers, wifi.ue_numbers) == ({"phone": 1, "tablet": 2}, {"phone": 1})


def test_each_network_has_its_own_wire_and_captures(bundle: Bundle) -> None:
    wifi = networks(bundle)["wifi"]
    assert (bundle.link_of("server"), wifi.link_of("server")) == (LINKS[1], LINKS[0])
    assert captures(SETTINGS, "server") == ["ip-server.pcap", "ip-server-eth1.pcap"]
    assert captures(SETTINGS, "phone") == ["ip-phone.pcap", "ip-phone-wifi.pcap"]
    assert captures({**SETTINGS, "radios": None}, "server") == ["ip-server.pcap"]
    assert (bundle.capture_name("server"), wifi.capture_name("server")) == ("ip-server-eth1.pcap", "ip-server.pcap")
    assert (bundle.capture_name("phone"), wifi.capture_name("phone")) == ("ip-phone.pcap", "ip-phone-wifi.pcap")


def test_files_of_a_network_begin_with_its_name(bundle: Bundle) -> None:
    wifi = networks(bundle)["wifi"]
    (bundle.path / "wifi-radio.trace").write_bytes(b"")
    (bundle.path / "tcp.trace").write_bytes(b"")
    assert [one.has("radio.trace") for one in (bundle, wifi)] == [False, True]
    assert [one.has("tcp.trace") for one in (bundle, wifi)] == [True, True]
