# SPDX-License-Identifier: GPL-2.0-or-later
"""Core networks: what a scenario may say of one, what has to exist for it, what the radio daemon is told."""

import pytest

from cellbed.error import ScenarioError
from cellbed.run import core_network, radio_config, topology
from cellbed.scenario.description import expand
from cellbed.scenario.dotted import set_key


@pytest.fixture
def settings(write, handover):
    return expand(write(handover))[1][0].settings


def named(planned, name):
    return next(node for node in planned.nodes if node.name == name)


SECOND = {"at_s": 5, "ue": "me", "handover": "senb"}


@pytest.mark.parametrize(("key", "value", "message"), [
    ("nodes.sgw2", {"kind": "sgw"}, "key 'nodes.sgw2.kind': value 'sgw': sgw is one already; allowed one sgw"),
    ("nodes.router", {"kind": "server", "address": "10.9.0.1/24"},
     "key 'nodes.sgw.kind': value 'sgw': it reaches eNBs over a router, and the scenario has"),
    ("nodes.sgw", {"kind": "enb"},
     "key 'nodes.router.kind': value 'router': the scenario has no core network; add an sgw, or"),
    ("nodes.sgw.address", "10.1.0.1/24",
     "key 'nodes.sgw.address': value 10.1.0.1/24: the addresses of the S-GW follow from its"),
    ("nodes.router.address", "10.1.0.1/24",
     "key 'nodes.router.address': value 10.1.0.1/24: the addresses of the router follow from its"),
    ("nodes.eenb", {"kind": "enb"}, "key 'links': no path from eenb to sgw; add the links between them"),
    ("nodes.router2", {"kind": "router"}, "key 'links': no path from router2 to sgw; add the links between them"),
    ("nodes.me.address", "10.60.0.1/32",
     "key 'nodes.me.address': value 10.60.0.1/32: the core network uses it; allowed addresses"),
    ("nodes.me.address", "10.61.9.9/32",
     "key 'nodes.me.address': value 10.61.9.9/32: the core network uses it; allowed addresses"),
    ("nodes.me.address", "10.46.1.7/32",
     "key 'nodes.server.address': value 10.46.1.1/24: its subnet overlaps that of me; choose"),
    ("nodes.server.address", "10.32.0.1/10",
     "key 'nodes.server.address': value 10.32.0.1/10: its subnet overlaps that of me; choose"),
    ("nodes.server.address", "10.46.1.254/24",
     "key 'nodes.server.address': value 10.46.1.254/24: the S-GW's end has the last address of"),
    ("links.0.b", "router", "key 'links.0.b': value 'router': allowed sgw"),
    ("links.2.a", "sgw", "key 'links.2.b': value 'senb': allowed server, router"),
    ("links.2.a", "tenb", "key 'links.2.b': value 'senb': allowed router"),
    ("links.2.b", "tenb", "key 'links.3': a second link between tenb and router; allowed one"),
    ("links.2.b", "router", "key 'links.2.b': value 'router': allowed sgw, senb, tenb"),
    ("links.3.aqm", "codel", "key 'links.3.aqm': value codel: allowed none, red, red_ecn"),
    ("links.3.red_max_pkts", 20,
     "key 'links.3': red_min_pkts is 20, red_max_pkts 20, queue_pkts 90: allowed red_min_pkts <"),
    ("links.3.queue_pkts", 60,
     "key 'links.3': red_min_pkts is 20, red_max_pkts 65, queue_pkts 60: allowed red_min_pkts <"),
    ("links.3.red_probability", 0, "key 'links.3.red_probability': value 0: allowed more than 0, at most 1"),
    ("links.3.red_min_pkts", 1, "key 'links.3.red_min_pkts': value 1: allowed 2..2500"),
    ("radio.ues.me.peer", "sgw", "key 'radio.ues.me.peer': value 'sgw': allowed c1, senb, tenb"),
    ("radio.ues.me.weight", 2, "key 'radio.ues.me.weight': value 2: the scheduler rr has no weights; allowed 1"),
    ("radio.scheduler", "fifo", "key 'radio.scheduler': value fifo: allowed rr, wfq, max_ci, pf, mlwdf"),
    ("radio.handover.procedure", "soft",
     "value soft: allowed standard, fast_path_switch, prediction, conditional, daps"),
    ("radio.handover.procedure", "conditional",
     "value conditional: radio.system lte does not have it; allowed standard, fast_path_switch,"),
    ("radio.handover.processing_ms", 20,
     "value 20: radio.system lte does not have the key; remove it, or set radio.system: nr"),
    ("radio.handover.detach", 1, "key 'radio.handover.detach': unknown; did you mean 'detach_ms'?"),
    ("radio.handover", {"prediction_timeout_ms": 8},
     "key 'radio.handover.prediction_timeout_ms': value 8: two messages of signalling_us take"),
    ("radio.pdcp", {"reordering": True},
     "key 'radio.pdcp.reordering': value true: PDCP of LTE does not reorder across handovers;"),
    ("radio.pdcp", {"sn_bits": 7},
     "key 'radio.pdcp.sn_bits': value 7: too few for forwarding with rlc.mode am; with several"),
    ("radio.rlc.delivery", "out_of_sequence",
     "key 'radio.rlc.delivery': value out_of_sequence: a handover with rlc.mode am needs packets"),
    ("radio.gtpu.ecn", "full", "key 'radio.gtpu.ecn': value full: allowed none, copy"),
    ("radio.gtpu.outer", "ipv5", "key 'radio.gtpu.outer': value ipv5: allowed ipv4, ipv6"),
    ("nodes.me.address", "fd63:656c:6c62:a3c::9/128",
     "the core network uses it; allowed addresses outside fd63:656c:6c62:a3c::/64 and fd63:656c:6c62:a3d::/64"),
    ("radio.channel", {"model": "swing"},
     "key 'radio.channel.model': value swing: the model has one eNB, and the scenario several;"),
    ("radio.events.0.handover", "senb",
     "key 'radio.events.0.handover': value senb: this eNB serves me already at 3.3 s; name"),
    ("radio.events.0.handover", "router", "key 'radio.events.0.handover': value 'router': allowed senb, tenb"),
    ("radio.events.0.predict", "tenb",
     "key 'radio.events.0': an event does one thing; give exactly one of mode, handover, "),
    ("radio.events.0.handover", None,
     "key 'radio.events.0': an event does one thing; give exactly one of mode, handover, "),
    ("radio.events.0.ue", "c9", "key 'radio.events.0.ue': value 'c9': allowed me, c1"),
    ("traffic.0.to", "router", "key 'traffic.0.to': value 'router': allowed me, c1"),
])
def test_wrong_core_networks(handover, write, key, value, message):
    set_key(handover, key, value, "test")
    path = write(handover)
    with pytest.raises(ScenarioError) as error:
        expand(path)
    assert str(error.value).startswith(f"{path}")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def refused(write, data):
    with pytest.raises(ScenarioError) as error:
        expand(write(data))
    return str(error.value)


