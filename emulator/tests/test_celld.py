# SPDX-License-Identifier: GPL-2.0-or-later
"""celld between two network namespaces."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from celldconfig import CELLD, CELLSIM, config
from channelfile import write_channel
from tracereader import read_trace

from cellbed.host.process import start_ready

SANITIZED = b"__asan_init" in CELLD.read_bytes()
needs_tun = pytest.mark.skipif(os.geteuid() != 0 or not os.access("/dev/net/tun", os.W_OK),
                               reason="TUN devices in namespaces need root and /dev/net/tun")


@pytest.fixture
def namespaces():
    names = [f"cbd{os.getpid()}{x}" for x in "ab"]
    with contextlib.ExitStack() as stack:
        for name in names:
            subprocess.run(["ip", "netns", "add", name], check=True)
            stack.callback(subprocess.run, ["ip", "netns", "del", name], check=True)
            subprocess.run(["ip", "netns", "exec", name, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1",
                            "net.ipv6.conf.default.disable_ipv6=1"], check=False)
        yield names


# A program's arguments follow: it is run where io_uring is forbidden, as in many containers.
FORBID_IO_URING = """
import ctypes, os, struct, sys
load, equal, end, io_uring_setup, errno, allow = 0x20, 0x15, 0x06, 425, 0x50000 | 38, 0x7FFF0000
code = b"".join(struct.pack("HBBI", *one) for one in
                [(load, 0, 0, 0), (equal, 0, 1, io_uring_setup), (end, 0, 0, errno), (end, 0, 0, allow)])
code = ctypes.create_string_buffer(code)
program = struct.pack("HxxxxxxP", 4, ctypes.addressof(code))
assert ctypes.CDLL(None).prctl(22, 2, program) == 0  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
os.execv(sys.argv[1], sys.argv[1:])
"""


@contextlib.contextmanager
def daemon(path, names, before=()):
    """celld, running, with addresses 10.98.0.1 and .2 on its devices; @before: arguments before its own."""
    process = start_ready("celld", lambda fd: [*before, str(CELLD), "--config", str(path), "--ready-fd", str(fd)],
                          path.parent / "log")
    try:
        for i, name in enumerate(names):
            subprocess.run(["ip", "-n", name, "addr", "add", f"10.98.0.{i + 1}/24", "dev", "lte0"], check=True)
        yield process
    finally:
        process.kill()


def ping(name, count):
    return subprocess.run(["ip", "netns", "exec", name, "ping", "-q", "-c", str(count), "-i", "0.05", "10.98.0.2"],
                          capture_output=True, text=True, check=False)


# Datagrams to a port that nobody has, so many seconds apart.
SEND = """
import socket, sys, time
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
    for _ in range(1000):
        sender.sendto(bytes(100), ("10.98.0.2", 9))
        time.sleep(float(sys.argv[1]))
