# SPDX-License-Identifier: GPL-2.0-or-later
"""Each format by a reader that is not ours, where there is one to install, and by the numbers in it."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import synthetic_bundle as made
from synthetic_bundle import ISN_DATA, MS, OFFSET_NS, START_NS, Cell, address, tcp_packet, trace_bytes

from cellbed_analysis.export import FORMATS
from cellbed_analysis.export.write import export
from cellbed_analysis.tcp.connection import relative
from cellbed_formats.bundle import Bundle, read_bundle
from cellbed_formats.error import DataError

N, SIZE, STEP_MS = 50, 1500, 20
EVENTS = (*made.EVENTS, "rrc", "radio_link_failure")
SYMBOLS = made.RADIO_SYMBOLS | {
    "event": {str(i): name for i, name in enumerate(EVENTS)}, "rrc": {"6": "detach"}, "mode": {"0": "im", "1": "dm"},
}  # fmt: skip
DETACH_MS, FAILURE_MS, SWITCH_MS = 301, 501, 701


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    """ue1 sends 50 packets of 1500 bytes to ue2, one every 20 ms, each 15 ms under way; the tenth is lost."""
    path = made.write_bundle(tmp_path / "results", duration_s=0.2)
    cell, samples, packets = Cell(), [], []
    for i in range(N):
        at, seq = START_NS + i * STEP_MS * MS, (ISN_DATA + 1 + i * 1448) % 2**32
        ids = {"pkt": i + 1, "bytes": SIZE}
        cell.add(at, "pkt_in", node=1, peer=2, dir="sl", **ids)
        packets.append((at, tcp_packet(True, seq, 1, 1448)))
        samples.append({"t_ns": at, "kind": 1, "len": 1448, "seq": seq, "snd_una": seq})
        if i == 9:
            cell.add(at + 15 * MS, "pkt_drop", node=1, peer=2, dir="sl", value=2, **ids)
            continue
        cell.add(at + 14 * MS, "mac_rx", node=2, peer=1, dir="sl", bytes=1551)
        cell.add(at + 15 * MS, "pkt_out", node=2, peer=1, **ids)
        samples.append({"t_ns": at + 18 * MS, "kind": 2, "tcp_flags": 16, "snd_una": seq, "ack": (seq + 1448) % 2**32})
    for at_ms, event, value in ((DETACH_MS, "rrc", 6), (FAILURE_MS, "radio_link_failure", 0), (SWITCH_MS, "route", 1)):
        cell.add(START_NS + at_ms * MS, event, node=1, value=value)
    rows = [row | {"event": EVENTS.index(row["event"]), "dir": made.DIRS.index(row.get("dir", "ul"))}
            for row in sorted(cell.rows, key=lambda row: row["t_ns"])]
    common = {"saddr": address(made.SADDR), "daddr": address(made.DADDR), "sport": made.SPORT, "dport": made.PORT,
              "snd_cwnd": 10, "mss": 1448, "srtt_us": 30_000, "min_rtt_us": 29_000, "snd_ssthresh": 2**31 - 1}
    (path / "radio.trace").write_bytes(trace_bytes("radio", made.RADIO_FIELDS, SYMBOLS, rows, 48))
    (path / "tcp.trace").write_bytes(
        trace_bytes("tcp", made.TCP_FIELDS, made.TCP_SYMBOLS, [common | row for row in samples], 128))
    made.write_pcap(path / "ip-ue1.pcap", packets)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["description"]["settings"] |= {"nodes": {"ue1": {}, "ue2": {}}}
    manifest["description"]["settings"]["radio"]["rlc"] = {"queue_pkts": 77}
    (path / "manifest.json").write_text(json.dumps(manifest))
    return read_bundle(path)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_twice_the_same(bundle: Bundle, tmp_path: Path, name: str) -> None:
    first, second = export(bundle, name, tmp_path / "a"), export(bundle, name, tmp_path / "b")
    assert first and all(path.stat().st_size for path in first)
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def opportunities(path: Path) -> list[int]:
    """As mm-link reads a trace: one number a line, never less than the one before, the last one above 0."""
    times = [int(line) for line in path.read_text().splitlines()]
    assert times == sorted(times) and times[-1] > 0
    return times


def test_mahimahi_traces(bundle: Bundle, tmp_path: Path) -> None:
    """A packet of 1500 bytes takes just one opportunity."""
    (path,) = export(bundle, "mahimahi", tmp_path)
    assert path.name == f"{bundle.path.name}-ue1.up"
    assert opportunities(path) == [i * STEP_MS + 15 for i in range(N) if i != 9]
    (down,) = export(bundle, "mahimahi", tmp_path, "ue2")
    assert down.suffix == ".down" and opportunities(down) == opportunities(path)


def test_mahimahi_log(bundle: Bundle, tmp_path: Path) -> None:
    lines = export(bundle, "mahimahi-log", tmp_path)[0].read_text().splitlines()
    assert [line.partition(":")[0] for line in lines[1:5]] == [
        "# command line", "# queue", "# init timestamp", "# base timestamp"]
    events = [line.split() for line in lines[5:]]
    assert [int(e[0]) for e in events] == sorted(int(e[0]) for e in events)
    by_kind = {kind: [e for e in events if e[1] == kind] for kind in "+#-d"}
    assert (len(by_kind["+"]), len(by_kind["#"]), len(by_kind["-"])) == (N, N - 1, N - 1)
    assert by_kind["d"] == [["180", "d", "1", "1504"]]
    assert by_kind["-"][0] == ["15", "-", "1504", "15"] and by_kind["#"][0] == ["14", "#", "1551"]


def test_theaterq(bundle: Bundle, tmp_path: Path) -> None:
    header, *lines = export(bundle, "theaterq", tmp_path)[0].read_text().splitlines()
    assert not header[0].isdigit()
    entries = [tuple(map(int, line.split(","))) for line in lines]
    # Each 100 ms five packets; the tenth was lost in the second.
    assert entries[0] == (100_000, 15 * MS, 5 * SIZE * 80, 0, 77)
    assert entries[1] == (100_000, 15 * MS, 4 * SIZE * 80, round((2**32 - 1) / 5), 77)
    assert sum(keep for keep, *_ in entries) == 1_000_000


def test_flent(bundle: Bundle, tmp_path: Path) -> None:
    resultset = pytest.importorskip("flent.resultset")
    (path,) = export(bundle, "flent", tmp_path)
    loaded = resultset.load(str(path))
    assert (loaded.meta("NAME"), loaded.meta("TITLE")) == ("tcp_1up_noping", bundle.path.name)
    rates = [v for v in loaded.series("TCP upload") if v is not None]
    assert sum(rates) / len(rates) == pytest.approx(1448 * 8 / STEP_MS / 1000, rel=0.1)
    raw = json.loads(gzip.decompress(path.read_bytes()))["raw_values"]["TCP upload"]
    assert (raw[-1]["tcp_cwnd"], raw[-1]["tcp_rtt"]) == (10, 30.0)


@pytest.mark.parametrize("plot", ["totals", "tcp_rtt"])
def test_flent_draws_it(bundle: Bundle, tmp_path: Path, plot: str) -> None:
    program = shutil.which("flent", path=str(Path(__import__("sys").executable).parent))
    if program is None:
        pytest.skip("flent is not installed")
    (path,) = export(bundle, "flent", tmp_path)
    subprocess.run([program, "-i", path, "-p", plot, "-o", tmp_path / "plot.png"], check=True, capture_output=True)
    assert (tmp_path / "plot.png").stat().st_size > 5000


#: By the definitions of the drafts' CDDL. Source: draft-ietf-quic-qlog-main-schema-02
QLOG: dict[str, Any] = {
    "type": "object", "required": ["qlog_version", "traces"],
    "properties": {
        "qlog_version": {"const": "0.3"}, "qlog_format": {"const": "JSON"},
        "traces": {"type": "array", "minItems": 1, "items": {
            "type": "object", "required": ["vantage_point", "events"],
            "properties": {
                "vantage_point": {"type": "object", "required": ["type"], "properties": {
                    "type": {"enum": ["client", "server", "network", "unknown"]}}},
                "common_fields": {"type": "object", "properties": {
                    "time_format": {"enum": ["absolute", "delta", "relative"]},
                    "reference_time": {"type": "number"},
                    "protocol_type": {"type": "array", "items": {"type": "string"}}}},
                "events": {"type": "array", "minItems": 1, "items": {
                    "type": "object", "required": ["time", "name", "data"],
                    "properties": {"time": {"type": "number", "minimum": 0}, "data": {"type": "object"},
                                   "name": {"type": "string", "pattern": "^[a-z]+:[a-z_]+$"}},
                    "if": {"properties": {"name": {"const": "recovery:metrics_updated"}}},
                    "then": {"properties": {"data": {"additionalProperties": False, "properties": {
                        **{name: {"type": "number"} for name in ("min_rtt", "smoothed_rtt", "latest_rtt",
                                                                 "rtt_variance")},
                        **{name: {"type": "integer", "minimum": 0} for name in (
                            "congestion_window", "bytes_in_flight", "ssthresh", "packets_in_flight", "pto_count",
                            "pacing_rate")}}}}}}}}}}},
}  # fmt: skip


def test_qlog(bundle: Bundle, tmp_path: Path) -> None:
    document = json.loads(export(bundle, "qlog", tmp_path)[0].read_text())
    pytest.importorskip("jsonschema").validate(document, QLOG)
    (trace,) = document["traces"]
    assert trace["common_fields"]["reference_time"] == (START_NS + OFFSET_NS) / 1e6
    metrics = [event for event in trace["events"] if event["name"] == "recovery:metrics_updated"]
    assert metrics[0]["data"]["congestion_window"] == 14480 and "ssthresh" not in metrics[0]["data"]
    assert len(metrics) == 1  # nothing else changed
    assert [(event["time"], event["name"]) for event in trace["events"] if event["name"].startswith("radio:")] == [
        (195.0, "radio:drop"), (301.0, "radio:handover"), (501.0, "radio:radio_link_failure"),
        (701.0, "radio:mode_switch")]


@pytest.mark.skipif(shutil.which("tshark") is None, reason="no tshark here")
def test_pcapng_by_wireshark(bundle: Bundle, tmp_path: Path) -> None:
    (path,) = export(bundle, "pcapng", tmp_path)
    fields = ["frame.time_epoch", "tcp.len", "frame.len", "frame.comment"]
    done = subprocess.run(["tshark", "-r", path, "-T", "fields", *(word for f in fields for word in ("-e", f))],
                          capture_output=True, text=True, check=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(rows) == N and {(row[1], row[2]) for row in rows} == {("88", "128")}  # as the source is cut
    assert int(rows[1][0].replace(".", "")) - int(rows[0][0].replace(".", "")) == STEP_MS * MS
    comments = {i: row[3] for i, row in enumerate(rows) if row[3]}
    assert comments == {
        10: "t = 0.195000 s: ue1 drop: radio_loss", 16: "t = 0.301000 s: ue1 handover: detach",
        26: "t = 0.501000 s: ue1 radio_link_failure", 36: "t = 0.701000 s: ue1 mode_switch: dm",
    }  # fmt: skip


def test_sequence_numbers_wrap() -> None:
    assert list(relative([2**32 - 2, 2**32 - 1, 5, 3])) == [0, 1, 7, 5]
    assert list(relative([5, 2**32 - 1], origin=2**32 - 1)) == [6, 0]


@pytest.mark.parametrize(("name", "node", "message"), [
    ("pcap", None, "--format pcap: allowed flent, mahimahi, "), ("qlog", "ue3", "--node ue3: allowed ue1, ue2"),
    ("mahimahi", "ue3", "--node ue3"),
])  # fmt: skip
def test_what_is_not_there(bundle: Bundle, tmp_path: Path, name: str, node: str | None, message: str) -> None:
    with pytest.raises(DataError, match=message):
        export(bundle, name, tmp_path, node)


def test_traces_of_events_only(bundle: Bundle, tmp_path: Path) -> None:
    bundle.manifest["description"]["settings"]["capture"] = {"radio_trace": "events"}
    with pytest.raises(DataError, match="capture.radio_trace: full"):
        export(bundle, "mahimahi", tmp_path)
