# SPDX-License-Identifier: GPL-2.0-or-later
"""A run's flows, segments, samples of TCP, packets and radio events as Polars frames.

Every frame counts its time from the start of the traffic, in s, so that frames can be joined by it, and says the unit
of each column in its name: `rtt_ms`, `payload_bytes`, `cwnd_pkts`. Columns without a unit are names or plain numbers.
"""

from __future__ import annotations

import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.error import DataError
from cellbed_formats.flow import TCP, Flow
from cellbed_formats.radios import networks, over
from cellbed_formats.trace import INFINITE_SSTHRESH

from ..metrics.catalog import METRICS
from ..metrics.run import RunAnalysis
from ..tcp.connection import samples
from ..tcp.segment import RTT_PARTS, data_segments, flow_packets

#: Of tcp.trace: fields that count packets, and how a reader knows them.
WINDOWS = {"cwnd_pkts": "snd_cwnd", "ssthresh_pkts": "snd_ssthresh", "in_flight_pkts": "packets_out",
           "retransmitted_pkts": "retrans_out", "lost_pkts": "lost_out", "sacked_pkts": "sacked_out",
           "delivered_pkts": "delivered"}  # fmt: skip
#: Fields of it that are times.
TIMES = {"srtt_ms": "srtt_us", "rtt_ms": "rtt_us", "min_rtt_ms": "min_rtt_us"}
SEGMENT = {"flow": pl.String, "t_s": pl.Float64, "seq": pl.Int64, "payload_bytes": pl.Int64,
           "retransmitted": pl.Boolean, "in_flight_bytes": pl.Int64, "rtt_ms": pl.Float64}  # fmt: skip
SAMPLE = {"flow": pl.String, "t_s": pl.Float64, "kind": pl.String, **dict.fromkeys(WINDOWS, pl.Int64),
          **dict.fromkeys(TIMES, pl.Float64), "seq": pl.Int64, "ack": pl.Int64, "len_bytes": pl.Int64}  # fmt: skip


def after_start(bundle: Bundle, column: str = "t_ns") -> pl.Expr:
    """A time of CLOCK_MONOTONIC in s after the start of the traffic."""
    return (pl.col(column).cast(pl.Int64) - bundle.start_ns) / 1e9


def node_names(bundle: Bundle) -> dict[int, str]:
    """Names of the nodes of radio.trace by their numbers."""
    return {number: name for name, number in bundle.ue_numbers.items()} | {0: "enb", 112: "sgw"}


def flows(run: RunAnalysis) -> pl.DataFrame:
    """One row for each flow, those of the scenario first: who sent to whom, how, when, and every metric that it has.

    Returns:
        flow, source, sink, transport, congestion_control, start_s, end_s, then the metrics of docs/metrics.md that any
        flow of the run has; what is of the whole run stands in the first row.
    """
    known = {flow.id: flow for flow in run.bundle.all_flows}
    rows = [{**_ends(run.bundle, known[row["flow"]]), **_metrics(row)} for row in run.rows if row.get("flow") in known]
    measured = [name for name in METRICS if any(row.get(name) is not None for row in rows)]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return frame.select(*_ENDS, *(name for name in measured if name not in _ENDS)) if rows else frame


_ENDS = ("flow", "source", "sink", "transport", "congestion_control", "start_s", "end_s")


def _ends(bundle: Bundle, flow: Flow) -> dict[str, str | float | None]:
    seconds = ((time - bundle.start_ns) / 1e9 for time in (flow.start_ns, flow.end_ns))
    return dict(zip(_ENDS, (flow.id, flow.source, flow.sink, flow.transport, flow.congestion_control, *seconds),
                    strict=True))


def _metrics(row: dict[str, object]) -> dict[str, object]:
    return {name: row[name] for name, metric in METRICS.items() if metric.unit and row.get(name) is not None}


def segments(run: RunAnalysis) -> pl.DataFrame:
    """One row for each data segment of every TCP flow, as the sender's capture has it.

    Returns:
        flow, t_s (when it was sent), seq (bytes of the stream before it), payload_bytes, retransmitted,
        in_flight_bytes, rtt_ms (null where it was sent more than once or never acknowledged), and where the radio's
        trace is whole the parts that rtt_ms is the sum of, in order of time: host_tx_ms, data_rac_wait_ms, …
    """
    found = [_segments(run, flow) for flow in run.bundle.all_flows
             if flow.transport == TCP and flow.source in run.bundle.captured_nodes]
    return pl.concat([pl.DataFrame(schema=SEGMENT), *found], how="diagonal_relaxed")


