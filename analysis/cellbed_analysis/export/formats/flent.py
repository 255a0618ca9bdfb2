# SPDX-License-Identifier: GPL-2.0-or-later
"""A data file of Flent, format 4: goodput, cwnd and RTT of connections, for all of Flent's plots of them.

Source: Flent
"""

from __future__ import annotations

import contextlib
import datetime
import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.error import DataError
from cellbed_formats.flow import Flow, named
from cellbed_formats.inside import Inside

from ...metrics.share import DOWNLINK, direction
from ...tcp.connection import acknowledgments, relative, samples
from ..format import Format

VERSION = 4
STEP_S = 0.1
UP, DOWN = "upload", "download"
#: Flent's test of one stream, and of several in one direction: its plots know the names of these series.
ONE = {UP: "tcp_1up_noping", DOWN: "tcp_1down"}
SEVERAL = {UP: "tcp_nup", DOWN: "tcp_ndown"}
BOTH_DIRECTIONS = "rrul_var"


@dataclass(frozen=True)
class Stream:
    """A connection on the common grid of times: rates in Mbit/s, raw values as Flent has them."""

    name: str
    way: str
    rate: list[float | None]
    raw: list[dict[str, Any]]


def write(bundle: Bundle, node: str, stem: Inside, flow: str | None = None) -> list[Path]:
    """`<stem>.flent.gz`."""
    path = stem.with_name(f"{stem.name}.flent.gz")
    said = json.dumps(document(bundle, node, flow)).encode()
    with path.replaced() as out, gzip.GzipFile(path.name, "wb", mtime=0, fileobj=out) as file:
        file.write(said)
    return [path.path]


def document(bundle: Bundle, node: str, flow: str | None = None) -> dict[str, Any]:
    """The content of the file: one flow, or all of TCP. Times are seconds since the traffic began, of raw values
    since 1970."""
    streams, x = _streams(bundle, flow)
    began = datetime.datetime.fromtimestamp((bundle.start_ns + bundle.realtime_offset_ns) / 1e9, datetime.UTC)
    length = float(x[-1])
    results = {stream.name: stream.rate for stream in streams} | _together(streams)
    return {
        "version": VERSION,
        "x_values": [round(float(v), 6) for v in x],
        "results": results,
        "raw_values": {stream.name: stream.raw for stream in streams},
        "metadata": {
            "NAME": _test(streams), "TITLE": bundle.path.name, "NOTE": f"cellbed, {bundle.scenario_id}", "HOST": node,
            "HOSTS": [node], "LOCAL_HOST": node, "LENGTH": length, "TOTAL_LENGTH": length, "STEP_SIZE": STEP_S,
            "DELAY": 0, "TIME": began.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "KERNEL_NAME": "Linux", "KERNEL_RELEASE": bundle.manifest.get("kernel", {}).get("release"),
            "DATA_FILENAME": f"{bundle.path.name}-{node}.flent.gz", "TEST_PARAMETERS": _parameters(streams),
            "FAILED_RUNNERS": 0, "IP_VERSION": 4,
            "SERIES_META": {name: {"UNITS": "Mbits/s", "RUNNER": "cellbed"} for name in results},
            "SYSCTLS": bundle.manifest.get("sysctls", {}).get(node, {}), "BATCH_NAME": None, "EGRESS_INFO": None,
        },
    }  # fmt: skip


def _streams(bundle: Bundle, wanted: str | None) -> tuple[list[Stream], np.ndarray]:
    """Connections with acknowledgments, and the times of all of them in s."""
    found = []
    for flow, of_flow in _sampled(bundle, wanted):
        rows = acknowledgments(of_flow)
        if len(rows) >= 2:
            found.append((flow, rows, (rows["t_ns"].to_numpy() - bundle.start_ns) / 1e9))
    if not found:
        raise DataError(f"{bundle.path}: the connection has too few acknowledgments; run it for longer")
    x = np.arange(0, max(float(t_s[-1]) for _, _, t_s in found) + STEP_S, STEP_S)
    streams: list[Stream] = []
    for flow, rows, t_s in found:
        way = _way(bundle, flow)
        name = f"TCP {way}"
        if len(found) > 1:
            name += f"::{1 + sum(stream.way == way for stream in streams)}"
            name += f" ({flow.id})" if flow else ""
        # What was acknowledged by each point; a rate belongs to the step that ends there.
        at = np.interp(x, t_s, relative(rows["snd_una"].to_numpy()), left=0)
        rate = [None, *(float(v) for v in np.diff(at) * 8 / STEP_S / 1e6)]
        streams.append(Stream(name, way, rate, _raw(bundle, rows, t_s, x, rate)))
    return streams, x


def _sampled(bundle: Bundle, wanted: str | None) -> list[tuple[Flow | None, pl.DataFrame]]:
    """The flow that is wanted, else all of TCP that sent data; without any the run's largest connection."""
    if wanted is not None:
        return [(named(bundle.all_flows, wanted, bundle.path), samples(bundle, wanted))]
    found: list[tuple[Flow | None, pl.DataFrame]] = []
    for flow in bundle.all_flows:
        with contextlib.suppress(DataError):  # of a flow that sent nothing, or is not of TCP
            found.append((flow, samples(bundle, flow.id)))
    return found or [(None, samples(bundle))]


def _way(bundle: Bundle, flow: Flow | None) -> str:
    """As the UE sees it; between two UEs the sender is the host, as in Flent."""
    return DOWN if flow is not None and direction(bundle, flow) == DOWNLINK else UP


def _test(streams: list[Stream]) -> str:
    if len({stream.way for stream in streams}) > 1:
        return BOTH_DIRECTIONS
    return (ONE if len(streams) == 1 else SEVERAL)[streams[0].way]


def _parameters(streams: list[Stream]) -> dict[str, int]:
    """How many streams Flent's own test would have been told to start."""
    if len(streams) == 1:
        return {}
    counts = {way: sum(stream.way == way for stream in streams) for way in (UP, DOWN)}
    if all(counts.values()):
        return {"bidir_streams": max(counts.values())}
    return {f"{way}_streams": n for way, n in counts.items() if n}


def _together(streams: list[Stream]) -> dict[str, list[float | None]]:
    """Sum and mean of several streams, which Flent computes as it measures."""
    found = {}
    for way in (UP, DOWN):
        rates = [stream.rate[1:] for stream in streams if stream.way == way]
        if len(streams) > 1 and rates:
            found[f"TCP {way} sum"] = [None, *(sum(step) for step in zip(*rates, strict=True))]
            found[f"TCP {way} avg"] = [None, *(sum(step) / len(step) for step in zip(*rates, strict=True))]
    return found


def _raw(bundle: Bundle, rows: pl.DataFrame, t_s: np.ndarray, x: np.ndarray,
         rate: list[float | None]) -> list[dict[str, Any]]:
    """Goodput at each step, with the probe's newest sample."""
    epoch_s = (bundle.start_ns + bundle.realtime_offset_ns) / 1e9
    newest = np.searchsorted(t_s, x, side="right") - 1
    cwnd, srtt = rows["snd_cwnd"].to_numpy(), rows["srtt_us"].to_numpy()
    return [
        {"t": epoch_s + float(at), "val": value, "tcp_cwnd": int(cwnd[i]), "tcp_rtt": float(srtt[i]) / 1000}
        for at, value, i in zip(x, rate, newest, strict=True)
        if i >= 0 and value is not None
    ]


FORMAT = Format(write, of_flow=True, all_flows=True)
