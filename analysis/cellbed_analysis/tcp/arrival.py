# SPDX-License-Identifier: GPL-2.0-or-later
"""Which transmission arrived: one direction of a connection, matched between both ends' captures.

The captures share one clock and no packet is changed on its way, so a packet is
known again by its IPv4 identification, which Linux counts up for each packet of
a connection, and its TCP numbers. The identification alone repeats every 65,536
packets; twins with equal numbers too are matched in their order.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from ..stats.ranks import with_rank
from .segment import first_byte, unwrap

KEY = ("ip_id", "seq", "ack", "flags", "payload_bytes")


def matched(sent: pl.DataFrame, arrived: pl.DataFrame) -> pl.DataFrame:
    """Join the packets of one direction at its two ends.

    Args:
        sent: packets at the end that sends them, in order (`segment.flow_packets`).
        arrived: the same direction at the other end.

    Returns:
        The rows of `sent` in order, with number (0, 1, ... in order of sending),
        there_ns and there_row (time and place in the other capture), null where
        the packet did not arrive.
    """
    other = with_rank(arrived.select(*KEY, there_ns="t_ns", there_row="row"), "rank", KEY)
    return (
        with_rank(sent.with_columns(number=pl.int_range(pl.len())), "rank", KEY)
        .join(other, on=[*KEY, "rank"], how="left", maintain_order="left")
        .drop("rank")
    )


def transmissions(sent: pl.DataFrame, arrived: pl.DataFrame) -> pl.DataFrame:
    """Every transmission of data, and whether it was a new one, needed, or needless.

    Args:
        sent, arrived: the data direction at the sender and at the receiver.

    Returns:
        Rows of `matched` that carry payload, with start and end (bytes since the
        initial sequence number), again (it begins before the end of what was sent) and
        spurious (again, although an earlier transmission of its first byte
        arrives, however late).

    Source: RFC 3522 (a spurious retransmit is one of a segment that was not lost)
    """
    base = first_byte(sent["seq"].to_numpy(), sent["flags"].to_numpy())
    frame = (
        matched(sent, arrived)
        .with_columns(start=pl.Series(unwrap(sent["seq"].to_numpy()) - base))
        .filter(pl.col("payload_bytes") > 0)
        .with_columns(end=pl.col("start") + pl.col("payload_bytes"))
    )
    start, end = frame["start"].to_numpy(), frame["end"].to_numpy()
    reached = np.maximum.accumulate(end)
    again = np.zeros(len(start), dtype=bool)
    again[1:] = start[1:] < reached[:-1]
    # First transmissions cover the stream in order, but for holes: what the sender's own queue drops
    # is never captured. A retransmission belongs to the first one of its first byte, or to its hole.
    first = np.searchsorted(start[~again], start, "right") - 1
    original = np.where((first >= 0) & (end[~again][first] > start), first, -2 - start)
    originals, which = np.unique(original, return_inverse=True)
    came = np.flatnonzero(frame["there_ns"].is_not_null().to_numpy())
    first_to_come = np.full(len(originals), len(frame))
    np.minimum.at(first_to_come, which[came], came)
    spurious = again & (first_to_come[which] < np.arange(len(frame)))
    return frame.with_columns(again=pl.Series(again), spurious=pl.Series(spurious))


def reordering_extents(order: np.ndarray) -> np.ndarray:
    """How far each arriving packet comes behind ones that were sent after it.

    Args:
        order: (n,) distinct numbers of sending, in the order of arrival.

    Returns:
        (n,) int64: 0 for a packet in order; else the reordering extent i - j, where
        packet i arrives and j is the earliest arrival of one sent after it.

    Source: RFC 4737 sections 3.3 and 4.2
    """
    if not len(order):
        return np.zeros(0, dtype=np.int64)
    first_later = np.searchsorted(np.maximum.accumulate(order), order, "right")
    return np.maximum(np.arange(len(order)) - first_later, 0)
