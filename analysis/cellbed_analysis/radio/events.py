# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of radio.trace, chosen by what happened."""

from __future__ import annotations

import polars as pl


def rows_of(radio: pl.DataFrame, *events: str) -> pl.DataFrame:
    """Rows of radio.trace about some events, `event` and `dir` as text; a trace may not know all of them."""
    kinds = radio["event"].dtype
    known = [event for event in events if isinstance(kinds, pl.Enum) and event in kinds.categories]
    return radio.filter(pl.col("event").is_in(known)).with_columns(pl.col("event", "dir").cast(pl.String))
