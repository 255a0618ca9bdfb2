# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the RTT goes: mean parts per combination."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ..tcp.segment import ARQ_PARTS, HARQ_PARTS
from .legend import legend_above
from .style import ink

#: Groups of parts, about in order of time: label, parts of a way, colour.
GROUPS = (
    ("wait before the request or in the queue", ("queue", "rac_wait"), "#F0E442"),
    ("RAC request to the BSR", ("rar", "bsr"), "#E69F00"),
    ("BSR decoded", ("bsr_decode",), "#D55E00"),
    ("wait for an uplink or downlink slot", ("tdd", "dl_tdd"), "#6A3D9A"),
    ("data grant", ("schedule", "grant"), "#CC79A7"),
    ("transmission and decoding", ("air",), "#0072B2"),
    ("sent again by HARQ or RLC", (*HARQ_PARTS, *ARQ_PARTS), "#009E73"),
    ("downlink", ("dl_wait", "dl", "reorder"), "#56B4E9"),
    ("wait in the queue of a link", ("link_wait",), "#F5A3A3"),
    ("on the way over a link", ("link",), "#8C564B"),
)
HOSTS = ("hosts (TCP, delayed ACK)", "#999999")


def pieces(parts_ms: Mapping[str, float]) -> list[tuple[str, str, float]]:
    """Group RTT parts in order of time: (side, group label, ms); sides data, host, ack."""
    found = [("host", HOSTS[0], parts_ms.get("host_tx", 0.0))]
    for side in ("data", "ack"):
        found += [
            (side, label, sum(parts_ms.get(f"{side}_{part}", 0.0) for part in parts)) for label, parts, _ in GROUPS
        ]
        host = "receiver" if side == "data" else "host_rx"
        found.append(("host", HOSTS[0], parts_ms.get(host, 0.0)))
    return found


def draw(runs: Mapping[str, Mapping[str, float]], paper_ms: Mapping[str, float]) -> Figure:
    """Draw.

    Args:
        runs: per combination the mean of each of RTT_PARTS in ms.
        paper_ms: the paper's mean RTT of combinations for which it has one.
    """
    figure, axes = plt.subplots(figsize=(9.2, 1.5 + 0.62 * len(runs)), layout="constrained")
    colors = {label: color for label, _, color in GROUPS} | dict([HOSTS])
    edge = "#00000055"
    names = list(runs)
    for row, name in enumerate(names):
        left = 0.0
        for side, label, ms in pieces(runs[name]):
            axes.barh(
                row, ms, left=left, height=0.56, color=colors[label], edgecolor=edge,
                linewidth=0.6, hatch="////" if side == "ack" else None,
            )  # fmt: skip
            left += ms
        axes.annotate(f"{left:.1f} ms", (left, row), xytext=(5, 0), textcoords="offset points", va="center")
        if name in paper_ms:
            axes.plot([paper_ms[name]] * 2, [row - 0.4, row + 0.4], color=ink(), linewidth=1.6)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.margins(x=0.1)
    axes.grid(axis="y", visible=False)
    mark = "; upright mark: the paper's mean" if paper_ms else ""
    axes.set_xlabel(f"mean part of the RTT (ms); ACK hatched{mark}")
    shown = {label for parts in runs.values() for _, label, ms in pieces(parts) if ms > 0}
    named = {label: Patch(facecolor=color, edgecolor=edge) for label, color in colors.items() if label in shown}
    legend_above(figure, 3, named, fontsize=8.5)
    return figure
