# SPDX-License-Identifier: GPL-2.0-or-later
"""What is set by rtnetlink, beside what ip(8) sets when it is given the same words."""

import contextlib
import json
import os
import socket
import subprocess
from pathlib import Path

import pytest

from cellbed.host import namespaces
from cellbed.host.netns import in_netns
from cellbed.host.rtnetlink import Rtnetlink
from cellbed.run import shaping

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root")

MACS = ("02:00:00:00:00:01", "02:00:00:00:00:02")
ROUTES = [
    ["10.45.0.0/16", "dev", "eth0", "src", "10.45.0.1"],
    ["default", "via", "10.45.0.254", "dev", "eth0", "src", "10.45.0.1", "mtu", "1400", "window", "65535", "advmss",
     "1300", "initcwnd", "2", "rto_min", "25ms", "quickack", "1"],
    ["10.60.1.1/32", "dev", "eth0"],
]
NEIGHBOUR = ["10.45.0.254", "lladdr", MACS[1], "dev", "eth0", "nud", "permanent"]


def ip(*words, **options):
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=True, **options).stdout


@pytest.fixture
def two():
    """Processes in namespaces of their own."""
    with namespaces.holding(2) as pids:
        yield pids


def state(pid):
    """What ip(8) says of a namespace, but for numbers that the kernel deals out, and for whether it still looks for
    duplicates of its own addresses."""
    with in_netns(pid):
        found = {what: json.loads(ip("-j", "-d", what, "show")) for what in ("address", "route", "neighbour")}
    for interface in found["address"]:
        for key in ("link_netnsid", "ifindex", "link_index"):
            interface.pop(key, None)
        for address in interface["addr_info"]:
            address.pop("tentative", None)
    return found


def test_as_ip_does_it(two):
    ours, theirs = two
    with Rtnetlink() as network:
        network.add_veth(("eth0", MACS[0], ours), ("far", MACS[1], ours))
    ip("link", "add", "name", "eth0", "address", MACS[0], "netns", str(theirs), "type", "veth",
       "peer", "name", "far", "address", MACS[1], "netns", str(theirs))
    with in_netns(ours), Rtnetlink() as network:
        network.set_up("lo")
        network.set_up("far")
        network.set_up("eth0", mtu=1400, gso_max_segs=1)
        network.add_address("10.45.0.1/24", "eth0")
        for route in ROUTES:
            network.replace_route(route)
        network.replace_route(ROUTES[0])
        network.replace_neighbour(NEIGHBOUR)
    with in_netns(theirs):
        ip("-batch", "-", input="\n".join((
            "link set lo up", "link set far up", "link set eth0 mtu 1400 gso_max_segs 1 up",
            "address add 10.45.0.1/24 dev eth0", *(f"route replace {' '.join(route)}" for route in ROUTES),
            f"neighbour replace {' '.join(NEIGHBOUR)}")))
    expected = state(theirs)
    assert len(expected["route"]) == 4 and len(expected["neighbour"]) == 1
    assert state(ours) == expected


def test_qdiscs_are_those_of_tc(two):
    with Rtnetlink() as network:
        network.add_veth(("eth0", MACS[0], two[0]), ("far", MACS[1], two[0]))
    with in_netns(two[0]), Rtnetlink() as network:
        network.set_up("eth0")
        qdisc = ["tc", "qdisc", "add", "dev", "eth0"]
        subprocess.run([*qdisc, "root", "handle", "1:", "tbf", "rate", "1Mbit", "burst", "2000", "limit", "3000"],
                       check=True)
        subprocess.run([*qdisc, "parent", "1:1", "handle", "10:", "pfifo", "limit", "5"], check=True)
        said = json.loads(subprocess.run(["tc", "-j", "qdisc", "show"], capture_output=True, check=True).stdout)
        assert network.qdiscs() == [{key: value for key, value in one.items() if key != "options"} for one in said]


def test_counters_of_qdiscs_are_those_of_tc(two):
    """Of packets that a full queue, RED and the wire treat differently; this machine may lack RED and netem."""
    lacking = [kind for kind in ("red", "netem") if not shaping.available(kind)]
    with Rtnetlink() as network:
        network.add_veth(("eth0", MACS[0], two[0]), ("far", MACS[1], two[1]))
    with in_netns(two[1]), Rtnetlink() as network:
        network.set_up("far")
    with in_netns(two[0]), Rtnetlink() as network:
        for name in ("all", "default", "eth0"):  # which would send by itself
            Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1")
        network.set_up("eth0")
        network.add_address("10.45.0.1/24", "eth0")
        network.replace_neighbour(["10.45.0.2", "lladdr", MACS[1], "dev", "eth0", "nud", "permanent"])
        link = {"rate": 1000, "queue_pkts": 5, "loss": 0 if "netem" in lacking else 0.3, "delay_ms": 0,
                "aqm": "none" if "red" in lacking else "red", "red_min_pkts": 1, "red_max_pkts": 3,
                "red_probability": 0.5, "qdisc": "pfifo", "netem": ""}
        shaping.shape("n", {"eth0": shaping.shaping(link, 1500, 1500)})
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for _ in range(50):
                sender.sendto(bytes(1000), ("10.45.0.2", 9))
        said = json.loads(subprocess.run(["tc", "-s", "-j", "qdisc", "show"], capture_output=True, check=True).stdout)
        known = ("kind", "handle", "dev", "root", "parent", "refcnt", "packets", "drops", "early", "marked")
        told = network.qdiscs(counters=True)
    assert told == [{key: one[key] for key in known if key in one} for one in said]
    assert sum(qdisc["drops"] for qdisc in told) > 0


def test_a_refusal_names_what_was_asked_for(two):
    with in_netns(two[0]), Rtnetlink() as network:
        network.set_up("lo")
        with pytest.raises(OSError, match=r"^.*route replace 10.0.0.0/8 via 10.1.1.1 dev lo: Network"):
            network.replace_route(["10.0.0.0/8", "via", "10.1.1.1", "dev", "lo"])
        with pytest.raises(ValueError, match="metric"):
            network.replace_route(["10.0.0.0/8", "dev", "lo", "metric", "4"])


def test_a_link_of_this_namespace_goes_when_told(two):
    with in_netns(two[0]), Rtnetlink() as network:
        network.add_veth(("eth0", MACS[0], two[0]), ("eth0", MACS[1], two[1]))
        network.remove_link("eth0")
    assert [len(state(pid)["address"]) for pid in two] == [1, 1]


def test_holders_are_processes_of_their_own():
    own = os.readlink("/proc/self/ns/net")
    with namespaces.holding(3) as pids:
        held = {os.readlink(f"/proc/{pid}/ns/net") for pid in pids}
        assert len(held - {own}) == len(set(pids) - {os.getpid()}) == 3
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_signal_to_a_holder_is_not_heard_here():
    """Its memory is ours, and so are Python's handlers in it."""
    with contextlib.ExitStack() as stack:
        (pid,) = stack.enter_context(namespaces.holding(1))
        for sig in (2, 15, 1):
            os.kill(pid, sig)
        assert os.readlink(f"/proc/{pid}/ns/net") != os.readlink("/proc/self/ns/net")
