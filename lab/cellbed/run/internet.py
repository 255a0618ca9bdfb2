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
from collections.abc import Callable, Iterator, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple

from cellbed.error import LabError
from cellbed.host import capabilities, nobody, programs
from cellbed.host.child import Child, await_child, in_a_child
from cellbed.host.netns import die_with_parent, enter_netns, in_netns
from cellbed.host.process import Process, failure
from cellbed.host.rtnetlink import Rtnetlink
from cellbed.run import address, ipv6, topology

INTERFACE = "wan0"
PROGRAM = "pasta"
_READY_DEADLINE_S = 10.0
# As /proc has a process without privileges.
_NO_PRIVILEGES = f"CapPrm:\t{0:016x}"
_LOOK_S = 0.01
# Ports of neither side are forwarded; connections of the server's programs are.
_OPTIONS = ["--foreground", "--quiet", "--config-net", "--netns-only", "--ns-ifname", INTERFACE,
            "--mtu", str(topology.MTU), "--tcp-ports", "none", "--udp-ports", "none", "--tcp-ns", "none",
            "--udp-ns", "none"]
# Of versions that know several users of one interface apart, 2024 and later.
_TELLS_USERS_APART = "--map-host-loopback"
# For those that do not: all users look like the server.
_MASQUERADE = """table {family} cellbed {{
    chain out {{
        type nat hook postrouting priority 100
        oifname {interface} masquerade
    }}
}}
"""
_NFT_FAMILY = {4: "ip", 6: "ip6"}
_RESOLVERS = (Path("/etc/resolv.conf"), Path("/run/systemd/resolve/resolv.conf"))


class Way(NamedTuple):
    """One of IPv4 or of IPv6."""

    own: address.Address  # of the server's interface
    gateway: address.Address  # pasta's, behind which this machine's loopback is
    length: int  # of their prefix

    @property
    def version(self) -> int:
        return self.own.version


def network(server: address.Interface) -> address.Network:
    """What lies between a server and pasta: the subnet that follows the server's own, as large."""
    own = server.network
    return type(own)((int(own.broadcast_address) + 1, own.prefixlen))


def ways(server: Mapping[str, Any]) -> list[Way]:
    """Those of a server, one for each of its addresses."""
    found = map(network, address.interfaces(server))
    return [Way(between[2], between[1], between.prefixlen) for between in found]


def gateway(server: Mapping[str, Any], version: int) -> str | None:
    """Where this machine's loopback is for the users of a server, or None."""
    return next((str(way.gateway) for way in ways(server) if way.version == version), None)


def default_routes() -> set[int]:
    """Versions of IP for which this machine has a default route."""
    return {version for version in (4, 6) if _default_interfaces("self", version)}


def _default_interfaces(pid: int | str, version: int) -> set[str]:
    """Interfaces through which the network of a process has a default route."""
    try:
        lines = Path(f"/proc/{pid}/net", {4: "route", 6: "ipv6_route"}[version]).read_text().splitlines()
    except FileNotFoundError:  # a kernel without IPv6
        return set()
    routes = [line.split() for line in lines]
    if version == 4:
        return {name for name, to, *_ in routes if to == "00000000"}
    return {name for to, length, *_, name in routes if (to, length) == ("0" * 32, "00") and name != "lo"}


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
    missing = {way.version for way in ways(settings["nodes"][name])} - default_routes()
    if missing:
        return (f"key 'nodes.{name}.internet': this machine has no way out itself, that is, no default route of "
                f"IPv{min(missing)}")
    if len(settings["radio"]["ues"]) > 1 and programs.find("nft") is None and not _tells_users_apart():
        return (f"key 'nodes.{name}.internet': several UEs need passt of 2024 or later, or nft; install it with "
                "`apt-get install nftables`")
    return None


def _tells_users_apart() -> bool:
    done = subprocess.run([programs.command(PROGRAM), "--help"], capture_output=True, text=True, check=False)
    return _TELLS_USERS_APART in done.stdout


# --- names ---