def test_a_handover_follows_the_one_before(handover, write):
    handover["radio"]["events"] = [SECOND, *handover["radio"]["events"]]
    assert expand(write(handover))
    handover["radio"]["events"] += [{**SECOND, "at_s": 6}]
    assert "key 'radio.events.2.handover': value senb: this eNB serves me already at 6 s" in refused(write, handover)


def test_a_prediction_moves_nobody(handover, write):
    handover["radio"]["events"].insert(0, {"at_s": 2, "ue": "me", "predict": "tenb"})
    assert expand(write(handover))
    handover["radio"]["events"][0]["predict"] = "senb"
    assert "key 'radio.events.0.predict': value senb: this eNB serves me already at 2 s" in refused(write, handover)


def test_a_predicted_handover_needs_time_before_it(handover, write):
    handover["radio"]["events"][0]["at_s"] = 0.1
    assert expand(write(handover))
    handover["radio"]["handover"] = {"procedure": "prediction"}
    assert "key 'radio.events.0.at_s': value 0.1: the prediction, radio" in refused(write, handover)


def test_ues_without_tunnels_have_no_handover(handover, write):
    handover["nodes"] |= {"d1": {"address": "10.45.1.1/24"}, "d2": {"address": "10.45.1.2/24"}}
    handover["radio"]["ues"] |= {"d1": {"peer": "d2"}, "d2": {"peer": "d1"}}
    assert expand(write(handover))
    handover["radio"]["events"][0]["ue"] = "d1"
    assert "key 'radio.events.0.ue': value d1: its peer is a UE, d2, and it cannot be handed over;" in refused(
        write, handover)


