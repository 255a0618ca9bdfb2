# SPDX-License-Identifier: GPL-2.0-or-later
"""A server behind the eNB, in both labs: wired link, routing, captures, counters, transfers by size."""

import json
import os
import struct
import subprocess

import polars as pl
import pytest
from e2e import WIRED, bundles, captured, cellbed, digests, needs_native

from cellbed_formats.bundle import read_bundle

pytestmark = pytest.mark.lab

LABS = ["virtual", pytest.param("native", marks=needs_native)]
TAIL = 96 << 10  # what iperf3 may lose at the end of a file: unsent (tcp_notsent_lowat) or unread
LINKTYPE_ETHERNET, LINKTYPE_RAW = 1, 101


def execute(scenario, results, *options):
    cellbed("run", scenario, "--results", results, *options)
    return bundles(results)["run"]


def manifest_of(bundle):
    return json.loads((bundle / "manifest.json").read_text())


def received(bundle, flow):
    return json.loads((bundle / f"{flow}.iperf3.json").read_text())["end"]["sum_received"]["bytes"]


@pytest.fixture(scope="module", params=LABS)
def bundle(request, tmp_path_factory):
    """A run with nothing out of the ordinary, in each lab."""
    folder = tmp_path_factory.mktemp("wired")
    (folder / "wired.yaml").write_text(WIRED)
    return execute(folder / "wired.yaml", folder / "r", "--lab", request.param)


def test_files_cross_wire_and_radio(bundle):
    manifest = manifest_of(bundle)
    assert manifest["validity"] == {"verdict": "valid", "reasons": []}
    for flow in manifest["flows"]:
        assert flow["duration_s"] is None
        assert flow["bytes"] - TAIL <= received(bundle, flow["id"]) <= flow["bytes"] + 10
    down, up = manifest["links"]
    assert (down["from"], down["to"], up["from"], up["to"]) == ("server", "enb", "enb", "server")
    assert down["sent_pkts"] > 1_000_000 / 1460
    assert up["sent_pkts"] > 150_000 / 1460
    for link in manifest["links"]:
        assert (link["lost_pkts"], link["overflow_pkts"]) == (0, 0)
    radio = json.loads((bundle / "radio.json").read_text())
    assert set(radio["ports"]) == {"ue1", "ue2", "network/ue1", "network/ue2"}
    assert radio["pkts_in"] == radio["pkts_delivered"] + sum(radio["pkts_dropped"].values())


def test_hosts_have_captures_and_counters_and_the_enb_has_none(bundle):
    assert {p.name for p in bundle.glob("ip-*.pcap")} == {"ip-server.pcap", "ip-ue1.pcap", "ip-ue2.pcap"}
    types = {p.stem: struct.unpack("<I", p.read_bytes()[20:24])[0] for p in bundle.glob("ip-*.pcap")}
    assert types == {"ip-server": LINKTYPE_ETHERNET, "ip-ue1": LINKTYPE_RAW, "ip-ue2": LINKTYPE_RAW}
    counters = json.loads((bundle / "counters.json").read_text())
    assert set(counters) == {"server", "ue1", "ue2"}
    assert counters["server"]["IpExt"]["OutOctets"] > 1_000_000
    assert counters["ue1"]["Tcp"]["InSegs"] > 500
    # The link's qdiscs see every segment by itself.
    assert counters["server"]["Ip"]["OutRequests"] > 0.9 * counters["server"]["Tcp"]["OutSegs"]
    # Captures have every packet, the last ones too. (The connections' ends come after the counters were read.)
    for node, counted in counters.items():
        assert captured(bundle, node) >= counted["Ip"]["InReceives"] + counted["Ip"]["OutRequests"]
    assert all(value for node in counters.values() for group in node.values() for value in group.values())


def test_delay_is_there_and_back(wired, tmp_path):
    """Twenty milliseconds more one way are forty more of RTT."""
    def rtt_ms(delay_ms):
        bundle = execute(wired, tmp_path / str(delay_ms), "--set", f"links.0.delay_ms={delay_ms}",
                      "--set", "tcp.receive_window=2KiB", "--set", "traffic.0.bytes=30kB")
        assert {q["kind"] for q in manifest_of(bundle)["qdiscs"]["server"]} == {"noqueue", "netem"}
        return json.loads((bundle / "down1.iperf3.json").read_text())["end"]["streams"][0]["sender"]["min_rtt"] / 1000

    assert rtt_ms(21.5) - rtt_ms(1.5) == pytest.approx(40, abs=2)


