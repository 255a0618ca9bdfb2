# SPDX-License-Identifier: GPL-2.0-or-later
"""Every metric of a run, against values worked out by hand from synthetic_bundle's timeline."""

from __future__ import annotations

import json
import os
import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from synthetic_bundle import (
    COOKIE,
    MS,
    PAYLOAD,
    START_NS,
    Cell,
    radio_trace_bytes,
    tcp_packet,
    write_bundle,
    write_pcap,
)

from cellbed_analysis.metrics import radio, runs
from cellbed_analysis.metrics.cache import checksum
from cellbed_analysis.metrics.catalog import METRICS
from cellbed_analysis.metrics.flows import answered
from cellbed_analysis.metrics.identity import scalars, swept_point
from cellbed_analysis.metrics.lateness import lateness_metrics
from cellbed_analysis.metrics.reference import markdown
from cellbed_analysis.metrics.rows import compute, flatten
from cellbed_analysis.metrics.run import analyse
from cellbed_analysis.metrics.runs import analyse_all
from cellbed_analysis.metrics.throughput import goodput_metrics, iperf3_agreement
from cellbed_analysis.metrics.window import Window, evaluated_window
from cellbed_analysis.radio.packet_path import RadioLog, packet_paths, uplink_pdus
from cellbed_analysis.report.why import why
from cellbed_analysis.tcp.segment import RTT_PARTS
from cellbed_formats.bundle import Bundle, read_bundle
from cellbed_formats.flow import Flow
from cellbed_formats.trace import read_trace

PERIOD_MS = 31  # request to request: data 14.75, ACK 29.75, ready 0.3 ms later, next TTI


@pytest.fixture(scope="module")
def row(dm_dm: Bundle) -> dict[str, Any]:
    return compute(dm_dm)[0]


@pytest.fixture(scope="module")
def im_row(im_im: Bundle) -> dict[str, Any]:
    return compute(im_im)[0]


def flow(duration_s: float) -> Flow:
    end_ns = START_NS + round(duration_s * 1e9)
    return Flow("f", "iperf3", "ue1", "ue2", 1, 2, 5201, START_NS, end_ns)


@pytest.mark.parametrize(("duration_s", "warm_up_s"), [(60, 5), (25, 5), (10, 2), (6, 1.2)])
def test_warm_up_is_5_s_or_a_fifth(duration_s: float, warm_up_s: float) -> None:
    window = evaluated_window(bundle_of({}), flow(duration_s))
    assert window.start_ns - START_NS == warm_up_s * 1e9
    assert window.seconds == pytest.approx(duration_s - warm_up_s)


def bundle_of(evaluate: dict[str, float]) -> Bundle:
    return Bundle(Path("b"), {"clock": {"start_ns": START_NS}, "evaluate": evaluate})


@pytest.mark.parametrize(("evaluate", "span_s"), [
    ({"from_s": 1}, (1, 10)), ({"to_s": 8}, (2, 8)), ({"from_s": 3, "to_s": 4}, (3, 4)), ({"to_s": 80}, (2, 10)),
    ({"from_s": 20}, (10, 10)), ({"from_s": 0}, (0, 10)),
])
def test_a_scenario_chooses_its_window(evaluate: dict[str, float], span_s: tuple[float, float]) -> None:
    window = evaluated_window(bundle_of(evaluate), flow(10))
    assert ((window.start_ns - START_NS) / 1e9, (window.end_ns - START_NS) / 1e9) == span_s


def test_a_window_is_half_open() -> None:
    frame = pl.DataFrame({"t": [9, 10, 19, 20]})
    assert Window(10, 20).cut(frame, "t")["t"].to_list() == [10, 19]


def test_rtt(row: dict[str, Any]) -> None:
    # Captured 0.23 ms before the request and 0.01 ms after 29.75: 29.99 ms.
    for name in ("mean", "p50", "p99", "min", "max", "first_mean"):
        assert row[f"rtt_{name}_ms"] == pytest.approx(29.99), name
    assert row["rtt_std_ms"] == pytest.approx(0, abs=1e-6)
    assert row["rtt_mean_ms_low"] == pytest.approx(29.99)
    # Requests at 20 ms + 31 k: the 39th at 1229 ms to the 192nd at 5972 ms lie in 1.2..6 s.
    assert row["segments"] == 154
    assert row["retransmitted_segments"] == 0
    assert (row["flight_mean_bytes"], row["flight_max_bytes"]) == (PAYLOAD, PAYLOAD)


