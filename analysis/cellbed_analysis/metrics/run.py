# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of one run in metrics.parquet, one for each flow, and the segments behind them.

Both are kept in the bundle's `derived/`, keyed by the raw files and by this
package's code, since a sweep's captures take longer to read than its report to
write. `derived/` may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

import cellbed_formats
from cellbed_formats import parquet
from cellbed_formats.bundle import DERIVED, Bundle, Flow
from cellbed_formats.error import DataError, reading
from cellbed_formats.size import parse_size

from ..interval import Estimate
from ..life import ENB, RadioLog, packet_lives, uplink_pdus
from ..segment import decomposed_segments
from ..timeline import timeline_metrics
from . import causes, commands, datagrams, flows, handover, radio, rtt, switching, throughput, utran
from .names import short_names
from .newest import newest_only
from .window import Window, steady_window

#: A process takes about a second to start, as long as the analysis of a short run.
RUNS_WORTH_A_PROCESS = 4
_PR_SET_PDEATHSIG = 1
METRICS_JSON, SEGMENTS, OTHER_SEGMENTS = "metrics.json", "segments.parquet", "other-segments.parquet"
#: What the name of a variant stands for where modes change, and no combination of modes names it.
BY_VARIANT = "tcp.congestion_control", "tcp.sysctls", "radio.mode_switch.flush"
RAW_FILES = (
    "ip-*.pcap*", "radio.trace*", "radio.json", "tcp.trace*", "tcp.json", "counters.json", "*.iperf3.json",
    "*.stream.json",
)  # fmt: skip
#: Modules and folders that only show what was measured.
SHOWING = {
    "figures", "interactive", "export", "report.py", "page.py", "index.py", "timelines.py", "shown_flow.py",
    "series.py", "cuts.py", "explore.py", "summary.py",
}  # fmt: skip


@dataclass(frozen=True)
class RunAnalysis:
    """Everything later stages need of one run."""

    bundle: Bundle
    row: dict[str, Any]  # of the run and its first flow, which claims and figures are about
    problem: str | None = None  # why it may not enter averages, beyond the bundle's own reasons
    others: tuple[dict[str, Any], ...] = ()  # rows of its other flows

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each flow; what is of the whole run stands in the first."""
        return [self.row, *self.others]

    def row_of(self, wanted: str | None) -> dict[str, Any] | None:
        """The row of a flow, None without one of that id; the first row when none is wanted."""
        return self.row if wanted is None else next((row for row in self.rows if row.get("flow") == wanted), None)

    @property
    def readable(self) -> bool:
        """Its files could be read, so it has metrics and segments."""
        return str(self.row["status"]) != "unreadable"

    def segments(self, wanted: str | None = None) -> pl.DataFrame:
        """`segment.decomposed_segments` of a whole flow, the first if none is wanted, read anew at each call.

        Raises:
            DataError: the run is not readable.
        """
        first = wanted in (None, self.row.get("flow"))
        kept = _kept_rows(self.bundle)
        with contextlib.suppress(OSError, pl.exceptions.PolarsError):
            if kept is not None:
                found = pl.read_parquet(self.bundle.path / DERIVED / (SEGMENTS if first else OTHER_SEGMENTS))
                return found if first else _of_flow(found, wanted)
        with reading(self.bundle.path):
            return compute(self.bundle)[1] if first else _of_flow(compute_others(self.bundle)[1], wanted)

    @property
    def usable(self) -> bool:
        """The run may enter averages."""
        return bool(self.row["usable"])

    @property
    def reasons(self) -> list[str]:
        """Why it may not, for people."""
        return self.bundle.validity_reasons + ([self.problem] if self.problem else [])

    def set_apart(self, status: str, problem: str) -> RunAnalysis:
        """The same run, kept out of averages."""
        row, *others = ({**row, "status": status, "usable": False} for row in self.rows)
        return replace(self, row=row, others=tuple(others), problem=problem)


def analyse_all(bundles: Sequence[Bundle]) -> list[RunAnalysis]:
    """Analyse runs; of usable runs of one variant and lab only those like the newest count, each seed's newest."""
    return newest_only(_in_parallel(bundles))


def _in_parallel(bundles: Sequence[Bundle]) -> list[RunAnalysis]:
    """`analyse` of each bundle, in their order, by a process for each CPU where that is worth their start.

    Processes are spawned: a fork would take the threads of polars for its own.
    """
    found = [_kept(bundle) for bundle in bundles]
    fresh = [Bundle(bundle.path, bundle.manifest) for bundle, kept in zip(bundles, found, strict=True) if kept is None]
    workers = min(len(os.sched_getaffinity(0)), len(fresh) // RUNS_WORTH_A_PROCESS)
    if workers < 2:
        return [kept or analyse(bundle) for bundle, kept in zip(bundles, found, strict=True)]
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _end_with_parent) as pool:
        made = pool.map(_rows_of, fresh)
        return [kept or RunAnalysis(bundle, *next(made)) for bundle, kept in zip(bundles, found, strict=True)]


