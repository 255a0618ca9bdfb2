# SPDX-License-Identifier: GPL-2.0-or-later
"""Equal rows are numbered as a reader would number them, one after another."""

from __future__ import annotations

from collections import Counter

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from cellbed_analysis.stats.ranks import with_rank

ROWS = st.lists(st.tuples(st.integers(0, 3), st.one_of(st.none(), st.integers(0, 2)), st.integers(0, 4)), max_size=30)
SCHEMA = {"node": pl.UInt16, "tag": pl.UInt64, "t_ns": pl.Int64}


def numbered(rows: list[tuple[int, int | None, int]], order: list[int]) -> list[int]:
    seen: Counter[tuple[int, int | None]] = Counter()
    found = [0] * len(rows)
    for i in order:
        found[i] = seen[rows[i][:2]]
        seen[rows[i][:2]] += 1
    return found


@given(ROWS)
def test_rows_in_their_order(rows: list[tuple[int, int | None, int]]) -> None:
    ranked = with_rank(pl.DataFrame(rows, SCHEMA, orient="row"), "rank", ["node", "tag"])
    assert ranked["rank"].to_list() == numbered(rows, list(range(len(rows))))
    assert ranked.schema == SCHEMA | {"rank": pl.Int64}


@given(ROWS)
def test_rows_in_the_order_of_a_column(rows: list[tuple[int, int | None, int]]) -> None:
    ranked = with_rank(pl.DataFrame(rows, SCHEMA, orient="row"), "rank", ["node", "tag"], "t_ns")
    assert ranked["rank"].to_list() == numbered(rows, sorted(range(len(rows)), key=lambda i: rows[i][2]))
    assert ranked.drop("rank").equals(pl.DataFrame(rows, SCHEMA, orient="row"))


@given(ROWS)
def test_the_order_may_be_a_key(rows: list[tuple[int, int | None, int]]) -> None:
    ranked = with_rank(pl.DataFrame(rows, SCHEMA, orient="row"), "rank", ["node", "tag"], "node")
    assert ranked["rank"].to_list() == numbered(rows, list(range(len(rows))))
