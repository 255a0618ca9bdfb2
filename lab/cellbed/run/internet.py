# SPDX-License-Identifier: GPL-2.0-or-later
"""The way out of a run: a server that is joined to the network of this machine, and by it to the Internet.

pasta (of passt) is an ordinary program: what leaves the server by its interface `wan0` it sends by sockets of its own,
and what these receive it puts into packets for who asked. Nothing of the machine's forwarding or firewall changes, and
no privilege over it is needed. At pasta's own address there is this machine's loopback.

Source: pasta(1)
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from pathlib import Path
from typing import Any, NamedTuple

from cellbed.error import LabError
from cellbed.host import capabilities, nobody, programs
from cellbed.host.child import Child
from cellbed.host.netns import die_with_parent, enter_netns, in_netns
from cellbed.host.process import Process
from cellbed.host.rtnetlink import Rtnetlink
from cellbed.run import topology

INTERFACE = "wan0"
PROGRAM = "pasta"
_READY_DEADLINE_S = 10.0
# As /proc has a default route through the interface, and a process without privileges.
_ROUTE, _NO_PRIVILEGES = f"{INTERFACE}\t00000000", f"CapPrm:\t{0:016x}"
_LOOK_S = 0.01
# Ports of neither side are forwarded; connections of the server's programs are.
_OPTIONS = ["--foreground", "--quiet", "--ipv4-only", "--config-net", "--netns-only", "--ns-ifname", INTERFACE,
            "--mtu", str(topology.MTU), "--tcp-ports", "none", "--udp-ports", "none", "--tcp-ns", "none",
            "--udp-ns", "none"]
# Of versions that know several users of one interface apart, 2024 and later.
_TELLS_USERS_APART = "--map-host-loopback"
# For those that do not: all users look like the server.
_MASQUERADE = f"""table ip cellbed {{
    chain out {{
        type nat hook postrouting priority 100
        oifname {INTERFACE} masquerade
    }}
}}
"""
_RESOLVERS = (Path("/etc/resolv.conf"), Path("/run/systemd/resolve/resolv.conf"))


class Addresses(NamedTuple):
    own: IPv4Address  # of the server's interface
    gateway: IPv4Address  # pasta's, behind which this machine's loopback is
    length: int  # of their prefix


def network(server: IPv4Interface) -> IPv4Network:
    """What lies between a server and pasta: the subnet that follows the server's own, as large."""
    own = server.network
    return IPv4Network((int(own.broadcast_address) + 1, own.prefixlen))


def addresses(server: str) -> Addresses:
    """Args: server: its address with the length of its prefix."""
    between = network(IPv4Interface(server))
    return Addresses(between[2], between[1], between.prefixlen)


def server_of(settings: dict[str, Any]) -> str | None:
    """The server that is the way out, or None."""
    return next((name for name, node in settings["nodes"].items() if node.get("internet")), None)


def refusal(settings: dict[str, Any]) -> str | None:
    """Why this machine has no way out for a run, or None."""
    name = server_of(settings)
    if name is None:
        return None
    if programs.find(PROGRAM) is None:
        return f"key 'nodes.{name}.internet': needs {PROGRAM}; install it with `apt-get install passt`"
    routes = [line.split() for line in Path("/proc/net/route").read_text().splitlines()[1:]]
    if not any(destination == "00000000" for _, destination, *_ in routes):
        return f"key 'nodes.{name}.internet': this machine has no way out itself, that is, no default route"
    if len(settings["radio"]["ues"]) > 1 and programs.find("nft") is None and not _tells_users_apart():
        return (f"key 'nodes.{name}.internet': several UEs need passt of 2024 or later, or nft; install it with "
                "`apt-get install nftables`")
    return None


def _tells_users_apart() -> bool:
    done = subprocess.run([programs.command(PROGRAM), "--help"], capture_output=True, text=True, check=False)
    return _TELLS_USERS_APART in done.stdout


# --- names ---


def resolvers(server: str) -> str:
    """A resolv.conf with the name servers of this machine that can be reached from the run.

    One on the loopback that passes on questions, as systemd-resolved does, has written down whom it asks. Otherwise it
    is where the loopback is.
    """
    for path in _RESOLVERS:
        with contextlib.suppress(OSError):
            lines = path.read_text(errors="replace").splitlines()
            found = [line for line in lines if not line.startswith("nameserver") or _reachable(line)]
            if any(line.startswith("nameserver") for line in found):
                return "\n".join(found) + "\n"
    return f"nameserver {addresses(server).gateway}\n"


