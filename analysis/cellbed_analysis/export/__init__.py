# SPDX-License-Identifier: GPL-2.0-or-later
"""A bundle in the formats of other tools; docs/export.md says what each file means."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from cellbed_formats.bundle import Bundle
from cellbed_formats.error import DataError
from cellbed_formats.flow import TCP, note
from cellbed_formats.inside import Inside

from ..tcp.shown_flow import shown_flow
from . import flent, mahimahi, pcapng, qlog, theaterq, time_sequence

#: What writes each format about a node: bundle, node, path without suffix to the paths written.
OF_NODE: dict[str, Callable[[Bundle, str, Inside], list[Path]]] = {
    "mahimahi": mahimahi.write_traces,
    "mahimahi-log": mahimahi.write_logs,
    "theaterq": theaterq.write,
    "pcapng": pcapng.write,
}
#: The same of those about one connection, which has an end at the node: id of the flow last.
OF_FLOW: dict[str, Callable[[Bundle, str, Inside, str | None], list[Path]]] = {
    "flent": flent.write,
    "qlog": qlog.write,
    "time-sequence": time_sequence.write,
}
FORMATS = (*OF_NODE, *OF_FLOW)


def export(bundle: Bundle, name: str, folder: Path, node: str | None = None, flow: str | None = None) -> list[Path]:
    """Write one format into a folder.

    Args:
        node: a UE; for pcapng any node with a capture. Without one: where the flow's radio is.
        flow: id of a flow; None: the run's first.

    Returns:
        The files written.

    Raises:
        DataError: no such format or node, or the bundle has not what the format needs.
    """
    if name not in FORMATS:
        raise DataError(f"--format {name}: allowed {', '.join(FORMATS)}")
    chosen = node or default_node(bundle, flow)
    known = [*bundle.ue_numbers, *(sorted(bundle.settings["nodes"]) if name == "pcapng" else [])]
    if chosen not in known:
        raise DataError(f"--node {chosen}: allowed {', '.join(dict.fromkeys(known))}")
    made = Inside.named(folder)
    if name in OF_NODE:
        return OF_NODE[name](bundle, chosen, made / f"{bundle.path.name}-{chosen}")
    if flow is None:
        return OF_FLOW[name](bundle, chosen, made / f"{bundle.path.name}-{chosen}", None)
    named_by = re.sub(r"[^\w.]+", "-", flow)
    return OF_FLOW[name](bundle, chosen, made / f"{bundle.path.name}-{named_by}", flow)


def said_of(bundle: Bundle, name: str, flow: str | None) -> str | None:
    """Which flow a format is about where the run has several and none was asked for."""
    if name not in OF_FLOW:
        return None
    connections = [known for known in bundle.all_flows if known.transport == TCP]
    return note(connections, connections[0], flow) if connections else None


def default_node(bundle: Bundle, wanted: str | None = None) -> str:
    """The UE at one end of a flow, the sender where both are; of runs without flows the first UE."""
    flow = shown_flow(bundle, wanted)
    ends = (flow.source, flow.sink)
    return next((name for name in ends if name in bundle.ue_numbers), next(iter(bundle.ue_numbers)))
