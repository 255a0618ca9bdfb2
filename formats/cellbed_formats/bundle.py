# SPDX-License-Identifier: GPL-2.0-or-later
"""Access to result bundles: one directory per run, read lazily.

Source: docs/result-format.md
"""

from __future__ import annotations

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from . import checksums, stored
from .address import networks_of_node, number_of, numbers_of_node
from .capture import read_capture
from .echo import pings
from .error import DataError, FileError, UnusableError, in_words, reading
from .flow import MPTCP, Flow, Sightings, completed, found, of_captures, of_probe, of_samples
from .inside import LINKED, Inside
from .interfaces import capture_of_wire, captures, wires
from .manifest import NAME, check
from .subflows import FIRST, subflows
from .trace import read_header, read_trace
from .translation import Translation

FORMATS = (1,)
SUMMARY, DERIVED = "summary", "derived"
MANIFEST = checksums.MANIFEST
UNFINISHED_PREFIX = ".tmp-"
REQUIRED_KEYS = ("id", "description", "scenario", "variant", "seed", "lab", "clock", "outcome")


@dataclass(frozen=True)
class Bundle:
    """One run. Files are read at first use and kept.

    Attributes:
        only: no other run is looked at beside it.
    """

    path: Path
    manifest: dict[str, Any]
    only: bool = field(default=False, kw_only=True, compare=False, repr=False)

    def lent(self) -> Bundle:
        """The same run. What is read of it is forgotten with what this returns; of an only one it is kept, as the next
        reader needs the same.
        """
        if self.only:
            return self
        other = Bundle(self.path, self.manifest)
        other._found.update(self._found)
        return other

    @property
    def inside(self) -> Inside:
        """Its folder, whose files are read and written through this only."""
        return Inside(self.path)

    @property
    def has_checksums(self) -> bool:
        """Damage of its files is noticed; older versions took no checksums."""
        return checksums.known(self.manifest) is not None

    @property
    def scenario_id(self) -> str:
        """Identifier of the scenario, e.g. `d2d-nardini/static`."""
        return str(self.manifest["scenario"]["id"])

    @property
    def settings(self) -> dict[str, Any]:
        """Every parameter of the run, from its complete description."""
        return dict(self.manifest["description"]["settings"])

    @property
    def complete(self) -> bool:
        """The run reached its end."""
        return str(self.manifest["outcome"]) == "complete"

    @property
    def valid(self) -> bool:
        """The run may enter averages: complete, and nothing in the harness disturbed it."""
        return self.complete and self.validity_verdict == "valid"

    @property
    def validity_verdict(self) -> str:
        """The lab's verdict: `valid` or `invalid`; `unknown` when it gave none."""
        return str(self.manifest.get("validity", {}).get("verdict", "unknown"))

    @property
    def validity_reasons(self) -> list[str]:
        """Why the run is not valid, for people."""
        reasons = [] if self.complete else [f"outcome: {self.manifest['outcome']}"]
        for reason in self.manifest.get("validity", {}).get("reasons", []):
            text = reason.get("text", reason.get("code", "?"))
            shown = [f"{key} {reason[key]}" for key in ("value", "bound") if reason.get(key) is not None]
            reasons.append(f"{text} ({', '.join(shown)})" if shown else text)
        return reasons

    @property
    def start_ns(self) -> int:
        """CLOCK_MONOTONIC of the time the report calls t = 0."""
        return int(self.manifest["clock"]["start_ns"])

    @property
    def evaluated_ns(self) -> tuple[int | None, int | None]:
        """From when to when the run is evaluated, on CLOCK_MONOTONIC; None: as each flow's own times have it."""
        said = self.manifest.get("evaluate", {})
        start, end = (None if said.get(key) is None else self.start_ns + round(said[key] * 1e9)
                      for key in ("from_s", "to_s"))
        return start, end

    @property
    def realtime_offset_ns(self) -> int:
        """CLOCK_REALTIME minus CLOCK_MONOTONIC."""
        return int(self.manifest["clock"]["realtime_offset_ns"])

    @property
    def clock_steps(self) -> list[tuple[float, float]]:
        """By how many ms the machine's clock was set during the run, each with seconds after t = 0."""
        return [(step["step_ns"] / 1e6, (step["t_ns"] - self.start_ns) / 1e9)
                for step in self.manifest["clock"].get("steps", [])]

    @cached_property
    def flows(self) -> list[Flow]:
        """Flows of the traffic section, in order."""
        return [self._flow(entry) for entry in self.manifest.get("flows", [])]

    def _flow(self, entry: dict[str, Any]) -> Flow:
        flow_start_ns = self.start_ns + round(entry["start_s"] * 1e9)
        said = self.manifest.get("congestion_control", {})
        return Flow(
            id=entry["id"],
            kind=entry["kind"],
            source=entry["from"],
            sink=entry["to"],
            saddr=number_of(entry["saddr"]),
            daddr=number_of(entry["daddr"]),
            port=int(entry["port"]),
            start_ns=flow_start_ns,
            end_ns=(
                int(self.manifest["clock"]["end_ns"])
                if entry["duration_s"] is None
                else flow_start_ns + round(entry["duration_s"] * 1e9)
            ),
            bytes=entry.get("bytes"),
            sport=entry.get("sport"),
            transport=str(entry.get("protocol", "tcp")),
            congestion_control=entry.get("congestion_control") or said.get(entry["id"]),
            paths=self._paths(entry) if entry.get("protocol") == MPTCP else {},
        )

    def _paths(self, entry: dict[str, Any]) -> dict[int, str]:
        """Radio networks of a flow's UE by its addresses there."""
        ends = (self.settings.get("nodes", {}).get(entry[end], {}) for end in ("from", "to"))
        ue: dict[str, Any] = next((node for node in ends if node.get("radios")), {})
        return dict.fromkeys(numbers_of_node(ue), FIRST) | networks_of_node(ue)

    @property
    def over_network(self) -> str:
        """What tells this radio network from the first one, for people, behind the name of a UE."""
        return ""

    def addresses_elsewhere(self, node: str) -> list[int]:
        """Those that a UE has on other radio networks, as numbers."""
        own = self.settings.get("nodes", {}).get(node, {})
        further = networks_of_node(own)
        return [number for number in numbers_of_node(own) if not self._is_network(further.get(number))]

    def _is_network(self, name: str | None) -> bool:
        return name is None

    @cached_property
    def made(self) -> dict[str, Any]:
        """What others have made of these files, by its name; it is forgotten with them."""
        return {}

    @cached_property
    def all_flows(self) -> list[Flow]:
        """Every flow of the run: those of the traffic section in order, each with its subflows, then all others, the
        largest first."""
        seen = self.seen
        own = [one for flow in self.flows for one in (completed(flow, seen), *subflows(flow, seen))]
        return own + found(seen, self.flows, self.names_by_address, self.manifest.get("commands", []))

    @cached_property
    def pings(self) -> list[Flow]:
        """The echo requests that nodes sent, one for each program and target; in order of time."""
        captures = {node: self.capture(node) for node in self.captured_nodes}
        return pings(captures, self.names_by_address, self.manifest.get("commands", []), self.seen.addresses)

    @cached_property
    def seen(self) -> Sightings:
        """What captures and probe have of each 5-tuple; captures count before the probe."""
        counted = self.tcp_stats.get("flows") if self.has("tcp.json") else None
        captures = {node: self.capture(node) for node in self.captured_nodes}
        if counted and self.translation is not None:
            counted = self.translation.of_probe(counted, captures)
        seen = of_probe(counted or [])
        ways = of_captures(captures, self.names_by_address)
        if not captures:
            ways = seen.ways if counted is not None else of_samples(self.tcp) if self.probed else {}
        return Sightings(ways, seen.owners, seen.addresses)

    @property
    def names_by_address(self) -> dict[int, str]:
        """Nodes by their address, as numbers."""
        ends = [(flow.saddr, flow.source) for flow in self.flows] + [(flow.daddr, flow.sink) for flow in self.flows]
        for name, node in self.settings.get("nodes", {}).items():
            ends += [(number, name) for number in numbers_of_node(node)]
        return dict(ends)

    @property
    def captured_nodes(self) -> list[str]:
        """Nodes whose IP capture the bundle has."""
        return sorted({name for name in self.names_by_address.values() if self.has(f"ip-{name}.pcap")})

    @property
    def to_capture(self) -> str:
        """How to get the captures that a run lacks, in words."""
        at_once = self.settings.get("tcp", {}).get("segmentation_offload")
        return f"run it with capture.ip: true{' and without tcp.segmentation_offload' if at_once else ''}"

    @property
    def without_flows(self) -> str:
        """Why a run has no flow that could be shown, in words."""
        captures = [self.capture(node) for node in self.captured_nodes]
        pkts = sum(len(capture) for capture in captures)
        if pkts:
            return f"no TCP or UDP flow: its captures hold {pkts} packets of other protocols"
        if captures:
            return "no TCP or UDP flow: nothing is in its captures"
        return "no flow is known: the scenario names none, and there are no captures of what its commands sent"

    @property
    def probed(self) -> bool:
        """The bundle has samples of TCP."""
        return self.has("tcp.trace")

    @cached_property
    def radio(self) -> pl.DataFrame:
        """radio.trace: one row per radio event."""
        return read_trace(self._file("radio.trace"), "radio")

    @cached_property
    def radio_symbols(self) -> dict[str, dict[int, str]]:
        """Names of numbers in radio.trace, by what they are: reasons of drops, steps of handovers."""
        return read_header(self._file("radio.trace")).symbols

    @property
    def drop_reasons(self) -> dict[int, str]:
        """Names of the values of `pkt_drop` rows."""
        return self.radio_symbols.get("drop", {})

    @cached_property
    def tcp(self) -> pl.DataFrame:
        """tcp.trace: one row per sample of the probe."""
        samples = read_trace(self._file("tcp.trace"), "tcp")
        if self.translation is None:
            return samples
        return self.translation.of_samples(samples, {node: self.capture(node) for node in self.captured_nodes})

    @cached_property
    def translation(self) -> Translation | None:
        """Translators between the captures; None: there are none."""
        return Translation.of(self.settings)

    @cached_property
    def radio_stats(self) -> dict[str, Any]:
        """radio.json: counters and lateness of the radio daemon."""
        return self._json("radio.json")

    @cached_property
    def tcp_stats(self) -> dict[str, Any]:
        """tcp.json: how many samples the probe took and lost."""
        return self._json("tcp.json")

    @cached_property
    def counters(self) -> dict[str, Any] | None:
        """counters.json: what each node's kernel counted over the run; None in bundles without it."""
        return self._json("counters.json") if self.has("counters.json") else None

    @cached_property
    def celld(self) -> dict[str, Any]:
        """celld.json: the configuration the radio daemon ran with."""
        return self._json("celld.json")

    @cached_property
    def ue_numbers(self) -> dict[str, int]:
        """UE name to node number in radio.trace, where the eNB is 0."""
        path = self.path / "celld.json"
        with reading(path):
            names = [ue["name"] for ue in self.celld["cell"]["ues"]]
            if strange := [name for name in names if not re.fullmatch(NAME, name)]:
                raise FileError(path, f"key cell.ues: value {strange[0]}: expected the name of a UE")
        return {name: i + 1 for i, name in enumerate(names)}

    def radio_node(self, name: str) -> int:
        """Number in radio.trace of where a node's packets enter: of servers the eNB, 0."""
        return self.ue_numbers.get(name, 0)

    @cached_property
    def _captures(self) -> dict[str, pl.DataFrame]:
        return {}

    def link_of(self, node: str) -> dict[str, Any] | None:
        """The wired link of a server in this radio network; None for UEs."""
        links = (link for link in wires(self.settings, node) if self._is_own_wire({link["a"], link["b"]}))
        return None if node in self.ue_numbers else next(links, None)

    def capture_name(self, node: str) -> str:
        """Which capture has the packets of a host in this radio network."""
        link = self.link_of(node)
        return f"ip-{node}.pcap" if link is None else capture_of_wire(self.settings, node, link)

    def _is_own_wire(self, ends: set[str]) -> bool:
        """Whether a link is one of this radio network. Args: ends: names of its nodes."""
        return not any(ends.intersection(other["nodes"]) for other in self.manifest.get("radios", {}).values())

    def capture(self, node: str) -> pl.DataFrame:
        """IP capture at a node, of all its interfaces together; `t_ns` converted to CLOCK_MONOTONIC."""
        if node not in self._captures:
            frames = [read_capture(self._file(name), self.translation) for name in captures(self.settings, node)]
            frame = frames[0] if len(frames) == 1 else pl.concat(frames).sort("t_ns", maintain_order=True)
            self._captures[node] = frame.with_columns(pl.col("t_ns") - self.realtime_offset_ns)
        return self._captures[node]

    def iperf3(self, flow_id: str) -> dict[str, Any]:
        """The client's JSON of an iperf3 flow."""
        return self._json(f"{flow_id}.iperf3.json")

    def stream(self, flow_id: str) -> dict[str, Any]:
        """What both ends of a stream flow counted."""
        return self._json(f"{flow_id}.stream.json")

    def has(self, name: str) -> bool:
        """Whether there is a file of this name, plain or compressed."""
        return stored.find(self.inside / name) is not None

    @cached_property
    def _found(self) -> dict[str, Inside | None]:
        return {}

    def find(self, name: str) -> Inside | None:
        """A file, plain or compressed, as the run has written it, which is checked once; None: there is none.

        Raises:
            FileError: it has been changed since, or is missing though the run has written it.
        """
        if name not in self._found:
            self._found[name] = checksums.checked(self.manifest, self.inside, name)
        return self._found[name]

    def check_files(self) -> None:
        """Read all files. Raises FileError for the first that is not as the run has written it."""
        for name in checksums.known(self.manifest) or {}:
            self.find(name)

    def recorded(self) -> list[tuple[str, str]]:
        """Captures and traces with the SHA-256 of their uncompressed content, by name."""
        known = checksums.known(self.manifest) or {}
        found = [path for path in map(self.find, map(stored.plain_name, stored.recordings(self.inside))) if path]
        return [(stored.plain_name(path), known.get(stored.plain_name(path)) or checksums.digest(path))
                for path in found]

    def _file(self, name: str) -> Inside:
        path = self.find(name)
        if path is None:
            raise FileError(self.path / name, "missing from the bundle")
        return path

    def _json(self, name: str) -> dict[str, Any]:
        return read_json(self._file(name))


