# SPDX-License-Identifier: GPL-2.0-or-later
"""Channel traces: what each direction is like, a record whenever that changes. Format: docs/channel-trace-format.md."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from cellbed_formats import named_file
from cellbed_formats.inside import Inside

from .error import FileError, ParameterError
from .link import DIRECTIONS

FORMAT = "cellbed-trace"
NAME = "channel"
VERSION = 1
CLOCK = "radio"  # 0 is sub-frame 0 of the radio
ALIGN = 64
UE_MAX = 255

# SINR of a direction of which only the CQI is known.
UNKNOWN_SINR = -(2**31)
# What a record is about: a direction, or a measurement of an eNB by a UE, whose RSRP is where directions have the SINR.
RSRP = "rsrp"
DIRS = (*DIRECTIONS, RSRP)

_FIELDS = (
    ("t_ns", "i64", 0, "ns"), ("ue", "u8", 8, "1"), ("dir", "u8", 9, "1"), ("cqi", "u8", 10, "1"),
    ("enb", "u8", 11, "1"), ("sinr_cdb", "i32", 12, "0.01 dB"),
)
_UNNAMED = {"enb": "reserved"}  # in traces of one eNB
_NUMPY = {"i64": "<i8", "i32": "<i4", "u8": "u1"}
RECORD = np.dtype({
    "names": [name for name, _, _, _ in _FIELDS], "formats": [_NUMPY[kind] for _, kind, _, _ in _FIELDS],
    "offsets": [offset for _, _, offset, _ in _FIELDS], "itemsize": 16,
})


@dataclass(frozen=True)
class Series:
    """One direction over time, at the ends of equal steps from 0.

    Attributes:
        ue: number of the UE, from 1. It sends on ul and sl and receives on dl.
        direction: ul, dl or sl.
        sinr_cdb: SINR in hundredths of a dB, or UNKNOWN_SINR.
        cqi: 0 to 15.
        enb: number of the eNB in whose cell it is, from 0.
    """

    ue: int
    direction: str
    sinr_cdb: np.ndarray
    cqi: np.ndarray
    enb: int = 0


@dataclass(frozen=True)
class Measurements:
    """What a UE measures of an eNB.

    Attributes:
        t_ns: when each measurement is there.
        rsrp_cdbm: in hundredths of a dBm.
    """

    ue: int
    enb: int
    t_ns: np.ndarray
    rsrp_cdbm: np.ndarray


@dataclass(frozen=True)
class ChannelTrace:
    """A trace as read: its records in order, what it was made from, the names of its UEs.

    Attributes:
        enbs: names of the eNBs, where each has a channel of its own; {} where there is one.
    """

    records: np.ndarray
    model: dict[str, Any]
    ues: dict[int, str]
    enbs: dict[int, str] = field(default_factory=dict)

    def records_of(self, ue: int, direction: str, enb: int = 0) -> np.ndarray:
        """Records of one direction, or measurements, in the cell of an eNB."""
        of = self.records
        return of[(of["ue"] == ue) & (of["enb"] == enb) & (of["dir"] == DIRS.index(direction))]


def changes(t_ns: np.ndarray, series: Sequence[Series], measured: Sequence[Measurements] = ()) -> np.ndarray:
    """Records of all directions: the first values, and those that differ from the ones before; and of all measurements.

    Args:
        t_ns: times of the values of every series.

    Raises:
        ParameterError: a UE, direction or CQI that has no place in a record.
    """
    parts = []
    for one in series:
        if not 1 <= one.ue <= UE_MAX:
            raise ParameterError("ue", one.ue, f"1..{UE_MAX}")
        if one.direction not in DIRECTIONS:
            raise ParameterError("direction", one.direction, ", ".join(DIRECTIONS))
        if len(one.cqi) and not 0 <= int(one.cqi.min()) <= int(one.cqi.max()) <= 15:
            raise ParameterError("cqi", [int(one.cqi.min()), int(one.cqi.max())], "0..15")
        differs = np.ones(len(t_ns), dtype=bool)
        differs[1:] = (np.diff(one.sinr_cdb) != 0) | (np.diff(one.cqi.astype(np.int16)) != 0)
        part = np.zeros(int(differs.sum()), dtype=RECORD)
        part["t_ns"], part["ue"], part["dir"] = t_ns[differs], one.ue, DIRECTIONS.index(one.direction)
        part["cqi"], part["sinr_cdb"], part["enb"] = one.cqi[differs], one.sinr_cdb[differs], one.enb
        parts.append(part)
    for each in measured:
        part = np.zeros(len(each.t_ns), dtype=RECORD)
        part["t_ns"], part["ue"], part["enb"], part["dir"] = each.t_ns, each.ue, each.enb, DIRS.index(RSRP)
        part["sinr_cdb"] = each.rsrp_cdbm
        parts.append(part)
    return in_order(np.concatenate(parts) if parts else np.zeros(0, dtype=RECORD))


def in_order(records: np.ndarray) -> np.ndarray:
    """By time, UE, eNB and direction, as a trace has them."""
    return records[np.lexsort((records["dir"], records["enb"], records["ue"], records["t_ns"]))]


def _header(ues: Mapping[int, str], model: Mapping[str, Any], enbs: Sequence[str]) -> bytes:
    """The header line, padded to a multiple of 64 bytes; its own size is part of it."""
    symbols = {"dir": _numbered(DIRS if enbs else DIRECTIONS), "ue": {str(i): n for i, n in ues.items()}}
    if enbs:
        symbols["enb"] = _numbered(enbs)
    head: dict[str, Any] = {
        "format": FORMAT, "name": NAME, "version": VERSION, "header_bytes": 0, "record_bytes": RECORD.itemsize,
        "clock": CLOCK, "realtime_offset_ns": 0,
        "fields": [{"name": n if enbs else _UNNAMED.get(n, n), "type": k, "offset": o, "unit": u}
                   for n, k, o, u in _FIELDS],
        "symbols": symbols,
        "model": model,
    }
    text = json.dumps(head, separators=(",", ":"))
    size = (len(text.encode()) + 8 + ALIGN) // ALIGN * ALIGN  # room for the digits of header_bytes and the newline
    head["header_bytes"] = size
    return json.dumps(head, separators=(",", ":")).encode().ljust(size - 1) + b"\n"


def _numbered(names: Sequence[str]) -> dict[str, str]:
    return {str(number): name for number, name in enumerate(names)}


def write(path: Path, records: np.ndarray, ues: Mapping[int, str], model: Mapping[str, Any],
          enbs: Sequence[str] = ()) -> None:
    """Write a trace.

    Args:
        records: as `changes` returns them.
        ues: number -> name.
        model: what the records were made from, JSON-ready; kept in the header for people and figures.
        enbs: names of eNBs that have a channel each, in order of their numbers; none where there is one eNB.
    """
    Inside(path.parent, path.name).write(_header(ues, model, enbs) + records.astype(RECORD).tobytes())


def begin(path: Path, ues: Mapping[int, str], model: Mapping[str, Any], enbs: Sequence[str] = ()) -> BinaryIO:
    """A trace that grows while others read it, as yet without records. Args: as of `write`."""
    file = Inside(path.parent, path.name).log()
    file.write(_header(ues, model, enbs))
    return file


def read(path: Path | Inside) -> ChannelTrace:
    """Read a trace.

    Raises:
        FileError: no channel trace, an unknown version, cut short, or values out of range or order.
    """
    try:
        data = named_file.content(path, named_file.TABLE_BYTES_MAX)
    except OSError as error:
        raise FileError(path, error.strerror or "unreadable") from error
    line, newline, body = data.partition(b"\n")
    try:
        head = json.loads(line)
    except ValueError:
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT or not newline:
        raise FileError(path, f"not a {FORMAT} file: the first line is not its JSON header")
    if head.get("name") != NAME:
        raise FileError(path, f"holds the trace {head.get('name')!r}, expected {NAME!r}")
    if head.get("version") != VERSION:
        raise FileError(path, f"trace version {head.get('version')}: readable: {VERSION}")
    if head.get("header_bytes") != len(line) + 1:
        raise FileError(path, f"header_bytes {head.get('header_bytes')}, but the header has {len(line) + 1}")
    records = _body(path, head, body)
    symbols = {of: {int(number): name for number, name in head.get("symbols", {}).get(of, {}).items()}
               for of in ("ue", "enb")}
    _check(path, records, DIRS if symbols["enb"] else DIRECTIONS)
    return ChannelTrace(records, head.get("model", {}), symbols["ue"], symbols["enb"])


def _body(path: Path | Inside, head: dict[str, Any], body: bytes) -> np.ndarray:
    """Records, with the fields where the header says they are."""
    try:
        named = {alias: name for name, alias in _UNNAMED.items()}
        dtype = np.dtype({
            "names": [named.get(f["name"], f["name"]) for f in head["fields"]],
            "formats": [_NUMPY[f["type"]] for f in head["fields"]],
            "offsets": [f["offset"] for f in head["fields"]], "itemsize": head["record_bytes"]})
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(path, f"bad trace header: {error!r}") from error
    missing = [name for name in RECORD.names or () if name not in (dtype.names or ())]
    if missing:
        raise FileError(path, f"bad trace header: no field {missing[0]}")
    count, rest = divmod(len(body), dtype.itemsize)
    if rest:
        raise FileError(path, f"truncated: ends {rest} bytes into record {count + 1} ({dtype.itemsize} bytes each)")
    raw = np.frombuffer(body, dtype=dtype)
    records = np.zeros(count, dtype=RECORD)
    for name in RECORD.names or ():
        records[name] = raw[name]
    return records


def _check(path: Path | Inside, records: np.ndarray, dirs: Sequence[str]) -> None:
    for name, low, high in (("t_ns", 0, None), ("ue", 1, UE_MAX), ("dir", 0, len(dirs) - 1), ("cqi", 0, 15)):
        values = records[name]
        bad = np.flatnonzero((values < low) | (values > high)) if high is not None else np.flatnonzero(values < low)
        if len(bad):
            allowed = f"{low}..{high}" if high is not None else f"{low} or more"
            raise FileError(path, f"record {bad[0] + 1}: {name} {values[bad[0]]}: allowed {allowed}")
    late = np.flatnonzero(np.diff(records["t_ns"]) < 0)
    if len(late):
        raise FileError(path, f"record {late[0] + 2}: t_ns {records['t_ns'][late[0] + 1]}: allowed no less than the "
                              "record before")