"""


@needs_tun
@pytest.mark.parametrize("mode", ["dm", "im"])
def test_packets_cross_and_cellsim_repeats_them(tmp_path, namespaces, mode):
    path = config(tmp_path, mode)
    with daemon(path, namespaces) as celld:
        assert "11 received" in ping(namespaces[0], 11).stdout
        celld.stop(signal.SIGTERM)
    stats = json.loads((tmp_path / "stats.json").read_text())
    assert stats["pkts_in"] == stats["pkts_delivered"] == 22
    assert stats["ports"]["ue1"] == {"ifname": "lte0", "read_pkts": 11, "write_pkts": 11, "write_errors": 0,
                                     "tun_tx_dropped": 0, "refused_pkts": {"not_ipv4": 0, "oversize": 0}}
    assert stats["lateness"]["count"] == sum(n for _, n in stats["lateness"]["histogram"])
    assert not (tmp_path / "control").exists()
    subprocess.run([CELLSIM, "--config", path, "--arrivals", tmp_path / "arrivals.txt", "--out", tmp_path / "sim"],
                   check=True)
    assert (tmp_path / "sim/deliveries.txt").read_bytes() == (tmp_path / "deliveries.txt").read_bytes()


@needs_tun
@pytest.mark.parametrize("before", [(), (sys.executable, "-c", FORBID_IO_URING)], ids=["io_uring", "ppoll"])
def test_packets_of_each_subframe_cross(tmp_path, namespaces, before):
    """So many that they are gathered; where io_uring is forbidden a call for each does the same."""
    path = config(tmp_path)
    with daemon(path, namespaces, before) as celld:
        used = [os.readlink(one) for one in Path(f"/proc/{celld.popen.pid}/fd").iterdir()]
        assert ("anon_inode:[io_uring]" in used) is not bool(before)
        subprocess.run(["ip", "netns", "exec", namespaces[0], sys.executable, "-c", SEND, "0.0005"],
                       check=True)
        assert "1 received" in ping(namespaces[0], 1).stdout  # behind the others
        celld.stop(signal.SIGTERM)
    stats = json.loads((tmp_path / "stats.json").read_text())
    assert stats["pkts_in"] == stats["pkts_delivered"] > 1000
    assert stats["lateness"]["count"] > 0
    lines = [line.split() for line in (tmp_path / "arrivals.txt").read_text().splitlines()]
    assert sum(int(line[0]) % 1_000_000 == 0 for line in lines) > 100  # arrived at the end of a sub-frame
    subprocess.run([CELLSIM, "--config", path, "--arrivals", tmp_path / "arrivals.txt", "--out", tmp_path / "sim"],
                   check=True)
    assert (tmp_path / "sim/deliveries.txt").read_bytes() == (tmp_path / "deliveries.txt").read_bytes()


@needs_tun
def test_over_recorded_links_single_packets_keep_their_times(tmp_path, namespaces):
    """One that had to wait for the sub-frame's end would miss the opportunity that comes then."""
    cell = {"system": "packet_trace", "packet_trace": {"uplink": [1] * 9, "downlink": [1] * 9, "queue_pkts": 9999},
            "ues": [{"name": "ue1", "peer": "network", "mode": "im"}]}
    ports = [{"ue": "ue1", "side": side, "netns": f"/run/netns/{name}", "ifname": "lte0"}
             for side, name in zip(("ue", "network"), namespaces, strict=True)]
    with daemon(config(tmp_path, cell=cell, ports=ports), namespaces) as celld:
        subprocess.run(["ip", "netns", "exec", namespaces[0], sys.executable, "-c", SEND, "0.0012"], check=True)
        celld.stop(signal.SIGTERM)
    times = [int(line.split()[0]) for line in (tmp_path / "arrivals.txt").read_text().splitlines()]
    assert len(times) > 1000
    assert sum(t_ns % 1_000_000 == 0 for t_ns in times) < len(times) / 2  # more only on a machine that stalls


@needs_tun
def test_more_devices_than_a_batch_of_reads(tmp_path, namespaces):
    """Forty UEs, each with its network side: packets of the last one cross too."""
    ues = range(1, 41)
    cell = {"ues": [{"name": f"ue{i}", "peer": "network", "mode": "im"} for i in ues]}
    ports = [{"ue": f"ue{i}", "side": side, "netns": f"/run/netns/{name}", "ifname": f"lte{40 - i}"}
             for i in ues for side, name in zip(("ue", "network"), namespaces, strict=True)]
    path = config(tmp_path, cell=cell, ports=ports)
    with daemon(path, namespaces) as celld:
        assert "11 received" in ping(namespaces[0], 11).stdout
        celld.stop(signal.SIGTERM)
    assert json.loads((tmp_path / "stats.json").read_text())["ports"]["ue40"]["read_pkts"] == 11


@needs_tun
def test_no_record_of_a_channel_trace_is_lost(tmp_path, namespaces):
    """Of 100 UEs at three times, while packets come as well."""
    ues = [{"name": f"ue{i}", "peer": "network", "mode": "im"} for i in range(1, 101)]
    records = [(t, ue, way, 1 + (ue + way + t) % 15) for t in (0, 1, 400) for ue in range(1, 101) for way in range(3)]
    write_channel(tmp_path / "channel", records)
    ports = [{"ue": "ue1", "side": side, "netns": f"/run/netns/{name}", "ifname": "lte0"}
             for side, name in zip(("ue", "network"), namespaces, strict=True)]
    path = config(tmp_path, cell={"ues": ues}, ports=ports, channel=str(tmp_path / "channel"),
                  output={"trace": str(tmp_path / "radio.trace")})
    with daemon(path, namespaces) as celld:
        assert "11 received" in ping(namespaces[0], 11).stdout
        celld.stop(signal.SIGTERM)
    rows = [r for r in read_trace(tmp_path / "radio.trace") if r["event"] == "channel"]
    assert [(r["node"] or r["peer"], r["cqi"]) for r in rows] == [(ue, cqi) for _, ue, _, cqi in records]
    times = [(r["t_ns"] - rows[0]["t_ns"]) / 10**6 for r in rows]
    assert times == [t for t, *_ in records]


