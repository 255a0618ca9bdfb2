# SPDX-License-Identifier: GPL-2.0-or-later
"""How Parquet files are written."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import polars as pl


def write(frame: pl.DataFrame, path: Path, **options: Any) -> None:
    """Write a file, which is the old one or the whole new one at any time.

    By way of memory, as Polars has no one error for a disk that is full.

    Args:
        options: of DataFrame.write_parquet().

    Raises:
        OSError: it cannot be written.
    """
    content = io.BytesIO()
    frame.write_parquet(content, **options)
    new = path.with_suffix(".new")
    try:
        new.write_bytes(content.getbuffer())
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)
