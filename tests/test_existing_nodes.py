# SPDX-License-Identifier: GPL-2.0-or-later
"""Links around what is there already: a named network namespace, and a container, here one of namespaces alone."""

import os
import signal
import subprocess
import sys

import pytest
from e2e import CELLBED, WIRED, bundles, cellbed, needs_native
from machine import own_part, wait_until
from ordinary import Ordinary, needs_an_ordinary_user, needs_user_namespaces
from test_xlat import CLIENT, SERVER, said

from cellbed.host import programs
from cellbed_formats.packet import ip_packets
from cellbed_formats.pcap_file import read_records

needs_tayga = pytest.mark.skipif(programs.find("tayga") is None, reason="needs tayga")
pytestmark = [pytest.mark.lab, needs_native, needs_an_ordinary_user]


@pytest.fixture(scope="module")
def user():
    he = Ordinary()
    for name, text in (("server.py", SERVER), ("client.py", CLIENT)):
        (he.folder / name).write_text(text)
    yield he
    he.remove()


@pytest.fixture
def phone():
    """A namespace with a network of its own, its default route and settings included. Yields: how to be in it."""
    with own_part():
        inside = ["ip", "netns", "exec", "phone"]
        for words in ("netns add phone", "link add eth0 netns phone type veth peer name out0"):
            subprocess.run(["ip", *words.split()], check=True)
        for words in ("link set lo up", "address add 192.0.2.2/24 dev eth0", "link set eth0 up", "link set out0 up",
                      "route add default via 192.0.2.1", "address add 2001:db8:2::2/64 dev eth0 nodad",
                      "route add default via 2001:db8:2::1"):
            inside_or_not = [] if "out0" in words else inside
            subprocess.run([*inside_or_not, "ip", *words.split()], check=True)
        subprocess.run([*inside, "sysctl", "-qw", "net.ipv4.tcp_congestion_control=reno",
                        "net.ipv6.conf.all.accept_ra=2", "net.ipv6.conf.default.accept_ra=2"], check=True)
        try:
            wait_until(lambda: "local fe80" in told(inside), "an address of the link that nobody else has")
            yield inside
        finally:
            subprocess.run(["ip", "link", "delete", "out0"], check=True)
            subprocess.run(["ip", "netns", "delete", "phone"], check=True)


# Of the far end, and of the UE.
SIX, BESIDE = "fd63:656c:6c62:a2e:1::", "fd63:656c:6c62:a2d:1::/72"
LINK = ["link", "good", "--netns", "phone", "--serve", "true"]


def told(inside, **options):
    """Addresses, routes, rules and settings of a namespace."""
    return subprocess.run([*inside, "sh", "-c", "ip -br address; ip route show table all; ip -6 route show table all; "
                           "ip rule; ip -6 rule; sysctl net.ipv4.tcp_congestion_control net.ipv4.tcp_rmem "
                           "net.ipv4.ping_group_range net.ipv4.conf net.ipv6.conf"], capture_output=True, text=True,
                          check=True, **options).stdout


def ready(process):
    assert process.stdout.readline() == "ready\n"


def ends(process):
    process.stdin.close()
    assert process.wait(60) == 0


def start(*words, script="cat", **options):
    """A link that is ready, with a command that ends when its input does."""
    link = subprocess.Popen([CELLBED, *map(str, words), "--", "sh", "-c", f"echo ready; {script}"],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)
    ready(link)
    return link


def test_a_named_namespace_is_the_ue_for_a_while(phone):
    before = told(phone)
    link = start(*LINK)
    # What works there beside the command is behind the radio, too, its own network apart.
    for far in ("10.46.0.1", SIX):
        assert "1 received" in subprocess.run([*phone, "ping", "-c", "1", far], capture_output=True, text=True,
                                              check=True).stdout
    for way, to in (("lte0", "198.51.100.1"), ("eth0", "192.0.2.7"),
                    ("lte0", "2001:db8:9::1"), ("eth0", "2001:db8:2::7")):
        assert f"dev {way} " in subprocess.run([*phone, "ip", "route", "get", to], capture_output=True, text=True,
                                               check=True).stdout
    visit = cellbed("shell", "--pid", link.pid, "ue1", "--", "sysctl", "-n", "net.ipv4.tcp_congestion_control")
    assert visit.stdout == "reno\n"
    ends(link)
    assert told(phone) == before


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGKILL])
def test_a_link_that_is_ended_leaves_the_namespace_as_it_was(phone, sig):
    before = told(phone)
    link = start(*LINK, process_group=0)
    assert told(phone) != before
    os.killpg(link.pid, sig)
    link.wait(60)
    cellbed("clean")
    wait_until(lambda: told(phone) == before, "what was there")


@pytest.mark.parametrize(("options", "bases"), [
    ([], f"10.46.0.1 {SIX}"), (["--ipv4-only"], "10.46.0.1"), (["--ipv6-only"], f"{SIX} {SIX}")])
