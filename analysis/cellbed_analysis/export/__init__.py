# SPDX-License-Identifier: GPL-2.0-or-later
"""A bundle in the formats of other tools; docs/export.md says what each file means."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..bundle import Bundle
from ..error import AnalysisError
from . import flent, mahimahi, pcapng, qlog, theaterq, time_sequence

#: What writes each format: bundle, node, path without suffix to the paths written.
FORMATS: dict[str, Callable[[Bundle, str, Path], list[Path]]] = {
    "mahimahi": mahimahi.write_traces,
    "mahimahi-log": mahimahi.write_logs,
    "theaterq": theaterq.write,
    "flent": flent.write,
    "qlog": qlog.write,
    "pcapng": pcapng.write,
    "time-sequence": time_sequence.write,
}


def export(bundle: Bundle, name: str, folder: Path, node: str | None = None) -> list[Path]:
    """Write one format into a folder.

    Args:
        node: a UE; for pcapng any node with a capture. Without one: where the first flow's radio is.

    Returns:
        The files written.

    Raises:
        AnalysisError: no such format or node, or the bundle has not what the format needs.
    """
    if name not in FORMATS:
        raise AnalysisError(f"--format {name}: allowed {', '.join(FORMATS)}")
    chosen = node or default_node(bundle)
    known = [*bundle.ue_numbers, *(sorted(bundle.settings["nodes"]) if name == "pcapng" else [])]
    if chosen not in known:
        raise AnalysisError(f"--node {chosen}: allowed {', '.join(dict.fromkeys(known))}")
    folder.mkdir(parents=True, exist_ok=True)
    return FORMATS[name](bundle, chosen, folder / f"{bundle.path.name}-{chosen}")


def default_node(bundle: Bundle) -> str:
    """The UE at one end of the first flow, the sender where both are; of runs without flows the first UE."""
    ends = [name for flow in bundle.flows[:1] for name in (flow.source, flow.sink)]
    return next((name for name in ends if name in bundle.ue_numbers), next(iter(bundle.ue_numbers)))
