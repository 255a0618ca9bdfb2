# SPDX-License-Identifier: GPL-2.0-or-later
"""464XLAT: a program that knows IPv4 literals only, on a radio that has IPv6 only.

Source: RFC 6877; RFC 7915 4, 5
"""

import contextlib
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from e2e import CELLBED, bundles, cellbed, needs_native
from machine import descendants, nothing_left, own_part, wait_until
from ordinary import Ordinary, needs_an_ordinary_user, needs_user_namespaces

from cellbed import CellbedError, Link
from cellbed.host import programs
from cellbed.host.netns import in_netns
from cellbed.link.translators import Translators
from cellbed.run import xlat
from cellbed_analysis.metrics.asked import Asked
from cellbed_analysis.report.why import why
from cellbed_analysis.tcp.arrival import transmissions
from cellbed_analysis.tcp.segment import flow_packets
from cellbed_formats import translation
from cellbed_formats.bundle import read_bundle
from cellbed_formats.packet import ip_packets
from cellbed_formats.pcap_file import read_records

pytestmark = [pytest.mark.lab, needs_native, needs_an_ordinary_user, needs_user_namespaces,
              pytest.mark.skipif(programs.find("tayga") is None, reason="needs tayga")]

# An echo over TCP and UDP that says first who asks; `big` has it look for the path's MTU.
SERVER = """
import contextlib, socket, threading
IP_MTU_DISCOVER, DO, IP_MTU = 10, 2, 14

def streams(at):
    while True:
        one, who = at.accept()
        one.sendall(who[0].ljust(40).encode())
        while data := one.recv(65536):
            one.sendall(data)
        one.close()

def datagrams(at):
    while True:
        data, who = at.recvfrom(65536)
        at.sendto(path_mtu(who) if data == b"big" else data, who)

def path_mtu(who):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, DO)
        own.connect(who)
        for _ in range(20):
            with contextlib.suppress(OSError):  # too large; nobody listens
                own.send(bytes(own.getsockopt(socket.IPPROTO_IP, IP_MTU) - 28))
            threading.Event().wait(0.05)
        return str(own.getsockopt(socket.IPPROTO_IP, IP_MTU)).encode()

tcp = socket.create_server(("0.0.0.0", 7007))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("0.0.0.0", 7007))
threading.Thread(target=datagrams, args=(udp,)).start()
streams(tcp)
"""
CLIENT = """
import errno, os, socket, sys, threading, time
IP_MTU_DISCOVER, DO, IP_MTU = 10, 2, 14
at = (os.environ["CELLBED_BASE"], 7007)
for _ in range(100):
    try:
        one = socket.create_connection(at, 5)
        break
    except ConnectionRefusedError:
        time.sleep(0.1)
one.settimeout(None)
who = one.recv(40, socket.MSG_WAITALL).decode().strip()
print("tcp", one.getsockname()[0], who, one.getsockopt(socket.IPPROTO_IP, IP_MTU))
threading.Thread(target=lambda: one.sendall(bytes(200_000)), daemon=True).start()
print("echo", len(one.recv(200_000, socket.MSG_WAITALL)))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.settimeout(10)
udp.connect(at)
mtu = udp.getsockopt(socket.IPPROTO_IP, IP_MTU)
for size in (1, mtu - 28, 4000):
    udp.send(bytes(size))
    print("udp", len(udp.recv(65536)))
udp.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, DO)
try:
    udp.send(bytes(mtu - 27))
except OSError as error:
    print("too large", error.errno == errno.EMSGSIZE)
udp.send(b"big")
print("back", udp.recv(65536).decode())
"""
SAYS = """tcp 192.0.0.4 10.45.0.1 {mtu}
echo 200000
udp 1
udp {whole}
udp 4000
too large True
back {back}
"""


def said(mtu, back):
    """Args: the MTU of the path there, and of that back, as the ends know them."""
    return SAYS.format(mtu=mtu, whole=mtu - 28, back=back)


@pytest.fixture(scope="module")
def user():
    he = Ordinary()
    for name, text in (("server.py", SERVER), ("client.py", CLIENT)):
        (he.folder / name).write_text(text)
    yield he
    he.remove()


def asked(user, who, *words, results=None, command=None):
    """What a client of IPv4 says that reaches the server of IPv4 at the far end."""
    options = user.options if who == "ordinary" else {"cwd": user.folder}
    kept = ["--results", results] if results else []
    return cellbed("link", *words, "--464xlat", "--serve", f"{sys.executable} {user.folder}/server.py", *kept, "--",
                   *(command or [sys.executable, "client.py"]), **options)


