# SPDX-License-Identifier: GPL-2.0-or-later
"""The kinds of figures: of each its data as a frame, which is what is drawn and what is written beside it.

A frame has the column `series`, then what is on the axes, with units in the names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.axes import Axes

from cellbed_formats.error import DataError
from cellbed_formats.radios import over
from cellbed_formats.renamed import current

from ..frames import tables
from ..interactive.series import DIRECTION_WORDS
from ..metrics.asked import Asked
from ..metrics.catalog import METRICS, measured
from ..metrics.run import RunAnalysis
from ..metrics.share import Arrivals, arrivals
from ..radio.events import rows_of
from ..radio.grid import Grid, grid_of
from ..tcp.segment import RTT_PARTS
from ..tcp.shown_flow import shown_flow
from .draw import blocks, boxes, clouds, cumulative, lines, sequence, stack, violins
from .pooled import Pool, averaged, held, together

#: Averages of throughput: so many in a figure, but none over less than this.
BINS, BIN_LEAST_S = 120, 0.1
#: A PDU timeline of more blocks shows none of them.
BLOCKS_MAX = 400
#: Parts of the RTT that take less than this share of it are one.
LARGE = 0.02
ARRIVED = {"flow": pl.String, "t_s": pl.Float64, "payload_bytes": pl.Float64}


@dataclass(frozen=True)
class Wanted:
    """Which part of a run: flows by id (none: those of the scenario, else all), and seconds after its start."""

    flows: tuple[str, ...] = ()
    start_s: float | None = None
    end_s: float | None = None
    metric: str = "goodput_mbps"  # of the figures that show one
    parts_end_s: float | None = None  # where equal parts of the time end, of all runs of a mean

    def of(self, frame: pl.DataFrame, scenario: list[str]) -> pl.DataFrame:
        """Rows of the wanted flows and time."""
        if "flow" in frame.columns:
            chosen = [*self.flows] or [flow for flow in scenario if flow in frame["flow"].unique()]
            frame = frame.filter(pl.col("flow").is_in(chosen)) if chosen else frame
        return self.within(frame)

    def within(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Rows of the wanted time."""
        inside = pl.lit(True)
        if self.start_s is not None:
            inside &= pl.col("t_s") >= self.start_s
        if self.end_s is not None:
            inside &= pl.col("t_s") < self.end_s
        return frame.filter(inside)


@dataclass(frozen=True)
class Kind:
    """A kind of figure: `data` of one run, with a column `flow` where there are several; `draw` of all runs."""

    x: str
    y: str
    data: Callable[[RunAnalysis, Wanted], pl.DataFrame]
    draw: Callable[[Axes, pl.DataFrame], None]
    pool: Pool | None = None  # of the frames of several seeds one; None: they are drawn one by one
    rows: bool = False  # series lie one below the other
    alone: bool = False  # series are of one variant
    last: Callable[[pl.DataFrame], pl.DataFrame] | None = None  # of the frame with `series`, before it is drawn


def _own(run: RunAnalysis) -> list[str]:
    """Flows of the scenario, of MPTCP with their subflows."""
    whole = run.bundle.flows
    return [flow.id for flow in run.bundle.all_flows if not flow.found or any(one.has_part(flow) for one in whole)]


def _windows(run: RunAnalysis, wanted: Wanted) -> pl.DataFrame:
    _needs_probe(run)
    rows = wanted.of(tables.tcp(run.bundle), _own(run))
    return rows.select("flow", "t_s", "cwnd_pkts", "ssthresh_pkts")


def _needs_probe(run: RunAnalysis) -> None:
    if not run.bundle.probed:
        raise DataError(f"{run.bundle.path}: no tcp.trace: the run had no probe")


def _rtts(run: RunAnalysis, wanted: Wanted) -> pl.DataFrame:
    rows = wanted.of(tables.segments(run), _own(run))
    return rows.drop_nulls("rtt_ms").select("flow", "t_s", "rtt_ms")


def _evaluated_rtts(run: RunAnalysis, wanted: Wanted) -> pl.DataFrame:
    """As the tables have them: of each flow those in its window, unless another time is wanted."""
    found = _rtts(run, wanted)
    if wanted.start_s is not None or wanted.end_s is not None:
        return found
    spans = {row["flow"]: (row["window_start_s"], row["window_start_s"] + row["window_s"]) for row in run.rows
             if row.get("window_s") and row.get("window_start_s") is not None}
    inside = [own.filter(pl.col("t_s").is_between(*spans[flow], closed="left"))
              for (flow,), own in found.group_by("flow", maintain_order=True) if flow in spans]
    return pl.concat(inside) if inside else found


def _sequence(run: RunAnalysis, wanted: Wanted) -> pl.DataFrame:
    rows = wanted.of(tables.segments(run), _own(run))
    return rows.select("flow", "t_s", seq_bytes="seq", payload_bytes="payload_bytes", retransmitted="retransmitted",
                       acked_s=pl.col("t_s") + pl.col("rtt_ms") / 1e3)


