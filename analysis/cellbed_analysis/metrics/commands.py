# SPDX-License-Identifier: GPL-2.0-or-later
"""The row of a run whose traffic is a command of somebody's own, as of `cellbed link`.

What the command was, how it ended and what its own flows carried, of whose metrics each has a row; and what the radio
network did for all packets of the run, which only the run's first row has.
"""

from __future__ import annotations

import shlex
from typing import Any

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from .metric import Metric
from .ping import PING, ping_metrics
from .radio import HARMLESS, control_metrics, drops_by_reason
from .rtt import Values

COMMAND = (
    Metric("command", "", "the command line that the run was for, as a shell would take it"),
    Metric("command_id", "", "its id among the scenario's traffic"),
    Metric(
        "command_status", "1",
        "its exit status as a shell has it, 128 + n for signal n; null when it ended with the run",
    ),
    Metric("command_s", "s", "how long it ran, in the lab's time"),
    Metric("command_flows", "1", "number of its TCP and UDP flows"),
    Metric("command_bytes", "bytes", "IP bytes of these flows in both directions"),
    *PING,
    Metric("radio_in_pkts", "packets", "packets that entered the radio network in either direction, whole run"),
    Metric("radio_delivered_pkts", "packets", "of these, delivered packets"),
    Metric("radio_lost_pkts", "packets", "of these, lost packets; the columns dropped_* say why"),
    Metric("radio_delivered_mbps", "Mbit/s", "IP bytes delivered in both directions over the run's time"),
    Metric("rlc_retransmissions", "1", "RLC PDUs, or segments of one, sent again, all links"),
)


def foreground(bundle: Bundle) -> dict[str, Any] | None:
    """The command that the run was for; None of runs with none."""
    return next(iter(all_foreground(bundle)), None)


def all_foreground(bundle: Bundle) -> list[dict[str, Any]]:
    """The commands that the run was for: those that did not run beside others."""
    return [entry for entry in bundle.manifest.get("commands", []) if not entry["background"]]


def by_command(bundle: Bundle) -> list[tuple[Flow | None, dict[str, Any] | None]]:
    """Every flow with the command that it is of: commands in order, each with its flows; one without flows has None."""
    ordered: list[tuple[Flow | None, dict[str, Any] | None]] = []
    entries = all_foreground(bundle)
    for entry in entries:
        own = [flow for flow in bundle.all_flows if flow.command == entry["id"]]
        ordered += [(flow, entry) for flow in own] or [(None, entry)]
    known = {entry["id"] for entry in entries}
    return ordered + [(flow, None) for flow in bundle.all_flows if flow.command not in known]


def of_command(bundle: Bundle, entry: dict[str, Any]) -> Values:
    """What was run, how it ended and what its own flows carried."""
    clock = bundle.manifest["clock"]
    start_ns, end_ns = (entry.get(key) or clock[key] for key in ("start_ns", "end_ns"))
    own = [flow for flow in bundle.all_flows if flow.command == entry["id"]]
    return {
        "command": shlex.join(entry["argv"]),
        "command_id": entry["id"],
        "command_status": entry["status"],
        "command_s": (end_ns - start_ns) / 1e9,
        "command_flows": len(own),
        "command_bytes": sum((flow.sent_bytes or 0) + (flow.back_bytes or 0) for flow in own),
        **ping_metrics(bundle, entry),
    }


def command_metrics(bundle: Bundle) -> Values:
    """What crossed the radio in the whole run, by the daemons' counters."""
    stats = bundle.radio_stats
    clock = bundle.manifest["clock"]
    seconds = (clock["end_ns"] - clock["start_ns"]) / 1e9
    dropped = stats["pkts_dropped"]
    values: Values = {
        "radio_in_pkts": stats["pkts_in"],
        "radio_delivered_pkts": stats["pkts_delivered"],
        "radio_lost_pkts": sum(n for reason, n in dropped.items() if reason not in HARMLESS),
        "radio_delivered_mbps": stats["bytes_delivered"] * 8 / seconds / 1e6,
        "rlc_retransmissions": stats["rlc_retx"],
        "probe_lost": int(bundle.tcp_stats.get("lost", 0)),
    }
    return values | drops_by_reason(dropped) | control_metrics(stats)
