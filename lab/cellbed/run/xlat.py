# SPDX-License-Identifier: GPL-2.0-or-later
"""464XLAT of a run: programs on UEs that have IPv6 only reach servers of IPv4.

A translator on the UE, the CLAT, makes packets of IPv6 of the programs' packets of IPv4; one where the wired link of
the servers ends, the NAT64, makes packets of IPv4 of them again. Both are tayga, an ordinary program with a TUN in the
node's network. It translates without state: in the pool of the NAT64 each UE has an address of its own.

Nodes forward packets between the translator and the radio. A namespace that somebody else has made keeps its settings,
of which forwarding is one, so that filters of tc take the packets from one interface to the other there.

Source: RFC 6877; RFC 7915; tayga(8); tc-u32(8); tc-mirred(8)
"""

from __future__ import annotations

import contextlib
import grp
import hashlib
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from ipaddress import ip_interface
from pathlib import Path
from typing import Any, NamedTuple

from cellbed.error import LabError
from cellbed.host import nobody, programs
from cellbed.host.netns import die_with_parent, in_netns
from cellbed.host.process import Copy, Process, Running, failure
from cellbed.host.rtnetlink import Rtnetlink
from cellbed.run import address, core_network, ipv6, radios, tcp_profile, topology
from cellbed.run.udp_checksum import Sockets

PROGRAM = "tayga"
CLAT, NAT64 = address.CLAT, "nat64"
# The prefix of a network, not the well-known one, by which private addresses must not be reached. Source: RFC 6052 3.1
PREFIX = "fd64:ff9b::/96"
HOST = address.CLAT_HOST
# Of translators themselves, the same on every node. Source: RFC 7335
_OWN, _OWN_FAR = "192.0.0.2", "192.0.0.3"
# By which a packet grows: the header of IPv6 is as much longer, and a fragment has a header. Source: RFC 7915 4
_GROWS_BYTES = 20 + 8
_NEEDED = f"needs {PROGRAM}; install it with `apt-get install {PROGRAM}`"
_ETH_P_IP = 0x0800
_IPV4_BYTES = 20
_READY_DEADLINE_S = 10.0
_LOOK_S = 0.01


class Turn(NamedTuple):
    """Packets of IPv6 that come in by one interface for a prefix leave by another one, which has no MAC."""

    interface: str
    prefix: str
    leaves: str

    def batch(self) -> list[str]:
        """What `tc -batch` takes."""
        return [f"qdisc add dev {self.interface} ingress",
                f"filter add dev {self.interface} parent ffff: protocol ipv6 u32 match ip6 dst {self.prefix} "
                f"action mirred egress redirect dev {self.leaves}"]


class Translator(NamedTuple):
    """A tayga and what the node's network needs for it."""

    node: str
    interface: str
    own: str  # source of its ICMP
    maps: dict[str, str]  # of IPv4 to IPv6, beside PREFIX
    addresses: list[str]
    routes: list[list[str]]  # arguments for `ip route replace`
    turns: Sequence[Turn] = ()  # where the node does not forward
    mtu: int | None = None  # of its interface, for packets of IPv4; None: routes have it, or nodes that forward
    mends: bool = False  # servers may send datagrams of IPv4 without checksum

    def configuration(self) -> str:
        """tayga.conf"""
        maps = "".join(f"map {ipv4} {ipv6}\n" for ipv4, ipv6 in self.maps.items())
        return f"tun-device {self.interface}\nipv4-addr {self.own}\nprefix {PREFIX}\n{maps}"


def plan(settings: dict[str, Any]) -> list[Translator]:
    """Those of a run: none, or the NAT64 and a CLAT for each UE that has one, on the first radio network."""
    settings = radios.alone(settings, None)
    ues = {name: node for name, node in settings["nodes"].items() if "clat" in node}
    if not ues:
        return []
    found = {_ip(ue["nat64"]): _ip(ue["clat"]) for ue in ues.values()}
    pools = sorted({pool for name in ues for pool in topology.pools(settings, name)})
    own = topology.gateway_of(ip_interface(next(iter(ues.values()))["nat64"]))
    nat64 = Translator(_end_of_servers(settings), NAT64, str(own.ip), found, [],
                       [[prefix, "dev", NAT64] for prefix in (PREFIX, *pools)], mends=True)
    return [nat64, *(_clat(name, _ip(ue["clat"]), settings) for name, ue in ues.items())]


