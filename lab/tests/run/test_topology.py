# SPDX-License-Identifier: GPL-2.0-or-later
"""What has to exist for a scenario, as data."""

import contextlib
import subprocess
from ipaddress import IPv4Interface

import pytest

from cellbed.error import LabError, ScenarioError
from cellbed.run import shaping, tcp_profile, topology
from cellbed.scenario.description import expand


@pytest.fixture
def settings(write):
    """A run's settings of parsed YAML."""
    return lambda data: expand(write(data))[1][0].settings


@pytest.fixture
def plan(settings):
    """Plan of parsed YAML."""
    return lambda data: topology.plan(settings(data))


def named(planned, name):
    return next(node for node in planned.nodes if node.name == name)


def test_ues_of_each_other_have_no_wire_and_no_default_route(plan, minimal):
    planned = plan(minimal)
    ue1 = named(planned, "ue1")
    assert planned.links == []
    assert planned.gateway is None
    assert (ue1.interface, ue1.address) == ("lte0", "10.45.0.1/24")
    assert ue1.routes == [["10.45.0.0/24", "dev", "lte0", "src", "10.45.0.1", "window", "8192", "quickack", "1"]]
    assert (ue1.neighbours, ue1.shaping) == ([], {})


def test_a_server_behind_the_enb(plan, wired):
    planned = plan(wired)
    server, enb, ue1 = (named(planned, name) for name in ("server", "enb", "ue1"))
    assert {node.name for node in planned.hosts} == {"server", "ue1"}
    assert planned.gateway == enb
    assert server.interfaces == {"eth0": ["10.1.0.1/24"]}
    assert enb.interfaces == {"eth0": ["10.1.0.254/24"], "net-ue1": []}
    assert server.routes == [["default", "via", "10.1.0.254", "dev", "eth0", "src", "10.1.0.1", "window", "8192",
                              "quickack", "1"]]
    assert enb.routes == [["10.45.0.1/32", "dev", "net-ue1"]]
    assert ue1.routes[1] == ["default", "dev", "lte0", "src", "10.45.0.1", "window", "8192", "quickack", "1"]
    near, far = planned.links[0].ends
    assert server.neighbours == [["10.1.0.254", "lladdr", far.mac, "dev", "eth0", "nud", "permanent"]]
    assert enb.neighbours == [["10.1.0.1", "lladdr", near.mac, "dev", "eth0", "nud", "permanent"]]


def test_a_node_with_both_versions_of_ip_has_routes_and_neighbours_of_both(plan, wired):
    wired["nodes"]["server"]["address"] = ["10.1.0.1/24", "2001:db8:1::1/64"]
    wired["nodes"]["ue1"]["address"] = "2001:db8:45::1/64"
    planned = plan(wired)
    server, enb, ue1 = (named(planned, name) for name in ("server", "enb", "ue1"))
    last = "2001:db8:1:0:ffff:ffff:ffff:fffe"
    assert enb.interfaces == {"eth0": ["10.1.0.254/24", f"{last}/64"], "net-ue1": []}
    assert [route[:5] for route in server.routes] == [["default", "via", "10.1.0.254", "dev", "eth0"],
                                                      ["::/0", "via", last, "dev", "eth0"]]
    assert enb.routes == [["2001:db8:45::1/128", "dev", "net-ue1"]]
    assert [route[:5] for route in ue1.routes] == [["2001:db8:45::/64", "dev", "lte0", "src", "2001:db8:45::1"],
                                                   ["::/0", "dev", "lte0", "src", "2001:db8:45::1"]]
    assert [neighbour[0] for neighbour in server.neighbours] == ["10.1.0.254", last]


def test_ipv6_is_off_where_a_node_has_none(plan, settings, wired):
    def off(planned, name):
        return tcp_profile.NO_IPV6.items() <= topology.sysctls(named(planned, name), settings(wired)).items()

    assert not plan(wired).has_ipv6 and all(off(plan(wired), name) for name in ("server", "enb", "ue1"))
    wired["nodes"]["server"]["address"] = ["10.1.0.1/24", "2001:db8:1::1/64"]
    assert [off(plan(wired), name) for name in ("server", "enb", "ue1")] == [False, False, True]


def test_every_link_has_its_own_interface_and_addresses_at_the_enb(plan, wired):
    wired["nodes"]["s2"] = {"kind": "server", "address": "10.2.0.9/30"}
    wired["links"].append({"a": "enb", "b": "s2", "rate": "10Mbit"})
    planned = plan(wired)
    assert planned.gateway.interfaces == {"eth0": ["10.1.0.254/24"], "eth1": ["10.2.0.10/30"], "net-ue1": []}
    macs = [end.mac for link in planned.links for end in link.ends]
    assert len(set(macs)) == 4
    assert [end.node for end in planned.links[1].ends] == ["enb", "s2"]


