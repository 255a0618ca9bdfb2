# SPDX-License-Identifier: GPL-2.0-or-later
"""Short names of parameters."""

from __future__ import annotations

from collections.abc import Collection


def short_names(keys: Collection[str]) -> dict[str, str]:
    """The end of each dotted key, as long as it takes to tell it from the others: ue1.cqi_ul beside ue2.cqi_ul."""
    return {key: _ending(key, keys) for key in keys}


def _ending(key: str, keys: Collection[str]) -> str:
    parts = key.split(".")
    for first in range(len(parts) - 1, 0, -1):
        ending = ".".join(parts[first:])
        if sum(f".{other}".endswith(f".{ending}") for other in keys) == 1:
            return ending
    return key
