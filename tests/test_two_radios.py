# SPDX-License-Identifier: GPL-2.0-or-later
"""A UE on two radio networks in the virtual lab: plain TCP over either, and Multipath TCP over both."""

import json
import subprocess
import sys
import time

import polars as pl
import pytest
from e2e import CELLBED, ROOT, bundles, cellbed, needs_native
from machine import nothing_left

from cellbed.host import programs
from cellbed_analysis.report.why import why
from cellbed_formats.bundle import read_bundle
from cellbed_formats.packet import ip_packets
from cellbed_formats.pcap_file import read_records
from cellbed_formats.radios import networks

needs_tayga = pytest.mark.skipif(programs.find("tayga") is None, reason="needs tayga")
pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    results = tmp_path_factory.mktemp("two-radios") / "results"
    cellbed("run", ROOT / "scenarios/two-radios/quick.yaml", "--results", results)
    cellbed("report", results)
    return results


@pytest.fixture(scope="module")
def rows(executed):
    found = pl.read_parquet(executed / "summary/metrics.parquet").iter_rows(named=True)
    return {(row["variant"], row["flow"]): row for row in found}


def test_every_run_is_valid(executed):
    for bundle in bundles(executed).values():
        manifest = json.loads((bundle / "manifest.json").read_text())
        assert manifest["validity"] == {"verdict": "valid", "reasons": []}
        assert manifest["radios"]["wifi"]["nodes"] == ["ap"]


def test_a_plain_flow_uses_its_own_network_and_no_other(executed, rows):
    for variant, used, idle in (("tcp-lte", "", "wifi-"), ("tcp-wifi", "wifi-", "")):
        bundle = bundles(executed)[variant]
        counted = {of: json.loads((bundle / f"{of}radio.json").read_text())["pkts_in"] for of in (used, idle)}
        assert counted[used] > 500 and counted[idle] == 0
        assert rows[variant, "file"]["rtt_p50_ms"] > 20
        assert rows[variant, "file"]["goodput_mbps"] > 2


def test_multipath_tcp_has_more_than_either_network_alone(rows):
    alone = [rows[variant, "file"]["goodput_mbps"] for variant in ("tcp-lte", "tcp-wifi")]
    both = rows["both", "file"]
    assert both["goodput_mbps"] > max(alone)
    assert both["flow_transport"] == "mptcp" and both["mptcp_subflows"] == 2
    assert 0 < both["mptcp_stall_max_ms"] < 4000


def test_subflows_have_rows_as_tcp_has(rows):
    parts = [rows["both", f"file/{network}"] for network in ("radio", "wifi")]
    assert sum(part["flow_share"] for part in parts) == pytest.approx(1)
    for part in parts:
        assert part["flow_transport"] == "tcp"
        assert part["rtt_p50_ms"] > 20 and part["cwnd_mean_pkts"] > 1 and part["probe_rtt_samples"] > 0
        assert part["goodput_mbps"] > 0


def test_a_backup_carries_data_only_while_the_other_fails(rows):
    backup, other = (rows["backup", f"file/{network}"] for network in ("radio", "wifi"))
    assert backup["flow_share"] < 0.5 * other["flow_share"]


def test_the_receiving_program_got_what_subflows_delivered(executed):
    bundle = read_bundle(bundles(executed)["both"])
    told = bundle.stream("file")
    parts = [flow for flow in bundle.all_flows if flow.id.startswith("file/")]
    assert told["received_bytes"] <= sum(part.sent_bytes for part in parts)
    assert told["came"]["bytes"][-1] <= told["received_bytes"]
    assert told["came"]["t_ns"] == sorted(told["came"]["t_ns"])


@pytest.mark.parametrize(("flow", "part"), [("file/radio", "ACK: RAC request to its answer"),
                                            ("file/wifi", "data: sent, and on the way over the link")])
def test_why_explains_each_subflow_by_its_own_network(executed, flow, part):
    asked = ("why", executed, "--variant", "both", "--flow", flow)
    assert part in cellbed(*asked).stdout
    assert f"flow {flow}: mean RTT of " in cellbed(*asked, "--whole").stdout


def test_why_of_the_connection_names_its_subflows(executed):
    done = cellbed("why", executed, "--variant", "both", "--flow", "file", check=False)
    assert done.returncode == 1
    assert "a connection of MPTCP has no RTT, its subflows have; choose one with --flow: file/radio, file/wifi" \
        in done.stderr.replace("\n", " ")


NATIVE = ["--lab", "native", "--set", "links.0.delay_ms=0", "--set", "links.1.delay_ms=0", "--set",
          "radios.wifi.events=[]"]
