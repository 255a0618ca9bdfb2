# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a packet waited in a queue, in words: whose bytes went before it, and what the air was used for meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..tcp.causes import CAUSES, OTHER, Wait
from .answer import LEAST_MS

#: A wait is explained in which so much has another cause than the radio's own pace.
WORTH_MS = 5.0
PACE = ("air", "tdd")


def waits_in_words(waits: Sequence[Wait], packets: Mapping[str, str], receivers: Mapping[str, str],
                   station: str) -> tuple[str, ...]:
    """Lines about the waits that are worth it.

    Args:
        packets: what the packets of each side are called.
        receivers: where those of each side go.
        station: what base stations are called.
    """
    return tuple(line for wait in waits if wait.ms - sum(wait.causes_ms[cause] for cause in PACE) >= WORTH_MS
                 for line in _lines(wait, packets[wait.side], receivers[wait.side], station))


def _lines(wait: Wait, packet: str, receiver: str, station: str) -> Iterator[str]:
    queue = f"the queue of {wait.node}" if wait.node is not None else f"the {station}'s queue for {receiver}"
    yield f"  why the {packet} waited {wait.ms:.3f} ms in {queue}:"
    told = ", ".join(f"{size} of {owner if owner == OTHER else f'flow {owner}'}" for owner, size in wait.ahead.items())
    yield f"    {sum(wait.ahead.values())} bytes went before it{': ' * bool(told)}{told}"
    for cause, ms in sorted(wait.causes_ms.items(), key=lambda item: -item[1]):
        if ms >= LEAST_MS:
            yield f"    {ms:9.3f} ms  {CAUSES[cause]}"
    at = "" if wait.cqi is None or wait.usual_cqi is None else \
        f", at a CQI of {wait.cqi:.1f} ({wait.usual_cqi:.1f} over the run)"
    yield f"    served in {wait.blocks} transport blocks, {wait.mbps:.3f} Mbit/s{at}"