def test_mean_parts_add_up_to_the_mean_rtt(row: dict[str, Any], im_row: dict[str, Any]) -> None:
    for metrics in (row, im_row):
        total = sum(metrics[f"part_{part}_ms"] for part in RTT_PARTS)
        assert total == pytest.approx(metrics["rtt_mean_ms"])
        assert metrics["parts_segments_share"] == 1
        assert all(metrics[f"part_{part}_std_ms"] == pytest.approx(0, abs=1e-9) for part in RTT_PARTS)


def test_goodput(row: dict[str, Any]) -> None:
    # ACKs of 155 segments leave the receiver inside the window (the first one belongs to a
    # segment sent just before it).
    assert row["goodput_mbps"] == pytest.approx(155 * PAYLOAD * 8 / 4.8 / 1e6)
    assert row["goodput_difference_pct"] == 0
    # 193 segments were sent in 6 s, the first holds iperf3's cookie only.
    assert row["goodput_iperf3_mbps"] == pytest.approx(192 * PAYLOAD * 8 / 6 / 1e6)


def test_what_is_confirmed_as_the_window_begins_is_in_it(tmp_path: Path) -> None:
    """ACKs of one segment each, at 0, 1 and 2 s; the window is from 1 s on, to before 2 s."""
    path = write_bundle(tmp_path, duration_s=2)
    acks = [(START_NS + n * 10**9, tcp_packet(False, 0, 1 + (n + 1) * PAYLOAD, 0)) for n in range(3)]
    for node in ("ue1", "ue2"):
        write_pcap(path / f"ip-{node}.pcap", [(START_NS, tcp_packet(True, 1, 0, PAYLOAD)), *acks])
    bundle = read_bundle(path)
    window = Window(START_NS + 10**9, START_NS + 2 * 10**9)
    assert goodput_metrics(bundle, bundle.flows[0], window)["goodput_mbps"].value == pytest.approx(PAYLOAD * 8 / 1e6)


@pytest.mark.parametrize(("data", "acks"), [(True, True), (True, False), (False, True)])
def test_a_connection_is_answered_where_both_ends_have_data_and_acks(tmp_path: Path, data: bool, acks: bool) -> None:
    path = write_bundle(tmp_path, duration_s=2)
    there = [(START_NS, tcp_packet(True, 1, 0, PAYLOAD))] if data else []
    back = [(START_NS + 10**7, tcp_packet(False, 0, 1 + PAYLOAD, 0))] if acks else []
    for node in ("ue1", "ue2"):
        write_pcap(path / f"ip-{node}.pcap", there + back)
    bundle = read_bundle(path)
    assert answered(bundle, bundle.flows[0]) == (data and acks)


def test_iperf3_that_counts_less_shows() -> None:
    report = {"end": {"sum_received": {"bytes": 1000, "bits_per_second": 8e6}}}
    found = iperf3_agreement(report, 1000 + COOKIE + 10)
    assert found == {"goodput_iperf3_mbps": 8.0, "goodput_difference_pct": 1.0}


def test_probe_agrees_with_the_capture(row: dict[str, Any]) -> None:
    # synthetic_bundle adds 7 us to each kernel sample.
    assert row["probe_rtt_mean_ms"] == pytest.approx(29.99 + 0.007)
    assert row["probe_difference_p50_us"] == pytest.approx(7)
    assert row["probe_difference_max_us"] == pytest.approx(7)
    assert row["probe_within_bound_share"] == 1
    assert row["probe_rtt_samples"] == 154
    assert row["probe_srtt_mean_ms"] == pytest.approx(29.99 + 0.007)
    assert (row["cwnd_mean_pkts"], row["probe_lost"]) == (10, 0)


def test_probe_that_disagrees_shows(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, probe_extra_us=500, duration_s=2)
    assert compute(read_bundle(path))[0]["probe_within_bound_share"] == 0


