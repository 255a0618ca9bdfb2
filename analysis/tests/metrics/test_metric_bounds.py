# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a metric's definition has an end: what is just inside it counts, and what is just outside does not."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from synthetic_bundle import MS, START_NS, Cell, radio_trace_bytes
from synthetic_handover import Wire, handover_rows, write_handover_bundle
from synthetic_timeout import BEFORE

from cellbed_analysis.metrics import radio
from cellbed_analysis.metrics.catalog import METRICS
from cellbed_analysis.metrics.handover import handover_metrics
from cellbed_analysis.metrics.share import Arrivals, active
from cellbed_analysis.radio.packet_path import RadioLog, packet_paths, uplink_pdus
from cellbed_formats.bundle import read_bundle
from cellbed_formats.flow import FOUND, Flow
from cellbed_formats.trace import read_trace


def test_what_happens_in_a_run_or_does_not() -> None:
    """Shares of these are counted over runs; all others are numbers that have a mean."""
    assert {name for name, metric in METRICS.items() if metric.event} == {
        "ho_timeout", "ho_halving", "ho_nothing", "ho_timeout_during", "ho_event_during", "ho_timeout_spurious",
        "ho_timeout_real", "ho_spurious", "ho_repairing"}  # fmt: skip


def test_rates_are_those_of_a_second_before_and_after(tmp_path: Path) -> None:
    """Of segments that arrive at the ends of a second around a handover at 2.3 s."""
    wire = Wire()
    for segment, there_ms in enumerate((1299.999999, 1300, 2299.999999, 2300, 3299.999999, 3300)):
        wire.send(there_ms - 20, segment)
    bundle = read_bundle(write_handover_bundle(tmp_path, handover_rows(2300), BEFORE, wire))
    values = handover_metrics(bundle, bundle.flows[0])
    assert values["ho_rate_before_mbps"] == values["ho_rate_after_mbps"] == pytest.approx(2 * 1000 * 8e-6)


def log_of(tmp_path: Path, cell: Cell) -> RadioLog:
    path = tmp_path / "radio.trace"
    path.write_bytes(radio_trace_bytes(cell.rows))
    return RadioLog(read_trace(path))


@pytest.mark.parametrize(("alone", "known"), [(127, True), (128, False)])
def test_headers_of_short_packets_are_measured_on_short_ones(tmp_path: Path, alone: int, known: bool) -> None:
    """MAC's length field has 7 bits up to 127 bytes. Packets of 40 bytes are always two to a PDU here."""
    cell = Cell()
    cell.carry(2, "DM", START_NS + 10 * MS, alone, tag=1)
    for k in range(3):
        cell.carry(2, "DM", START_NS + (50 + 40 * k) * MS, 40, tag=2)
        pkt = {"pkt": 100 + k, "bytes": 40}
        cell.add(START_NS + (51 + 40 * k) * MS, "pkt_in", node=2, peer=1, dir="sl", **pkt)
        cell.add(START_NS + (61 + 40 * k) * MS, "rlc_tx", node=2, peer=1, dir="sl", aux=1, value=42, pkt=100 + k,
                 block=cell.blocks)
    log = log_of(tmp_path, cell)
    sizes = radio.size_metrics(log, 2, packet_paths(log, 2), uplink_pdus(log, 2))
    assert sizes.get("mac_bytes") == (46 if known else None)


def test_packets_that_never_arrived_have_no_delay(tmp_path: Path) -> None:
    cell = Cell()
    cell.carry(1, "DM", START_NS, 100, tag=1)
    cell.add(START_NS + 50 * MS, "pkt_in", node=1, peer=2, dir="sl", pkt=2, tag=2, bytes=100)
    lives = packet_paths(log_of(tmp_path, cell), 2)
    assert lives["out_ns"].null_count() == 1
    values = radio.way_metrics(lives)
    assert values["delay_mean_ms"].value == values["delay_p99_ms"] == 14.75
    assert radio.way_metrics(lives.filter(pl.col("out_ns").is_null())) == {}


@pytest.mark.parametrize(("kind", "size", "end_ns"), [
    ("iperf3", None, 1000), ("iperf3", 5000, 701), (FOUND, None, 1000), (FOUND, 5000, 701)])
def test_a_file_is_active_until_its_last_packet(kind: str, size: int | None, end_ns: int) -> None:
    flow = Flow("f", kind, "a", "b", 1, 2, 3, 100, 1000, bytes=size)
    assert active(flow, Arrivals(*(pl.Series([200, 700]).to_numpy() for _ in range(2)))) == (100, end_ns)


def test_a_flow_that_no_scenario_names_lasts_to_what_comes_last() -> None:
    late, none = ([2000], []), ([], [])
    flow = Flow("f", FOUND, "a", "b", 1, 2, 3, 100, 1000)
    for (times, sizes), end_ns in ((late, 2001), (none, 1000)):
        came = Arrivals(pl.Series(times, dtype=pl.Int64).to_numpy(), pl.Series(sizes, dtype=pl.Int64).to_numpy())
        assert active(flow, came) == (100, end_ns)
