# SPDX-License-Identifier: GPL-2.0-or-later
"""RLC in transparent mode in the virtual lab: what TCP gets without segmentation and reordering."""

import os
import subprocess

import pytest
from e2e import ROOT, bundles, cellbed

from cellbed_formats.trace import read_trace

pytestmark = pytest.mark.lab

SCENARIO = """
format: 1
id: tm
nodes:
  server: {kind: server, address: 10.1.0.1/24}
  enb: {kind: enb}
  phone: {address: 10.45.0.1/24}
links: [{a: server, b: enb, rate: 100Mbit}]
radio: {n_rb: 25, harq: {max_attempts: 4, bler: [0.1, 0.0]}, ues: {phone: {peer: enb}}}
traffic: [{id: file, from: server, to: phone, bytes: 1MB}]
sweep: {variants: {um: {radio.rlc.mode: um}, tm: {radio.rlc.mode: tm}}}
validity: {lateness_p99_us: 100000, missed_ttis: 100000, cpu_steal_percent: 100}
"""
LCID_UM, LCID_TM = 3, 32


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tm")
    (folder / "tm.yaml").write_text(SCENARIO)
    cellbed("run", folder / "tm.yaml", "--results", folder / "results")
    return bundles(folder / "results")


def sent(bundle):
    rows = read_trace(bundle / "radio.trace")
    return rows.filter(rows["event"] == "rlc_tx")


def test_the_file_arrives_in_whole_packets(runs):
    whole = sent(runs["tm"])
    assert set(whole["lcid"]) == {LCID_TM}
    assert (whole["aux"] == 1).all()
    assert (whole["bytes"] == whole["value"]).all()
    parts = sent(runs["um"])
    assert set(parts["lcid"]) == {LCID_UM}
    assert (parts["aux"] == 0).any(), "UM cut none"


def late(bundle):
    """Packets that leave the phone's radio after one that entered the server's after them."""
    rows = read_trace(bundle / "radio.trace")
    out = rows.filter((rows["event"] == "pkt_out") & (rows["node"] > 0))["pkt"]
    return (out < out.cum_max()).sum()


def test_what_harq_delays_is_late_only_there(runs):
    assert late(runs["um"]) == 0
    assert late(runs["tm"]) > 10


def test_wireshark_shows_its_bytes(runs):
    """What was decoded is well formed, and each SDU is there with its channel, not unfolded."""
    done = subprocess.run(
        ["tshark", "-C", "cellbed", "-r", runs["tm"] / "radio.pcap", "-Y", "not mac-lte.crc-status == 0", "-T",
         "fields", "-e", "_ws.malformed", "-e", "mac-lte.sch.elcid", "-e", "rlc-lte.mode"],
        capture_output=True, text=True, check=True,
        env={**os.environ, "WIRESHARK_CONFIG_DIR": str(ROOT / "captures/wireshark")})  # fmt: skip
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert not any(malformed or mode for malformed, _, mode in rows)
    assert sum(elcid.count(str(LCID_TM - 32)) for _, elcid, _ in rows) >= len(sent(runs["tm"]))