@needs_tun
def test_a_mode_that_a_ue_has_not_is_refused(tmp_path, namespaces):
    cell = {"ues": [{"name": name, "peer": "network", "mode": "im"} for name in ("ue1", "ue2")]}
    with daemon(config(tmp_path, cell=cell), namespaces), socket.socket(socket.AF_UNIX) as client:
        client.connect(str(tmp_path / "control"))
        client.sendall(b'{"cmd": "route", "ue": "ue1", "mode": "dm"}\n')
        assert json.loads(client.recv(200)) == {"ok": False, "error": "this UE has no such mode"}


@needs_tun
def test_control_socket(tmp_path, namespaces):
    """Commands are answered line by line; garbage gets an error and does no harm."""
    with daemon(config(tmp_path), namespaces) as celld, socket.socket(socket.AF_UNIX) as client:
        client.connect(str(tmp_path / "control"))
        lines = client.makefile("rw")

        def ask(text):
            lines.write(text + "\n")
            lines.flush()
            return json.loads(lines.readline())

        assert ask('{"cmd": "stats"}')["cell"]["pkts_in"] == 0
        assert ask('{"cmd": "route", "ue": "ue1", "mode": "im"}') == {"ok": True}
        assert ask('{"cmd": "route", "ue": "ue7", "mode": "im"}')["error"] == "key 'ue': allowed the name of a UE"
        assert ask('{"cmd": "route", "ue": "ue1", "mode": "up"}')["error"] == "key 'mode': allowed im, dm"
        assert ask('{"cmd": "route", "ue": "ue1", "mode": "im", "t": 5}')["error"].startswith("unknown keys: allowed")
        assert ask('{"cmd": "stats", "ue": "ue1"}')["error"].startswith("unknown keys: allowed cmd, ")
        assert ask('{"cmd": "fly"}')["error"] == "key 'cmd': allowed stats, route, set, quit"
        assert ask("\x00\x01 no JSON")["error"] == "not a JSON object"
        assert "1 received" in ping(namespaces[0], 1).stdout
        after = ask('{"cmd": "stats"}')["cell"]
        assert after["ul"]["mac_pdus"] > 0 and after["dl"]["mac_pdus"] > 0  # ue1 now goes through the eNB
        lines.write("x" * 5000)
        lines.flush()
        assert json.loads(lines.readline())["error"] == "line too long"
        with socket.socket(socket.AF_UNIX) as second:
            second.connect(str(tmp_path / "control"))
            second.sendall(b'{"cmd": "quit"}\n')
            assert second.recv(100) == b'{"ok": true}\n'
        assert celld.popen.wait(10) == 0


