# SPDX-License-Identifier: GPL-2.0-or-later
"""Bursts of ACKs in which uplink slots let them through, and what is said of the latency of pings."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_bundle import ISN_ACK, ISN_DATA, MS, START_NS, tcp_packet, write_bundle, write_pcap
from synthetic_nr import NR

from cellbed_analysis.studies.nr_tdd.explain import latency
from cellbed_analysis.studies.nr_tdd.metrics import clock_metrics
from cellbed_formats.bundle import Bundle, read_bundle

STEP_MS, N, BYTES = 10, 200, 1000


def over_nr(results: Path, together_ns: int, system: str = "nr", until: int = N) -> Bundle:
    """Two segments each 10 ms, whose ACKs come 5 ms later, @together_ns apart."""
    path = write_bundle(results, duration_s=2)
    packets = []
    for k in range(until):
        at = START_NS + k * STEP_MS * MS
        for i in (0, 1):
            end = ISN_DATA + 1 + (2 * k + i + 1) * BYTES
            packets.append((at + i, tcp_packet(True, end - BYTES, ISN_ACK, BYTES)))
            packets.append((at + 5 * MS + i * together_ns, tcp_packet(False, ISN_ACK, end, 0)))
    write_pcap(path / "ip-ue1.pcap", packets)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["description"]["settings"]["radio"] |= {"system": system, "nr": NR}
    (path / "manifest.json").write_text(json.dumps(manifest))
    return read_bundle(path)


def test_acks_of_one_slot_are_a_burst(tmp_path: Path) -> None:
    """Of 0.4 to 2 s: 160 bursts of two, 9.9 ms apart."""
    bundle = over_nr(tmp_path, MS // 10)
    values = clock_metrics(bundle, bundle.flows[0])
    assert values == {
        "ack_burst_pkts_mean": 2, "ack_burst_bytes_mean": 319 * BYTES / 160, "ack_gap_p50_ms": pytest.approx(9.9),
        "ack_gap_p99_ms": pytest.approx(9.9)}  # fmt: skip


def test_half_a_slot_later_is_another_burst(tmp_path: Path) -> None:
    bundle = over_nr(tmp_path, MS // 4)
    values = clock_metrics(bundle, bundle.flows[0])
    assert values["ack_burst_pkts_mean"] == 1 and values["ack_gap_p50_ms"] == pytest.approx(0.25)


def test_no_bursts_to_tell_of(tmp_path: Path) -> None:
    bundle = over_nr(tmp_path / "few", MS // 10, until=41)  # two ACKs after the warm-up, in one burst
    assert clock_metrics(bundle, bundle.flows[0]) == {"ack_burst_pkts_mean": 2, "ack_burst_bytes_mean": BYTES}
    none = over_nr(tmp_path / "none", MS // 10, until=40)
    lte = over_nr(tmp_path / "lte", MS // 10, system="lte")
    flow = bundle.flows[0]
    assert clock_metrics(none, flow) == clock_metrics(lte, flow) == {}
    assert clock_metrics(bundle, replace(flow, transport="udp")) == {}
    assert clock_metrics(bundle, replace(flow, source="server")) == {}


def test_what_is_said_of_pings() -> None:
    row = {"variant": "fdd", "ping_rtt_min_ms": 4.0, "ping_rtt_mean_ms": 6.5, "ping_rtt_max_ms": 11.0}
    said = latency({}, [row], [])
    assert said.startswith("fdd: the shortest ping takes 4.0 ms, ")
    assert "the mean of 6.5 ms and the longest of 11.0 ms add the wait" in said
    assert latency({}, [row], [row | {"variant": "tdd"}]) == f"{said} Against that tdd{said[3:]}"
    for missing in ("min", "mean", "max"):
        assert latency({}, [row | {f"ping_rtt_{missing}_ms": None}], []) == ""
