# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs over NR as metrics of studies see them, for tests only: settings, and rows of radio.trace by name."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import polars as pl

NR = {"numerology": 1, "duplex": "fdd", "k2_min": 4}  # slots of 0.5 ms
_EVENTS = pl.Enum(["pkt_in", "pkt_out", "channel", "ecn_mark", "pdcp_t_reordering"])
_SCHEMA = {"t_ns": pl.Int64, "event": _EVENTS, "dir": pl.Enum(["ul", "dl"]), "node": pl.UInt8, "peer": pl.UInt8,
           "pkt": pl.UInt32, "bytes": pl.UInt32, "value": pl.Int32, "cqi": pl.UInt8, "aux": pl.UInt8}  # fmt: skip


def nr_run(rows: list[dict[str, Any]], system: str = "nr", trace: str = "full") -> Any:
    """A bundle with two UEs, of which rows of the radio's trace name what is not 0."""
    default = {name: None if name == "event" else "dl" if name == "dir" else 0 for name in _SCHEMA}
    settings = {"radio": {"system": system, "nr": NR}, "capture": {"radio_trace": trace}}
    numbers = {"ue1": 1, "ue2": 2}
    return SimpleNamespace(
        settings=settings, evaluated_ns=(None, None), ue_numbers=numbers,
        radio=pl.DataFrame([default | row for row in rows], schema=_SCHEMA),
        radio_node=lambda name: numbers.get(name, 0))  # fmt: skip