def test_a_server_s_capture_says_that_it_misses_its_wire(wired, tmp_path):
    """Packets are captured behind the qdisc that delays them: the SYN of a flow from 0.2 s on comes 25 ms later."""
    bundle = execute(wired, tmp_path / "r", "--set", "links.0.delay_ms=25")
    sent = read_bundle(bundle).capture("server").filter(pl.col("dport") == 5202)
    assert (sent["t_ns"][0] - manifest_of(bundle)["clock"]["start_ns"]) / 1e6 == pytest.approx(225, abs=2)
    exported = cellbed("export", bundle, "--format", "pcapng", "--node", "server", "--output", tmp_path).stdout.strip()
    said = subprocess.run(["capinfos", "-k", exported], capture_output=True, text=True, check=True).stdout
    assert "behind the queue and the delay of its wire to enb (25 ms)" in said


def test_losses_belong_to_the_experiment_and_overflows_do_not(wired, tmp_path):
    lossy = manifest_of(execute(wired, tmp_path / "lossy", "--set", "links.0.loss=0.02"))
    assert lossy["validity"]["verdict"] == "valid"
    assert sum(link["lost_pkts"] for link in lossy["links"]) > 5
    assert sum(link["overflow_pkts"] for link in lossy["links"]) == 0
    narrow = ["--set", "links.0.rate=2Mbit", "--set", "links.0.queue_pkts=5", "--set", "links.0.delay_ms=1"]
    full = manifest_of(execute(wired, tmp_path / "full", *narrow))
    assert {reason["code"] for reason in full["validity"]["reasons"]} == {"wired_drops"}
    assert full["links"][0]["overflow_pkts"] > 0
    assert full["links"][0]["lost_pkts"] == 0
    meant = manifest_of(execute(wired, tmp_path / "meant", *narrow, "--set", "validity.queue_drops_allowed=true"))
    assert meant["validity"]["verdict"] == "valid"


def test_same_run_same_bytes(wired, tmp_path):
    options = ["--set", "links.0.delay_ms=1.5", "--set", "links.0.loss=0.01"]
    first, again = (digests(execute(wired, tmp_path / name, *options)) for name in ("a", "b"))
    assert first == again
    assert "ip-server.pcap" in first


def test_a_file_that_takes_too_long_ends_the_run(wired, tmp_path):
    done = cellbed("run", wired, "--results", tmp_path / "r", "--set", "traffic.0.bytes=50MB",
                   "--set", "traffic.0.limit_s=0.8", check=False)
    assert done.returncode == 1
    assert "failed: traffic down1: 50000000 bytes took longer than limit_s = 0.8 s" in done.stderr
    assert not list((tmp_path / "r").iterdir())


@needs_native
def test_a_kernel_without_netem_says_so(wired, tmp_path):
    if os.system("modprobe -n sch_netem 2>/dev/null") == 0:
        pytest.skip("this kernel has netem")
    done = cellbed("run", wired, "--results", tmp_path / "r", "--lab", "native", "--set", "links.0.delay_ms=1",
                   check=False)
    if done.returncode == 0:
        pytest.skip("this kernel has netem built in")
    assert "this kernel has no netem; use the virtual lab or a link without delay, loss and netem" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "r").iterdir())


STREAM = ("--set", "traffic=[{id: down1, kind: stream, from: server, to: ue1, duration_s: 20}]")


def test_a_stream_runs_where_most_is_lost(wired, tmp_path):
    """No connection but the data's: what it gets through, even if that is nothing, is the result."""
    facts = {}
    for loss in (0, 0.5, 1):
        bundle = execute(wired, tmp_path / str(loss), *STREAM, "--set", f"links.0.loss={loss}",
                      "--set", "links.0.rate=1Mbit")
        manifest = manifest_of(bundle)
        assert manifest["validity"]["verdict"] == "valid", manifest["validity"]["reasons"]
        assert manifest["congestion_control"] == {"down1": "reno"}
        facts[loss] = json.loads((bundle / "down1.stream.json").read_text())
        opened = json.loads((bundle / "counters.json").read_text())["server"]["Tcp"]["ActiveOpens"]
        assert opened == 1
    # 1500 bytes of a full packet, and 14 of Ethernet that the link's queue counts, for 1460 of the stream.
    assert facts[0]["received_bytes"] * 8 / 20 == pytest.approx(1e6 * 1460 / 1514, rel=0.02)
    assert 0 < facts[0.5]["received_bytes"] < facts[0]["received_bytes"] / 20
    assert (facts[1]["received_bytes"], facts[1]["connected_s"]) == (0, None)


def test_the_topology_shows_the_wire(wired):
    out = cellbed("topology", wired).stdout
    assert "enb  eth0 10.1.0.254/24, net-ue1, net-ue2" in out
    assert "ip route default via 10.1.0.254 dev eth0 src 10.1.0.1 window 65536 advmss 1460" in out
    assert "tc qdisc add dev eth0 root handle 1: tbf rate 100000000bit" in out
    assert "server eth0 -- enb eth0" in out