IPV6 = ["--set", "nodes.server.address=[10.46.1.1/24, 2001:db8:46::1/64]",
        "--set", "nodes.phone.address=[10.45.0.1/24, 2001:db8:45::1/64]",
        "--set", "nodes.phone.radios={wifi: [10.47.0.1/24, 2001:db8:47::1/64]}"]


@pytest.mark.parametrize("own", [[], pytest.param(NATIVE, marks=needs_native)], ids=["virtual", "native"])
def test_multipath_tcp_over_ipv6(tmp_path, own):
    """Subflows of both networks, and a TCP connection over the further one only."""
    cellbed("run", ROOT / "scenarios/two-radios/quick.yaml", "--variant", "both", "--variant", "tcp-wifi", "--results",
            tmp_path, *IPV6, "--set", "traffic.0.family=ipv6", *own)
    both = read_bundle(bundles(tmp_path)["both"])
    assert both.stream("file")["fallback"] is False and both.stream("file")["received_bytes"] > 1e6
    assert {flow.id for flow in both.all_flows} == {"file", "file/radio", "file/wifi"}
    for name in ("ip-phone.pcap", "ip-phone-wifi.pcap"):
        assert set(ip_packets(read_records(both.path / name)).frame["version"]) == {6}
    alone = bundles(tmp_path)["tcp-wifi"]
    counted = {of: json.loads((alone / f"{of}radio.json").read_text())["pkts_in"] for of in ("", "wifi-")}
    assert counted["wifi-"] > 500 and counted[""] == 0


def test_it_is_exported_by_subflow(executed, tmp_path):
    for form in ("qlog", "flent", "pcapng", "time-sequence"):
        cellbed("export", bundles(executed)["both"], "--format", form, "--flow", "file/wifi", "--output", tmp_path)
    assert list(tmp_path.iterdir())


def test_topology_prints_routes_and_rules():
    said = cellbed("topology", ROOT / "scenarios/two-radios/quick.yaml").stdout
    assert "ip rule add from 10.47.0.1 table 100" in said
    assert "wifi 10.47.0.1/24" in said and "-> enb through the eNB  -> ap through the eNB" in said


def test_a_script_for_mininet_has_one_network_and_says_so():
    done = cellbed("topology", "--mininet", ROOT / "scenarios/two-radios/quick.yaml", check=False)
    assert done.returncode
    assert "key 'radios': not allowed in a script for Mininet" in done.stderr.replace("\n", " ")


@needs_native
def test_a_network_of_a_native_run_changes_while_it_goes_on(tmp_path):
    with nothing_left(), subprocess.Popen(
            [CELLBED, "run", ROOT / "scenarios/two-radios/quick.yaml", "--variant", "both", "--results", tmp_path,
             "--set", "traffic.0.duration_s=8", *NATIVE]) as running:
        def change(key):
            return cellbed("set", "--pid", running.pid, "phone", f"{key}=1000", check=False)

        end = time.monotonic() + 20
        while change("radios.wifi.outage_ms").returncode and time.monotonic() < end:
            time.sleep(0.2)
        assert "key 'radios.wlan': the run that goes on has no such radio network" in \
            change("radios.wlan.outage_ms").stderr.replace("\n", " ")
    bundle = read_bundle(bundles(tmp_path)["both"])
    changes = [read.radio.filter(event="channel").height for read in (bundle, networks(bundle)["wifi"])]
    assert changes[0] == 0 and changes[1] > 0
    assert bundle.stream("file")["received_bytes"] > 1e6


SERVER = """
import socket
at = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP)
at.bind(("0.0.0.0", 7007))
at.listen()
one, _ = at.accept()
one.sendall(bytes(3_000_000))
one.shutdown(socket.SHUT_WR)
one.recv(1)
"""
CLIENT = """
import os, socket
one = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_MPTCP)
one.connect((os.environ["CELLBED_BASE"], 7007))
got = 0
while data := one.recv(1 << 16):
    got += len(data)
print(got)
"""


LABS = ["virtual", pytest.param("native", marks=needs_native), pytest.param("rootless", marks=needs_native)]


@pytest.mark.parametrize("options", [[], pytest.param(["--464xlat"], marks=needs_tayga)])
@pytest.mark.parametrize("lab", LABS)
def test_a_command_behind_a_link_has_both(tmp_path, lab, options):
    (tmp_path / "server.py").write_text(SERVER)
    words = [*options, *(["--lab", "native", "--rootless"] if lab == "rootless" else ["--lab", lab])]
    done = cellbed("link", "good", "rate", "8mbit", "--radio", "wifi=leo", *words, "--results", tmp_path / "kept",
                   "--serve", f"{sys.executable} {tmp_path}/server.py", "--", sys.executable, "-c", CLIENT)
    assert done.stdout == "3000000\n"
    (bundle,) = bundles(tmp_path / "kept").values()
    for of in ("", "wifi-"):
        assert json.loads((bundle / f"{of}radio.json").read_text())["bytes_delivered"] > 300_000


