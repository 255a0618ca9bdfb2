# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run looked like over time, thinned for drawing: TCP's state, throughput, queues, channel and radio events."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from cellbed_channel.link import DIRECTIONS
from cellbed_channel.trace import UNKNOWN_SINR
from cellbed_channel.trace import read as read_channel
from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import QUIC, Flow
from cellbed_formats.radios import networks, over

from ..metrics.rows import captured
from ..metrics.run import TIMED, RunAnalysis
from ..metrics.share import arrivals
from ..radio.events import rows_of
from ..radio.grid import grid_of
from ..radio.handover import handovers, steps_of
from ..radio.mode_switch import switches
from ..tcp.cuts import Cut, cuts
from ..tcp.delay import datagram_delays, least_way_ns, spin_rtts
from ..tcp.segment import unwrap
from ..tcp.sender import Sender

#: Time over which throughput is averaged: this many parts of the run, but no less than so long.
THROUGHPUT_BINS, THROUGHPUT_BIN_NS = 200, 100_000_000
#: Rows of radio.trace that a reader may look for, in the order of a raster from below.
HAPPENINGS = {
    "ra_collision": "RA collision", "control_missed": "assignment missed", "harq_nack": "HARQ NACK",
    "harq_failure": "HARQ failure", "mac_lost": "block lost", "rlc_retx": "RLC retransmission",
    "t_reordering": "t-Reordering", "rlc_discard": "RLC discard", "pkt_drop": "packet dropped",
    "radio_link_failure": "radio link failure", "rrc": "handover step",
}  # fmt: skip
#: A queue whose largest is this share of the largest of all, or less, is not shown.
UNUSED_SHARE = 0.02
DIRECTION_WORDS = {"ul": "uplink", "dl": "downlink", "sl": "direct"}


@dataclass(frozen=True)
class Line:
    """A value over time, t in s after the start of the traffic; it holds until the next one where it is a step."""

    t_s: np.ndarray
    value: np.ndarray


@dataclass(frozen=True)
class Happening:
    """Radio events of one kind that lie too near to be told apart."""

    kind: str  # in words, as HAPPENINGS has them
    t_s: float
    count: int
    detail: str


@dataclass(frozen=True)
class Span:
    """A stretch of the run with a name: a mode, a handover."""

    start_s: float
    end_s: float
    text: str


@dataclass
class RunSeries:
    """All that a timeline shows; what a run does not have is empty."""

    end_s: float
    lines: dict[str, Line] = field(default_factory=dict)  # cwnd, ssthresh, flight, srtt, rtt, throughput
    flow: str = ""  # whose they are
    beside: dict[str, dict[str, Line]] = field(default_factory=dict)  # the same of other flows by their ids
    cuts: list[Cut] = field(default_factory=list)
    start_ns: int = 0
    queues: dict[str, Line] = field(default_factory=dict)  # bytes
    cqi: dict[str, Line] = field(default_factory=dict)
    sinr_db: dict[str, Line] = field(default_factory=dict)
    happenings: list[Happening] = field(default_factory=list)
    modes: list[Span] = field(default_factory=list)
    handovers: list[Span] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """There is nothing to show."""
        of_flows = self.lines or any(self.beside.values())
        return not (of_flows or self.queues or self.cqi or self.sinr_db or self.happenings)

    def of_flows(self, name: str) -> dict[str, Line]:
        """A line of every flow that has it, by the flow's id."""
        every = {self.flow: self.lines} | self.beside
        return {flow: lines[name] for flow, lines in every.items() if name in lines}

    def at_s(self, t_ns: int) -> float:
        """A time in s after the start of the traffic."""
        return (t_ns - self.start_ns) / 1e9


