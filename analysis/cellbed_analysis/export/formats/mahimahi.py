# SPDX-License-Identifier: GPL-2.0-or-later
"""Mahimahi's traces of delivery opportunities.

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

from ..delivery import Way, ways
from ..format import Format

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


def write(bundle: Bundle, node: str, stem: Inside) -> list[Path]:
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


FORMAT = Format(write)
