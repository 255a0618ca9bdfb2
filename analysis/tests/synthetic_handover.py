# SPDX-License-Identifier: GPL-2.0-or-later
"""A bundle of a run with a handover, in the documented formats; for tests only.

A server sends to the UE `me`, which goes from `senb` to `tenb`. Times are ms after the start of the traffic; the run
lasts 5 s. A segment has 1000 bytes, captures hold the packets that are given.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dpkt
from synthetic_bundle import MS, OFFSET_NS, RADIO_FIELDS, START_NS, TCP_FIELDS, TCP_SYMBOLS, trace_bytes, write_pcap
from synthetic_bundle import address as number
from synthetic_switch import BASE, KINDS

SERVER, ME, PORT, SPORT = "10.46.1.1", "10.45.0.1", 5201, 35201
SEGMENT = 1000
EVENTS = ("none", "pkt_drop", "rrc", "ho_forward", "ho_hold")
MESSAGES = (
    "none", "measurement_report", "handover_decision", "handover_request", "handover_request_ack", "handover_command",
    "detach", "sn_status_transfer", "synchronised", "handover_confirm", "path_switch_request",
    "user_plane_update_request", "path_switched", "user_plane_update_reply", "path_switch_request_ack",
    "release_resource", "predicted", "prediction_expired", "handover_cancel",
)  # fmt: skip
SYMBOLS = {
    "event": dict(enumerate(EVENTS)), "dir": {0: "ul", 1: "dl"}, "drop": {0: "none"}, "rrc": dict(enumerate(MESSAGES)),
}  # fmt: skip
FIELDS = RADIO_FIELDS


def radio_row(ms: float, event: str, **fields: int) -> dict[str, int]:
    """One row about the UE."""
    return {"t_ns": START_NS + round(ms * MS), "event": EVENTS.index(event), "peer": 1} | fields


def rrc(ms: float, message: str, enb: int, other: int) -> dict[str, int]:
    """One step of a handover."""
    return radio_row(ms, "rrc", value=MESSAGES.index(message), enb=enb, sn=other)


def handover_rows(
    ms: float, path_ms: float = 49, predicted_ms: float | None = None, source: int = 0
) -> list[dict[str, int]]:
    """The steps of a handover: command after 8 ms, arrival after 38 ms."""
    target = 1 - source
    before = [] if predicted_ms is None else [rrc(predicted_ms, "predicted", source, target)]
    return [
        *before, rrc(ms, "measurement_report", source, target), rrc(ms, "handover_decision", source, target),
        rrc(ms + 8, "handover_command", source, target), rrc(ms + 38, "synchronised", target, source),
        rrc(ms + 44, "handover_confirm", target, source), rrc(ms + path_ms, "path_switched", 0, target),
    ]  # fmt: skip


def tcp_row(ms: float, kind: str, una: int, nxt: int, cwnd: int, ssthresh: int = 44, **fields: int) -> dict[str, int]:
    """A sample of the sender; sequence numbers in segments of the stream, the smoothed RTT is 40 ms."""
    for name in ("seq", "ack"):
        if name in fields:
            fields[name] = (BASE + fields[name] * SEGMENT) % 2**32
    return {
        "t_ns": START_NS + round(ms * MS), "kind": KINDS.index(kind) + 1, "saddr": number(SERVER),
        "daddr": number(ME), "sport": SPORT, "dport": PORT, "snd_cwnd": cwnd, "snd_ssthresh": ssthresh,
        "srtt_us": 40_000, "packets_out": nxt - una, "delivered": una, "mss": SEGMENT,
        "snd_una": (BASE + una * SEGMENT) % 2**32, "snd_nxt": (BASE + nxt * SEGMENT) % 2**32,
    } | fields  # fmt: skip


class Wire:
    """Captures of both ends, packet by packet; the way there takes 20 ms and back 10 ms unless told."""

    def __init__(self) -> None:
        self.here: list[tuple[int, bytes]] = []
        self.there: list[tuple[int, bytes]] = []
        self.ids = 0
        self.reach = 0  # segments received in order
        self.got: set[int] = set()
        self._answers: list[tuple[float, float]] = []

    def send(self, ms: float, segment: int, way_ms: float | None = 20, back_ms: float = 10) -> None:
        """A segment, which is lost with way_ms None. Sends must be given in the order of arrival."""
        packet = self._packet(True, BASE + segment * SEGMENT, 1, SEGMENT)
        self._add(self.here, ms, packet)
        if way_ms is None:
            return
        self._add(self.there, ms + way_ms, packet)
        self.got.add(segment)
        while self.reach in self.got:
            self.reach += 1
        answer = self._packet(False, 1, BASE + self.reach * SEGMENT, 0)
        self._add(self.there, ms + way_ms + 0.01, answer)
        self._add(self.here, ms + way_ms + back_ms, answer)

    def _packet(self, forward: bool, seq: int, ack: int, payload: int) -> bytes:
        self.ids += 1
        ports = (SPORT, PORT) if forward else (PORT, SPORT)
        segment = dpkt.tcp.TCP(sport=ports[0], dport=ports[1], seq=seq % 2**32, ack=ack % 2**32, flags=0x10)
        segment.data = b"x" * payload
        ends = [bytes(map(int, dotted.split("."))) for dotted in (SERVER, ME)]
        packet = dpkt.ip.IP(src=ends[not forward], dst=ends[forward], p=6, id=self.ids, data=segment)
        packet.len = 40 + payload
        return bytes(packet)[:128]

    @staticmethod
    def _add(capture: list[tuple[int, bytes]], ms: float, packet: bytes) -> None:
        capture.append((START_NS + round(ms * MS), packet))

    def write(self, path: Path) -> None:
        write_pcap(path / "ip-server1.pcap", self.here)
        write_pcap(path / "ip-me.pcap", self.there)


def write_handover_bundle(
    results: Path,
    radio: list[dict[str, int]],
    tcp: list[dict[str, int]],
    wire: Wire | None = None,
    procedure: str = "standard",
    target_mes: int = 2,
    seed: int = 1,
    scenario: str = "handover-pacifico/standard-prediction",
    links: list[dict[str, Any]] | None = None,
    claims: list[dict[str, Any]] | None = None,
) -> Path:
    """Write the bundle; returns its directory."""
    variant = f"{target_mes}me_procedure={procedure}"
    path = results / f"{variant}-seed{seed}-0123456789"
    path.mkdir(parents=True)
    radio = sorted(radio, key=lambda row: row["t_ns"])
    (path / "radio.trace").write_bytes(trace_bytes("radio", FIELDS, SYMBOLS, radio, 48))
    (path / "tcp.trace").write_bytes(trace_bytes("tcp", TCP_FIELDS, TCP_SYMBOLS, tcp, 128))
    if wire is not None:
        wire.write(path)
    ues = [{"name": "me", "peer": "network", "enb": "senb"}]
    ues += [{"name": f"c{i}", "peer": "network", "enb": "tenb"} for i in range(1, 6)]
    files: dict[str, Any] = {
        "celld.json": {"format": 1, "cell": {"enbs": [{"name": "senb"}, {"name": "tenb"}], "ues": ues}},
        "radio.json": {"lateness": {"p50_us": 4, "p99_us": 40, "histogram": [[4, 10]]}},
        "tcp.json": {"samples": len(tcp), "lost": 0, "by_kind": {}},
        "counters.json": {"server1": {"TcpExt": {"TCPTimeouts": 1}}},
        "manifest.json": _manifest(variant, procedure, target_mes, seed, scenario, links or [], claims or []),
    }
    for flow in ["file", *(f"f{i}" for i in range(1, target_mes + 1))]:
        files[f"{flow}.iperf3.json"] = {"end": {"sum_received": {"bytes": 10**6, "bits_per_second": 1.6e6}}}
    for name, content in files.items():
        (path / name).write_text(json.dumps(content))
    return path


def _manifest(
    variant: str, procedure: str, target_mes: int, seed: int, scenario: str, links: list[dict[str, Any]],
    claims: list[dict[str, Any]],
) -> dict[str, Any]:  # fmt: skip
    settings = {
        "nodes": {"senb": {"kind": "enb"}, "tenb": {"kind": "enb"}},
        "radio": {"ues": {"me": {"mode": "im", "peer": "senb"}}, "handover": {"procedure": procedure}, "events": [{}]},
        "tcp": {"receive_window": 64240, "mss": SEGMENT, "cwnd_max_pkts": 44},
        "capture": {"ip": True, "radio": False, "radio_trace": "events", "tcp_interval_ms": 0},
    }

    def flow(name: str, to: str, port: int) -> dict[str, Any]:
        source, saddr = ("server1", SERVER) if name == "file" else ("server2", "10.46.2.1")
        return {
            "id": name, "kind": "iperf3", "from": source, "to": to, "saddr": saddr, "daddr": ME, "port": port,
            "protocol": "tcp", "start_s": 0, "duration_s": 5.0,
        }  # fmt: skip

    return {
        "format": 1, "id": f"{variant}{seed}", "variant": variant, "seed": seed,
        "description": {"format": 1, "scenario": scenario, "variant": variant, "seed": seed, "settings": settings},
        "scenario": {"id": scenario, "title": "Handover", "source": "Pacifico", "text": ""},
        "params": {"radio.handover.procedure": procedure, "traffic": []}, "claims": claims, "lab": "virtual",
        "created": "2026-01-01T00:00:00+00:00", "wall_s": 1.5, "outcome": "complete",
        "congestion_control": {"file": "reno"}, "sysctls": {}, "tools": {}, "links": links,
        "validity": {"verdict": "valid", "reasons": []},
        "clock": {"realtime_offset_ns": OFFSET_NS, "start_ns": START_NS, "end_ns": START_NS + 5_000 * MS},
        "flows": [flow("file", "me", PORT)] + [flow(f"f{i}", f"c{i}", PORT + i) for i in range(1, target_mes + 1)],
    }  # fmt: skip
