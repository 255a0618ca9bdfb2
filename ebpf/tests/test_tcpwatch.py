# SPDX-License-Identifier: GPL-2.0-or-later
"""tcpwatch against known workloads and against TCP_INFO, over a veth between two namespaces of the test."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cellbed.host import cgroup
from cellbed.host.netns import enter_netns
from cellbed.host.process import start_ready
from cellbed_formats.trace import read_header, read_trace

ROOT = Path(__file__).resolve().parents[2]
TCPWATCH = Path(os.environ.get("CELLBED_BUILD", ROOT / "build")) / "ebpf/tcpwatch/tcpwatch"
# The kernel tells processes by their number in the first pid namespace. Source: linux/proc_ns.h, PROC_PID_INIT_INO
IN_A_PID_NAMESPACE = os.stat("/proc/self/ns/pid").st_ino != 0xEFFFFFFC
# Of struct tcpwatch_event, in tcpwatch.h.
ROW_BYTES, RESERVED_BYTES = 128, 12
N_WRITES = 101  # prime, and no size twice

pytestmark = pytest.mark.skipif(os.geteuid() != 0 or cgroup.mount_point() is None,
                                reason="the probe needs root and cgroup v2")

# Runs in the namespace and cgroup of the sender; tells TCP_INFO at quiet points on stdout.
SENDER = """
import json, os, socket, struct, sys
os.write(1, b"ready\\n"); sys.stdin.readline()
s = socket.create_connection(("10.99.0.2", 7000))
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for size in json.loads(sys.argv[1]):
    s.sendall(bytes(size))
    s.recv(1)  # the receiver has it all: nothing is in flight
info = s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
u32 = struct.unpack_from("<24I", info, 8)
print(json.dumps({"mss": u32[2], "unacked": u32[4], "lost": u32[6], "rtt": u32[15], "ssthresh": u32[17],
                  "cwnd": u32[18], "total_retrans": u32[23]}), flush=True)
s.close()
"""

RECEIVER = """
import json, os, socket, sys
l = socket.create_server(("10.99.0.2", 7000))
os.write(1, b"ready\\n")
c, _ = l.accept()
c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for size in json.loads(sys.argv[1]):
    while size:
        size -= len(c.recv(min(size, 65536)))
    c.sendall(b"!")
c.recv(1)
"""


def inside(name):
    """What runs a program in a network namespace; `ip -n` wants a root that is a mount point, as no chroot's is."""
    return ["nsenter", f"--net=/run/netns/{name}"]


@pytest.fixture
def network():
    """Two namespaces joined by a veth, offloads off. Gives their names."""
    names = [f"cbt{os.getpid()}a", f"cbt{os.getpid()}b"]
    commands = [f"netns add {names[0]}", f"netns add {names[1]}",
                f"link add v0 netns {names[0]} type veth peer name v0 netns {names[1]}"]
    with contextlib.ExitStack() as stack:
        for name in names:
            stack.callback(subprocess.run, ["ip", "netns", "del", name], check=False)
        for command in commands:
            subprocess.run(["ip", *command.split()], check=True)
        for i, name in enumerate(names):
            for command in (f"addr add 10.99.0.{i + 1}/24 dev v0", "link set v0 up", "link set lo up"):
                subprocess.run([*inside(name), "ip", *command.split()], check=True)
            subprocess.run([*inside(name), "ethtool", "-K", "v0", "gso", "off", "tso", "off", "gro", "off"],
                           check=True, capture_output=True)
        yield names


@pytest.fixture
def group():
    path = cgroup.create(f"test.{os.getpid()}")
    yield path
    cgroup.remove(path)


