# SPDX-License-Identifier: GPL-2.0-or-later
"""The nodes of a run as network namespaces, and how they are joined: by the radio network and by wired links.

`plan` is a pure function of the settings, printable without root; nodes.py makes it real.
"""

from __future__ import annotations

import binascii
from collections.abc import Mapping
from ipaddress import IPv4Interface, IPv6Interface, ip_interface
from typing import Any, NamedTuple

from cellbed.run import address, congestion_control, core_network, radios, tcp_profile
from cellbed.run.shaping import shaping

RADIO_INTERFACE = radios.FIRST_INTERFACE
MTU = 1500
# Default routes of each version of IP; as two halves, which come before a default route that is there.
_DEFAULT = {4: ("default",), 6: ("::/0",)}
# Of rules, for which ip(8) has one word for both.
_ALL = {4: "0.0.0.0/0", 6: "::/0"}
_HALVES = {4: ("0.0.0.0/1", "128.0.0.0/1"), 6: ("::/1", "8000::/1")}


class PlannedNode(NamedTuple):
    name: str
    kind: str  # ue, server, enb, sgw or router
    interfaces: dict[str, list[str]]  # addresses with prefix lengths; none for a TUN of a node that routes
    routes: list[list[str]]  # arguments for `ip route replace`
    neighbours: list[list[str]]  # arguments for `ip neighbour replace`
    shaping: dict[str, list[str]]  # by interface, arguments for `tc qdisc add dev IF`
    mtu: dict[str, int]  # by interface, where it is not the usual one
    machine: bool = False  # no namespace but that of the lab itself
    way_out: bool = False  # a server that is joined to this machine's network
    translates: bool = False  # a UE with a CLAT, whose packets it forwards; a namespace that was there does not
    brought: bool = False  # a namespace that is there already, and keeps what it has
    rules: tuple[tuple[str, ...], ...] = ()  # arguments for `ip rule add`
    offload: bool = False  # hosts hand over several segments at once, and others pass them on

    @property
    def is_host(self) -> bool:
        """A host has TCP, and for each radio network an interface; the others only forward."""
        return self.kind in ("ue", "server")

    @property
    def forwards(self) -> bool:
        """Whether packets that are for others go through it."""
        return self.way_out or self.translates or not self.is_host

    @property
    def in_core(self) -> bool:
        """A node of a core network, which has tunnels or is on their way."""
        return self.kind in ("sgw", "router") or core_network.TUNNEL_INTERFACE in self.interfaces

    @property
    def wired_interfaces(self) -> list[str]:
        return list(self.shaping)

    @property
    def interface(self) -> str:
        """The interface of a host, of several the first."""
        return next(iter(self.interfaces))

    @property
    def address(self) -> str:
        """The first address of a host, with the length of its prefix."""
        return self.interfaces[self.interface][0]

    @property
    def has_ipv6(self) -> bool:
        """Whether packets of IPv6 come to it, or from it."""
        return any(":" in word for words in (*self.interfaces.values(), *self.routes) for word in words)


class PlannedEnd(NamedTuple):
    """One end of a wired link."""

    node: str
    interface: str
    addresses: list[str]  # with prefix lengths, those of both ends in the same order
    mac: str


class PlannedLink(NamedTuple):
    ends: tuple[PlannedEnd, PlannedEnd]
    settings: dict[str, Any]
    mtu: int = MTU
    packet: int = MTU  # bytes of a full user packet there
    offload: bool = False  # several segments at once are on it

    @property
    def name(self) -> str:
        return "-".join(end.node for end in self.ends)

    def seen_from(self, node: str) -> tuple[PlannedEnd, PlannedEnd]:
        """The end of @node and the other one."""
        own, far = sorted(self.ends, key=lambda end: end.node != node)
        return own, far


class Plan(NamedTuple):
    nodes: list[PlannedNode]
    links: list[PlannedLink]

    @property
    def has_ipv6(self) -> bool:
        return any(node.has_ipv6 for node in self.nodes)

    @property
    def hosts(self) -> list[PlannedNode]:
        return [node for node in self.nodes if node.is_host]

    @property
    def gateway(self) -> PlannedNode | None:
        """The first eNB that routes between wires and UEs by itself, without a core network."""
        return next((node for node in self.nodes if not node.is_host and not node.in_core), None)


