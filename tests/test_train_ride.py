# SPDX-License-Identifier: GPL-2.0-or-later
"""A train past three eNBs with a crowd each, in the virtual lab: it is handed over by what it measures."""

import json

import numpy as np
import pytest
import yaml
from e2e import ROOT, bundles, cellbed

from cellbed_analysis.interactive.series import run_series
from cellbed_analysis.metrics.run import analyse
from cellbed_channel.trace import read as read_channel
from cellbed_formats.bundle import read_bundle
from cellbed_formats.trace import read_trace

pytestmark = pytest.mark.lab

# Around the way from the first eNB to the second.
SHORT = ("--set", "radio.channel.route.start_s=14", "--set", "traffic.0.duration_s=7",
         "--set", "traffic.1.duration_s=7")


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    results = tmp_path_factory.mktemp("train")
    cellbed("run", ROOT / "scenarios/train-ride/quick.yaml", "--results", results, *SHORT)
    cellbed("report", results)
    return bundles(results)["run"]


@pytest.fixture(scope="module")
def radio(executed):
    return read_trace(executed / "radio.trace", "radio")


def messages(executed, radio):
    """(ns, name, eNB) of the steps of handovers."""
    names = json.loads((executed / "radio.trace").read_bytes().partition(b"\n")[0])["symbols"]["rrc"]
    rows = radio.filter(radio["event"] == "rrc")
    return [(row["t_ns"], names[str(row["value"])], row["enb"]) for row in rows.iter_rows(named=True)]


def test_it_is_valid_and_both_get_data(executed):
    assert json.loads((executed / "manifest.json").read_text())["validity"]["verdict"] == "valid"
    for flow in ("rider", "shop"):
        assert json.loads((executed / f"{flow}.stream.json").read_text())["received_bytes"] > 1_000_000


def test_the_ue_asks_for_its_handover_when_the_neighbour_is_better(executed, radio):
    """The report is heard eight sub-frames after a multiple of 200 ms and 160 ms to trigger, as filtered RSRPs say."""
    found = messages(executed, radio)
    reports = [(t_ns, enb) for t_ns, name, enb in found if name == "measurement_report"]
    assert [enb for _, enb in reports] == [0]
    assert [enb for _, name, enb in found if name == "synchronised"] == [1]
    channel = read_channel(executed / "channel.trace")
    start_ns = int(radio.filter(radio["event"] == "channel")["t_ns"][0])
    triggered_ms = (reports[0][0] - start_ns) // 1_000_000 - 8 - 160
    assert triggered_ms % 200 == 0
    better = [filtered(channel, 1, until_ms) - filtered(channel, 0, until_ms)
              for until_ms in (triggered_ms - 200, triggered_ms)]
    assert better[0] <= 300 < better[1]


def test_the_handover_takes_times_that_were_measured(executed, radio):
    at_ms = {name: t_ns / 1e6 for t_ns, name, _ in messages(executed, radio)}
    quantiles = yaml.safe_load((ROOT / "scenarios/train-ride/quick.yaml").read_text())["radio"]["handover"]
    for key, first, last in (("preparation_times", "handover_decision", "handover_command"),
                             ("detach_times", "detach", "synchronised")):
        assert quantiles[key]["p5_ms"] <= at_ms[last] - at_ms[first] <= quantiles[key]["p99_ms"]
        assert (at_ms[last] - at_ms[first]) % 1 != 0  # drawn, and no whole number as keys are


def filtered(channel, enb, until_ms):
    """RSRP of the rider's in centi-dBm behind a filter of which each measurement is half."""
    records = channel.records_of(1, "rsrp", enb)
    value = None
    for rsrp_cdbm in records["sinr_cdb"][records["t_ns"] <= until_ms * 1_000_000]:
        value = float(rsrp_cdbm) if value is None else (value + float(rsrp_cdbm)) / 2
    return value


def test_after_it_the_links_are_those_of_the_new_cell(executed, radio):
    channel = read_channel(executed / "channel.trace")
    rows = radio.filter((radio["event"] == "channel") & (radio["peer"] == 1) & (radio["dir"] == "dl"))
    start_ns = int(radio.filter(radio["event"] == "channel")["t_ns"][0])
    for enb in (0, 1):
        there = channel.records_of(1, "dl", enb)
        of = rows.filter(rows["enb"] == enb)
        assert len(of) > 50
        for row in of.iter_rows(named=True):
            at = there[there["t_ns"] <= row["t_ns"] - start_ns][-1]
            assert (row["cqi"], row["value"]) == (at["cqi"], at["sinr_cdb"])


def test_the_crowd_took_its_part(executed):
    crowd = json.loads((executed / "radio.json").read_text())["crowd"]
    assert crowd["members"] == 300
    downlink = crowd["dl"]
    assert 0.9 * downlink["bytes_in"] < downlink["bytes_out"] <= downlink["bytes_in"]
    assert 0 < downlink["rb_retx"] < 0.2 * downlink["rb"]
    assert crowd["ul"]["rb"] == 0


def test_the_page_shows_the_channel_of_the_cell_that_the_rider_was_in(executed, radio):
    """The page of the run has one line of CQIs for a direction, of the cells one after the other."""
    run = analyse(read_bundle(executed))
    flow = next(flow for flow in run.bundle.flows if flow.id == "rider")
    shown = run_series(run, flow, 100_000).cqi["downlink of rider"]
    rows = radio.filter((radio["event"] == "channel") & (radio["peer"] == 1) & (radio["dir"] == "dl"))
    assert set(shown.value[np.isfinite(shown.value)]) == set(rows["cqi"].to_list())
