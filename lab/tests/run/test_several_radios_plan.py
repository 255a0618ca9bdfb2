# SPDX-License-Identifier: GPL-2.0-or-later
"""Nodes, routes and daemons of a run with two radio networks."""

import copy

import pytest
from two_radios import TWO_RADIOS

from cellbed.run import address, memory, multipath, radio_config, radios, topology, workload
from cellbed.scenario.description import expand


@pytest.fixture
def settings(write):
    return expand(write(copy.deepcopy(TWO_RADIOS)))[1][0].settings


@pytest.fixture
def nodes(settings):
    return {node.name: node for node in topology.plan(settings).nodes}


def test_the_ue_has_an_interface_and_a_routing_table_for_each(nodes):
    phone = nodes["phone"]
    assert phone.interfaces == {"lte0": ["10.45.0.1/24"], "wifi": ["10.47.0.1/24"]}
    assert phone.routes == [["10.45.0.0/24", "dev", "lte0", "src", "10.45.0.1"],
                            ["default", "dev", "lte0", "src", "10.45.0.1"],
                            ["10.47.0.0/24", "dev", "wifi", "src", "10.47.0.1"],
                            ["default", "dev", "wifi", "src", "10.47.0.1", "table", "100"]]
    assert phone.rules == (("from", "10.47.0.1", "table", "100"),
                           ("from", "0.0.0.0/0", "oif", "wifi", "table", "100"))
    assert (phone.interface, phone.address) == ("lte0", "10.45.0.1/24")


@pytest.fixture
def dual(write):
    data = copy.deepcopy(TWO_RADIOS)
    data["nodes"]["server"]["address"] = ["10.46.1.1/24", "2001:db8:46::1/64"]
    data["nodes"]["phone"] = {"address": ["10.45.0.1/24", "2001:db8:45::1/64"],
                              "radios": {"wifi": ["10.47.0.1/24", "2001:db8:47::1/64"]}}
    data["traffic"][0]["family"] = "ipv6"
    return expand(write(data))[1][0].settings


def test_ipv6_of_a_further_network_has_the_same_table(dual):
    nodes = {node.name: node for node in topology.plan(dual).nodes}
    assert nodes["phone"].interfaces["wifi"] == ["10.47.0.1/24", "2001:db8:47::1/64"]
    assert [route for route in nodes["phone"].routes if "wifi" in route and ":" in route[0]] == [
        ["2001:db8:47::/64", "dev", "wifi", "src", "2001:db8:47::1"],
        ["::/0", "dev", "wifi", "src", "2001:db8:47::1", "table", "100"]]
    assert nodes["phone"].rules[2:] == (("from", "2001:db8:47::1", "table", "100"),
                                        ("from", "::/0", "oif", "wifi", "table", "100"))
    assert ["2001:db8:47::1/128", "dev", "net-phone"] in nodes["ap"].routes
    assert ["2001:db8:47::1/128", "via", "2001:db8:46:0:ffff:ffff:ffff:fffe", "dev", "eth1", "src",
            "2001:db8:46::1"] in nodes["server"].routes
    (flow,) = dual["traffic"]
    assert address.of_flow(dual, flow) == ("2001:db8:46::1", "2001:db8:45::1")
    assert address.of_flow(dual, {**flow, "radio": "wifi"}) == ("2001:db8:46::1", "2001:db8:47::1")


def test_the_server_has_one_address_and_a_wire_to_each(nodes):
    server = nodes["server"]
    assert server.interfaces == {"eth0": ["10.46.1.1/24"], "eth1": ["10.46.1.1/24"]}
    assert server.routes == [["default", "via", "10.46.1.254", "dev", "eth0", "src", "10.46.1.1"],
                             ["10.47.0.1/32", "via", "10.46.1.254", "dev", "eth1", "src", "10.46.1.1"]]
    assert [words[0] for words in server.neighbours] == ["10.46.1.254"] * 2
    assert server.neighbours[0][2] != server.neighbours[1][2]
    assert server.rules == ()


def test_each_base_station_routes_for_its_own_network(nodes):
    assert nodes["enb"].routes == [["10.45.0.1/32", "dev", "net-phone"]]
    assert nodes["ap"].routes == [["10.47.0.1/32", "dev", "net-phone"]]
    assert not nodes["ap"].in_core


def test_each_daemon_has_its_own_ports_and_files(settings, tmp_path):
    first, wifi = (alone for _, alone in radios.each(settings))
    pids = {"phone": 1, "enb": 2, "ap": 3, "server": 4}
    assert [port["ifname"] for port in radio_config.ports(first, pids)] == ["lte0", "net-phone"]
    assert [(port["ifname"], port["netns"]) for port in radio_config.ports(wifi, pids)] == [
        ("wifi", "/proc/1/ns/net"), ("net-phone", "/proc/3/ns/net")]
    assert radio_config.cell(first)["ues"][0]["name"] == "phone" and "system" not in radio_config.cell(first)
    assert radio_config.cell(wifi)["system"] == "constant_rate"


def test_a_flow_has_the_addresses_of_its_network(settings):
    flow = settings["traffic"][0]
    assert address.of_flow(settings, flow) == ("10.46.1.1", "10.45.0.1")
    assert address.of_flow(settings, {**flow, "radio": "wifi"}) == ("10.46.1.1", "10.47.0.1")
    assert workload.describe(flow, settings)["protocol"] == "mptcp"


def test_the_path_manager_has_an_endpoint_for_each_address(settings, monkeypatch):
    asked = []
    monkeypatch.setattr(multipath, "_ip_mptcp", lambda pid, node, words: asked.append((node, " ".join(words))))
    settings["mptcp"]["backup"] = ["wifi"]
    for node in ("phone", "server"):
        multipath.manage_paths(1, node, settings)
    assert asked == [("phone", "limits set subflows 2 add_addr_accepted 2"),
                     ("phone", "endpoint add 10.45.0.1 dev lte0 subflow"),
                     ("phone", "endpoint add 10.47.0.1 dev wifi subflow backup"),
                     ("server", "limits set subflows 2 add_addr_accepted 2")]


def test_the_path_manager_has_an_endpoint_of_each_version(dual, monkeypatch):
    asked = []
    monkeypatch.setattr(multipath, "_ip_mptcp", lambda pid, node, words: asked.append(" ".join(words)))
    multipath.manage_paths(1, "phone", dual)
    assert asked[1:] == [f"endpoint add {own} subflow" for own in (
        "10.45.0.1 dev lte0", "2001:db8:45::1 dev lte0", "10.47.0.1 dev wifi", "2001:db8:47::1 dev wifi")]


def test_a_daemon_more_has_memory_of_its_own(settings):
    busy = {**settings, "traffic": settings["traffic"] * 8}
    assert (memory.guest_mib(busy), memory.guest_mib({**busy, "radios": None})) == (768, 640)
