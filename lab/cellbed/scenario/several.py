# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenarios with several radio networks: each is checked as the scenario that has no other (run/radios.py).

A base station belongs to the network whose UEs have it as their peer, and so does what its links lead to but servers.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, Self, TypeVar

from cellbed.error import ScenarioError
from cellbed.run import address, radios
from cellbed.scenario.fields import known
from cellbed.scenario.mptcp import Mptcp
from cellbed.scenario.network import Link, Node, overlap
from cellbed.scenario.traffic import Transfer

# What the first network is called among others.
FIRST = "radio"
# Interfaces that nodes have anyway, and words of ip(8).
_TAKEN = re.compile(rf"{FIRST}|lo|all|default|dev|none|(eth|lte|gtp|net-?)\d*")


class Scenario(Protocol):
    """What is needed here of the model of scenarios, which needs this module."""

    @property
    def radio(self) -> Any: ...

    @property
    def radios(self) -> Mapping[str, Any] | None: ...

    @property
    def nodes(self) -> Mapping[str, Node]: ...

    @property
    def links(self) -> Sequence[Link]: ...

    @property
    def mptcp(self) -> Mptcp | None: ...

    def of_kind(self, kind: str) -> list[str]:
        """Names of the nodes of a kind."""

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Self:
        """The same with other values."""


S = TypeVar("S", bound=Scenario)


@contextlib.contextmanager
def messages_of(name: str | None) -> Iterator[None]:
    """What is refused of a radio network in this block, is said with its own keys."""
    try:
        yield
    except (ValueError, ScenarioError) as wrong:
        if name is None:
            raise
        said = re.sub(rf"\b{FIRST}\.", f"radios.{name}.", str(wrong))
        said = re.sub(r"key 'nodes\.([^.']+)\.address'", rf"key 'nodes.\1.radios.{name}'", said)
        raise type(wrong)(said) from wrong


def alone(scenario: S, name: str | None) -> S:
    """The scenario as it is with only one of its radio networks; itself where there are no others."""
    if scenario.radios is None:
        return scenario
    radio = scenario.radio if name is None else scenario.radios[name]
    own = _stations(scenario, name)
    links = [link for link in scenario.links if own.intersection(link.ends())]
    kept = own.union(radio.ues, *(link.ends() for link in links))
    nodes = {node: of if name is None or of.kind != "ue" else
             of.model_copy(update={"address": (of.radios or {})[name], "clat": None, "nat64": None})
             for node, of in scenario.nodes.items() if node in kept}
    return scenario.model_copy(update={"nodes": nodes, "links": links, "radio": radio, "radios": None})


def each(scenario: S) -> Iterator[tuple[str | None, S]]:
    """Every radio network, and the scenario that it makes alone."""
    return ((name, alone(scenario, name)) for name in (None, *(scenario.radios or {})))


def _stations(scenario: Scenario, name: str | None) -> set[str]:
    radio = scenario.radio if name is None else (scenario.radios or {})[name]
    return radios.stations({node: of.kind for node, of in scenario.nodes.items()},
                           [link.ends() for link in scenario.links], [ue.peer for ue in radio.ues.values()])


def check(scenario: Scenario) -> None:
    """Raises ValueError for networks that cannot be together; what each of them is by itself is checked after that."""
    if scenario.radios is None:
        for name, node in scenario.nodes.items():
            if node.radios is not None:
                raise ValueError(f"key 'nodes.{name}.radios': the scenario has one radio network; add radios, or remove"
                                 " the key")
        return
    for name in scenario.radios:
        _check_name(scenario, name)
    for end in {end for link in scenario.links for end in link.ends()}:
        known("links", end, dict(scenario.nodes))
    for radio, of in {FIRST: scenario.radio, **{f"radios.{name}": of for name, of in scenario.radios.items()}}.items():
        for ue, keys in of.ues.items():
            if keys.peer not in scenario.of_kind("enb"):
                raise ValueError(f"key '{radio}.ues.{ue}.peer': value {keys.peer}: with radios, UEs talk to networks; "
                                 f"allowed {', '.join(scenario.of_kind('enb')) or 'an eNB, of which there is none'}")
    _check_nodes(scenario)
    _check_stations(scenario)


def _check_name(scenario: Scenario, name: str) -> None:
    key = f"key 'radios.{name}'"
    if _TAKEN.fullmatch(name):
        raise ValueError(f"{key}: an interface of each UE gets this name, which Linux or cellbed uses for something "
                         "else; choose another one, such as wifi")
    if name in scenario.nodes:
        raise ValueError(f"{key}: a node has this name; choose another one")
    clash = next((node for node in scenario.nodes if node.endswith(f"-{name}")), None)
    if clash is not None:
        raise ValueError(f"{key}: the files of node {clash} end with this name; choose another one")


