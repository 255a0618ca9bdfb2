# SPDX-License-Identifier: GPL-2.0-or-later
"""Downloads over dedicated channels of the UTRAN in the virtual lab."""

import json
import os
import subprocess

import polars as pl
import pytest
from e2e import ROOT, bundles, cellbed, digests

from cellbed_formats.trace import read_trace

pytestmark = pytest.mark.lab

DOWNLOAD = """
format: 1
id: utran
nodes:
  server: {kind: server, address: 10.1.0.1/24}
  rnc: {kind: enb}
  ue1: {address: 10.45.0.1/24}
links: [{a: server, b: rnc, rate: 100Mbit, delay_ms: 50}]
radio:
  system: utran
  utran: {dl_rate: 384kbit, ul_rate: 32kbit, bler_dl: 0.15, bler_ul: 0.15, max_dat: 6}
  ues: {ue1: {peer: rnc}}
tcp: {profile: paper, congestion_control: reno, receive_window: 20000, mss: 1000, delayed_ack: false}
traffic: [{id: down, kind: stream, from: server, to: ue1, duration_s: 20}]
"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("utran")
    (folder / "utran.yaml").write_text(DOWNLOAD)
    cellbed("run", folder / "utran.yaml", "--results", folder / "results")
    return folder


def test_the_download_has_what_errors_and_headers_leave(executed):
    bundle = bundles(executed / "results")["run"]
    assert json.loads((bundle / "manifest.json").read_text())["validity"] == {"verdict": "valid", "reasons": []}
    rate = json.loads((bundle / "down.stream.json").read_text())["received_bytes"] * 8 / 20
    # 38 of 40 bytes are data, 15 % of PDUs are lost, 1000 of 1040 bytes are the download's.
    assert 0.85 * 384_000 * 38 / 40 * 1000 / 1040 * 0.9 < rate < 0.85 * 384_000 * 38 / 40 * 1000 / 1040


def test_counts_agree(executed):
    """A STATUS PDU has a block of its own, unless it rides in the padding of an AMD PDU: the trace tells which."""
    bundle = bundles(executed / "results")["run"]
    radio = json.loads((bundle / "radio.json").read_text())
    reports = read_trace(bundle / "radio.trace").filter(pl.col("event") == "rlc_status_tx")
    riding = (reports["aux"] & 2 != 0).sum()
    assert reports.height == radio["rlc_status_tx"] and 0 < riding < reports.height
    assert radio["pkts_in"] == radio["pkts_delivered"] + sum(radio["pkts_dropped"].values())
    for way in ("ul", "dl"):
        assert radio[way]["mac_lost"] / radio[way]["mac_pdus"] == pytest.approx(0.15, abs=0.03)
    blocks = radio["ul"]["mac_pdus"] + radio["dl"]["mac_pdus"]
    assert radio["rlc_pdus_tx"] + radio["rlc_status_tx"] - riding == blocks
    assert radio["dl"]["mac_pdus"] <= 12 * radio["ttis_active"]


TWO = """
format: 1
id: two
nodes:
  server: {kind: server, address: 10.1.0.1/24}
  rnc: {kind: enb}
  phone: {address: 10.45.0.1/24}
  tablet: {address: 10.45.0.2/24}
links: [{a: server, b: rnc, rate: 100Mbit}]
radio: {system: utran, utran: {dl_rate: 384kbit, ul_rate: 64kbit}, ues: {phone: {peer: rnc}, tablet: {peer: rnc}}}
tcp: {mss: 1000}
traffic:
  - {id: phone, kind: stream, from: server, to: phone, duration_s: 10}
  - {id: tablet, kind: stream, from: server, to: tablet, duration_s: 10, port: 5202}
validity: {lateness_p99_us: 100000, missed_ttis: 100000, cpu_steal_percent: 100}
"""


def test_each_ue_has_its_channel(tmp_path):
    """Two downloads at a time have the rate of a channel each, and Wireshark unfolds both."""
    (tmp_path / "two.yaml").write_text(TWO)
    cellbed("run", tmp_path / "two.yaml", "--results", tmp_path / "results")
    bundle = bundles(tmp_path / "results")["run"]
    for name in ("phone", "tablet"):
        rate = json.loads((bundle / f"{name}.stream.json").read_text())["received_bytes"] * 8 / 10
        assert 0.8 * 384_000 < rate < 384_000 * 38 / 40 * 1000 / 1040
    done = subprocess.run(["tshark", "-C", "cellbed", "-r", bundle / "radio.pcap", "-Y", "tcp", "-T", "fields",
                           "-e", "ip.dst", "-e", "_ws.malformed"], capture_output=True, text=True, check=True,
                          env={**os.environ, "WIRESHARK_CONFIG_DIR": str(ROOT / "captures/wireshark")})
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert not any(malformed for _, malformed in rows)
    for address in ("10.45.0.1", "10.45.0.2"):
        assert sum(dst == address for dst, _ in rows) > 250


def test_same_run_same_bytes(executed, tmp_path):
    cellbed("run", executed / "utran.yaml", "--results", tmp_path)
    assert digests(bundles(executed / "results")["run"]) == digests(bundles(tmp_path)["run"])
