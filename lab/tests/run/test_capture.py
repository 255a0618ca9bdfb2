# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of several namespaces by one process, read by the reader of bundles."""

import contextlib
import os
import shutil
import signal
import socket
import struct
import subprocess
import time

import pytest

from cellbed import paths
from cellbed.error import LabError
from cellbed.host import namespaces
from cellbed.host.netns import in_netns
from cellbed.host.rtnetlink import Rtnetlink
from cellbed.run.capture import HANDED_OVER_S, Captures

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root")

ADDRESSES = ("10.9.0.1", "10.9.0.2")
MACS = ("02:00:00:00:00:01", "02:00:00:00:00:02")
# Magic of a pcap file with nanoseconds, version 2.4.
NANOSECONDS = struct.pack("=IHH", 0xA1B23C4D, 2, 4)


@pytest.fixture
def pair():
    """Two namespaces and a wire between them."""
    with namespaces.holding(2) as pids:
        with Rtnetlink() as network:
            network.add_veth(*(("eth0", mac, pid) for mac, pid in zip(MACS, pids, strict=True)))
        for pid, address, other, mac in zip(pids, ADDRESSES, ADDRESSES[::-1], MACS[::-1], strict=True):
            with in_netns(pid), Rtnetlink() as network:
                network.set_up("eth0")
                network.add_address(f"{address}/24", "eth0")
                network.replace_neighbour([other, "lladdr", mac, "dev", "eth0", "nud", "permanent"])
        yield pids


@contextlib.contextmanager
def capturing(wanted, out, snaplen=128, virtual=False):
    captures = Captures(str(paths.programs()["ipdump"]), wanted, out, snaplen, virtual)
    try:
        yield captures
    finally:
        captures.kill()


def send(pid, payloads, to=ADDRESSES[1]):
    with in_netns(pid), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        for payload in payloads:
            sock.sendto(payload, (to, 9))


def records(path):
    """Those of a file's UDP packets: the header, with times and lengths, and what is kept of the packet."""
    data = path.read_bytes()
    assert data.startswith(NANOSECONDS)
    found, at = [], 24
    while at < len(data):
        end = at + 16 + struct.unpack_from("=8xI", data, at)[0]
        found.append((data[at:at + 16], data[at + 16:end]))
        at = end
    return [(head, packet) for head, packet in found if packet[23] == socket.IPPROTO_UDP]


def payloads(path):
    """(length on the wire, bytes kept) of each UDP packet of a file."""
    return [(struct.unpack_from("=12xI", head)[0], packet[42:]) for head, packet in records(path)]


def test_every_packet_of_every_namespace(pair, tmp_path):
    sent = [n.to_bytes(2, "big") * 50 for n in range(1000)]
    with capturing([("a", pair[0], "eth0"), ("b", pair[1], "eth0")], tmp_path) as captures:
        send(pair[0], sent)
        time.sleep(HANDED_OVER_S)
        assert captures.stop() == {"a": 0, "b": 0}
    for name in "ab":
        assert payloads(tmp_path / f"ip-{name}.pcap") == [(142, one[:128 - 42]) for one in sent]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ip-a.pcap", "ip-b.pcap", "log"]


@pytest.mark.skipif(shutil.which("tcpdump") is None, reason="tcpdump is not installed")
def test_as_tcpdump_has_it(pair, tmp_path):
    """The same bytes, times included, of packets that come and that go.

    The kernel begins to note times some time after somebody wants them; until then each looks at the clock itself.
    """
    theirs = tmp_path / "theirs.pcap"
    tcpdump = subprocess.Popen(
        ["nsenter", f"--net=/proc/{pair[0]}/ns/net", "tcpdump", "-i", "eth0", "-n", "-s", "128", "-w", theirs,
         "--time-stamp-precision=nano", "-Z", "root"], stderr=subprocess.PIPE, text=True)
    try:
        assert any("listening on eth0" in line for line in tcpdump.stderr)
        with capturing([("a", pair[0], "eth0")], tmp_path) as captures:
            time.sleep(1)
            for sender, sink in ((pair[0], ADDRESSES[1]), (pair[1], ADDRESSES[0])):
                send(sender, [n.to_bytes(2, "big") * 300 for n in range(100)], sink)
            time.sleep(HANDED_OVER_S)
            captures.stop()
    finally:
        tcpdump.send_signal(signal.SIGINT)
        tcpdump.communicate(timeout=30)
    ours = tmp_path / "ip-a.pcap"
    assert len(records(ours)) == 200
    assert records(ours) == records(theirs) and ours.read_bytes()[:24] == theirs.read_bytes()[:24]


def test_what_is_cut_off_takes_no_package_in_the_buffer(pair, tmp_path):
    """A burst longer than the program is away: what a reordered window of megabytes is, delivered at once."""
    sent = [bytes(1400)] * 4000
    with capturing([("a", pair[0], "eth0")], tmp_path, virtual=True) as captures:
        captures.process.popen.send_signal(signal.SIGSTOP)
        send(pair[0], sent)
        captures.process.popen.send_signal(signal.SIGCONT)
        time.sleep(HANDED_OVER_S)
        assert captures.stop() == {"a": 0}
    assert len(payloads(tmp_path / "ip-a.pcap")) == len(sent)


def test_packets_are_kept_up_to_the_snap_length(pair, tmp_path):
    with capturing([("a", pair[0], "eth0")], tmp_path, snaplen=65535) as captures:
        send(pair[0], [bytes(1400)])
        time.sleep(HANDED_OVER_S)
        captures.stop()
    assert payloads(tmp_path / "ip-a.pcap") == [(1442, bytes(1400))]


def test_an_interface_that_is_not_there(pair, tmp_path):
    with pytest.raises(LabError, match=r"^ipdump: ipdump: eth7 of a: opening: .*No such device"):
        Captures(str(paths.programs()["ipdump"]), [("a", pair[0], "eth7")], tmp_path, 128, virtual=False)


def test_an_interface_that_goes_away(pair, tmp_path):
    with capturing([("a", pair[0], "eth0")], tmp_path) as captures:
        with in_netns(pair[0]), Rtnetlink() as network:
            network.remove_link("eth0")
        with pytest.raises(LabError, match=r"ipdump: ended with status 1: ipdump: eth0 of a: reading: "):
            captures.process.wait(10)
            captures.stop()


@pytest.mark.parametrize("words, said", [
    (["--snaplen", "0"], "--snaplen: value '0': allowed whole numbers, 1..262144"),
    (["a", "/proc/self/ns/net", "lo"], "usage: ipdump"),
    ([], "usage: ipdump"),
])
def test_command_lines_that_say_nothing(words, said, tmp_path):
    stats = ["--stats", str(tmp_path / "stats")] if words else []
    done = subprocess.run([paths.programs()["ipdump"], *stats, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and said in done.stderr
