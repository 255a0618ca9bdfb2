# SPDX-License-Identifier: GPL-2.0-or-later
"""The log of Mahimahi's mm-link.

Source: Mahimahi
"""

from __future__ import annotations

from pathlib import Path

from cellbed_formats.bundle import Bundle
from cellbed_formats.inside import Inside

from ..delivery import Way, ways
from ..format import Format
from .mahimahi import MS, TUN_BYTES


def write(bundle: Bundle, node: str, stem: Inside) -> list[Path]:
    """`<stem>.up.log` and `.down.log`, as mm-link's --uplink-log and --downlink-log."""
    written = []
    for way in ways(bundle, node):
        path = stem.with_name(f"{stem.name}.{way.name}.log")
        path.write("\n".join([*_header(bundle, node, way), *_events(way), ""]))
        written.append(path.path)
    return written


def _header(bundle: Bundle, node: str, way: Way) -> list[str]:
    start_ms = (bundle.start_ns + bundle.realtime_offset_ns) // MS
    return [f"# mahimahi mm-link ({way.name}link) [{bundle.path.name}, {node}]", "# command line: cellbed export",
            "# queue: infinite", f"# init timestamp: {start_ms}", "# base timestamp: 0"]


def _events(way: Way) -> list[str]:
    """Lines in order of time; at one time arrivals, opportunities, departures, drops."""
    lines: list[tuple[int, int, str]] = []
    for in_ns, out_ns, n_bytes, drop in way.packets.select("in_ns", "out_ns", "bytes", "drop").iter_rows():
        t, size = in_ns // MS, n_bytes + TUN_BYTES
        lines.append((in_ns, 0, f"{t} + {size}"))
        if out_ns is not None:
            lines.append((out_ns, 2, f"{out_ns // MS} - {size} {out_ns // MS - t}"))
        elif drop is not None:
            lines.append((in_ns, 3, f"{t} d 1 {size}"))
    blocks = way.blocks.select("t_ns", "bytes")
    if blocks.is_empty():
        blocks = way.delivered.select(t_ns="out_ns", bytes="bytes")
    lines += [(t_ns, 1, f"{t_ns // MS} # {n_bytes}") for t_ns, n_bytes in blocks.iter_rows()]
    return [text for _, _, text in sorted(lines, key=lambda line: line[:2])]


FORMAT = Format(write)