def thin(t: np.ndarray, value: np.ndarray, points: int) -> Line:
    """At most about `points` of a series, among them the least and the greatest of each stretch.

    A cut of the window is an extreme of its stretch, so none is lost.
    """
    if len(t) <= points:
        return Line(t, value)
    edges = np.linspace(0, len(t), points // 4 + 1).astype(int)
    keep = set(edges[:-1].tolist()) | {len(t) - 1}
    for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        part = value[begin:end]
        if np.isnan(part).all():
            continue
        keep |= {begin + int(np.nanargmin(part)), begin + int(np.nanargmax(part)), end - 1}
    chosen = np.array(sorted(keep))
    return Line(t[chosen], value[chosen])


def changes(t: np.ndarray, value: np.ndarray) -> Line:
    """A step function without the points at which nothing changes; the last one stays."""
    if len(t) < 3:
        return Line(t, value)
    new = np.ones(len(t), dtype=bool)
    same = (value[1:] == value[:-1]) | (np.isnan(value[1:]) & np.isnan(value[:-1]))
    new[1:-1] = ~same[:-1]
    return Line(t[new], value[new])


def run_series(run: RunAnalysis, flow: Flow, points: int, beside: Sequence[Flow] = ()) -> RunSeries:
    """The series of a run's flow, and of those beside it.

    Args:
        points: about the most that one line may have.
    """
    bundle = run.bundle.lent()
    flows = [flow, *beside]
    series = RunSeries(
        end_s=(max(one.end_ns for one in flows) - bundle.start_ns) / 1e9, start_ns=bundle.start_ns, flow=flow.id
    )
    _flow_lines(series, run, bundle, flow, points)
    for other in beside:
        own = RunSeries(end_s=series.end_s, start_ns=series.start_ns)
        _flow_lines(own, run, bundle, other, points)
        series.beside[other.id] = own.lines
        series.cuts = [*_named(series.cuts, flow), *_named(own.cuts, other)]
    series.cuts.sort(key=lambda cut: cut.t_ns)
    every = [bundle, *networks(bundle).values()]
    for network in every:
        _queues(series, network, flows, points)
        _channel(series, network, flows, points)
    highest = max((line.value.max() for line in series.queues.values()), default=0)
    series.queues = {name: line for name, line in series.queues.items() if line.value.max() > UNUSED_SHARE * highest}
    series.happenings = [one for network in every for one in _happenings(series, network, points)]
    for network in every:
        _spans(series, network, flows)
    return series


def _named(found: list[Cut], flow: Flow) -> list[Cut]:
    """Falls of the window that say whose they are, once."""
    return [cut if cut.flow else replace(cut, flow=flow.id) for cut in found]


def _flow_lines(series: RunSeries, run: RunAnalysis, bundle: Bundle, flow: Flow, points: int) -> None:
    if flow.whole:
        _received(series, bundle, flow)
    elif flow.transport == "tcp":
        if bundle.probed:
            _tcp(series, over(bundle, flow), flow, points)
        _rtt(series, run, flow, points)
    elif flow.datagrams and flow.sink in bundle.captured_nodes:
        _datagrams(series, bundle, flow)
        if flow.transport == QUIC:
            _spin(series, bundle, flow, points)


def _tcp(series: RunSeries, bundle: Bundle, flow: Flow, points: int) -> None:
    sender = Sender(bundle, flow)
    if len(sender) < 2:
        return
    t_s = (sender.t_ns - series.start_ns) / 1e9
    acks = np.isin(sender.kind, ("segment_in", "rto", "retransmit", "sample"))
    for name, value, which in (
        ("cwnd", sender.cwnd.astype(float), slice(None)),
        ("ssthresh", sender.threshold, slice(None)),
        ("flight", sender.out.astype(float), slice(None)),
        ("srtt", np.where(sender.srtt_ns > 0, sender.srtt_ns / 1e6, np.nan), acks),
    ):
        line = changes(t_s[which], value[which])
        if not np.isnan(line.value).all():
            series.lines[name] = thin(line.t_s, line.value, points)
    series.cuts = cuts(bundle, flow)
    # While a connection opens and closes its numbers are not those of its data.
    data = (sender.kind != "state") & (sender.una != 0)
    if data.any():
        series.lines["throughput"] = rate(series, t_s[data], np.maximum.accumulate(unwrap(sender.una[data])))


def rate(series: RunSeries, t_s: np.ndarray, reached_bytes: np.ndarray) -> Line:
    """Mbit/s in equal parts of the run, each at its middle, from the bytes reached at some times."""
    bins = max(min(THROUGHPUT_BINS, int(series.end_s * 1e9 / THROUGHPUT_BIN_NS)), 1)
    edges = np.linspace(0, max(series.end_s, float(t_s[-1]), 1e-3), bins + 1)
    at = np.searchsorted(t_s, edges, "right") - 1
    reached = np.where(at < 0, reached_bytes[0], reached_bytes[np.maximum(at, 0)])
    width = edges[1] - edges[0]
    return Line((edges[:-1] + edges[1:]) / 2, np.diff(reached) * 8 / 1e6 / width)


def _rtt(series: RunSeries, run: RunAnalysis, flow: Flow, points: int) -> None:
    if not captured(run.bundle):
        return
    segments = run.segments(flow.id, TIMED)
    if segments.is_empty() or "rtt_ns" not in segments.columns:
        return
    timed = segments.filter(pl.col("rtt_ns").is_not_null()).sort("out_ns")
    if len(timed):
        t_s = (timed["out_ns"].to_numpy() - series.start_ns) / 1e9
        series.lines["rtt"] = thin(t_s, timed["rtt_ns"].to_numpy() / 1e6, points)


def _received(series: RunSeries, bundle: Bundle, flow: Flow) -> None:
    """Throughput of a connection of MPTCP, as its receiving program has it."""
    came = arrivals(bundle, flow)
    if len(came.t_ns):
        series.lines["throughput"] = rate(series, (came.t_ns - series.start_ns) / 1e9, came.bytes)


def _datagrams(series: RunSeries, bundle: Bundle, flow: Flow) -> None:
    """Throughput of a flow of datagrams, where they arrive."""
    came = flow.packets(bundle.capture(flow.sink))
    if len(came):
        t_s = (came["t_ns"].to_numpy() - series.start_ns) / 1e9
        series.lines["throughput"] = rate(series, t_s, np.cumsum(came["ip_bytes"].to_numpy().astype(np.int64)))


def _spin(series: RunSeries, bundle: Bundle, flow: Flow, points: int) -> None:
    """RTTs of a QUIC connection whose spin bit spins."""
    ways = datagram_delays(bundle, flow), datagram_delays(bundle, flow, back=True)
    ended, rtts = spin_rtts(ways[0], least_way_ns(*ways))
    if len(rtts):
        series.lines["rtt"] = thin((ended - series.start_ns) / 1e9, rtts / 1e6, points)


def _ues(bundle: Bundle, flows: Sequence[Flow]) -> dict[int, str]:
    ends = dict.fromkeys(end for flow in flows for end in (flow.source, flow.sink))
    return {bundle.ue_numbers[name]: name for name in ends if name in bundle.ue_numbers}


def _queues(series: RunSeries, bundle: Bundle, flows: Sequence[Flow], points: int) -> None:
    """RLC's buffers of the flows' UEs, of both ends."""
    for (number, name), (place, rows) in itertools.product(
            _ues(bundle, flows).items(), _stations(bundle, rows_of(bundle.radio, "buffer")).items()):
        for direction in DIRECTIONS:
            whose = pl.col("peer") == number if direction == "dl" else pl.col("node") == number
            own = rows.filter(whose & (pl.col("dir") == direction))
            if len(own):
                line = changes((own["t_ns"].to_numpy() - series.start_ns) / 1e9, own["bytes"].to_numpy().astype(float))
                label = f"{DIRECTION_WORDS[direction]} of {name}{place}{bundle.over_network}"
                series.queues[label] = thin(line.t_s, line.value, points)


def _stations(bundle: Bundle, rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Rows of each base station where those of a UE are of several at once, as with EN-DC, by what labels say."""
    stations = grid_of(bundle).stations
    return {f" over {station.system}": rows.filter(pl.col("enb") == enb)
            for enb, station in enumerate(stations)} if stations else {"": rows}


def _channel(series: RunSeries, bundle: Bundle, flows: Sequence[Flow], points: int) -> None:
    """CQI and SINR of the flows' UEs: of channel.trace, else the CQIs of the grants where they change."""
    path, every = bundle.find("channel.trace"), rows_of(bundle.radio, "channel")
    trace = read_channel(path) if path is not None and len(every) else None
    granted = _stations(bundle, rows_of(bundle.radio, "grant").filter(pl.col("cqi") > 0))
    for (number, name), (place, begins) in itertools.product(
            _ues(bundle, flows).items(), _stations(bundle, every).items()):
        for direction in DIRECTIONS:
            label = f"{DIRECTION_WORDS[direction]} of {name}{place}{bundle.over_network}"
            own = granted[place].filter((pl.col("peer") == number) & (pl.col("dir") == direction))
            if trace is not None and trace.enbs:  # of the cell that the UE is in
                whose = pl.col("peer") == number if direction == "dl" else pl.col("node") == number
                there = begins.filter(whose & (pl.col("dir") == direction)).select(
                    pl.col("t_ns") - int(every["t_ns"][0]), "cqi", sinr_cdb="value")
                _of_trace(series, there.to_numpy(structured=True), label, int(every["t_ns"][0]), points)
            elif trace is not None:  # its first record is that of sub-frame 0
                _of_trace(series, trace.records_of(number, direction), label, int(every["t_ns"][0]), points)
            elif own["cqi"].n_unique() > 1:
                line = changes((own["t_ns"].to_numpy() - series.start_ns) / 1e9, own["cqi"].to_numpy().astype(float))
                series.cqi[label] = thin(line.t_s, line.value, points)


def _of_trace(series: RunSeries, records: np.ndarray, label: str, zero_ns: int, points: int) -> None:
    if not len(records):
        return
    t_s = (records["t_ns"] + zero_ns - series.start_ns) / 1e9
    shown = np.flatnonzero(t_s <= series.end_s)
    if not len(shown):
        return
    cqi = changes(t_s[shown], records["cqi"][shown].astype(float))
    series.cqi[label] = thin(cqi.t_s, cqi.value, points)
    sinr = records["sinr_cdb"][shown]
    if (sinr != UNKNOWN_SINR).any():
        known = np.where(sinr == UNKNOWN_SINR, np.nan, sinr / 100)
        series.sinr_db[label] = thin(t_s[shown], known, points)


def _happenings(series: RunSeries, bundle: Bundle, points: int) -> Iterator[Happening]:
    """Radio events; those of a kind within a small part of the run are told together."""
    part_ns = max(int(series.end_s * 1e9 / (points / 4)), 1)
    for event, words in HAPPENINGS.items():
        rows = rows_of(bundle.radio, event)
        if rows.is_empty():
            continue
        grouped = (
            rows.with_columns(part=(pl.col("t_ns") - series.start_ns) // part_ns)
            .group_by("part", maintain_order=True)
            .agg(pl.col("t_ns").first(), count=pl.len(), value=pl.col("value").first())
        )
        words = f"{steps_of(bundle)} step" if event == "rrc" else words
        names = bundle.radio_symbols.get("drop" if event == "pkt_drop" else "rrc", {})
        for row in grouped.sort("t_ns").iter_rows(named=True):
            detail = names.get(row["value"], "") if event in ("pkt_drop", "rrc") else ""
            said = detail.replace("_", " ") + bundle.over_network
            yield Happening(words, series.at_s(row["t_ns"]), row["count"], said.strip())


def _spans(series: RunSeries, bundle: Bundle, flows: Sequence[Flow]) -> None:
    shown = switches(bundle, flows[0])
    if shown:
        times = [0.0, *(series.at_s(switch.t_ns) for switch in shown), series.end_s]
        names = [shown[0].before, *(switch.after for switch in shown)]
        series.modes = [Span(a, b, name) for a, b, name in zip(times[:-1], times[1:], names, strict=True)]
    start_ns, end = min(flow.start_ns for flow in flows), max(flow.end_ns for flow in flows)
    station = grid_of(bundle).station
    for ue in _ues(bundle, flows).values():
        for handover in handovers(bundle, ue):
            if start_ns <= handover.start_ns < end:
                end_ns = handover.attached_ns or handover.path_ns or handover.start_ns
                words = "prediction that did not come true" if handover.wrong else "handover"
                text = f"{words} of {ue}{bundle.over_network}, " \
                       f"{station} {handover.source} to {station} {handover.target}"
                series.handovers.append(Span(series.at_s(handover.start_ns), series.at_s(end_ns), text))