def spawn(name, group, script, sizes):
    """A Python program in a namespace and in the cgroup."""
    fd = os.open(f"/run/netns/{name}", os.O_RDONLY)

    def enter():
        enter_netns(fd)
        (group / "cgroup.procs").write_text(str(os.getpid()))

    process = subprocess.Popen([sys.executable, "-c", script, json.dumps(sizes)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True, preexec_fn=enter)
    os.close(fd)
    assert process.stdout.readline() == "ready\n"
    return process


def watch(tmp_path, network, group, sizes, *options, during=None, asleep=False):
    """Run the workload under the probe. Return: (trace as rows of the data connection, tcp.json, TCP_INFO).

    asleep: the probe reads nothing before the workload is over.
    """
    probe = start_ready("tcpwatch", lambda fd: [
        str(TCPWATCH), "--cgroup", str(group), "--output", str(tmp_path / "tcp.trace"), "--stats",
        str(tmp_path / "tcp.json"), "--ready-fd", str(fd), *options], tmp_path / "log")
    try:
        receiver = spawn(network[1], group, RECEIVER, sizes)
        sender = spawn(network[0], group, SENDER, sizes)
        if asleep:
            probe.popen.send_signal(signal.SIGSTOP)
        sender.stdin.write("\n")
        sender.stdin.flush()
        if during:
            during()
        info = json.loads(sender.stdout.readline())
        assert sender.wait(30) == 0
        assert receiver.wait(30) == 0
        probe.popen.send_signal(signal.SIGCONT)
        probe.stop(signal.SIGTERM)
    finally:
        probe.kill()
    rows = read_trace(tmp_path / "tcp.trace").to_dicts()
    return rows, json.loads((tmp_path / "tcp.json").read_text()), info


SIZES = [1 + 13 * i for i in range(N_WRITES)]


def test_every_segment_once(tmp_path, network, group):
    """A write smaller than the MSS with TCP_NODELAY is one segment; each is seen leaving and arriving."""
    rows, stats, _ = watch(tmp_path, network, group, SIZES)
    assert stats["lost"] == 0
    assert stats["samples"] == len(rows) == sum(stats["by_kind"].values())
    for kind, port in (("segment_out", "dport"), ("segment_in", "sport")):
        lengths = [r["len"] for r in rows if r["kind"] == kind and r[port] == 7000 and r["len"] > 0]
        assert lengths == SIZES


def test_agrees_with_tcp_info(tmp_path, network, group):
    """The last RTT sample before the FIN says what the sender's TCP_INFO said then."""
    rows, _, info = watch(tmp_path, network, group, SIZES)
    fin_ns = min(r["t_ns"] for r in rows if r["kind"] == "segment_out" and r["dport"] == 7000 and r["tcp_flags"] & 1)
    last = [r for r in rows if r["kind"] == "rtt" and r["dport"] == 7000 and r["t_ns"] < fin_ns][-1]
    assert last["srtt_us"] == pytest.approx(info["rtt"], abs=2)  # the hook sees it before it is rounded
    assert last["snd_cwnd"] == pytest.approx(info["cwnd"], abs=1)  # the ACK of the sample may still raise it
    assert last["snd_ssthresh"] == info["ssthresh"]
    assert last["mss"] == info["mss"]
    assert last["total_retrans"] == info["total_retrans"] == 0


def test_what_no_field_has_is_zero(tmp_path, network, group):
    """Also where the ring buffer had another row before, as it has four times over here."""
    rows, _, _ = watch(tmp_path, network, group, [20_000] * 40, "--ringbuf-bytes", "16384")
    assert len(rows) > 4 * 16384 / ROW_BYTES
    data = (tmp_path / "tcp.trace").read_bytes()
    rest = [data[at - RESERVED_BYTES:at] for at in range(len(data), len(data) - len(rows) * ROW_BYTES, -ROW_BYTES)]
    assert set(rest) == {bytes(RESERVED_BYTES)}


def test_fields_mean_what_they_say(tmp_path, network, group):
    """One write at a time is in flight: what each sample of the sender has to say follows from what was written."""
    before_ns = time.time_ns()
    rows, _, info = watch(tmp_path, network, group, SIZES)
    to_epoch_ns = read_header(tmp_path / "tcp.trace").realtime_offset_ns
    assert before_ns < rows[0]["t_ns"] + to_epoch_ns < rows[-1]["t_ns"] + to_epoch_ns < time.time_ns()

    sent = [r for r in rows if r["dport"] == 7000]
    received = [r for r in rows if r["sport"] == 7000]
    (cookie,) = {r["cookie"] for r in sent if r["sport"]}
    assert cookie not in {r["cookie"] for r in received}
    assert {(r["saddr"], r["daddr"]) for r in sent} == {(0x0a630001, 0x0a630002)}
    assert {(r["saddr"], r["daddr"]) for r in received if r["daddr"]} == {(0x0a630002, 0x0a630001)}
    assert [r["arg"] for r in sent if r["kind"] == "state"][:2] == [1, 4]  # ESTABLISHED, FIN-WAIT-1

    (syn,) = (r for r in sent if r["kind"] == "segment_out" and r["tcp_flags"] == 0x02)
    (syn_ack,) = (r for r in sent if r["kind"] == "segment_in" and r["tcp_flags"] == 0x12)
    assert syn_ack["ack"] == (syn["seq"] + 1) % 2**32
    segments = [r for r in sent if r["kind"] == "segment_out" and r["len"]]
    at = 1
    for i, segment in enumerate(segments):
        assert segment["tcp_flags"] == 0x18  # PSH, ACK
        assert segment["seq"] == segment["snd_una"] == segment["snd_nxt"] == (syn["seq"] + at) % 2**32
        assert segment["ack"] == segment["rcv_nxt"] == (syn_ack["seq"] + 1 + i) % 2**32
        assert (segment["packets_out"], segment["lost_out"], segment["sacked_out"], segment["retrans_out"]) == (0,) * 4
        assert segment["delivered"] == 1 + i  # the SYN, and one write after the other
        assert (segment["state"], segment["mss"]) == (1, info["mss"])
        at += segment["len"]
    answers = [r for r in sent if r["kind"] == "segment_in" and r["len"]]
    assert {r["packets_out"] for r in answers} <= {0, 1} and {r["state"] for r in answers} == {1}
    assert answers[-1]["ack"] == (syn["seq"] + at) % 2**32
    samples = [r for r in sent if r["kind"] == "rtt" and r["state"] == 1]
    assert samples
    for sample in samples:
        assert 0 < sample["min_rtt_us"] <= sample["rtt_us"] and sample["srtt_us"] > 0
        assert 0 <= (sample["snd_nxt"] - sample["snd_una"]) % 2**32 <= max(SIZES)
        assert 0 < (sample["rcv_nxt"] - syn_ack["seq"]) % 2**32 <= N_WRITES + 1


def test_flows_have_their_programs(tmp_path, network, group):
    """Both sockets of a connection, each with who made it; an accepted one with who listens."""
    _, stats, _ = watch(tmp_path, network, group, SIZES)
    sent, received = stats["flows"]
    assert (sent["protocol"], sent["saddr"], sent["dport"]) == ("tcp", "10.99.0.1", 7000)
    assert (received["saddr"], received["sport"], received["dport"]) == ("10.99.0.2", 7000, sent["sport"])
    assert sent["sent_bytes"] == received["received_bytes"] > sum(SIZES) + 20 * N_WRITES
    assert sent["received_pkts"] == received["sent_pkts"] > N_WRITES
    assert sent["program"] == received["program"] == Path(sys.executable).name[:15]
    assert sent["pid"] != received["pid"] and "command" not in sent
    assert stats["uncounted_pkts"] == 0


DATAGRAMS = """
import os, socket, sys
os.write(1, b"ready\\n"); sys.stdin.readline()
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for size in (0, 1, 1000):
    s.sendto(bytes(size), ("10.99.0.2", 9))
"""


def test_datagrams_of_a_command(tmp_path, network, group):
    """Of UDP there is nothing in tcp.trace; what sends it is told by the cgroup inside the run's."""
    part = group / "one"
    part.mkdir()
    probe = start_ready("tcpwatch", lambda fd: [
        str(TCPWATCH), "--cgroup", str(group), "--output", str(tmp_path / "tcp.trace"), "--stats",
        str(tmp_path / "tcp.json"), "--ready-fd", str(fd)], tmp_path / "log")
    try:
        sender = spawn(network[0], part, DATAGRAMS, [])
        sender.communicate("\n", timeout=30)
        probe.stop(signal.SIGTERM)
    finally:
        probe.kill()
    (flow,) = json.loads((tmp_path / "tcp.json").read_text())["flows"]
    assert (flow["protocol"], flow["daddr"], flow["dport"]) == ("udp", "10.99.0.2", 9)
    assert (flow["sent_pkts"], flow["sent_bytes"], flow["received_pkts"]) == (3, 3 * 28 + 1001, 0)
    assert flow["command"] == "one"
    assert flow["pid"] == sender.pid or IN_A_PID_NAMESPACE and flow["pid"] > 0


def received_bytes(name):
    """What the interface in namespace `name` has received so far."""
    links = subprocess.run([*inside(name), "ip", "-s", "-j", "link", "show", "v0"], check=True, capture_output=True)
    return json.loads(links.stdout)[0]["stats64"]["rx"]["bytes"]


def test_retransmissions_are_counted(tmp_path, network, group):
    """A link that is down for a moment: as many retransmissions in the samples as in TCP_INFO."""
    def interrupt():
        while received_bytes(network[1]) < 1_000_000:
            time.sleep(0.01)
        subprocess.run([*inside(network[1]), "ip", "link", "set", "v0", "down"], check=True)
        time.sleep(0.3)  # longer than Linux's minimum RTO, so that the timer fires if nothing else does
        subprocess.run([*inside(network[1]), "ip", "link", "set", "v0", "up"], check=True)

    # The data take over a second: a link without a bound may have carried them before it goes down.
    subprocess.run([*inside(network[0]), "tc", "qdisc", "add", "dev", "v0", "root", "tbf", "rate", "200mbit", "burst",
                    "64kb", "latency", "100ms"], check=True)
    rows, _, info = watch(tmp_path, network, group, [30_000_000], during=interrupt)
    again = sum(r["arg"] for r in rows if r["kind"] == "retransmit" and r["dport"] == 7000)
    assert info["total_retrans"] > 0
    assert again == info["total_retrans"]
    assert max(r["total_retrans"] for r in rows) == info["total_retrans"]
    for r in rows:
        if r["kind"] == "retransmit" and r["dport"] == 7000:
            assert 0 <= (r["seq"] - r["snd_una"]) % 2**32 <= (r["snd_nxt"] - r["snd_una"]) % 2**32
    assert [r["arg"] for r in rows if r["kind"] == "rto" and r["dport"] == 7000][:2] == [0, 1]


def advertised(folder, network, group, *options):
    """Windows of the receiver's segments after the SYN-ACK; window scaling is off."""
    folder.mkdir()
    rows, _, _ = watch(folder, network, group, [3_000_000], *options)
    return [r["snd_wnd"] for r in rows if r["kind"] == "segment_out" and r["sport"] == 7000 and not r["tcp_flags"] & 2]


@pytest.mark.parametrize("window", [8192, 20000])
def test_receive_window_is_held(tmp_path, network, group, window):
    """The receiver never advertises more, although autotuning would: without the option it does."""
    for name in network:
        subprocess.run([*inside(name), "sysctl", "-qw", "net.ipv4.tcp_window_scaling=0"], check=True)
    # The SYN-ACK's window is the route's business; what it allows may still be there a few segments later.
    held = advertised(tmp_path / "held", network, group, "--receive-window", str(window))
    assert max(held[len(held) // 10:]) <= window
    assert max(advertised(tmp_path / "free", network, group)) > window


def windows(folder, network, group, *options):
    """Congestion windows of the sender's segments."""
    folder.mkdir()
    rows, _, _ = watch(folder, network, group, [3_000_000], *options)
    return [r["snd_cwnd"] for r in rows if r["kind"] == "segment_out" and r["dport"] == 7000]


def test_congestion_window_is_bounded(tmp_path, network, group):
    """It grows to the bound and no further; without the option it goes beyond."""
    assert max(windows(tmp_path / "bounded", network, group, "--cwnd-max", "14")) == 14
    assert max(windows(tmp_path / "free", network, group)) > 14


def test_lost_samples_are_reported(tmp_path, network, group):
    """A ring of one page holds a few samples; the rest is counted as lost, none vanishes: what arrives is one each."""
    rows, stats, _ = watch(tmp_path, network, group, [2_000_000], "--ringbuf-bytes", "4096", asleep=True)
    assert stats["lost"] > 0
    assert stats["samples"] == len(rows)
    assert stats["samples"] + stats["lost"] > sum(flow["received_pkts"] for flow in stats["flows"])
    assert f"{stats['lost']} samples lost" in (tmp_path / "log").read_text()


@pytest.mark.parametrize(("args", "status", "message"), [
    ([], 2, "usage"),
    (["--cgroup", "/proc", "--output", "OUT", "--stats", "OUT"], 1, "cgroup /proc: not a cgroup v2 directory"),
    (["--cgroup", "/nowhere", "--output", "OUT", "--stats", "OUT"], 1, "cgroup /nowhere: No such file"),
    (["--cgroup", "GROUP", "--output", "/nowhere/x", "--stats", "OUT"], 1, "/nowhere/x: No such file"),
    (["--cgroup", "GROUP", "--output", "OUT", "--stats", "OUT", "--ringbuf-bytes", "5000"], 2, "powers of two"),
    (["--cgroup", "GROUP", "--output", "OUT", "--stats", "OUT", "spare"], 2, "usage"),
])
def test_wrong_use(tmp_path, group, args, status, message):
    args = [str(group) if a == "GROUP" else str(tmp_path / "x") if a == "OUT" else a for a in args]
    done = subprocess.run([TCPWATCH, *args], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == status
    assert message in done.stderr


def test_a_full_disk_is_an_error(tmp_path, group):
    probe = start_ready("tcpwatch", lambda fd: [
        str(TCPWATCH), "--cgroup", str(group), "--output", "/dev/full", "--stats", str(tmp_path / "s"), "--ready-fd",
        str(fd)], tmp_path / "log")
    probe.popen.send_signal(signal.SIGTERM)
    assert probe.popen.wait(10) == 1
    assert "/dev/full: No space left on device" in (tmp_path / "log").read_text()


@pytest.mark.parametrize(("option", "allowed", "values"), [
    ("receive-window", "1..1073741824", ["64KiB", "0", "1073741825", "-1", "", " 1", "0x10", "1e3"]),
    ("cwnd-max", "1..2147483647", ["14 packets", "0", "2147483648", "4294967310"]),
    ("segment-interval", "0..4294967295", ["1ms", "4294967296", "+1"]),
    ("ringbuf-bytes", "4096..1073741824", ["8MiB", "4095", "2147483648", "18446744073709559808"]),
    ("ready-fd", "0..2147483647", ["one", "-1", "2147483648"]),
])
def test_a_number_is_read_to_its_end(tmp_path, group, option, allowed, values):
    for value in values:
        done = subprocess.run([TCPWATCH, "--cgroup", group, "--output", tmp_path / "x", "--stats", tmp_path / "x",
                               f"--{option}", value], capture_output=True, text=True, timeout=20, check=False)
        assert done.returncode == 2
        assert done.stderr == f"tcpwatch: --{option}: value '{value}': allowed whole numbers, {allowed}\n"
    assert not (tmp_path / "x").exists()