@dataclass(frozen=True)
class Rejected:
    """A directory that is no finished bundle, and why.

    Attributes:
        of_run: a run has made it; else it is something of the user's.
    """

    path: Path
    reason: str
    of_run: bool


@dataclass(frozen=True)
class Results:
    """Everything below a results directory.

    Attributes:
        in_progress: names of the bundles that processes of this machine are writing.
    """

    path: Path
    bundles: list[Bundle]
    rejected: list[Rejected] = field(default_factory=list)
    in_progress: list[str] = field(default_factory=list)

    @property
    def alone(self) -> bool:
        """It is one bundle, not a directory of them."""
        return [bundle.path for bundle in self.bundles] == [self.path]

    def checked(self) -> Results:
        """The same with all files read: bundles in which one is not as the run has written it are rejected.

        Raises:
            UnusableError: that are all.
        """
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:  # what computes checksums lets others run
            damages = list(pool.map(_damage, self.bundles))
        good = [bundle for bundle, damage in zip(self.bundles, damages, strict=True) if damage is None]
        if not good:
            raise UnusableError(f"{self.path}: holds no usable result bundle: {damages[0]}")
        bad = [Rejected(bundle.path, damage, True)
               for bundle, damage in zip(self.bundles, damages, strict=True) if damage is not None]
        return Results(self.path, good, [*self.rejected, *bad], self.in_progress)

    @property
    def report_dir(self) -> Inside:
        """Where what is made of all of it goes."""
        return Inside(self.path) / (DERIVED if self.alone else SUMMARY)


