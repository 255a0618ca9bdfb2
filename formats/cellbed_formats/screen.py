# SPDX-License-Identifier: GPL-2.0-or-later
"""Text on its way to a terminal: names, settings and messages come from files that others made.

A control character in them would be obeyed by the terminal: it can move the cursor, change what was printed before, set
the window's title or have text typed. Everything printed goes through `shown`, most of it by way of a `Screen`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from .printable import shown


class Screen(Console):
    """A console that shows what it is given and obeys none of it: neither control characters nor Rich's markup."""

    def __init__(self, **options: Any) -> None:
        """Args: options: of Rich's Console."""
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """As Rich does, with the text of each piece made printable."""
        for piece in super().render(renderable, options):
            yield piece if piece.control else Segment(shown(piece.text, "\n"), piece.style)
