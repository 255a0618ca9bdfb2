# SPDX-License-Identifier: GPL-2.0-or-later
"""What runs have instead of a captured iperf3 flow: streams, flows that no scenario names, no captures, no flow."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from synthetic_bundle import write_bundle

from cellbed_analysis.metrics import runs
from cellbed_analysis.metrics.rows import compute
from cellbed_analysis.metrics.run import analyse
from cellbed_formats.bundle import Bundle, read_bundle
from cellbed_formats.error import DataError


def rewritten(path: Path, **settings: Any) -> Bundle:
    """The bundle with other settings of its run."""
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["description"]["settings"] |= settings
    (path / "manifest.json").write_text(json.dumps(manifest))
    return read_bundle(path)


STREAM = {"connected_s": 0.1, "received_bytes": 270_000, "duration_s": 1.8, "sent_bytes": 280_000}


def of_stream(results: Path, **facts: Any) -> Bundle:
    """A flow of the lab's own program over TCP."""
    path = write_bundle(results, duration_s=2)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["flows"][0]["kind"] = "stream"
    (path / "manifest.json").write_text(json.dumps(manifest))
    (path / "file.stream.json").write_text(json.dumps(STREAM | facts))
    return read_bundle(path)


def test_a_stream_says_what_its_receiver_got(tmp_path: Path) -> None:
    row = compute(of_stream(tmp_path))[0]
    assert row["goodput_stream_mbps"] == pytest.approx(1.2)
    assert "goodput_iperf3_mbps" not in row and row["goodput_mbps"] > 0


def test_a_handshake_that_never_ends_sends_nothing(tmp_path: Path) -> None:
    row, segments = compute(of_stream(tmp_path, connected_s=None, received_bytes=0))
    assert (row["ip_throughput_mbps"], row["ip_sent_pkts"], row["ip_lost_pkts"], row["ip_lost_pct"]) == (0, 0, 0, 0)
    assert row["goodput_stream_mbps"] == 0 and segments.is_empty() and "rtt_mean_ms" not in row


@pytest.mark.parametrize(("kind", "metric", "mbps"), [
    ("stream", "goodput_stream_mbps", 1.2), ("iperf3", "goodput_iperf3_mbps", 24 * 8e-6 / 2)])
def test_without_captures_programs_count(tmp_path: Path, kind: str, metric: str, mbps: float) -> None:
    bundle = of_stream(tmp_path)
    bundle.manifest["flows"][0]["kind"] = kind
    report = {"end": {"sum_received": {"bytes": 24, "bits_per_second": 24 * 8 / 2, "seconds": 2}}}
    (bundle.path / "file.iperf3.json").write_text(json.dumps(report))
    (bundle.path / "manifest.json").write_text(json.dumps(bundle.manifest))
    row = compute(rewritten(bundle.path, capture={"ip": False}))[0]
    assert row[metric] == pytest.approx(mbps)
    assert row["probe_lost"] == 0 and "rtt_mean_ms" not in row


def found_flow(results: Path) -> Bundle:
    """The same packets, of a flow that no scenario names."""
    path = write_bundle(results, duration_s=2, flows=[])
    return rewritten(path, nodes={"ue1": {"address": "10.45.0.1/24"}, "ue2": {"address": "10.45.0.2/24"}})


def test_a_flow_that_no_scenario_names_has_what_captures_say(tmp_path: Path) -> None:
    bundle = found_flow(tmp_path)
    row = compute(bundle)[0]
    assert row["flow"] == "ue1:40002-ue2:5201" and row["rtt_p50_ms"] == pytest.approx(29.99)
    assert row["goodput_mbps"] > 0 and "goodput_iperf3_mbps" not in row and "goodput_difference_pct" not in row


def test_a_run_without_any_flow_says_why(tmp_path: Path) -> None:
    bundle = found_flow(tmp_path)
    for node in ("ue1", "ue2"):
        (bundle.path / f"ip-{node}.pcap").unlink()
    (bundle.path / "tcp.trace").unlink()
    with pytest.raises(DataError, match="no flow is known: the scenario names none"):
        compute(Bundle(bundle.path, bundle.manifest))


def test_traces_of_events_have_no_access_metrics(tmp_path: Path) -> None:
    full, events = (compute(rewritten(write_bundle(tmp_path / kind, duration_s=2), capture={"radio_trace": kind}))[0]
                    for kind in ("full", "events"))
    assert full["data_rac_per_packet"] == 1 and "data_rac_per_packet" not in events
    assert full["rtt_mean_ms"] == events["rtt_mean_ms"]


def test_segments_are_read_anew_where_none_are_kept(tmp_path: Path) -> None:
    run = analyse(read_bundle(write_bundle(tmp_path, duration_s=2)))
    kept = run.segments()
    assert len(kept) > 0
    shutil.rmtree(run.bundle.path / "derived")
    assert run.segments().equals(kept) and run.segments("file").equals(kept)
    assert run.segments("other").is_empty()


def test_another_process_hands_back_what_this_one_would(tmp_path: Path) -> None:
    bundle = read_bundle(write_bundle(tmp_path, duration_s=1))
    row, problem, others = runs._rows_of(bundle)
    assert (row, problem, others) == (analyse(bundle).row, None, ())


def test_a_worker_ends_with_its_parent(tmp_path: Path) -> None:
    """The parent starts one and is killed: what the worker holds open is closed at once."""
    held, write = os.pipe()
    parent = os.fork()
    if parent == 0:
        if os.fork() == 0:
            runs._end_with_parent()
            os.write(write, b"x")
            time.sleep(60)
            os._exit(0)
        os.close(write)
        time.sleep(60)
        os._exit(0)
    os.close(write)
    assert os.read(held, 1) == b"x"
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    began = time.monotonic()
    assert os.read(held, 1) == b"" and time.monotonic() - began < 20
    os.close(held)