def test_one_way_delays(row: dict[str, Any], im_row: dict[str, Any]) -> None:
    assert row["data_delay_mean_ms"] == pytest.approx(14.97)  # from -0.22 to 14.75
    assert row["ack_delay_mean_ms"] == pytest.approx(14.99)  # from 14.76 to 29.75
    assert row["data_first_hop_mean_ms"] == pytest.approx(14.97)
    assert row.get("data_downlink_mean_ms") is None
    assert im_row["data_delay_mean_ms"] == pytest.approx(19.97)
    assert im_row["data_first_hop_mean_ms"] == pytest.approx(14.97)
    assert im_row["data_downlink_mean_ms"] == pytest.approx(5)
    assert im_row["ack_delay_mean_ms"] == pytest.approx(13.99)  # stolen: 5 + 3.75 + 5


def test_access_in_direct_mode(row: dict[str, Any]) -> None:
    assert row["data_rac_per_packet"] == 1
    assert row["data_rac_interval_min_ms"] == PERIOD_MS
    assert row["data_rac_timeouts"] == 0
    assert row["data_packets_per_tti_mean"] == 1
    assert row["data_rlc_wait_mean_ms"] == pytest.approx(0.22)
    for side in ("data", "ack"):
        assert row[f"{side}_stolen_share"] == 0
        assert f"{side}_stolen_per_bsr_max" not in row
        assert row[f"{side}_trailing_bsr_share"] == 0
        assert row[f"{side}_trailing_grant_share"] == 0
        assert row[f"{side}_blocked_share"] == 0
        assert row[f"{side}_joined_share"] == 0


def test_stealing_of_acks(im_row: dict[str, Any]) -> None:
    assert im_row["ack_stolen_share"] == 1
    assert (im_row["ack_stolen_per_bsr_mean"], im_row["ack_stolen_per_bsr_max"]) == (1, 1)
    assert im_row["data_stolen_share"] == 0


def test_sizes(row: dict[str, Any]) -> None:
    # 40 bytes of IP and TCP, 2 each of PDCP, RLC and MAC.
    assert row["ack_mac_bytes"] == 46
    assert row["data_mac_bytes"] == 1506
    assert row["ack_rar_grant_bytes"] == 89


def test_backlog(row: dict[str, Any]) -> None:
    # 1502 bytes from -0.22 to 11 ms of every 31 ms.
    assert row["data_backlog_mean_bytes"] == pytest.approx(1502 * 11.22 / PERIOD_MS, rel=0.01)
    assert row["data_backlog_max_bytes"] == 1502


def test_a_backlog_that_ends_as_the_window_begins_is_not_in_it() -> None:
    rows = {"event": ["buffer"] * 3, "node": [1] * 3, "t_ns": [0, 100, 150], "bytes": [900, 0, 300]}
    log = RadioLog(pl.DataFrame(rows))
    for start_ns, mean_bytes, max_bytes in ((100, 150, 300), (50, (900 * 50 + 300 * 50) / 150, 900), (150, 300, 300)):
        found = radio.backlog_metrics(log, 1, Window(start_ns, 200))
        assert found == {"backlog_mean_bytes": pytest.approx(mean_bytes), "backlog_max_bytes": max_bytes}


def test_cell(row: dict[str, Any], im_row: dict[str, Any]) -> None:
    assert row["cqi_min"] == 15
    assert row["dropped_queue_full_pkts"] == 0
    # Sidelink blocks of 1551: data leave 45 bytes, ACKs 1505; as many of one as of the other.
    assert row["padding_sl_share"] == pytest.approx((45 + 1505) / (2 * 1551), rel=0.01)
    assert "padding_dl_share" in im_row


def test_timeline_points(row: dict[str, Any], im_row: dict[str, Any]) -> None:
    assert row["timeline_segments"] == 154
    names = ("bsr_tx", "bsr_rx", "data_tx", "data_rx", "data_out", "ack_out")
    assert [row[f"timeline_{name}_ms"] for name in names] == [5, 8.75, 11, 14.75, 14.75, 29.75]
    assert im_row["timeline_data_out_ms"] == 19.75
    # RAC wait 0.22 and 0.24, and 8.75 on each hop, of the 29.97 ms from entry to delivery.
    assert row["timeline_access_share"] == pytest.approx(17.96 / 29.97)


