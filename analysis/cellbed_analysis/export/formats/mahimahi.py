# SPDX-License-Identifier: GPL-2.0-or-later
"""Mahimahi's formats: traces of delivery opportunities, and the log of mm-link.

Mahimahi counts packets as it reads them from its TUN device, with 4 bytes in front of the IP packet, and an opportunity
is one of 1504 bytes.

Source: Mahimahi
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cellbed_formats.bundle import Bundle
from cellbed_formats.error import DataError
from cellbed_formats.inside import Inside

from .delivery import Way, ways

OPPORTUNITY_BYTES = 1504
TUN_BYTES = 4
MS = 1_000_000


def opportunities_ms(way: Way) -> np.ndarray:
    """A time for each 1504 bytes that were delivered: when the last of them was. (n,) ms, the last one above 0."""
    delivered = way.delivered
    total = (delivered["bytes"].cast(int) + TUN_BYTES).cum_sum().to_numpy()
    if not len(total) or total[-1] < OPPORTUNITY_BYTES:
        return np.zeros(0, dtype=np.int64)
    wanted = np.arange(OPPORTUNITY_BYTES, total[-1] + 1, OPPORTUNITY_BYTES)
    t_ms = delivered["out_ns"].to_numpy()[np.searchsorted(total, wanted)] // MS
    t_ms[-1] = max(t_ms[-1], 1)  # it is the period
    return t_ms


def write_traces(bundle: Bundle, node: str, stem: Inside) -> list[Path]:
    """`<stem>.up` and `.down` for mm-link; a way with less than one opportunity has no file.

    Raises:
        DataError: neither has one.
    """
    written = []
    for way in ways(bundle, node):
        t_ms = opportunities_ms(way)
        if len(t_ms):
            path = stem.with_name(f"{stem.name}.{way.name}")
            path.write("".join(f"{t}\n" for t in t_ms))
            written.append(path.path)
    if not written:
        raise DataError(f"{bundle.path}: less than {OPPORTUNITY_BYTES} bytes were delivered for {node}; "
                        "run it for longer")
    return written


def write_logs(bundle: Bundle, node: str, stem: Inside) -> list[Path]:
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