def _end_with_parent() -> None:
    """A worker would wait for ever for one that was killed."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _kept(bundle: Bundle) -> RunAnalysis | None:
    rows = _kept_rows(bundle)
    return None if rows is None else RunAnalysis(bundle, rows[0], others=tuple(rows[1:]))


def _rows_of(bundle: Bundle) -> tuple[dict[str, Any], str | None, tuple[dict[str, Any], ...]]:
    """What another process hands back of a run."""
    run = analyse(bundle)
    return run.row, run.problem, run.others


def _of_flow(segments: pl.DataFrame, wanted: str | None) -> pl.DataFrame:
    return segments.filter(pl.col("flow") == wanted).drop("flow") if "flow" in segments.columns else segments


def analyse(bundle: Bundle) -> RunAnalysis:
    """Metrics of a run, from `derived/` when they are still true.

    A bundle whose files do not read gives a row with its identity only, marked
    not usable, and the problem in words.
    """
    kept = _kept(bundle)
    if kept is not None:
        return kept
    try:
        with reading(bundle.path):
            row, segments = compute(bundle)
            others, of_others = compute_others(bundle)
    except DataError as error:
        return RunAnalysis(bundle, identity(bundle)).set_apart("unreadable", str(error))
    derived = bundle.path / DERIVED
    # A bundle on read-only storage is analysed again each time.
    with contextlib.suppress(OSError):
        derived.mkdir(exist_ok=True)
        parquet.write(segments, derived / SEGMENTS)
        parquet.write(of_others, derived / OTHER_SEGMENTS)
        known = {"key": cache_key(bundle), "row": row, "others": others, "sum": checksum(row, *others)}
        (derived / METRICS_JSON).write_text(json.dumps(known))
    return RunAnalysis(bundle, row, others=tuple(others))


def compute(bundle: Bundle) -> tuple[dict[str, Any], pl.DataFrame]:
    """The row of a run and its first flow, or the command that it was for, and that flow's segments.

    Raises:
        DataError: a file is missing, truncated or inconsistent.
    """
    bundle = Bundle(bundle.path, bundle.manifest)  # the files it reads are forgotten with it
    flow, entry = ordered(bundle)[0]
    lives = _lives(bundle)
    if entry is not None:
        of_flow, segments = (({}, pl.DataFrame()) if flow is None else flows.connection_metrics(bundle, flow, lives))
        values = commands.command_metrics(bundle) | lateness(bundle) | of_flow
    else:
        assert flow is not None
        values, segments = _first_values(bundle, flow, lives)
    return _row(bundle, flow, entry, flows.flow_columns(bundle)) | flatten(values), segments


def compute_others(bundle: Bundle) -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """A row for each further flow, and for each further command without any; segments of these flows, by `flow`.

    Raises:
        DataError: as compute.
    """
    bundle = Bundle(bundle.path, bundle.manifest)
    others = ordered(bundle)[1:]
    columns = flows.flow_columns(bundle) if others else {}
    lives = _lives(bundle)
    rows, kept = [], []
    for place, (flow, entry) in enumerate(others):
        row = _row(bundle, flow, entry, columns)
        if flow is not None and place < flows.MEASURED_MAX:
            values, segments = flows.connection_metrics(bundle, flow, lives)
            row |= flatten(values)
            kept += [segments.with_columns(flow=pl.lit(flow.id))] if len(segments) else []
        rows.append(row)
    return rows, pl.concat(kept, how="diagonal") if kept else pl.DataFrame()


def ordered(bundle: Bundle) -> list[tuple[Flow | None, dict[str, Any] | None]]:
    """Flows in the order of their rows, each with the command that it is of, and commands without any flow.

    Raises:
        DataError: the run has neither.
    """
    found = commands.by_command(bundle)
    if not bundle.flows and found and commands.foreground(bundle) is not None:
        return found
    first = primary_flow(bundle)
    return [(first, None), *(pair for pair in found if pair[0] is None or pair[0].id != first.id)]


def _row(bundle: Bundle, flow: Flow | None, entry: dict[str, Any] | None, columns: dict[str, rtt.Values]
         ) -> dict[str, Any]:
    values = {} if entry is None else commands.of_command(bundle, entry)
    return identity(bundle, flow) | flatten(values | (columns[flow.id] if flow is not None else {}))


def _lives(bundle: Bundle) -> Callable[[], pl.DataFrame]:
    """Gives `life.packet_lives` of a run, made at the first call."""
    return functools.cache(lambda: packet_lives(RadioLog(bundle.radio), len(bundle.ue_numbers)))


def _first_values(
    bundle: Bundle, flow: Flow, lives: Callable[[], pl.DataFrame]
) -> tuple[rtt.Values, pl.DataFrame]:
    """Metrics of the run and its first flow, and that flow's segments."""
    if utran.settings_of(bundle) is not None:
        values = utran.run_metrics(bundle, flow) | causes.counter_metrics(bundle.counters, flow.source)
        return values | lateness(bundle), pl.DataFrame()
    seen = captured(bundle) and connected(bundle, flow)
    if seen and flow.transport == "tcp":
        flow = causes.finished(bundle, flow)
    window = steady_window(flow)
    log = RadioLog(bundle.radio)
    values: rtt.Values = {
        "window_begin_s": (window.begin_ns - bundle.start_ns) / 1e9,
        "window_s": window.seconds,
    }
    segments = pl.DataFrame()
    if captured(bundle):
        values |= datagrams.ip_metrics(bundle, flow, window) if seen else datagrams.NOTHING_SENT
    if seen and flow.transport == "tcp":
        segments = decomposed_segments(bundle, flow, lives())
        values |= flows.captured_metrics(bundle, flow, segments, window)
        values |= timeline_metrics(window.cut(segments, "out_ns"))
        if traced_in_full(bundle):
            for side, node in (("data", bundle.radio_node(flow.source)), ("ack", bundle.radio_node(flow.sink))):
                values |= {f"{side}_{name}": value for name, value in _side(log, node, lives(), window).items()}
    elif flow.datagrams:
        values |= {} if captured(bundle) else datagrams.receiver_metrics(bundle, flow)
    else:
        values |= {"probe_lost": int(bundle.tcp_stats.get("lost", 0))}
        values |= throughput.receiver_metrics(bundle, flow)
        values |= causes.counter_metrics(bundle.counters, flow.source)
    values |= radio.cell_metrics(log, bundle.drop_reasons, window)
    values |= radio.control_metrics(bundle.radio_stats)
    values |= switching.channel_metrics(bundle, flow)
    if flow.transport == "tcp":
        values |= switching.switch_metrics(bundle, flow) | handover.handover_metrics(bundle, flow)
    return values | lateness(bundle), segments


