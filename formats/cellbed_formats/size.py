# SPDX-License-Identifier: GPL-2.0-or-later
"""Sizes as scenarios and manifests write them."""

from __future__ import annotations

import re

from .error import DataError

SIZE_BYTES = {"B": 1, "KIB": 1024, "MIB": 1024**2, "KB": 1000, "MB": 1000**2}


def parse_size(value: int | float | str) -> int:
    """Bytes of a size such as 8192, "8KiB" or "1 MB".

    Raises:
        DataError: not a size.
    """
    if isinstance(value, (int, float)):
        return int(value)
    match = re.fullmatch(r"\s*([\d.]+)\s*([A-Za-z]*)\s*", value)
    unit = (match.group(2) or "B").upper() if match else ""
    if match is None or unit not in SIZE_BYTES:
        raise DataError(f"size {value!r}: expected a number of B, KiB, MiB, KB or MB")
    return round(float(match.group(1)) * SIZE_BYTES[unit])
