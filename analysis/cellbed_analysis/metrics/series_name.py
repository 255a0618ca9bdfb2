# SPDX-License-Identifier: GPL-2.0-or-later
"""Names and order of the series, the same in figures and tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..study import studies

_LIST = re.compile(r"=[\[{].*[\]}]")
#: Variant of a run whose scenario has none.
UNNAMED = "run"


def named_series() -> tuple[str, ...]:
    """Series that studies name, in their order."""
    return tuple(name for study in studies() for name in study.series()[1])


def label(row: dict[str, Any]) -> str:
    """Name of a run's series: its variant, or its combination of modes without one, and what was swept beside it."""
    names = [row["variant"] if row["variant"] != UNNAMED else row.get("combination"),
             row.get("shown_point", row.get("point"))]
    return ", ".join(str(name) for name in names if name) or UNNAMED


def brief(text: str) -> str:
    """A name without the lists that it has for values, such as "2me, traffic=…"."""
    return _LIST.sub("=…", text)


def file_name(name: str) -> str:
    """A name as part of a file's: bundles of other people may hold any."""
    return re.sub(r"[^a-z0-9._=-]+", "-", name.lower())[:100]


def natural(name: str) -> list[tuple[float, str]]:
    """Sorts names by the numbers in them: 40 before 100."""
    parts = re.split(r"(\d+(?:\.\d+)?)", name)  # every second one is a number
    return [(float(part) if i % 2 else 0.0, part) for i, part in enumerate(parts)]


def by_combination(rows: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Rows per series: those that studies name in their order, then all others."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(label(row), []).append(row)
    known = {name: groups[name] for name in named_series() if name in groups}
    return known | {name: groups[name] for name in sorted(groups, key=natural) if name not in known}
