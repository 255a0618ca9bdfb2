# SPDX-License-Identifier: GPL-2.0-or-later
"""UEs with several bearers in the virtual lab, as Wireshark reads their radio."""

import os
import shutil
import subprocess
from collections import defaultdict

import pytest
from e2e import ROOT, bundles, cellbed

pytestmark = [pytest.mark.lab, pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")]

# One flow by the phone's default bearer, in AM; one by its second, in UM; one of a UE that is in UM altogether. The
# second knows what it takes by a port, or by an address.
SCENARIO = """
format: 1
id: bearers
nodes:
  server: {kind: server, address: [10.1.0.1/24, "2001:db8:1::1/64"]}
  enb: {kind: enb}
  phone: {address: [10.45.0.1/24, "2001:db8:45::1/64"]}
  laptop: {address: 10.45.0.2/24}
links: [{a: server, b: enb, rate: 100Mbit}]
radio:
  n_rb: 15
  rlc: {mode: am}
  ues:
    phone:
      peer: enb
      bearers: [{filters: [FILTER], priority: 2, rlc: {mode: um}}]
    laptop: {peer: enb, bearers: [{rlc: {mode: um}}]}
traffic:
  - {id: file, from: server, to: phone, bytes: 200kB}
  - {id: call, from: phone, to: server, bytes: 100kB, port: 5202, family: FAMILY}
  - {id: other, from: server, to: laptop, bytes: 100kB, port: 5203}
validity: {lateness_p99_us: 100000, missed_ttis: 100000, cpu_steal_percent: 100}
"""
FILE, CALL, OTHER = "5201", "5202", "5203"
UM, AM = "2", "4"  # modes, as Wireshark numbers them


@pytest.fixture(scope="module", params=[
    ("{protocol: tcp, remote_port: 5202}", "ipv4"), ('{remote_address: "2001:db8:1::/48"}', "ipv6"),
    ('{remote_address: 192.0.2.1}, {local_address: "::/0"}', "ipv6")])
def bundle(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bearers")
    taken, family = request.param
    (folder / "bearers.yaml").write_text(SCENARIO.replace("FILTER", taken).replace("FAMILY", family))
    cellbed("run", folder / "bearers.yaml", "--results", folder / "results")
    return bundles(folder / "results")["run"]


def fields(bundle, display_filter, *names):
    args = ["tshark", "-C", "cellbed", "-r", bundle / "radio.pcap", "-Y", display_filter, "-T", "fields"]
    for name in names:
        args += ["-e", name]
    done = subprocess.run(args, capture_output=True, text=True, check=True,
                          env={**os.environ, "WIRESHARK_CONFIG_DIR": str(ROOT / "captures/wireshark")})
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_every_pdu_dissects(bundle):
    assert fields(bundle, "_ws.malformed or _ws.expert.severity == error", "frame.number") == []


def test_each_flow_has_its_bearer(bundle):
    """By MAC PDUs with one RLC PDU; which UE and which server's port its segments are of, and the mode of RLC."""
    modes = defaultdict(set)
    for ue, mode, ports in fields(bundle, "tcp", "rlc-lte.ueid", "rlc-lte.mode", "tcp.port"):
        for port in {FILE, CALL, OTHER} & set(ports.split(",")):
            if "," not in mode:
                modes[port].add((ue, mode))
    assert modes == {FILE: {("1", AM)}, CALL: {("1", UM)}, OTHER: {("2", UM)}}


def test_a_mac_pdu_carries_both(bundle):
    together = [set(lcids.split(",")) for (lcids,) in fields(bundle, "rlc-lte", "mac-lte.dlsch.lcid")]
    assert any({"0x03", "0x05"} <= lcids for lcids in together)