@pytest.mark.parametrize("who", ["root", "ordinary"])
@pytest.mark.parametrize("link", ["good", "train"])
def test_packets_of_every_kind_and_only_ipv6_on_the_radio(user, who, link, tmp_path):
    results = user.folder / f"{link}-{who}"
    running = set(descendants())
    done = asked(user, who, link, results=results)
    assert done.stdout == said(1472, 1480)
    assert set(descendants()) <= running
    assert not list(bundles(results)["run"].glob("*.conf"))
    packets = ip_packets(read_records(bundles(results)["run"] / "ip-ue1.pcap")).frame
    assert len(packets) > 200 and set(packets["version"]) == {6} and packets["ip_bytes"].max() == 1500


@pytest.mark.parametrize(("words", "mtu", "back"), [
    (["leo"], 1472, 1480), (["umts-384"], 1472, 1480), (["nr-midband", "mtu", "1358"], 1330, 1338),
    (["lte-drive"], 1472, 1480)])
def test_every_radio_and_mtu(user, words, mtu, back):
    """Constant rates, the UTRAN, 5G, a core network."""
    done = asked(user, "ordinary", *words)
    assert done.stdout == said(mtu, back)


@pytest.mark.parametrize("link", ["good", "train"])
def test_the_virtual_lab(user, link):
    assert asked(user, "root", link, "--lab", "virtual").stdout == said(1472, 1480)


@pytest.mark.parametrize("who", ["root", "ordinary"])
def test_ping_and_the_addresses_of_the_far_end(user, who):
    """Both are there: by IPv4 through the translators, by IPv6 without."""
    script = "ping -q -c 1 $CELLBED_BASE && ping -q -c 1 $CELLBED_BASE6 && ping -q -c 1 base && echo $CELLBED_BASE"
    done = asked(user, who, "good", command=["sh", "-c", script])
    assert done.stdout.count(" 1 received") == 3 and done.stdout.endswith("\n10.46.0.1\n")


@pytest.fixture(scope="module")
def kept(user):
    """A run with a connection, datagrams and pings over translators, from both sides."""
    results = user.folder / "why"
    asked(user, "root", "good", results=results, command=[
        "sh", "-c", f"{sys.executable} client.py; ping -q -c 3 -i 0.2 $CELLBED_BASE"])
    return read_bundle(bundles(results)["run"])


def test_packets_of_both_captures_are_the_same_over_translators(kept):
    """Each flow is one, whose program the probe saw by the socket's address, and every packet is found at both ends."""
    assert {flow.source for flow in kept.all_flows} | {flow.sink for flow in kept.all_flows} == {"ue1", "server"}
    assert {flow.transport for flow in kept.all_flows} == {"tcp", "udp"}
    assert None not in {flow.program for flow in kept.all_flows}
    watched = cellbed("watch", kept.path).stdout
    assert "ue1:" in watched and translation.HOST not in watched
    (connection,) = [flow for flow in kept.all_flows if flow.transport == "tcp"]
    data, _ = flow_packets(kept, connection, connection.source)
    found = transmissions(data, flow_packets(kept, connection, connection.sink)[0])
    assert found["there_ns"].null_count() == 0 and not found["again"].any() and len(found) > 100


@pytest.mark.parametrize("transport", ["tcp", "icmp"])
def test_an_rtt_is_explained_over_translators(kept, transport):
    flow = next(flow for flow in [*kept.all_flows, *kept.pings] if flow.transport == transport)
    explained = Asked.of(kept, flow.id).explained()
    assert len(explained) > 2
    for row in explained.head(5).iter_rows(named=True):
        answer = why(kept, 0, flow.id, row["seq"])
        assert answer.defect is None and min(answer.parts_ms.values()) > -0.05
        assert sum(answer.parts_ms.values()) == pytest.approx(row["rtt_ns"] / 1e6, abs=1e-9)
    assert "RTT" in cellbed("why", kept.path, "--flow", flow.id).stdout


def test_the_way_of_a_datagram_is_explained_over_translators(kept):
    flow = next(flow for flow in kept.all_flows if flow.port == 7007 or flow.sport == 7007
                if flow.transport == "udp")
    answer = why(kept, 0, flow.id)
    assert answer.delay_ms > 3 and sum(answer.parts_ms.values()) == pytest.approx(answer.delay_ms, abs=1e-9)


