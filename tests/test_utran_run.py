# SPDX-License-Identifier: GPL-2.0-or-later
"""A download over a dedicated channel of the UTRAN in the virtual lab."""

import json

import pytest
from e2e import bundles, cellbed, digests

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
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("utran")
    (folder / "utran.yaml").write_text(DOWNLOAD)
    cellbed("run", folder / "utran.yaml", "--results", folder / "results")
    return folder


def test_the_download_has_what_errors_and_headers_leave(played):
    bundle = bundles(played / "results")["run"]
    assert json.loads((bundle / "manifest.json").read_text())["validity"] == {"verdict": "valid", "reasons": []}
    rate = json.loads((bundle / "down.stream.json").read_text())["received_bytes"] * 8 / 20
    # 38 of 40 bytes are data, 15 % of PDUs are lost, 1000 of 1040 bytes are the download's.
    assert 0.85 * 384_000 * 38 / 40 * 1000 / 1040 * 0.9 < rate < 0.85 * 384_000 * 38 / 40 * 1000 / 1040


def test_counts_agree(played):
    radio = json.loads((bundles(played / "results")["run"] / "radio.json").read_text())
    assert radio["pkts_in"] == radio["pkts_delivered"] + sum(radio["pkts_dropped"].values())
    for way in ("ul", "dl"):
        assert radio[way]["mac_lost"] / radio[way]["mac_pdus"] == pytest.approx(0.15, abs=0.03)
    assert radio["rlc_pdus_tx"] + radio["rlc_status_tx"] == radio["ul"]["mac_pdus"] + radio["dl"]["mac_pdus"]
    assert radio["dl"]["mac_pdus"] <= 12 * radio["ttis_active"]


def test_same_run_same_bytes(played, tmp_path):
    cellbed("run", played / "utran.yaml", "--results", tmp_path)
    assert digests(bundles(played / "results")["run"]) == digests(bundles(tmp_path)["run"])