def facts_of(pid):
    """/proc/PID/status as a dict."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {key: value.strip() for key, value in (line.split(":", 1) for line in lines)}


@needs_tun
@pytest.mark.parametrize("realtime", [False, True])
def test_privileges_are_given_up(tmp_path, namespaces, realtime):
    """Running celld has no capability and may open nothing; what it needs them for came before."""
    with daemon(config(tmp_path, realtime=realtime), namespaces) as celld:
        facts = facts_of(celld.popen.pid)
        assert {facts[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
        assert facts["NoNewPrivs"] == "1"
        assert facts["Seccomp"] == "2"
        assert (int(facts["VmLck"].split()[0]) > 0) is (realtime and not SANITIZED)  # which lock no memory
        assert (os.sched_getscheduler(celld.popen.pid) == os.SCHED_FIFO) is realtime
        assert "11 received" in ping(namespaces[0], 11).stdout
        celld.stop(signal.SIGTERM)
    stats = json.loads((tmp_path / "stats.json").read_text())
    assert stats["sandbox"] == {"capabilities": [], "seccomp": True}
    assert stats["ports"]["ue1"]["tun_tx_dropped"] == 0
    assert not (tmp_path / "control").exists()


@needs_tun
@pytest.mark.skipif(not SANITIZED, reason="celld is built without sanitizers; `make sanitized` has it with them")
def test_a_finding_of_a_sanitizer_is_told(tmp_path, namespaces):
    """Its filter lets the runtime say what it found and where; a signal is taken for a wild pointer."""
    with daemon(config(tmp_path), namespaces) as celld:
        celld.popen.send_signal(signal.SIGSEGV)
        assert celld.popen.wait(20) == 1
    said = (tmp_path / "log").read_text()
    assert "AddressSanitizer: SEGV" in said and "loop.c" in said


@needs_tun
def test_the_control_socket_is_its_users_own(tmp_path, namespaces):
    """Whatever the umask: another user may not connect, even where the folder lets everybody in."""
    for folder in [tmp_path, *tmp_path.parents]:
        if folder == tmp_path or folder.name.startswith("pytest-"):
            folder.chmod(0o755)
    umask = os.umask(0)
    try:
        with daemon(config(tmp_path), namespaces), socket.socket(socket.AF_UNIX) as client:
            assert (tmp_path / "control").stat().st_mode & 0o777 == 0o600
            os.seteuid(65534)
            with pytest.raises(PermissionError):
                client.connect(str(tmp_path / "control"))
            os.seteuid(0)
            client.connect(str(tmp_path / "control"))
    finally:
        os.seteuid(0)
        os.umask(umask)


GARBAGE = """
import random, socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM)
draw, sent = random.Random(int(sys.argv[1])), {4: 0, 6: 0}
header = bytes.fromhex("4500001c0001400040110000" "0a620001" "0a620002")
packets = [header[:n] for n in (1, 2, 8, 19)]  # cut short
packets += [b"\\x45" + bytes(19), b"\\x4f" + header[1:], b"\\x40" + header[1:]]  # lengths that lie
packets += [header[:6] + flags + header[8:] + bytes(8) for flags in (b"\\x20\\0", b"\\0\\x05", b"\\x3f\\xff")]
packets += [b"\\x60" + bytes(39), b"\\x60", b"\\0" * 60, b"\\xff" * 1500]  # IPv6, and nothing known
packets += [draw.randbytes(draw.randint(1, 1500)) for _ in range(60)]
for p in packets:
    s.sendto(p, ("lte0", 0x0800))
    sent[4 if p[0] >> 4 == 4 else 6] += 1
try:
    s.sendto(bytes(1501), ("lte0", 0x0800))
except OSError:
    pass
print(sent[4], sent[6])
"""


@needs_tun
@pytest.mark.parametrize("mode", ["dm", "im"])
def test_garbage_on_the_wire(tmp_path, namespaces, mode):
    """Malformed, fragmented and oversized packets: those of IPv4 cross as they are, the others are counted."""
    with daemon(config(tmp_path, mode), namespaces) as celld:
        done = subprocess.run(["ip", "netns", "exec", namespaces[0], sys.executable, "-c", GARBAGE, "7"],
                              capture_output=True, text=True, check=True)
        ipv4, others = map(int, done.stdout.split())
        assert "3 received" in ping(namespaces[0], 3).stdout
        celld.stop(signal.SIGTERM)
    stats = json.loads((tmp_path / "stats.json").read_text())
    refused = stats["ports"]["ue1"]["refused_pkts"]
    assert refused["not_ipv4"] == others and refused["oversize"] == 0
    assert stats["ports"]["ue1"]["read_pkts"] == ipv4 + others + 3
    assert stats["pkts_in"] == stats["pkts_delivered"] + sum(stats["pkts_dropped"].values())
    assert ipv4 > 10 and others > 10


@needs_tun
def test_a_device_that_vanishes_ends_the_daemon_with_a_message(tmp_path, namespaces):
    with daemon(config(tmp_path), namespaces) as celld:
        subprocess.run(["ip", "-n", namespaces[1], "link", "del", "lte0"], check=True)
        assert celld.popen.wait(10) == 1
    assert "reading lte0 of 'ue2'" in (tmp_path / "log").read_text()
    ports = json.loads((tmp_path / "stats.json").read_text())["ports"]
    assert [ports[name]["tun_tx_dropped"] for name in ("ue1", "ue2")] == [0, None]  # not known, rather than negative


@needs_tun
def test_a_full_disk_ends_the_daemon_with_a_message(tmp_path, namespaces):
    path = config(tmp_path, output={"trace": "/dev/full"})
    with daemon(path, namespaces) as celld:
        ping(namespaces[0], 2)
        celld.popen.send_signal(signal.SIGTERM)
        assert celld.popen.wait(10) == 1
    assert "/dev/full: No space left on device" in (tmp_path / "log").read_text()


@needs_tun
def test_missing_namespace(tmp_path):
    done = subprocess.run([CELLD, "--config", config(tmp_path)], capture_output=True, text=True, timeout=20,
                          check=False)
    assert done.returncode == 1
    assert "port of 'ue1'" in done.stderr
    assert "opening the network namespace: No such file or directory" in done.stderr
