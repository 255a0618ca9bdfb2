# SPDX-License-Identifier: GPL-2.0-or-later
"""A link with further radio networks: what another link has becomes one of `radios`, at the same UE and server."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

from cellbed.error import ScenarioError
from cellbed.run.address import FAMILIES, in_families, of_version, texts_of
from cellbed_formats.printable import shown

Data = dict[str, Any]
# Of the addresses of further networks: the second number of the first one, the next ones follow.
_FIRST, _LAST = 47, 99
# Of their subnets, where that of a link is none of IPv4.
_LENGTH = 24
_NODE_MAX = 12
_NAME = re.compile(r"[a-z][a-z0-9-]{0,9}")  # with which "NAME-1" is a node's name


def split(text: str) -> tuple[str, str]:
    """Name and link of an option's value. Raises ScenarioError for one without them."""
    name, _, link = text.partition("=")
    if not name or not link:
        raise ScenarioError(f"link: --radio {shown(text)}: expected NAME=LINK, such as wifi=leo")
    if _NAME.fullmatch(name) is None:
        raise ScenarioError(f"link: --radio {shown(text)}: allowed names that match {_NAME.pattern}, such as wifi")
    return name, link


def add(data: Data, name: str, other: Data, path: Path) -> None:
    """Put the radio network of a link into another link.

    Its UE and server become those of @data. Others of its nodes are called as there, after the network's name:
    `wifi-enb`; where that is too long, they have numbers: `starlink-1`. Sockets of Multipath TCP use all networks.

    Args:
        data: a valid scenario with a server.
        other: likewise; it is used up.
        path: where @other is from.

    Raises:
        ScenarioError: one of the two has no server, or not one UE, or the name is taken.
    """
    networks = data["radios"] = data.get("radios") or {}
    if name in networks:
        raise ScenarioError(f"link: --radio {shown(name)} is given twice; give each network another name")
    _expect_one_ue(other, path)
    ue, server = _of_kind(data, "ue"), _of_kind(data, "server")
    if not server:
        raise ScenarioError("link: --radio: allowed in links with a server; two UEs have nothing but the radio between "
                            "them")
    names = _names(name, [node for node, of in other["nodes"].items() if of.get("kind", "ue") not in ("ue", "server")])
    names |= {_of_kind(other, "ue")[0]: ue[0], _of_kind(other, "server")[0]: server[0]}
    length = _length(other)
    for node, of in other["nodes"].items():
        if names[node] not in data["nodes"]:
            data["nodes"][names[node]] = of
    own = data["nodes"][ue[0]]
    own["radios"] = {**(own.get("radios") or {}), name: _as_server(data["nodes"][server[0]], _free(data, length))}
    data["links"] = (data.get("links") or []) + renamed(other.get("links") or [], names)
    networks[name] = renamed(other["radio"], names)
    data["validity"] = (other.get("validity") or {}) | (data.get("validity") or {})
    data.setdefault("mptcp", {})


def _names(name: str, nodes: list[str]) -> dict[str, str]:
    whole = {node: f"{name}-{node}" for node in nodes}
    if max(map(len, whole.values())) <= _NODE_MAX:
        return whole
    return {node: f"{name}-{i}" for i, node in enumerate(nodes, 1)}


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Data in which nodes are called otherwise, as keys and as values. No key of a scenario is called as a node is."""
    if isinstance(value, dict):
        return {names.get(key, key): renamed(of, names) for key, of in value.items()}
    if isinstance(value, list):
        return [renamed(of, names) for of in value]
    return names.get(value, value) if isinstance(value, str) else value


def _expect_one_ue(other: Data, path: Path) -> None:
    why = "several radio networks" if other.get("radios") else \
        "no server" if not _of_kind(other, "server") else \
        "several servers" if len(_of_kind(other, "server")) > 1 else \
        "several UEs" if len(_of_kind(other, "ue")) > 1 else None
    if why is not None:
        raise ScenarioError(f"link: --radio: {path.stem} has {why}; allowed links with a server and a UE")


def _of_kind(data: Data, kind: str) -> list[str]:
    return [name for name, node in data["nodes"].items() if node.get("kind", "ue") == kind]


def _length(other: Data) -> int:
    """That of its UE's subnet, as one of IPv4."""
    found = [ip_interface(own) for own in _texts(other["nodes"][_of_kind(other, "ue")[0]])]
    ipv4 = of_version(found, 4)
    return _LENGTH if ipv4 is None else ipv4.network.prefixlen


def _as_server(server: Data, ipv4: str) -> str | list[str]:
    """An address of each version of IP of which a server has one: this one, and the one beside it."""
    has = {ip_interface(own).version for own in _texts(server)}
    return in_families(ipv4, [family for family, version in FAMILIES.items() if version in has])


def _free(data: Data, length: int) -> str:
    """An address in a subnet of that prefix length of which no node has another one."""
    taken = [ip_interface(text).network for node in data["nodes"].values() for text in _texts(node)]
    for n in range(_FIRST, _LAST + 1):
        own = ip_interface(f"10.{n}.0.1/{length}")
        if not any(own.version == other.version and own.network.overlaps(other) for other in taken):
            return str(own)
    raise ScenarioError(f"link: --radio: no subnet 10.{_FIRST}.0.0/{length} to 10.{_LAST}.0.0/{length} is free")


def _texts(node: Data) -> list[str]:
    said = [node.get("address"), *(node.get("radios") or {}).values()]
    return [text for one in said for text in texts_of(one)]