def test_the_enb_end_is_the_last_host_of_the_subnet():
    assert topology.gateway_of(IPv4Interface("10.1.0.1/24")) == IPv4Interface("10.1.0.254/24")
    assert topology.gateway_of(IPv4Interface("192.0.2.1/30")) == IPv4Interface("192.0.2.2/30")


def test_interface_names_fit_the_kernel(plan, wired):
    """A UE of 12 characters is fine by itself, but not as net-<ue> at the eNB."""
    wired["nodes"]["abcdefghijkl"] = wired["nodes"].pop("ue1")
    wired["radio"]["ues"] = {"abcdefghijkl": {"peer": "enb"}}
    wired["traffic"][0]["to"] = "abcdefghijkl"
    with pytest.raises(ScenarioError, match="key 'nodes.abcdefghijkl'.*at most 11 characters"):
        plan(wired)


LINK = {"a": "server", "b": "enb", "rate": 10**7, "delay_ms": 0, "queue_pkts": 50, "loss": 0, "aqm": "none",
        "qdisc": "pfifo", "netem": ""}


@pytest.mark.parametrize(("change", "expected"), [
    ({}, ["root handle 1: tbf rate 10000000bit burst 1600 limit 75700", "parent 1:1 handle 10: pfifo limit 50"]),
    ({"rate": 10**9}, ["root handle 1: tbf rate 1000000000bit burst 12500 limit 75700",
                       "parent 1:1 handle 10: pfifo limit 50"]),
    ({"delay_ms": 1.5}, ["root handle 1: netem limit 10000000 delay 1500us loss random 0%",
                         "parent 1:1 handle 10: netem rate 10000000bit limit 50"]),
    ({"loss": 0.001}, ["root handle 1: netem limit 10000000 delay 0us loss random 0.1%",
                       "parent 1:1 handle 10: netem rate 10000000bit limit 50"]),
    ({"qdisc": "fq_codel target 5ms ecn"}, ["root handle 1: tbf rate 10000000bit burst 1600 limit 75700",
                                            "parent 1:1 handle 10: fq_codel target 5ms ecn limit 50"]),
    ({"qdisc": "codel limit 9", "delay_ms": 1}, [
        "root handle 1: netem limit 10000000 delay 1000us loss random 0%",
        "parent 1:1 handle 10: tbf rate 10000000bit burst 1600 limit 75700", "parent 10:1 handle 20: codel limit 9"]),
    ({"qdisc": "cake"}, ["root handle 1: tbf rate 10000000bit burst 1600 limit 75700", "parent 1:1 handle 10: cake"]),
    ({"netem": "delay 10ms 2ms loss gemodel 1% 20%"}, [
        "root handle 1: netem limit 10000000 delay 10ms 2ms loss gemodel 1% 20%",
        "parent 1:1 handle 10: netem rate 10000000bit limit 50"]),
    ({"netem": "duplicate 1%", "delay_ms": 1}, [
        "root handle 1: netem limit 10000000 delay 1000us loss random 0% duplicate 1%",
        "parent 1:1 handle 10: netem rate 10000000bit limit 50"]),
])
def test_shaping(change, expected):
    assert shaping.shaping({**LINK, **change}, 1500, 1500) == expected


def test_a_wire_passes_on_what_hosts_hand_over_at_once(plan, wired):
    """64 KiB and headers of their segments fit into the bucket: the kernel cuts what is larger."""
    wired["tcp"], wired["capture"] = {"segmentation_offload": True}, {"ip": False}
    wired["links"][0] = {"a": "server", "b": "enb", "rate": "10Mbit"}
    planned = plan(wired)
    assert all(node.offload for node in planned.nodes)
    bursts = [int(qdisc.partition("burst ")[2].split()[0]) for node in planned.nodes
              for qdiscs in node.shaping.values() for qdisc in qdiscs if "tbf" in qdisc]
    assert bursts and min(bursts) > 65536
    del wired["tcp"]
    assert not any(node.offload for node in plan(wired).nodes)


def test_sysctls_are_those_of_the_part_a_node_runs(write, wired):
    settings = expand(write(wired))[1][0].settings
    planned = topology.plan(settings)
    server, enb, ue1 = (topology.sysctls(named(planned, name), settings) for name in ("server", "enb", "ue1"))
    assert enb["ipv4/ip_forward"] == "1"
    assert "ipv4/tcp_sack" not in enb
    assert "ipv4/ip_forward" not in server | ue1
    assert server["ipv4/tcp_notsent_lowat"] == "119375"
    assert "ipv4/tcp_notsent_lowat" not in ue1