def test_drops_by_reason(tmp_path: Path) -> None:
    cell = Cell()
    for i, value in enumerate((1, 1, 2, 5)):
        cell.add(START_NS + i, "pkt_drop", node=1, pkt=i, value=value)
    path = tmp_path / "radio.trace"
    path.write_bytes(radio_trace_bytes(cell.rows))
    log = RadioLog(read_trace(path))
    found = radio.cell_metrics(log, {1: "queue_full", 2: "radio_loss", 5: "shutdown"}, Window(0, 10**12))
    assert found["dropped_queue_full_pkts"] == 2
    assert found["dropped_radio_loss_pkts"] == 1
    assert found["dropped_shutdown_pkts"] == 1
    assert found["dropped_rlc_discard_pkts"] == 0


@pytest.mark.parametrize("reason", [*radio.DROP_REASONS, *radio.RARE_DROP_REASONS])
def test_each_reason_of_a_drop_has_a_metric(reason: str) -> None:
    """Rare ones only where they were."""
    assert radio.drops_by_reason({reason: 3})[f"dropped_{reason}_pkts"] == 3
    assert f"dropped_{reason}_pkts" in METRICS
    assert radio.drops_by_reason({}).get(f"dropped_{reason}_pkts", 0) == 0
    assert ("dropped_flush_pkts" in radio.drops_by_reason({reason: 3})) == (reason == "flush")


def test_what_the_daemon_counted_of_blocks() -> None:
    stats = {"control_missed": 6, "radio_link_failures": 1,
             "ul": {"mac_pdus": 90, "mac_bytes": 9000, "harq_retx": 10, "harq_failures": 2},
             "dl": {"mac_pdus": 75, "mac_bytes": 150_000, "harq_retx": 25, "harq_failures": 3}}  # fmt: skip
    assert radio.control_metrics(stats) == {
        "control_missed_ttis": 6, "radio_link_failures": 1, "harq_failures_ul": 2, "harq_failures_dl": 3,
        "harq_retx_ul_share": 0.1, "harq_retx_dl_share": 0.25, "blocks_dl": 75, "block_dl_mean_bytes": 2000,
    }  # fmt: skip
    assert set(radio.control_metrics({}).values()) == {None}


def test_how_late_the_daemon_was(dm_dm: Bundle) -> None:
    assert lateness_metrics(dm_dm) == {"lateness_p50_us": 4, "lateness_p99_us": 40, "lateness_p999_us": 90,
                                       "lateness_max_us": 130, "missed_ttis": 0}  # fmt: skip


def test_trailing_shares(tmp_path: Path) -> None:
    """Of two data PDUs one carries a BSR that the eNB hears and grants for."""
    cell = Cell()
    cell.carry(1, "DM", START_NS + 10 * MS, 1500, tag=1)
    pkt = {"pkt": 2, "tag": 2, "bytes": 1500}
    cell.add(START_NS + 14 * MS, "pkt_in", node=1, peer=2, dir="sl", **pkt)
    cell.add(START_NS + 21 * MS, "bsr_tx", node=1, bytes=1502, dir="sl")
    cell.add(START_NS + 24 * MS + 750_000, "bsr_rx", peer=1, dir="sl", block=cell.blocks)
    cell.add(START_NS + 25 * MS, "grant", peer=1, dir="sl", value=2)
    cell._send(START_NS + 27 * MS, 1, 2, "sl", 1551, 1500, pkt)
    path = tmp_path / "radio.trace"
    path.write_bytes(radio_trace_bytes(cell.rows))
    log = RadioLog(read_trace(path))
    window = Window(START_NS, START_NS + 10**9)
    found = flatten(radio.access_metrics(log, 1, packet_paths(log, 2), uplink_pdus(log, 1), window))
    assert found["granted_pdus"] == 2
    assert found["trailing_bsr_share"] == 0.5
    assert found["trailing_grant_share"] == 0.5
    assert found["rac_per_packet"] == 0.5


