# SPDX-License-Identifier: GPL-2.0-or-later
"""A lossy AM bearer at 220 Mbit/s: what TCP sees of RLC's delivery order, and that a run repeats itself."""

import json

import pytest
from e2e import ROOT, UNBUILT, bundles, cellbed, digests
from tracereader import read_trace

from cellbed.run.tcp_profile import can_do_without_rack

pytestmark = pytest.mark.lab

QUICK = ROOT / "scenarios/delivery-park/quick.yaml"


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    results = tmp_path_factory.mktemp("delivery")
    cellbed("run", QUICK, "--results", results, "--seed", 1)
    return bundles(results)


def radio(bundle):
    return json.loads((bundle / "radio.json").read_text())


def server_counters(bundle):
    return json.loads((bundle / "counters.json").read_text())["server"]["TcpExt"]


def delivered(bundle):
    """Numbers of the packets that left at the UE, in order."""
    return [row["pkt"] for row in read_trace(bundle / "radio.trace") if row["event"] == "pkt_out" and row["node"] == 1]


def test_arq_loses_nothing(executed):
    assert set(executed) == {"cubic-in", "cubic-out", "cubic-pdcp", "cubic-modern-in", "cubic-modern-out"}
    for bundle in executed.values():
        assert json.loads((bundle / "manifest.json").read_text())["validity"]["verdict"] == "valid"
        counts = radio(bundle)
        assert counts["dl"]["mac_lost"] > 10
        assert counts["rlc_retx"] > 10
        assert sum(counts["pkts_dropped"].values()) == 0
        assert counts["pkts_delivered"] == counts["pkts_in"]


def test_runs_without_rack_take_a_kernel_that_can(executed, tmp_path):
    """Linux 7 would detect losses by RACK whatever they say: much of what a UE gets out of order would be taken for
    lost all the same, but by its time, not by its distance."""
    releases = {json.loads((bundle / "manifest.json").read_text())["kernel"]["release"] for bundle in executed.values()}
    assert len(releases) == 1 and can_do_without_rack(*releases)
    if "7.3" not in UNBUILT:
        done = cellbed("run", QUICK, "--results", tmp_path, "--seed", 1, "--variant", "cubic-in", "--kernel", "7.3",
                       check=False)
        assert (done.returncode, "net.ipv4.tcp_recovery: value 0" in done.stderr) == (1, True)
        assert not list(tmp_path.glob("*"))


@pytest.mark.parametrize("variant", ["cubic-in", "cubic-pdcp"])
def test_tcp_sees_no_loss_where_order_is_kept(executed, variant):
    packets = delivered(executed[variant])
    assert packets == sorted(packets)
    assert server_counters(executed[variant]).get("TCPFastRetrans", 0) == 0


def test_tcp_takes_late_packets_for_lost_ones(executed):
    packets = delivered(executed["cubic-out"])
    assert packets != sorted(packets) and len(set(packets)) == len(packets)
    counters = server_counters(executed["cubic-out"])
    assert counters["TCPFastRetrans"] > 0
    assert counters["TCPDSACKRecv"] > 0  # the originals had arrived


def test_same_run_same_bytes(executed, tmp_path):
    cellbed("run", QUICK, "--results", tmp_path / "again", "--seed", 1, "--variant", "cubic-out")
    assert digests(bundles(tmp_path / "again")["cubic-out"]) == digests(executed["cubic-out"])
