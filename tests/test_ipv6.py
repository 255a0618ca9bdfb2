# SPDX-License-Identifier: GPL-2.0-or-later
"""Nodes with addresses of IPv6, alone or beside one of IPv4: scenarios in both labs, from the socket to the report."""

import json
import os
from pathlib import Path

import polars as pl
import pytest
from e2e import ROOT, bundles, cellbed, digests

from cellbed_formats.address import number_of
from cellbed_formats.bundle import read_bundle
from cellbed_formats.capture import RST, read_capture
from cellbed_formats.trace import read_trace

pytestmark = pytest.mark.lab

SHORT = [word for i in range(3) for word in ("--set", f"traffic.{i}.duration_s=3")]
SERVER, UE1, UE2 = "2001:db8:46::1", "2001:db8:45::1", "2001:db8:45::2"
ICMPV6, TCP = 58, 6
CONTROL = Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip()  # the one that is sure to be there

ANYTHING = """
format: 1
id: dual-stack/both
nodes:
  server: {kind: server, address: [10.46.0.1/24, "2001:db8:46::1/64"]}
  sgw: {kind: sgw}
  router: {kind: router}
  enb1: {kind: enb}
  enb2: {kind: enb}
  ue1: {address: [10.45.0.1/24, "2001:db8:45::1/64"]}
links:
  - {a: server, b: sgw, rate: 1Gbit, delay_ms: 10}
  - {a: sgw, b: router, rate: 1Gbit}
  - {a: router, b: enb1, rate: 1Gbit}
  - {a: router, b: enb2, rate: 1Gbit}
radio:
  ues: {ue1: {peer: enb1}}
  events: [{at_s: 1, ue: ue1, handover: enb2}]
traffic:
  - {id: six, kind: iperf3, from: server, to: ue1, duration_s: 3, family: ipv6}
  - {id: udp, kind: stream, from: ue1, to: server, port: 5202, duration_s: 2, family: ipv6, transport: udp,
     rate: 1Mbit, packet_bytes: 1000}
"""


def execute(folder, scenario, *words):
    cellbed("run", scenario, "--results", folder, *words)
    return bundles(folder)


@pytest.fixture(scope="module", params=["lte", "nr"])
def bundle(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    return execute(folder, ROOT / f"scenarios/dual-stack/{request.param}.yaml", "--seed", "1", *SHORT)["run"]


def test_every_flow_gets_through(bundle):
    manifest = json.loads((bundle / "manifest.json").read_text())
    assert manifest["validity"]["verdict"] == "valid"
    assert [(flow["saddr"], flow["daddr"]) for flow in manifest["flows"]] == [
        ("10.46.0.1", "10.45.0.1"), (SERVER, UE1), (SERVER, UE2)]
    for flow in ("ipv4", "ipv6", "only6"):
        assert json.loads((bundle / f"{flow}.stream.json").read_text())["received_bytes"] > 1_000_000
    assert "5 received, 0% packet loss" in (bundle / "ping.stdout").read_text()


def test_nothing_unasked_is_on_the_radio(bundle):
    """No neighbour discovery, no router solicitation, no report of a multicast listener, on no link."""
    ports = json.loads((bundle / "radio.json").read_text())["ports"]
    assert len(ports) == 4
    assert all(set(port["refused_pkts"].values()) == {0} for port in ports.values())
    for node in ("server", "ue1", "ue2"):
        seen = read_capture(bundle / f"ip-{node}.pcap")
        assert set(seen["protocol"]) <= {TCP, ICMPV6}
        echoes = seen.filter(pl.col("protocol") == ICMPV6)
        assert set(echoes["src"]) | set(echoes["dst"]) <= {number_of(SERVER), number_of(UE1)}
        assert len(echoes) == (0 if node == "ue2" else 10)


def test_probe_and_captures_call_each_address_the_same(bundle):
    samples = read_trace(bundle / "tcp.trace")
    counted = json.loads((bundle / "tcp.json").read_text())["flows"]
    assert {SERVER, UE1, UE2, "10.46.0.1"} <= {flow["saddr"] for flow in counted}
    assert set(samples["saddr"]) - {0, number_of("::")} <= {number_of(flow["saddr"]) for flow in counted}
    six = next(flow for flow in counted if (flow["saddr"], flow["dport"]) == (SERVER, 5202))
    captured = read_capture(bundle / "ip-server.pcap").filter(
        (pl.col("src") == number_of(SERVER)) & (pl.col("dport") == 5202))
    data = captured.filter(pl.col("flags") & RST == 0)  # what comes after the end, no socket answers
    assert len(data) <= six["sent_pkts"] <= len(captured)
    assert data["ip_bytes"].cast(pl.Int64).sum() <= six["sent_bytes"] <= captured["ip_bytes"].cast(pl.Int64).sum()


def test_segments_are_known_on_the_radio(bundle):
    """Tags of radio.trace are those of the captures, so that `why` finds the way of a segment."""
    assert [flow.id for flow in read_bundle(bundle).all_flows] == ["ipv4", "ipv6", "only6"]
    for flow in ("ipv6", "only6"):
        said = cellbed("why", bundle, "--flow", flow).stdout
        assert "segment at byte" in said and "data: " in said and "ACK: " in said


def test_the_bytes_are_the_same_again(bundle, tmp_path):
    if "lte" not in bundle.parent.name:
        pytest.skip("once is enough")
    again = execute(tmp_path, ROOT / "scenarios/dual-stack/lte.yaml", "--seed", "1", *SHORT)["run"]
    assert digests(again) == digests(bundle)


def test_a_handover_with_tunnels(tmp_path):
    """Users' packets of IPv6 inside tunnels of IPv4."""
    path = tmp_path / "both.yaml"
    path.write_text(ANYTHING)
    bundle = execute(tmp_path / "results", path)["run"]
    assert json.loads((bundle / "manifest.json").read_text())["validity"]["verdict"] == "valid"
    facts = json.loads((bundle / "udp.stream.json").read_text())
    assert facts["sent_pkts"] == 250 and facts["received_pkts"] >= 245  # the handover may take some
    assert json.loads((bundle / "six.iperf3.json").read_text())["end"]["sum_received"]["bytes"] > 1_000_000
    radio = json.loads((bundle / "radio.json").read_text())
    assert radio["path_switches"] == 1
    assert all(set(port["refused_pkts"].values()) == {0} for port in radio["ports"].values())


@pytest.mark.skipif(os.geteuid() != 0, reason="the native lab needs root here")
def test_the_native_lab(tmp_path):
    bundle = execute(tmp_path, ROOT / "scenarios/dual-stack/lte.yaml", "--seed", "1", "--lab", "native",
                     "--set", "links.0.delay_ms=0", "--set", f"tcp.congestion_control={CONTROL}", *SHORT)["run"]
    for flow in ("ipv4", "ipv6", "only6"):
        assert json.loads((bundle / f"{flow}.stream.json").read_text())["received_bytes"] > 100_000
    assert " 0% packet loss" in (bundle / "ping.stdout").read_text()
    ports = json.loads((bundle / "radio.json").read_text())["ports"]
    assert all(port["refused_pkts"]["of_link"] == 0 for port in ports.values())