def _throughputs(run: RunAnalysis, wanted: Wanted) -> pl.DataFrame:
    """Payload that came in equal parts of the time."""
    flows = [_arrived(run, flow.id, arrivals(run.bundle, flow)) for flow in run.bundle.all_flows]
    rows = wanted.of(pl.concat(flows or [pl.DataFrame(schema=ARRIVED)]), _own(run))
    if rows.is_empty():
        return pl.DataFrame(schema={"flow": pl.String, "t_s": pl.Float64, "throughput_mbps": pl.Float64})
    edges = _edges(wanted, float(rows["t_s"].max()))  # type: ignore[arg-type]
    n_bins, width_s = len(edges) - 1, edges[1] - edges[0]
    parts = []
    for (flow_id,), own in rows.group_by("flow", maintain_order=True):
        sums, _ = np.histogram(own["t_s"].to_numpy(), edges, weights=own["payload_bytes"].to_numpy())
        parts.append(pl.DataFrame({"flow": [flow_id] * n_bins, "t_s": (edges[:-1] + edges[1:]) / 2,
                                   "throughput_mbps": sums * 8 / 1e6 / width_s}))
    return pl.concat(parts)


def _arrived(run: RunAnalysis, flow: str, came: Arrivals) -> pl.DataFrame:
    return pl.DataFrame({"flow": [flow] * len(came.t_ns), "t_s": (came.t_ns - run.bundle.start_ns) / 1e9,
                         "payload_bytes": np.diff(came.bytes, prepend=0).astype(float)}, schema=ARRIVED)


def _blocks(run: RunAnalysis, wanted: Wanted) -> pl.DataFrame:
    """Every attempt of every transport block: where, when it was sent, when its fate was known, and what that was."""
    bundle = over(run.bundle, shown_flow(run.bundle, wanted.flows[0])) if wanted.flows else run.bundle
    rows = rows_of(bundle.radio, "mac_tx", "harq_tx", "harq_nack", "mac_rx", "mac_lost")
    rows = rows.with_columns(t_s=tables.after_start(bundle))
    names = tables.node_names(bundle)
    sent = wanted.within(rows.filter(pl.col("event").is_in(["mac_tx", "harq_tx"])))
    if len(sent) > BLOCKS_MAX:
        fitting_s = sent['t_s'][BLOCKS_MAX] - sent['t_s'][0]
        raise DataError(f"--from and --to: {len(sent)} transport blocks in that time: allowed at most {BLOCKS_MAX}, "
                        f"which are about {fitting_s:.3g} s of this run")
    ended = rows.filter(~pl.col("event").is_in(["mac_tx", "harq_tx"])).select("block", "sn", done_s="t_s", fate="event")
    joined = sent.join(ended, on=["block", "sn"], how="left")
    grid = grid_of(bundle)
    who = [f"{DIRECTION_WORDS.get(direction, direction)} {names.get(peer if direction == 'dl' else node, '?')}"
           for direction, node, peer in joined.select("dir", "node", "peer").iter_rows()]
    if grid.stations:  # UEs are in cells of several systems at once
        who = [f"{of}, {grid.stations[enb].system}" for of, enb in zip(who, joined["enb"], strict=True)]
    fates = {"mac_rx": "decoded", "harq_nack": "not decoded", "mac_lost": "lost"}
    return joined.select(
        "t_s", done_s="done_s", shared_channel=pl.Series(who, dtype=pl.String), block="block",
        attempt=pl.col("t_s").rank("ordinal").over("block").cast(pl.Int64), block_bytes="bytes",
        tti_s=_tti_s(grid),
        fate=pl.col("fate").replace_strict(fates, default="not known", return_dtype=pl.String),
    ).sort("shared_channel", "t_s")  # fmt: skip


def _tti_s(grid: Grid) -> pl.Expr:
    """Length of the TTI of a row."""
    if not grid.stations:
        return pl.lit(grid.tti_ns / 1e9)
    lengths_s = {enb: station.tti_ns / 1e9 for enb, station in enumerate(grid.stations)}
    return pl.col("enb").replace_strict(lengths_s, return_dtype=pl.Float64)


def _parts(run: RunAnalysis, wanted: Wanted) -> pl.DataFrame:
    """Mean parts of the RTT of one flow's segments in equal parts of the time."""
    asked, rows = _round_trips(run, wanted)
    return _in_parts_of_time(rows, {asked.label(part): part for part in RTT_PARTS}, wanted)


def _causes(run: RunAnalysis, wanted: Wanted) -> pl.DataFrame:
    """The same by what made them long."""
    asked, rows = _round_trips(run, wanted)
    causes = asked.causes(rows)
    if causes is None:
        raise DataError(f"{asked.where}: over a link in place of a radio network nothing but its own queue delays "
                        "packets; choose rtt-parts")
    return _in_parts_of_time(causes.table().with_columns(rows["t_s"]), {words: cause for cause, words
                                                                        in causes.labels.items()}, wanted)


