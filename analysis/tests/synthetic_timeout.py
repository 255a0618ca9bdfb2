# SPDX-License-Identifier: GPL-2.0-or-later
"""A handover that ends in a timeout, for tests of its metrics and figures."""

from __future__ import annotations

from synthetic_handover import Wire, tcp_row

#: Twenty segments in flight when the handover starts at 2300 ms; it ends at 2338, its span 40 ms later.
BEFORE = [
    tcp_row(2290, "segment_in", 79, 99, 20, ack=80),
    tcp_row(2299, "segment_out", 80, 100, 20, seq=99, len=0),
    tcp_row(2360, "segment_out", 90, 109, 20, seq=109, len=1000),  # the last one of the span, not counted as sent yet
    tcp_row(2400, "segment_out", 100, 110, 20, seq=110, len=1000),
]


def forwarded_wire() -> Wire:
    """A segment a ms, 20 ms to arrive; 100 and 101 are lost, 99 takes 150 ms, so the timer resends it needlessly."""
    wire = Wire()
    for segment in range(99):
        wire.send(2201 + segment, segment)
    wire.send(2301, 100, way_ms=None)
    wire.send(2302, 101, way_ms=None)
    wire.send(2400, 99)
    wire.send(2300, 99, way_ms=150)
    wire.send(2430, 100)
    return wire


def timeout_rows() -> list[dict[str, int]]:
    return [
        *(tcp_row(2231 + i, "segment_in", i, i + 30, 40, ack=i + 1) for i in range(60)),
        tcp_row(2299, "segment_out", 69, 99, 40, seq=98, len=0),
        tcp_row(2330, "segment_in", 98, 102, 40, ack=99),
        tcp_row(2400, "rto", 99, 102, 40),
        tcp_row(2400, "retransmit", 99, 102, 1, 20, seq=99),
        tcp_row(2460, "segment_in", 99, 102, 1, 20, ack=100),
        tcp_row(2600, "segment_in", 110, 130, 20, 20, ack=111),
    ]  # fmt: skip