def at_ends(ends: Sequence[tuple[str, str, str, int]]) -> list[Translator]:
    """Those of a radio link of which nothing else is known: addresses of IPv4 stand in those of IPv6 as they are, at
    whichever end, so that there are no maps.

    Args:
        ends: of the UE and of what is behind the radio: node, interface of the programs, that of the radio, its MTU in
            bytes.

    Source: RFC 6052 2.2
    """
    return [Translator(node, interface, own, {}, [], [],
                       (Turn(interface, PREFIX, radio), Turn(radio, PREFIX, interface)), mtu - _GROWS_BYTES, mends=True)
            for (node, interface, radio, mtu), own in zip(ends, (_OWN, _OWN_FAR), strict=True)]


def _clat(ue: str, ipv6: str, settings: dict[str, Any]) -> Translator:
    mtu = (settings["radio"].get("mtu") or topology.MTU) - _GROWS_BYTES
    attributes = tcp_profile.route_attributes(settings["tcp"])
    brought, own = settings["nodes"][ue]["netns"] is not None, f"{ipv6}/128"
    routes = [[prefix, "dev", CLAT, "src", HOST, "mtu", str(mtu), *attributes]
              for prefix in topology.everywhere(4, brought)]
    clat = Translator(ue, CLAT, _OWN, {HOST: ipv6}, [f"{HOST}/32"], routes)
    if brought:
        radio = radios.FIRST_INTERFACE
        return clat._replace(turns=(Turn(CLAT, PREFIX, radio), Turn(radio, own, CLAT)))
    return clat._replace(routes=[*routes, [own, "dev", CLAT]])


def _end_of_servers(settings: dict[str, Any]) -> str:
    """The S-GW, or the eNB without a core network."""
    return core_network.sgw(settings) or core_network.of_kind(settings, "enb")[0]


def _ip(own: str) -> str:
    return own.partition("/")[0]


def fingerprint(settings: dict[str, Any]) -> dict[str, str]:
    """The digest of this machine's translator by its name, for a run that has one."""
    if _first(settings) is None:
        return {}
    path = programs.find(PROGRAM)
    return {PROGRAM: "missing" if path is None else hashlib.sha256(Path(path).read_bytes()).hexdigest()}


def refusal(description: dict[str, Any]) -> str | None:
    """Why this machine cannot translate for a run, or None."""
    name, here = _first(description["settings"]), programs.find(PROGRAM)
    if name is None:
        return None
    if here is None:
        return f"key 'nodes.{name}.clat': {_NEEDED}"
    if description["programs"].items() >= fingerprint(description["settings"]).items():
        return None
    return f"key 'nodes.{name}.clat': {here}: another {PROGRAM} than where the run was asked for; install the same"


def _first(settings: dict[str, Any]) -> str | None:
    """The first UE with a CLAT."""
    return next((name for name, node in settings["nodes"].items() if "clat" in node), None)


def start(stack: contextlib.ExitStack, translators: Sequence[Translator], pids: Mapping[str, int], folder: Path,
          log: Path, rootless: bool, by: Sequence[str] = ()) -> list[Running]:
    """Start translators in nodes that have all else already, and what helps them.

    Args:
        stack: ends them when it is closed.
        pids: of each node a process in its network.
        folder: where their configurations are while they read them.
        by: a command line that starts what follows it.
        rootless: they have no privileges on the machine; else they give theirs up when they have their interfaces.

    Raises:
        LabError: it does not work.
    """
    account = [] if rootless else ["--user", nobody.NAME, "--group", grp.getgrgid(nobody.account().pw_gid).gr_name]
    if programs.find(PROGRAM) is None:
        raise LabError(f"464XLAT: {_NEEDED}")
    started: list[Running] = []
    for one in translators:
        pid = pids[one.node]
        started.append(_start(stack, one, pid, folder, log, by, account))
        if one.mends:
            started.append(Copy("checksums of UDP", partial(_fill, one.interface, pid, rootless), log))
            stack.callback(started[-1].kill)
    return started


def _fill(interface: str, pid: int, rootless: bool) -> None:
    with in_netns(pid):
        sockets = Sockets(interface)
    if not rootless:
        nobody.become()
        die_with_parent()
    sockets.fill()


