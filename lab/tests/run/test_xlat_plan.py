# SPDX-License-Identifier: GPL-2.0-or-later
"""464XLAT of a run as data: translators, routes, and checksums of what a NAT64 gets."""

import contextlib
import random
import socket
import struct

import pytest
from minimal import ROOT

from cellbed.error import LabError, ScenarioError
from cellbed.host import programs
from cellbed.link import links
from cellbed.run import inventory, radio_config, radios, topology, xlat
from cellbed.run.udp_checksum import with_checksum
from cellbed.scenario.description import expand

CLAT = "fd63:656c:6c62:a2d:1::c1a7"


@pytest.fixture
def translated(tmp_path):
    """Settings of a link with 464XLAT, with further keys."""
    def settings(name, *overrides, families=("ipv4", "ipv6"), radios=()):
        data, path = links.build([name], ["true"], overrides, radios=radios)
        links.put_addresses(data, path, links.Addresses(families, xlat=True))
        file = tmp_path / "link.yaml"
        file.write_text(links.to_yaml(data, "a link"))
        return expand(file)[1][0].settings

    return settings


@pytest.mark.parametrize(("link", "node"), [("good", "enb"), ("train", "sgw"), ("leo", "gateway")])
def test_one_translator_at_the_ue_and_one_where_the_servers_are(translated, link, node):
    settings = translated(link)
    nat64, clat = xlat.plan(settings)
    assert (nat64.node, clat.node) == (node, "ue1")
    assert nat64.configuration() == (f"tun-device nat64\nipv4-addr {nat64.own}\nprefix fd64:ff9b::/96\n"
                                     f"map 10.45.0.1 {CLAT}\n")
    assert clat.configuration() == ("tun-device clat\nipv4-addr 192.0.0.2\nprefix fd64:ff9b::/96\n"
                                    f"map 192.0.0.4 {CLAT}\n")
    assert nat64.own != "10.45.0.1" and nat64.routes[0] == ["fd64:ff9b::/96", "dev", "nat64"]
    assert clat.routes == [["default", "dev", "clat", "src", "192.0.0.4", "mtu", "1472"],
                           [f"{CLAT}/128", "dev", "clat"]]


def test_the_mtu_leaves_room_for_the_headers_of_ipv6(translated):
    settings = translated("good", "radio.mtu=1358", "tcp.initial_window_pkts=4")
    assert xlat.plan(settings)[1].routes[0][-4:] == ["mtu", "1330", "initcwnd", "4"]


def test_a_run_without_has_none(translated, write, wired):
    assert xlat.plan(expand(write(wired))[1][0].settings) == []


def test_another_translator_than_the_run_names_is_refused(translated, write, wired, monkeypatch, tmp_path):
    """A host of a sweep has one of its own; a run without one asks for none."""
    described = {"settings": translated("good"), "programs": {}}
    monkeypatch.setattr(programs, "find", lambda name: None)
    assert xlat.refusal(described) == "key 'nodes.ue1.clat': needs tayga; install it with `apt-get install tayga`"
    for name in ("one", "other"):
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(programs, "find", lambda name: str(tmp_path / "one"))
    described["programs"] = xlat.fingerprint(described["settings"])
    assert xlat.refusal(described) is None
    monkeypatch.setattr(programs, "find", lambda name: str(tmp_path / "other"))
    assert xlat.refusal(described) == (f"key 'nodes.ue1.clat': {tmp_path}/other: another tayga than where the run was "
                                       "asked for; install the same")
    without = expand(write(wired))[1][0].settings
    assert xlat.fingerprint(without) == {} and xlat.refusal({"settings": without, "programs": {}}) is None


def test_a_machine_without_is_told_before_anything_is_made(translated, monkeypatch, tmp_path):
    """Where no run has asked first, as in a script of Mininet."""
    monkeypatch.setattr(programs, "find", lambda name: None)
    with contextlib.ExitStack() as stack, pytest.raises(LabError) as raised:
        xlat.start(stack, xlat.plan(translated("good")), {}, tmp_path, tmp_path / "log", rootless=False)
    assert str(raised.value) == "464XLAT: needs tayga; install it with `apt-get install tayga`"


def test_routes_to_the_clat_and_to_the_pool(translated):
    planned = {node.name: node for node in topology.plan(translated("good", "nodes.server.internet=true")).nodes}
    assert planned["ue1"].translates and planned["ue1"].forwards
    assert not any("." in word for word in planned["ue1"].interfaces["lte0"])
    assert [f"{CLAT}/128", "dev", "net-ue1"] in planned["enb"].routes
    assert ["10.45.0.0/24", "via", "10.46.0.254", "dev", "eth0", "src", "10.46.0.1"] in planned["server"].routes


def test_a_namespace_that_was_there_keeps_forwarding_and_default_route_as_they_are(translated):
    settings = translated("good", "nodes.ue1.netns=/run/netns/phone")
    (planned,) = [node for node in topology.plan(settings).nodes if node.name == "ue1"]
    assert not planned.translates and not planned.forwards
    _, clat = xlat.plan(settings)
    assert clat.routes == [[half, "dev", "clat", "src", "192.0.0.4", "mtu", "1472"]
                           for half in ("0.0.0.0/1", "128.0.0.0/1")]
    assert [tuple(turn) for turn in clat.turns] == [("clat", "fd64:ff9b::/96", "lte0"), ("lte0", f"{CLAT}/128", "clat")]
    assert all(not one.turns for one in xlat.plan(translated("good")))


