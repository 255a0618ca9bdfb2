# SPDX-License-Identifier: GPL-2.0-or-later
"""MTUs of wires and of the radio: who says that a packet is too large, and that transfers fit, over IPv4 and IPv6.

Source: RFC 1191; RFC 8201
"""

import json

import polars as pl
import pytest
from e2e import bundles, cellbed, needs_native

from cellbed.error import ScenarioError
from cellbed.scenario.description import expand
from cellbed_formats.capture import read_capture

NODES = """
format: 1
id: mtu
nodes:
  server: {kind: server, address: [10.46.0.1/24, "2001:db8:46::1/64"]}
  enb: {kind: enb}
  ue: {address: [10.45.0.1/24, "2001:db8:45::1/64"]}
"""
CORE = NODES + """
  sgw: {kind: sgw}
  router: {kind: router}
links:
  - {a: server, b: sgw, rate: 1Gbit, mtu: 9000}
  - {a: sgw, b: router, rate: 1Gbit, mtu: 1600}
  - {a: router, b: enb, rate: 1Gbit}
"""
CELL = NODES + "links: [{a: server, b: enb, rate: 1Gbit, mtu: 9000}]\n"
REST = """
radio: {mtu: 1358, n_rb: 50, ues: {ue: {peer: enb}}}
traffic:
  - {id: ping4, kind: command, node: server, argv: [sh, -c, ping -c 2 -M do -s 1400 10.45.0.1 || true]}
  - {id: ping6, kind: command, node: server, argv: [sh, -c, "ping -c 2 -M do -s 1400 2001:db8:45::1 || true"]}
  - {id: down4, from: server, to: ue, duration_s: 2}
  - {id: up6, from: ue, to: server, port: 5202, duration_s: 2, family: ipv6}
"""


def executed(folder, text, lab):
    path = folder / "mtu.yaml"
    path.write_text(text)
    cellbed("run", path, "--lab", lab, "--results", folder / "r")
    return bundles(folder / "r")["run"]


@pytest.mark.lab
@pytest.mark.parametrize(("network", "lab"), [(CELL, "virtual"), (CORE, "virtual"),
                                              pytest.param(CELL, "native", marks=needs_native)])
def test_the_node_before_the_radio_says_what_is_too_large(tmp_path, network, lab):
    bundle = executed(tmp_path, network + REST, lab)
    assert "mtu = 1358" in (bundle / "ping4.stdout").read_text()
    assert "mtu=1358" in (bundle / "ping6.stdout").read_text()
    if lab == "virtual":
        assert json.loads((bundle / "manifest.json").read_text())["validity"]["verdict"] == "valid"
    for node in ("server", "ue"):
        seen = read_capture(bundle / f"ip-{node}.pcap").filter(pl.col("protocol") == 6)
        assert seen["ip_bytes"].max() == 1358


@pytest.mark.lab
@pytest.mark.parametrize("link", ["nr-walk", "umts-384", "leo", "lte-drive"])
def test_every_radio_has_one(link):
    done = cellbed("link", link, "mtu", "1358", "--lab", "virtual", "--set", "traffic.0.limit_s=10", "--", "ip", "link",
                   "show", "lte0")
    assert " mtu 1358 " in done.stdout


@pytest.mark.parametrize(("words", "message"), [
    ("radio.mtu=1279", "key 'radio.mtu': value 1279: allowed 1280..1500"),
    ("links.0.mtu=9001", "key 'links.0.mtu': value 9001: allowed 1280..9000"),
    ("links.2.mtu=1500", "key 'links.2.mtu': value 1500: links of a core network carry packets with headers of "
                         "tunnels; allowed 1600..9000")])
def test_what_is_out_of_range_is_one_line(tmp_path, words, message):
    path = tmp_path / "mtu.yaml"
    path.write_text(CORE + REST)
    with pytest.raises(ScenarioError) as error:
        expand(path, [words])
    assert message in str(error.value)
