# SPDX-License-Identifier: GPL-2.0-or-later
"""Why the congestion window fell: what the sender did, joined with what became of its oldest segment.

The probe says that a timer expired or a segment was sent again, and which segment was the oldest without an
acknowledgment. radio.trace repeats TCP's numbers of every packet, so it tells whether the radio dropped that segment,
delivered it late, or still had it. Nothing is guessed beyond the two traces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ..radio.events import rows_of
from ..radio.handover import steps_of
from ..radio.links import over_links
from ..radio.mode_switch import MODES
from .sender import CongestionEvent, Sender
from .window_events import ahead, window_events

MS = 1_000_000
#: What `pkt_drop` rows say of a dropped packet, in words.
DROPS = {
    "queue_full": "a full RLC queue",
    "radio_loss": "the radio, which lost its transport block",
    "rlc_discard": "RLC, which gave up waiting or sending",
    "pdcp_discard": "PDCP",
    "mode_switch": "a mode switch, which flushes RLC",
    "radio_link_failure": "a radio link failure",
    "handover": "a handover",
    "duplicate": "PDCP, as a duplicate",
    "ecn": "a tunnel's end, as marked but not ECN-capable",
    "no_route": "an eNB that the UE had left",
    "aqm": "the queue management of its bearer",
}
#: The same of a link in place of LTE.
LINK_DROPS = {"queue_full": "a full queue of the link", "radio_loss": "the link, which lost it"}
#: Without the segment's own row this long before the event is looked at, in smoothed RTTs.
LOOK_BACK_RTTS = 2
#: A window that falls to this share without any repair is a decision of the congestion control.
OWN_SHARE = 0.5


@dataclass(frozen=True)
class Cut:
    """One fall of the congestion window; windows in packets."""

    kind: str  # "timeout", "fast retransmit", "mark" or "lowered"
    t_ns: int
    before: int
    after: int | None
    cause: str
    flow: str = ""  # whose window it is, of runs with several flows


def cuts(bundle: Bundle, flow: Flow) -> list[Cut]:
    """Every fall of the window of a TCP flow's sender, in order; empty without samples of it."""
    if flow.transport != "tcp" or not bundle.has("tcp.trace"):
        return []
    sender = Sender(bundle, flow)
    if len(sender) < 2:
        return []
    radio = _Radio(bundle, flow)
    marked = _marks(bundle)
    events = window_events(sender)
    found = [
        Cut(event.kind, event.t_ns, event.cwnd, _after(sender, event, then), _cause(sender, radio, event, marked))
        for event, then in zip(events, [*events[1:], None], strict=False)
    ]
    return sorted(found + _lowered(sender, events), key=lambda cut: cut.t_ns)


def _after(sender: Sender, event: CongestionEvent, then: CongestionEvent | None) -> int | None:
    """The lowest window until the event is repaired or another follows, of a mark the threshold that it sets."""
    if event.kind == "mark" or event.end_ns is None:
        return event.ssthresh
    first = sender.at(event.t_ns)
    last = sender.at(event.end_ns)
    if then is not None:
        last = min(last, int(np.searchsorted(sender.t_ns, then.t_ns)) - 1)
    return int(sender.cwnd[first : max(last, first) + 1].min())


def _lowered(sender: Sender, events: list[CongestionEvent]) -> list[Cut]:
    """Windows that fall to half or less in one step, outside of every repair."""
    before, after = sender.cwnd[:-1], sender.cwnd[1:]
    fell = np.flatnonzero((after <= before * OWN_SHARE) & (before > 1)) + 1
    last = int(sender.t_ns[-1])
    spans = [(e.t_ns - MS, last if e.end_ns is None else e.end_ns) for e in events]
    text = "No segment was sent again: the congestion control lowered it by itself, or the connection was idle."
    return [
        Cut("lowered", int(sender.t_ns[i]), int(sender.cwnd[i - 1]), int(sender.cwnd[i]), text)
        for i in fell.tolist()
        if not any(begin <= sender.t_ns[i] <= end for begin, end in spans)
    ]


