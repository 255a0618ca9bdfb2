# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs at the edge of a cell: their columns and names.

Source: Li et al, section III
"""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]

MODEL = "param.radio.channel.model"
DISTANCE = "param.radio.channel.cell_edge.distance_m"
INTERFERENCE = "param.radio.channel.cell_edge.interference"
CONTROL = "param.radio.control.errors"
RLC = "param.radio.rlc.mode"
PROFILE = "param.tcp.profile"
TRANSPORT = "param.traffic.0.transport"


def belongs(row: Row) -> bool:
    """Whether a run is one at the cell edge."""
    return row.get(MODEL) == "cell_edge"


def family(variant: str) -> str:
    """A variant's name without RLC's mode, such as TCP-control of TCP-UM-control."""
    return "-".join(part for part in variant.split("-") if part not in ("UM", "AM"))
