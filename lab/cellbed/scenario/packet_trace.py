# SPDX-License-Identifier: GPL-2.0-or-later
"""A recorded link in place of LTE: its keys, and the traces of links on their way into a run.

docs/reference/keys.md lists them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cellbed import paths
from cellbed.error import ScenarioError, told
from cellbed.run import radios
from cellbed.run.mahimahi import BYTES_MAX
from cellbed.run.radio_config import PACKET_TRACES
from cellbed.scenario.fields import FilePath, Key, Milliseconds, Size
from cellbed.scenario.netem import Impaired
from cellbed_formats import named_file
from cellbed_formats.inside import Inside


class PacketTrace(Impaired):
    """Source: Mahimahi, mm-link and mm-delay; CellReplay."""

    PREFIX = ""
    ENB = "the other end of each link"

    uplink: FilePath = Key(...,
        says="The trace of the uplink, relative to the scenario; its content counts for the run's identity")
    downlink: FilePath = Key(..., says="The trace of the downlink")
    delay_ms: Milliseconds = Key(0, 0, 10000,
        says="One-way delay after a packet has left the link, as by Mahimahi's mm-delay")
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
    uplink_gap_ms: Milliseconds = Key(0, 0, 60000,
        says="A new train begins when its first packet would leave so much later than the last one left. CellReplay, "
             "long-to-short timer")
    downlink_gap_ms: Milliseconds = Key(0, 0, 60000, says="The same for the downlink")

    def check(self, where: str, max_pkts: int) -> None:
        """Raises ValueError for queues that a run could not hold, and for what needs traces that are not there."""
        if 2 * self.queue_pkts > max_pkts:
            raise ValueError(f"key '{where}.queue_pkts': value {self.queue_pkts}: both directions together exceed "
                             f"radio.max_pkts, {max_pkts}; allowed at most {max_pkts // 2}")
        for way in ("uplink", "downlink"):
            if getattr(self, f"{way}_trains") is not None:
                if self.delay_ms:
                    raise ValueError(f"key '{where}.delay_ms': value {self.delay_ms}: {way}_trains has the delays; "
                                     "allowed 0")
                continue
            for key in (f"{way}_sizes", f"{way}_gap_ms"):
                if getattr(self, key):
                    raise ValueError(f"key '{where}.{key}': it needs {way}_trains; add that, or remove the key")


class OwnPacketTrace(PacketTrace):
    """The link of one UE: what is not said here is as `radio.packet_trace` says."""

    uplink: FilePath = Key(None,
        says="The trace of the uplink; not given: that of `radio.packet_trace`, as with every key here")
    downlink: FilePath = Key(None, says="The trace of the downlink, likewise")


def with_own_links(radio: Any) -> Any:
    """The radio as a file has it, each UE's own link with what `radio.packet_trace` says and it does not."""
    if not isinstance(radio, Mapping) or not isinstance(radio.get("ues"), Mapping):
        return radio
    common = radio.get("packet_trace")
    if not isinstance(common, Mapping):
        return radio
    return {**radio, "ues": {name: _with_own(ue, common) for name, ue in radio["ues"].items()}}


def _with_own(ue: Any, common: Mapping[str, Any]) -> Any:
    own = ue.get("packet_trace") if isinstance(ue, Mapping) else None
    return {**ue, "packet_trace": {**common, **own}} if isinstance(own, Mapping) else ue


def links(settings: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Links of a radio network's settings that may have traces: key, what names of files begin with, what is said of
    each."""
    prefix = radios.prefix(radios.name_of(settings))
    if settings["radio"].get("constant_rate") is not None:
        yield "radio.constant_rate", prefix, settings["radio"]["constant_rate"]
    common = settings["radio"]["packet_trace"]
    if common is None:
        return
    yield "radio.packet_trace", prefix, common
    for name, ue in settings["radio"]["ues"].items():
        if ue.get("packet_trace") is not None:
            yield f"radio.ues.{name}.packet_trace", f"{prefix}{name}-", ue["packet_trace"]


def identify(settings: Mapping[str, Any], folder: Path) -> None:
    """Note the content of the traces among the settings of a run, as their names say nothing.

    Args:
        settings: each recorded link gets `uplink_sha256` and the like.
        folder: of the scenario.

    Raises:
        ScenarioError: a file is missing or wrong.
    """
    for where, _, trace in links(settings):
        for key, (_, read) in PACKET_TRACES.items():
            if trace.get(key) is None:
                continue
            path = folder / trace[key]
            try:
                named_file.check(path, BYTES_MAX)
                read(path)
            except OSError as wrong:
                raise ScenarioError(f"key '{where}.{key}': {told(wrong, path)}") from wrong
            except ScenarioError as wrong:
                raise ScenarioError(f"key '{where}.{key}': {wrong}") from wrong
            trace[f"{key}_sha256"] = paths.sha256(path)


def render(directory: Path, settings: Mapping[str, Any], folder: Path) -> None:
    """Copy the traces of a run into its directory; nothing when the scenario has none."""
    copied = [link for _, alone in radios.each(dict(settings)) for link in links(alone)]
    for _, prefix, trace in copied:
        for key, (name, _) in PACKET_TRACES.items():
            if trace.get(key) is not None:
                (Inside(directory) / f"{prefix}{name}").write(named_file.content(folder / trace[key], BYTES_MAX))
