# SPDX-License-Identifier: GPL-2.0-or-later
"""`cellbed pcap`: everything about some captures, as tables, files and a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cellbed_formats.error import DataError, FileError
from cellbed_formats.header import READABLE
from cellbed_formats.packet import PROTOCOL_UDP
from cellbed_formats.pcap_file import Records, read_records

from .connection import Capture, names, read_points
from .measures import COLUMNS, FlowMeasures, measure
from .one_way import OneWay, one_way
from .radio_pdus import EXPORTED, RADIO_LINKS, RadioCapture, read_radio

#: Columns of segments that files have, in order; times in ns since 1970 by the capture's clock.
SEGMENTS = ("out_ns", "seq", "payload_bytes", "ack_ns", "rtt_ns", "flight_bytes", "again", "kind", "spurious",
            "out_of_order", "data_row", "ack_row")
#: Of them, those that may be empty.
EMPTY = ("ack_ns", "rtt_ns", "ack_row")


@dataclass
class Analysis:
    """What was found in captures."""

    paths: list[Path] = field(default_factory=list)
    captures: list[Capture] = field(default_factory=list)
    flows: list[list[FlowMeasures]] = field(default_factory=list)  # of each capture
    radio: list[RadioCapture] = field(default_factory=list)
    delays: list[OneWay] = field(default_factory=list)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """All flows with the capture that each is of."""
        return [{"capture": str(capture.path), "point": capture.point} | one.row
                for capture, flows in zip(self.captures, self.flows, strict=True) for one in flows]

    def flow_frame(self) -> pl.DataFrame:
        """`rows` as a frame."""
        return pl.DataFrame(self.rows, infer_schema_length=None) if self.rows else pl.DataFrame(
            schema=dict.fromkeys(["capture", "point", *COLUMNS], pl.String))

    def segment_frame(self) -> pl.DataFrame:
        """Every data segment of every TCP flow."""
        found = [one.way.segments.frame(SEGMENTS, EMPTY).with_columns(
            pl.when("again").then("kind"), flow=pl.lit(one.row["flow"])).select("flow", *SEGMENTS)
            for flows in self.flows for one in flows if one.way is not None]
        return pl.concat(found) if found else pl.DataFrame(schema=dict.fromkeys(["flow", *SEGMENTS], pl.String))

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {"format": 1, "flows": self.rows, "one_way": [one.row() for one in self.delays],
                "radio": [row for one in self.radio for row in one.rows()]}

    def notes(self) -> list[str]:
        """What a reader should know of the files themselves."""
        cut = dict([*((one.path, one.cut) for one in self.captures), *((one.path, one.cut) for one in self.radio)])
        said = [f"{path}: {why}; what comes before is analysed" for path, why in cut.items() if why is not None]
        return said + list(dict.fromkeys(f"{one.path}: {note}" for one in self.captures for note in one.notes))


def analyse(paths: Sequence[Path], flow: str | None = None, two_clocks: bool = False,
            keep: bool = True) -> Analysis:
    """Analyse captures; of two captures of IP also the delays between them.

    Args:
        flow: id of one flow, or a part of it; None: all.
        keep: also the segments of all flows, of which `segment_frame`, pages and links are made.

    Raises:
        FileError: a file that is no capture, or of links that are not read.
        DataError: no flow has that id.
    """
    found = Analysis(paths=list(paths))
    for path in paths:
        _add(found, path, flow, keep)
    if flow is not None and found.captures and not any(found.flows):
        every = list(dict.fromkeys(name for capture in found.captures for name in names(capture.flows)))
        few = ", ".join(every[:8]) + (f" and {len(every) - 8} more" if len(every) > 8 else "")
        raise DataError(f"--flow {flow}: allowed the id of a flow, or a part of it: {few or 'there is none'}")
    if len(found.captures) == 2 and all(one.timed for one in found.captures):
        wanted = {one.row["flow"] for one in found.flows[0]}
        found.delays = [one for one in one_way(found.captures[0], found.captures[1], two_clocks) if one.flow in wanted]
    return found


def _add(found: Analysis, path: Path, flow: str | None, keep: bool) -> None:
    records = read_records(path)
    captures, datagrams = [], None
    if set(records.links) - {EXPORTED}:
        captures = read_points(path, records)
        udp = [one.packets.filter(pl.col("protocol") == PROTOCOL_UDP)["row"].to_numpy() for one in captures]
        datagrams = np.unique(np.concatenate(udp)).astype(np.int64)
        captures = [one for one in captures if len(one.packets)]
    framed = read_radio(path, records, datagrams)
    if not framed.pdus.is_empty():
        found.radio.append(framed)
    if not captures and framed.pdus.is_empty():
        raise FileError(path, _nothing(records))
    for capture in captures:
        found.captures.append(capture)
        found.flows.append(measure(capture, (lambda _: True) if flow is None else lambda name: flow in name, keep))


def _nothing(records: Records) -> str:
    """What a file has instead of what is read."""
    if not len(records):
        return "no packets"
    said = "" if not set(records.links) & RADIO_LINKS else f" of link type {', '.join(map(str, records.links))}"
    pdus = " and no PDUs of MAC or RLC" if said else ""
    return f"no TCP or UDP{pdus} among {len(records)} packets{said}: {READABLE}"


def largest(path: Path, flow: str | None = None) -> FlowMeasures:
    """The TCP flow of a capture that carried most data, or the largest of those with a part of an id.

    Raises:
        FileError: as `analyse`.
        DataError: there is none.
    """
    return largest_of(analyse([path], flow), path)


def largest_of(found: Analysis, path: Path) -> FlowMeasures:
    """The same of what was analysed already."""
    with_data = [one for flows in found.flows for one in flows if one.way is not None]
    if not with_data:
        raise DataError(f"{path}: no TCP flow with data; choose a capture of a transfer")
    return max(with_data, key=lambda one: int(one.row["payload_bytes"]))
