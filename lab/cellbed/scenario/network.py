# SPDX-License-Identifier: GPL-2.0-or-later
"""The wired network of a scenario: its nodes and links, with limits and defaults.

docs/reference/keys.md lists the keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_interface
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, model_validator

from cellbed.run import address, core_network
from cellbed.run.address import Interface
from cellbed.run.topology import gateway_of
from cellbed.scenario.fields import Key, Model, Name, Probability, Rate, known, unset

ENBS_MAX = 4
# Linux's RED counts thresholds in 22 bits of bytes beside the weight that it is given here.
_RED_PKTS_MAX = 2500
# Words and numbers with units: nothing that ends a line or an argument.
_TC_WORDS = r"^[a-z0-9_]+( [A-Za-z0-9_.%]+)*$"
QDISCS = ("pfifo", "codel", "fq_codel", "fq", "pie", "fq_pie", "cake", "dualpi2")
NETEM = ("delay", "loss", "corrupt", "duplicate", "reorder", "slot", "ecn")
# A subnet that has room for pasta beside the server.
_WAY_OUT_BITS_MIN = 3
# A pool that has room for a UE and for the NAT64 itself.
_POOL_LENGTH_MAX = 30

# Which kinds of nodes a link may join: without a core network, and with one.
_PARTNERS = {"server": ("enb",), "enb": ("server",)}
_CORE_PARTNERS = {"server": ("sgw",), "sgw": ("server", "router"), "router": ("sgw", "router", "enb"),
                  "enb": ("router",)}


def _parse_address(value: Any) -> Any:
    """Raises ValueError for what is no address with the length of its prefix; any number is one, for Python."""
    if not isinstance(value, str | address.Interface):
        raise ValueError("no text; allowed an address with the length of its prefix, such as 10.45.0.1/24 or "
                         "2001:db8:45::1/64, or a list of one of IPv4 and one of IPv6")
    try:
        found = ip_interface(value)
    except ValueError:
        raise ValueError("allowed an address of IPv4 or IPv6 with the length of its prefix, such as 10.45.0.1/24 or "
                         "2001:db8:45::1/64") from None
    if getattr(found, "scope_id", None) or found.is_multicast or found.is_unspecified or found.ip.is_link_local:
        raise ValueError("allowed addresses of one host that are routed: neither multicast nor link-local ones")
    return found


def _one_of_each_version(value: Any) -> Any:
    """Said here, once, and not for each of the types that it may have."""
    if not isinstance(value, list | tuple):
        return _parse_address(value)
    found = [_parse_address(one) for one in value]
    if len({one.version for one in found}) != len(found) or not found:
        raise ValueError("a list has one address of IPv4 and one of IPv6; a node has one interface")
    return found


Address = Annotated[address.Interface, BeforeValidator(_parse_address)]
Addresses = Annotated[Address | list[Address], BeforeValidator(_one_of_each_version)]


def _check_clat(found: Interface) -> Interface:
    if found.version != 6 or found.network.prefixlen != found.max_prefixlen:
        raise ValueError("allowed one address of IPv6, such as 2001:db8:45::c1a7")
    return found


def _check_pool(found: Interface) -> Interface:
    if found.version != 4:
        raise ValueError("allowed an address of IPv4 with the length of its prefix, such as 10.46.0.1/24")
    if found.network.prefixlen > _POOL_LENGTH_MAX:
        raise ValueError(f"allowed prefix lengths up to {_POOL_LENGTH_MAX}: the NAT64 has an address there, too")
    return found


def _listed(own: Interface | list[Interface] | None) -> list[Interface]:
    return own if isinstance(own, list) else [] if own is None else [own]


ClatAddress = Annotated[address.Interface, BeforeValidator(_parse_address), AfterValidator(_check_clat)]
PoolAddress = Annotated[address.Interface, BeforeValidator(_parse_address), AfterValidator(_check_pool)]


class Node(Model):
    """A network namespace: a UE on the radio, a server on a wire, or one that routes between them."""

    kind: Literal["ue", "server", "enb", "sgw", "router"] = Key("ue",
        says="`ue`: a host on the radio, which `radio.ues` describes; `server`: a host on a wired link; `enb`: routes "
             "between wired links and the radio, and only scenarios with links have one; `sgw`, `router`: of a core "
             "network, which may have four eNBs")
    address: Addresses | None = Key(None,
        says="Address of a UE's `lte0` or a server's `eth0` with the length of its prefix, `10.45.0.1/24` or "
             "`2001:db8:45::1/64`; a list of one of IPv4 and one of IPv6 makes a node with both. Nodes that "
             "route have none of their own: the far end of a server's link takes the last host address of its subnet")
    machine: bool = Key(False,
        says="true: this server is no namespace but this machine itself, with all the services that it has. Only in "
             "the native lab, and for one server. The machine keeps its sysctls and its default route; the lab adds an "
             "interface, which is named after the server's address, and removes it with the run")

    internet: bool = Key(False,
        says="true: pasta (package passt) connects this server to the network of this machine and whatever that "
             "reaches; UEs reach it through the server. Only in the native lab, and for one server. Between it "
             "and pasta lies the subnet that follows the server's own; its first address, `CELLBED_BASE` of the UEs, "
             "leads to this machine's loopback")

    netns: str | None = Key(None,
        says="A network namespace that is there already and that this UE is, such as a container's: `/run/netns/NAME`, "
             "`/proc/PID/ns/net`. It keeps what it has; the run adds `lte0` with two routes that take the default "
             "route's place, and removes them. Only in the native lab; settings of `tcp` that are sysctls do not reach "
             "it")

    clat: ClatAddress | None = Key(None, exclude_if=unset,
        says="464XLAT: this UE has IPv6 only, and programs on it reach servers of IPv4: by a CLAT on the UE, and a "
             "NAT64 where the wired link of the servers ends. Both are tayga (package tayga). This is the address of "
             "IPv6 from which packets of IPv4 leave the UE, beside its own, such as `2001:db8:45::c1a7`. Of several "
             "radio networks it is on the first. RFC 6877")
    nat64: PoolAddress | None = Key(None, exclude_if=unset,
        says="Address of IPv4 that servers see of a UE with `clat`, with the length of the NAT64's pool: "
             "`10.45.0.1/24`. The last host address of the pool is the NAT64's own")

    radios: dict[Name, Addresses] | None = Key(None, exclude_if=unset,
        says="Addresses of this UE on further radio networks, by their names in `radios`: `{wifi: 10.46.0.1/24}`, or a "
             "list as in `address`. Each is that of an interface with the network's name")

    @property
    def addresses(self) -> list[Interface]:
        """All that it has on the first radio network, or on its wire."""
        return _listed(self.address)

    @property
    def on_radios(self) -> dict[str, list[Interface]]:
        """All that it has on further radio networks, by their names."""
        return {name: _listed(own) for name, own in (self.radios or {}).items()}

    def claims(self) -> Iterator[tuple[str, Interface]]:
        """Addresses that nothing else may have, and the key of each."""
        yield from (("address", own) for own in self.addresses)
        yield from ((key, own) for key, own in (("clat", self.clat), ("nat64", self.nat64)) if own is not None)

    @model_validator(mode="after")
    def clat_is_a_ues(self) -> Node:
        if (self.clat is None) != (self.nat64 is None):
            missing = "clat" if self.clat is None else "nat64"
            raise ValueError(f"key '{missing}': missing; a UE with 464XLAT has clat and nat64")
        if self.clat is None:
            return self
        if self.kind != "ue":
            raise ValueError("key 'clat': only UEs have it; set kind: ue, or remove the key")
        for own in self.addresses:
            if own.version == 4:
                raise ValueError(f"key 'clat': the UE has IPv4 on the radio, {own}, and nothing to translate; allowed "
                                 "with an address of IPv6 only")
        return self

    @model_validator(mode="after")
    def netns_is_a_ues(self) -> Node:
        if self.netns is not None and (self.kind != "ue" or not self.netns.startswith("/")):
            raise ValueError(f"key 'netns': value {self.netns}: " + (
                "only UEs have it; set kind: ue, or remove the key" if self.kind != "ue" else
                "allowed a path from the root, such as /run/netns/NAME"))
        return self

    @model_validator(mode="after")
    def machine_serves(self) -> Node:
        for key in ("machine", "internet"):
            if getattr(self, key) and self.kind != "server":
                raise ValueError(f"key '{key}': value true: only servers have it; set kind: server, or remove the key")
        if self.machine and self.internet:
            raise ValueError("key 'internet': value true: with machine: true the server uses this machine's own "
                             "network; remove one of the two keys")
        for own in self.addresses if self.internet else []:
            longest = own.max_prefixlen - _WAY_OUT_BITS_MIN
            if own.network.prefixlen > longest:
                raise ValueError(f"key 'internet': value true: the subnet of {own} is too small; allowed prefix "
                                 f"lengths up to {longest}")
        return self


class Link(Model):
    """A wired link. Both directions are alike and independent.

    Source: Pacifico, Table III (RED)
    """

    a: Name = Key(...,
        says="One end: a link joins a server and the eNB, one link for each server; in a core network a server and the "
             "sgw, the sgw and a router, two routers, or a router and an eNB")
    b: Name = Key(..., says="The other end; the order of the ends is free")
    rate: Rate = Key(..., 1000, 10**11,
        says="Rate of each direction: `512kbit`, `2.5Mbit`, `1Gbit`. There is no default, because a link without a rate"
             " would take no time")
    delay_ms: float = Key(0, 0, 10000, says="One-way delay of each direction. More than 0 needs netem")
    queue_pkts: int = Key(1000, 1, 1000000,
        says="Packets that wait in each direction, without those on their way; more are dropped. The default is the "
             "`txqueuelen` of Linux's Ethernet devices")
    mtu: int | None = Key(None, 1280, 9000, exclude_if=unset,
        says="MTU of both ends; null: 1500, and in a core network 1600, so that tunnels carry packets of 1500 bytes. A "
             "packet above that of its next link is answered with ICMP (Path MTU discovery). RFC 1191; RFC 8201")
    loss: Probability = Key(0.0,
        says="Probability that a packet is lost, each independently of the others. More than 0 needs netem")
    aqm: Literal["none", "red", "red_ecn"] = Key("none",
        says="Management of both queues. `none`: what comes to a full queue is dropped; `red`: random early drops; "
             "`red_ecn`: RED marks packets whose header allows it (ECN) and drops the others. Pacifico, section V.B")
    red_min_pkts: int = Key(20, 2, _RED_PKTS_MAX,
        says="Average queue from which RED begins to drop or mark. Pacifico, Table III")
    red_max_pkts: int = Key(65, 2, _RED_PKTS_MAX,
        says="Average queue above which RED drops or marks every packet. Pacifico, Table III")
    red_probability: float = Key(0.1, None, 1, gt=0,
        says="Probability with which RED drops or marks just below `red_max_pkts`. Pacifico, Table III")

    qdisc: str = Key("pfifo", pattern=_TC_WORDS, max_length=200,
        says="Queue discipline of both queues, in the words of tc(8): `pfifo`, `codel`, `fq_codel`, `fq`, `pie`, "
             "`fq_pie`, `cake`, and on 7.3 `dualpi2`; in the native lab those of the machine's kernel. With "
             "parameters, such as `fq_codel target 5ms ecn`. Where they name no `limit` it is `queue_pkts`")
    netem: str = Key("", pattern=f"{_TC_WORDS}|^$", max_length=200,
        says="What else happens to packets on the wire, in the words of tc-netem(8), such as `loss gemodel 1% 20% 50% "
             "0.1%`, `delay 10ms 2ms distribution normal`, `reorder 25% 50%`, `duplicate 1%`, `slot 10ms 20ms`")

    def ends(self) -> tuple[str, str]:
        return self.a, self.b

    @model_validator(mode="after")
    def one_queue(self) -> Link:
        kind = self.qdisc.split()[0]
        if kind not in QDISCS:
            raise ValueError(f"key 'qdisc': value {self.qdisc}: allowed {', '.join(QDISCS)}, with parameters")
        if self.aqm != "none" and self.qdisc != "pfifo":
            raise ValueError(f"key 'qdisc': value {self.qdisc}: aqm: {self.aqm} is a queue discipline, too; remove one "
                             "of the two keys")
        return self

    @model_validator(mode="after")
    def one_wire(self) -> Link:
        words = self.netem.split()
        if words and words[0] not in NETEM:
            raise ValueError(f"key 'netem': value {self.netem}: allowed words of tc-netem(8) that begin with "
                             f"{', '.join(NETEM)}")
        for word, key in (("limit", "queue_pkts"), ("rate", "rate"), ("delay", "delay_ms"), ("loss", "loss")):
            if word in words and (word not in NETEM or getattr(self, key)):
                raise ValueError(f"key 'netem': value {self.netem}: '{word}' is what the key {key} says; remove one of "
                                 "the two")
        return self

    @model_validator(mode="after")
    def thresholds(self) -> Link:
        if self.aqm != "none" and not self.red_min_pkts < self.red_max_pkts <= self.queue_pkts:
            raise ValueError(f"red_min_pkts is {self.red_min_pkts}, red_max_pkts {self.red_max_pkts}, queue_pkts "
                             f"{self.queue_pkts}: allowed red_min_pkts < red_max_pkts <= queue_pkts")
        return self


class Network:
    """Nodes and links of a radio network together, to see whether they fit."""

    def __init__(self, nodes: dict[str, Node], links: dict[int, Link]) -> None:
        """Args: links: by their places in the scenario's list."""
        self.nodes, self.links = nodes, links

    def of_kind(self, *kinds: str) -> list[str]:
        """Names of the nodes of some kinds, kind by kind."""
        return [name for kind in kinds for name, node in self.nodes.items() if node.kind == kind]

    @property
    def has_core(self) -> bool:
        return bool(self.of_kind("sgw"))

    def check(self) -> None:
        """Raises ValueError with one message for what does not fit."""
        self._check_addresses()
        self._check_machine()
        self._check_kinds()
        self._check_links()
        self._check_nat64()
        if self.has_core:
            self._check_ways()

    def _check_machine(self) -> None:
        for key in ("machine", "internet"):
            having = [name for name, node in self.nodes.items() if getattr(node, key)]
            if len(having) > 1:
                raise ValueError(f"key 'nodes.{having[1]}.{key}': value true: {having[0]} has it already; allowed for "
                                 "one server")

    def _check_addresses(self) -> None:
        addresses: dict[str, str] = {}
        for name, node in self.nodes.items():
            key = f"key 'nodes.{name}.address'"
            if node.kind in core_network.KINDS:
                if node.address is not None:
                    raise ValueError(f"{key}: value {_in_words(node.addresses)}: the addresses of the "
                                     f"{_called(node.kind)} follow from its links; remove the key")
                continue
            if node.address is None:
                raise ValueError(f"{key}: missing; give an address with the length of its prefix, such as 10.45.0.1/24")
            for claimed, own in node.claims():
                key = f"key 'nodes.{name}.{claimed}'"
                other = addresses.setdefault(str(own.ip), name)
                if other != name:
                    raise ValueError(f"{key}: value {own}: {other} has this address; choose another one")
                if self.has_core and core_network.reserved(own.ip):
                    raise ValueError(f"{key}: value {own}: the core network uses it; allowed addresses outside "
                                     f"{_of_core(own.version)}")

    def _check_kinds(self) -> None:
        enbs, sgws, routers = (self.of_kind(kind) for kind in ("enb", "sgw", "router"))
        if len(sgws) > 1:
            raise ValueError(f"key 'nodes.{sgws[1]}.kind': value 'sgw': {sgws[0]} is one already; allowed one sgw")
        if routers and not sgws:
            raise ValueError(f"key 'nodes.{routers[0]}.kind': value 'router': the scenario has no core network; add an "
                             "sgw, or remove the router")
        if sgws and not routers:
            raise ValueError(f"key 'nodes.{sgws[0]}.kind': value 'sgw': it reaches eNBs over a router, and the "
                             "scenario has none; add a router")
        if sgws and not enbs:
            raise ValueError(f"key 'nodes.{sgws[0]}.kind': value 'sgw': the scenario has no eNB; add one")
        if len(enbs) > 1 and not sgws:
            raise ValueError(f"key 'nodes.{enbs[1]}.kind': value 'enb': a scenario without an sgw has one eNB; add an "
                             "sgw and routers, or remove this node")
        if len(enbs) > ENBS_MAX:
            raise ValueError(f"key 'nodes.{enbs[ENBS_MAX]}.kind': value 'enb': {len(enbs)} eNBs: allowed at most "
                             f"{ENBS_MAX}")
        if enbs and not self.links:
            raise ValueError("key 'links': missing; add a link of the eNB, or remove the eNB")

    def _check_links(self) -> None:
        partners = _CORE_PARTNERS if self.has_core else _PARTNERS
        wired = dict.fromkeys(self.of_kind("server", *core_network.KINDS))
        linked: set[str] = set()
        pairs: set[frozenset[str]] = set()
        for i, link in self.links.items():
            known(f"links.{i}.a", link.a, wired)
            fitting = self.of_kind(*partners[self.nodes[link.a].kind])
            known(f"links.{i}.b", link.b, {name: None for name in fitting if name != link.a})
            servers = [name for name in link.ends() if self.nodes[name].kind == "server"]
            if linked.intersection(servers):
                raise ValueError(f"key 'links.{i}': a second link of {servers[0]}; allowed one link for each server")
            if frozenset(link.ends()) in pairs:
                raise ValueError(f"key 'links.{i}': a second link between {link.a} and {link.b}; allowed one")
            linked.update(servers)
            pairs.add(frozenset(link.ends()))
            for server in servers:
                self._check_gateway(server)
            if not servers and link.mtu is not None and link.mtu < core_network.MTU:
                raise ValueError(f"key 'links.{i}.mtu': value {link.mtu}: links of a core network carry packets with "
                                 f"headers of tunnels; allowed {core_network.MTU}..9000")
        for name in self.of_kind("server"):
            if name not in linked:
                raise ValueError(f"key 'links': no link of {name}; add one")

    def _check_gateway(self, server: str) -> None:
        """The far end of the link takes the last host address of the server's subnet."""
        for own in self.nodes[server].addresses:
            key = f"key 'nodes.{server}.address': value {own}"
            end, longest = "S-GW's end" if self.has_core else "eNB's end", own.max_prefixlen - 2
            if own.network.prefixlen > longest:
                raise ValueError(f"{key}: the subnet has no address for the {end}; allowed prefix lengths up to "
                                 f"{longest}")
            if own.ip == gateway_of(own).ip:
                raise ValueError(f"{key}: the {end} has the last address of the subnet; choose another one")
            for name in self.nodes:
                if name != server and self._overlaps(name, own):
                    raise ValueError(f"{key}: its subnet overlaps that of {name}; choose another subnet")
            if self.has_core and any(overlap(own.network, one) for one in core_network.networks(own.version)):
                raise ValueError(f"{key}: its subnet overlaps one of the core network; allowed subnets outside "
                                 f"{_of_core(own.version)}")

    def _overlaps(self, name: str, own: address.Interface) -> bool:
        return any(overlap(own.network, other.network) for _, other in self.nodes[name].claims())

    def _check_nat64(self) -> None:
        """There are servers for it, and its own address is no UE's."""
        pools = {name: node.nat64 for name, node in self.nodes.items() if node.nat64 is not None}
        if pools and not any(own.version == 4 for name in self.of_kind("server") for own in self.nodes[name].addresses):
            raise ValueError(f"key 'nodes.{next(iter(pools))}.clat': no server has an address of IPv4, to which a "
                             "NAT64 leads; add one")
        for name, own in pools.items():
            if own.ip == gateway_of(next(iter(pools.values()))).ip:
                raise ValueError(f"key 'nodes.{name}.nat64': value {own}: the NAT64 itself has this address; "
                                 "choose another one")

    def _check_ways(self) -> None:
        """Every node of the core network has a way to the S-GW, and the S-GW one to a server."""
        (sgw,) = self.of_kind("sgw")
        reached = core_network.first_hops([link.ends() for link in self.links.values()], sgw)
        for name in self.of_kind("router", "enb"):
            if name not in reached:
                raise ValueError(f"key 'links': no path from {name} to {sgw}; add the links between them")
        if not any(name in reached for name in self.of_kind("server")):
            raise ValueError(f"key 'links': no link between {sgw} and a server; add one")


def _called(kind: str) -> str:
    return {"enb": "eNB", "sgw": "S-GW"}.get(kind, kind)


def check_transfer(key: str, source: tuple[str, Node], sink: tuple[str, Node], family: str | None) -> None:
    """Raises ValueError for a transfer whose ends have no version of IP in common, or not the one it asks for."""
    ends = (source[1].addresses, sink[1].addresses)
    if all(ends) and not address.shared(*ends, family):
        called = "one version of IP" if family is None else {"ipv4": "IPv4", "ipv6": "IPv6"}[family]
        has = ", ".join(f"{name} has {_in_words(own)}" for (name, _), own in zip((source, sink), ends, strict=True))
        raise ValueError(f"key '{key}.family': value {family}: {has}; allowed a family of which both have an address, "
                         f"and they have none of {called}")


def _in_words(some: list[address.Interface]) -> str:
    return ", ".join(map(str, some))


def _of_core(version: int) -> str:
    """Networks of the core network in words."""
    return " and ".join(map(str, core_network.networks(version)))


def overlap(one: address.Network, other: address.Network) -> bool:
    """Whether two subnets have an address in common; those of IPv4 and IPv6 have none."""
    return one.version == other.version and one.overlaps(other)