def gateway_of(server: address.Interface) -> address.Interface:
    """Address of the far end of a server's link: the last host address of the server's subnet."""
    kind = IPv4Interface if server.version == 4 else IPv6Interface
    return kind((int(server.network.broadcast_address) - 1, server.network.prefixlen))


def network_interface(ue: str) -> str:
    """The eNB's interface to a UE: the network side of its bearer."""
    return f"net-{ue}"


def plan(settings: dict[str, Any]) -> Plan:
    """What has to exist, from a run's settings."""
    links = _links(settings)
    parts: dict[str, list[PlannedNode]] = {name: [] for name in settings["nodes"]}
    for _, of_radio in radios.each(settings):
        for node in _nodes(of_radio, [link for link in links if link.settings in of_radio["links"]]):
            parts[node.name].append(node)
    offload = tcp_profile.segmentation_offload(settings)
    return Plan([_joined(*of_node)._replace(offload=offload) for of_node in parts.values()], links)


def _nodes(settings: dict[str, Any], links: list[PlannedLink]) -> list[PlannedNode]:
    """Those of one radio network."""
    attributes = tcp_profile.route_attributes(settings["tcp"])
    core = _core_node
    makers = {"ue": _ue, "server": _server_or_machine, "sgw": core, "router": core,
              "enb": core if core_network.sgw(settings) else _enb}
    return [makers[node["kind"]](name, settings, links, attributes) for name, node in settings["nodes"].items()]


def _joined(first: PlannedNode, *others: PlannedNode) -> PlannedNode:
    """A host as all of its radio networks have it."""
    for other in others:
        first = first._replace(
            interfaces=first.interfaces | other.interfaces, routes=first.routes + other.routes,
            neighbours=first.neighbours + other.neighbours, shaping=first.shaping | other.shaping,
            mtu=first.mtu | other.mtu, rules=first.rules + other.rules)
    return first


def _links(settings: dict[str, Any]) -> list[PlannedLink]:
    planned = []
    offload = tcp_profile.segmentation_offload(settings)
    used: dict[str, int] = {}
    for i, link in enumerate(settings["links"]):
        names = (link["a"], link["b"])
        addresses, mtu, packet = _link_addresses(i, names, settings)
        ends = []
        for side, (name, own) in enumerate(zip(names, addresses, strict=True)):
            number = used[name] = used.get(name, -1) + 1
            interface = machine_interface(own[0]) if settings["nodes"][name]["machine"] else f"eth{number}"
            ends.append(PlannedEnd(name, interface, own, f"02:00:00:00:{i:02x}:{side + 1:02x}"))
        planned.append(PlannedLink((ends[0], ends[1]), link, mtu, packet, offload))
    return planned


def _link_addresses(index: int, names: tuple[str, str],
                    settings: dict[str, Any]) -> tuple[tuple[list[str], list[str]], int, int]:
    """Addresses of both ends of a link, its MTU, and the bytes of a full packet on it."""
    server = next((name for name in names if settings["nodes"][name]["kind"] == "server"), None)
    if server is None:
        near, away = core_network.link_addresses(index, settings)
        mtu = settings["links"][index].get("mtu") or core_network.MTU
        return ([near], [away]), mtu, MTU + core_network.OUTER_BYTES[core_network.version(settings)]
    addresses = address.interfaces(settings["nodes"][server])
    own, far = list(map(str, addresses)), [str(gateway_of(one)) for one in addresses]
    mtu = settings["links"][index].get("mtu") or MTU
    return ((own, far) if names[0] == server else (far, own)), mtu, mtu


def _ue(name: str, settings: dict[str, Any], links: list[PlannedLink], attributes: list[str]) -> PlannedNode:
    addresses, routes = address.interfaces(settings["nodes"][name]), []
    brought, interface = settings["nodes"][name]["netns"] is not None, radios.interface(settings)
    table, rules = _table(settings), []
    for own in addresses:
        way = ["dev", interface, "src", str(own.ip), *attributes]
        routes.append([str(own.network), *way])
        if behind_enb(settings, name):
            routes += [[prefix, *way, *table] for prefix in everywhere(own.version, brought)]
        selectors = (("from", str(own.ip)), ("from", _ALL[own.version], "oif", interface))
        rules += [(*selector, *table) for selector in selectors if table]
    return PlannedNode(name, "ue", {interface: list(map(str, addresses))}, routes, **_wires(name, links),
                       brought=brought, translates="clat" in settings["nodes"][name] and not brought,
                       rules=tuple(rules))


