# SPDX-License-Identifier: GPL-2.0-or-later
"""The trace reader believes the header, and refuses what is cut short or foreign."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_bundle import trace_bytes

from cellbed_formats.error import FileError
from cellbed_formats.trace import read_header, read_trace

FIELDS = (("t_ns", "i64"), ("size", "u32"), ("kind", "u8"))
SYMBOLS = {"kind": {"1": "out", "2": "in"}}


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "x.trace"
    records = [{"t_ns": -5, "size": 2**32 - 1, "kind": 2}, {"t_ns": 7, "size": 0, "kind": 1}]
    path.write_bytes(trace_bytes("x", FIELDS, SYMBOLS, records, 16))
    return path


def test_reads_values_and_symbols(trace: Path) -> None:
    frame = read_trace(trace, "x")
    assert frame["t_ns"].to_list() == [-5, 7]
    assert frame["size"].to_list() == [2**32 - 1, 0]
    assert frame["kind"].cast(pl.String).to_list() == ["in", "out"]


def test_header_says_clock_and_units(trace: Path) -> None:
    header = read_header(trace)
    assert header.clock == "CLOCK_MONOTONIC"
    assert header.realtime_offset_ns == 1_600_000_000_000_000_000
    assert header.units == {"t_ns": "1", "size": "1", "kind": "1"}
    assert header.header_bytes % 64 == 0


def test_fields_lie_where_the_header_says(tmp_path: Path) -> None:
    """A gap before the field and bytes behind it, as a later version may have."""
    head: dict[str, Any] = {
        "format": "cellbed-trace", "name": "x", "version": 1, "header_bytes": 320,
        "record_bytes": 9, "clock": "CLOCK_MONOTONIC", "realtime_offset_ns": 0,
        "fields": [{"name": "late", "type": "u16", "offset": 3, "unit": "ns"}],
    }  # fmt: skip
    path = tmp_path / "x.trace"
    body = b"".join(struct.pack("<3xH4x", value) for value in (513, 7))
    path.write_bytes(json.dumps(head).encode().ljust(319) + b"\n" + body)
    assert read_trace(path)["late"].to_list() == [513, 7]


def test_value_without_symbol_keeps_its_number(tmp_path: Path) -> None:
    path = tmp_path / "x.trace"
    path.write_bytes(trace_bytes("x", FIELDS, SYMBOLS, [{"kind": 9}, {"kind": 1}], 16))
    assert read_trace(path)["kind"].cast(pl.String).to_list() == ["9", "out"]


def test_no_records_is_an_empty_frame(tmp_path: Path) -> None:
    path = tmp_path / "x.trace"
    path.write_bytes(trace_bytes("x", FIELDS, SYMBOLS, [], 16))
    frame = read_trace(path)
    assert frame.is_empty()
    assert frame.columns == ["t_ns", "size", "kind"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty file"),
        (b"\xd4\xc3\xb2\xa1 a pcap\n", "not a cellbed-trace file"),
        (b'{"format": "other"}\n', "not a cellbed-trace file"),
        (b'{"format": "cellbed-trace"}', "cut short"),
        (b'{"format": "cellbed-trace", "version": 2}\n', "version 2: readable: 1"),
        (b'{"format": "cellbed-trace", "version": 1, "header_bytes": 64}\n', "header_bytes 64"),
        (b'{"format": "cellbed-trace", "version": 1, "header_bytes": 64}'.ljust(63) + b"\n", "bad"),
    ],
)
def test_refuses_foreign_and_broken_headers(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.trace"
    path.write_bytes(content)
    with pytest.raises(FileError, match=message) as error:
        read_trace(path)
    assert str(path) in str(error.value)


def test_refuses_a_file_cut_inside_a_record(trace: Path) -> None:
    trace.write_bytes(trace.read_bytes()[:-3])
    # 2 records of 16 bytes less 3: one whole and 13 bytes of the second.
    with pytest.raises(FileError, match="ends 13 bytes into record 2"):
        read_trace(trace)


def test_refuses_another_trace(trace: Path) -> None:
    with pytest.raises(FileError, match="holds the trace 'x', expected 'tcp'"):
        read_trace(trace, "tcp")


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(0, 255)), max_size=20))
def test_every_record_comes_back(tmp_path_factory: pytest.TempPathFactory, rows: Any) -> None:
    path = tmp_path_factory.mktemp("trace") / "x.trace"
    records = [{"t_ns": t, "kind": kind} for t, kind in rows]
    path.write_bytes(trace_bytes("x", FIELDS, {}, records, 13))
    frame = read_trace(path)
    assert frame["t_ns"].to_list() == [t for t, _ in rows]
    assert frame["kind"].to_list() == [kind for _, kind in rows]
