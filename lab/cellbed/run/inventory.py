# SPDX-License-Identifier: GPL-2.0-or-later
"""What a running lab tells of its nodes, for those who want into them: DIR/nodes.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cellbed.run import address

FILE = "nodes.json"


def far_end(settings: dict[str, Any], node: str) -> str | None:
    """Whom a node's packets go to: a UE's peer, or the first server behind the eNB; of a server, the first such UE."""
    nodes, ues = settings["nodes"], settings["radio"]["ues"]
    if node in ues and nodes[ues[node]["peer"]]["kind"] == "ue":
        return ues[node]["peer"]
    wanted = "server" if node in ues else "ue"
    return next((name for name, other in nodes.items() if other["kind"] == wanted), None)


def base(settings: dict[str, Any], node: str) -> str | None:
    """CELLBED_BASE of a node: the address of its far end; of one with a way out that of this machine's loopback."""
    far = far_end(settings, node)
    if far is None:
        return None
    if settings["nodes"][far].get("internet"):
        from cellbed.run import internet  # of no use in a guest

        return internet.gateway(settings["nodes"][far], 4) or internet.gateway(settings["nodes"][far], 6)
    far_addresses = address.interfaces(settings["nodes"][far])
    own = settings["nodes"][node]
    both = [4] if "clat" in own else address.shared(address.interfaces(own), far_addresses) or [4]
    reached = address.of_version(far_addresses, both[0]) or far_addresses[0]
    return str(reached.ip)


def base6(settings: dict[str, Any], node: str) -> str | None:
    """CELLBED_BASE6 of a node: the address of IPv6 of its far end, where both have one."""
    far = far_end(settings, node)
    if far is None or address.of_version(address.interfaces(settings["nodes"][node]), 6) is None:
        return None
    if settings["nodes"][far].get("internet"):
        from cellbed.run import internet  # of no use in a guest

        return internet.gateway(settings["nodes"][far], 6)
    found = address.of_version(address.interfaces(settings["nodes"][far]), 6)
    return None if found is None else str(found.ip)


def variables(settings: dict[str, Any], node: str) -> dict[str, str]:
    """What a command on a node has in its environment."""
    return _variables(node, base(settings, node), base6(settings, node))


def variables_there(node: str, there: dict[str, Any]) -> dict[str, str]:
    """The same of a lab that runs. Args: there: the node as describe() has it."""
    return _variables(node, there["base"], there.get("base6"))


def _variables(node: str, *bases: str | None) -> dict[str, str]:
    given = zip(("CELLBED_NODE", "CELLBED_BASE", "CELLBED_BASE6"), (node, *bases), strict=True)
    return {name: value for name, value in given if value}


def describe(settings: dict[str, Any], pids: dict[str, int], interfaces: dict[str, list[str]]) -> dict[str, Any]:
    """Of each node: a process in its namespaces, its interfaces, its address and its far end's, and all its addresses
    where it has several."""
    found = {}
    for name, pid in pids.items():
        own = address.texts(settings["nodes"][name])
        found[name] = {"pid": pid, "interfaces": interfaces[name], "address": own[0] if own else "",
                       "base": base(settings, name), **({"addresses": own} if len(own) > 1 else {})}
        if there := base6(settings, name):
            found[name]["base6"] = there
    return found


def read(directory: Path) -> dict[str, Any]:
    """The nodes of the lab that runs in @directory, {} before it has any."""
    try:
        return dict(json.loads((directory / FILE).read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return {}