def _start(stack: contextlib.ExitStack, one: Translator, pid: int, folder: Path, log: Path,
           by: Sequence[str], options: list[str]) -> Process:
    with in_netns(pid):
        if one.interface in _interfaces():
            raise LabError(f"node {one.node}: its network has an interface {one.interface}, which is the name of "
                           "464XLAT's; rename it")
    configuration = folder / f"{one.node}-{one.interface}.conf"
    configuration.write_text(one.configuration())
    # -d: what it says is in the log
    args = [*by, programs.command(PROGRAM), "-d", "--config", str(configuration), *options]
    with open(log, "ab") as file:
        process = Process(PROGRAM, args, log, pid, stdout=file)
    stack.callback(process.kill)
    try:
        with in_netns(pid):
            _await(process, f"node {one.node}: {PROGRAM} makes no interface", lambda: one.interface in _interfaces())
            configuration.unlink()  # which is no result
            (ipv6.switch_off if one.turns else ipv6.quieten)(one.interface)  # it would have packets of its own
            with Rtnetlink() as network:
                network.set_up(one.interface)
                if one.mtu is not None:
                    _await_reader(process, one)
                    network.set_up(one.interface, one.mtu)
                for own in one.addresses:
                    network.add_address(own, one.interface)
                for route in one.routes:
                    network.replace_route(route)
        turn(one, pid)
    except OSError as error:
        raise LabError(f"node {one.node}: {error.strerror}") from error
    return process


def await_gone(one: Translator, pid: int) -> None:
    """Until the interface of a translator that was killed is gone from the network of a process, which may be, too."""
    end = time.monotonic() + _READY_DEADLINE_S
    with contextlib.suppress(OSError), in_netns(pid):
        while one.interface in _interfaces() and time.monotonic() < end:
            time.sleep(_LOOK_S)


def _await(process: Process, otherwise: str, happened: Callable[[], bool]) -> None:
    """Raises LabError when the process ends before, or it takes long."""
    end = time.monotonic() + _READY_DEADLINE_S
    while not happened():
        if process.popen.poll() is not None or time.monotonic() > end:
            raise LabError(f"{otherwise}: {process.log_tail()}")
        time.sleep(_LOOK_S)


def _await_reader(process: Process, one: Translator) -> None:
    """Until it takes packets: before that it asks for the interface's MTU, once, as that of IPv6.

    The packet here has no content, so that it is answered by nothing.
    """
    packet = struct.pack("!BxHxxxxBB2x4s4s", 0x45, _IPV4_BYTES, 1, socket.IPPROTO_NONE, socket.inet_aton(one.own),
                         socket.inet_aton(one.own))
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM) as interface:
        interface.sendto(packet, (one.interface, _ETH_P_IP))
    _await(process, f"node {one.node}: {PROGRAM} reads no packets", lambda: _packets_read(one.interface) > 0)


def _packets_read(interface: str) -> int:
    """Of a TUN in the current network, by the program that has it."""
    lines = Path("/proc/thread-self/net/dev").read_text().splitlines()
    counters = dict(line.split(":", 1) for line in lines[2:])
    return next(int(counts.split()[9]) for name, counts in counters.items() if name.strip() == interface)


def _interfaces() -> list[str]:
    """Those of the current network."""
    return [name for _, name in socket.if_nameindex()]


def turn(one: Translator, pid: int) -> None:
    """Have the network of a process turn packets that the node does not forward, also when the radio is a new one.

    Raises:
        LabError: the kernel cannot do that.
    """
    if not one.turns:
        return
    with in_netns(pid):
        with Rtnetlink() as network:
            there = {qdisc["dev"] for qdisc in network.qdiscs() if qdisc["kind"] == "ingress"}
        batch = [f"qdisc del dev {one.interface} ingress"] if one.interface in there else []
        batch += [line for each in one.turns for line in each.batch()]
        done = subprocess.run([programs.command("tc"), "-batch", "-"], input="\n".join([*batch, ""]), text=True,
                              capture_output=True, check=False)
    if done.returncode:
        raise LabError(f"node {one.node}: 464XLAT in a namespace that somebody else has made needs tc with u32 and "
                       f"mirred, which says: {failure(done)}")
