# SPDX-License-Identifier: GPL-2.0-or-later
"""Which of several equal rows one is: packets that look the same are told apart by their order alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl


def with_rank(frame: pl.DataFrame, name: str, keys: Sequence[str], order_by: str | None = None) -> pl.DataFrame:
    """Number the rows that are equal in @keys, from 0.

    Few rows have an equal one. Polars' `over` makes a group of each row, which takes six times as long for 100,000.

    Args:
        name: of the new column, Int64.
        order_by: a column by which equal rows are numbered, those of one value in the frame's order; without one all
            are in the frame's order.
    """
    rank = np.zeros(len(frame), dtype=np.int64)
    twins = np.flatnonzero(frame.select(pl.struct(*keys).is_duplicated()).to_series().to_numpy())
    if order_by is not None:
        twins = twins[np.argsort(frame[order_by].to_numpy()[twins], kind="stable")]
    if len(twins):
        rank[twins] = frame.select(*keys)[twins].select(pl.int_range(pl.len()).over(*keys)).to_series().to_numpy()
    return frame.with_columns(pl.Series(name, rank))
