# SPDX-License-Identifier: GPL-2.0-or-later
"""What a running lab tells of its nodes, for those who want into them: DIR/nodes.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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

        return str(internet.addresses(settings["nodes"][far]["address"]).gateway)
    return settings["nodes"][far]["address"].split("/")[0]


def describe(settings: dict[str, Any], pids: dict[str, int], interfaces: dict[str, list[str]]) -> dict[str, Any]:
    """Of each node: a process in its namespaces, its interfaces, its address and its far end's."""
    return {name: {"pid": pid, "interfaces": interfaces[name],
                   "address": (settings["nodes"][name]["address"] or "").split("/")[0],
                   "base": base(settings, name)} for name, pid in pids.items()}


def read(directory: Path) -> dict[str, Any]:
    """The nodes of the lab that runs in @directory, {} before it has any."""
    try:
        return dict(json.loads((directory / FILE).read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return {}
