# SPDX-License-Identifier: GPL-2.0-or-later
"""A handover in the virtual lab, seen on the wires: tunnels, forwarding, ECN; only what queues drop is missing."""

import json
import os
import shutil
import subprocess
from collections import Counter
from itertools import pairwise

import pytest
from e2e import ROOT, bundles, cellbed, digests, needs_native

from cellbed_formats.bundle import read_bundle

QUICK = ROOT / "scenarios/handover-pacifico/quick.yaml"
SHORT = ["--set", "traffic.0.duration_s=3", "--set", "traffic.1.duration_s=3", "--set", "capture.radio=false"]
CORE = ["router-eth0", "router-eth1", "router-eth2", "senb-eth0", "sgw-eth2", "tenb-eth0"]
SGW, SENB, TENB = "10.60.0.1", "10.60.1.1", "10.60.2.1"
TENB6 = "fd63:656c:6c62:a3c::201"
HOSTS = {"me": ("server1", "10.45.0.1"), "c1": ("server2", "10.45.0.2")}
CE = "3"

pytestmark = [pytest.mark.lab, pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")]


def execute(results, *options):
    cellbed("run", QUICK, "--results", results, *SHORT, *options)
    return bundles(results)["run"]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """One handover, with nothing out of the ordinary."""
    return execute(tmp_path_factory.mktemp("handover"))


def read(bundle, name):
    return json.loads((bundle / name).read_text())


def fields(bundle, interface, display_filter, *names):
    """Rows of field values of the packets of a capture that match; occurrences of a field as a list."""
    args = ["tshark", "-r", bundle / f"ip-{interface}.pcap", "-Y", display_filter, "-T", "fields",
            "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-o", "tcp.analyze_sequence_numbers:FALSE"]
    for name in names:
        args += ["-e", name]
    done = subprocess.run(args, capture_output=True, text=True, check=True)
    return [[value.split(",") for value in line.split("\t")] for line in done.stdout.splitlines()]


def user_packets(bundle, interface, display_filter):
    """(IP identification, TCP sequence number) of the user packets, in the order of the capture; each is one packet."""
    return [(row[0][-1], row[1][0]) for row in fields(bundle, interface, display_filter, "ip.id", "tcp.seq_raw")]


def on_way(source, destination):
    """Filter of data packets from the servers in a tunnel."""
    return f"gtp.message == 255 && ip.src == {source} && ip.dst == {destination} && tcp.len > 0"


def end_markers(bundle):
    """Of each path that ends."""
    return read_bundle(bundle).settings["radio"]["handover"]["end_markers"]


def dropped_in_queues(bundle):
    return sum(link["overflow_pkts"] + link["early_drop_pkts"] for link in read(bundle, "manifest.json")["links"])


def test_the_run_is_valid_and_has_handed_over(bundle):
    radio = read(bundle, "radio.json")
    assert read(bundle, "manifest.json")["validity"] == {"verdict": "valid", "reasons": []}
    assert (radio["handovers"], radio["path_switches"]) == (1, 1)
    assert set(radio["ports"]) == {"me", "c1", "sgw", "enb/senb", "enb/tenb"}
    assert radio["gtpu_tx"] == radio["gtpu_rx"]
    assert radio["gtpu_tx"]["x2"] > 10


@pytest.mark.parametrize("interface", CORE)
def test_wireshark_reads_every_packet_of_the_core_network(bundle, interface):
    """All of them are GTP-U, none is malformed, outer checksums are right."""
    rows = fields(bundle, interface, "frame", "gtp.message", "udp.dstport", "_ws.malformed", "ip.checksum.status")
    assert len(rows) > 100
    for message, port, malformed, checksum in rows:
        assert message in (["0xff"], ["0xfe"])
        assert port[0] == "2152"
        assert malformed == [""]
        assert checksum[0] == "1"
    assert fields(bundle, interface, "_ws.expert.severity == error", "frame.number") == []


def test_end_markers_go_down_the_old_path_and_on_to_the_target(bundle):
    """The S-GW's, through the router to the source, and the source's, through the router to the target."""
    def markers(interface):
        return [(src, dst) for (src,), (dst,) in fields(bundle, interface, "gtp.message == 254", "ip.src", "ip.dst")]

    n = end_markers(bundle)
    assert n > 1
    assert markers("sgw-eth2") == [(SGW, SENB)] * n
    assert markers("senb-eth0") == [(SGW, SENB), (SENB, TENB)] * n
    assert markers("tenb-eth0") == [(SENB, TENB)] * n
    times = [float(row[0][0]) for row in fields(bundle, "sgw-eth2", "gtp.message == 254", "frame.time_epoch")]
    assert all(0.019 < later - sooner < 0.021 for sooner, later in pairwise(times))
    last_direct = fields(bundle, "router-eth1", on_way(SGW, SENB), "frame.number")[-1]
    marker = fields(bundle, "router-eth1", "gtp.message == 254", "frame.number")[0]
    assert int(marker[0][0]) > int(last_direct[0][0])


def test_forwarded_packets_cross_the_router_twice(bundle):
    """Towards the source, back from it, and towards the target: the same user packet in another tunnel."""
    def seqs(interface, source, destination):
        return [int(row[0][0]) for row in fields(bundle, interface, on_way(source, destination), "tcp.seq_raw")]

    to_source, back, to_target = (seqs(*way) for way in (
        ("router-eth1", SGW, SENB), ("router-eth1", SENB, TENB), ("router-eth2", SENB, TENB)))
    assert len(to_target) > 10
    assert set(to_target) <= set(back) <= set(to_source)
    numbered = fields(bundle, "router-eth2", "gtp.ext_hdr.pdcp_sn", "gtp.ext_hdr.pdcp_sn", "ip.src")
    assert len(numbered) > 1
    assert {row[1][0] for row in numbered} == {SENB}
    times = {way: [float(row[0][0]) for row in fields(bundle, way[0], on_way(*way[1:]), "frame.time_epoch")]
             for way in (("router-eth1", SENB, TENB), ("router-eth2", SENB, TENB))}
    came, went = times.values()
    assert min(w - c for c, w in zip(came, went, strict=True)) > 0.001  # the queue's rate: 12 Mbit/s


@pytest.mark.parametrize("options", [
    [],
    ["--set", "links.4.queue_pkts=30"],
    ["--set", "links.4.aqm=red", "--set", "links.4.red_min_pkts=5", "--set", "links.4.red_max_pkts=30"],
], ids=["deep", "overflowing", "red"])
def test_what_no_queue_drops_arrives_once_and_in_order(bundle, tmp_path, options):
    """Lossless handover with reordering: each packet of the servers, but for those that router queues counted.

    The source also forwards copies of what the UE has but has not confirmed; queues drop them and End Markers, too.
    """
    if options:  # with SACK, so that what was lost is repaired when the transfer ends
        bundle = execute(tmp_path, *options, "--set", "tcp.profile=modern")
        assert read(bundle, "manifest.json")["validity"]["verdict"] == "valid"
    radio = read(bundle, "radio.json")
    missing = 0
    for ue, (server, address) in HOSTS.items():
        every = f"ip.dst == {address}"
        missing += len(user_packets(bundle, server, every)) - len(user_packets(bundle, ue, every))
        named = f"{every} && tcp.flags.reset == 0"  # resets have no identification
        sent, received = user_packets(bundle, server, named), user_packets(bundle, ue, named)
        assert max(Counter(received).values()) == 1
        arrived = set(received)
        assert received == [packet for packet in sent if packet in arrived]
    reports = radio["handovers"]  # of PDCP, one of the UE in each new cell
    copies = radio["pkts_originated"] - end_markers(bundle) * radio["path_switches"] - reports
    assert sum(radio["pkts_dropped"].values()) == radio["pkts_dropped"]["duplicate"]
    lost_copies = copies - radio["pkts_dropped"]["duplicate"]
    lost_markers = radio["gtpu_tx"]["end_marker"] - radio["gtpu_rx"]["end_marker"]
    assert missing + lost_copies + lost_markers == dropped_in_queues(bundle)
    assert (missing > 0) == bool(options)


ECN = ["--set", "links.4.aqm=red_ecn", "--set", "links.4.red_min_pkts=5", "--set", "links.4.red_max_pkts=30"]


def test_marks_of_a_router_reach_the_user(tmp_path):
    """Outer headers that left the router with CE are user packets with CE, their checksums right.

    What TCP sends without ECT, as retransmissions and resets (RFC 3168 6.1), cannot carry a mark: it is dropped.
    """
    bundle = execute(tmp_path, *ECN, "--set", "radio.gtpu.ecn=copy", "--set", "tcp.sysctls={net.ipv4.tcp_ecn: 1}")
    outer = f"ip.dst == {TENB} && ip.dsfield.ecn == {CE}"
    marked = user_packets(bundle, "tenb-eth0", f"{outer} && ip.dsfield.ecn == 2")
    blind = user_packets(bundle, "tenb-eth0", f"{outer} && ip.dsfield.ecn == 0")
    assert len(marked) > 10
    assert len(marked) + len(blind) == sum(link["marked_pkts"] for link in read(bundle, "manifest.json")["links"])
    reached, arrived = Counter(), set()
    for ue in HOSTS:
        reached.update(user_packets(bundle, ue, f"ip.dsfield.ecn == {CE}"))
        arrived.update(user_packets(bundle, ue, "tcp"))
        assert {row[0][0] for row in fields(bundle, ue, "ip", "ip.checksum.status")} == {"1"}
    # A marked copy of what the UE has already is discarded by PDCP: forwarded, and there without a mark.
    copies = Counter(marked) - reached
    assert not reached - Counter(marked)
    assert set(copies) <= arrived & set(user_packets(bundle, "tenb-eth0", on_way(SENB, TENB)))
    dropped = read(bundle, "radio.json")["pkts_dropped"]
    assert copies.total() <= dropped["duplicate"]
    assert dropped["ecn"] == len(blind)


def test_tunnels_over_ipv6(tmp_path):
    """Every packet of the core network, its checksum of UDP as far as captures have the whole packet, and its marks."""
    bundle = execute(tmp_path, *ECN, "--set", "radio.gtpu.ecn=copy", "--set", "tcp.sysctls={net.ipv4.tcp_ecn: 1}",
                     "--set", "radio.gtpu.outer=ipv6")
    radio = read(bundle, "radio.json")
    assert read(bundle, "manifest.json")["validity"] == {"verdict": "valid", "reasons": []}
    assert (radio["handovers"], radio["path_switches"]) == (1, 1) and radio["gtpu_tx"]["x2"] > 10
    for interface in CORE:
        rows = fields(bundle, interface, "frame", "ipv6.src", "gtp.message", "_ws.malformed", "udp.checksum.status")
        assert len(rows) > 100 and all(row[0][0].startswith("fd63:656c:6c62:a3c::") for row in rows)
        assert {row[1][0] for row in rows} == {"0xff", "0xfe"} and {row[2][0] for row in rows} == {""}
        assert {row[3][0] for row in rows} == {"1", "2"}  # good; cut by the snap length
        assert fields(bundle, interface, "_ws.expert.severity == error", "frame.number") == []
    outer = f"ipv6.dst == {TENB6} && ipv6.tclass.ecn == {CE}"
    marked = fields(bundle, "tenb-eth0", outer, "ip.id")
    assert len(marked) == sum(link["marked_pkts"] for link in read(bundle, "manifest.json")["links"]) > 10
    assert fields(bundle, "c1", f"ip.dsfield.ecn == {CE}", "ip.id")


def test_marked_packets_of_users_without_ecn_are_dropped_at_the_end(tmp_path):
    bundle = execute(tmp_path, *ECN, "--set", "radio.gtpu.ecn=copy")
    links = {(link["from"], link["to"]): link for link in read(bundle, "manifest.json")["links"]}
    to_target = links["router", "tenb"]
    unmarkable = [len(fields(bundle, interface, f"gtp.message == 254 && ip.dst == {TENB}", "ip.id"))
                  for interface in ("senb-eth0", "tenb-eth0")]  # End Markers, which are no user's: they have no ECT
    assert to_target["early_drop_pkts"] == unmarkable[0] - unmarkable[1]
    assert read(bundle, "radio.json")["pkts_dropped"]["ecn"] == sum(link["marked_pkts"] for link in links.values()) > 10


def test_tunnels_that_know_no_ecn_get_no_marks(tmp_path):
    bundle = execute(tmp_path, *ECN, "--set", "tcp.sysctls={net.ipv4.tcp_ecn: 1}")
    links = {(link["from"], link["to"]): link for link in read(bundle, "manifest.json")["links"]}
    assert (links["router", "tenb"]["marked_pkts"], links["router", "tenb"]["early_drop_pkts"] > 10) == (0, True)
    assert {row[0][0] for row in fields(bundle, "router-eth2", "gtp.message == 255", "ip.dsfield.ecn")} == {"0"}


def test_a_prediction_leaves_nothing_to_forward(tmp_path):
    """The path is switched 130 ms before; what comes to the source by then has left it when the UE goes."""
    radio = read(execute(tmp_path, "--set", "radio.handover.procedure=prediction"), "radio.json")
    assert (radio["handovers"], radio["path_switches"]) == (1, 1)
    assert radio["gtpu_tx"]["x2"] <= 5


def test_same_run_same_bytes(bundle, tmp_path):
    again = digests(execute(tmp_path))
    assert again == digests(bundle)
    assert {f"ip-{interface}.pcap" for interface in CORE} <= set(again)


def test_captures_of_the_core_can_be_left_out(tmp_path):
    bundle = execute(tmp_path, "--set", "capture.core=false", "--set", "traffic.0.duration_s=1", "--set",
                  "traffic.1.duration_s=1")
    assert {path.name for path in bundle.glob("ip-*.pcap")} == {"ip-server1.pcap", "ip-server2.pcap", "ip-me.pcap",
                                                                "ip-c1.pcap"}


@needs_native
@pytest.mark.parametrize(("options", "missing"), [
    ([], "netem"),
    ([*(f"--set=links.{i}.delay_ms=0" for i in range(5)), "--set", "links.4.aqm=red"], "red"),
])
def test_a_kernel_without_netem_or_red_says_so(tmp_path, options, missing):
    if os.system(f"unshare -n tc qdisc add dev lo root {missing} limit 60000 >/dev/null 2>&1") == 0:
        pytest.skip(f"this kernel has {missing}")
    done = cellbed("run", QUICK, "--results", tmp_path / "r", "--lab", "native", *options, check=False)
    if done.returncode == 0:
        pytest.skip(f"this kernel has {missing} built in")
    assert f"this kernel has no {missing}; use the virtual lab or a link without" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "r").iterdir())