def _damage(bundle: Bundle) -> str | None:
    try:
        bundle.check_files()
    except (DataError, OSError) as error:
        return in_words(error)
    return None


def read_json(path: Inside) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        FileError: not JSON, or not an object.
    """
    try:
        value = json.loads(path.text())
    except (ValueError, RecursionError) as error:
        raise FileError(path, f"not JSON: {error}") from error
    if not isinstance(value, dict):
        raise FileError(path, f"holds a {type(value).__name__}, expected an object")
    return value


def read_bundle(path: Path) -> Bundle:
    """Open one bundle; only the manifest is read.

    Raises:
        DataError: there is none.
        FileError: an unknown format, or a manifest that lacks a required key or was changed.
        OSError: the manifest is a link.
    """
    folder = _named(path, "folder")
    manifest_path = folder / MANIFEST
    if not manifest_path.is_file():
        inside = next(iter(folders(folder)), None)
        hint = f"; name one in it, such as {path / inside.name}" if inside else ""
        raise DataError(f"{path}: no {MANIFEST}: not a result bundle{hint}")
    manifest = read_json(manifest_path)
    if manifest.get("format") not in FORMATS:
        raise FileError(manifest_path, f"key format: value {manifest.get('format')}: readable: {FORMATS[0]}")
    missing = [key for key in REQUIRED_KEYS if key not in manifest]
    if missing:
        raise FileError(manifest_path, f"key {missing[0]}: missing")
    check(manifest, manifest_path.path)
    checksums.check_manifest(manifest, manifest_path)
    return Bundle(folder.root, manifest)


def _named(path: Path, what: str) -> Inside:
    """A folder that a user names: a bundle by its own name, as others may have put a link in its place.

    A results folder may be a link, which leads to where there is room.
    """
    if not path.is_dir():
        raise DataError(f"{path}: no such {what}")
    folder = Inside.given(path)
    if path.is_symlink() and _has_manifest(folder):
        raise DataError(f"{path}: a link to a result bundle; name the bundle itself, {folder.path}")
    return folder


def folders(results: Inside) -> list[Inside]:
    """Folders of a results folder that have a manifest, by name."""
    return [entry for entry in results.matching("[!.]*") if entry.is_folder() and _has_manifest(entry)]


def _has_manifest(folder: Inside) -> bool:
    try:
        return (folder / MANIFEST).is_file()
    except OSError:  # a link, or of somebody who keeps it to himself
        return False


def load_results(path: Path) -> Results:
    """Find the bundles below a results directory; a bundle itself is results of one run.

    Runs that were interrupted (`.tmp-*`) and directories that do not read are
    listed in `rejected`, runs in progress in `in_progress`.

    Raises:
        DataError: no such directory, or no bundle in it.
        UnusableError: none of those in it can be read.
    """
    folder = _named(path, "results directory")
    if (folder / MANIFEST).is_file():
        return Results(folder.root, [replace(read_bundle(folder.root), only=True)])
    bundles: list[Bundle] = []
    in_progress: list[str] = []
    rejected = [Rejected(link.path, LINKED, of_run(link.name)) for link in folder.links() if link.name != SUMMARY]
    for entry in folder.matching("*"):
        if not entry.is_folder() or entry.name == SUMMARY:
            continue
        if entry.name.startswith(UNFINISHED_PREFIX):
            if under_way(entry.name):
                in_progress.append(entry.name.removeprefix(UNFINISHED_PREFIX).rpartition(".")[0])
                continue
            rejected.append(Rejected(entry.path, "interrupted: the run did not finish", True))
            continue
        if entry.name.startswith("."):
            continue
        try:
            bundles.append(read_bundle(entry.path))
        except (DataError, OSError) as error:
            rejected.append(Rejected(entry.path, in_words(error), of_run(entry.name) or _has_manifest(entry)))
    if not bundles:
        bad = next((one.reason for one in rejected if one.of_run), None)
        raise UnusableError(f"{path}: holds no usable result bundle: {bad}") if bad else \
            DataError(f"{path}: no run has finished yet, {len(in_progress)} in progress" if in_progress else
                      f"{path}: holds no result bundle")
    if len(bundles) == 1:
        bundles = [replace(bundles[0], only=True)]
    return Results(folder.root, bundles, rejected, in_progress)


def under_way(name: str) -> bool:
    """Whether the process that runs an unfinished folder lives: its name ends with the process's number."""
    pid = name.rpartition(".")[2]
    return pid.isascii() and pid.isdigit() and Path("/proc", pid).exists()


def of_run(name: str) -> bool:
    """Whether a folder has a name that runs give theirs."""
    return re.fullmatch(r".+-seed\d+-[0-9a-f]{10}", name) is not None
