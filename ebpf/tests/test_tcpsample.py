# SPDX-License-Identifier: GPL-2.0-or-later
"""tcpsample against TCP_INFO of the same sockets, of IPv4 and of IPv6 that talks IPv4, in a namespace of the test."""

import contextlib
import json
import os
import socket
import struct
import subprocess
import time
from pathlib import Path

import pytest

from cellbed.host import namespaces
from cellbed.host.netns import in_netns
from cellbed.host.process import start_ready
from cellbed.host.rtnetlink import Rtnetlink
from cellbed_formats.trace import read_header, read_trace

ROOT = Path(__file__).resolve().parents[2]
TCPSAMPLE = Path(os.environ.get("CELLBED_BUILD", ROOT / "build")) / "ebpf/tcpwatch/tcpsample"
needs_namespaces = pytest.mark.skipif(os.geteuid() != 0, reason="namespaces of the test need root")
INTERVAL_US = 2000


@contextlib.contextmanager
def connected():
    """Both ends of a connection in this namespace; the server is one of IPv6, as of most programs."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("::", 7000), family=socket.AF_INET6, dualstack_ipv6=True))
        client = stack.enter_context(socket.create_connection(("127.0.0.1", 7000)))
        server = stack.enter_context(listener.accept()[0])
        yield client, server


def info(sock):
    """What TCP_INFO says that samples have, too."""
    u32 = struct.unpack_from("<24I", sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104), 8)
    return {"mss": u32[2], "packets_out": u32[4], "srtt_us": u32[15], "mdev_us": u32[16], "snd_ssthresh": u32[17],
            "snd_cwnd": u32[18], "total_retrans": u32[23]}


@needs_namespaces
def test_samples_are_what_tcp_info_says(tmp_path):
    with namespaces.holding(1) as (pid,):
        probe = start_ready("tcpsample", lambda fd: [
            TCPSAMPLE, "--output", tmp_path / "tcp.trace", "--stats", tmp_path / "tcp.json", "--ready-fd", str(fd),
            "--interval", str(INTERVAL_US), f"/proc/{pid}/ns/net"], tmp_path / "log")
        with in_netns(pid), Rtnetlink() as network:
            network.set_up("lo")
            with connected() as (client, server):
                port = client.getsockname()[1]
                server.settimeout(10)
                for _ in range(20):
                    client.sendall(bytes(10_000))
                    server.recv(10_000, socket.MSG_WAITALL)
                time.sleep(0.1)  # nothing is in flight any more
                told = {port: info(client), 7000: info(server)}
                time.sleep(0.1)
        probe.stop()
    assert read_header(tmp_path / "tcp.trace").symbols["kind"] == {0: "none", 7: "sample"}
    samples = read_trace(tmp_path / "tcp.trace", "tcp")
    stats = json.loads((tmp_path / "tcp.json").read_text())
    assert stats == {"samples": len(samples), "lost": 0, "by_kind": {"sample": len(samples)},
                     "interval_us": INTERVAL_US}
    for sport, wanted in told.items():
        rows = samples.filter(sport=sport).filter(state=1)  # TCP_ESTABLISHED
        last = rows.row(-1, named=True)
        assert {name: last[name] for name in wanted} == wanted
        assert last["saddr"] == last["daddr"] == 0x7F000001
        assert last["delivered"] > 0 or sport == 7000
        assert len(rows) > 2 and rows["t_ns"].is_sorted()
    assert set(samples["sport"]) == {port, 7000}  # what only listens has nothing to tell


@pytest.mark.parametrize(("option", "allowed", "values"), [
    ("interval", "1000..60000000", ["10ms", "999", "60000001", "-1", ""]),
    ("ready-fd", "0..2147483647", ["one", "-1"]),
])
def test_a_number_is_read_to_its_end(tmp_path, option, allowed, values):
    for value in values:
        done = subprocess.run([TCPSAMPLE, "--output", tmp_path / "x", "--stats", tmp_path / "x", f"--{option}", value,
                               "/proc/self/ns/net"], capture_output=True, text=True, timeout=20, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith(f"tcpsample: --{option}: value '{value}': allowed whole numbers, {allowed}\n")
    assert not (tmp_path / "x").exists()


@needs_namespaces
def test_a_namespace_that_is_not_there(tmp_path):
    done = subprocess.run([TCPSAMPLE, "--output", tmp_path / "x", "--stats", tmp_path / "x", "/proc/self/ns/none"],
                          capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stderr) == (1, "tcpsample: /proc/self/ns/none: No such file or directory\n")
