# SPDX-License-Identifier: GPL-2.0-or-later
"""The nodes of a run made real: namespaces, the wired links between them, addresses, routes, qdiscs and sysctls, as
topology.py has planned them."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cellbed.error import LabError
from cellbed.host import namespaces, offload
from cellbed.host.netns import in_netns
from cellbed.host.rtnetlink import Rtnetlink
from cellbed.run import ipv6, tcp_profile
from cellbed.run.shaping import shape
from cellbed.run.topology import Plan, PlannedNode

ALL_GROUPS = "0 2147483647"  # as net.ipv4.ping_group_range names them
# Why a kernel without policy routing refuses a rule.
_NO_RULES = (errno.EOPNOTSUPP, errno.EAFNOSUPPORT)


class Configured(NamedTuple):
    """What a node has after `configure`, as read back."""

    missing: list[str]  # sysctls that the kernel does not have
    sysctls: dict[str, str | None]
    qdiscs: list[dict[str, Any]]
    offloads: dict[str, dict[str, str]]  # by interface


@contextlib.contextmanager
def build(topology: Plan, before_links: Callable[[dict[str, int]], None] = lambda _: None,
          brought: Mapping[str, int] | None = None) -> Iterator[dict[str, int]]:
    """Namespaces of the nodes, with the wired links between them, which are not yet up, during the block.

    UEs have no wired links: celld's TUNs are all that joins them.

    Args:
        before_links: called with what is yielded, when there are only namespaces.
        brought: descriptors of the namespaces that are there already, by node.

    Yields: of each node a process in its namespaces; this one, of a node that is this machine.

    Raises:
        LabError: the kernel refuses.
    """
    own = [node.name for node in topology.nodes if not node.machine and not node.brought]
    with contextlib.ExitStack() as stack:
        try:
            held = stack.enter_context(namespaces.holding(len(own)))
            pids = {node.name: os.getpid() for node in topology.nodes} | dict(zip(own, held, strict=True))
            for name, netns in (brought or {}).items():
                pids[name] = stack.enter_context(namespaces.visiting(netns))
            before_links(pids)
            if topology.has_ipv6:
                _prepare_ipv6([node for node in topology.nodes if node.name in own], pids)
            for link in topology.links:
                # Before 6.15 the kernel also looks the first end's name up in the namespace of the request, where
                # this machine may have an eth0 of its own. In the end's own namespace the name has to be free anyway.
                with in_netns(pids[link.ends[0].node]), Rtnetlink() as network:
                    network.add_veth(*((end.interface, end.mac, pids[end.node]) for end in link.ends))
                for end in link.ends:
                    if end.node not in own:  # it would be there until some time after its namespace is gone
                        stack.callback(_remove, pids[end.node], end.interface)
        except OSError as error:
            raise LabError(f"nodes: {error.strerror}; run `cellbed doctor`") from error
        yield pids


def _prepare_ipv6(nodes: list[PlannedNode], pids: Mapping[str, int]) -> None:
    """Before there are interfaces: what comes into being with IPv6 as it is by default sends packets at once."""
    for node in nodes:
        with in_netns(pids[node.name]):
            ipv6.prepare(node.name, node.has_ipv6, node.forwards)


def _remove(pid: int, interface: str) -> None:
    with in_netns(pid), Rtnetlink() as network:
        network.remove_link(interface)


def configure(pid: int, node: PlannedNode, settings: dict[str, str]) -> Configured:
    """Addresses, routes, qdiscs and sysctls of a node, once its interfaces exist.

    Raises:
        LabError: the kernel refuses one of them.
    """
    with in_netns(pid), Rtnetlink() as network:
        missing = tcp_profile.write(settings)
        for interface in node.interfaces:
            if not node.offload:
                offload.switch_off(interface, checksum=interface in node.shaping)
        try:
            _connect(node, network)
        except OSError as error:
            raise LabError(f"node {node.name}: {error.strerror}") from error
        qdiscs = shape(node.name, node.shaping) if node.shaping else network.qdiscs()
        return Configured(missing, tcp_profile.read(list(settings)), qdiscs,
                          {interface: offload.read(interface) for interface in node.interfaces})


def _allow_ping() -> None:
    """Let every group send echo requests, as Debian 13 does on its machines: its ping has no rights of its own.

    Without root, only groups that the user namespace knows can be named.
    """
    groups = Path("/proc/sys/net/ipv4/ping_group_range")
    for allowed in (ALL_GROUPS, f"{os.getegid()} {os.getegid()}"):
        with contextlib.suppress(OSError):
            groups.write_text(allowed)
            return


def _add_rule(node: str, network: Rtnetlink, rule: tuple[str, ...]) -> None:
    try:
        network.add_rule(rule)
    except OSError as error:
        if error.errno not in _NO_RULES:
            raise
        raise LabError(f"node {node}: {error.strerror}: this kernel chooses routes by their destination alone "
                       "(CONFIG_IP_MULTIPLE_TABLES, CONFIG_IPV6_MULTIPLE_TABLES); the lab kernels have both") from error


def _connect(node: PlannedNode, network: Rtnetlink) -> None:
    """Addresses and routes of a node in the current namespace."""
    if not node.machine and not node.brought:
        network.set_up("lo")
        _allow_ping()
    for interface, addresses in node.interfaces.items():
        wired = interface in node.shaping
        if node.machine or node.brought:
            (ipv6.quieten if node.has_ipv6 else ipv6.switch_off)(interface)
        if wired:
            # TCP hands qdiscs up to 64 KiB as one packet whatever the offloads; they would delay, queue and lose it as
            # one.
            network.set_up(interface, node.mtu.get(interface), gso_max_segs=None if node.offload else 1,
                           arp=not node.has_ipv6)
        for own in addresses:
            network.add_address(own, interface, with_route=wired)
    for route in node.routes:
        network.replace_route(route)
    for rule in node.rules:
        _add_rule(node.name, network, rule)
    for neighbour in node.neighbours:
        network.replace_neighbour(neighbour)
