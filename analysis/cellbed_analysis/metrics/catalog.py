# SPDX-License-Identifier: GPL-2.0-or-later
"""Every column of metrics.parquet: name, unit, meaning.

A column is described in the module that computes it, one of a study in its folder; a new one touches that file only.
docs/metrics.md is made from this list (`python -m cellbed_analysis metrics`)
and a test compares them, so the document cannot fall behind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from ..study import studies
from .causes import CAUSES, FILE
from .commands import COMMAND
from .datagrams import PACKETS
from .flows import FLOW
from .handover import HANDOVER
from .identity import IDENTITY
from .lateness import LATENESS
from .metric import Metric
from .mode_switch import CHANNEL, SWITCHES
from .multipath import MULTIPATH
from .probe import PROBE
from .radio import CELL, SIDE
from .rtt import PARTS, RTT
from .throughput import THROUGHPUT
from .timeline import TIMELINE
from .utran import UTRAN


def sided(side: str) -> tuple[Metric, ...]:
    """SIDE metrics of the data or the ACK flow."""
    label = {"data": "data flow", "ack": "ACK flow"}[side]
    return tuple(Metric(f"{side}_{m.name}", m.unit, f"{label}: {m.meaning}", m.interval) for m in SIDE)


GENERAL = (
    ("Identity of the run", IDENTITY),
    ("Flow", FLOW),
    ("Round trip time", (*RTT, *PROBE)),
    ("Parts of the round trip time", PARTS),
    ("Throughput", (*THROUGHPUT, *PACKETS)),
    ("Multipath TCP", MULTIPATH),
    ("Command", COMMAND),
    ("File transfer", FILE),
    ("Causes of the throughput", CAUSES),
    ("Data flow in the radio network", sided("data")),
    ("ACK flow in the radio network", sided("ack")),
    ("Cell", (*CELL, *CHANNEL)),
    ("Mode switches", SWITCHES),
    ("Handover", HANDOVER),
    ("Timeline of an undisturbed segment", TIMELINE),
    ("UTRAN", UTRAN),
    ("Lateness of the emulation", LATENESS),
)


def with_columns_of_studies(section: tuple[Metric, ...]) -> tuple[Metric, ...]:
    """A section with the columns of studies, each behind the general one that it follows."""
    behind = [study.columns() for study in studies()]
    return tuple(one for metric in section for one in (metric, *chain(*(more.get(metric.name, ()) for more in behind))))


SECTIONS = tuple((title, with_columns_of_studies(section)) for title, section in GENERAL)
METRICS = {metric.name: metric for _, section in SECTIONS for metric in section}
#: Of many runs together; claims may measure them too. Title, introduction, metrics.
SWEEP_SECTIONS = tuple(section for study in studies() if (section := study.sweep_section()) is not None)
SWEEP_METRICS = {metric.name: metric for _, _, section in SWEEP_SECTIONS for metric in section}


def measured(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Metrics with a unit of which any row has a number; all of them where none has."""
    named = [name for name, metric in METRICS.items() if metric.unit and metric not in IDENTITY]
    return [name for name in named if any(row.get(name) is not None for row in rows)] or named


def labelled(name: str) -> str:
    """A metric with its unit, such as "goodput_mbps (Mbit/s)"."""
    found = METRICS.get(name)
    return f"{name} ({found.unit})" if found is not None and found.unit not in ("", "1") else name
