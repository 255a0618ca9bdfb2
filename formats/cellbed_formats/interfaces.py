# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of hosts with several interfaces: a UE has one for each radio network, a server one for each wire.

Source: docs/result-format.md
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def wires(settings: Mapping[str, Any], node: str) -> list[dict[str, Any]]:
    """Links of a node, in the order of its interfaces eth0, eth1, ..."""
    return [link for link in settings.get("links", []) if node in (link["a"], link["b"])]


def captures(settings: Mapping[str, Any], node: str) -> list[str]:
    """Names of all captures of a host, that of its first interface first."""
    further: list[str] = []
    if settings.get("radios") and settings["nodes"][node].get("kind") == "ue":
        further = list(settings["nodes"][node].get("radios") or {})
    elif settings.get("radios"):
        further = [f"eth{number}" for number in range(1, len(wires(settings, node)))]
    return [f"ip-{node}.pcap", *(f"ip-{node}-{name}.pcap" for name in further)]


def capture_of_wire(settings: Mapping[str, Any], node: str, link: Mapping[str, Any]) -> str:
    """The capture of a server's interface to one of its links."""
    return captures(settings, node)[wires(settings, node).index(dict(link))]