def _round_trips(run: RunAnalysis, wanted: Wanted) -> tuple[Asked, pl.DataFrame]:
    asked = Asked.of(run.bundle, wanted.flows[0] if wanted.flows else None)
    if asked.flow.datagrams:
        raise DataError(f"{asked.where}: datagrams have no RTT; choose a flow of TCP with --flow")
    rows = wanted.within(asked.explained().with_columns(t_s=(pl.col("out_ns") - run.bundle.start_ns) / 1e9))
    if rows.is_empty():
        raise DataError(asked.unexplained)
    return asked, rows


def _in_parts_of_time(rows: pl.DataFrame, columns: dict[str, str], wanted: Wanted) -> pl.DataFrame:
    """Means in ms of columns in ns. Args: columns: by what they are called."""
    edges = _edges(wanted, float(rows["t_s"].max()))  # type: ignore[arg-type]
    named = {words: pl.col(column) / 1e6 for words, column in columns.items()}
    bins = rows.select(bin=pl.Series(np.searchsorted(edges[1:-1], rows["t_s"], side="right"), dtype=pl.Int64), **named)
    sums = bins.group_by("bin").mean()
    middle = pl.DataFrame({"bin": range(len(edges) - 1), "t_s": (edges[:-1] + edges[1:]) / 2})
    frame = middle.join(sums, on="bin", how="left").fill_null(0).drop("bin")
    return frame.unpivot(index="t_s", variable_name="flow", value_name="part_ms").select("flow", "t_s", "part_ms")


def _small_as_one(frame: pl.DataFrame) -> pl.DataFrame:
    """Parts of the RTT that hardly take a share of it are one, the last."""
    share = pl.col("part_ms").sum().over("series") / pl.col("part_ms").sum()
    large, small = frame.filter(share >= LARGE), frame.filter(share < LARGE)
    rest = small.group_by("t_s", maintain_order=True).agg(pl.col("part_ms").sum()).sort("t_s")
    rest = rest.select(pl.lit("all other parts").alias("series"), "t_s", "part_ms")
    return pl.concat([large.select("series", "t_s", "part_ms"), rest])


def _edges(wanted: Wanted, last_s: float) -> np.ndarray:
    """Where equal parts of the time begin and end."""
    begin = wanted.start_s if wanted.start_s is not None else 0.0
    end = next(end for end in (wanted.end_s, wanted.parts_end_s, last_s) if end is not None)
    return np.linspace(begin, end, max(min(BINS, int((end - begin) / BIN_LEAST_S)), 1) + 1)


def _metric(run: RunAnalysis, wanted: Wanted) -> pl.DataFrame:
    """A number of the tables, for each flow that has it."""
    name = current("metric", wanted.metric)
    if name not in METRICS or METRICS[name].unit == "":
        raise DataError(f"--metric {name}: allowed {', '.join(measured(run.rows))}")
    found = {str(row["flow"]): float(row[name]) for row in run.rows if row.get("flow") and row.get(name) is not None}
    chosen = [*wanted.flows] or [flow for flow in _own(run) if flow in found] or list(found)
    shown = [(flow, found[flow]) for flow in chosen if flow in found]
    return pl.DataFrame(shown, schema={"flow": pl.String, name: pl.Float64}, orient="row")


KINDS = {
    "cwnd": Kind("time (s)", "congestion window (packets)", _windows, lines("cwnd_pkts", thin="ssthresh_pkts"),
                 held("cwnd_pkts")),
    "rtt": Kind("time (s)", "RTT (ms)", _rtts, clouds("rtt_ms"), together),
    "rtt-cdf": Kind("RTT (ms)", "share of segments", _evaluated_rtts, cumulative(), together),
    "time-sequence": Kind("time (s)", "sequence number (MB)", _sequence, sequence),
    "throughput": Kind("time (s)", "throughput (Mbit/s)", _throughputs, lines("throughput_mbps"),
                       averaged("throughput_mbps")),
    "shares": Kind("time (s)", "throughput (Mbit/s)", _throughputs, stack("throughput_mbps"),
                   averaged("throughput_mbps")),
    "rtt-parts": Kind("time (s)", "mean RTT (ms)", _parts, stack("part_ms"), averaged("part_ms"), alone=True,
                      last=_small_as_one),
    "rtt-causes": Kind("time (s)", "mean RTT (ms)", _causes, stack("part_ms"), averaged("part_ms"), alone=True,
                       last=_small_as_one),
    "box": Kind("", "", _metric, boxes, together, rows=True),
    "violin": Kind("", "", _metric, violins, together, rows=True),
    "metric-cdf": Kind("", "share of flows", _metric, cumulative(), together),
    "pdus": Kind("time (s)", "", _blocks, blocks),
}