@pytest.mark.parametrize(("key", "value", "message"), [
    ("radio.handover", {"detach_ms": 10},
     "key 'radio.handover': the scenario has no core network; add an sgw, or remove the key"),
    ("radio.gtpu", {"ecn": "copy"},
     "key 'radio.gtpu': the scenario has no core network; add an sgw, or remove the key"),
    ("radio.events", [{"at_s": 1, "ue": "ue1", "handover": "enb"}],
     "key 'radio.events.0.handover': value enb: the scenario has no core network; add an sgw, or"),
])
def test_what_a_core_network_is_needed_for(wired, write, key, value, message):
    set_key(wired, key, value, "test")
    assert message in refused(write, wired)


def test_an_sgw_needs_a_server_and_an_enb(handover, write):
    handover["nodes"].pop("server")
    handover["links"].pop(0)
    handover["traffic"][0]["from"] = "c1"
    assert "key 'links': no link between sgw and a server" in refused(write, handover)
    handover["nodes"] = {name: node for name, node in handover["nodes"].items() if node.get("kind") != "enb"}
    handover["links"] = handover["links"][:1]
    assert "key 'nodes.sgw.kind': value 'sgw': the scenario has no eNB; add one" in refused(write, handover)


def test_addresses_of_tunnel_ends_follow_the_order_of_nodes(settings):
    assert core_network.tunnel_ends(settings) == {"sgw": "10.60.0.1", "senb": "10.60.1.1", "tenb": "10.60.2.1"}
    assert core_network.link_addresses(2, settings) == ("10.61.0.9/30", "10.61.0.10/30")


def test_tunnels_over_ipv6_have_wires_of_ipv6(settings):
    """Users' addresses are as before."""
    settings["radio"]["gtpu"]["outer"] = "ipv6"
    ends = {"sgw": "fd63:656c:6c62:a3c::1", "senb": "fd63:656c:6c62:a3c::101", "tenb": "fd63:656c:6c62:a3c::201"}
    assert core_network.tunnel_ends(settings) == ends
    cell = radio_config.cell(settings)
    assert cell["sgw"] == {"gtpu_address": ends["sgw"]} and cell["gtpu"] == {"ecn": "none"}
    planned = topology.plan(settings)
    sgw, senb = (named(planned, name) for name in ("sgw", "senb"))
    assert sgw.interfaces == {"eth0": ["10.46.1.254/24"], "eth1": ["fd63:656c:6c62:a3d::5/126"], "gtp0": []}
    assert sgw.routes == [
        [f"{ends['sgw']}/128", "dev", "gtp0"],
        *[[f"{ends[enb]}/128", "via", "fd63:656c:6c62:a3d::6", "dev", "eth1"] for enb in ("senb", "tenb")],
        ["10.45.0.1/32", "dev", "gtp0"], ["10.45.0.2/32", "dev", "gtp0"]]
    assert senb.has_ipv6 and [f"{ends['senb']}/128", "dev", "gtp0"] in senb.routes
    assert [link.packet for link in planned.links][1:] == 3 * [1556]


def test_every_node_routes_to_every_tunnel_end(settings):
    planned = topology.plan(settings)
    sgw, router, senb, tenb = (named(planned, name) for name in ("sgw", "router", "senb", "tenb"))
    assert planned.gateway is None
    assert {node.name for node in planned.hosts} == {"server", "me", "c1"}
    assert sgw.interfaces == {"eth0": ["10.46.1.254/24"], "eth1": ["10.61.0.5/30"], "gtp0": []}
    assert sgw.routes == [
        ["10.60.0.1/32", "dev", "gtp0"], ["10.60.1.1/32", "via", "10.61.0.6", "dev", "eth1"],
        ["10.60.2.1/32", "via", "10.61.0.6", "dev", "eth1"],
        ["10.45.0.1/32", "dev", "gtp0"], ["10.45.0.2/32", "dev", "gtp0"]]
    assert router.interfaces == {"eth0": ["10.61.0.6/30"], "eth1": ["10.61.0.9/30"], "eth2": ["10.61.0.14/30"]}
    assert router.routes == [
        ["10.60.0.1/32", "via", "10.61.0.5", "dev", "eth0"], ["10.60.1.1/32", "via", "10.61.0.10", "dev", "eth1"],
        ["10.60.2.1/32", "via", "10.61.0.13", "dev", "eth2"]]
    assert senb.routes == [
        ["10.60.0.1/32", "via", "10.61.0.9", "dev", "eth0"], ["10.60.1.1/32", "dev", "gtp0"],
        ["10.60.2.1/32", "via", "10.61.0.9", "dev", "eth0"]]
    assert tenb.interfaces == {"eth0": ["10.61.0.13/30"], "gtp0": []}


