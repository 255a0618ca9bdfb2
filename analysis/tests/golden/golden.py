# SPDX-License-Identifier: GPL-2.0-or-later
"""Values beside the tests, and how one differs from what is found now."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DIGITS = 9  # significant: libraries of mathematics differ behind these
NOTHING = 1e-12  # what is left of nothing after rounding
DIFFERENCES_MAX = 10


def plain(value: Any) -> Any:
    """As JSON has it, and numbers as no library of mathematics differs on."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, bool | str) or value is None:
        return value
    number = 0.0 if abs(value) < NOTHING else float(value)
    return f"{number}" if not math.isfinite(number) else float(f"{number:.{DIGITS}g}")


def leaves(value: Any, at: str = "") -> dict[str, Any]:
    """Of nested dictionaries and lists, each with where it is."""
    if isinstance(value, dict):
        return {where: leaf for key, one in value.items() for where, leaf in leaves(one, f"{at}/{key}").items()}
    if isinstance(value, list):
        return {where: leaf for i, one in enumerate(value) for where, leaf in leaves(one, f"{at}/{i}").items()}
    return {at: value}


def compare(name: str, found: dict[str, Any], update: bool) -> None:
    """Against the file of that name, which is written instead with `update`."""
    path, text = HERE / f"{name}.json", json.dumps(plain(found), indent=1, sort_keys=True) + "\n"
    if update:
        path.write_text(text)
    was, now = leaves(json.loads(path.read_text())), leaves(json.loads(text))
    differ = sorted(at for at in was.keys() | now.keys() if was.get(at, "missing") != now.get(at, "missing"))
    lines = [f"{at}: {was.get(at, 'missing')} -> {now.get(at, 'missing')}" for at in differ[:DIFFERENCES_MAX]]
    assert not differ, f"{len(differ)} values of {path.name} differ, `make golden-update` accepts:\n" + "\n".join(lines)
