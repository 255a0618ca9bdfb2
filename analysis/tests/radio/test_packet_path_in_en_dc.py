# SPDX-License-Identifier: GPL-2.0-or-later
"""Lives of packets with dual connectivity: some by LTE in sub-frames, some by NR in slots of 0.5 ms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from simulated import MS, NETWORK_PORT, needs_cellsim, simulate
from synthetic_bundle import write_bundle

from cellbed_analysis.radio.grid import Grid, grid_of
from cellbed_analysis.radio.packet_path import RadioLog, packet_paths
from cellbed_analysis.radio.service import WAITS, service
from cellbed_analysis.tcp.segment import WAY_PARTS, part_label, way_parts
from cellbed_formats.bundle import read_bundle
from cellbed_formats.trace import read_trace

NR = {"numerology": 1, "duplex": "tdd", "tdd_pattern": "DDDSU", "tdd_special_dl_symbols": 10,
      "tdd_special_ul_symbols": 2, "pdcch_symbols": 2, "k2_min": 4}
DDDSU = Grid(MS // 2, True, (False, False, False, False, True), (True, True, True, True, False), k2_min=4)
BOTH = Grid(nr=True, stations=(Grid(), DDDSU))
LTE_ENB, NR_ENB = 0, 1
LAYERS = {"rlc": {"mode": "am", "t_reassembly_ms": 20}, "rlc_am": {"sn_bits": 18},
          "pdcp": {"sn_bits": 18, "t_reordering_ms": 1000}, "harq": {"max_attempts": 5, "bler": [0.0]}}
UE = {"name": "ue1", "peer": "network", "mode": "im", "rnti": 61}
DOWN = [(10 + i / 20, NETWORK_PORT + 1, 1400) for i in range(400)]


def run(folder: Path, arrivals: list[tuple[float, int, int]], **cell: Any) -> RadioLog:
    nr = {"bandwidth_mhz": 20, "layers_dl": 1, "sr_period_slots": 4}
    simulate(folder, "net", arrivals, system="en_dc", **{"nr": nr, "en_dc": {"x2_us": 1000}, "ues": [UE], **LAYERS,
                                                        **cell})
    return RadioLog(read_trace(folder / "radio.trace", "radio"), BOTH)


def lives(log: RadioLog) -> pl.DataFrame:
    found = packet_paths(log, 1)
    assert way_parts(found.drop_nulls("out_ns")).select(pl.all().min()).row(0) >= (0,) * len(WAY_PARTS)
    return found


def test_the_grid_of_a_run(tmp_path: Path) -> None:
    bundle = read_bundle(write_bundle(tmp_path, "IM-IM"))
    bundle.settings["radio"] |= {"system": "en_dc", "nr": NR}
    grid = grid_of(bundle)
    assert grid == BOTH and not grid.tdd and grid.tti_ns == MS and grid.station == "gNB"
    assert part_label("data_dl_wait", nr=grid.nr) == part_label("data_dl_wait", nr=True)


@needs_cellsim
def test_packets_of_the_downlink_take_both(tmp_path: Path) -> None:
    log = run(tmp_path, DOWN)
    found = lives(log)
    assert found["out_ns"].null_count() == 0 and (found["dl_rx_ns"] <= found["out_ns"]).all()
    carried = log.rows("rlc_tx", node=0).filter(pl.col("aux") & 1 == 1).group_by("enb").agg(pl.col("pkt").n_unique())
    by = dict(carried.iter_rows())
    assert by.keys() == {LTE_ENB, NR_ENB} and sum(by.values()) == len(DOWN)
    assert found["dl_tdd_ns"].null_count() == len(found)  # whose turn a slot is, is NR's alone


@needs_cellsim
def test_each_station_has_its_own_numbers_of_slots(tmp_path: Path) -> None:
    log = run(tmp_path, DOWN)
    assert log.zero_ns == 0
    lte, nr = sorted(log.apart(), key=lambda station: station.grid.nr)
    assert (lte.grid, nr.grid) == (Grid(), DDDSU) and lte.zero_ns == nr.zero_ns == 0


@needs_cellsim
@pytest.mark.parametrize(("path", "enb"), [("mcg", LTE_ENB), ("scg", NR_ENB)])
def test_the_uplink_takes_its_primary_path_and_every_grant_has_its_request(tmp_path: Path, path: str, enb: int) -> None:
    log = run(tmp_path, [(20.0 + 40 * i, 1, 100) for i in range(5)], en_dc={"x2_us": 1000, "ul_primary_path": path})
    found = lives(log)
    assert set(log.rows("rlc_tx", node=1)["enb"]) == {enb}
    assert found["request_ns"].null_count() == 0 and found["direction"].to_list() == ["ul"] * 5
    by_x2_ms = ((found["out_ns"] - found["rx_ns"]) / MS).to_list()
    assert by_x2_ms == pytest.approx([1.0 if enb == LTE_ENB else 0.0] * 5)


@needs_cellsim
def test_what_rlc_sends_again_belongs_to_its_packet(tmp_path: Path) -> None:
    """In both cell groups, whose RLCs have headers of their own."""
    log = run(tmp_path, DOWN, ues=[{**UE, "bler_dl": 0.2}])
    found = lives(log)
    again = log.rows("rlc_retx", node=0)
    assert set(again["enb"]) == {LTE_ENB, NR_ENB}
    assert found["out_ns"].null_count() == 0 and (found["out_ns"] >= found["dl_rx_ns"]).all()
    assert (found["dl_rx_ns"] > found["dl_harq_ns"]).sum() > 10


@needs_cellsim
def test_causes_are_all_of_the_time(tmp_path: Path) -> None:
    log = run(tmp_path, DOWN)
    own = log.rows("pkt_in")["pkt"]
    found = service(log, 1, "dl", own, ())
    start, end = (np.array([at]) for at in log.span_ns)
    parts = found.between(start, end)
    assert parts.keys() == WAITS.keys() and sum(ns[0] for ns in parts.values()) == pytest.approx(end[0] - start[0])
    assert parts["own"][0] > 0 and parts["tdd"][0] == parts["other_ues"][0] == 0
