# SPDX-License-Identifier: GPL-2.0-or-later
"""A recorded link in place of LTE: its keys, and its traces on their way into a run.

docs/reference/keys.md lists them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cellbed import paths
from cellbed.error import ScenarioError
from cellbed.run.radio_config import PACKET_TRACES
from cellbed.scenario.fields import FilePath, Key, Size
from cellbed.scenario.system import System


class PacketTrace(System):
    """Source: Mahimahi, mm-link and mm-delay; CellReplay."""

    PREFIX = "opportunity_"
    ENB = "behind the link"
    ONE_UE = True

    uplink: FilePath = Key(...,
        says="The trace of the uplink, relative to the scenario; its content counts for the run's identity")
    downlink: FilePath = Key(..., says="The trace of the downlink")
    delay_ms: int = Key(0, 0, 10000, says="One-way delay after a packet has left the link, as by Mahimahi's mm-delay")
    queue_pkts: int = Key(1000, 1, 65536,
        says="Packets that wait in each direction; more are dropped. Nothing fixes the value: Mahimahi has no limit by "
             "default")
    queue_bytes: Size = Key(0, 0, 100_000_000, says="Bytes that wait in each direction at most; 0 = any number")
    bytes: int = Key(1500, 100, 9000,
        says="Bytes of IP packets that may leave at each time of a trace. CellReplay records with 1400")
    uplink_trains: FilePath | None = Key(None,
        says="CellReplay's trace of base delays and light opportunities of the uplink. It contains the delay, so that "
             "`delay_ms` has to be 0")
    downlink_trains: FilePath | None = Key(None, says="The same for the downlink")
    uplink_sizes: FilePath | None = Key(None, says="CellReplay's delays of packet sizes in the uplink")
    downlink_sizes: FilePath | None = Key(None, says="The same for the downlink")
    uplink_gap_ms: int = Key(0, 0, 60000,
        says="A new train begins when its first packet would leave so much later than the last one left. CellReplay, "
             "long-to-short timer")
    downlink_gap_ms: int = Key(0, 0, 60000, says="The same for the downlink")

    def check(self, max_pkts: int) -> None:
        """Raises ValueError for queues that a run could not hold, and for what needs traces that are not there."""
        if 2 * self.queue_pkts > max_pkts:
            raise ValueError(f"key 'radio.packet_trace.queue_pkts': value {self.queue_pkts}: allowed half of "
                             f"radio.max_pkts, {max_pkts}, or less")
        for way in ("uplink", "downlink"):
            if getattr(self, f"{way}_trains") is not None:
                if self.delay_ms:
                    raise ValueError(f"key 'radio.packet_trace.delay_ms': value {self.delay_ms}: allowed 0 with "
                                     f"{way}_trains, which has the delays")
                continue
            for key in (f"{way}_sizes", f"{way}_gap_ms"):
                if getattr(self, key):
                    raise ValueError(f"key 'radio.packet_trace.{key}': allowed with {way}_trains only")


def identify(trace: dict[str, Any], folder: Path) -> None:
    """Note the content of the traces among the settings of a run, as their names say nothing.

    Args:
        trace: `radio.packet_trace` of the settings; gets `uplink_sha256` and the like.
        folder: of the scenario.

    Raises:
        ScenarioError: a file is missing or wrong.
    """
    for key, (_, read) in PACKET_TRACES.items():
        if trace[key] is None:
            continue
        path = folder / trace[key]
        try:
            read(path)
        except ScenarioError as wrong:
            raise ScenarioError(f"key 'radio.packet_trace.{key}': {wrong}") from wrong
        trace[f"{key}_sha256"] = paths.sha256(path)


def render(directory: Path, settings: dict[str, Any], folder: Path) -> None:
    """Copy the traces of a run into its directory; nothing when the scenario has none."""
    trace = settings["radio"]["packet_trace"]
    for key, (name, _) in PACKET_TRACES.items() if trace is not None else ():
        if trace[key] is not None:
            (directory / name).write_bytes((folder / trace[key]).read_bytes())
