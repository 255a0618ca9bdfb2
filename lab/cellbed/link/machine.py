# SPDX-License-Identifier: GPL-2.0-or-later
"""What a link takes from the machine that it runs on: its congestion control, and addresses that nothing here has."""

from __future__ import annotations

import contextlib
import fcntl
import json
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

from cellbed.error import LabError
from cellbed.host import ledger, namespaces, programs
from cellbed.host.process import finished
from cellbed.labs.native import current_congestion_control
from cellbed.link import links
from cellbed.run import internet

_DISABLED = "/proc/sys/net/ipv6/conf/all/disable_ipv6"


def fit(stack: contextlib.ExitStack, data: dict[str, Any]) -> None:
    """Fill in this kernel's congestion control where the link names none, and addresses that nothing here has.

    Args:
        stack: keeps the addresses for this link until it is closed.
        data: the link's scenario, which is changed.
    """
    data.setdefault("tcp", {}).setdefault("congestion_control", current_congestion_control())
    if not links.has_machine(data):
        return
    network = stack.enter_context(_free_network())
    halves = iter(network.subnets(prefixlen_diff=1))
    wired = next(halves)
    ues = next(halves).hosts()
    for node in data["nodes"].values():
        if node.get("kind", "ue") == "ue":
            prefix = max(25, int(node["address"].split("/")[1]))
            node["address"] = f"{next(ues)}/{prefix}"
        elif node.get("machine"):
            node["address"] = f"{wired[1]}/25"
        elif node.get("internet"):  # the other half of the half is pasta's
            node["address"] = f"{wired[1]}/26"


def families(wanted: Sequence[str], own: bool, way_out: bool = False) -> list[str]:
    """Those of IPv4 and IPv6 that a link can have here.

    A kernel may be without IPv6, and a machine may have switched it off.

    Args:
        own: the far end is the machine itself.
        way_out: the machine's network is behind the far end.

    Raises:
        LabError: none of those that are wanted.
    """
    disabled = Path(_DISABLED)
    there = disabled.exists() and not (own and disabled.read_text().strip() != "0")
    if there and not (way_out and 6 not in internet.default_routes()):
        return list(wanted)
    found = [family for family in wanted if family != "ipv6"]
    if wanted and not found:
        raise LabError("--ipv6-only: this machine has no way out over IPv6; leave it out" if way_out else
                       "--ipv6-only: IPv6 is not there, or switched off, on this machine; leave it out, or add "
                       "--lab virtual")
    return found


def addresses_with_brought(wanted: links.Addresses, data: dict[str, Any]) -> links.Addresses:
    """Those that a link can have with the namespaces that are its UEs.

    Raises:
        LabError: none of those that are wanted.
    """
    off = next((path for node in data["nodes"].values() if (path := node.get("netns")) is not None
                and namespaces.read_in(path, _DISABLED).strip() == "1"), None)
    if off is None:
        return wanted
    if wanted.xlat or list(wanted.families) == ["ipv6"]:
        raise LabError(f"{'--464xlat' if wanted.xlat else '--ipv6-only'}: IPv6 is switched off in {off}; leave it out, "
                       "or set net.ipv6.conf.all.disable_ipv6=0 there")
    return wanted._replace(families=[family for family in wanted.families if family != "ipv6"])


@contextlib.contextmanager
def _free_network() -> Iterator[IPv4Network]:
    """A network of shared address space that neither this machine nor another link uses. Source: RFC 6598"""
    routes = finished([programs.command("ip"), "-4", "-j", "route", "show", "table", "all"])
    taken = [IPv4Network(route["dst"]) for route in json.loads(routes) if route["dst"] != "default"]
    for network in IPv4Network("100.64.0.0/16").subnets(new_prefix=24):
        with open(ledger.directory() / f"{network.network_address}.lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            if not any(network.overlaps(other) for other in taken):
                yield network
                return
    raise LabError("no network of 100.64.0.0/16 is free; end another link")