def resolvers(server: Mapping[str, Any]) -> str:
    """A resolv.conf with the name servers of this machine that can be reached from the run.

    One on the loopback that passes on questions, as systemd-resolved does, has written down whom it asks. Otherwise it
    is where the loopback is.
    """
    versions = {way.version for way in ways(server)}
    for path in _RESOLVERS:
        with contextlib.suppress(OSError):
            lines = path.read_text(errors="replace").splitlines()
            found = [line for line in lines if not line.startswith("nameserver") or _reachable(line, versions)]
            if any(line.startswith("nameserver") for line in found):
                return "\n".join(found) + "\n"
    return f"nameserver {ways(server)[0].gateway}\n"


def _reachable(line: str, versions: set[int]) -> bool:
    """Whether a name server is beyond the loopback and its link, and the radio has packets for it."""
    try:
        where = ip_address(line.split()[1].partition("%")[0])
        return where.version in versions and not where.is_loopback and not where.is_link_local
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
    found = ways(settings["nodes"][name])
    # pasta looks into /proc as somebody with few privileges, who may look at none that has more.
    guide = Child(lambda: _wait_without_privileges(pids[name] if rootless else None), log)
    pasta = None
    try:
        if not rootless:
            _await(lambda: nobody.begun(guide.pid), guide, log)
            nobody.admit(guide.pid)
        _await(lambda: _NO_PRIVILEGES in Path(f"/proc/{guide.pid}/status").read_text(), guide, log)
        runas = ["--runas", "0"] if rootless and os.geteuid() == 0 else []
        pasta = Process(PROGRAM, [programs.command(PROGRAM), *_OPTIONS, *_addresses(found),
                                  "--netns", f"/proc/{guide.pid}/ns/net", *runas], log,
                        before_exec=None if rootless else lambda: nobody.join(guide.pid))
        _await(lambda: all(INTERFACE in _default_interfaces(guide.pid, way.version) for way in found), pasta.popen, log)
        _settle(guide.pid, pids[name], found, rootless)
        if len(settings["radio"]["ues"]) > 1 and not _tells_users_apart():
            _translate(name, pids[name], found)
        yield pasta
    finally:
        if pasta is not None:
            pasta.kill()
        guide.kill()


def _addresses(found: list[Way]) -> list[str]:
    """pasta's options for them; it knows a length of a prefix of IPv4 only."""
    versions = {way.version for way in found}
    options = [f"--ipv{versions.pop()}-only"] if len(versions) == 1 else []
    for way in found:
        options += ["--address", str(way.own), "--gateway", str(way.gateway),
                    *(["--netmask", str(way.length)] if way.version == 4 else [])]
    return options


def _settle(here: int, there: int, found: list[Way], rootless: bool) -> None:
    """Move the interface from the network of one process to that of another, where it is to be as pasta made it.

    Without root it is there already. Then what is missing is an address for IPv6 that nothing has to probe first.

    Raises:
        LabError: the kernel refuses.
    """
    try:
        if rootless:
            if sixth := [way for way in found if way.version == 6]:
                await_child(in_a_child(lambda: _configure_at(there, sixth)))
            return
        with in_netns(here), Rtnetlink() as network:
            network.move_link(INTERFACE, there)
        with in_netns(there):
            _configure(found)
    except OSError as error:
        raise LabError(f"{PROGRAM}: {error.strerror or error}") from error


def _configure_at(pid: int, found: list[Way]) -> None:
    _enter(pid)
    _configure(found)


def _configure(found: list[Way]) -> None:
    """In the network where the interface is."""
    with Rtnetlink() as network:
        if any(way.version == 6 for way in found):
            ipv6.quieten(INTERFACE, has_neighbours=True)
        for way in found:
            network.add_address(f"{way.own}/{way.length}", INTERFACE)
        network.set_up(INTERFACE, topology.MTU)
        for way in found:
            gateway = str(way.gateway)
            network.replace_route([topology.default_prefix(gateway), "via", gateway, "dev", INTERFACE])


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


def _translate(name: str, pid: int, found: list[Way]) -> None:
    """Have all users look like the server, for a pasta that would mistake one for another."""
    tables = "".join(_MASQUERADE.format(family=_NFT_FAMILY[way.version], interface=INTERFACE) for way in found)
    done = subprocess.run([programs.command("nft"), "-f", "-"], input=tables, capture_output=True, text=True,
                          check=False, preexec_fn=lambda: _enter(pid))
    if done.returncode:
        raise LabError(f"node {name}: several UEs need nft here, which says: {failure(done)}")
