# SPDX-License-Identifier: GPL-2.0-or-later
"""How Parquet files are written."""

from __future__ import annotations

import io
from collections.abc import Collection
from typing import Any

import polars as pl

from .inside import Inside


def write(frame: pl.DataFrame, path: Inside, **options: Any) -> None:
    """Write a file, which is the old one or the whole new one at any time.

    By way of memory, as Polars has no one error for a disk that is full.

    Args:
        options: of DataFrame.write_parquet().

    Raises:
        OSError: it cannot be written.
    """
    content = io.BytesIO()
    frame.write_parquet(content, **options)
    path.write(content.getvalue())


def read(path: Inside, columns: Collection[str] | None = None) -> pl.DataFrame:
    """The table in a file. Raises OSError and PolarsError.

    Args:
        columns: only those of these names that it has.
    """
    content = path.content()
    if columns is not None:
        columns = [name for name in pl.read_parquet_schema(content) if name in columns]
    return pl.read_parquet(content, columns=columns)
