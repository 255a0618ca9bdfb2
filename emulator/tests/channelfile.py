# SPDX-License-Identifier: GPL-2.0-or-later
"""Channel traces of a few records, for tests of who reads them."""

import json
import struct


def write_channel(path, rows, name="channel"):
    """A channel trace of (t_ms, ue, dir, cqi), or in the cells of several eNBs (t_ms, ue, dir, cqi, enb, value)."""
    cells = bool(rows) and len(rows[0]) > 4
    fields = [("t_ns", "i64", 0), ("ue", "u8", 8), ("dir", "u8", 9), ("cqi", "u8", 10), ("sinr_cdb", "i32", 12)]
    if cells:
        fields.append(("enb", "u8", 11))
    header = {"format": "cellbed-trace", "name": name, "version": 1, "header_bytes": 512, "record_bytes": 16,
              "clock": "radio", "model": {"anything": 1},
              "fields": [{"name": n, "type": t, "offset": o, "unit": "1"} for n, t, o in fields]}
    records = b"".join(struct.pack("<qBBBBi", t * 1_000_000, *row, *(() if cells else (0, -120))) for t, *row in rows)
    path.write_bytes(json.dumps(header).encode().ljust(511) + b"\n" + records)
