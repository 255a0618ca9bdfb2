# SPDX-License-Identifier: GPL-2.0-or-later
"""Metrics of flows over UDP and QUIC: throughput, losses, one-way delays, and RTTs that a spin bit shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from synthetic_bundle import DADDR, MS, SADDR
from synthetic_udp import BACK_NS, DELAY_NS, FLOW, LONG, SHORT, SPIN, datagram, write_udp

from cellbed_analysis.metrics.flows import connection_metrics, flow_columns
from cellbed_analysis.metrics.rows import compute, compute_others, lives_once
from cellbed_formats.bundle import Bundle

STEP_MS, PAYLOAD, N = 10, 100, 200
IPERF3 = {"end": {"sum": {"bytes": N * PAYLOAD, "lost_percent": 5.0, "lost_packets": 11, "seconds": 2.0}}}
STREAM = {"received_bytes": 19000, "received_s": 2.5, "duration_s": 2.0, "sent_pkts": 200, "received_pkts": 192,
          "connected_s": None}  # fmt: skip
# Arrivals from 0.4 to 2 s: those sent from 390 to 1980 ms, of which 39, 59, ... 179 are lost.
CAME_STEADY, STEADY_S = 160 - 8, 1.6
COMMAND = {"id": "client", "node": "ue1", "argv": ["client"], "background": False}
NODES = {"nodes": {"ue1": {"address": f"{SADDR}/24"}, "ue2": {"address": f"{DADDR}/24"}}}


def sent() -> list[tuple[int, bytes, bool]]:
    """A short datagram, with which iperf3 begins, then one each 10 ms, of which every twentieth is lost."""
    first = [(0, datagram(1000, 4), True)]
    return first + [(k * STEP_MS * MS, datagram(k, PAYLOAD), k % 20 != 19) for k in range(N)]


def udp(results: Path, kind: str, **settings: Any) -> Bundle:
    bundle = write_udp(results, sent(), flows=[FLOW | {"kind": kind}], settings=settings)
    (bundle.path / "file.iperf3.json").write_text(json.dumps(IPERF3))
    (bundle.path / "file.stream.json").write_text(json.dumps(STREAM))
    return bundle


def test_what_captures_count_of_udp(tmp_path: Path) -> None:
    row = compute(udp(tmp_path, "iperf3"))[0]
    assert (row["ip_sent_pkts"], row["ip_lost_pkts"], row["ip_lost_pct"]) == (200, 10, 5.0)
    assert row["ip_throughput_mbps"] == pytest.approx(CAME_STEADY * (PAYLOAD + 28) * 8e-6 / STEADY_S)
    assert row["goodput_mbps"] == pytest.approx(CAME_STEADY * PAYLOAD * 8e-6 / STEADY_S)
    assert row["goodput_iperf3_mbps"] == pytest.approx(200 * 100 * 0.95 * 8e-6 / 2)
    assert (row["udp_lost_pkts"], row["udp_lost_difference_pkts"]) == (11, -1)


def test_what_a_stream_of_udp_counted(tmp_path: Path) -> None:
    row = compute(udp(tmp_path, "stream"))[0]
    assert row["goodput_stream_mbps"] == pytest.approx(19000 * 8e-6 / 2.5)
    assert (row["udp_lost_pkts"], row["udp_lost_difference_pkts"]) == (8, 2)


def test_without_captures_the_receiver_counts(tmp_path: Path) -> None:
    bundle = udp(tmp_path, "stream", capture={"ip": False})
    (bundle.path / "file.stream.json").write_text(json.dumps(STREAM | {"received_s": None}))
    row = compute(bundle)[0]
    assert row["goodput_stream_mbps"] == pytest.approx(19000 * 8e-6 / 2)
    assert row["udp_lost_pkts"] == 8
    assert "ip_sent_pkts" not in row and "goodput_mbps" not in row


def test_one_way_delays_of_datagrams(tmp_path: Path) -> None:
    answers = [(k * STEP_MS * MS, datagram(k, 40, back=True)) for k in range(20)]
    columns = flow_columns(write_udp(tmp_path, sent(), answers, flows=[FLOW]))["file"]
    for name in ("owd_mean_ms", "owd_p50_ms", "owd_p99_ms"):
        assert columns[name] == pytest.approx(DELAY_NS / MS), name
    assert columns["owd_back_p50_ms"] == pytest.approx(BACK_NS / MS)
    assert "spin_rtt_samples" not in columns
    assert columns["flow_came_bytes"] == 190 * PAYLOAD + 4


def test_no_datagram_came(tmp_path: Path) -> None:
    columns = flow_columns(write_udp(tmp_path, [(t, packet, False) for t, packet, _ in sent()], flows=[FLOW]))["file"]
    assert not {"owd_mean_ms", "owd_p99_ms", "owd_back_p50_ms"} & columns.keys()


def quic(results: Path, half_turn_ms: int) -> Bundle:
    """A command's connection: a long header, then short ones whose spin bit changes after so long."""
    packets = [(0, datagram(0, 300, first=LONG), True)]
    for at_ms in range(STEP_MS, 401, STEP_MS):
        spin = SPIN if at_ms // half_turn_ms % 2 else 0
        packets.append((at_ms * MS, datagram(at_ms, 300, first=SHORT | spin), True))
    return write_udp(results, packets, [(5 * MS, datagram(0, 40, back=True, first=LONG))], flows=[], settings=NODES,
                     commands=[COMMAND])


def test_the_spin_bit_shows_round_trips(tmp_path: Path) -> None:
    """It changes at 40, 80, ... 400 ms: ten edges, nine round trips of 40 ms, which is more than 15 and 6 ms."""
    bundle = quic(tmp_path, 40)
    (flow,) = bundle.all_flows
    columns = flow_columns(bundle)[flow.id]
    assert (flow.transport, columns["spin_rtt_samples"]) == ("quic", 9)
    assert columns["spin_rtt_p50_ms"] == columns["spin_rtt_mean_ms"] == pytest.approx(40)


def test_a_bit_that_changes_within_the_way_there_does_not_spin(tmp_path: Path) -> None:
    bundle = quic(tmp_path, 20)
    columns = flow_columns(bundle)[bundle.all_flows[0].id]
    assert columns["spin_rtt_samples"] == 0
    assert "spin_rtt_p50_ms" not in columns


def test_connections_beside_the_first_one(tmp_path: Path) -> None:
    """What is captured of datagrams at both ends, and nothing where one end has none."""
    bundle = quic(tmp_path, 40)
    (flow,) = bundle.all_flows
    values, segments = connection_metrics(bundle, flow, lives_once(bundle))
    assert (values["ip_sent_pkts"], values["ip_lost_pkts"], len(segments)) == (41, 0, 0)
    # 400 ms without the first fifth; of datagrams that come at 15, 25, ... ms 32 come from 80 ms on.
    assert values["ip_throughput_mbps"] == pytest.approx(32 * 328 * 8e-6 / 0.32)
    (bundle.path / "ip-ue2.pcap").unlink()
    lonely = Bundle(bundle.path, bundle.manifest)
    assert connection_metrics(lonely, flow, lives_once(lonely))[0] == {}
    assert compute_others(lonely)[0] == []
