# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a page's HTML, for tests of reports."""

from __future__ import annotations

import html.parser


class Collector(html.parser.HTMLParser):
    """All addresses and all text of a page, and whether its tags are balanced."""

    VOID = frozenset({"meta", "source", "img", "br", "link", "input", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.text: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [v or "" for k, v in attrs if k in ("src", "srcset", "href", "action")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)
