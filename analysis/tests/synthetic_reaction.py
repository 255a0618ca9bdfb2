# SPDX-License-Identifier: GPL-2.0-or-later
"""What a sender's trace holds after a mode switch: duplicate ACKs, or a timeout."""

from __future__ import annotations

from synthetic_switch import tcp_row

#: 20 packets in flight at 2 s, all flushed: nothing but the timer helps, 0.3 s later.
TIMEOUT = [
    tcp_row(1990, "segment_out", 100_000, 119_000, 30),
    # As Linux does: the segment that leaves is not counted yet.
    tcp_row(1999, "segment_out", 100_000, 119_000, 30, seq=119_000, len=1000, mss=1000),
    tcp_row(2300, "rto", 100_000, 120_000, 30, seq=100_000),
    tcp_row(2300, "retransmit", 100_000, 120_000, 1, 15, seq=100_000),
    tcp_row(2400, "retransmit", 101_000, 120_000, 2, 15, seq=101_000),  # slow start, no further event
    tcp_row(2500, "segment_in", 119_000, 120_000, 12, 15),
    tcp_row(2600, "segment_in", 120_000, 140_000, 16, 15),
    tcp_row(3300, "segment_in", 140_000, 160_000, 18, 15),
    tcp_row(4000, "segment_in", 160_000, 180_000, 21, 15),
    tcp_row(9000, "segment_in", 200_000, 220_000, 22, 15),
]
#: 10 of 20 packets flushed at 5 s. Duplicate ACKs, a partial ACK, the timer in recovery after a second, then
#: duplicate ACKs of what was resent needlessly.
DUPACKS = [
    tcp_row(4990, "segment_out", 300_000, 320_000, 20, 50),
    tcp_row(5050, "retransmit", 300_000, 323_000, 12, 10, seq=300_000, sacked_out=3),
    tcp_row(5080, "retransmit", 301_000, 323_000, 11, 10, seq=301_000),
    tcp_row(6050, "rto", 302_000, 323_000, 10, 10, seq=302_000),
    tcp_row(6050, "retransmit", 302_000, 323_000, 1, 5, seq=302_000),
    tcp_row(6300, "segment_in", 323_000, 330_000, 5, 5),
    tcp_row(6400, "retransmit", 323_000, 331_000, 3, 2, seq=323_000),
    tcp_row(6500, "segment_in", 331_000, 340_000, 3, 2),
    tcp_row(7000, "segment_in", 340_000, 350_000, 10, 2),
]
