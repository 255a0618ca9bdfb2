# SPDX-License-Identifier: GPL-2.0-or-later
"""Which lab's runs count: those of different labs are never mixed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, TypeVar

#: The preferred one first.
LABS = ("virtual", "native", "vm")
T = TypeVar("T")


def one_lab(items: Sequence[T], lab_of: Callable[[Any], Any] = itemgetter("lab")) -> list[T]:
    """Of rows, or of anything that has a lab, those of the preferred lab that there is."""
    present = {lab_of(item) for item in items}
    chosen = next((lab for lab in LABS if lab in present), None)
    return [item for item in items if lab_of(item) == chosen]