def _marks(bundle: Bundle) -> bool:
    """Whether any host received packets marked as having experienced congestion."""
    counted = bundle.counters or {}
    return any(int(groups.get("IpExt", {}).get("InCEPkts", 0)) > 0 for groups in counted.values())


class _Radio:
    """Rows of radio.trace that may explain an event, read once."""

    def __init__(self, bundle: Bundle, flow: Flow) -> None:
        radio = bundle.radio
        seq = (pl.col("tag") // 2**32).cast(pl.Int64)
        ack = (pl.col("tag") % 2**32).cast(pl.Int64)
        packets = rows_of(radio, "pkt_in", "pkt_out", "pkt_drop").filter(pl.col("tag") > 0)
        self.packets = packets.select("t_ns", "event", "value", "pkt", seq=seq, ack=ack)
        self.drops = self.packets.filter(pl.col("event") == "pkt_drop")
        self.full = bool((self.packets["event"] == "pkt_in").any())
        self.reasons = bundle.drop_reasons
        self.name, self.droppers = ("link", DROPS | LINK_DROPS) if over_links(bundle) else ("radio", DROPS)
        self.steps, self.about = bundle.radio_symbols.get("rrc", {}), steps_of(bundle)
        self.told = rows_of(
            radio, "route", "rrc", "radio_link_failure", "rlc_discard", "harq_tx", "harq_failure", "rlc_retx",
            "t_reordering", "control_missed",
        ).select("t_ns", "event", "value", "node")  # fmt: skip
        self.sender = bundle.radio_node(flow.source)
        self.arrivals: pl.DataFrame | None = None
        if bundle.has(f"ip-{flow.sink}.pcap") and not self.full:
            data = flow.packets(bundle.capture(flow.sink)).filter(pl.col("payload_bytes") > 0)
            self.arrivals = data.select("t_ns", pl.col("seq").cast(pl.Int64))

    def inside(self, start_ns: int, end_ns: int) -> pl.DataFrame:
        return self.told.filter(pl.col("t_ns").is_between(start_ns, end_ns))


def _cause(sender: Sender, radio: _Radio, event: CongestionEvent, marked: bool) -> str:
    if event.kind == "mark":
        return (
            "An ECN mark: the slow start threshold fell without a retransmission."
            if marked
            else "No segment was sent again and no mark arrived: the congestion control lowered it by itself."
        )
    sent_ns = _sent_ns(sender, event)
    fate, moment_ns = _fate(radio, event, sent_ns)
    around = _around(radio, sent_ns if moment_ns is None else min(sent_ns, moment_ns), event.t_ns)
    acks = _dropped_acks(sender, radio, event, sent_ns)
    return " ".join(filter(None, (fate, acks, around)))


def _sent_ns(sender: Sender, event: CongestionEvent) -> int:
    """When the oldest segment was sent first; by the RTT where the probe did not sample it."""
    here = sender.at(event.t_ns)
    sent = np.flatnonzero((sender.kind[:here] == "segment_out") & (sender.seq[:here] == event.una))
    if len(sent):
        return int(sender.t_ns[sent[0]])
    return event.t_ns - LOOK_BACK_RTTS * max(int(sender.srtt_ns[here]), MS)


def _ms(ns: int) -> str:
    return f"{ns / MS:.0f} ms" if ns >= 10 * MS else f"{ns / MS:.1f} ms"


def _fate(radio: _Radio, event: CongestionEvent, sent_ns: int) -> tuple[str, int | None]:
    """What the radio did with the oldest segment, in words, and when it dropped it."""
    own = radio.packets.filter(pl.col("seq") == event.una)
    drops = own.filter((pl.col("event") == "pkt_drop") & (pl.col("t_ns") < event.t_ns))
    if len(drops):
        t_ns, reason = int(drops["t_ns"][-1]), radio.reasons.get(int(drops["value"][-1]), "?")
        return (
            f"The oldest segment was dropped by {radio.droppers.get(reason, reason)}, {_ms(event.t_ns - t_ns)} before.",
            t_ns,
        )
    if not radio.full:
        return f"The {radio.name} dropped no segment with this number{_arrival(radio, event)}.", None
    own = own.filter(pl.col("t_ns") >= sent_ns - MS)
    if own.is_empty():
        lost = "it was lost on a wire, as in a router's queue"
        return f"The oldest segment never came to the {radio.name}: {lost}.", None
    outs = own.filter((pl.col("event") == "pkt_out") & (pl.col("t_ns") < event.t_ns))
    since = _ms(event.t_ns - int(own["t_ns"][0]))
    if outs.is_empty():
        return f"The oldest segment was still in the {radio.name}, which had taken it {since} before.", None
    delay = _ms(int(outs["value"][0]) * 1000)
    return f"The {radio.name} had delivered the oldest segment, after {delay}: late, not lost.", None


def _arrival(radio: _Radio, event: CongestionEvent) -> str:
    """Whether the receiver had the oldest segment, where it has a capture."""
    if radio.arrivals is None:
        return ""
    came = radio.arrivals.filter((pl.col("seq") == event.una) & (pl.col("t_ns") < event.t_ns))
    if len(came):
        return f"; the receiver had it {_ms(event.t_ns - int(came['t_ns'][0]))} before: late, or its ACK was lost"
    return "; it had not come to the receiver: under way, or lost on a wire, as in a router's queue"


def _dropped_acks(sender: Sender, radio: _Radio, event: CongestionEvent, sent_ns: int) -> str:
    """ACKs of what was under way that the radio dropped."""
    drops = radio.drops.filter(pl.col("t_ns").is_between(sent_ns, event.t_ns))
    nxt = int(sender.nxt[sender.at(event.t_ns)])

    def under_way(number: int) -> bool:
        return ahead(number, event.una) >= 0 and ahead(number, nxt) <= 0

    numbers = zip(drops["seq"].to_list(), drops["ack"].to_list(), strict=True)
    count = sum(under_way(ack) and not under_way(seq) for seq, ack in numbers)
    return f"ACKs dropped of what was in flight: {count}." if count else ""


def _around(radio: _Radio, start_ns: int, end_ns: int) -> str:
    """What else happened on the radio between the sending of the segment and the event."""
    rows = radio.inside(start_ns, end_ns)
    said = []
    switched = _values(rows.filter(pl.col("node") == radio.sender), "route")
    said += [f"mode switch to {MODES.get(value, value)} {_ms(end_ns - t_ns)} before" for t_ns, value in switched]
    steps = [(t, radio.steps.get(value, "?")) for t, value in _values(rows, "rrc")]
    decided = [t for t, step in steps if step == "handover_decision"]
    if decided:
        said.append(f"handover decided {_ms(end_ns - decided[-1])} before")
    elif steps:
        said.append(f"{radio.about} under way ({steps[-1][1].replace('_', ' ')} {_ms(end_ns - steps[-1][0])} before)")
    for name, words in (
        ("radio_link_failure", "radio link failure"), ("rlc_discard", "RLC discard"),
        ("harq_tx", "HARQ retransmission"), ("harq_failure", "HARQ failure"),
        ("rlc_retx", "RLC retransmission"), ("t_reordering", "expiry of t-Reordering"),
        ("control_missed", "missed assignment"),
    ):  # fmt: skip
        count = len(rows.filter(pl.col("event") == name))
        if count:
            said.append(f"{count} × {words}")
    return f"Meanwhile on the radio: {', '.join(said)}." if said else ""


def _values(rows: pl.DataFrame, event: str) -> list[tuple[int, int]]:
    found = rows.filter(pl.col("event") == event)
    return list(zip(found["t_ns"].to_list(), found["value"].to_list(), strict=True))
