# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenarios as scripts for Mininet: the radio that they make, what they type, and what they refuse."""

import runpy
from pathlib import Path

import pytest
from minimal import ROOT

from cellbed.error import ScenarioError
from cellbed.link import links, mininet_script, radio
from cellbed.run import radio_config, topology, xlat
from cellbed.scenario.description import expand

pytest.importorskip("mininet", reason="Mininet is in the extra `mininet`")

WITH_COMMANDS = """
format: 1
id: commands
title: "\\"\\"\\" a \\\\ title"
nodes: {ue1: {address: 10.45.0.1/24}, ue2: {address: 10.45.0.2/24}}
radio: {ues: {ue1: {peer: ue2}, ue2: {peer: ue1}}}
traffic:
  - {id: served, kind: command, node: ue2, argv: [nc, -l, "80"], background: true}
  - {id: late, kind: command, node: ue1, argv: [sh, -c, "echo 'two words'"], start_s: 2, environment: {A: "b c"}}
  - {id: datagrams, from: ue1, to: ue2, transport: udp, rate: 1Mbit, packet_bytes: 200, duration_s: 3}
sweep: {variants: {'a \"\"\"{b}': {}}}
"""


def script(path, **options):
    model, runs = expand(path, **options)
    return mininet_script.script(model, runs[0]), runs[0]


def run_path(tmp_path, text):
    """What a script has, without its network."""
    path = tmp_path / "made.py"
    path.write_text(text)
    return runpy.run_path(str(path), run_name="read")


@pytest.mark.parametrize(("name", "variant"), [
    ("links/good", None), ("links/edge", None), ("links/umts-384", None), ("d2d-nardini/static", "IM-DM"),
    ("d2d-nardini/dynamic", None), ("celledge-li/quick", None), ("maxdat-demey/quick", None),
    ("delivery-park/quick", None),
])
def test_the_radio_is_that_of_the_run(tmp_path, name, variant):
    """To the daemon's last key."""
    text, run = script(ROOT / f"scenarios/{name}.yaml", variants=[variant] if variant else None)
    told = run_path(tmp_path, text)["RADIO"]
    pairs, done = [], set()
    for ue, keys in run.settings["radio"]["ues"].items():
        if ue not in done:
            pairs.append(radio.Pair(radio.End(ue, 1, "u"), radio.End(keys["peer"], 1, "f")))
            done |= {ue, keys["peer"]}
    made = radio.settings(radio.described(told), pairs, run.seed)
    assert radio_config.cell(made) == radio_config.cell(run.settings)
    assert made["radio"]["channel"] == run.settings["radio"]["channel"]
    assert radio_config.events(made["radio"]) == radio_config.events(run.settings["radio"])


@pytest.mark.parametrize("name", ["links/train", "handover-pacifico/quick", "train-ride/quick"])
def test_a_core_network_is_that_of_the_run(tmp_path, name):
    text, run = script(ROOT / f"scenarios/{name}.yaml")
    made = radio.settings_of(run_path(tmp_path, text)["SCENARIO"], run.seed)
    assert radio_config.cell(made) == radio_config.cell(run.settings)
    assert radio_config.events(made["radio"]) == radio_config.events(run.settings["radio"])
    assert topology.plan(made).links == topology.plan(run.settings).links


def test_files_of_the_radio_have_whole_paths(tmp_path):
    text, _ = script(ROOT / "scenarios/packet-trace/replay.yaml")
    trace = run_path(tmp_path, text)["RADIO"]["packet_trace"]
    assert all(Path(trace[key]).is_absolute() and Path(trace[key]).exists() for key in ("uplink", "downlink"))


def test_routes_neighbours_and_queues_are_those_of_the_plan(tmp_path):
    text, run = script(ROOT / "scenarios/links/good.yaml")
    commands = run_path(tmp_path, text)["COMMANDS"]
    for node in topology.plan(run.settings).nodes:
        assert [line.removeprefix("ip route replace ").split() for line in commands[node.name]
                if line.startswith("ip route")] == node.routes
        assert sum(line.startswith("tc qdisc") for line in commands[node.name]) == sum(map(len, node.shaping.values()))


def test_traffic_of_every_kind(tmp_path):
    path = tmp_path / "commands.yaml"
    path.write_text(WITH_COMMANDS)
    text, _ = script(path)
    made = run_path(tmp_path, text)
    assert made["__doc__"].startswith("'''") and "\\ title" in made["__doc__"] and "a '''{b}" in made["__doc__"]
    assert made["SERVERS"] == [("ue2", "env CELLBED_NODE=ue2 CELLBED_BASE=10.45.0.1 nc -l 80"),
                               ("ue2", "iperf3 -s -1 -p 5201")]
    assert made["CLIENTS"] == [
        (0.0, "ue1", "iperf3 -c 10.45.0.2 -B 10.45.0.1 --cport 35201 -p 5201 -i 1 -t 3 -u -b 1000000 -l 200"),
        (2.0, "ue1", "env CELLBED_NODE=ue1 CELLBED_BASE=10.45.0.2 'A=b c' sh -c 'echo '\"'\"'two words'\"'\"''")]


@pytest.mark.parametrize("name", ["good", "train"])
def test_translators_are_those_of_the_run(tmp_path, name):
    data, path = links.build([name], ["true"])
    links.put_addresses(data, path, links.Addresses(("ipv4", "ipv6"), xlat=True))
    (tmp_path / "link.yaml").write_text(links.to_yaml(data, "a link"))
    text, run = script(tmp_path / "link.yaml")
    assert text.count("translators") == 3
    made = radio.settings_of(run_path(tmp_path, text)["SCENARIO"], run.seed)
    assert xlat.plan(made) == xlat.plan(run.settings) and len(xlat.plan(made)) == 2


@pytest.mark.parametrize(("name", "override", "message"), [
    ("links/good", "nodes.server.internet=true", "key 'nodes.server.internet': value true: not allowed"),
    ("links/good", "tcp.cwnd_max_pkts=9", "key 'tcp.cwnd_max_pkts': value 9: allowed null in a script for Mininet"),
    ("links/good", "nodes.ue1.netns=/run/netns/x", "key 'nodes.ue1.netns': value /run/netns/x: not allowed"),
    ("links/good", "tcp.segmentation_offload=true capture.ip=false",
     "key 'tcp.segmentation_offload': value true: not allowed in a script for Mininet, whose hosts send packet by"),
])
def test_what_it_cannot_be(name, override, message):
    with pytest.raises(ScenarioError, match=message):
        script(ROOT / f"scenarios/{name}.yaml", overrides=override.split())
