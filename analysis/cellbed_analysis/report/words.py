# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers in words, the same in tables and pages."""

from __future__ import annotations

from ..claims.expect import Judgement
from ..stats.interval import Estimate


def window_text(window_bytes: int | None) -> str:
    """A window in KiB, e.g. "8 KiB"."""
    return "" if not window_bytes else f"{window_bytes / 1024:g} KiB"


def number_text(value: float | str | None) -> str:
    """A number with four significant digits, at most five decimals; words as they are."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if abs(value) >= 1000 else f"{round(value, 5) + 0.0:.4g}"


def distance_text(found: Judgement | None) -> str:
    """How far a claim's value is from what is expected, in its unit, e.g. "+3.2"."""
    return "" if found is None else f"{'+' if found.distance > 0 else ''}{number_text(found.distance)}"


def multiple_text(found: Judgement | None) -> str:
    """The same in multiples, e.g. "1.6 tolerances"; see docs/claims.md."""
    if found is None or found.multiple is None:
        return ""
    return f"{abs(found.multiple):.{0 if abs(found.multiple) >= 1000 else 1}f} {found.of}s"


def estimate_text(value: Estimate | None, decimals: int, interval: bool = True) -> str:
    """A value with its half width, e.g. "30.02 ± 0.01"."""
    if value is None:
        return ""
    text = f"{value.value:.{decimals}f}"
    if not interval or value.half_width is None:
        return text
    return f"{text} ± {value.half_width:.{decimals}f}"
