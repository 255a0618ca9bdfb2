# SPDX-License-Identifier: GPL-2.0-or-later
"""Where commands print: made at first use, as Rich takes longer to import than a short command takes."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cellbed_analysis.screen import Screen


@functools.cache
def console() -> Screen:
    """Standard output."""
    from cellbed_analysis.screen import Screen

    return Screen()


@functools.cache
def errors() -> Screen:
    """Standard error."""
    from cellbed_analysis.screen import Screen

    return Screen(stderr=True)
