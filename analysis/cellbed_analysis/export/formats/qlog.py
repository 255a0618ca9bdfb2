# SPDX-License-Identifier: GPL-2.0-or-later
"""qlog 0.3 of a TCP connection: what the probe saw change, and the radio's events between.

Congestion control has the events of QUIC's recovery, so that viewers of these draw it; `tcp:` and `radio:` are events
of our own, which the format allows for.

Source: draft-ietf-quic-qlog-main-schema-02
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.inside import Inside
from cellbed_formats.trace import INFINITE_SSTHRESH

from ...tcp.connection import radio_events, samples
from ..format import Format

VERSION = "0.3"


def write(bundle: Bundle, node: str, stem: Inside, flow: str | None = None) -> list[Path]:
    """`<stem>.qlog`."""
    path = stem.with_name(f"{stem.name}.qlog")
    path.write(json.dumps(document(bundle, node, flow)))
    return [path.path]


def document(bundle: Bundle, node: str, flow: str | None = None) -> dict[str, Any]:
    """The content of the file; times in ms."""
    rows = samples(bundle, flow)
    start_ns = int(rows["t_ns"][0])
    found = _metrics(rows, start_ns) + _repairs(rows, start_ns)
    end_ns = int(rows["t_ns"][-1])
    for event in radio_events(bundle, node):
        if start_ns <= event.t_ns <= end_ns:
            data = {"ue": event.ue} | ({"what": event.what} if event.what else {})
            found.append({"time": (event.t_ns - start_ns) / 1e6, "name": f"radio:{event.kind}", "data": data})
    found.sort(key=lambda event: event["time"])
    return {
        "qlog_version": VERSION,
        "qlog_format": "JSON",
        "title": bundle.path.name,
        "description": f"TCP connection of {bundle.scenario_id}, by cellbed",
        "traces": [{
            "title": f"{node}, seed {bundle.manifest['seed']}",
            "vantage_point": {"name": "sender", "type": "client"},
            "common_fields": {
                "time_format": "relative", "protocol_type": ["TCP"],
                "reference_time": (start_ns + bundle.realtime_offset_ns) / 1e6,
            },
            "events": found,
        }],
    }  # fmt: skip


def _metrics(rows: pl.DataFrame, start_ns: int) -> list[dict[str, Any]]:
    """An event for each sample with something new, and in it just that."""
    found: list[dict[str, Any]] = []
    known: dict[str, float] = {}
    columns = ("t_ns", "kind", "snd_cwnd", "snd_ssthresh", "mss", "srtt_us", "min_rtt_us", "rtt_us", "packets_out")
    for t_ns, kind, cwnd, threshold, mss, srtt_us, least_us, rtt_us, in_flight in rows.select(columns).iter_rows():
        now: dict[str, float] = {"congestion_window": cwnd * max(mss, 1), "packets_in_flight": in_flight}
        if threshold < INFINITE_SSTHRESH:
            now["ssthresh"] = threshold * max(mss, 1)
        if srtt_us:
            now |= {"smoothed_rtt": srtt_us / 1000, "min_rtt": least_us / 1000}
        if kind == "rtt":
            now["latest_rtt"] = rtt_us / 1000
        new = {name: value for name, value in now.items() if known.get(name) != value}
        if new:
            known |= new
            found.append({"time": (t_ns - start_ns) / 1e6, "name": "recovery:metrics_updated", "data": new})
    return found


def _repairs(rows: pl.DataFrame, start_ns: int) -> list[dict[str, Any]]:
    names = {"rto": "tcp:retransmission_timeout", "retransmit": "tcp:retransmit"}
    return [
        {"time": (t_ns - start_ns) / 1e6, "name": names[kind], "data": {"seq": seq, "n": arg}}
        for t_ns, kind, seq, arg in rows.filter(pl.col("kind").is_in(list(names))).select(
            "t_ns", "kind", "seq", "arg"
        ).iter_rows()
    ]  # fmt: skip


FORMAT = Format(write, of_flow=True)