def test_two_captures_of_the_run_have_the_same_connection(kept):
    told = json.loads(cellbed("pcap", kept.path / "ip-server.pcap", kept.path / "ip-ue1.pcap", "--json").stdout)
    (row,) = told["one_way"]
    assert row["lost_pkts"] == row["back_lost_pkts"] == 0 and row["pkts"] > 100 and row["delay_min_ms"] > 3


TWO_UES = """
format: 1
id: two-ues
nodes:
  server: {{kind: server, address: 10.46.0.1/24}}
  enb: {{kind: enb}}
  ue1: {{address: "2001:db8:45::1/64", clat: "2001:db8:45::c1a1", nat64: 10.45.0.1/24}}
  ue2: {{address: "2001:db8:45::2/64", clat: "2001:db8:45::c1a2", nat64: 10.45.0.2/24}}
links: [{{a: server, b: enb, rate: 1Gbit, delay_ms: 0, queue_pkts: 1000}}]
radio:
  harq: {{max_attempts: 2, bler: [0.5, 0.2]}}
  rlc: {{mode: um}}
  ues: {{ue1: {{peer: enb}}, ue2: {{peer: enb}}}}
traffic:
  - {{id: down, kind: command, node: server, argv: [ping, "-c15", -i, "0.05", -W, "1", 10.45.0.2]}}
  - {{id: up, kind: command, node: ue1, argv: [ping, "-c15", -i, "0.05", -W, "1", 10.46.0.1]}}
tcp: {{congestion_control: {control}}}
"""


@pytest.mark.parametrize("lab", ["native", "virtual"])
def test_a_ping_that_the_radio_lost_is_found_there_from_both_sides(tmp_path, lab):
    """A server's ping is 20 bytes longer on the radio, by which the trace knows it."""
    control = Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip()
    (tmp_path / "two.yaml").write_text(TWO_UES.format(control=control if lab == "native" else "cubic"))
    cellbed("run", tmp_path / "two.yaml", "--lab", lab, "--results", tmp_path / "results", check=False)
    bundle = read_bundle(bundles(tmp_path / "results")["run"])
    for wanted in ("server:ping-ue2", "ue1:ping-server"):
        sent = Asked.of(bundle, wanted).sent
        lost = [str(why(bundle, 0, wanted, seq)) for seq in sent.filter(sent["rtt_ns"].is_null())["seq"]]
        assert lost and all("the radio dropped it" in answer for answer in lost), lost


def test_the_same_bytes_in_the_virtual_lab(tmp_path):
    """Of every recording, and the translator is one of the programs that a run names."""
    (tmp_path / "two.yaml").write_text(TWO_UES.format(control="cubic"))
    of = []
    for name in ("one", "other"):
        cellbed("run", tmp_path / "two.yaml", "--results", tmp_path / name)
        path = bundles(tmp_path / name)["run"]
        of.append({file.name: file.read_bytes() for file in path.iterdir() if file.suffix in (".pcap", ".trace")})
        assert json.loads((path / "manifest.json").read_text())["description"]["programs"]["tayga"] == \
            hashlib.sha256(Path(programs.find("tayga")).read_bytes()).hexdigest()
    assert len(of[0]) == 6 and of[0] == of[1]


def test_a_link_in_python(user):
    results = user.folder / "python"
    with Link("good", family="464xlat", serve=f"{sys.executable} {user.folder}/server.py", results=results) as link:
        done = link.run([sys.executable, user.folder / "client.py"], text=True, capture_output=True, check=True)
        assert link.base == "10.46.0.1"
    assert done.stdout == said(1472, 1480)
    assert set(ip_packets(read_records(bundles(results)["run"] / "ip-ue1.pcap")).frame["version"]) == {6}


def test_this_machine_as_root(user):
    """Its own forwarding and firewall are as before, and the link's addresses are those that it has for links."""
    with own_part():
        server = subprocess.Popen([sys.executable, "-m", "http.server", "8000"], cwd=user.folder,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            done = cellbed("link", "good", "--464xlat", "--ipv6-only", "--", "sh", "-c",
                           "curl -sS --retry 9 --retry-connrefused http://$CELLBED_BASE:8000/client.py")
        finally:
            server.kill()
            server.wait()
    assert done.stdout == CLIENT


def test_tayga_of_root_is_nobody(user):
    # That of the UE: those of other tests have other networks.
    script = "for pid in $(pgrep --ns $$ --nslist net -x tayga); do grep -E '^(Uid|CapEff):' /proc/$pid/status; done"
    done = cellbed("link", "--464xlat", "--", "sh", "-c", script)
    nobody = ["Uid:", *4 * [str(user.account.pw_uid)], "CapEff:", f"{0:016x}"]
    assert done.stdout.split() == nobody


@pytest.mark.parametrize("who", ["root", "ordinary"])
@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_it(user, who, sig):
    with nothing_left():
        words = [CELLBED, "link", "--464xlat", "--serve", "sleep 1000", "--", "sh", "-c", "echo ready; read end"]
        options = user.options if who == "ordinary" else {"cwd": user.folder}
        link = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                start_new_session=True, **options)
        assert link.stdout.readline() == "ready\n"
        assert sum(said.split("/")[-1].startswith("tayga ") or "/tayga " in said
                   for said in descendants().values()) >= 2
        os.kill(link.pid, sig)
        link.communicate()
        if sig == signal.SIGKILL:
            cellbed("clean", **options)


