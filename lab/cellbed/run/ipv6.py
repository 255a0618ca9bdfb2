# SPDX-License-Identifier: GPL-2.0-or-later
"""IPv6 of nodes, without packets that no scenario asked for: those of neighbour discovery, of routers and of multicast
listeners would be traffic on the radio, and delay the first packets of the traffic.

Interfaces have the addresses that the scenario gives them and no link-local ones, which nothing probes for duplicates.
They join no groups that they would have to report: wires have no neighbours to look for, and the interfaces of a node
that forwards are no routers' (the kernel asks for `forwarding` of all interfaces together).

Source: Linux 7.3, ip-sysctl.rst, /proc/sys/net/ipv6; net/ipv6/addrconf.c, dev_forward_change(), addrconf_join_solict()
"""

from __future__ import annotations

from cellbed.error import LabError
from cellbed.run import tcp_profile

# Of interfaces; addr_gen_mode 1: no address but those that are given.
_QUIET = {"disable_ipv6": "0", "addr_gen_mode": "1", "accept_dad": "0", "dad_transmits": "0", "accept_ra": "0",
          "autoconf": "0"}


def prepare(node: str, on: bool, forwards: bool) -> None:
    """Settings of the current namespace, whose interfaces are yet to come and take them from `default`.

    Raises:
        LabError: the kernel has no IPv6, or refuses one.
    """
    settings = {f"ipv6/conf/default/{name}": value for name, value in _QUIET.items()} if on else tcp_profile.NO_IPV6
    if on and forwards:
        settings = {"ipv6/conf/all/forwarding": "1", "ipv6/conf/default/forwarding": "0", **settings}
    if tcp_profile.write(settings) and on:
        raise LabError(f"node {node}: this kernel has no IPv6")


def quieten(interface: str, has_neighbours: bool = False) -> None:
    """The same for one interface of a namespace that keeps its own settings, before its addresses are given.

    Args:
        has_neighbours: it has to find them, for which it has a link-local address, at once.

    Raises:
        LabError: the kernel refuses.
    """
    for name, value in settings_of(interface, has_neighbours):
        if tcp_profile.write({name: value}):
            raise LabError(f"interface {interface}: this kernel has no IPv6")


def switch_off(interface: str) -> None:
    """IPv6 of one interface, which has packets of its own otherwise, in such a namespace; a kernel may have none."""
    tcp_profile.write({f"ipv6/conf/{interface}/disable_ipv6": "1"})


def settings_of(interface: str, has_neighbours: bool = False) -> list[tuple[str, str]]:
    """What quieten() writes, in order: switched off first, it loses the address that it has by itself."""
    path, wanted = f"ipv6/conf/{interface}", {**_QUIET, **({"addr_gen_mode": "0"} if has_neighbours else {})}
    return [(f"{path}/disable_ipv6", "1"),
            *((f"{path}/{name}", wanted[name]) for name in (*list(wanted)[1:], "disable_ipv6"))]
