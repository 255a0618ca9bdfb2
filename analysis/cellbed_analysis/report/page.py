# SPDX-License-Identifier: GPL-2.0-or-later
"""How pages are made: templates, and numbers in words, the same in all of them."""

from __future__ import annotations

import base64
import functools
from collections.abc import Callable, Mapping
from pathlib import Path

import jinja2
from markupsafe import Markup

from ..metrics.catalog import labelled
from ..metrics.series_name import brief
from .headline import evaluated_text, series_title
from .words import distance_text, estimate_text, multiple_text, number_text, window_text


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
        "distance": distance_text,
        "multiple": multiple_text,
        "data_uri": data_uri,
        "pdf_uri": lambda path: data_uri(path.content(), "application/pdf"),
        "metric_label": labelled,
        "brief": brief,
        "evaluated_text": evaluated_text,
        "series_title": series_title,
    }
    return made


def section(folder: Path, filters: Mapping[str, Callable[..., object]], **values: object) -> Markup:
    """A study's section of the report, from `report.html.j2` in its folder.

    Args:
        folder: of the study.
        filters: what the template has besides those of all pages.
        values: what it is given.
    """
    own = environment().overlay(loader=jinja2.FileSystemLoader(folder))
    own.filters = {**own.filters, **filters}
    return Markup(own.get_template("report.html.j2").render(values))


def data_uri(content: bytes, mime: str = "image/svg+xml") -> Markup:
    """Bytes inside the page."""
    return Markup(f"data:{mime};base64,{base64.b64encode(content).decode()}")


def page(template: str, **values: object) -> str:
    """A page's HTML."""
    return environment().get_template(template).render(**values)
