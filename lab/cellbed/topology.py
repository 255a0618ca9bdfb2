# SPDX-License-Identifier: GPL-2.0-or-later
"""The nodes of a run as Mininet hosts, and how they are joined: by the radio network and by wired links.

`plan` is a pure function of the settings, printable without root; `build` and `configure` make it real.
"""

from __future__ import annotations

import json
import logging
import subprocess
from dataclasses import dataclass, field
from ipaddress import IPv4Interface
from typing import Any

from cellbed import tcp_profile
from cellbed.error import LabError
from cellbed.process import in_netns

RADIO_INTERFACE = "lte0"

# What waits for a link's rate is counted apart from what the wire loses: the queue is a qdisc of its own.
WIRE_HANDLE, QUEUE_HANDLE = "1:", "10:"
# Packets on their way on a wire; no bound that a run could meet.
_ON_THE_WIRE = 10_000_000
_FRAME_MAX = 1514
# A token bucket deeper than one packet: a native kernel's timers are late, and tokens beyond its depth are lost.
_BURST_S = 100e-6

# GSO hands segments above the MTU to packet taps; the radio wants them as they are sent.
_NO_SEGMENTATION = ["gso", "off", "gro", "off", "tso", "off"]
# A veth passes on packets without their checksum; a capture shall have the one of the wire.
_NO_OFFLOADS = [*_NO_SEGMENTATION, "tx", "off"]


@dataclass(frozen=True)
class PlannedNode:
    name: str
    kind: str  # ue, server or enb
    interfaces: dict[str, str | None]  # address with prefix length; None for a way to a single UE
    routes: list[list[str]]  # arguments for `ip route replace`
    neighbours: list[list[str]] = field(default_factory=list)  # arguments for `ip neighbour replace`
    shaping: dict[str, list[str]] = field(default_factory=dict)  # by interface, arguments for `tc qdisc add dev IF`

    @property
    def is_host(self) -> bool:
        """A host has one interface, one address and TCP; the eNB only forwards."""
        return self.kind != "enb"

    @property
    def interface(self) -> str:
        """The interface of a host."""
        return next(iter(self.interfaces))

    @property
    def address(self) -> str:
        """The address of a host, with the length of its prefix."""
        return self.interfaces[self.interface]


@dataclass(frozen=True)
class PlannedEnd:
    """One end of a wired link."""

    node: str
    interface: str
    address: str  # with prefix length
    mac: str


@dataclass(frozen=True)
class PlannedLink:
    ends: tuple[PlannedEnd, PlannedEnd]
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        return "-".join(end.node for end in self.ends)


@dataclass(frozen=True)
class Plan:
    nodes: list[PlannedNode]
    links: list[PlannedLink]

    @property
    def hosts(self) -> list[PlannedNode]:
        return [node for node in self.nodes if node.is_host]

    @property
    def gateway(self) -> PlannedNode | None:
        return next((node for node in self.nodes if not node.is_host), None)


def gateway_of(server: IPv4Interface) -> IPv4Interface:
    """Address of the eNB's end of a server's link: the last host address of the server's subnet."""
    return IPv4Interface((server.network.broadcast_address - 1, server.network.prefixlen))


def network_interface(ue: str) -> str:
    """The eNB's interface to a UE: the network side of its bearer."""
    return f"net-{ue}"


def plan(settings: dict[str, Any]) -> Plan:
    """What has to exist, from a run's settings."""
    links = _links(settings)
    attributes = tcp_profile.route_attributes(settings["tcp"])
    makers = {"ue": _ue, "server": _server, "enb": _enb}
    return Plan([makers[node["kind"]](name, settings, links, attributes) for name, node in settings["nodes"].items()],
                links)


def _links(settings: dict[str, Any]) -> list[PlannedLink]:
    planned = []
    used: dict[str, int] = {}
    for i, link in enumerate(settings["links"]):
        server = next(name for name in (link["a"], link["b"]) if settings["nodes"][name]["kind"] == "server")
        address = IPv4Interface(settings["nodes"][server]["address"])
        ends = []
        for side, name in enumerate((link["a"], link["b"])):
            number = used[name] = used.get(name, -1) + 1
            ends.append(PlannedEnd(name, f"eth{number}", str(address if name == server else gateway_of(address)),
                                   f"02:00:00:00:{i:02x}:{side + 1:02x}"))
        planned.append(PlannedLink((ends[0], ends[1]), link))
    return planned


