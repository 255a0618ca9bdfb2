# SPDX-License-Identifier: GPL-2.0-or-later
"""Handovers between two gNBs in the virtual lab, seen on the wires by Wireshark: NG-U, Xn-U, and nothing lost."""

import itertools
import json
import os
import shutil
import subprocess

import polars as pl
import pytest
from e2e import ROOT, bundles, cellbed

from cellbed_analysis.metrics.run import analyse
from cellbed_analysis.radio.events import rows_of
from cellbed_analysis.radio.handover import messages
from cellbed_formats.bundle import read_bundle

UPF, WEST, EAST = "10.60.0.1", "10.60.1.1", "10.60.2.1"
SESSION, LONG_SN = "0x85", "0x82"

pytestmark = [pytest.mark.lab, pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")]


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nr-handover")
    cellbed("run", ROOT / "scenarios/nr-handover/quick.yaml", "--results", folder, "--set", "traffic.0.duration_s=2",
            "--set", "radio.events.0.at_s=2.2")
    return bundles(folder)


@pytest.fixture(params=["standard", "conditional", "daps"])
def bundle(executed, request):
    return executed[request.param]


def fields(bundle, interface, display_filter, *names):
    """Rows of field values of the packets of a capture that match."""
    args = ["tshark", "-r", bundle / f"ip-{interface}.pcap", "-Y", display_filter, "-T", "fields"]
    for name in names:
        args += ["-e", name]
    done = subprocess.run(args, capture_output=True, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_packets_on_ng_u_have_the_qos_flow_of_their_session(bundle):
    """PDU type 0 towards the gNBs and 1 from them, QFI 1, in each G-PDU that comes from the UPF or goes there."""
    for gnb, interface in ((WEST, "west-eth0"), (EAST, "east-eth0")):
        for way, kind in ((f"ip.src == {UPF} && ip.dst == {gnb}", "0"), (f"ip.src == {gnb} && ip.dst == {UPF}", "1")):
            rows = fields(bundle, interface, f"gtp.message == 255 && {way}", "gtp.ext_hdr.next",
                          "gtp.ext_hdr.pdu_ses_con.pdu_type", "gtp.ext_hdr.pdu_ses_con.qos_flow_id")
            assert len(rows) > 50
            assert {(extension.split(",")[0], *rest) for extension, *rest in rows} == {(SESSION, kind, "1")}


def test_what_was_not_acknowledged_is_forwarded_with_its_sn(bundle):
    """SNs of 18 bits, each once; then packets without; and at last an End Marker, which the UPF's brought.

    They are in order; with DAPS copies of new packets come first, and what is left of the others after the success.
    """
    way = f"ip.src == {WEST} && ip.dst == {EAST}"
    rows = fields(bundle, "west-eth0", way, "gtp.message", "gtp.ext_hdr.next", "gtp.ext_hdr.long_pdcp_sn")
    sns = [int(sn) for _, _, sn in rows if sn]
    falls = sum(later < sn for sn, later in itertools.pairwise(sns))
    assert len(sns) > 10 and len(sns) == len(set(sns)) and falls <= bundle.name.startswith("daps")
    assert [bool(sn) for _, _, sn in rows] == sorted((bool(sn) for _, _, sn in rows), reverse=True)
    assert rows[-1][0] == "0xfe" and {message for message, *_ in rows[:-1]} == {"0xff"}
    assert {extension.split(",")[0] for _, extension, _ in rows[:-1]} <= {SESSION, LONG_SN}


def test_wireshark_complains_of_no_tunnel(bundle):
    """What it says of TCP, such as of retransmissions, is another matter."""
    wrong = "(_ws.malformed || _ws.expert.severity >= 0x600000) && gtp && !tcp.analysis.flags && !tcp.connection.rst"
    for interface in ("west-eth0", "east-eth0"):
        assert fields(bundle, interface, wrong, "frame.number", "_ws.expert.message") == []


def test_the_handover_loses_nothing_and_says_how_long_it_took(bundle):
    run = analyse(read_bundle(bundle))
    radio = json.loads((bundle / "radio.json").read_text())
    assert run.row["validity"] == "valid" and run.row["ho_handovers"] == 1
    assert radio["handovers"] == radio["path_switches"] == 1
    assert {reason: n for reason, n in radio["pkts_dropped"].items() if n}.keys() <= {"queue_full", "duplicate"}
    assert run.row["ho_forwarded_pkts"] > 10 and run.row["ho_forwarded_lost_pkts"] == 0
    assert run.row["ho_timeout"] == 0 and run.row["ho_reordered_pkts"] == 0
    if bundle.name.startswith("daps"):
        assert run.row["ho_interruption_ms"] == 0 and run.row["ho_data_gap_ms"] < 20
        return
    assert run.row["ho_data_gap_ms"] > run.row["ho_interruption_ms"]
    # Standard: 30 ms, the next SSB at 20 ms, 2 ms, the next occasion at 10 ms, the answer. Conditional: 20 ms, not 30.
    assert 20 < run.row["ho_interruption_ms"] < 10 + 20 + 20 + 2 + 10 + 2
    assert run.row["ho_interruption_ms"] < run.row["ho_ack_gap_ms"]


def test_with_daps_both_cells_send_a_time_and_one_phone_receives(executed):
    """Packets of the downlink, from the command to the release; uplink ones go to one cell, and then to the other."""
    bundle = read_bundle(executed["daps"])
    said = {row["message"]: row["t_ns"] for row in messages(bundle).iter_rows(named=True)}
    begin, answered = said["handover_command"], said["synchronised"]
    stopped, released = said["sn_status_transfer"], said["daps_source_release"]
    sent = rows_of(bundle.radio, "rlc_tx").filter(pl.col("t_ns").is_between(begin, released), pl.col("bytes") > 100)
    down = {enb: rows["t_ns"] for (enb,), rows in sent.filter(dir="dl").group_by("enb")}
    assert down[0].min() < begin + 5e6 and answered < down[0].max() <= stopped
    assert answered <= down[1].min() < answered + 5e6
    assert set(sent.filter(dir="dl", enb=1)["lcid"]) == {5} and set(sent.filter(dir="dl", enb=0)["lcid"]) == {4}
    copies = rows_of(bundle.radio, "ho_forward").filter(pl.col("t_ns") < answered)
    assert len(copies) > 50 and set(copies["value"]) == {1}
    reasons = [bundle.drop_reasons[value] for value in rows_of(bundle.radio, "pkt_drop")["value"]]
    assert reasons.count("duplicate") > 10


def test_wireshark_reads_both_legs(executed):
    """One phone with two RNTIs at a time, and TCP in the blocks of both."""
    args = ["tshark", "-C", "cellbed", "-r", executed["daps"] / "radio.pcap", "-Y", "tcp", "-T", "fields", "-e",
            "mac-nr.ueid", "-e", "mac-nr.rnti"]  # fmt: skip
    profile = {"WIRESHARK_CONFIG_DIR": str(ROOT / "captures/wireshark")}
    done = subprocess.run(args, capture_output=True, text=True, check=True, env=os.environ | profile)
    assert len({line.split(",")[0] for line in done.stdout.splitlines() if line}) == 2
