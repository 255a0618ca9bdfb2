# SPDX-License-Identifier: GPL-2.0-or-later
"""The core network of a run: which nodes are in it, their addresses, and the ways between them.

A network with an S-GW has GTP-U tunnels between it and the eNBs. Each end of a tunnel has one TUN, behind which the
core of the radio network builds and takes apart tunnel packets; a route to the node's GTP-U address leads there.
Works on a run's settings and needs nothing beyond the standard library.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_interface
from typing import Any

TUNNEL_INTERFACE = "gtp0"
# Room for a user packet of 1500 bytes with outer headers, so that nothing is fragmented. Source: TS 29.281 4.2.4
MTU = 1600
# IP, UDP and GTP-U headers of a G-PDU.
OUTER_BYTES = {4: 36, 6: 56}
KINDS = ("sgw", "router", "enb")

# GTP-U addresses: x.x.0.1 is the S-GW's, x.x.k.1 that of the k-th eNB from 1; of IPv6 ::1 and ::k01.
GTPU_NETWORK: dict[int, IPv4Network | IPv6Network] = {
    4: IPv4Network("10.60.0.0/16"), 6: IPv6Network("fd63:656c:6c62:a3c::/64")}
# A subnet of 4 for each link between nodes of the core network.
LINK_NETWORK: dict[int, IPv4Network | IPv6Network] = {
    4: IPv4Network("10.61.0.0/16"), 6: IPv6Network("fd63:656c:6c62:a3d::/64")}


def of_kind(settings: dict[str, Any], kind: str) -> list[str]:
    """Names of the nodes of a kind, in the scenario's order."""
    return [name for name, node in settings["nodes"].items() if node["kind"] == kind]


def sgw(settings: dict[str, Any]) -> str | None:
    """Name of the S-GW; None in a run without core network."""
    return next(iter(of_kind(settings, "sgw")), None)


def version(settings: dict[str, Any]) -> int:
    """That of IP between the ends of tunnels."""
    return 6 if (settings["radio"].get("gtpu") or {}).get("outer") == "ipv6" else 4


def tunnel_ends(settings: dict[str, Any]) -> dict[str, str]:
    """GTP-U address of the S-GW and of every eNB; empty without an S-GW."""
    if sgw(settings) is None:
        return {}
    ends = [*of_kind(settings, "sgw"), *of_kind(settings, "enb")]
    return {name: str(GTPU_NETWORK[version(settings)][256 * i + 1]) for i, name in enumerate(ends)}


def ues_with_tunnels(settings: dict[str, Any]) -> dict[str, str]:
    """UEs that have tunnels, with the eNB that serves each at the start: all whose peer is an eNB."""
    if sgw(settings) is None:
        return {}
    peers = {name: ue["peer"] for name, ue in settings["radio"]["ues"].items()}
    return {name: peer for name, peer in peers.items() if settings["nodes"][peer]["kind"] == "enb"}


def link_addresses(index: int, settings: dict[str, Any]) -> tuple[str, str]:
    """Addresses of both ends of a link between nodes of the core network, with the length of their prefix."""
    base = LINK_NETWORK[version(settings)][4 * index]
    near, far = (str(ip_interface((base + k, base.max_prefixlen - 2))) for k in (1, 2))
    return near, far


def networks(version: int) -> tuple[IPv4Network | IPv6Network, IPv4Network | IPv6Network]:
    """Those that are the core network's own."""
    return GTPU_NETWORK[version], LINK_NETWORK[version]


def reserved(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is the core network's own."""
    return any(address in network for network in networks(address.version))


def first_hops(links: list[tuple[str, str]], start: str) -> dict[str, int]:
    """From a node to every other that can be reached: index of the first link of a shortest way; the earlier one
    of two as short."""
    hops: dict[str, int] = {}
    reached, edge = {start}, [start]
    while edge:
        ahead = []
        for node in edge:
            for i, ends in enumerate(links):
                far = ends[1] if ends[0] == node else ends[0]
                if node in ends and far not in reached:
                    reached.add(far)
                    hops[far] = hops.get(node, i)
                    ahead.append(far)
        edge = ahead
    return hops