def _segments(run: RunAnalysis, flow: Flow) -> pl.DataFrame:
    kept = run.segments(flow.id)
    if "seq" not in kept.columns or kept.is_empty():
        try:
            kept = data_segments(*flow_packets(over(run.bundle, flow), flow, flow.source))
        except DataError:  # nothing was sent
            return pl.DataFrame(schema=SEGMENT)
    parts = [part for part in RTT_PARTS if part in kept.columns]
    return kept.sort("out_ns", maintain_order=True).select(
        flow=pl.lit(flow.id), t_s=after_start(run.bundle, "out_ns"), seq="seq",
        payload_bytes=pl.col("payload_bytes").cast(pl.Int64), retransmitted="retransmitted",
        in_flight_bytes="flight_bytes", rtt_ms=pl.col("rtt_ns") / 1e6,
        **{f"{part}_ms": pl.col(part) / 1e6 for part in parts},
    )  # fmt: skip


def tcp(bundle: Bundle) -> pl.DataFrame:
    """The probe's samples of every TCP flow's sender.

    Returns:
        flow, t_s, kind (segment_out, segment_in, rtt, rto, retransmit, state, sample), the congestion window and its
        company in packets (ssthresh_pkts is null while there is none), srtt_ms, rtt_ms, min_rtt_ms, and seq, ack and
        len_bytes of the segment.
    """
    found = [_samples(bundle, flow) for flow in bundle.all_flows if flow.transport == TCP] if bundle.probed else []
    return pl.concat([pl.DataFrame(schema=SAMPLE), *found])


def _samples(bundle: Bundle, flow: Flow) -> pl.DataFrame:
    try:
        rows = samples(bundle, flow.id)
    except DataError:  # it sent no data
        return pl.DataFrame(schema=SAMPLE)
    windows = {name: pl.col(field).cast(pl.Int64) for name, field in WINDOWS.items()}
    windows["ssthresh_pkts"] = pl.when(pl.col("snd_ssthresh") < INFINITE_SSTHRESH).then(windows["ssthresh_pkts"])
    times = {name: pl.when(pl.col(field) > 0).then(pl.col(field) / 1e3) for name, field in TIMES.items()}
    return rows.select(
        flow=pl.lit(flow.id), t_s=after_start(bundle), kind=pl.col("kind").cast(pl.String), **windows, **times,
        seq=pl.col("seq").cast(pl.Int64), ack=pl.col("ack").cast(pl.Int64), len_bytes=pl.col("len").cast(pl.Int64),
    )  # fmt: skip


def radio(bundle: Bundle) -> pl.DataFrame:
    """radio.trace, one row for each event of the radio network, nodes by their names.

    Returns:
        t_s, event, node and peer (names; which of several eNBs it is says the column enb), direction (ul, dl, sl), and
        the other fields of docs/trace-format.md as they are there. Of a run with several radio networks `network`, too:
        its name among `radios`, null of the first one.
    """
    further = [_radio(one).with_columns(network=pl.lit(name)) for name, one in networks(bundle).items()]
    return pl.concat([_radio(bundle), *further], how="diagonal").sort("t_s", maintain_order=True) if further else \
        _radio(bundle)


def _radio(bundle: Bundle) -> pl.DataFrame:
    named = {column: pl.col(column).cast(pl.Int64).replace_strict(node_names(bundle), default=None,
                                                                  return_dtype=pl.String)
             for column in ("node", "peer")}  # fmt: skip
    frame = bundle.radio.with_columns(t_s=after_start(bundle), event=pl.col("event").cast(pl.String), **named)
    first = ["t_s", "event", "node", "peer"]
    rest = (name for name in frame.columns if name not in (*first, "t_ns", "dir"))
    return frame.select(*first, pl.col("dir").cast(pl.String).alias("direction"), *rest)


def packets(bundle: Bundle, node: str) -> pl.DataFrame:
    """The IP capture of a node.

    Returns:
        t_s, then the columns of `cellbed_formats.capture.read_capture`.

    Raises:
        DataError: no capture of such a node; the message says which there are.
    """
    if node not in bundle.captured_nodes:
        allowed = ', '.join(bundle.captured_nodes) or 'none'
        raise DataError(f"{bundle.path}: no capture of node {node}: allowed {allowed}")
    frame = bundle.capture(node).with_columns(t_s=after_start(bundle))
    return frame.select("t_s", *(name for name in frame.columns if name not in ("t_s", "t_ns")))