def test_families(phone, options, bases):
    lines = cellbed(*LINK, *options, "--", "sh", "-c", "echo $CELLBED_BASE $CELLBED_BASE6; ping -c 1 $CELLBED_BASE; "
                    "ip -o address show dev lte0").stdout.splitlines()
    assert lines[0] == bases and any("1 received" in line for line in lines)
    own = {"inet": "10.45.0.1/24", "inet6": BESIDE}
    kept = {name: own[name] for name, option in (("inet", "--ipv6-only"), ("inet6", "--ipv4-only"))
            if option not in options}
    # Nothing but what was given: no address of the link alone.
    assert {line.split()[2]: line.split()[3] for line in lines if ": lte0 " in line} == kept


def test_this_machine_as_the_far_end(phone):
    done = cellbed("link", "good", "--netns", "phone", "--", "sh", "-c",
                   "ping -c 1 $CELLBED_BASE; ping -c 1 $CELLBED_BASE6")
    assert done.stdout.count("1 received") == 2 and "bytes from fd63:656c:6c62:6440:" in done.stdout


def test_ipv6_that_is_off_in_the_namespace_stays_off(phone):
    subprocess.run([*phone, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1"], check=True)
    before = told(phone)
    done = cellbed(*LINK, "--", "sh", "-c", "echo $CELLBED_BASE $CELLBED_BASE6; cat /proc/net/if_inet6")
    assert done.stdout == "10.46.0.1\n"
    refused = cellbed(*LINK, "--ipv6-only", "--", "true", check=False)
    assert (refused.returncode, refused.stderr) == (
        125, "cellbed: --ipv6-only: IPv6 is switched off in /run/netns/phone; leave it out, or set "
        "net.ipv6.conf.all.disable_ipv6=0 there\n")
    assert told(phone) == before


def echo(user):
    """What an echo over TCP and UDP at the far end, of IPv4 only, is asked for by a client of IPv4 only."""
    return ["--464xlat", "--serve", f"{sys.executable} {user.folder}/server.py", "--",
            sys.executable, user.folder / "client.py"]


@needs_tayga
@pytest.mark.parametrize("link", ["good", "train"])
def test_ipv4_over_ipv6_as_the_ue(phone, user, link, tmp_path):
    """Packets of every kind and size, with nothing but IPv6 on the radio, and no setting of the namespace changed."""
    before = told(phone)
    done = cellbed("link", link, "--netns", "phone", "--results", tmp_path / "kept", *echo(user))
    assert done.stdout == said(1472, 1480)
    assert told(phone) == before
    packets = ip_packets(read_records(bundles(tmp_path / "kept")["run"] / "ip-ue1.pcap")).frame
    assert len(packets) > 200 and set(packets["version"]) == {6} and packets["ip_bytes"].max() == 1500


@needs_tayga
@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGKILL])
def test_ipv4_over_ipv6_for_all_programs_in_the_namespace_for_a_while(phone, sig):
    before = told(phone)
    link = start(*LINK, "--464xlat", process_group=0)
    for far in ("10.46.0.1", SIX):
        assert "1 received" in subprocess.run([*phone, "ping", "-c", "1", far], capture_output=True, text=True,
                                              check=True).stdout
    for way, to in (("clat", "198.51.100.1"), ("eth0", "192.0.2.7"), ("lte0", "2001:db8:9::1")):
        assert f"dev {way} " in subprocess.run([*phone, "ip", "route", "get", to], capture_output=True, text=True,
                                               check=True).stdout
    changed = set(told(phone).splitlines()) - set(before.splitlines())
    assert not [line for line in changed if "conf." in line and "lte0" not in line and "clat" not in line]
    os.killpg(link.pid, sig)
    link.wait(60)
    cellbed("clean")
    wait_until(lambda: told(phone) == before, "what was there")


