# SPDX-License-Identifier: GPL-2.0-or-later
"""How pages are made: templates, and numbers in words, the same in all of them."""

from __future__ import annotations

import base64
import functools

import jinja2
from markupsafe import Markup

from .delivery_sweep import ORDERS
from .explore import metric_label
from .figures.order import brief
from .maxdat_report import cell_text
from .summary import estimate_text, number_text, series_title, window_text


@functools.cache
def environment() -> jinja2.Environment:
    """Templates of the package; what they are given is escaped."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__, "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "number": number_text,
        "estimate": estimate_text,
        "window": window_text,
        "data_uri": data_uri,
        "pdf_uri": lambda path: data_uri(path.read_bytes(), "application/pdf"),
        "order": ORDERS.__getitem__,
        "maxdat_cell": cell_text,
        "metric_label": metric_label,
        "brief": brief,
        "series_title": series_title,
    }
    return made


def data_uri(content: bytes, mime: str = "image/png") -> Markup:
    """Bytes inside the page."""
    return Markup(f"data:{mime};base64,{base64.b64encode(content).decode()}")


def page(template: str, **values: object) -> str:
    """A page's HTML."""
    return environment().get_template(template).render(**values)
