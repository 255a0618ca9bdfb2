# SPDX-License-Identifier: GPL-2.0-or-later
"""The sender's TCP over time, and when it took something for congestion: the rows of tcp.trace about a flow.

Congestion events are read from the rows that tcp.trace has for every retransmission and timeout, however seldom it
samples segments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow
from cellbed_formats.trace import INFINITE_SSTHRESH

SEQ_SPACE = 2**32


@dataclass(frozen=True)
class CongestionEvent:
    """A fast retransmit or a timeout of the sender."""

    kind: str  # "fast retransmit" or "timeout"
    t_ns: int
    cwnd: int  # before it, in packets
    ssthresh: int | None  # that it set, in packets; None without a later row
    sacked: int  # packets beyond the hole that duplicate ACKs had told of
    end_ns: int | None  # everything sent before it is acknowledged; None if that never comes
    una: int  # the oldest sequence number without an acknowledgment


class Sender:
    """The rows of tcp.trace about a flow's sender, in order of time, as arrays."""

    def __init__(self, bundle: Bundle, flow: Flow) -> None:
        """Choose the connection that delivered most: iperf3 has a control connection beside it. Others are known."""
        rows = bundle.tcp.filter(
            (pl.col("saddr") == flow.saddr) & (pl.col("daddr") == flow.daddr) & (pl.col("dport") == flow.port)
        )
        if flow.found:
            rows = rows.filter(pl.col("sport") == flow.sport)
        most = rows.group_by("sport").agg(pl.col("delivered").max()).sort("delivered", "sport")["sport"]
        rows = rows.filter(pl.col("sport") == most[-1]) if len(most) else rows
        rows = rows.sort("t_ns", maintain_order=True)
        self.kind = rows["kind"].cast(pl.String).to_numpy()
        self.t_ns = rows["t_ns"].to_numpy()
        self.una, self.nxt, self.seq = (
            rows[name].to_numpy().astype(np.int64) for name in ("snd_una", "snd_nxt", "seq")
        )
        self.cwnd, self.ssthresh, self.out, self.sacked, length, mss = (
            rows[name].to_numpy().astype(np.int64)
            for name in ("snd_cwnd", "snd_ssthresh", "packets_out", "sacked_out", "len", "mss")
        )
        self.srtt_ns = rows["srtt_us"].to_numpy().astype(np.int64) * 1000
        # Values before TCP processes it: an ACK of nothing new while data are in flight (RFC 5681 section 2).
        ack = rows["ack"].to_numpy().astype(np.int64)
        self.dupack = (self.kind == "segment_in") & (length == 0) & (ack == self.una) & (self.out > 0)
        ahead = (ack - self.una) % SEQ_SPACE
        self.new_ack = (self.kind == "segment_in") & (ahead > 0) & (ahead < SEQ_SPACE // 2)
        # Linux counts new data as sent only when they have left: the row of that is one too early.
        new = np.where((self.kind == "segment_out") & (self.seq == self.nxt), length, 0)
        self.nxt = (self.nxt + new) % SEQ_SPACE
        self.out = self.out - -new // np.maximum(mss, 1)

    def __len__(self) -> int:
        return len(self.t_ns)

    @property
    def threshold(self) -> np.ndarray:
        """The slow start threshold in packets, NaN while there is none."""
        return np.where(self.ssthresh >= INFINITE_SSTHRESH, np.nan, self.ssthresh.astype(float))

    def at(self, t_ns: int) -> int:
        """Index of the last row at or before a time; -1 before the first."""
        return int(np.searchsorted(self.t_ns, t_ns, "right")) - 1

    def acknowledged(self, seq: int, since: int) -> int | None:
        """Index of the first row from `since` on in which everything before `seq` is acknowledged."""
        step = 1 << 12
        for begin in range(since, len(self), step):
            ahead = (self.una[begin : begin + step] - seq + SEQ_SPACE // 2) % SEQ_SPACE - SEQ_SPACE // 2
            if (ahead >= 0).any():
                return begin + int(np.argmax(ahead >= 0))
        return None


def congestion_events(sender: Sender) -> list[CongestionEvent]:
    """Fast retransmits and timeouts of a connection, in order.

    A fast retransmit is a retransmission of the oldest segment outside of any repair: an
    earlier event's lasts until everything sent before that event is acknowledged. One inside
    a fast recovery counts when it comes with another slow start threshold: the
    sender had left recovery with a partial ACK and entered it again.
    """
    events: list[CongestionEvent] = []
    state, end, ssthresh = "open", -1, -1
    for i in np.flatnonzero((sender.kind == "rto") | (sender.kind == "retransmit")).tolist():
        if end >= 0 and i >= end:
            state, end = "open", -1
        if sender.kind[i] == "rto":
            # Taken before the sender lowers anything.
            event, new = _event(sender, i, "timeout", _next_ssthresh(sender, i))
            state = "loss"
        elif sender.seq[i] == sender.una[i] and (
            state == "open" or (state == "fast" and sender.ssthresh[i] != ssthresh)
        ):
            event, new = _event(sender, i, "fast retransmit", int(sender.ssthresh[i]))
            state = "fast"
        else:
            continue
        end = len(sender) if new is None else new
        ssthresh = -1 if event.ssthresh is None else event.ssthresh
        events.append(event)
    return events


def _next_ssthresh(sender: Sender, i: int) -> int | None:
    return int(sender.ssthresh[i + 1]) if i + 1 < len(sender) else None


def _event(sender: Sender, i: int, kind: str, ssthresh: int | None) -> tuple[CongestionEvent, int | None]:
    end = sender.acknowledged(int(sender.nxt[i]), i)
    # A retransmission's row may show the window lowered already.
    before = max(i - 1, 0) if kind == "fast retransmit" else i
    return CongestionEvent(
        kind, int(sender.t_ns[i]), int(sender.cwnd[before]), ssthresh, int(sender.sacked[i]),
        None if end is None else int(sender.t_ns[end]), int(sender.una[i]),
    ), end  # fmt: skip
