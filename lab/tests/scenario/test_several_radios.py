# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenarios with several radio networks: what is refused, and what each network is alone."""

import copy

import pytest
from minimal import ROOT
from two_radios import TWO_RADIOS

from cellbed.error import ScenarioError
from cellbed.run import radios
from cellbed.scenario.description import expand
from cellbed.scenario.dotted import set_key


@pytest.fixture
def two():
    return copy.deepcopy(TWO_RADIOS)


@pytest.fixture
def settings(write):
    def of(data):
        return expand(write(data))[1][0].settings

    return of


def test_the_keys_leave_other_scenarios_as_they_were(minimal, settings):
    known = settings(minimal)
    assert not {"radios", "mptcp"} & set(known)
    assert "radios" not in known["nodes"]["ue1"] and "radio" not in known["traffic"][0]
    assert radios.alone(known, None) is known and radios.names(known) == [None]


def test_each_network_alone_has_its_own_nodes_and_addresses(two, settings):
    first, wifi = (alone for _, alone in radios.each(settings(two)))
    assert list(first["nodes"]) == ["server", "enb", "phone"] and list(wifi["nodes"]) == ["server", "ap", "phone"]
    assert first["nodes"]["phone"]["address"] == "10.45.0.1/24"
    assert wifi["nodes"]["phone"]["address"] == "10.47.0.1/24"
    assert [link["b"] for link in first["links"]] == ["enb"] and [link["b"] for link in wifi["links"]] == ["ap"]
    assert (radios.interface(first), radios.interface(wifi)) == ("lte0", "wifi")
    assert "further" not in first and wifi["radio"]["system"] == "constant_rate"


def test_networks_draw_different_numbers():
    assert radios.seed(7, None) == 7
    assert len({radios.seed(7, name) for name in (None, "wifi", "wlan")}) == 3
    assert radios.seed(7, "wifi") < 1 << 53


def test_a_network_with_a_core_has_all_of_it(handover, settings):
    handover["nodes"] |= {"ap": {"kind": "enb"}}
    handover["nodes"]["me"]["radios"] = {"wifi": "10.47.0.1/24"}
    handover["links"].append({"a": "ap", "b": "server", "rate": "1Gbit"})
    handover["radios"] = {"wifi": {"system": "constant_rate", "constant_rate": {}, "ues": {"me": {"peer": "ap"}}}}
    first, wifi = (alone for _, alone in radios.each(settings(handover)))
    assert set(first["nodes"]) == {"server", "sgw", "router", "senb", "tenb", "me", "c1"}
    assert set(wifi["nodes"]) == {"server", "ap", "me"}


def test_mptcp_has_its_defaults_where_a_flow_wants_it(two, settings):
    assert settings(two)["mptcp"] == {"backup": []}
    two["traffic"][0]["transport"] = "tcp"
    assert "mptcp" not in settings(two)


