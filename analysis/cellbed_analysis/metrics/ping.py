# SPDX-License-Identifier: GPL-2.0-or-later
"""Round trip times that a command measured which is `ping`, from what it printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from cellbed_formats.bundle import Bundle

from .metric import Metric
from .rtt import Values

PING = (
    Metric("ping_replies", "1", "replies that a command got which is `ping`, its first one left out"),
    Metric("ping_rtt_min_ms", "ms", "the shortest of their round trip times, as ping printed them"),
    Metric("ping_rtt_mean_ms", "ms", "their mean"),
    Metric("ping_rtt_p50_ms", "ms", "their median"),
    Metric("ping_rtt_p99_ms", "ms", "their 99th percentile"),
    Metric("ping_rtt_max_ms", "ms", "the longest of them"),
)
_TIME = re.compile(r"^\d+ bytes from .* time=([\d.]+) ms$", re.MULTILINE)


def ping_metrics(bundle: Bundle, entry: dict[str, Any]) -> Values:
    """RTTs of a command that is `ping`; nothing for others, and where its output went elsewhere.

    The first reply is left out, as it also has what happens once, such as the first random access.
    """
    if Path(entry["argv"][0]).name != "ping":
        return {}
    path = bundle.find(f"{entry['id']}.stdout")
    times_ms = np.array(_TIME.findall(path.text("replace")) if path is not None else [], dtype=float)[1:]
    if not len(times_ms):
        return {"ping_replies": 0}
    p50, p99 = np.percentile(times_ms, [50, 99])
    return {"ping_replies": len(times_ms), "ping_rtt_min_ms": float(times_ms.min()),
            "ping_rtt_mean_ms": float(times_ms.mean()), "ping_rtt_p50_ms": float(p50), "ping_rtt_p99_ms": float(p99),
            "ping_rtt_max_ms": float(times_ms.max())}