def test_core_links_have_package_for_outer_headers(settings):
    planned = topology.plan(settings)
    assert named(planned, "sgw").mtu == {"eth1": 1600}
    assert named(planned, "router").mtu == {"eth0": 1600, "eth1": 1600, "eth2": 1600}
    assert named(planned, "server").mtu == named(planned, "me").mtu == {}


def test_ways_are_shortest_and_take_the_first_of_two():
    ring = [("sgw", "r1"), ("r1", "r2"), ("r2", "r3"), ("r1", "r4"), ("r4", "r3"), ("r3", "enb")]
    assert core_network.first_hops(ring, "r1") == {"sgw": 0, "r2": 1, "r4": 3, "r3": 1, "enb": 1}
    assert core_network.first_hops(ring, "enb") == {"r3": 5, "r2": 5, "r4": 5, "r1": 5, "sgw": 5}
    assert core_network.first_hops(ring[1:], "sgw") == {}


def test_nodes_of_the_core_forward_without_filter(settings):
    planned = topology.plan(settings)
    wanted = topology.sysctls(named(planned, "senb"), settings)
    for interface in ("all", "eth0", "gtp0"):
        assert wanted[f"ipv4/conf/{interface}/rp_filter"] == "0"
        assert wanted[f"ipv4/conf/{interface}/send_redirects"] == "0"
    assert wanted["ipv4/ip_forward"] == "1"
    assert not any("rp_filter" in name for name in topology.sysctls(named(planned, "server"), settings))


def test_what_the_radio_daemon_is_told(settings):
    cell = radio_config.cell(settings)
    assert cell["sgw"] == {"gtpu_address": "10.60.0.1"}
    assert cell["enbs"] == [{"name": "senb", "gtpu_address": "10.60.1.1"},
                            {"name": "tenb", "gtpu_address": "10.60.2.1"}]
    assert cell["gtpu"] == {"ecn": "none"}
    assert cell["handover"] == {"procedure": "standard", "prediction_ms": 130, "prediction_timeout_ms": 1000,
                                "detach_ms": 30, "signalling_us": 4000, "end_marker_ms": 200, "end_markers": 1,
                                "end_marker_gap_ms": 20, "forwarding": True,
                                "reordering": True}
    me = cell["ues"][0]
    assert (me["name"], me["peer"], me["enb"], me["address"]) == ("me", "network", "senb", "10.45.0.1")
    assert "weight" not in me
    assert radio_config.events(settings["radio"]) == [{"t_ms": 3300, "ue": "me", "handover": "tenb"}]
    pids = {name: i for i, name in enumerate(settings["nodes"])}
    ports = radio_config.ports(settings, pids)
    assert [(port.get("ue"), port["side"], port.get("enb"), port["ifname"], port.get("mtu")) for port in ports] == [
        ("me", "ue", None, "lte0", None), ("c1", "ue", None, "lte0", None), (None, "sgw", None, "gtp0", 1600),
        (None, "enb", "senb", "gtp0", 1600), (None, "enb", "tenb", "gtp0", 1600)]
    assert ports[2]["netns"] == f"/proc/{pids['sgw']}/ns/net"


def test_predictions_and_weights_are_told(write, handover):
    """The daemon makes two events of a predicted handover by itself."""
    handover["radio"] |= {"handover": {"procedure": "prediction", "prediction_ms": 200}, "scheduler": "wfq"}
    handover["radio"]["events"].append({"at_s": 1.5, "ue": "c1", "predict": "senb"})
    settings = expand(write(handover))[1][0].settings
    assert radio_config.events(settings["radio"]) == [
        {"t_ms": 3300, "ue": "me", "handover": "tenb"}, {"t_ms": 1500, "ue": "c1", "predict": "senb"}]
    assert radio_config.cell(settings)["handover"]["prediction_ms"] == 200
    assert radio_config.cell(settings)["ues"][0]["weight"] == 1


def test_without_core_network_the_daemon_hears_nothing_of_one(write, wired):
    settings = expand(write(wired))[1][0].settings
    cell = radio_config.cell(settings)
    assert not {"sgw", "enbs", "handover", "gtpu"}.intersection(cell)
    assert not {"enb", "address", "weight"}.intersection(cell["ues"][0])
    ports = radio_config.ports(settings, {"server": 1, "enb": 2, "ue1": 3})
    assert [(port["ue"], port["side"], port["ifname"]) for port in ports] == [("ue1", "ue", "lte0"),
                                                                               ("ue1", "network", "net-ue1")]
