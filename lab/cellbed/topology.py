# SPDX-License-Identifier: GPL-2.0-or-later
"""The nodes of a run as Mininet hosts, and how they are wired to the radio network.

`plan` is a pure function of the settings, printable without root; `build` makes it real.
"""

from __future__ import annotations

import logging
import subprocess
from dataclasses import dataclass
from ipaddress import IPv4Interface
from typing import Any

from cellbed import tcp_profile
from cellbed.error import LabError
from cellbed.process import in_netns

RADIO_INTERFACE = "lte0"


@dataclass(frozen=True)
class PlannedNode:
    name: str
    address: str  # with prefix length
    interface: str
    route: list[str]  # arguments for `ip route replace`


def plan(settings: dict[str, Any]) -> list[PlannedNode]:
    """What has to exist, from a run's settings."""
    nodes = []
    for name, node in settings["nodes"].items():
        address = IPv4Interface(node["address"])
        route = [str(address.network), "dev", RADIO_INTERFACE, "src", str(address.ip),
                 *tcp_profile.route_attributes(settings["tcp"])]
        nodes.append(PlannedNode(name, str(address), RADIO_INTERFACE, route))
    return nodes


def gateway_of(server: IPv4Interface) -> IPv4Interface:
    """Address of the eNB's end of a server's link: the last host address of the server's subnet."""
    return IPv4Interface((server.network.broadcast_address - 1, server.network.prefixlen))


def build(nodes: list[PlannedNode]):
    """Mininet with one host (network namespace) per node; nothing between them.

    The nodes have no wired links: celld's TUNs are all that joins them.
    """
    logging.getLogger("mininet").setLevel(logging.ERROR)
    from mininet.log import lg
    from mininet.net import Mininet

    lg.setLogLevel("critical")
    Mininet.inited = True  # its init() would raise limits of the whole machine
    try:
        net = Mininet(topo=None, build=False, controller=None)
        for node in nodes:
            net.addHost(node.name, ip=None)
    except (Exception, SystemExit) as error:
        raise LabError(f"Mininet: {error}; run `cellbed doctor`") from error
    return net


def configure(pid: int, node: PlannedNode, settings: dict[str, str]) -> list[str]:
    """Address, routes and sysctls of a node, once its interface exists.

    Return: sysctls the kernel does not have.
    """
    batch = [
        "link set lo up",
        f"address add {node.address} dev {node.interface}",
        f"route replace {' '.join(node.route)}",
    ]
    with in_netns(pid):
        missing = tcp_profile.write(settings)
        # GSO hands segments above the MTU to packet taps; the radio wants them as they are sent.
        subprocess.run(["ethtool", "-K", node.interface, "gso", "off", "gro", "off", "tso", "off"],
                       capture_output=True, check=False)
        done = subprocess.run(["ip", "-batch", "-"], input="\n".join(batch), text=True, capture_output=True,
                              check=False)
    if done.returncode:
        raise LabError(f"node {node.name}: ip: {' '.join(done.stderr.split())}")
    return missing
