# SPDX-License-Identifier: GPL-2.0-or-later
"""A timeout of the sender, for tests of what is said of falls of its window."""

from __future__ import annotations

from synthetic_switch import BASE, tcp_row


def tag(una: int) -> int:
    return ((BASE + una) % 2**32) << 32 | 2**31


#: A segment of 9 in flight is sent at 1990 ms; its timer expires at 2300 ms, and at 2400 ms all is acknowledged.
TIMEOUT = [
    tcp_row(1990, "segment_out", 1000, 1000, 9, seq=1000, len=1000),
    tcp_row(2300, "rto", 1000, 10000, 9),
    tcp_row(2301, "retransmit", 1000, 10000, 1, 4, seq=1000),
    tcp_row(2400, "segment_in", 10000, 10000, 2, 4),
]
