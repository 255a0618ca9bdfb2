# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a bundle in one of the formats."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

from cellbed_formats.bundle import Bundle
from cellbed_formats.error import DataError
from cellbed_formats.flow import TCP, note
from cellbed_formats.inside import Inside
from cellbed_formats.radios import over

from ..tcp.shown_flow import shown_flow
from . import FORMATS, formats
from .format import Format


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
    wanted = _format(name)
    chosen = node or default_node(bundle, flow)
    bundle = over(bundle, shown_flow(bundle, flow))
    known = [*bundle.ue_numbers, *(sorted(bundle.settings["nodes"]) if wanted.of_any_node else [])]
    if chosen not in known:
        raise DataError(f"--node {chosen}: allowed {', '.join(dict.fromkeys(known))}")
    part = re.sub(r"[^\w.]+", "-", flow) if wanted.of_flow and flow is not None else chosen
    stem = Inside.named(folder) / f"{bundle.path.name}-{part}"
    return wanted.write(bundle, chosen, stem, flow) if wanted.of_flow else wanted.write(bundle, chosen, stem)


def said_of(bundle: Bundle, name: str, flow: str | None) -> str | None:
    """Which flow a format is about where the run has several and none was asked for."""
    if not _format(name).of_flow or _format(name).all_flows:
        return None
    connections = [known for known in bundle.all_flows if known.transport == TCP]
    return note(connections, connections[0], flow) if connections else None


def default_node(bundle: Bundle, wanted: str | None = None) -> str:
    """The UE at one end of a flow, the sender where both are; of runs without flows the first UE."""
    flow = shown_flow(bundle, wanted)
    ends = (flow.source, flow.sink)
    return next((name for name in ends if name in bundle.ue_numbers), next(iter(bundle.ue_numbers)))


def _format(name: str) -> Format:
    found: Format = importlib.import_module(f"{formats.__name__}.{name.replace('-', '_')}").FORMAT
    return found
