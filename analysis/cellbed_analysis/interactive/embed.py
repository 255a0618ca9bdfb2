# SPDX-License-Identifier: GPL-2.0-or-later
"""Bokeh models as data of a page, and the script that draws them, both inside the page.

Bokeh numbers its models from the start of the process; here they are numbered again from 1 in each figure, so that the
same results give the same bytes.
"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

import bokeh
from bokeh.embed import json_item
from bokeh.models import Model
from markupsafe import Markup

_ID = re.compile(r"p\d+")


@functools.cache
def script() -> Markup:
    """BokehJS without the parts that are not used: widgets, tables, WebGL, formulas."""
    path = Path(bokeh.__file__).parent / "server/static/js/bokeh.min.js"
    return Markup(path.read_text().replace("</script", "<\\/script"))


def figure_json(model: Model, target: str) -> Markup:
    """A figure for a script element of type application/json; @target is the id of the element that shows it."""
    item: dict[str, Any] = json_item(model, target)
    names: dict[str, str] = {}
    _collect(item, names)
    text = json.dumps(_renamed(item, names), separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))


def _collect(value: Any, names: dict[str, str]) -> None:
    """New names of all models, in their order."""
    if isinstance(value, dict):
        own = value.get("id")
        if isinstance(own, str) and _ID.fullmatch(own):
            names.setdefault(own, f"p{len(names) + 1}")
        for inner in value.values():
            _collect(inner, names)
    elif isinstance(value, list):
        for inner in value:
            _collect(inner, names)


def _renamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {
            key: names.get(inner, inner) if key in ("id", "root_id") and isinstance(inner, str)
            else _renamed(inner, names)
            for key, inner in value.items()
        }
    return [_renamed(inner, names) for inner in value] if isinstance(value, list) else value
