# SPDX-License-Identifier: GPL-2.0-or-later
"""A data file of Flent, format 4: goodput, cwnd and RTT of the connection, for all of Flent's plots of them.

Source: Flent
"""

from __future__ import annotations

import datetime
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.error import DataError
from cellbed_formats.inside import Inside

from ...tcp.connection import acknowledgments, relative, samples
from ..format import Format

VERSION = 4
STEP_S = 0.1
#: Flent's test of one upload stream without a ping beside it, and the name of its series.
TEST, SERIES = "tcp_1up_noping", "TCP upload"


def write(bundle: Bundle, node: str, stem: Inside, flow: str | None = None) -> list[Path]:
    """`<stem>.flent.gz`."""
    path = stem.with_name(f"{stem.name}.flent.gz")
    said = json.dumps(document(bundle, node, flow)).encode()
    with path.replaced() as out, gzip.GzipFile(path.name, "wb", mtime=0, fileobj=out) as file:
        file.write(said)
    return [path.path]


def document(bundle: Bundle, node: str, flow: str | None = None) -> dict[str, Any]:
    """The content of the file. Times are seconds since the traffic began, of raw values since 1970."""
    rows = acknowledgments(samples(bundle, flow))
    if len(rows) < 2:
        raise DataError(f"{bundle.path}: the connection has too few acknowledgments; run it for longer")
    t_s = (rows["t_ns"].to_numpy() - bundle.start_ns) / 1e9
    acked = relative(rows["snd_una"].to_numpy())
    x = np.arange(0, float(t_s[-1]) + STEP_S, STEP_S)
    # What was acknowledged by each point; a rate belongs to the step that ends there.
    at = np.interp(x, t_s, acked, left=0)
    rate = [None, *(float(v) for v in np.diff(at) * 8 / STEP_S / 1e6)]
    began = datetime.datetime.fromtimestamp((bundle.start_ns + bundle.realtime_offset_ns) / 1e9, datetime.UTC)
    length = float(x[-1])
    return {
        "version": VERSION,
        "x_values": [round(float(v), 6) for v in x],
        "results": {SERIES: rate},
        "raw_values": {SERIES: _raw(bundle, rows, x, rate)},
        "metadata": {
            "NAME": TEST, "TITLE": bundle.path.name, "NOTE": f"cellbed, {bundle.scenario_id}", "HOST": node,
            "HOSTS": [node], "LOCAL_HOST": node, "LENGTH": length, "TOTAL_LENGTH": length, "STEP_SIZE": STEP_S,
            "DELAY": 0, "TIME": began.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "KERNEL_NAME": "Linux", "KERNEL_RELEASE": bundle.manifest.get("kernel", {}).get("release"),
            "DATA_FILENAME": f"{bundle.path.name}-{node}.flent.gz", "TEST_PARAMETERS": {}, "FAILED_RUNNERS": 0,
            "SERIES_META": {SERIES: {"UNITS": "Mbits/s", "RUNNER": "cellbed"}}, "IP_VERSION": 4,
            "SYSCTLS": bundle.manifest.get("sysctls", {}).get(node, {}), "BATCH_NAME": None, "EGRESS_INFO": None,
        },
    }  # fmt: skip


def _raw(bundle: Bundle, rows: pl.DataFrame, x: np.ndarray, rate: list[float | None]) -> list[dict[str, Any]]:
    """Goodput at each step, with the probe's newest sample."""
    epoch_s = (bundle.start_ns + bundle.realtime_offset_ns) / 1e9
    newest = np.searchsorted((rows["t_ns"].to_numpy() - bundle.start_ns) / 1e9, x, side="right") - 1
    cwnd, srtt = rows["snd_cwnd"].to_numpy(), rows["srtt_us"].to_numpy()
    return [
        {"t": epoch_s + float(at), "val": value, "tcp_cwnd": int(cwnd[i]), "tcp_rtt": float(srtt[i]) / 1000}
        for at, value, i in zip(x, rate, newest, strict=True)
        if i >= 0 and value is not None
    ]


FORMAT = Format(write, of_flow=True)
