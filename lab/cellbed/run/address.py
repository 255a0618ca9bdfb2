# SPDX-License-Identifier: GPL-2.0-or-later
"""Addresses of a run's nodes: one of IPv4, one of IPv6, or one of each, as `nodes.NAME.address` has them.

Works on a run's settings and needs nothing beyond the standard library.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
    ip_interface,
)
from typing import Any

Address = IPv4Address | IPv6Address
Interface = IPv4Interface | IPv6Interface
Network = IPv4Network | IPv6Network
# Local addresses of which each stands beside one of IPv4, whose 32 bits follow. Source: RFC 4193
_BESIDE_IPV4 = IPv6Network("fd63:656c:6c62::/48")
# Of a CLAT, whose address follows that of its UE at this distance: `clat` in hexadecimal digits.
_CLAT = 0xC1A7
# Of the pool of a NAT64 at most, so that it has room for itself and other UEs.
_POOL_LENGTH = 28
# Of programs on a UE with 464XLAT, the same on every UE, and of their interface. Source: RFC 7335
CLAT_HOST, CLAT = "192.0.0.4", "clat"
# Keys of a UE that are of the first radio network only.
_OF_FIRST = ("clat", "nat64")
# Words of the key `family`.
FAMILIES = {"ipv4": 4, "ipv6": 6}


def interfaces(node: Mapping[str, Any]) -> list[Interface]:
    """Those of a node, in the scenario's order; none of a node that routes."""
    return [ip_interface(text) for text in texts_of(node["address"])]


def texts_of(said: str | list[str] | None) -> list[str]:
    """What the key `address` has, as a list."""
    return [said] if isinstance(said, str) else said or []


def on_radio(node: Mapping[str, Any], name: str | None) -> Mapping[str, Any]:
    """A node as a radio network has it; None is the first one. Only UEs have other addresses on others, and no
    464XLAT."""
    if name is None or node["kind"] != "ue":
        return node
    return {**{key: value for key, value in node.items() if key not in _OF_FIRST}, "address": node["radios"][name]}


def texts(node: Mapping[str, Any]) -> list[str]:
    """The same as texts, without the lengths of their prefixes."""
    return [str(interface.ip) for interface in interfaces(node)]


def of_version(some: Iterable[Interface], version: int) -> Interface | None:
    """The one of IPv4 or of IPv6, or None."""
    return next((interface for interface in some if interface.version == version), None)


def shared(one: Iterable[Interface], other: Iterable[Interface], family: str | None = None) -> list[int]:
    """Versions of IP that two nodes have both: of a family only that, else IPv4 before IPv6."""
    both = {interface.version for interface in one} & {interface.version for interface in other}
    return sorted(both if family is None else both & {FAMILIES[family]})


def of_flow(settings: Mapping[str, Any], flow: Mapping[str, Any]) -> tuple[str, str]:
    """Addresses of a transfer's sender and receiver."""
    source, sink = (interfaces(on_radio(settings["nodes"][flow[end]], flow.get("radio"))) for end in ("from", "to"))
    version = shared(source, sink, flow["family"])[0]
    found = [of_version(some, version) for some in (source, sink)]
    assert found[0] is not None and found[1] is not None, "the scenario was checked"
    return str(found[0].ip), str(found[1].ip)


def beside(ipv4: str) -> str:
    """The address of IPv6 that a link has beside one of IPv4; subnets are as large, and overlap as those do."""
    own = IPv4Interface(ipv4)
    number = int(_BESIDE_IPV4.network_address) | int(own.ip) << (128 - _BESIDE_IPV4.prefixlen - 32)
    return str(IPv6Interface((number, _BESIDE_IPV4.prefixlen + own.network.prefixlen)))


def in_families(ipv4: str, families: Iterable[str]) -> str | list[str]:
    """This address of IPv4, the one beside it, or a list of both, as a node's key has them. Args: families: of
    FAMILIES."""
    found = [{"ipv4": ipv4, "ipv6": beside(ipv4)}[family] for family in families]
    return found if len(found) > 1 else found[0]


def translated(ipv4: str) -> dict[str, str]:
    """Keys of a UE that would have this address of IPv4: the address beside it, and 464XLAT."""
    own = IPv4Interface(ipv4)
    return {"address": beside(ipv4), "clat": str(IPv6Interface(beside(ipv4)).ip + _CLAT),
            "nat64": f"{own.ip}/{min(own.network.prefixlen, _POOL_LENGTH)}"}


def socket_family(text: str) -> socket.AddressFamily:
    """Of sockets that have this address."""
    return socket.AF_INET6 if ":" in text else socket.AF_INET
