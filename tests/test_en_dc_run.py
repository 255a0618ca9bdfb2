# SPDX-License-Identifier: GPL-2.0-or-later
"""LTE and NR under one PDCP, with a real TCP: a car that comes into the cell of a gNB, and leaves it."""

import polars as pl
import pytest
from e2e import ROOT, bundles, cellbed, needs_native

from cellbed_analysis.radio.handover import messages
from cellbed_formats.bundle import read_bundle

pytestmark = pytest.mark.lab
LTE, NR = 0, 1
SHORT = ("--set", "traffic.0.duration_s=5", "--seed", "1", "--variant", "cubic")
# Around the way into the cell, and out of it.
IN, OUT = (("--set", f"radio.channel.route.start_s={s}", "--set", f"radio.en_dc.channel.route.start_s={s}")
           for s in (12, 46))
ADDED = ["measurement_report", "sgnb_addition_request", "sgnb_addition_request_ack", "scg_configuration",
         "synchronised"]
RELEASED = ["measurement_report", "sgnb_release_request", "scg_release"]
STATIC = """
format: 1
id: static
title: A download over both
nodes:
  server: {kind: server, address: 10.46.0.1/24}
  gnb: {kind: enb}
  ue1: {address: 10.45.0.1/24}
links: [{a: server, b: gnb, rate: 10Gbit}]
radio:
  system: en_dc
  n_rb: 50
  nr: {bandwidth_mhz: 10, layers_dl: 1}
  en_dc: {}
  ues: {ue1: {peer: gnb, cqi_dl: 9, second_cqi_dl: 9}}
traffic: [{id: file, from: server, to: ue1, duration_s: 3}]
"""


def download(results, scenario, *options):
    """The bundle of one run, and its rows of the radio."""
    cellbed("run", scenario, "--results", results, *options)
    (bundle,) = bundles(results).values()
    return bundle, read_bundle(bundle).radio


def bytes_over(radio):
    """Of the downlink, by cell group."""
    rows = radio.filter((pl.col("event") == "rlc_tx") & (pl.col("dir") == "dl"))
    return {enb: rows.filter(pl.col("enb") == enb)["value"].cast(pl.Int64).sum() for enb in (LTE, NR)}


def arrivals(radio, node=1):
    rows = radio.filter((pl.col("event") == "pkt_out") & (pl.col("node") == node))
    return rows["pkt"].to_list()


@pytest.mark.parametrize("lab", ["virtual", pytest.param("native", marks=needs_native)])
def test_a_download_takes_both_and_comes_in_order(tmp_path, lab):
    scenario = tmp_path / "static.yaml"
    scenario.write_text(STATIC)
    bundle, radio = download(tmp_path / "results", scenario, "--lab", lab)
    over = bytes_over(radio)
    assert min(over.values()) > 0.2 * max(over.values())
    assert arrivals(radio) == sorted(arrivals(radio))
    if lab == "virtual":
        told = cellbed("why", bundle, "--at", "2").stdout
        assert "RTT" in told and "gNB" in told


def test_the_gnb_comes(tmp_path):
    bundle, radio = download(tmp_path, ROOT / "scenarios/en-dc/road.yaml", *IN, *SHORT)
    assert messages(read_bundle(bundle))["message"].to_list() == ADDED
    there_ns = radio.filter(pl.col("event") == "rrc")["t_ns"].max()
    before, after = radio.filter(pl.col("t_ns") < there_ns), radio.filter(pl.col("t_ns") >= there_ns)
    assert bytes_over(before)[NR] == 0 < bytes_over(before)[LTE]
    assert bytes_over(after)[NR] > bytes_over(after)[LTE]
    report = cellbed("report", tmp_path).stdout
    assert "Report:" in report


def test_the_gnb_goes_and_nothing_is_lost(tmp_path):
    """TCP sends nothing again: what NR had goes over LTE, and what came twice is dropped below TCP."""
    bundle, radio = download(tmp_path, ROOT / "scenarios/en-dc/road.yaml", *OUT, *SHORT)
    said = messages(read_bundle(bundle))["message"].to_list()
    assert said[-len(RELEASED):] == RELEASED
    gone_ns = radio.filter(pl.col("event") == "rrc")["t_ns"].max()
    assert bytes_over(radio.filter(pl.col("t_ns") > gone_ns))[NR] == 0
    drops = radio.filter(pl.col("event") == "pkt_drop")["value"].to_list()
    duplicate = next(n for n, name in read_bundle(bundle).radio_symbols["drop"].items() if name == "duplicate")
    assert set(drops) <= {duplicate}
    assert arrivals(radio) == sorted(arrivals(radio))