def _table(settings: dict[str, Any]) -> list[str]:
    """Where the default route of a further radio network is: for what has its address or asks for its interface."""
    return ["table", settings["further"]["table"]] if "further" in settings else []


def _server(name: str, settings: dict[str, Any], links: list[PlannedLink], attributes: list[str]) -> PlannedNode:
    (link,) = _links_of(name, links)
    own, far = link.seen_from(name)
    routes = [[default_prefix(here), "via", _ip(there), "dev", own.interface, "src", _ip(here), *attributes]
              for here, there in zip(own.addresses, far.addresses, strict=True)]
    return PlannedNode(name, "server", {own.interface: own.addresses}, routes, **_wires(name, links))


def machine_interface(own: str) -> str:
    """Beside those that the machine has, and those of other labs: their addresses differ."""
    packed = ip_interface(own).ip.packed
    return f"cb{int.from_bytes(packed) if len(packed) == 4 else binascii.crc32(packed):08x}"


def _server_or_machine(name: str, settings: dict[str, Any], links: list[PlannedLink],
                       attributes: list[str]) -> PlannedNode:
    """The machine keeps its default route, and so does a server with a way out; they have routes to the UEs and to what
    a NAT64 has for them, as every server has to those of further radio networks."""
    server = _server(name, settings, links, attributes)
    node = settings["nodes"][name]
    if not node["machine"] and not node["internet"] and "further" not in settings:
        return server
    defaults = {route[0]: route[1:] for route in server.routes}
    routes = [[prefix, *defaults[default_prefix(prefix)]]
              for ue in settings["radio"]["ues"] if behind_enb(settings, ue)
              for prefix in (*_hosts_prefixes(settings, ue), *pools(settings, ue))
              if default_prefix(prefix) in defaults]
    return server._replace(machine=node["machine"], way_out=node["internet"], routes=routes)


def _enb(name: str, settings: dict[str, Any], links: list[PlannedLink], _: list[str]) -> PlannedNode:
    """An eNB without core network: it routes between its links and its UEs."""
    ues = [ue for ue in settings["radio"]["ues"] if behind_enb(settings, ue)]
    routes = [[prefix, "dev", network_interface(ue)] for ue in ues for prefix in _hosts_prefixes(settings, ue)]
    routes += _ways_out(name, settings, links)
    interfaces = _addresses(name, links) | {network_interface(ue): [] for ue in ues}
    return PlannedNode(name, "enb", interfaces, routes, **_wires(name, links))


def _core_node(name: str, settings: dict[str, Any], links: list[PlannedLink], _: list[str]) -> PlannedNode:
    """A node of a core network: routes to the ends of all tunnels, its own through its TUN, where the S-GW also has
    the users' addresses."""
    ends = core_network.tunnel_ends(settings)
    interfaces = _addresses(name, links) | ({core_network.TUNNEL_INTERFACE: []} if name in ends else {})
    hops = core_network.first_hops([(link.ends[0].node, link.ends[1].node) for link in links], name)
    routes = []
    for end, tunnels in ends.items():
        if end == name:
            routes.append([str(ip_interface(tunnels)), "dev", core_network.TUNNEL_INTERFACE])
        else:
            own, far = links[hops[end]].seen_from(name)
            routes.append([str(ip_interface(tunnels)), "via", _ip(far.addresses[0]), "dev", own.interface])
    kind = settings["nodes"][name]["kind"]
    for ue in core_network.ues_with_tunnels(settings) if kind == "sgw" else []:
        routes += [[prefix, "dev", core_network.TUNNEL_INTERFACE, *_mtu_of_radio(settings)]
                   for prefix in _hosts_prefixes(settings, ue)]
    routes += _ways_out(name, settings, links)
    return PlannedNode(name, kind, interfaces, routes, **_wires(name, links))


def _mtu_of_radio(settings: dict[str, Any]) -> list[str]:
    """Of a route whose interface takes more: outer packets, too. Source: RFC 1191; RFC 8201."""
    mtu = settings["radio"].get("mtu")
    return [] if mtu is None else ["mtu", str(mtu)]


