# SPDX-License-Identifier: GPL-2.0-or-later
"""Reader of the project's trace files (radio.trace, tcp.trace).

One line of JSON names the fields, their types, offsets and units; fixed-size
little-endian records follow. The header is believed, nothing is assumed, so
that a trace with more fields than today's still reads.

Source: docs/trace-format.md
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from .error import FileError
from .inside import Inside
from .stored import content, open_stored

FORMAT = "cellbed-trace"
VERSIONS = (1,)
HEADER_LIMIT_BYTES = 1 << 16
#: ssthresh before the first loss. Value of Linux, TCP_INFINITE_SSTHRESH
INFINITE_SSTHRESH = 2**31 - 1
TYPES = {
    **{f"u{8 * n}": f"<u{n}" for n in (1, 2, 4, 8)},
    **{f"i{8 * n}": f"<i{n}" for n in (1, 2, 4, 8)},
}


@dataclass(frozen=True)
class TraceHeader:
    """What a trace file says about itself."""

    name: str
    version: int
    header_bytes: int
    record_bytes: int
    clock: str
    realtime_offset_ns: int
    dtype: np.dtype
    units: dict[str, str]
    symbols: dict[str, dict[int, str]]


def read_header(path: Path | Inside) -> TraceHeader:
    """Read and check the header line.

    Raises:
        FileError: not a trace file, an unknown version, or an inconsistent
            header.
    """
    with open_stored(path) as file:
        line = file.readline(HEADER_LIMIT_BYTES)
    if not line:
        raise FileError(path, "empty file: the trace header is missing")
    try:
        head = json.loads(line)
    except ValueError:
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise FileError(path, f"not a {FORMAT} file: the first line is not its JSON header")
    if not line.endswith(b"\n"):
        raise FileError(path, "the trace header is cut short: its line has no end")
    return _checked_header(path, head, len(line))


def _checked_header(path: Path | Inside, head: dict[str, Any], line_bytes: int) -> TraceHeader:
    try:
        if head["version"] not in VERSIONS:
            raise FileError(path, f"trace version {head['version']}: readable: {VERSIONS[0]}")
        if head["header_bytes"] != line_bytes:
            raise FileError(path, f"header_bytes {head['header_bytes']}, but the header has {line_bytes}")
        fields = head["fields"]
        dtype = np.dtype(
            {
                "names": [f["name"] for f in fields],
                "formats": [TYPES[f["type"]] for f in fields],
                "offsets": [f["offset"] for f in fields],
                "itemsize": head["record_bytes"],
            }
        )
        return TraceHeader(
            name=head["name"],
            version=head["version"],
            header_bytes=line_bytes,
            record_bytes=head["record_bytes"],
            clock=head["clock"],
            realtime_offset_ns=int(head["realtime_offset_ns"]),
            dtype=dtype,
            units={f["name"]: f.get("unit", "1") for f in fields},
            symbols={
                field: {int(value): name for value, name in table.items()}
                for field, table in head.get("symbols", {}).items()
            },
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(path, f"bad trace header: {error!r}") from error


def read_trace(path: Path | Inside, name: str | None = None) -> pl.DataFrame:
    """Read a whole trace file.

    Args:
        path: trace file.
        name: the trace expected there ("radio", "tcp"), None for any.

    Returns:
        One row per record, columns as the header names them; fields with
        symbols become enumerations of their names.

    Raises:
        FileError: as `read_header`, another trace than `name`, or a file that
            ends inside a record.
    """
    header = read_header(path)
    if name is not None and header.name != name:
        raise FileError(path, f"holds the trace {header.name!r}, expected {name!r}")
    stored = content(path)
    body_bytes = len(stored) - header.header_bytes
    n_records, rest = divmod(body_bytes, header.record_bytes)
    if rest:
        raise FileError(
            path,
            f"truncated: ends {rest} bytes into record {n_records + 1} ({header.record_bytes} bytes each)",
        )
    records = np.frombuffer(stored, header.dtype, count=n_records, offset=header.header_bytes)
    return pl.DataFrame(
        [_column(field, records[field], header.symbols.get(field)) for field in header.dtype.names or ()]
    )


def _column(name: str, values: np.ndarray, symbols: dict[int, str] | None) -> pl.Series:
    """One field as a Series; values without a symbol keep their number as text."""
    values = np.ascontiguousarray(values)
    if symbols is None:
        return pl.Series(name, values)
    present, codes = _numbered(values)
    labels = list(dict.fromkeys(symbols.values()))
    unknown = [str(value) for value in present if int(value) not in symbols]
    categories = labels + unknown
    place = {label: index for index, label in enumerate(categories)}
    table = np.array([place[symbols.get(int(value), str(value))] for value in present], dtype=np.uint32)
    physical = table[codes] if len(present) else np.zeros(0, dtype=np.uint32)
    return pl.Series(name, categories, dtype=pl.Enum(categories)).gather(physical)


def _numbered(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different values in order, and which of them each one is."""
    if values.dtype.kind != "u" or values.dtype.itemsize > 2:
        return np.unique(values, return_inverse=True)
    present = np.flatnonzero(np.bincount(values))  # without sorting them
    places = np.zeros(1 << 8 * values.dtype.itemsize, dtype=np.uint32)
    places[present] = np.arange(len(present))
    return present, places[values]