def _check_nodes(scenario: Scenario) -> None:
    networks = scenario.radios or {}
    linked = {end for link in scenario.links for end in link.ends()}
    for name, node in scenario.nodes.items():
        for key in ("machine", "internet", "netns"):
            if getattr(node, key):
                raise ValueError(f"key 'nodes.{name}.{key}': value {getattr(node, key)}: with radios, nodes are "
                                 "namespaces of the run only; remove the key, or radios")
        if node.kind == "server" and name not in linked:
            raise ValueError(f"key 'links': no link of {name}; add one")
        own = node.on_radios
        if own and node.kind != "ue":
            raise ValueError(f"key 'nodes.{name}.radios': only UEs have it; set kind: ue, or remove the key")
        for radio, addresses in own.items():
            known(f"nodes.{name}.radios", radio, dict(networks))
            if name not in networks[radio].ues:
                raise ValueError(f"key 'radios.{radio}.ues.{name}': missing; nodes.{name}.radios has an address there")
            others = [*(one for _, one in node.claims()), *(one for at in own if at != radio for one in own[at])]
            for one in addresses:
                if any(overlap(one.network, other.network) for other in others):
                    raise ValueError(f"key 'nodes.{name}.radios.{radio}': value {one}: its subnet overlaps another "
                                     f"one of {name}; choose another subnet")
    for radio, of in networks.items():
        for ue in of.ues:
            known(f"radios.{radio}.ues.{ue}", ue, dict.fromkeys(scenario.of_kind("ue")))
            if radio not in (scenario.nodes[ue].radios or {}):
                raise ValueError(f"key 'nodes.{ue}.radios.{radio}': missing; give an address with the length of its "
                                 "prefix, such as 10.46.0.1/24")


def _check_stations(scenario: Scenario) -> None:
    """Every node that routes does so for one network."""
    owner: dict[str, str] = {}
    for name in (None, *(scenario.radios or {})):
        for node in sorted(_stations(scenario, name)):
            other = owner.setdefault(node, name or FIRST)
            if other != (name or FIRST):
                raise ValueError(f"key 'nodes.{node}': it routes for {other} and for {name}; give each radio network "
                                 "base stations of its own, and join them by servers only")
    for i, link in enumerate(scenario.links):
        if not owner.keys() & link.ends():
            raise ValueError(f"key 'links.{i}': it is a link of no radio network; allowed links of a server and a base "
                             "station, or of a core network")
    for node in scenario.of_kind("enb") + scenario.of_kind("sgw") + scenario.of_kind("router"):
        if node not in owner:
            raise ValueError(f"key 'nodes.{node}': it belongs to no radio network; make it a UE's peer, or link it to "
                             "one that is")


def check_transfer(scenario: Scenario, transfer: str, flow: Transfer) -> None:
    """Raises ValueError for a transfer over a radio network that is not there, or of MPTCP without several."""
    if flow.radio is not None and flow.radio not in (scenario.radios or {}):
        names = ", ".join(scenario.radios or {})
        raise ValueError(f"key '{transfer}.radio': value {flow.radio}: allowed "
                         f"{names}, or null for the first network" if names else
                         f"key '{transfer}.radio': value {flow.radio}: the scenario has one radio network; remove the "
                         "key, or add radios")
    if flow.transport != "mptcp":
        return
    ends = {name: scenario.nodes.get(name) for name in (flow.source, flow.to)}
    several = [name for name, node in ends.items() if node is not None and node.radios]
    servers = [name for name, node in ends.items() if node is not None and node.kind == "server"]
    if len(several) != 1 or len(servers) != 1:
        raise ValueError(f"key '{transfer}.transport': value mptcp: allowed between a server and a UE on several radio "
                         "networks (nodes.<name>.radios)")
    (ue,), (server,) = several, servers
    first = alone(scenario, flow.radio).nodes
    versions = address.shared(first[ue].addresses, first[server].addresses, flow.family) if server in first else []
    for name in (None, *(scenario.nodes[ue].radios or {})):
        there = alone(scenario, name).nodes
        if server not in there:
            raise ValueError(f"key 'links': no link between {server} and {name or FIRST}, over which {flow.id} has "
                             "a subflow; add one")
        if versions and address.of_version(there[ue].addresses, versions[0]) is None:
            key = f"nodes.{ue}.address" if name is None else f"nodes.{ue}.radios.{name}"
            raise ValueError(f"key '{key}': no address of IPv{versions[0]}, from which {flow.id} has a subflow; add "
                             f"one, or set {transfer}.family")


def check_mptcp(scenario: Scenario) -> None:
    """Raises ValueError for MPTCP without several radio networks, or backups that are not there or leave nothing."""
    if scenario.mptcp is None:
        return
    if scenario.radios is None:
        raise ValueError("key 'mptcp': the scenario has one radio network; add radios, or remove the key")
    names = dict.fromkeys((FIRST, *scenario.radios))
    for i, name in enumerate(scenario.mptcp.backup):
        known(f"mptcp.backup.{i}", name, names)
