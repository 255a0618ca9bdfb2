# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of a run that is evaluated: by metrics, claims, tables and figures alike.

Rule: the first 5 s of a flow, or its first fifth when it lasts less than 25 s,
are warm-up (handshake, slow start, filling queues) and left out; so is what
happens after the flow's end. A scenario sets other ends (`evaluate`). A segment or
packet counts when it was *sent* inside the window.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

WARM_UP_NS = 5_000_000_000
WARM_UP_SHARE = 5  # at most one part in ...


@dataclass(frozen=True)
class Window:
    """Half-open span of CLOCK_MONOTONIC in ns."""

    start_ns: int
    end_ns: int

    @property
    def seconds(self) -> float:
        """Length in s."""
        return (self.end_ns - self.start_ns) / 1e9

    def cut(self, frame: pl.DataFrame, column: str) -> pl.DataFrame:
        """Rows whose time lies inside."""
        return frame.filter(pl.col(column).is_between(self.start_ns, self.end_ns, closed="left"))


def evaluated_window(bundle: Bundle, flow: Flow, warm_up: bool = True) -> Window:
    """What of the flow lies in the window of its scenario; without one, its span but for the warm-up.

    Args:
        warm_up: leave that out where the scenario sets no start.

    Returns:
        A window of 0 s where nothing of the flow lies in it.
    """
    start_ns, end_ns = bundle.evaluated_ns
    if start_ns is None:
        start_ns = flow.start_ns + warm_up * min(WARM_UP_NS, (flow.end_ns - flow.start_ns) // WARM_UP_SHARE)
    end_ns = flow.end_ns if end_ns is None else end_ns
    start_ns = min(max(start_ns, flow.start_ns), flow.end_ns)
    return Window(start_ns, max(start_ns, min(end_ns, flow.end_ns)))