def test_further_networks_have_no_translators(translated):
    settings = translated("good", radios=["wifi=leo"])
    assert [(one.node, one.interface) for one in xlat.plan(settings)] == [("enb", "nat64"), ("ue1", "clat")]
    planned = {node.name: node for node in topology.plan(settings).nodes}
    assert planned["ue1"].interfaces["wifi"] == ["10.47.0.1/24", "fd63:656c:6c62:a2f:1::/72"] and not any(
        word.startswith((CLAT, "10.45.0.")) for route in planned["wifi-gateway"].routes for word in route)
    assert "clat6" not in radio_config.cell(radios.alone(settings, "wifi"))["ues"][0]


def test_tunnels_lead_to_the_clat_too(translated):
    settings = translated("train")
    assert radio_config.cell(settings)["ues"][0]["clat6"] == CLAT


def test_the_far_end_by_ipv4(translated):
    assert inventory.variables(translated("good"), "ue1") == {
        "CELLBED_NODE": "ue1", "CELLBED_BASE": "10.46.0.1", "CELLBED_BASE6": "fd63:656c:6c62:a2e:1::"}
    assert inventory.variables(translated("good", families=("ipv4",)), "ue1") == {
        "CELLBED_NODE": "ue1", "CELLBED_BASE": "10.46.0.1"}


@pytest.mark.parametrize(("key", "value", "said"), [
    ("nodes.ue1.address", "[10.45.0.9/24, 'fd63::9/64']", "key 'nodes.ue1.clat': the UE has IPv4 on the radio"),
    ("nodes.server.clat", "'fd63::9'", "key 'nodes.server.nat64': missing; a UE with 464XLAT has"),
    ("nodes.ue1.kind", "server", "key 'nodes.ue1.clat': only UEs have it"),
    ("nodes.ue1.clat", "10.45.0.9", "allowed one address of IPv6, such as 2001:db8:45::c1a7"),
    ("nodes.ue1.clat", "'fd63::/64'", "allowed one address of IPv6, such as 2001:db8:45::c1a7"),
    ("nodes.ue1.nat64", "10.45.0.1/31", "allowed prefix lengths up to 30"),
    ("nodes.ue1.nat64", "'fd63::1/64'", "allowed an address of IPv4 with the length of its prefix"),
    ("nodes.ue1.nat64", "10.45.0.14/28", "value 10.45.0.14/28: the NAT64 itself has this address"),
    ("nodes.ue1.nat64", "10.46.0.9/24", "its subnet overlaps that of ue1"),
    ("nodes.ue1.clat", "'fd63:656c:6c62:a2e:1::'", "has this address; choose another one"),
    ("nodes.server.address", "'2001:db8::1/64'", "key 'nodes.ue1.clat': no server has an address of IPv4"),
])
def test_keys_that_do_not_fit(translated, tmp_path, key, value, said):
    translated("good")
    with pytest.raises(ScenarioError) as raised:
        expand(tmp_path / "link.yaml", overrides=[f"{key}={value}"])
    assert said in str(raised.value)


def test_a_link_with_other_addresses_is_refused(tmp_path):
    data, path = links.build([str(ROOT / "scenarios/dual-stack/lte.yaml")], ["true"])
    with pytest.raises(ScenarioError, match="464xlat: allowed in links whose nodes have one address of IPv4 each"):
        links.put_addresses(data, path, links.Addresses(("ipv4", "ipv6"), xlat=True))


def ones_complement(data):
    """Sum of 16 bits, carry by carry."""
    total = 0
    for (word,) in struct.iter_unpack("!H", data + bytes(len(data) % 2)):
        total += word
        total = (total & 0xFFFF) + (total >> 16)
    return total


def test_checksums_of_datagrams():
    """As the sum over pseudo-header and datagram has it; one that comes to 0 is written 0xffff. RFC 768"""
    draws, seen = random.Random(1), set()
    for length in [*range(40), *(draws.randrange(1400) for _ in range(100))]:
        head = bytes((0x45, 0)) + struct.pack("!HIBBH", 28 + length, 0, 63, socket.IPPROTO_UDP, 0)
        addresses, payload = draws.randbytes(8), draws.randbytes(length)
        packet = head + addresses + struct.pack("!HHHH", 53, draws.randrange(1 << 16), 8 + length, 0) + payload
        made = with_checksum(packet)
        pseudo = made[12:20] + struct.pack("!HH", socket.IPPROTO_UDP, 8 + length)
        assert made[:26] + bytes(2) + made[28:] == packet
        assert ones_complement(pseudo + made[20:]) == 0xFFFF
        seen.add(made[26:28])
    zero = head + bytes(8) + struct.pack("!HHHH", 0xFFFF - 17 - 10 - 10, 0, 10, 0) + bytes(2)
    assert with_checksum(zero)[26:28] == b"\xff\xff" and bytes(2) not in seen
