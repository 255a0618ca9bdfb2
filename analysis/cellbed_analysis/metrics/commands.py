# SPDX-License-Identifier: GPL-2.0-or-later
"""The row of a run whose traffic is a command of somebody's own, as of `cellbed link`.

Which of its connections matters nobody knows, so there are no metrics of one: what the command was, how it ended, and
what the radio network did for all of its packets.
"""

from __future__ import annotations

import shlex
from typing import Any

from ..bundle import Bundle
from .metric import Metric
from .radio import DROP_REASONS, HARMLESS, control_metrics
from .rtt import Values

COMMAND = (
    Metric("command", "", "the program that the run was for, as a shell would take it"),
    Metric("command_status", "1", "its exit status as a shell has it: 128 + n for signal n; null: ended with the run"),
    Metric("command_s", "s", "how long it ran, in the lab's time"),
    Metric("radio_in_pkts", "packets", "packets that entered the radio network, either way"),
    Metric("radio_delivered_pkts", "packets", "of these, delivered"),
    Metric("radio_lost_pkts", "packets", "of these, lost; the columns dropped_* say why"),
    Metric("radio_delivered_mbps", "Mbit/s", "IP bytes delivered, both ways, over the command's time"),
    Metric("rlc_retransmissions", "1", "RLC PDUs, or segments of one, sent again, all links"),
)


def foreground(bundle: Bundle) -> dict[str, Any] | None:
    """The command that the run was for; None of runs with none."""
    return next((entry for entry in bundle.manifest.get("commands", []) if not entry["background"]), None)


def command_metrics(bundle: Bundle) -> Values:
    """What was run and what crossed the radio, from the manifest and the daemons' counters."""
    entry, stats = foreground(bundle), bundle.radio_stats
    assert entry is not None
    clock = bundle.manifest["clock"]
    seconds = (clock["end_ns"] - clock["start_ns"]) / 1e9
    dropped = stats["pkts_dropped"]
    values: Values = {
        "command": shlex.join(entry["argv"]),
        "command_status": entry["status"],
        "command_s": seconds,
        "radio_in_pkts": stats["pkts_in"],
        "radio_delivered_pkts": stats["pkts_delivered"],
        "radio_lost_pkts": sum(n for reason, n in dropped.items() if reason not in HARMLESS),
        "radio_delivered_mbps": stats["bytes_delivered"] * 8 / seconds / 1e6,
        "rlc_retransmissions": stats["rlc_retx"],
        "probe_lost": int(bundle.tcp_stats.get("lost", 0)),
    }
    values |= {f"dropped_{reason}_pkts": dropped.get(reason, 0) for reason in DROP_REASONS}
    return values | control_metrics(stats)
