# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of one run in metrics.parquet, one for each flow, computed from its files."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.error import DataError
from cellbed_formats.flow import Flow, completed
from cellbed_formats.radios import networks, over

from ..radio.links import lives_of
from ..radio.packet_path import ENB, RadioLog, radio_log, uplink_pdus
from ..stats.interval import Estimate
from ..study import studies
from ..tcp.segment import decomposed_segments
from . import causes, commands, datagrams, flows, handover, mode_switch, multipath, probe, radio, rtt, throughput, utran
from .identity import identity
from .lateness import lateness_metrics
from .timeline import timeline_metrics
from .window import Window, evaluated_window

#: Gives the lives of all packets of a run (links.lives_of).
Lives = Callable[[], pl.DataFrame]


def compute(bundle: Bundle, lives: Lives | None = None) -> tuple[dict[str, Any], pl.DataFrame]:
    """The row of a run and its first flow, or the command that it was for, and that flow's segments.

    Args:
        lives: `lives_once` of the bundle, where it is wanted for more.

    Raises:
        DataError: a file is missing, truncated or inconsistent.
    """
    flow, entry = ordered(bundle)[0]
    seen = bundle if flow is None else over(bundle, flow)
    lives = lives_once(seen) if seen is not bundle else lives or lives_once(bundle)
    if entry is not None:
        of_flow, segments = (({}, pl.DataFrame()) if flow is None else flows.connection_metrics(seen, flow, lives))
        values = commands.command_metrics(bundle) | lateness_metrics(bundle) | of_flow
    else:
        assert flow is not None
        values, segments = _first_values(seen, flow, lives)
    return _row(bundle, flow, entry, flows.flow_columns(bundle)) | flatten(values), segments


def compute_others(bundle: Bundle, lives: Lives | None = None) -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """A row for each further flow, and for each further command without any; segments of these flows, by `flow`.

    Args:
        lives: as compute.

    Raises:
        DataError: as compute.
    """
    others = ordered(bundle)[1:]
    columns = flows.flow_columns(bundle) if others else {}
    once = {id(bundle): lives or lives_once(bundle), **{id(one): lives_once(one) for one in networks(bundle).values()}}
    own = {flow["id"] for flow in bundle.settings.get("traffic", ())}
    rows, kept = [], []
    for place, (flow, entry) in enumerate(others):
        row = _row(bundle, flow, entry, columns)
        if flow is not None and (flow.id in own or place < flows.MEASURED_MAX):
            seen = over(bundle, flow)
            values, segments = flows.connection_metrics(seen, flow, once[id(seen)])
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


def lives_once(bundle: Bundle) -> Lives:
    """Gives `links.lives_of` a run, made at the first call."""
    return functools.cache(lambda: lives_of(bundle))


def _first_values(
    bundle: Bundle, flow: Flow, lives: Lives
) -> tuple[rtt.Values, pl.DataFrame]:
    """Metrics of the run and its first flow, and that flow's segments."""
    if utran.settings_of(bundle) is not None:
        own = utran.run_metrics(bundle, flow) | causes.counter_metrics(bundle.counters, flow.source)
        return own | of_studies(bundle, flow) | lateness_metrics(bundle), pl.DataFrame()
    seen = captured(bundle) and connected(bundle, flow) and not flow.whole
    if seen and flow.transport == "tcp":
        flow = causes.finished(bundle, flow)
    window = evaluated_window(bundle, flow)
    if not window.seconds and flow.end_ns > flow.start_ns:
        span = " to ".join(f"{(t_ns - bundle.start_ns) / 1e9:g}" for t_ns in (flow.start_ns, flow.end_ns))
        raise DataError(f"{bundle.path}: key 'evaluate': allowed a time in which flow {flow.id} lasts: it is from "
                        f"{span} s")
    log = radio_log(bundle)
    values: rtt.Values = {
        "window_start_s": (window.start_ns - bundle.start_ns) / 1e9,
        "window_s": window.seconds,
    }
    segments = pl.DataFrame()
    if captured(bundle) and not flow.whole:
        values |= datagrams.ip_metrics(bundle, flow, window) if seen else datagrams.NOTHING_SENT
    if seen and flow.transport == "tcp":
        segments = decomposed_segments(bundle, flow, lives())
        values |= flows.captured_metrics(bundle, flow, segments, window)
        values |= timeline_metrics(window.cut(segments, "out_ns"))
        if traced_in_full(bundle):
            for side, node in (("data", bundle.radio_node(flow.source)), ("ack", bundle.radio_node(flow.sink))):
                values |= {f"{side}_{name}": value for name, value in _side(log, node, lives(), window).items()}
    elif flow.whole:
        values |= multipath.multipath_metrics(bundle, flow) | {"probe_lost": int(bundle.tcp_stats.get("lost", 0))}
    elif flow.datagrams:
        values |= {} if captured(bundle) else datagrams.receiver_metrics(bundle, flow)
    else:
        values |= {"probe_lost": int(bundle.tcp_stats.get("lost", 0))}
        values |= probe.sampled_metrics(bundle, completed(flow, bundle.seen))
        values |= throughput.receiver_metrics(bundle, flow)
        values |= causes.counter_metrics(bundle.counters, flow.source)
    values |= radio.cell_metrics(log, bundle.drop_reasons, window)
    values |= radio.control_metrics(bundle.radio_stats)
    values |= mode_switch.channel_metrics(bundle, flow)
    if flow.transport == "tcp":
        values |= mode_switch.switch_metrics(bundle, flow) | handover.handover_metrics(bundle, flow)
    return values | of_studies(bundle, flow) | lateness_metrics(bundle), segments


def of_studies(bundle: Bundle, flow: Flow) -> rtt.Values:
    """What studies add to the row of a run's first flow."""
    return {name: value for study in studies() for name, value in study.run_metrics(bundle, flow).items()}


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
        return {"packets": len(own)} | radio.way_metrics(own)
    uplink = uplink_pdus(log, node)
    pdus = window.cut(uplink, "tx_ns")
    return (
        radio.way_metrics(own)
        | radio.access_metrics(log, node, own, pdus, window)
        | radio.size_metrics(log, node, lives.filter(pl.col("node") == node), uplink)
        | radio.backlog_metrics(log, node, window)
    )


def flatten(values: rtt.Values) -> dict[str, float | int | str | None]:
    """Estimates into three columns, everything else as it is."""
    row: dict[str, float | int | str | None] = {}
    for name, value in values.items():
        if isinstance(value, Estimate):
            row |= {name: value.value, f"{name}_low": value.low, f"{name}_high": value.high}
        else:
            row[name] = value
    return row
