# SPDX-License-Identifier: GPL-2.0-or-later
"""Mode switches, and what the sender's TCP made of each: radio.trace joined with tcp.trace.

Both traces have one clock. A switch is a change of the sending UE's mode; what
it flushed is counted by direction. Congestion events are read from the rows
that tcp.trace has for every retransmission and timeout, however seldom it
samples segments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle, Flow
from cellbed_formats.size import parse_size
from cellbed_formats.trace import INFINITE_SSTHRESH

MODES = {0: "IM", 1: "DM"}
SEQ_SPACE = 2**32


@dataclass(frozen=True)
class Switch:
    """A change of the sending UE's mode; times in ns of CLOCK_MONOTONIC."""

    t_ns: int
    until_ns: int  # the next one, or the end of the flow
    before: str  # mode: DM or IM
    after: str
    data_pkts: int  # flushed, of the data flow
    data_bytes: int
    ack_pkts: int  # flushed, of the ACK flow
    ack_bytes: int

    @property
    def flushed(self) -> bool:
        """Data were lost."""
        return self.data_pkts > 0


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


@dataclass(frozen=True)
class Reaction:
    """What followed one switch, until the next one."""

    switch: Switch
    events: tuple[CongestionEvent, ...]
    outstanding: int  # packets in flight for the sender at the switch
    cwnd: int  # packets, at the switch
    repaired_ns: int | None  # everything outstanding at the switch is acknowledged
    low: int | None  # lowest cwnd between the first event and the repair, in packets
    back_ns: int | None  # cwnd is again what it was, or as large as the receive window
    after_1s: int | None  # lowest cwnd between 0.9 and 1.1 s after the first event, in packets

    @property
    def waited(self) -> bool:
        """The timer had to expire before everything outstanding at the switch was acknowledged."""
        end = self.switch.until_ns if self.repaired_ns is None else self.repaired_ns
        return any(event.kind == "timeout" and event.t_ns <= end for event in self.events)

    @property
    def second_event(self) -> bool:
        """A fast retransmit after the first congestion event."""
        return any(event.kind == "fast retransmit" for event in self.events[1:])


def rows_of(radio: pl.DataFrame, *events: str) -> pl.DataFrame:
    """Rows of radio.trace about some events, `event` and `dir` as text; a trace may not know all of them."""
    kinds = radio["event"].dtype
    known = [event for event in events if isinstance(kinds, pl.Enum) and event in kinds.categories]
    return radio.filter(pl.col("event").is_in(known)).with_columns(pl.col("event", "dir").cast(pl.String))


def switches(bundle: Bundle, flow: Flow) -> list[Switch]:
    """Changes of the sending UE's mode while the flow lasts, in order; none without a mode to change.

    Packets of one direction may be flushed on two legs of infrastructure mode.
    """
    if flow.source not in bundle.ue_numbers or flow.sink not in bundle.ue_numbers:
        return []
    sender, receiver = bundle.ue_numbers[flow.source], bundle.ue_numbers[flow.sink]
    rows = rows_of(bundle.radio, "route", "flush")
    inside = rows.filter(pl.col("t_ns").is_between(flow.start_ns, flow.end_ns, closed="left"))
    routes = inside.filter((pl.col("event") == "route") & (pl.col("node") == sender)).sort("t_ns")
    flushes = inside.filter(pl.col("event") == "flush")
    of_data = flushes.filter((pl.col("node") == sender) | ((pl.col("dir") == "dl") & (pl.col("peer") == receiver)))
    of_acks = flushes.filter((pl.col("node") == receiver) | ((pl.col("dir") == "dl") & (pl.col("peer") == sender)))
    times = routes["t_ns"].to_list()
    found = []
    for t_ns, until_ns, value in zip(times, [*times, flow.end_ns][1:], routes["value"].to_list(), strict=True):
        lost = [frame.filter(pl.col("t_ns") == t_ns) for frame in (of_data, of_acks)]
        sums = [int(frame[column].sum()) for frame in lost for column in ("value", "bytes")]
        found.append(Switch(t_ns, until_ns, MODES[1 - value], MODES[value], *sums))
    return found


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
    sender had left recovery with a partial ACK and entered it anew.
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


def reactions(bundle: Bundle, flow: Flow) -> list[Reaction]:
    """What the sender made of every switch of the flow."""
    found = switches(bundle, flow)
    if not found:
        return []
    sender = Sender(bundle, flow)
    events = congestion_events(sender)
    return [r for switch in found if (r := _reaction(sender, switch, events, window_pkts(bundle))) is not None]


def window_pkts(bundle: Bundle) -> int | None:
    """The receive window in segments, rounded down; None when autotuned."""
    tcp = bundle.settings.get("tcp", {})
    if tcp.get("receive_window") is None or not tcp.get("mss"):
        return None
    return parse_size(tcp["receive_window"]) // int(tcp["mss"])


def _reaction(sender: Sender, switch: Switch, events: list[CongestionEvent], window: int | None) -> Reaction | None:
    here = sender.at(switch.t_ns)
    if here < 0:
        return None
    own = tuple(event for event in events if switch.t_ns <= event.t_ns < switch.until_ns)
    last = sender.at(switch.until_ns)
    cwnd = int(sender.cwnd[here])
    repaired = sender.acknowledged(int(sender.nxt[here]), here)
    if repaired is not None and sender.t_ns[repaired] >= switch.until_ns:
        repaired = None
    low = back = after = None
    if own:
        first = sender.at(own[0].t_ns)
        end = last if repaired is None else max(repaired, first)
        low = int(sender.cwnd[first : end + 1].min())
        goal = cwnd if window is None else min(cwnd, window)
        lowest = first + int(np.argmin(sender.cwnd[first : end + 1]))
        above = np.flatnonzero(sender.cwnd[lowest : last + 1] >= goal)
        back = lowest + int(above[0]) if len(above) else None
        near = slice(sender.at(own[0].t_ns + 900_000_000), sender.at(own[0].t_ns + 1_100_000_000) + 1)
        after = int(sender.cwnd[near].min()) if own[0].t_ns + 1_100_000_000 < switch.until_ns else None
    return Reaction(
        switch, own, int(sender.out[here]), cwnd,
        None if repaired is None else int(sender.t_ns[repaired]), low,
        None if back is None else int(sender.t_ns[back]), after,
    )  # fmt: skip