CASES = [
    ("radios", {}, "key 'radios': no entries: allowed 1..3"),
    ("radios.lo", {"ues": {"phone": {"peer": "ap"}}}, "key 'radios.lo': an interface of each UE gets this name"),
    ("radios.server", {"ues": {"phone": {"peer": "ap"}}}, "key 'radios.server': a node has this name"),
    ("nodes.my-wifi", {"address": "10.48.0.1/24"}, "key 'radios.wifi': the files of node my-wifi end with this name"),
    ("radios.wifi.ues.phone.peer", "enb", "key 'nodes.enb': it routes for radio and for wifi"),
    ("radios.wifi.ues.phone.peer", "phone", "key 'radios.wifi.ues.phone.peer': value phone: with radios, UEs talk to"),
    ("radios.wifi.ues.tablet", {"peer": "ap"}, "key 'radios.wifi.ues.tablet': value 'tablet': allowed phone"),
    ("radios.wifi.n_rb", 25, "key 'radios.wifi.n_rb': radios.wifi.system constant_rate does not have it"),
    ("radios.wifi.constant_rate.delay_ms", -1, "key 'radios.wifi.constant_rate.delay_ms': value -1: allowed 0..10000"),
    ("radios.wifi.constant_rate.uplink_losses", "no.csv", "key 'radios.wifi.constant_rate.uplink_losses': "),
    ("nodes.phone.radios", {"wlan": "10.47.0.1/24"}, "key 'nodes.phone.radios': value 'wlan': allowed wifi"),
    ("nodes.phone.radios", None, "key 'nodes.phone.radios.wifi': missing; give an address"),
    ("nodes.phone.radios.wifi", "2001:db8::1/64", "key 'nodes.phone.radios.wifi': no address of IPv4, from which file"),
    ("nodes.phone.radios.wifi", "ff02::1/64", "key 'nodes.phone.radios.wifi': value ff02::1/64: allowed addresses of"),
    ("nodes.phone.radios.wifi", ["10.47.0.1/24", "10.48.0.1/24"], "a list has one address of IPv4 and one of IPv6"),
    ("nodes.phone.radios.wifi", [], "key 'nodes.phone.radios.wifi': "),
    ("nodes.phone.radios.wifi", "10.45.0.7/24", "key 'nodes.phone.radios.wifi': value 10.45.0.7/24: its subnet over"),
    ("nodes.phone.radios.wifi", "10.46.1.1/24", "key 'nodes.phone.radios.wifi': value 10.46.1.1/24: server has this"),
    ("nodes.server.radios", {"wifi": "10.47.0.2/24"}, "key 'nodes.server.radios': only UEs have it"),
    ("nodes.server.internet", True, "key 'nodes.server.internet': value true: with radios, nodes are namespaces of"),
    ("nodes.spare", {"kind": "enb"}, "key 'nodes.spare': it belongs to no radio network"),
    ("nodes.lonely", {"kind": "server", "address": "10.49.0.1/24"}, "key 'links': no link of lonely; add one"),
    ("links.1.b", "enb", "key 'links.1': a second link of server; allowed one link for each server"),
    ("links.1.b", "server", "key 'links.1': it is a link of no radio network"),
    ("mptcp", {"backup": ["wlan"]}, "key 'mptcp.backup.0': value 'wlan': allowed radio, wifi"),
    ("traffic.0.kind", "iperf3", "key 'traffic.0.kind': value iperf3: transport mptcp needs kind: stream"),
    ("traffic.0.family", "ipv6", "key 'traffic.0.family': value ipv6: server has 10.46.1.1/24, ph"),
    ("traffic.0.radio", "wlan", "key 'traffic.0.radio': value wlan: allowed wifi, or null for the first network"),
    ("traffic.0.rate", "1Mbit", "key 'traffic.0.rate': value 1000000: transport mptcp does not use it"),
]


@pytest.mark.parametrize(("key", "value", "message"), CASES, ids=[f"{key}={value}" for key, value, _ in CASES])
def test_what_cannot_be_is_one_line(two, write, key, value, message):
    set_key(two, key, value, "scenario.yaml")
    with pytest.raises(ScenarioError) as error:
        expand(write(two))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("key", "value", "message"), [
    ("nodes.ue1.radios", {"wifi": "10.47.0.1/24"}, "key 'nodes.ue1.radios': the scenario has one radio network"),
    ("mptcp", {}, "key 'mptcp': the scenario has one radio network"),
    ("traffic.0.radio", "wifi", "key 'traffic.0.radio': value wifi: the scenario has one radio network"),
    ("traffic.0", {"id": "x", "kind": "stream", "transport": "mptcp", "from": "server", "to": "ue1", "duration_s": 1},
     "key 'traffic.0.transport': value mptcp: allowed between a server and a UE on several radio networks"),
])
def test_with_one_network_the_keys_are_refused(wired, write, key, value, message):
    set_key(wired, key, value, "scenario.yaml")
    with pytest.raises(ScenarioError) as error:
        expand(write(wired))
    assert message in str(error.value)


def test_the_scenario_of_the_project_says_what_it_is_about():
    _, runs = expand(ROOT / "scenarios/two-radios/mptcp.yaml")
    assert {run.variant for run in runs} == {"tcp-5g", "tcp-wifi", "tcp-outage", "both", "handover", "outage",
                                             "outage-stale", "far", "backup", "backup-outage"}