def _reachable(line: str) -> bool:
    """Whether a name server is one of IPv4 beyond the loopback: there is nothing else on the radio."""
    try:
        return not IPv4Address(line.split()[1]).is_loopback
    except (ValueError, IndexError):
        return False


# --- the program ---


@contextlib.contextmanager
def open_(settings: dict[str, Any], pids: dict[str, int], log: Path, rootless: bool) -> Iterator[Process | None]:
    """Join the server to the network that this process is in, during the block. Yields: the program that does it.

    Args:
        rootless: the nodes' namespaces are the user's own. Those of root's are too good for pasta: it makes the
            interface in one of nobody's, from where it is moved.

    Raises:
        LabError: it does not work.
    """
    name = server_of(settings)
    if name is None:
        yield None
        return
    where = addresses(settings["nodes"][name]["address"])
    # pasta looks into /proc as somebody with few privileges, who may look at none that has more.
    guide = Child(lambda: _wait_without_privileges(pids[name] if rootless else None), log)
    pasta = None
    try:
        if not rootless:
            _await(lambda: nobody.begun(guide.pid), guide, log)
            nobody.admit(guide.pid)
        _await(lambda: _NO_PRIVILEGES in Path(f"/proc/{guide.pid}/status").read_text(), guide, log)
        pasta = Process(PROGRAM, [programs.command(PROGRAM), *_OPTIONS, "--address", str(where.own), "--netmask",
                                  str(where.length), "--gateway", str(where.gateway),
                                  "--netns", f"/proc/{guide.pid}/ns/net",
                                  *(["--runas", "0"] if rootless and os.geteuid() == 0 else [])], log,
                        before_exec=None if rootless else lambda: nobody.join(guide.pid))
        _await(lambda: _ROUTE in Path(f"/proc/{guide.pid}/net/route").read_text(), pasta.popen, log)
        if not rootless:
            _move(guide.pid, pids[name], where)
        if len(settings["radio"]["ues"]) > 1 and not _tells_users_apart():
            _translate(name, pids[name])
        yield pasta
    finally:
        if pasta is not None:
            pasta.kill()
        guide.kill()


def _move(here: int, there: int, where: Addresses) -> None:
    """Move the interface from the network of one process to that of another, where it is to be as pasta made it.

    Raises:
        LabError: the kernel refuses.
    """
    try:
        with in_netns(here), Rtnetlink() as network:
            network.move_link(INTERFACE, there)
        with in_netns(there), Rtnetlink() as network:
            network.add_address(f"{where.own}/{where.length}", INTERFACE)
            network.set_up(INTERFACE, topology.MTU)
            network.replace_route(["default", "via", str(where.gateway), "dev", INTERFACE])
    except OSError as error:
        raise LabError(f"{PROGRAM}: {error.strerror}") from error


def _enter(pid: int) -> None:
    """Be in the network of a node; without root a process that was in the machine's does not come back."""
    enter_netns(os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC))


def _wait_without_privileges(node: int | None) -> None:
    """In the network of a node, or in one of nobody's: there as another program, whose memory is not root's."""
    if node is None:
        nobody.begin()
        die_with_parent()
        sleep = programs.command("sleep")
        os.execv(sleep, [sleep, "infinity"])
    _enter(node)
    capabilities.give_up()
    while True:
        signal.pause()


def _await(done: Callable[[], bool], process: subprocess.Popen[bytes] | Child, log: Path) -> None:
    """Until @done, for which @process lives.

    Raises:
        LabError: it has ended, or takes too long.
    """
    end = time.monotonic() + _READY_DEADLINE_S
    while not done():
        if process.poll() is not None or time.monotonic() > end:
            raise LabError(f"{PROGRAM}: it does not connect the lab to the Internet: {_last_words(log)}")
        time.sleep(_LOOK_S)


def _last_words(log: Path) -> str:
    """Without its complaints that there is no syslog."""
    lines = [line for line in log.read_text(errors="replace").splitlines() if "syslog" not in line]
    return "; ".join(lines[-2:]) or "it printed nothing"


def _translate(name: str, pid: int) -> None:
    """Have all users look like the server, for a pasta that would mistake one for another."""
    done = subprocess.run([programs.command("nft"), "-f", "-"], input=_MASQUERADE, capture_output=True, text=True,
                          check=False, preexec_fn=lambda: _enter(pid))
    if done.returncode:
        raise LabError(f"node {name}: several UEs need nft here, which says: {' '.join(done.stderr.split())}")