@pytest.mark.parametrize(("words", "why"), [
    (["--ipv4-only"], "--464xlat and --ipv4-only exclude each other; give one of them"),
    (["d2d"], "link: --464xlat: allowed in links with a server; two UEs have nothing but the radio between them"),
])
def test_what_does_not_fit_is_one_line(words, why):
    done = cellbed("link", *words, "--464xlat", "--", "true", check=False)
    assert (done.returncode, done.stderr) == (125, f"cellbed: {why}\n")


def test_what_is_missing_is_one_line(tmp_path, monkeypatch):
    """On a machine without tayga, and where it gets no interface."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    command = [CELLBED, "link", "--464xlat", "--", "true"]
    hide = 'mount --bind /dev/null "$0" && exec "$@"'
    done = subprocess.run(["unshare", "--mount", "sh", "-c", hide, programs.find("tayga"), *command],
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        125, "cellbed: key 'nodes.ue1.clat': needs tayga; install it with `apt-get install tayga`\n")
    why = "Unable to attach tun device nat64, aborting: Operation not permitted"
    (tmp_path / "tayga").write_text(f"#!/bin/sh\necho '{why}'\nexit 1\n")
    (tmp_path / "tayga").chmod(0o755)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (125, f"cellbed: node enb: tayga makes no interface: {why}\n")


def test_readers_know_the_labs_addresses():
    assert (translation.PREFIX, translation.HOST) == (xlat.PREFIX, xlat.HOST)


def test_a_family_that_there_is_not_in_python():
    with pytest.raises(CellbedError, match="Link: family 'ipx': allowed None, 'ipv4', 'ipv6', '464xlat'"):
        Link("good", family="ipx")


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace delays a call, and is not installed")
def test_the_mtu_of_ipv6_is_read_before_that_of_ipv4_is_set(tmp_path):
    """Also by a translator that takes long between making its interface and reading the MTU."""
    calls = tmp_path / "calls"
    # The PID namespace ends with strace, which alone would leave the translator behind.
    slow = ["unshare", "--pid", "--fork", "--kill-child", "strace", "-f", "-o", str(calls), "-e", "trace=ioctl",
            "-e", "inject=ioctl:delay_exit=500000:when=1"]
    with subprocess.Popen(["unshare", "--net", "sleep", "60"]) as node, contextlib.ExitStack() as stack:
        stack.callback(node.kill)
        wait_until(lambda: os.readlink(f"/proc/{node.pid}/ns/net") != os.readlink("/proc/self/ns/net"), "a network")
        one = xlat.at_ends([("ue", "translator", "radio", 1500), ("far", "translator", "radio", 1500)])[0]
        xlat.start(stack, [one._replace(turns=(), mends=False)], {"ue": node.pid}, tmp_path, tmp_path / "log",
                   rootless=False, by=slow)
        with in_netns(node.pid):
            assert "mtu 1472" in subprocess.run(["ip", "link", "show", "translator"], capture_output=True, text=True,
                                                check=True).stdout
    assert "ifr_mtu=1500" in calls.read_text()


def test_interfaces_are_gone_when_translators_were_stopped():
    with subprocess.Popen(["unshare", "--net", "sleep", "60"]) as node, contextlib.ExitStack() as stack:
        stack.callback(node.kill)
        wait_until(lambda: os.readlink(f"/proc/{node.pid}/ns/net") != os.readlink("/proc/self/ns/net"), "a network")
        one = xlat.at_ends([("ue", "translator", "radio", 1500), ("far", "translator", "radio", 1500)])[0]
        for _ in range(5):
            translators = Translators([one._replace(turns=())], {"ue": node.pid})
            translators.start()
            translators.stop()
            with in_netns(node.pid):
                assert [name for _, name in socket.if_nameindex()] == ["lo"]
