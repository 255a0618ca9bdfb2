# SPDX-License-Identifier: GPL-2.0-or-later
"""Links around what is there already: a named network namespace, and a container, here one of namespaces alone."""

import os
import subprocess

import pytest
from e2e import CELLBED, WIRED, cellbed, needs_native
from machine import own_part, wait_until
from ordinary import Ordinary, needs_an_ordinary_user, needs_user_namespaces

pytestmark = [pytest.mark.lab, needs_native, needs_an_ordinary_user]


@pytest.fixture(scope="module")
def user():
    he = Ordinary()
    yield he
    he.remove()


@pytest.fixture
def phone():
    """A namespace with a network of its own, its default route and settings included. Yields: how to be in it."""
    with own_part():
        inside = ["ip", "netns", "exec", "phone"]
        for words in ("netns add phone", "link add eth0 netns phone type veth peer name out0"):
            subprocess.run(["ip", *words.split()], check=True)
        for words in ("address add 192.0.2.2/24 dev eth0", "link set eth0 up", "route add default via 192.0.2.1"):
            subprocess.run([*inside, "ip", *words.split()], check=True)
        subprocess.run([*inside, "sysctl", "-qw", "net.ipv4.tcp_congestion_control=reno"], check=True)
        try:
            yield inside
        finally:
            subprocess.run(["ip", "link", "delete", "out0"], check=True)
            subprocess.run(["ip", "netns", "delete", "phone"], check=True)


def told(inside):
    """Routes and settings of a namespace."""
    return subprocess.run([*inside, "sh", "-c", "ip route; ip -br link; sysctl net.ipv4.tcp_congestion_control "
                           "net.ipv4.tcp_rmem net.ipv6.conf.all.disable_ipv6"], capture_output=True, text=True,
                          check=True).stdout


def ready(process):
    assert process.stdout.readline() == "ready\n"


def ends(process):
    process.stdin.close()
    assert process.wait(60) == 0


def test_a_named_namespace_is_the_ue_for_a_while(phone):
    before = told(phone)
    link = subprocess.Popen([CELLBED, "link", "good", "--netns", "phone", "--serve", "true", "--", "sh", "-c",
                             "echo ready; cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    ready(link)
    # What works there beside the command is behind the radio, too, its own network apart.
    assert "1 received" in subprocess.run([*phone, "ping", "-c", "1", "10.46.0.1"], capture_output=True, text=True,
                                          check=True).stdout
    ways = subprocess.run([*phone, "sh", "-c", "ip route get 198.51.100.1; ip route get 192.0.2.7"],
                          capture_output=True, text=True, check=True).stdout
    assert "198.51.100.1 dev lte0" in ways and "192.0.2.7 dev eth0" in ways
    visit = cellbed("shell", "--pid", link.pid, "ue1", "--", "sysctl", "-n", "net.ipv4.tcp_congestion_control")
    assert visit.stdout == "reno\n"
    ends(link)
    assert told(phone) == before


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
    link = subprocess.Popen([CELLBED, "link", "two.yaml", "--set", "tcp.receive_window=null", *where, "--serve", "true",
                             "--", "sh", "-c", "echo ready; id -u; ping -c 1 base; cat"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True, **user.options)
    ready(link)
    assert link.stdout.readline() == "0\n"  # whom the container's map makes of him
    wait_until(lambda: "1 received" in link.stdout.readline(), "an answer")
    inside = [*as_root_of(containers[1]), "--net"]
    assert "1 received" in subprocess.run([*inside, "ping", "-c", "1", "10.45.0.1"], capture_output=True, text=True,
                                          check=True, **user.options).stdout
    ends(link)
    left = subprocess.run([*inside, "ip", "-br", "link"], capture_output=True, text=True, check=True, **user.options)
    assert left.stdout.split()[0] == "lo" and left.stdout.count("\n") == 1


@pytest.mark.parametrize(("words", "said"), [
    (["--netns", "nowhere"], "--netns nowhere: no such namespace"),
    (["--pid", "4194304"], "--pid 4194304: no such process"),
    (["--netns", "a", "--pid", "1"], "--netns and --pid exclude each other"),
    (["--pid", "1", "--lab", "virtual"], "--pid 1: the virtual lab is not on this machine's network; add --lab native"),
    (["cc", "reno", "--pid", "1"], "link: cc: a namespace of --netns or --pid keeps"),
    (["--set", "nodes.server.netns=/run/netns/a"], "key 'nodes.server.netns': value /run/netns/a: only UEs have it"),
    (["--set", "nodes.ue1.netns=/run/netns/nowhere"], "value /run/netns/nowhere: No such file or directory"),
])
def test_what_does_not_fit_is_one_line(words, said):
    done = cellbed("link", *words, "--serve", "true", "--", "true", check=False)
    assert done.returncode == 125 and done.stderr.count("\n") == 1
    assert said in done.stderr


@needs_user_namespaces
def test_somebody_elses_is_one_line(user):
    done = cellbed("link", "--pid", os.getpid(), "--serve", "true", "--", "true", check=False, **user.options)
    assert done.returncode == 125 and done.stderr.count("\n") == 1
    assert "or run it as root" in done.stderr or "Permission denied" in done.stderr
