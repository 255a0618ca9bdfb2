# SPDX-License-Identifier: GPL-2.0-or-later
"""Third-party text, such as names and messages, without what a terminal would obey. Screens are in screen.py."""

from __future__ import annotations


def shown(text: str, but: str = "") -> str:
    """Text with everything that is not printable as an escape, such as \\x1b.

    Args:
        but: characters that stay.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in but else c.encode("unicode_escape").decode() for c in text)
