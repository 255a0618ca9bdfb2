# SPDX-License-Identifier: GPL-2.0-or-later
"""Trace files for tests that must not depend on the analysis."""

import json
import struct
from pathlib import Path

FORMATS = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q"}


def read_trace(path: Path):
    """Records of a trace file as dicts, symbols by name. Source: emulator/tracefile/tracefile.h"""
    content = path.read_bytes()
    header = json.loads(content[: content.index(b"\n")])
    for at in range(header["header_bytes"], len(content), header["record_bytes"]):
        row = {}
        for field in header["fields"]:
            (value,) = struct.unpack_from("<" + FORMATS[field["type"]], content, at + field["offset"])
            row[field["name"]] = header["symbols"].get(field["name"], {}).get(str(value), value)
        yield row