def test_what_happens_to_other_ues_is_not_counted(tmp_path: Path) -> None:
    """Each of two UEs sends preambles that nobody answers."""
    cell = Cell()
    cell.carry(1, "DM", START_NS + 10 * MS, 1500, tag=1)
    for ue, n in ((1, 1), (2, 2)):
        for i in range(n):
            cell.add(START_NS + (40 + 20 * i) * MS, "ra_preamble", node=ue, value=1)
            cell.add(START_NS + (50 + 20 * i) * MS, "ra_timeout", node=ue, value=5)
    cell.rows.sort(key=lambda row: row["t_ns"])
    path = tmp_path / "radio.trace"
    path.write_bytes(radio_trace_bytes(cell.rows))
    log, window = RadioLog(read_trace(path)), Window(START_NS, START_NS + 10**9)
    for ue, requests in ((1, 2), (2, 2)):
        found = flatten(radio.access_metrics(log, ue, packet_paths(log, 2), uplink_pdus(log, ue), window))
        assert (found["rac_requests"], found["rac_timeouts"]) == (requests, ue)
    with warnings.catch_warnings(action="error"):  # requests without a packet in the window
        nothing = packet_paths(log, 2).clear()
        assert flatten(radio.access_metrics(log, 2, nothing, uplink_pdus(log, 2), window))["rac_requests"] == 2


def test_identity_and_parameters(row: dict[str, Any]) -> None:
    assert row["combination"] == "DM-DM"
    assert row["receive_window_bytes"] == 8192
    assert (row["kernel"], row["wall_s"], row["created"]) == ("6.12.0-cellbed", 1.5, "2026-01-01T00:00:00+00:00")
    assert row["congestion_control"] == "reno"
    assert row["param.radio.ues.ue1.mode"] == "dm"
    assert (row["usable"], row["validity"], row["lab"]) == (True, "valid", "virtual")
    assert dict(scalars({"a": {"b": 1, "c": [2, 3]}})) == {"a.b": 1, "a.c.0": 2, "a.c.1": 3}


def test_every_metric_is_in_the_catalog(row: dict[str, Any], im_row: dict[str, Any]) -> None:
    known = set(METRICS)
    known |= {f"{m.name}_{end}" for m in METRICS.values() if m.interval for end in ("low", "high")}
    unknown = {k for k in row | im_row if not k.startswith("param.")} - known
    assert not unknown


def test_the_document_lists_the_catalog() -> None:
    document = Path(__file__).parents[3] / "docs" / "metrics.md"
    assert document.read_text() == markdown()


def test_derived_files_are_reused_until_something_changes(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, duration_s=2)
    first = analyse(read_bundle(path))
    kept = path / "derived" / "metrics.json"
    marked = json.loads(kept.read_text())
    marked["row"]["segments"] = -1
    kept.write_text(json.dumps(marked | {"sum": checksum(marked["row"])}))
    assert analyse(read_bundle(path)).row["segments"] == -1
    # Another capture in the same place: computed again.
    other = write_bundle(tmp_path, "IM-IM", duration_s=2)
    shutil.copy(other / "ip-ue1.pcap", path / "ip-ue1.pcap")
    assert analyse(read_bundle(path)).row["segments"] != -1
    assert first.row["segments"] > 0


def test_kept_rows_that_were_damaged_are_calculated_again(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, duration_s=2)
    first = analyse(read_bundle(path)).row
    kept = path / "derived" / "metrics.json"
    known = json.loads(kept.read_text())
    for damaged in ({"row": known["row"] | {"segments": -1}}, {"others": [{"segments": -1}]}, {"sum": None}):
        kept.write_text(json.dumps(known | damaged))
        again = analyse(read_bundle(path))
        assert again.row["segments"] == first["segments"] and len(again.rows) == 1


def test_only_the_newest_of_runs_with_one_name_counts(tmp_path: Path) -> None:
    """A daemon rebuilt between two runs, or an override: same variant and seed, another run."""
    for folder, created in (("old", "2026-01-01"), ("new", "2026-02-01")):
        write_bundle(tmp_path / folder, duration_s=2, created=created)
    late = {"verdict": "invalid", "reasons": []}
    write_bundle(tmp_path / "late", duration_s=2, created="2026-03-01", validity=late)
    write_bundle(tmp_path / "other", duration_s=2, window="16KiB", created="2026-01-01")  # another point
    paths = [next((tmp_path / folder).iterdir()) for folder in ("old", "new", "late", "other")]
    runs = analyse_all([read_bundle(path) for path in paths])
    assert [run.row["status"] for run in runs] == ["superseded", "usable", "invalid", "usable"]
    assert runs[0].reasons[0].startswith("superseded by DM-DM-8KiB-seed1-")
    assert not runs[0].usable


