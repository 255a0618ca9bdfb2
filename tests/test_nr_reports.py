# SPDX-License-Identifier: GPL-2.0-or-later
"""What a user sees of NR: one short download in the virtual lab, and everything that reads its bundle."""

import csv
import json
import re

import polars as pl
import pytest
from e2e import ROOT, bundles, cellbed

from cellbed import Bundle, Results
from cellbed_analysis.metrics.run import analyse
from cellbed_analysis.tcp.segment import RTT_PARTS
from cellbed_formats.bundle import read_bundle

pytestmark = pytest.mark.lab
SLOT_MS, PERIOD_MS = 0.5, 2.5


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nr")
    cellbed("run", ROOT / "scenarios/nr-tdd/quick.yaml", "--variant", "DDDSU", "--variant", "FDD", "--set",
            "traffic.0.duration_s=1", "--results", folder)
    return folder


@pytest.fixture(scope="module")
def run(executed):
    return analyse(read_bundle(bundles(executed)["DDDSU"]))


def test_parts_of_the_rtt_add_up(run):
    """Waits for slots are there, and none is longer than a period of the pattern."""
    assert run.row["validity"] == "valid"
    whole = run.segments().drop_nulls(["rtt_ns", *RTT_PARTS])
    assert len(whole) > 500
    assert whole.select(pl.sum_horizontal(RTT_PARTS)).to_series().to_list() == whole["rtt_ns"].to_list()
    assert min(whole.select(pl.min_horizontal(RTT_PARTS)).to_series()) >= 0
    for part in ("data_dl_tdd", "ack_tdd"):
        assert 0 < whole[part].max() <= PERIOD_MS * 1e6, part
    assert whole["ack_request_ns"].null_count() < len(whole) and whole["data_dl_harq"].max() > 0


def test_acks_come_in_bursts_of_the_pattern(run):
    """An uplink slot in each period lets them through, or in a later one."""
    assert run.row["ack_burst_pkts_mean"] > 2
    assert run.row["ack_gap_p50_ms"] % PERIOD_MS == pytest.approx(0, abs=0.01) or run.row["ack_gap_p50_ms"] > PERIOD_MS
    assert run.row["pdcp_expiries"] == 0 and 0 < run.row["pdcp_wait_max_ms"] < 220


def test_why_speaks_of_slots_and_requests(executed):
    said = cellbed("why", bundles(executed)["DDDSU"], "--at", "0.5").stdout
    parts = [float(match) for match in re.findall(r"^ +([0-9.]+) ms  ", said.partition("  why ")[0], re.MULTILINE)]
    assert sum(parts) == pytest.approx(float(re.search(r"RTT ([0-9.]+) ms", said)[1]), abs=0.01)
    assert not any(word in said for word in ("RAC", "RAR", "eNB")) and "gNB: data enters the buffer" in said, said


def test_blocks_are_drawn_over_slots(executed, tmp_path):
    cellbed("plot", "pdus", bundles(executed)["DDDSU"], "--from", "0.5", "--to", "0.52", "--output",
            tmp_path / "pdus.pdf")
    rows = list(csv.DictReader((tmp_path / "pdus.csv").open()))
    assert {float(row["tti_s"]) for row in rows} == {SLOT_MS / 1e3} and (tmp_path / "pdus.pdf").stat().st_size > 1000
    assert {row["shared_channel"].split()[0] for row in rows} == {"downlink", "uplink"}


def test_the_report_has_the_clock_of_acks(executed):
    cellbed("report", executed)
    assert (executed / "summary/figures/ack-clock-quick.svg").exists()
    assert "TCP&#39;s ACK clock over slots" in (executed / "summary/report.html").read_text()


def test_the_capture_is_one_of_mac_nr(executed):
    found = json.loads(cellbed("pcap", bundles(executed)["DDDSU"] / "radio.pcap", "--json").stdout)
    assert {row["layer"] for row in found["radio"]} == {"mac-nr"}
    assert {row["direction"] for row in found["radio"]} == {"uplink", "downlink"}


def test_variants_are_compared(executed):
    found = json.loads(cellbed("compare", executed, "rtt_p50_ms", "--baseline", "FDD", "--json").stdout)
    assert "DDDSU" in json.dumps(found)


def test_frames_of_python(executed):
    """Each says the same as the files that it is read from."""
    bundle = bundles(executed)["DDDSU"]
    run = Bundle(bundle)
    radio = json.loads((bundle / "radio.json").read_text())
    assert run.radio.height > 1000 and run.segments.height > 500 and run.tcp.height > 100
    assert run.flows["goodput_mbps"].item() == pytest.approx(radio["bytes_delivered"] * 8e-6 / 1, rel=0.2)
    assert run.packets("ue1").height > 500
    assert "wait for a downlink slot" in str(run.why(0.5))
    assert Results.load(executed).compare("rtt_p50_ms", baseline="FDD").height >= 1


def test_the_radio_is_on_time_at_a_gigabit(tmp_path):
    """However many segments CUBIC sends at once, for each of which the kernel and the probe read the clock.

    In the first second the receiver's window may stay at 55 segments, until HARQ repeats a block.
    """
    cellbed("run", ROOT / "scenarios/nr-delivery/quick.yaml", "--variant", "cubic-wait220", "--set",
            "traffic.0.duration_s=3", "--results", tmp_path)
    radio = json.loads((bundles(tmp_path)["cubic-wait220"] / "radio.json").read_text())
    assert radio["bytes_delivered"] > 50_000_000
    assert radio["lateness"]["max_us"] < SLOT_MS * 1000
