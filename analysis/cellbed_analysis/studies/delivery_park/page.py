# SPDX-License-Identifier: GPL-2.0-or-later
"""The model of section 3 on the paper's page: the printed formula, an exact computation, and what was measured."""

from __future__ import annotations

from collections.abc import Mapping

from ...claims.judge import Outcome
from . import delivery, park

#: Claims that measure the increment, by the HARQ RTT of the downlink in ms.
MEASURED = {8: "park-u-increment", 12: "park-u-increment-12", 16: "park-u-increment-16"}
HEAD = """## What the model of section 3 gives, computed exactly

The paper's formula adds up the PDUs that each gap holds back, also where gaps overlap, and counts a PDU that fails
twice in two rows. By its own assumptions (a PDU each millisecond, each late independently) a PDU waits for the
slowest one before it. The mean of that maximum is exact:

| HARQ RTT (ms) | RTT increment, printed (ms) | exact (ms) | measured (ms) | measured less exact (ms) |
| ---: | ---: | ---: | ---: | ---: |
"""


def section(outcomes: Mapping[str, Outcome]) -> str:
    """Markdown with a line for each HARQ RTT."""
    lines = [_line(harq_ms, outcomes.get(MEASURED[harq_ms])) for harq_ms in park.TABLE2_HARQ_RTT_MS]
    return f"{HEAD}{chr(10).join(lines)}"


def _line(harq_ms: int, found: Outcome | None) -> str:
    printed = delivery.both_ways_ms(float(harq_ms), as_printed=True)
    exact = delivery.exact_both_ways_ms(float(harq_ms))
    measured = found.measured if found else None
    if measured is None:
        return f"| {harq_ms} | {printed:.1f} | {exact:.1f} | | |"
    half = "" if measured.half_width is None else f" ± {measured.half_width:.1f}"
    return f"| {harq_ms} | {printed:.1f} | {exact:.1f} | {measured.value:.1f}{half} | {measured.value - exact:+.1f} |"