@pytest.mark.parametrize(("stderr", "message"), [
    ("Error: Specified qdisc kind is unknown.\nCommand failed -:1\n",
     "node server: eth0: Error: Specified qdisc kind is unknown. Command failed -:1; this kernel has no netem; use the "
     "virtual lab or a link without delay, loss and netem"),
    ("", "node server: eth0: tc shows {}, not {'1:': 'netem', '10:': 'netem'}; run `cellbed doctor`"),
])
def test_a_qdisc_that_is_not_there_is_one_message(monkeypatch, stderr, message):
    """Whatever tc returns, what counts is that the qdiscs are there afterwards."""
    monkeypatch.setattr(shaping.subprocess, "run", lambda args, **_: subprocess.CompletedProcess(
        args, 0, stdout="[]", stderr=stderr))
    with pytest.raises(LabError) as error:
        shaping.shape("server", {"eth0": shaping.shaping({**LINK, "delay_ms": 1}, 1500, 1500)})
    assert str(error.value) == message


def test_overflows_are_told_from_losses(monkeypatch):
    counters = [{"handle": "1:", "kind": "netem", "packets": 100, "drops": 7},
                {"handle": "10:", "kind": "netem", "packets": 93, "drops": 3}]
    monkeypatch.setattr(shaping, "qdisc_statistics", lambda _: counters)
    monkeypatch.setattr(shaping, "in_netns", contextlib.nullcontext)
    assert shaping.link_statistics(1, "eth0") == {"sent_pkts": 100, "lost_pkts": 4, "overflow_pkts": 3,
                                                 "early_drop_pkts": 0, "marked_pkts": 0}


RED = {**LINK, "queue_pkts": 90, "aqm": "red", "red_min_pkts": 20, "red_max_pkts": 65, "red_probability": 0.1}


def test_red_counts_full_packets_in_bytes():
    """Thresholds of 20 and 65 packets of 1550 bytes; netem, where it is needed, comes first."""
    wanted = "red limit 141050 min 31000 max 100750 avpkt 1550 burst 106 bandwidth 10000000bit probability 0.1"
    assert shaping.shaping({**RED, "aqm": "red_ecn"}, 1600, 1536) == [
        "root handle 1: tbf rate 10000000bit burst 1700 limit 145260", f"parent 1:1 handle 10: {wanted} ecn",
        "parent 10:1 handle 20: pfifo limit 90"]
    delayed = shaping.shaping({**RED, "delay_ms": 2}, 1600, 1536)
    assert shaping.kinds(delayed) == ["netem", "tbf", "red", "pfifo"]
    assert delayed[2] == f"parent 10:1 handle 20: {wanted}"


@pytest.mark.parametrize("low", [2, 5, 20, 200])
def test_reds_burst_makes_tc_take_the_wanted_weight(low):
    """tc takes the first weight 2^-k with which the average stays below the threshold during a burst."""
    burst = int(shaping.red({**RED, "red_min_pkts": low}, 1536).split()[10])
    weights = [2.0**-k for k in range(1, 32)]
    assert next(w for w in weights if burst + 1 - low <= (1 - (1 - w) ** burst) / w) == 2.0**-9


def test_red_tells_early_drops_from_overflows(monkeypatch):
    """netem and tbf count what RED drops, too; RED counts what its queue refused."""
    counters = [{"handle": "1:", "kind": "netem", "packets": 2977, "drops": 420},
                {"handle": "30:", "kind": "pfifo", "packets": 2977, "drops": 29},
                {"handle": "10:", "kind": "tbf", "packets": 2977, "drops": 415},
                {"handle": "20:", "kind": "red", "packets": 2977, "drops": 415, "early": 386, "marked": 411}]
    monkeypatch.setattr(shaping, "qdisc_statistics", lambda _: counters)
    monkeypatch.setattr(shaping, "in_netns", contextlib.nullcontext)
    assert shaping.link_statistics(1, "eth0") == {"sent_pkts": 2977, "lost_pkts": 5, "overflow_pkts": 29,
                                                  "early_drop_pkts": 386, "marked_pkts": 411}


@pytest.mark.parametrize(("change", "lacks", "message"), [
    ({"delay_ms": 1}, "netem", "link server - enb: this kernel has no netem; use the virtual lab or a link without "
     "delay, loss and netem"),
    ({"qdisc": "cake bandwidth 1gbit"}, "cake", "link server - enb: this kernel has no cake; use the virtual lab or a "
     "link without qdisc: cake"),
    ({"aqm": "red"}, "red", "link server - enb: this kernel has no red; use the virtual lab or a link without aqm"),
    ({}, "netem red", None), ({"delay_ms": 1}, "red", None), ({"aqm": "red_ecn"}, "netem", None),
])
def test_a_kernel_is_refused_for_what_links_need(change, lacks, message):
    assert shaping.refusal({"links": [{**RED, "aqm": "none", **change}]}, lambda kind: kind not in lacks) == message
