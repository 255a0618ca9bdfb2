# SPDX-License-Identifier: GPL-2.0-or-later
"""A recorded link in place of LTE: its keys, and its traces on their way into a run.

docs/scenario-format.md explains them.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from cellbed import mahimahi
from cellbed.error import ScenarioError
from cellbed.model import Model, Size
from cellbed.radio_config import PACKET_TRACES

if TYPE_CHECKING:
    from cellbed.radio import Radio


class PacketTrace(Model):
    """Source: Mahimahi, mm-link and mm-delay."""

    uplink: str
    downlink: str
    delay_ms: int = Field(0, ge=0, le=10000)
    queue_pkts: int = Field(1000, ge=1, le=65536)
    queue_bytes: Size = Field(0, ge=0, le=100_000_000)


def check(radio: Radio) -> None:
    """Raises ValueError for queues that a run could not hold."""
    trace = radio.packet_trace
    if trace is not None and 2 * trace.queue_pkts > radio.max_pkts:
        raise ValueError(f"key 'radio.packet_trace.queue_pkts': value {trace.queue_pkts}: allowed half of "
                         f"radio.max_pkts, {radio.max_pkts}, or less")


def identify(trace: dict[str, Any], folder: Path) -> None:
    """Note the content of the traces among the settings of a run, as their names say nothing.

    Args:
        trace: `radio.packet_trace` of the settings; gets `uplink_sha256` and `downlink_sha256`.
        folder: of the scenario.

    Raises:
        ScenarioError: a file is missing or wrong.
    """
    for key in PACKET_TRACES:
        path = folder / trace[key]
        try:
            mahimahi.read(path)
        except ScenarioError as wrong:
            raise ScenarioError(f"key 'radio.packet_trace.{key}': {wrong}") from wrong
        trace[f"{key}_sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()


def render(directory: Path, settings: dict[str, Any], folder: Path) -> None:
    """Copy the traces of a run into its directory; nothing when the scenario has none."""
    trace = settings["radio"]["packet_trace"]
    for key, name in PACKET_TRACES.items() if trace is not None else ():
        (directory / name).write_bytes((folder / trace[key]).read_bytes())
