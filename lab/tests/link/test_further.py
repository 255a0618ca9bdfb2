# SPDX-License-Identifier: GPL-2.0-or-later
"""Links with further radio networks, as data."""

import pytest
import yaml

from cellbed.error import ScenarioError
from cellbed.link import links
from cellbed.scenario.description import expand


def built(tmp_path, *radios, words=("good",), overrides=()):
    data, _ = links.build(list(words), ["true"], overrides, ["true"], machine=True, radios=radios)
    file = tmp_path / "link.yaml"
    file.write_text(links.to_yaml(data, "a link"))
    return data, expand(file)[1][0].settings


LINKS = sorted(links.presets().keys() - {"d2d"})


@pytest.mark.parametrize("first", LINKS)
def test_every_link_with_three_others(tmp_path, first):
    """The run has the radio of each as it is alone, at one UE and one server."""
    at = LINKS.index(first)
    others = dict(zip(("wifi", "starlink", "other"), [*LINKS, *LINKS][at:at + 3], strict=True))
    _, settings = built(tmp_path, *map("=".join, others.items()), words=[first])
    kinds = [node["kind"] for node in settings["nodes"].values()]
    assert (kinds.count("ue"), kinds.count("server")) == (1, 1)
    for name, link in others.items():
        alone = built(tmp_path, words=[link])[1]
        assert settings["radios"][name]["system"] == alone["radio"]["system"]
        assert len(settings["radios"][name]["events"]) == len(alone["radio"]["events"])
    assert not any(node["machine"] for node in settings["nodes"].values())
    assert settings["mptcp"] == {"backup": []}


def test_nodes_and_what_names_them_are_renamed(tmp_path):
    data, _ = built(tmp_path, "car=train")
    assert {"server", "enb", "ue1", "car-sgw", "car-router", "car-enb1", "car-enb2"} == set(data["nodes"])
    assert data["radios"]["car"]["events"][0]["handover"] == "car-enb2"
    assert data["radios"]["car"]["ues"] == {"ue1": {"peer": "car-enb1"}}
    assert data["nodes"]["ue1"]["radios"] == {"car": "10.47.0.1/32"}
    assert built(tmp_path, "starlink=leo")[0]["radios"]["starlink"]["ues"]["ue1"]["peer"] == "starlink-1"


def test_a_further_network_has_the_versions_of_ip_that_its_server_has(tmp_path):
    for own, address in (("10.46.1.1/24", "10.47.0.1/24"), ("2001:db8:46::1/64", "fd63:656c:6c62:a2f:1::/72"),
                         (["10.46.1.1/24", "2001:db8:46::1/64"], ["10.47.0.1/24", "fd63:656c:6c62:a2f:1::/72"])):
        made = yaml.safe_load((links.PRESETS / "good.yaml").read_text())
        made["nodes"]["server"]["address"] = own
        made["nodes"]["ue1"]["address"] = own if isinstance(own, list) else [own]
        made["nodes"]["ue1"]["address"] = [one.replace("46", "45") for one in made["nodes"]["ue1"]["address"]]
        (tmp_path / "own.yaml").write_text(yaml.safe_dump(made))
        data, settings = built(tmp_path, "wifi=leo", words=[str(tmp_path / "own.yaml")])
        assert data["nodes"]["ue1"]["radios"]["wifi"] == address
        assert built(tmp_path, f"wifi={tmp_path}/own.yaml")[0]["nodes"]["ue1"]["radios"]["wifi"] == "10.47.0.1/24"


@pytest.mark.parametrize("families", [["ipv4"], ["ipv6"], ["ipv4", "ipv6"]])
def test_a_ready_made_link_has_the_families_that_are_asked_for(tmp_path, families):
    data, path = links.build(["good"], ["true"], (), ["true"], radios=["wifi=leo"])
    links.put_addresses(data, path, links.Addresses(families))
    found = {"ipv4": "10.47.0.1/24", "ipv6": "fd63:656c:6c62:a2f:1::/72"}
    wanted = [found[family] for family in families]
    assert data["nodes"]["ue1"]["radios"]["wifi"] == (wanted if len(wanted) > 1 else wanted[0])


def test_keys_of_each_can_be_set(tmp_path):
    keys = ["radios.wifi.constant_rate.delay_ms=40", "mptcp.backup=[wifi]"]
    _, settings = built(tmp_path, "wifi=leo", overrides=keys)
    assert settings["radios"]["wifi"]["constant_rate"]["delay_ms"] == 40
    assert settings["mptcp"]["backup"] == ["wifi"]


def test_keys_that_are_null_are_as_if_they_were_not_there(tmp_path):
    made = yaml.safe_load((links.PRESETS / "good.yaml").read_text())
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(made | {"radios": None, "mptcp": None}))
    assert built(tmp_path, words=[str(tmp_path / "own.yaml")])[1]["radio"]["n_rb"] == 50
    _, settings = built(tmp_path, f"wifi={tmp_path}/own.yaml", words=[str(tmp_path / "own.yaml")])
    assert settings["radios"]["wifi"]["ues"]["ue1"]["peer"] == "wifi-enb"


@pytest.mark.parametrize(("radios", "words", "why"), [
    (["leo"], ["good"], "link: --radio leo: expected NAME=LINK, such as wifi=leo"),
    (["=leo"], ["good"], "link: --radio =leo: expected NAME=LINK, such as wifi=leo"),
    (["wifi=nowhere"], ["good"], "link 'nowhere': allowed d2d, "),
    (["wifi=leo", "wifi=good"], ["good"], "link: --radio wifi is given twice; give each network another name"),
    (["wifi=d2d"], ["good"], "link: --radio: d2d has no server; allowed links with a server and a UE"),
    (["wifi=leo"], ["d2d"], "link: --radio: allowed in links with a server; two UEs have nothing but the radio"),
    (["eth0=leo"], ["good"], "key 'radios.eth0': an interface of each UE gets this name"),
    (["all=leo"], ["good"], "key 'radios.all': an interface of each UE gets this name"),
    (["a name=leo"], ["good"], "link: --radio a name=leo: allowed names that match [a-z][a-z0-9-]{0,9}, such as wifi"),
    (["\n=leo"], ["good"], "allowed names that match [a-z][a-z0-9-]{0,9}, such as wifi"),
    (["x" * 16 + "=leo"], ["good"], "link: --radio xxxxxxxxxxxxxxxx=leo: allowed names that match"),
    (["a=leo", "b=leo", "c=leo", "d=leo"], ["good"], "key 'radios': 4 entries: allowed 1..3"),
])
def test_what_cannot_be_is_one_line(tmp_path, radios, words, why):
    with pytest.raises(ScenarioError) as said:
        built(tmp_path, *radios, words=words)
    assert why in str(said.value) and "\n" not in str(said.value)