def _ways_out(name: str, settings: dict[str, Any], links: list[PlannedLink]) -> list[list[str]]:
    """The default route of a node that is linked to a server with a way out."""
    ends = [link.seen_from(name) for link in _links_of(name, links)]
    return [[default_prefix(there), "via", _ip(there), "dev", own.interface] for own, far in ends
            if settings["nodes"][far.node]["internet"] for there in far.addresses]


def _links_of(name: str, links: list[PlannedLink]) -> list[PlannedLink]:
    return [link for link in links if name in [end.node for end in link.ends]]


def _addresses(name: str, links: list[PlannedLink]) -> dict[str, list[str]]:
    """Addresses of a node's wired interfaces."""
    ends = [link.seen_from(name)[0] for link in _links_of(name, links)]
    return {own.interface: own.addresses for own in ends}


def _wires(name: str, links: list[PlannedLink]) -> dict[str, Any]:
    """What a node's wired interfaces need: neighbours, qdiscs, MTUs."""
    ends = [(link, *link.seen_from(name)) for link in _links_of(name, links)]
    return {"neighbours": [_neighbour(own, far, there) for _, own, far in ends for there in far.addresses],
            "shaping": {own.interface: shaping(link.settings, link.mtu, link.packet, link.offload)
                        for link, own, _ in ends},
            "mtu": {own.interface: link.mtu for link, own, _ in ends if link.mtu != MTU}}


def behind_enb(settings: Mapping[str, Any], ue: str) -> bool:
    """Whether a UE talks to the network behind the eNB, not to another UE."""
    return settings["nodes"][settings["radio"]["ues"][ue]["peer"]]["kind"] == "enb"


def _ip(own: str) -> str:
    return own.split("/")[0]


def _hosts_prefixes(settings: Mapping[str, Any], name: str) -> list[str]:
    """Addresses of a host, and of a CLAT on it, as destinations of routes."""
    node = settings["nodes"][name]
    own = [f"{own.ip}/{own.max_prefixlen}" for own in address.interfaces(node)]
    return [*own, node["clat"]] if "clat" in node else own


def pools(settings: Mapping[str, Any], ue: str) -> list[str]:
    """Where the NAT64 has addresses for a UE, as destinations of routes."""
    node = settings["nodes"][ue]
    return [str(ip_interface(node["nat64"]).network)] if "clat" in node else []


def everywhere(version: int, brought: bool) -> tuple[str, ...]:
    """Prefixes of all addresses of a version of IP.

    Args:
        brought: the namespace was there. Its default route comes before none of them, and is as it was without them.
    """
    return (_HALVES if brought else _DEFAULT)[version]


def default_prefix(own: str) -> str:
    """The default route of an address's version of IP, as ip(8) takes it."""
    (prefix,) = _DEFAULT[6 if ":" in own else 4]
    return prefix


def _neighbour(own: PlannedEnd, far: PlannedEnd, there: str) -> list[str]:
    """Permanent, so that neither ARP nor neighbour discovery is on the wire and none delays a first packet."""
    return [_ip(there), "lladdr", far.mac, "dev", own.interface, "nud", "permanent"]


def sysctls(node: PlannedNode, settings: dict[str, Any]) -> dict[str, str]:
    """Settings of a node, by path below /proc/sys/net; this machine, or what was there before, keeps its own."""
    if node.machine or node.brought:
        return {}
    asked = congestion_control.by_command(settings, node.name)
    own = {congestion_control.SYSCTL: asked} if asked is not None else {}
    if not node.is_host:
        return {**tcp_profile.always(node.has_ipv6), "ipv4/ip_forward": "1", **_forwarding(node, settings), **own}
    files = [flow["bytes"] for flow in settings["traffic"]
             if flow["kind"] == "iperf3" and flow["from"] == node.name and flow["bytes"] is not None]
    forwards = {"ipv4/ip_forward": "1"} if node.way_out else {}
    return {**tcp_profile.sysctls(settings["tcp"], node.has_ipv6), **tcp_profile.file_sender(files), **forwards, **own}


def _forwarding(node: PlannedNode, settings: dict[str, Any]) -> dict[str, str]:
    """A node of a core network passes on what it has no address for: tunnel packets may come from anywhere, and what
    one UE sends another leaves the S-GW where it came in."""
    if core_network.sgw(settings) is None:
        return {}
    return {f"ipv4/conf/{interface}/{name}": "0" for interface in ("all", *node.interfaces)
            for name in ("rp_filter", "send_redirects")}