def _ue(name: str, settings: dict[str, Any], _: list[PlannedLink], attributes: list[str]) -> PlannedNode:
    address = IPv4Interface(settings["nodes"][name]["address"])
    way = ["dev", RADIO_INTERFACE, "src", str(address.ip), *attributes]
    routes = [[str(address.network), *way]]
    if behind_enb(settings, name):
        routes.append(["default", *way])
    return PlannedNode(name, "ue", {RADIO_INTERFACE: str(address)}, routes)


def _server(name: str, settings: dict[str, Any], links: list[PlannedLink], attributes: list[str]) -> PlannedNode:
    (link,) = (link for link in links if name in [end.node for end in link.ends])
    own, far = sorted(link.ends, key=lambda end: end.node != name)
    route = ["default", "via", _ip(far.address), "dev", own.interface, "src", _ip(own.address), *attributes]
    return PlannedNode(name, "server", {own.interface: own.address}, [route], [_neighbour(own, far)],
                       {own.interface: shaping(link.settings)})


def _enb(name: str, settings: dict[str, Any], links: list[PlannedLink], _: list[str]) -> PlannedNode:
    pairs = [(link, *sorted(link.ends, key=lambda end: end.node != name)) for link in links]
    ues = [ue for ue in settings["radio"]["ues"] if behind_enb(settings, ue)]
    routes = [[f"{_ip(settings['nodes'][ue]['address'])}/32", "dev", network_interface(ue)] for ue in ues]
    interfaces = {own.interface: own.address for _, own, _ in pairs} | {network_interface(ue): None for ue in ues}
    return PlannedNode(name, "enb", interfaces, routes, [_neighbour(own, far) for _, own, far in pairs],
                       {own.interface: shaping(link.settings) for link, own, _ in pairs})


def behind_enb(settings: dict[str, Any], ue: str) -> bool:
    """Whether a UE talks to the network behind the eNB, not to another UE."""
    return settings["nodes"][settings["radio"]["ues"][ue]["peer"]]["kind"] == "enb"


def _ip(address: str) -> str:
    return address.split("/")[0]


def _neighbour(own: PlannedEnd, far: PlannedEnd) -> list[str]:
    """Permanent, so that no ARP is on the wire and none delays a first packet."""
    return [_ip(far.address), "lladdr", far.mac, "dev", own.interface, "nud", "permanent"]


def shaping(link: dict[str, Any]) -> list[str]:
    """One direction of a link as qdiscs: what a wire does to packets, then the queue for its rate.

    The queue comes last because netem would count what it loses on purpose and what overflows as one; a constant
    delay before the queue or after it gives the same times. Without delay and loss, qdiscs do it that every kernel
    has.
    """
    rate = f"rate {link['rate']}bit"
    if needs_netem(link):
        return [f"root handle {WIRE_HANDLE} netem limit {_ON_THE_WIRE} delay {round(link['delay_ms'] * 1000)}us "
                f"loss random {100 * link['loss']:g}%",
                f"parent 1:1 handle {QUEUE_HANDLE} netem {rate} limit {link['queue_pkts']}"]
    burst = max(_FRAME_MAX + 86, round(link["rate"] / 8 * _BURST_S))
    return [f"root handle {WIRE_HANDLE} tbf {rate} burst {burst} limit {link['queue_pkts'] * _FRAME_MAX}",
            f"parent 1:1 handle {QUEUE_HANDLE} pfifo limit {link['queue_pkts']}"]


def needs_netem(link: dict[str, Any]) -> bool:
    return link["delay_ms"] > 0 or link["loss"] > 0


def build(topology: Plan):
    """Mininet with one host (network namespace) per node and its wired links, not yet up.

    UEs have no wired links: celld's TUNs are all that joins them.
    """
    logging.getLogger("mininet").setLevel(logging.ERROR)
    from mininet.log import lg
    from mininet.net import Mininet

    lg.setLogLevel("critical")
    Mininet.inited = True  # its init() would raise limits of the whole machine
    try:
        net = Mininet(topo=None, build=False, controller=None)
        for node in topology.nodes:
            net.addHost(node.name, ip=None)
        for link in topology.links:
            a, b = link.ends
            net.addLink(a.node, b.node, intfName1=a.interface, intfName2=b.interface, addr1=a.mac, addr2=b.mac,
                        up=None)
    except (Exception, SystemExit) as error:
        raise LabError(f"Mininet: {error}; run `cellbed doctor`") from error
    return net


