# SPDX-License-Identifier: GPL-2.0-or-later
"""L4S over NR as a user sees it: TCP Prague and DCTCP over a gNB that marks, one short run of each for all."""

import json
import subprocess

import pytest
from e2e import ROOT, bundles, cellbed

from cellbed_analysis.metrics.run import analyse
from cellbed_formats.bundle import read_bundle

pytestmark = pytest.mark.lab
#: AE, CWR and ECE beside SYN. Source: RFC 9768 3.1.1
SYN_ACC_ECN = 0x1C2
CE = "3"


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("l4s")
    cellbed("run", ROOT / "scenarios/nr-l4s/quick.yaml", "--variant", "dctcp-dualpi2", "--variant", "cubic-dualpi2",
            "--variant", "prague-dualpi2", "--set", "traffic.0.duration_s=1.5", "--results", folder)
    return folder


@pytest.fixture(scope="module")
def rows(executed):
    return {name: analyse(read_bundle(bundle)).row for name, bundle in bundles(executed).items()}


def field(capture, name, wanted="ip"):
    done = subprocess.run(["tshark", "-r", capture, "-Y", wanted, "-T", "fields", "-e", name], check=True, text=True,
                          capture_output=True)
    return done.stdout.split()


@pytest.mark.parametrize(("variant", "ect"), [("dctcp-dualpi2", "ECT(0)"), ("prague-dualpi2", "ECT(1)")])
def test_marks_are_counted_alike_everywhere(executed, rows, variant, ect):
    """By the core, in its trace, and by another reader of the receiver's capture."""
    bundle, row = bundles(executed)[variant], rows[variant]
    assert row["validity"] == "valid" and row["flow_ect"] == ect
    came = field(bundle / "ip-ue1.pcap", "ip.dsfield.ecn", "ip.dst == 10.45.0.1 && tcp.dstport == 5201")
    assert came.count(CE) == row["flow_ce_pkts"] > 10
    counted = json.loads((bundle / "radio.json").read_text())["ecn_marks"]
    assert row["ecn_marks"] == counted >= row["flow_ce_pkts"]
    assert row["flow_ce_share"] == pytest.approx(row["flow_ce_pkts"] / len(came))


def test_no_checksum_is_wrong(executed):
    capture = bundles(executed)["dctcp-dualpi2"] / "ip-ue1.pcap"
    done = subprocess.run(["tshark", "-r", capture, "-o", "ip.check_checksum:TRUE", "-Y", "ip.dsfield.ecn == 3", "-T",
                           "fields", "-e", "ip.checksum.status"], check=True, text=True, capture_output=True)
    assert set(done.stdout.split()) == {"1"}


@pytest.mark.parametrize("variant", ["dctcp-dualpi2", "prague-dualpi2"])
def test_the_sender_asks_for_accurate_ecn(executed, variant):
    capture = bundles(executed)[variant] / "ip-server.pcap"
    flags = field(capture, "tcp.flags", "tcp.flags.syn == 1")
    assert int(flags[0], 16) == SYN_ACC_ECN
    assert len(set(field(capture, "tcp.flags", "ip.src == 10.45.0.1"))) > 4  # the counter of marks in ACE goes round


def test_prague_keeps_more_of_the_link_than_dctcp(rows):
    assert rows["prague-dualpi2"]["goodput_mbps"] > 1.05 * rows["dctcp-dualpi2"]["goodput_mbps"]


def test_both_queues_are_short(rows):
    """A FIFO of this cell has more than a hundred milliseconds by then."""
    for name, row in rows.items():
        assert row["rtt_p50_ms"] < 45, name
        assert row["goodput_mbps"] > 15, name


def test_classic_traffic_is_dropped_and_not_marked(rows):
    row = rows["cubic-dualpi2"]
    assert row["flow_ect"] == "not-ECT" and row["flow_ce_pkts"] == row["ecn_marks"] == 0
    assert row["dropped_aqm_pkts"] > 0


def test_the_report_has_the_study(executed):
    cellbed("report", executed)
    assert (executed / "summary/figures/nr-l4s-quick.svg").exists()
