# SPDX-License-Identifier: GPL-2.0-or-later
"""A radio between namespaces that somebody else made: its UEs, and what is wrong with it, without a daemon."""

import contextlib
import subprocess
import sys

import pytest
from minimal import ROOT

from cellbed.error import ScenarioError
from cellbed.link import links
from cellbed.link.radio import Description, End, Pair, described, ports, settings


def pair(ue, far):
    return Pair(End(ue, 1, "u0"), End(far, 1, "f0"))


def made(radio, *pairs, **options):
    return settings(described(radio), [pair(*hosts) for hosts in pairs], 1, **options)


def test_hosts_are_ues_like_the_first_one_of_a_link():
    ues = made("good cqi 7", ("h1", "h9"), ("h2", "h9"))["radio"]["ues"]
    assert {name: (ue["peer"], ue["cqi_dl"]) for name, ue in ues.items()} == {
        "h1": ("radio-enb", 7), "h2": ("radio-enb", 7)}


def test_hosts_that_keys_name_have_these():
    ues = made({"n_rb": 25, "ues": {"h2": {"cqi_dl": 4}}}, ("h1", "h9"), ("h2", "h9"))["radio"]["ues"]
    assert (ues["h1"]["cqi_dl"], ues["h2"]["cqi_dl"]) == (15, 4)


def test_both_ends_of_a_direct_link_are_ues():
    ues = made("d2d", ("h1", "h2"))["radio"]["ues"]
    assert {name: (ue["peer"], ue["mode"]) for name, ue in ues.items()} == {"h1": ("h2", "dm"), "h2": ("h1", "dm")}


def test_names_that_a_ue_cannot_have():
    hosts = [("H1", "s"), ("network", "s"), ("a-host-with-a-long-name", "s"), ("h1", "s")]
    assert list(made("good", *hosts)["radio"]["ues"]) == ["ue-1", "ue-3", "ue-4", "h1"]


def test_events_are_those_of_hosts(tmp_path):
    path = tmp_path / "modes.yaml"
    path.write_text((ROOT / "scenarios/links/d2d.yaml").read_text().replace(
        "  ues:\n", "  events: [{at_s: 2, ue: ue2, mode: im}]\n  ues:\n"))
    (event,) = made(str(path), ("h1", "h2"))["radio"]["events"]
    assert (event["ue"], event["mode"]) == ("h2", "im")


def test_a_channel_is_as_long_as_wanted():
    assert made("edge", ("h1", "h2"), channel_s=30)["traffic"][0]["limit_s"] == 30


def test_ports_of_both_kinds():
    def found(radio):
        pairs = [pair("h1", "h2")]
        return [(port["ue"], port["side"], port["ifname"]) for port in ports(pairs, made(radio, ("h1", "h2")))]

    assert found("good") == [("h1", "ue", "u0"), ("h1", "network", "f0")]
    assert found("d2d") == [("h1", "ue", "u0"), ("h2", "ue", "f0")]


def _on_the_radio_alone():
    return [name for name in links.presets() if all(
        node.get("kind") != "sgw" for node in links.build([name], ["true"])[0]["nodes"].values())]


@pytest.mark.parametrize("name", _on_the_radio_alone())
def test_every_link_without_a_core_network_has_room_for_several_hosts(name):
    radio = made(name, ("h1", "h9"), ("h2", "h8"))["radio"]
    said = links.said_of_ues(radio)
    assert all(set(of) == {"h1", "h2"} and of["h1"] == of["h2"] for of in said)
    assert {event["ue"] for event in radio["events"]} in (set(), {"h1", "h2"})


@pytest.mark.parametrize("radio", [
    {"events": [3]}, {"events": [{"at_s": 1, "ue": []}]}, {"events": 3}, {"channel": 3}, {"en_dc": 3},
    {"channel": {"route": 3}}, {"channel": {"route": {"enbs": 3, "tracks": 4}, "positions": 5}},
    {"en_dc": {"channel": {"penetration": [1]}}}, {"channel": None}, {"ues": {"h1": {"peer": 3}}},
    {"ues": {"h1": {"peer": []}}},
])
def test_keys_of_any_shape_are_one_line(radio):
    with contextlib.suppress(ScenarioError):
        made(radio, ("h1", "h2"))


@pytest.mark.parametrize(("radio", "message"), [
    ("nope", "'nope': allowed first one of d2d, edge"),
    ("good rate", "rate: expected a value"),
    ("good rate 0mbit", r"rate 0mbit: allowed 1kbit\.\."), ("good rate 5mbit up 0.0kbit", r"up 0.0kbit: allowed 1kbit"),
    ("umts-384 rate 0mbit", r"rate 0mbit: allowed 1kbit\.\."),
    ("good rtt 50ms", "rtt: allowed words of the radio itself"),
    ("good cc bbr", "cc: allowed words of the radio itself"),
    ("train", "train.yaml: allowed links without a core network"),
    ("missing.yaml", "missing.yaml: No such file or directory"),
    ({"ues": ["h1"]}, r"key 'radio.ues': value \['h1'\]: allowed the keys of each UE by its name"),
    ({"n_rb": 5}, "radio: key 'radio.n_rb': value 5: allowed 6..110"),
    ({"ues": {"h1": {"cqi": 3}}}, "radio: key 'radio.ues.h1.cqi': unknown; did you mean 'cqi_"),
])
def test_what_is_wrong_is_one_line(radio, message):
    with pytest.raises(ScenarioError, match=message) as error:
        made(radio, ("h1", "h2"))
    assert "\n" not in str(error.value)


def test_a_host_is_one_ue_of_a_cell():
    with pytest.raises(ScenarioError, match="h1 - h3: h1: allowed one link for each UE of a cell"):
        made("good", ("h1", "h2"), ("h1", "h3"))
    with pytest.raises(ScenarioError, match="h2 - h3: h2: allowed one link for each UE of a cell"):
        made("d2d", ("h1", "h2"), ("h2", "h3"))


def test_bounds_of_validity_are_those_of_the_scenario():
    made_of = Description({}, None, {"missed_ttis": 7})
    assert settings(made_of, [pair("h1", "h2")], 1)["validity"]["missed_ttis"] == 7


def test_without_mininet_it_says_what_is_missing():
    done = subprocess.run([sys.executable, "-c", "import sys; sys.modules['mininet'] = None; import cellbed.mininet"],
                          capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: cellbed.mininet needs Mininet; run `pip install 'cellbed[mininet]'`")