@needs_tayga
def test_ipv4_over_ipv6_on_the_first_network_only(tmp_path):
    """As a phone has LTE with IPv6 only and Wi-Fi with both; a ping over each is found at both ends."""
    script = "ping -c 3 -i 0.2 base; ping -c 3 -i 0.2 -I wifi base; ping -c 3 -i 0.2 -I wifi base6; " \
             "ip route get 10.46.0.1; ip mptcp endpoint"
    done = cellbed("link", "good", "--464xlat", "--radio", "wifi=leo", "--set", "mptcp.backup=[radio]", "--lab",
                   "virtual", "--serve", "true", "--results", tmp_path / "kept", "--", "sh", "-c", script)
    assert done.stdout.count(" 3 received") == 3 and "10.46.0.1 dev clat src 192.0.0.4" in done.stdout
    assert done.stdout.endswith("192.0.0.4 id 2 subflow backup dev clat \n10.47.0.1 id 3 subflow dev wifi \n"
                                "fd63:656c:6c62:a2f:1:: id 4 subflow dev wifi \n")
    (path,) = bundles(tmp_path / "kept").values()
    for name, versions in (("ip-ue1.pcap", {6}), ("ip-ue1-wifi.pcap", {4, 6})):
        assert set(ip_packets(read_records(path / name)).frame["version"]) == versions
    bundle = read_bundle(path)
    first, *over_wifi = (sum(why(bundle, 0, ping.id).parts_ms.values()) for ping in bundle.pings)
    assert first < 30 and len(over_wifi) == 2 and min(over_wifi) > 30


def test_pings_of_one_length_are_told_apart_by_their_network(tmp_path):
    script = "ping -c 3 -i 0.2 base; ping -c 2 -i 0.2 -I wifi base; ping -c 2 -i 0.2 base"
    cellbed("link", "good", "--radio", "wifi=leo", "--ipv4-only", "--lab", "virtual", "--serve", "true", "--results",
            tmp_path / "kept", "--", "sh", "-c", script)
    (path,) = bundles(tmp_path / "kept").values()
    bundle = read_bundle(path)
    first, over_wifi, again = (sum(why(bundle, 0, ping.id).parts_ms.values()) for ping in bundle.pings)
    assert 0 < first < 30 < over_wifi and 0 < again < 30


QUIC_OPTIONS = ["--enable-multipath", "--active-cid-limit", "4"]


@pytest.mark.skipif(programs.find("tquic_server") is None, reason="needs tquic_tools of crates.io")
def test_multipath_quic(tmp_path):
    """As docs/link.md has it: paths of one connection over both networks, and flows of QUIC in tables."""
    (tmp_path / "www").mkdir()
    (tmp_path / "www/file").write_bytes(bytes(8_000_000))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=base", "-keyout",
                    "cert.key", "-out", "cert.crt"], cwd=tmp_path, check=True, capture_output=True)
    server = ["tquic_server", "--listen", "0.0.0.0:4433", "--cert", f"{tmp_path}/cert.crt", "--key",
              f"{tmp_path}/cert.key", "--root", f"{tmp_path}/www", *QUIC_OPTIONS]
    done = cellbed("link", "good", "rate", "8mbit", "--radio", "wifi=leo", "--ipv4-only", "--lab", "virtual",
                   "--results", tmp_path / "kept", "--serve", " ".join(server), "--", "tquic_client", "--connect-to",
                   "10.46.0.1:4433", "--local-addresses", "10.45.0.1,10.47.0.1", *QUIC_OPTIONS, "https://base/file",
                   cwd=tmp_path)
    assert "requests: sent 1, finish 1, success 1" in done.stdout
    (path,) = bundles(tmp_path / "kept").values()
    for of in ("", "wifi-"):
        assert json.loads((path / f"{of}radio.json").read_text())["bytes_delivered"] > 300_000
    assert sorted(flow.transport for flow in read_bundle(path).all_flows) == ["quic", "udp"]


def test_options_that_exclude_each_other_are_one_line():
    for other in (["--internet"], ["--pid", "1"], ["--netns", "phone"]):
        done = cellbed("link", "good", "--radio", "wifi=leo", *other, "--", "true", check=False)
        assert (done.returncode, done.stderr) == (
            125, f"cellbed: --radio and {other[0]} exclude each other; give one of them\n")
