# SPDX-License-Identifier: GPL-2.0-or-later
"""Which UEs the services of a Compose file are."""

import pytest

from cellbed.error import ScenarioError
from cellbed.link import compose, links
from cellbed.link.containers import Container

TWO = "services: {app: {image: a}, client: {image: b}}\n"
CELL = """
format: 1
id: cell
nodes:
  server: {kind: server, address: 10.46.0.1/24}
  enb: {kind: enb}
  near: {address: 10.45.0.1/24}
  far: {address: 10.45.0.2/24}
links: [{a: server, b: enb, rate: 1Gbit}]
radio:
  n_rb: 25
  ues: {near: {peer: enb, cqi_ul: 9}, far: {peer: enb, cqi_dl: 3}}
traffic: [{id: nothing, from: server, to: near, duration_s: 1}]
"""


@pytest.fixture
def made(tmp_path):
    """The scenario of a Compose file."""
    def make(text, *overrides, words=None):
        path = tmp_path / "compose.yaml"
        path.write_text(text)
        (tmp_path / "cell.yaml").write_text(CELL)
        found = compose.read(path)
        return compose.scenario(found, path, words or compose.words_of(found, path), ["true"], overrides, False, False)

    return make


def test_each_service_is_a_ue_of_a_good_cell(made):
    data, path = made(TWO)
    assert path == links.PRESETS / "good.yaml"
    assert {name: node["address"] for name, node in data["nodes"].items() if "kind" not in node} == {
        "app": "10.45.0.1/24", "client": "10.45.0.2/24"}
    assert data["radio"]["ues"] == {name: {"peer": "enb", "cqi_dl": 15, "cqi_ul": 15} for name in ("app", "client")}
    assert [flow["node"] for flow in data["traffic"]] == ["app"]


def test_the_file_says_which_and_over_what(made):
    data, _ = made(TWO + "x-cellbed: {link: good cqi 7, ues: [client]}", "radio.ues.client.cqi_dl=3")
    assert data["radio"]["ues"] == {"client": {"peer": "enb", "cqi_dl": 3, "cqi_ul": 7}}
    data, path = made(TWO + "x-cellbed: {link: good cqi 7}", words=["umts-384"])
    assert path.stem == "umts-384" and list(data["radio"]["ues"]) == ["app", "client"]


@pytest.mark.parametrize("name", [name for name in links.presets() if name != "d2d"])
def test_every_ready_made_link_has_room_for_two(made, name):
    """Also what else of a scenario names UEs: events, tracks."""
    data, _ = made(TWO, words=[name])
    assert list(data["radio"]["ues"]) == ["app", "client"]
    assert {event["ue"] for event in data["radio"].get("events", [])} in (set(), {"app", "client"})


def test_ues_of_a_scenario_beside_the_file(made):
    data, path = made(TWO + "x-cellbed: {link: cell.yaml, ues: {client: far, app: near}}")
    assert path.name == "cell.yaml" and data["radio"]["ues"]["far"]["cqi_dl"] == 3
    assert [flow["node"] for flow in data["traffic"]] == ["far"]
    data, _ = made(TWO + "x-cellbed: {link: d2d, ues: {client: ue1, app: ue2}}")
    assert list(data["radio"]["ues"]) == ["ue1", "ue2"]


@pytest.mark.parametrize(("text", "message"), [
    ("[]", "compose.yaml: expected a mapping of keys"),
    ("x-cellbed: {}", "compose.yaml: key 'services': missing"),
    ("services: {}", "compose.yaml: key 'services': no entries: allowed 1 or more"),
    ("services: {app: }", "compose.yaml: key 'services.app': value null: allowed a mapping of keys"),
    (TWO + "x-cellbed: {lnik: edge}", "compose.yaml: key 'x-cellbed.lnik': unknown; did you mean 'link'?"),
    (TWO + "x-cellbed: {ues: [web]}", "compose.yaml: key 'x-cellbed.ues.web': no such service; allowed app, client"),
    (TWO + "x-cellbed: {ues: []}", "compose.yaml: key 'x-cellbed.ues': value []: allowed 1 or more"),
    (TWO + "x-cellbed: {ues: {app: ue1, client: ue1}}", "key 'x-cellbed.ues.client': value ue1: that is app's UE"),
    (TWO + "x-cellbed: {internet: perhaps}", "key 'x-cellbed.internet': value perhaps: allowed true or false"),
    (TWO + "x-cellbed: {link: 'edge \"'}", "key 'x-cellbed.link': value edge \": No closing quotation"),
    (TWO + "x-cellbed: {link: edgy}", "link: 'edgy': did you mean 'edge'?"),
    (TWO + "x-cellbed: []", "compose.yaml: key 'x-cellbed': value []: allowed a mapping of keys"),
    (TWO + "x-cellbed: ", "compose.yaml: key 'x-cellbed': value null: allowed a mapping of keys"),
    ("services: {App_1: {image: a}}",
     "key 'x-cellbed.ues.App_1': value App_1: allowed text that matches ^[a-z][a-z0-9-]{0,11}$"),
    ("services: {server: {image: a}}", "key 'x-cellbed.ues.server': value server: a node of the link has this name; "
     "name its UE in x-cellbed.ues, such as {server: ue1}"),
    # More services than UEs.
    (TWO + "x-cellbed: {link: cell.yaml}", "key 'x-cellbed.ues.app': value app: no UE of cell.yaml; allowed near, far"),
])
def test_what_is_wrong_is_one_line(made, text, message):
    with pytest.raises(ScenarioError) as error:
        made(text)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_names_of_projects(tmp_path):
    (tmp_path / "My Shop_1").mkdir()
    found = compose.Compose.model_validate({"services": {"app": {}}})
    assert compose.project(found, tmp_path / "My Shop_1/compose.yaml") == "myshop_1"
    assert compose.project(found.model_copy(update={"name": "own"}), tmp_path / "compose.yaml") == "own"


def test_containers_learn_each_others_names(made, tmp_path):
    data, _ = made(TWO)
    found = compose.read(tmp_path / "compose.yaml")
    containers = {name: Container(number, tmp_path / name) for number, name in enumerate(("app", "client"), 7)}
    for container in containers.values():
        container.hosts.write_text("127.0.0.1 localhost\n")
    compose.put_containers(data, found, containers)
    links.put_addresses(data, links.PRESETS / "good.yaml", links.Addresses(["ipv4", "ipv6"]))
    assert data["nodes"]["client"]["netns"] == "/proc/8/ns/net"
    told = compose.tell_names(data, found, containers)
    assert told == {"app": ["10.45.0.1", "fd63:656c:6c62:a2d:1::"], "client": ["10.45.0.2", "fd63:656c:6c62:a2d:2::"]}
    assert containers["app"].hosts.read_text() == containers["client"].hosts.read_text() == (
        "10.45.0.1 app\nfd63:656c:6c62:a2d:1:: app\n10.45.0.2 client\nfd63:656c:6c62:a2d:2:: client\n"
        "127.0.0.1 localhost\n")