@needs_tayga
def test_ipv4_over_ipv6_is_refused_where_it_cannot_be(phone):
    """In a namespace without IPv6, and in one that has an interface of the translator's name."""
    subprocess.run([*phone, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1"], check=True)
    refused = cellbed(*LINK, "--464xlat", "--", "true", check=False)
    assert (refused.returncode, refused.stderr) == (
        125, "cellbed: --464xlat: IPv6 is switched off in /run/netns/phone; leave it out, or set "
        "net.ipv6.conf.all.disable_ipv6=0 there\n")
    subprocess.run([*phone, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=0"], check=True)
    subprocess.run([*phone, "ip", "link", "add", "clat", "type", "veth", "peer", "name", "other"], check=True)
    refused = cellbed(*LINK, "--464xlat", "--", "true", check=False)
    assert (refused.returncode, refused.stderr) == (
        125, "cellbed: node ue1: its network has an interface clat, which is the name of 464XLAT's; rename it\n")


def as_root_of(pid):
    """How to be in the user namespace of a process of one's own."""
    return ["nsenter", f"--target={pid}", "--preserve-credentials", "--user"]


@pytest.fixture
def containers(user):
    """Two processes of the ordinary user with a network each, whose root he is, as in rootless containers."""
    started = []
    for words in (["unshare", "--user", "--map-root-user", "--net"], ["unshare", "--net"]):
        entering = as_root_of(started[0].pid) if started else []
        started.append(subprocess.Popen([*entering, *words, "sleep", "1000"], **user.options))
        wait_until(lambda: network(started[-1].pid) not in [network("self"), *map(network, pids(started[:-1]))],
                   "a container")
    yield pids(started)
    for process in started:
        process.kill()
        process.wait()


def pids(processes):
    return [process.pid for process in processes]


def network(pid):
    return os.readlink(f"/proc/{pid}/ns/net")


@needs_user_namespaces
def test_two_rootless_containers(user, containers):
    """Each is a UE of the cell, and reaches the other through it."""
    (user.folder / "two.yaml").write_text(WIRED)
    where = [word for ue, pid in zip(("ue1", "ue2"), containers, strict=True)
             for word in ("--set", f"nodes.{ue}.netns=/proc/{pid}/ns/net")]
    link = start("link", "two.yaml", "--set", "tcp.receive_window=null", *where, "--serve", "true",
                 script="id -u; ping -c 1 base; cat", **user.options)
    assert link.stdout.readline() == "0\n"  # whom the container's map makes of him
    wait_until(lambda: "1 received" in link.stdout.readline(), "an answer")
    inside = [*as_root_of(containers[1]), "--net"]
    assert "1 received" in subprocess.run([*inside, "ping", "-c", "1", "10.45.0.1"], capture_output=True, text=True,
                                          check=True, **user.options).stdout
    ends(link)
    left = subprocess.run([*inside, "ip", "-br", "link"], capture_output=True, text=True, check=True, **user.options)
    assert left.stdout.split()[0] == "lo" and left.stdout.count("\n") == 1


@needs_user_namespaces
@pytest.mark.parametrize(("options", "off", "bases"), [
    ([], "0", f"10.46.0.1 {SIX}"), (["--ipv6-only"], "0", f"{SIX} {SIX}"), ([], "1", "10.46.0.1")])
def test_families_of_a_rootless_container(user, containers, options, off, bases):
    inside = [*as_root_of(containers[0]), "--net"]
    subprocess.run([*inside, "sysctl", "-qw", f"net.ipv6.conf.all.disable_ipv6={off}"], check=True, **user.options)
    before = told(inside, **user.options)
    done = cellbed("link", "good", "--pid", containers[0], *options, "--serve", "true", "--", "sh", "-c",
                   "echo $CELLBED_BASE $CELLBED_BASE6; ping -c 1 $CELLBED_BASE", **user.options)
    assert done.stdout.startswith(f"{bases}\n") and "1 received" in done.stdout
    assert told(inside, **user.options) == before


@needs_user_namespaces
@needs_tayga
def test_ipv4_over_ipv6_of_a_rootless_container(user, containers):
    inside = [*as_root_of(containers[0]), "--net"]
    before = told(inside, **user.options)
    done = cellbed("link", "good", "--pid", containers[0], *echo(user), **user.options)
    assert done.stdout == said(1472, 1480)
    assert told(inside, **user.options) == before


@pytest.mark.parametrize(("words", "why"), [
    (["--netns", "nowhere"], "--netns nowhere: no such namespace"),
    (["--pid", "4194304"], "--pid 4194304: no such process"),
    (["--netns", "a", "--pid", "1"], "--netns and --pid exclude each other"),
    (["--pid", "1", "--lab", "virtual"], "--pid 1: the virtual lab is not on this machine's network; add --lab native"),
    (["cc", "reno", "--pid", "1"], "link: cc: a namespace of --netns or --pid keeps"),
    (["--set", "nodes.server.netns=/run/netns/a"], "key 'nodes.server.netns': value /run/netns/a: only UEs have it"),
    (["--set", "nodes.ue1.netns=/run/netns/nowhere"], "value /run/netns/nowhere: No such file or directory"),
])
def test_what_does_not_fit_is_one_line(words, why):
    done = cellbed("link", *words, "--serve", "true", "--", "true", check=False)
    assert done.returncode == 125 and done.stderr.count("\n") == 1
    assert why in done.stderr


@needs_user_namespaces
def test_somebody_elses_is_one_line(user):
    done = cellbed("link", "--pid", os.getpid(), "--serve", "true", "--", "true", check=False, **user.options)
    assert done.returncode == 125 and done.stderr.count("\n") == 1
    assert "or run it as root" in done.stderr or "Permission denied" in done.stderr