def captured(bundle: Bundle) -> bool:
    """Whether the run has IP captures; long ones may go without (`capture.ip: false`)."""
    return bool(bundle.settings.get("capture", {}).get("ip", True))


def connected(bundle: Bundle, flow: Flow) -> bool:
    """Whether data could be sent: over some links not even TCP's handshake comes to an end."""
    if flow.kind != "stream" or flow.transport != "tcp":
        return True
    return bundle.stream(flow.id)["connected_s"] is not None


def traced_in_full(bundle: Bundle) -> bool:
    """Whether radio.trace has the rows of every packet, PDU and grant (`capture.radio_trace: full`)."""
    return str(bundle.settings.get("capture", {}).get("radio_trace", "full")) == "full"


def primary_flow(bundle: Bundle) -> Flow:
    """The flow that a run's first row is about: the scenario's first, of commands the largest.

    Raises:
        DataError: the run has no flow.
    """
    if bundle.flows:
        return bundle.flows[0]
    if bundle.all_flows:
        return bundle.all_flows[0]
    raise DataError(f"{bundle.path}: {bundle.without_flows}")


def _side(log: RadioLog, node: int, lives: pl.DataFrame, window: Window) -> rtt.Values:
    own = window.cut(lives.filter(pl.col("node") == node), "in_ns")
    if node == ENB:
        return {"packets": len(own)} | radio.leg_metrics(own)
    uplink = uplink_pdus(log, node)
    pdus = window.cut(uplink, "tx_ns")
    return (
        radio.leg_metrics(own)
        | radio.access_metrics(log, node, own, pdus, window)
        | radio.size_metrics(log, node, lives.filter(pl.col("node") == node), uplink)
        | radio.backlog_metrics(log, node, window)
    )


def lateness(bundle: Bundle) -> rtt.Values:
    """Lateness percentiles, as the radio daemon counted them."""
    found = bundle.radio_stats.get("lateness", {})
    values: rtt.Values = {f"lateness_{name}": found.get(name) for name in ("p50_us", "p99_us", "p999_us", "max_us")}
    return values | {"missed_ttis": found.get("missed_ttis")}