def sysctls(node: PlannedNode, settings: dict[str, Any]) -> dict[str, str]:
    """Settings of a node, by path below /proc/sys/net."""
    if not node.is_host:
        return {**tcp_profile.ALWAYS, "ipv4/ip_forward": "1"}
    files = [flow["bytes"] for flow in settings["traffic"]
             if flow["kind"] == "iperf3" and flow["from"] == node.name and flow["bytes"] is not None]
    return {**tcp_profile.sysctls(settings["tcp"]), **tcp_profile.file_sender(files)}


def configure(pid: int, node: PlannedNode, settings: dict[str, str]) -> list[str]:
    """Addresses, routes, qdiscs and sysctls of a node, once its interfaces exist.

    Return: sysctls the kernel does not have.
    """
    batch = ["link set lo up"]
    for interface, address in node.interfaces.items():
        if interface in node.shaping:
            # TCP hands qdiscs up to 64 KiB as one packet whatever the offloads; they would delay, queue and lose it as
            # one.
            batch.append(f"link set {interface} gso_max_segs 1 up")
        if address is not None:
            batch.append(f"address add {address} dev {interface}")
    batch += [f"route replace {' '.join(route)}" for route in node.routes]
    batch += [f"neighbour replace {' '.join(neighbour)}" for neighbour in node.neighbours]
    with in_netns(pid):
        missing = tcp_profile.write(settings)
        for interface in node.interfaces:
            subprocess.run(["ethtool", "-K", interface,
                            *(_NO_OFFLOADS if interface in node.shaping else _NO_SEGMENTATION)],
                           capture_output=True, check=False)
        done = subprocess.run(["ip", "-batch", "-"], input="\n".join(batch), text=True, capture_output=True,
                              check=False)
        if done.returncode:
            raise LabError(f"node {node.name}: ip: {' '.join(done.stderr.split())}")
        for interface, qdiscs in node.shaping.items():
            _shape(node.name, interface, qdiscs)
    return missing


def _shape(node: str, interface: str, qdiscs: list[str]) -> None:
    """Give an interface its qdiscs and see that it has them.

    Raises:
        LabError: the kernel did not take them.
    """
    batch = "\n".join(f"qdisc add dev {interface} {qdisc}" for qdisc in qdiscs)
    done = subprocess.run(["tc", "-batch", "-"], input=batch, text=True, capture_output=True, check=False)
    have = {q["handle"]: q["kind"] for q in qdisc_statistics(interface)}
    want = dict(zip((WIRE_HANDLE, QUEUE_HANDLE), (_kind(qdisc) for qdisc in qdiscs), strict=True))
    if {handle: have.get(handle) for handle in want} != want:
        said = " ".join(done.stderr.split()) or f"tc shows {have}, not {want}"
        hint = "this kernel has no netem; use the virtual lab or a link without delay and loss" \
            if "netem" in want.values() and "unknown" in said else "run `cellbed doctor`"
        raise LabError(f"node {node}: {interface}: {said}; {hint}")


def _kind(qdisc: str) -> str:
    words = qdisc.split()
    return words[words.index("handle") + 2]


def qdisc_statistics(interface: str | None = None) -> list[dict[str, Any]]:
    """Qdiscs of the current namespace, or of one interface, with counters, as tc(8) prints them in JSON."""
    device = ["dev", interface] if interface else []
    done = subprocess.run(["tc", "-s", "-j", "qdisc", "show", *device], capture_output=True, text=True, check=False)
    return json.loads(done.stdout or "[]")


def link_statistics(pid: int, interface: str) -> dict[str, int]:
    """What became of the packets that a node sent on a wired interface.

    Return: pkts sent, pkts lost on the wire on purpose, pkts that overflowed the queue.
    """
    with in_netns(pid):
        counters = {q["handle"]: q for q in qdisc_statistics(interface)}
    wire, queue = counters[WIRE_HANDLE], counters[QUEUE_HANDLE]
    return {"sent_pkts": wire["packets"], "lost_pkts": wire["drops"] - queue["drops"],
            "overflow_pkts": queue["drops"]}