def test_many_runs_are_analysed_side_by_side_with_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundles = [read_bundle(write_bundle(tmp_path, seed=seed, duration_s=1)) for seed in (3, 1, 4, 2)]
    (bundles[2].path / "radio.trace").unlink()
    alone = [analyse(bundle) for bundle in bundles]
    for bundle in bundles:
        shutil.rmtree(bundle.path / "derived", ignore_errors=True)
    monkeypatch.setattr(runs, "RUNS_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    together = analyse_all(bundles)
    assert [(r.row, r.problem) for r in together] == [(r.row, r.problem) for r in alone]
    assert [r.usable for r in together] == [True, True, False, True]
    assert (bundles[0].path / "derived" / "metrics.json").exists()


def test_other_swept_parameters_name_the_point() -> None:
    params = {"radio.ues.ue1.mode": "im", "tcp.receive_window": 8192, "tcp.mss": 536, "radio.mac.trailing_bsr": False}
    assert swept_point(params) == "mss=536, trailing_bsr=False"
    # Keys that end alike are two parameters: named by their end only, runs of different points would be averaged.
    two = {"radio.ues.ue1.cqi_ul": 9, "radio.ues.ue2.cqi_ul": 15, "radio.ues.ue1.mode": "im"}
    assert swept_point(two) == "ue1.cqi_ul=9, ue2.cqi_ul=15"
    assert swept_point({"radio.ues.ue1.mode": "im"}) == ""


def test_headers_are_measured_on_whichever_packet_was_alone(tmp_path: Path) -> None:
    """A SYN-ACK of 48 bytes alone, ACKs of 40 always two to a PDU: 40 and 6 of headers."""
    cell = Cell()
    cell.carry(2, "DM", START_NS + 10 * MS, 48, tag=1)
    for k in range(3):
        cell.carry(2, "DM", START_NS + (50 + 40 * k) * MS, 40, tag=2)
        sent = START_NS + (61 + 40 * k) * MS
        cell.add(START_NS + (51 + 40 * k) * MS, "pkt_in", node=2, peer=1, dir="sl", pkt=100 + k, bytes=40)
        cell.add(sent, "rlc_tx", node=2, peer=1, dir="sl", aux=1, value=42, pkt=100 + k, block=cell.blocks)
    path = tmp_path / "radio.trace"
    path.write_bytes(radio_trace_bytes(cell.rows))
    log = RadioLog(read_trace(path))
    lives, pdus = packet_paths(log, 2), uplink_pdus(log, 2)
    assert radio.size_metrics(log, 2, lives, pdus)["mac_bytes"] == 46
    # A long packet has a longer length field: nothing can be said from it.
    cell.rows = [r | ({"bytes": 1500} if r.get("bytes") == 48 else {}) for r in cell.rows]
    path.write_bytes(radio_trace_bytes(cell.rows))
    log = RadioLog(read_trace(path))
    assert "mac_bytes" not in radio.size_metrics(log, 2, packet_paths(log, 2), uplink_pdus(log, 2))


def test_a_bundle_that_does_not_read_keeps_its_identity_and_problem(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, duration_s=2)
    trace = path / "radio.trace"
    trace.write_bytes(trace.read_bytes()[:-1])
    run = analyse(read_bundle(path))
    assert not run.readable
    assert run.problem is not None and "truncated" in run.problem
    assert run.row["combination"] == "DM-DM"
    assert "rtt_mean_ms" not in run.row


def test_rate_of_events_has_no_value_without_packets() -> None:
    found = radio._ratio_of_events(Window(0, 1), np.array([], dtype=np.int64), np.array([], dtype=np.int64))
    assert np.isnan(found.value)


def test_a_flow_from_a_server(tmp_path: Path) -> None:
    """Data enter at the eNB, so their side has no random access; the ACKs' side has."""
    path = write_bundle(tmp_path, "IM-IM", duration_s=2, steal=False)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["flows"][0] |= {"from": "server"}
    (path / "manifest.json").write_text(json.dumps(manifest))
    (path / "ip-ue1.pcap").rename(path / "ip-server.pcap")
    (path / "celld.json").write_text(json.dumps({"cell": {"ues": [{"name": "other"}, {"name": "ue2"}]}}))
    log = read_trace(path / "radio.trace")
    into = log.filter((pl.col("event") == "pkt_in") & (pl.col("node") == 1))
    out = log.filter((pl.col("event") == "pkt_out") & (pl.col("peer") == 1))
    rest = log.filter((pl.col("node") != 1) & (pl.col("peer") != 1) | ((pl.col("node") == 2) | (pl.col("peer") == 2)))
    kept = pl.concat(
        [
            into.with_columns(node=pl.lit(0, into["node"].dtype)),
            out.with_columns(peer=pl.lit(0, out["peer"].dtype)),
            rest.join(out, on=["t_ns", "event", "pkt"], how="anti"),
        ]
    ).sort("t_ns")
    rows = [row | {"event": str(row["event"]), "dir": str(row["dir"])} for row in kept.iter_rows(named=True)]
    (path / "radio.trace").write_bytes(radio_trace_bytes(rows))
    found, segments = compute(read_bundle(path))
    assert found["data_packets"] == len(segments.filter(pl.col("out_ns") >= START_NS + 400 * MS))
    # It enters 0.22 ms before time 0; at the eNB all waiting is for the downlink: sent at 16, decoded at 19.75.
    assert found["part_data_dl_wait_ms"] == pytest.approx(16.22)
    assert found["part_data_dl_ms"] == pytest.approx(3.75)
    assert found["data_delay_mean_ms"] == found["data_downlink_mean_ms"] == pytest.approx(19.97)
    assert "data_rac_requests" not in found
    assert found["ack_rac_per_packet"] == 1
    assert found["combination"] is None
    assert sum(found[f"part_{part}_ms"] for part in RTT_PARTS) == pytest.approx(found["rtt_mean_ms"])
    # The qdisc of a link delays a packet before a capture sees it: what the sender's TCP waits for is longer.
    # A segment of 1500 bytes and 14 of Ethernet takes 1 ms at that rate.
    settings = manifest["description"]["settings"]
    settings["links"] = [{"a": "enb", "b": "server", "delay_ms": 2.5, "rate": 12112000}, {"a": "other", "b": "enb"}]
    (path / "manifest.json").write_text(json.dumps(manifest))
    wired, _ = compute(read_bundle(path))
    assert wired["rtt_mean_ms"] == pytest.approx(found["rtt_mean_ms"] + 3.5)
    assert wired["part_host_tx_ms"] == pytest.approx(found["part_host_tx_ms"] + 3.5)
    assert wired["goodput_mbps"] == pytest.approx(found["goodput_mbps"])
    told = str(why(read_bundle(path), 1))
    assert "sender's host and wires to the radio" in told and "receiver's host and TCP" in told
    assert "wires, receiver's host" not in told
    assert "time from the entry into the buffer (ms)" in told  # the eNB asks nobody for the downlink


def test_seeds_of_another_configuration_are_not_averaged(tmp_path: Path) -> None:
    """Seed 1 as the scenario has it, seeds 2 and 3 with an override: the name is the same, the experiment is not."""
    for folder, seed, lead in (("a", 1, 250), ("b", 2, 500), ("c", 3, 500)):
        path = write_bundle(tmp_path / folder, duration_s=2, seed=seed, created=f"2026-01-0{seed}")
        manifest = json.loads((path / "manifest.json").read_text())
        manifest["description"]["settings"]["radio"]["timing"] = {"processing_lead_us": lead}
        manifest["description"]["settings"]["capture"] = {"radio": seed != 3}  # keeps less, measures the same
        (path / "manifest.json").write_text(json.dumps(manifest))
    runs = analyse_all([read_bundle(next((tmp_path / folder).iterdir())) for folder in "abc"])
    assert [run.row["status"] for run in runs] == ["superseded", "usable", "usable"]
    assert runs[0].reasons[0].endswith("of that name with radio.timing.processing_lead_us=500 instead of 250")


def test_start_times_that_seeds_draw_are_no_difference(tmp_path: Path) -> None:
    for seed in (1, 2):
        path = write_bundle(tmp_path / str(seed), duration_s=2, seed=seed)
        manifest = json.loads((path / "manifest.json").read_text())
        manifest["description"]["settings"]["traffic"] = [{"id": "file", "start_jitter_s": 1, "start_s": 0.3 * seed}]
        (path / "manifest.json").write_text(json.dumps(manifest))
    runs = analyse_all([read_bundle(next((tmp_path / str(seed)).iterdir())) for seed in (1, 2)])
    assert [run.row["status"] for run in runs] == ["usable", "usable"]
