# SPDX-License-Identifier: GPL-2.0-or-later
"""Metrics of a run over the UTRAN, from a bundle whose every number can be worked out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from synthetic_bundle import (
    DADDR,
    PORT,
    RADIO_FIELDS,
    RADIO_SYMBOLS,
    SADDR,
    SPORT,
    START_NS,
    TCP_FIELDS,
    TCP_SYMBOLS,
    address,
    trace_bytes,
)

from cellbed_analysis.metrics.catalog import METRICS
from cellbed_analysis.metrics.rows import compute
from cellbed_analysis.metrics.run import analyse
from cellbed_analysis.studies.maxdat_demey import maxdat
from cellbed_analysis.studies.maxdat_demey.metrics import session_of
from cellbed_formats.bundle import read_bundle

RLC_DISCARD = next(int(n) for n, name in RADIO_SYMBOLS["event"].items() if name == "rlc_discard")
UL, DL = 0, 1
RADIO = {
    "system": "utran",
    "utran": {"dl_rate": 134_400, "ul_rate": 33_600, "tti_ms": 10, "pdu_bytes": 42, "bler_dl": 0.15, "bler_ul": 0.15,
              "max_dat": 3, "timer_poll_ms": 85},
    "ues": {"ue1": {"peer": "rnc", "mode": "im"}},
}  # fmt: skip
TCP = {"mss": 1000, "receive_window": 20_000, "congestion_control": "reno"}


def write(path: Path, **changes: Any) -> Path:
    """100 s of a stream that gets 250 kB through, with four RTT samples and three discards."""
    path = path / "bler-0.15_max_dat=3-seed1-0123456789"
    path.mkdir()
    own = {"saddr": address(SADDR), "daddr": address(DADDR), "sport": SPORT, "dport": PORT, "kind": 3}
    samples = [own | {"t_ns": START_NS + s * 10**9, "rtt_us": us}
               for s, us in ((10, 1_500_000), (40, 1_700_000), (70, 1_900_000), (200, 9_000_000))]  # fmt: skip
    others = ({"rtt_us": 0}, {"sport": 9, "rtt_us": 1}, {"kind": 2, "rtt_us": 77},
              *({end: 9, "rtt_us": 1} for end in ("saddr", "daddr", "dport")))
    samples += [own | {"t_ns": START_NS + 10**9} | other for other in others]
    (path / "tcp.trace").write_bytes(trace_bytes("tcp", TCP_FIELDS, TCP_SYMBOLS, samples, 128))
    drops = [(DL, 1040, 1), (DL, 1040, 1), (UL, 40, 1), (DL, 44, 1), (DL, 1040, 0)]
    rows = [{"t_ns": START_NS + i, "event": RLC_DISCARD, "dir": d, "bytes": n, "aux": aux}
            for i, (d, n, aux) in enumerate(drops)]  # fmt: skip
    (path / "radio.trace").write_bytes(trace_bytes("radio", RADIO_FIELDS, RADIO_SYMBOLS, rows, 48))
    stats = {
        "rlc_pdus_tx": 1200, "rlc_retx": 200, "rlc_status_tx": 33, "lateness": {"p99_us": 4, "missed_ttis": 0},
        "pkts_dropped": {"queue_full": 0, "rlc_discard": 4},
    }  # fmt: skip
    tcp_ext = {"TCPOrigDataSent": 30, "TCPSynRetrans": 1, "TCPTimeouts": 5, "TCPFastRetrans": 7}
    counters = {"server": {"Tcp": {"RetransSegs": 21}, "TcpExt": tcp_ext}}
    stream = {"connections": 1, "connected_s": 1.5, "sent_bytes": 300_000, "received_bytes": 250_000,
              "congestion_control": "reno", "duration_s": 100}  # fmt: skip
    files = {"radio.json": stats, "tcp.json": {"lost": 0}, "counters.json": counters, "file.stream.json": stream}
    for name, content in files.items():
        (path / name).write_text(json.dumps(content))
    settings = {"radio": RADIO, "tcp": TCP | changes.pop("tcp", {}), "capture": {"ip": False}}
    manifest = {
        "format": 1, "id": "0123", "variant": "bler-0.15", "seed": 1, "lab": "virtual", "outcome": "complete",
        "params": {"radio.utran.max_dat": 3}, "scenario": {"id": "maxdat-demey/sweep-128k"}, "wall_s": 5.0,
        "validity": {"verdict": "valid", "reasons": []},
        "description": {"variant": "bler-0.15_max_dat=3", "settings": settings},
        "congestion_control": {"file": "reno"},
        "clock": {"realtime_offset_ns": 0, "start_ns": START_NS, "end_ns": START_NS + 101 * 10**9},
        "flows": [{"id": "file", "kind": "stream", "from": "server", "to": "ue1", "saddr": SADDR, "daddr": DADDR,
                   "port": PORT, "sport": SPORT, "start_s": 0, "duration_s": 100, "bytes": None}],
    }  # fmt: skip
    (path / "manifest.json").write_text(json.dumps(manifest | changes))
    return path


@pytest.fixture
def row(tmp_path: Path) -> dict[str, Any]:
    return compute(read_bundle(write(tmp_path)))[0]


def test_rate_is_that_of_what_pdus_carry(row: dict[str, Any]) -> None:
    assert (row["utran_rate_kbps"], row["utran_bler"], row["utran_max_dat"]) == (128, 0.15, 3)


def test_rtt_by_karns_rule(row: dict[str, Any]) -> None:
    """Samples of the data connection while the flow lasts; other rows, other sockets and what comes later are none."""
    assert (row["karn_rtt_samples"], row["karn_rtt_min_s"], row["karn_rtt_max_s"]) == (3, 1.5, 1.9)
    assert row["karn_rtt_mean_s"] == pytest.approx(1.7)


def test_throughput_is_what_arrived_over_the_length(row: dict[str, Any]) -> None:
    assert row["transfer_bytes"] == 250_000
    assert row["transfer_payload_kbps"] == pytest.approx(20)
    assert row["transfer_kbps"] == pytest.approx(20 * 1.04)
    assert row["goodput_stream_mbps"] == pytest.approx(0.02)


def test_a_counter_that_did_not_move_is_nothing(tmp_path: Path) -> None:
    path = write(tmp_path)
    (path / "counters.json").write_text(json.dumps({"server": {"Tcp": {}, "TcpExt": {"TCPOrigDataSent": 30}}}))
    row = compute(read_bundle(path))[0]
    assert (row["tcp_retransmissions"], row["rto_count"]) == (0, 0)
    assert row["sdus_discarded_share"] == pytest.approx(2 / 30)


def test_rlc_and_tcp_counts(row: dict[str, Any]) -> None:
    assert row["rlc_transmissions_per_pdu"] == pytest.approx(1.2)
    assert (row["sdus_discarded_dl"], row["sdus_discarded_ul"], row["rlc_status_pdus"]) == (3, 1, 33)
    assert row["sdus_discarded_share"] == pytest.approx(2 / 50), "a SYN is no data segment, nor is its retransmission"
    assert (row["tcp_retransmissions"], row["rto_count"], row["fast_retransmits"]) == (21, 5, 7)
    assert (row["dropped_queue_full_pkts"], row["lateness_p99_us"]) == (0, 4)


def test_the_model_beside_it(row: dict[str, Any]) -> None:
    of = maxdat.session(128_000)
    assert row["model_rtt_s"] == pytest.approx(float(maxdat.rtt_tcp(0.15, 3, of)))
    assert row["model_kbps"] == pytest.approx(float(maxdat.throughput(0.15, 3, of)) / 1e3)
    assert row["model_discarded_share"] == pytest.approx(0.0841, abs=5e-5)


def test_every_metric_is_in_the_catalog(row: dict[str, Any]) -> None:
    known = {name for m in METRICS.values() for name in (m.name, f"{m.name}_low", f"{m.name}_high")}
    assert {name for name in row if not name.startswith("param.")} <= known


def test_rows_are_kept_and_say_what_they_cost(tmp_path: Path) -> None:
    path = write(tmp_path)
    files = sum(p.stat().st_size for p in path.iterdir())
    first = analyse(read_bundle(path))
    assert first.usable and first.row["bundle_bytes"] == files and first.row["wall_s"] == 5.0
    assert analyse(read_bundle(path)).row == first.row, "derived/ is no part of the size"


def test_nothing_connected(tmp_path: Path) -> None:
    path = write(tmp_path)
    silent = {"connections": 0, "connected_s": None, "received_bytes": 0, "duration_s": 100}
    (path / "file.stream.json").write_text(json.dumps(silent))
    counters = {"server": {"Tcp": {"RetransSegs": 9}, "TcpExt": {"TCPSynRetrans": 9}}}
    (path / "counters.json").write_text(json.dumps(counters))
    (path / "tcp.trace").write_bytes(trace_bytes("tcp", TCP_FIELDS, TCP_SYMBOLS, [], 128))
    row = compute(read_bundle(path))[0]
    assert row["transfer_kbps"] == 0 and row["karn_rtt_samples"] == 0
    assert "karn_rtt_mean_s" not in row and "sdus_discarded_share" not in row


def test_without_a_segment_size_there_is_no_model(tmp_path: Path) -> None:
    assert session_of(RADIO["utran"], {"mss": None, "receive_window": 1}) is None
    row = compute(read_bundle(write(tmp_path, tcp={"receive_window": None})))[0]
    assert "model_kbps" not in row


def iperf3_run(tmp_path: Path) -> Path:
    """The same file by iperf3, to the second of two UEs, on a lab that counts nothing in the kernel."""
    path = write(tmp_path)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["flows"][0] |= {"kind": "iperf3", "to": "ue2"}
    manifest["description"]["settings"]["radio"]["ues"]["ue2"] = {"peer": "rnc", "mode": "im"}
    (path / "manifest.json").write_text(json.dumps(manifest))
    (path / "celld.json").write_text(json.dumps({"cell": {"ues": [{"name": "ue1"}, {"name": "ue2"}]}}))
    (path / "file.iperf3.json").write_text(json.dumps({"end": {"sum_received": {"bytes": 500_000}}}))
    (path / "counters.json").unlink()
    return path


def test_a_file_by_iperf3_to_one_of_two_ues(tmp_path: Path) -> None:
    path = iperf3_run(tmp_path)
    drops = [(DL, 0, 2), (DL, 0, 1), (UL, 2, 0), (UL, 1, 0), (DL, 0, 2)]
    rows = [{"t_ns": START_NS + i, "event": RLC_DISCARD, "dir": d, "node": node, "peer": peer, "aux": 1}
            for i, (d, node, peer) in enumerate(drops)]  # fmt: skip
    (path / "radio.trace").write_bytes(trace_bytes("radio", RADIO_FIELDS, RADIO_SYMBOLS, rows, 48))
    row = compute(read_bundle(path))[0]
    assert (row["transfer_bytes"], row["transfer_payload_kbps"], row["goodput_iperf3_mbps"]) == (500_000, 40, 0.04)
    assert "goodput_stream_mbps" not in row and "tcp_retransmissions" not in row
    assert (row["sdus_discarded_dl"], row["sdus_discarded_ul"], row.get("sdus_discarded_share")) == (2, 1, None)


def test_without_a_count_of_what_was_sent_again_there_is_none(tmp_path: Path) -> None:
    path = write(tmp_path)
    stats = json.loads((path / "radio.json").read_text())
    (path / "radio.json").write_text(json.dumps({key: value for key, value in stats.items() if key != "rlc_retx"}))
    assert compute(read_bundle(path))[0]["rlc_transmissions_per_pdu"] == 1
