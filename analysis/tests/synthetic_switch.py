# SPDX-License-Identifier: GPL-2.0-or-later
"""A bundle of a run whose mode changes: events, samples of the sender, no captures. For tests only.

What the traces say is given as lists of rows in ms after the start of the
traffic; the run lasts 10 s.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from synthetic_bundle import (
    DADDR,
    MS,
    PORT,
    RADIO_FIELDS,
    SADDR,
    SPORT,
    START_NS,
    TCP_FIELDS,
    TCP_SYMBOLS,
    address,
    trace_bytes,
)

EVENTS = ("none", "pkt_drop", "route", "flush", "channel", "rlc_tx")
DIRS = ("ul", "dl", "sl")
KINDS = list(TCP_SYMBOLS["kind"].values())
SYMBOLS = {
    "event": dict(enumerate(EVENTS)),
    "dir": dict(enumerate(DIRS)),
    "drop": {0: "none", 1: "mode_switch"},
}
BASE = 2**32 - 3000  # the sequence numbers wrap early in the run
IM, DM = 0, 1


def radio_row(ms: float, event: str, **fields: Any) -> dict[str, Any]:
    """One row; `dir` by name."""
    fields["dir"] = DIRS.index(fields.get("dir", "ul"))
    return {"t_ns": START_NS + round(ms * MS), "event": EVENTS.index(event)} | fields


def switch_rows(ms: float, mode: int, data: int, acks: int, pkt_bytes: int = 1500) -> list[dict[str, Any]]:
    """A switch of both UEs and what it flushes."""
    direction = "sl" if mode == IM else "ul"
    return [
        radio_row(ms, "route", node=1, peer=2, value=mode),
        radio_row(ms, "flush", node=1, peer=2, dir=direction, value=data, bytes=data * pkt_bytes),
        radio_row(ms, "route", node=2, peer=1, value=mode),
        radio_row(ms, "flush", node=2, peer=1, dir=direction, value=acks, bytes=40 * acks),
    ]


def tcp_row(ms: float, kind: str, una: int, nxt: int, cwnd: int, ssthresh: int = 100, **fields: Any) -> dict[str, int]:
    """A sample of the sender; sequence numbers in bytes of the stream."""
    numbers = {"snd_una": (BASE + una) % 2**32, "snd_nxt": (BASE + nxt) % 2**32}
    if "seq" in fields:
        fields["seq"] = (BASE + fields["seq"]) % 2**32
    return {
        "t_ns": START_NS + round(ms * MS), "kind": KINDS.index(kind) + 1, "saddr": address(SADDR),
        "daddr": address(DADDR), "sport": SPORT, "dport": PORT, "snd_cwnd": cwnd, "snd_ssthresh": ssthresh,
        "packets_out": (nxt - una) // 1000, "delivered": una // 1000,
    } | numbers | fields  # fmt: skip


def write_switch_bundle(
    results: Path,
    radio: list[dict[str, Any]],
    tcp: list[dict[str, int]],
    variant: str = "reno",
    seed: int = 1,
    mbps: float = 20.0,
    scenario: str = "d2d-nardini/dynamic",
    claims: list[dict[str, Any]] | None = None,
) -> Path:
    """Write the bundle; returns its directory."""
    path = results / f"{variant}-seed{seed}-0123456789"
    path.mkdir(parents=True)
    radio = sorted(radio, key=lambda row: row["t_ns"])
    (path / "radio.trace").write_bytes(trace_bytes("radio", RADIO_FIELDS, SYMBOLS, radio, 48))
    (path / "tcp.trace").write_bytes(trace_bytes("tcp", TCP_FIELDS, TCP_SYMBOLS, tcp, 128))
    files: dict[str, Any] = {
        "celld.json": {"format": 1, "cell": {"ues": [{"name": "ue1", "peer": "ue2"}, {"name": "ue2", "peer": "ue1"}]}},
        "radio.json": {"lateness": {"p50_us": 4, "p99_us": 40, "histogram": [[4, 10]]}},
        "tcp.json": {"samples": len(tcp), "lost": 0, "by_kind": {}},
        "counters.json": {"ue1": {"TcpExt": {"TCPTimeouts": 1, "TCPRenoRecovery": 2}}},
        "file.iperf3.json": {"end": {"sum_received": {"bytes": round(mbps * 1.25e6), "bits_per_second": mbps * 1e6}}},
        "manifest.json": _manifest(variant, seed, scenario, claims or []),
    }
    for name, content in files.items():
        (path / name).write_text(json.dumps(content))
    return path


def _manifest(variant: str, seed: int, scenario: str, claims: list[dict[str, Any]]) -> dict[str, Any]:
    settings = {
        "radio": {
            "ues": {"ue1": {"mode": "dm", "peer": "ue2"}, "ue2": {"mode": "dm", "peer": "ue1"}},
            "mode_switch": {"select_ms": 1000, "flush": "discard"},
        },
        "tcp": {"receive_window": 20000, "mss": 1000, "congestion_control": "reno"},
        "capture": {"ip": False, "radio": False, "radio_trace": "events", "tcp_interval_ms": 10},
    }
    return {
        "format": 1, "id": f"{variant}{seed}", "variant": variant, "seed": seed,
        "description": {"format": 1, "scenario": scenario, "variant": variant, "seed": seed, "settings": settings},
        "scenario": {"id": scenario, "title": "Dynamic", "source": "Nardini", "text": ""},
        "params": {}, "claims": claims, "lab": "virtual", "created": "2026-01-01T00:00:00+00:00", "wall_s": 1.5,
        "outcome": "complete", "congestion_control": {"file": "reno"}, "sysctls": {}, "tools": {},
        "validity": {"verdict": "valid", "reasons": []},
        "clock": {"realtime_offset_ns": 0, "start_ns": START_NS, "end_ns": START_NS + 10_000 * MS},
        "flows": [
            {
                "id": "file", "kind": "iperf3", "from": "ue1", "to": "ue2", "saddr": SADDR, "daddr": DADDR,
                "port": PORT, "protocol": "tcp", "start_s": 0, "duration_s": 10.0,
            }
        ],
    }  # fmt: skip