def identity(bundle: Bundle, flow: Flow | None = None) -> dict[str, Any]:
    """Columns that say which run this is, and every parameter.

    Args:
        flow: whose row it is; None: that of the first flow that the scenario names.
    """
    manifest, settings = bundle.manifest, bundle.settings
    if flow is None and bundle.flows:
        flow = bundle.flows[0]
    modes = flow_modes(bundle)
    window = settings.get("tcp", {}).get("receive_window")
    return {
        "bundle": bundle.path.name,
        "run_id": manifest["id"],
        "scenario": bundle.scenario_id,
        "variant": manifest["variant"],
        "combination": "-".join(modes) if modes else None,
        "point": swept_point(manifest.get("params", {}), BY_VARIANT if modes_change(bundle) else ()),
        "data_mode": modes[0] if modes else None,
        "ack_mode": modes[1] if modes else None,
        "receive_window_bytes": None if window is None else parse_size(window),
        "congestion_control": flow.congestion_control if flow is not None else None,
        "seed": manifest["seed"],
        "lab": manifest["lab"],
        "validity": bundle.validity_verdict,
        "outcome": manifest["outcome"],
        "status": "usable" if bundle.valid else bundle.validity_verdict if bundle.complete else "failed",
        "usable": bundle.valid,
        "created": manifest.get("created"),
        "kernel": manifest.get("kernel", {}).get("release"),
        "wall_s": manifest.get("wall_s"),
        **{f"param.{key}": value for key, value in scalars(settings)},
    }


def swept_point(params: dict[str, Any], besides: Sequence[str] = ()) -> str:
    """Swept parameters that have no column of their own, e.g. "mss=536, trailing_bsr=False".

    Args:
        params: swept keys and values.
        besides: keys that the variant's name stands for.
    """
    columns = ("mode", "receive_window")
    rest = [key for key in params if key not in besides and key.rpartition(".")[2] not in columns]
    return ", ".join(f"{name}={params[key]}" for name, key in sorted((n, k) for k, n in short_names(rest).items()))


def modes_change(bundle: Bundle) -> bool:
    """Whether modes may change during the run: the eNB selects them, or events do."""
    settings = bundle.settings.get("radio", {})
    return bool(settings.get("mode_switch", {}).get("select_ms") or settings.get("events"))


def flow_modes(bundle: Bundle) -> tuple[str, str] | None:
    """Modes of the first flow's sender and receiver: ("DM", "IM") for data DM, ACKs IM; None when they may change."""
    ues = bundle.settings.get("radio", {}).get("ues", {})
    if not bundle.flows or not ues or modes_change(bundle):
        return None
    flow = bundle.flows[0]
    if flow.source not in ues or flow.sink not in ues:
        return None
    return ues[flow.source]["mode"].upper(), ues[flow.sink]["mode"].upper()


def scalars(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted keys and values of all scalars in nested mappings and lists."""
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = [(str(i), v) for i, v in enumerate(value)]
    else:
        yield prefix, value
        return
    for key, inner in items:
        yield from scalars(inner, f"{prefix}.{key}" if prefix else str(key))


def flatten(values: rtt.Values) -> dict[str, float | int | None]:
    """Estimates into three columns, everything else as it is."""
    row: dict[str, float | int | None] = {}
    for name, value in values.items():
        if isinstance(value, Estimate):
            row |= {name: value.value, f"{name}_low": value.low, f"{name}_high": value.high}
        else:
            row[name] = value
    return row


@functools.cache
def code_digest() -> bytes:
    """Changes with the code that metrics may depend on: this package's, and that of the readers below it."""
    digest = hashlib.sha256()
    for package in (Path(__file__).parent.parent, Path(cellbed_formats.__file__).parent):
        for path in sorted(package.rglob("*.py")):
            if path.relative_to(package).parts[0] not in SHOWING:
                digest.update(path.read_bytes())
    return digest.digest()


def cache_key(bundle: Bundle) -> str:
    """Changes with the bundle's raw files and with this package's code."""
    said = {key: value for key, value in bundle.manifest.items() if key != "claims"}  # no metric is made of them
    digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode() + code_digest())
    for pattern in RAW_FILES:
        for path in sorted(bundle.path.glob(pattern)):
            stat = path.stat()
            digest.update(f"{path.name} {stat.st_size} {stat.st_mtime_ns}".encode())
    return digest.hexdigest()


def _kept_rows(bundle: Bundle) -> list[dict[str, Any]] | None:
    """The rows in `derived/`, None when they are absent, half-written or of other files or code."""
    try:
        kept = json.loads((bundle.path / DERIVED / METRICS_JSON).read_text())
        whole = kept["key"] == cache_key(bundle) and kept["sum"] == checksum(kept["row"], *kept["others"])
        return [dict(row) for row in (kept["row"], *kept["others"])] if whole else None
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def checksum(*rows: dict[str, Any]) -> str:
    """Tells rows that were written from some that were damaged since."""
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()
