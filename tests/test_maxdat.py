# SPDX-License-Identifier: GPL-2.0-or-later
"""A small part of De Mey's surface, as a user runs it: what maxDAT does to TCP, and the report about it."""

import json
import subprocess
import sys

import polars as pl
import pytest
from e2e import ROOT, bundles, cellbed

pytestmark = pytest.mark.lab

QUICK = ROOT / "scenarios/maxdat-demey/quick.yaml"
RTT_WIRED_S = 1.283
DISCARD = 1 - (1 - 0.15**3) ** 26  # De Mey, equation 3


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("maxdat")
    cellbed("run", QUICK, "--results", folder)
    cellbed("report", folder)
    return folder


@pytest.fixture(scope="module")
def row(results):
    """{(BLER, maxDAT): row of metrics.parquet}"""
    rows = pl.read_parquet(results / "summary/metrics.parquet").to_dicts()
    assert all(row["usable"] for row in rows) and len(rows) == 9
    return {(row["utran_bler"], row["utran_max_dat"]): row for row in rows}


def test_every_point_is_a_valid_run(results):
    for bundle in [path.parent for path in results.glob("*/manifest.json")]:
        manifest = json.loads((bundle / "manifest.json").read_text())
        assert manifest["validity"] == {"verdict": "valid", "reasons": []}
        assert manifest["links"][0]["lost_pkts"] == 0
        radio = json.loads((bundle / "radio.json").read_text())
        assert radio["pkts_in"] == radio["pkts_delivered"] + sum(radio["pkts_dropped"].values())
    assert len(bundles(results)) == 3  # by BLER


def test_without_errors_maxdat_changes_nothing(row):
    rates = {row[0.0, m]["transfer_kbps"] for m in (1, 3, 6)}
    assert len(rates) == 1 and 100 < rates.pop() < 128
    for m in (1, 3, 6):
        assert row[0.0, m]["sdus_discarded_dl"] == 0 and row[0.0, m]["rlc_transmissions_per_pdu"] == 1
        assert RTT_WIRED_S < row[0.0, m]["karn_rtt_mean_s"] < RTT_WIRED_S + 0.2


def test_throughput_grows_with_maxdat(row):
    for bler in (0.15, 0.4):
        few, some, most = (row[bler, m]["transfer_kbps"] for m in (1, 3, 6))
        assert few <= some < most < 128 * (1 - bler)
    assert row[0.15, 1]["transfer_kbps"] < 1.28, "at least one PDU of nearly every segment is lost"
    assert 3 < row[0.15, 6]["transfer_kbps"] / row[0.15, 3]["transfer_kbps"] < 12


def test_segments_are_discarded_as_equation_3_says(row):
    sent = row[0.15, 3]
    # A minute has about 200 segments: two standard deviations of the share are 4 %.
    assert sent["sdus_discarded_share"] == pytest.approx(DISCARD, abs=0.05)
    assert sent["tcp_retransmissions"] >= sent["sdus_discarded_dl"] > 0
    assert row[0.15, 6]["rlc_transmissions_per_pdu"] == pytest.approx(1 / (1 - 0.15), rel=0.03)


def test_rtt_holds_wire_and_retransmissions(row):
    for place, found in row.items():
        if found["karn_rtt_samples"]:
            assert found["karn_rtt_min_s"] > RTT_WIRED_S, place
    assert row[0.15, 6]["karn_rtt_mean_s"] > row[0.0, 6]["karn_rtt_mean_s"]


def test_report_and_evidence(results):
    html = (results / "summary/report.html").read_text()
    assert 'id="maxdat-1"' in html and 'id="maxdat-fig6-cut"' in html
    surface = pl.read_parquet(results / "summary/maxdat.parquet")
    assert len(surface) == 9 and {"kbps", "model_kbps", "ret_b"} <= set(surface.columns)
    done = subprocess.run(
        [sys.executable, "-m", "cellbed_analysis", "maxdat", "--bler", "0.2", "--rate", "128kbit", "--min-throughput",
         "40kbit", "--results", results], capture_output=True, text=True, check=True)
    assert "Emulated, maxdat-demey/quick, virtual lab, 1 run a point, at BLER 0.15 and 0.4" in done.stdout
    assert "By these measurements the proposal would be maxDAT 6" in done.stdout
