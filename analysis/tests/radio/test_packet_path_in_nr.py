# SPDX-License-Identifier: GPL-2.0-or-later
"""Lives of packets over NR, worked out by hand: slots of 0.5 ms, the pattern DDDSU, uplink slots 4, 9, …"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from simulated import MS, NETWORK_PORT, needs_cellsim, simulate
from synthetic_bundle import write_bundle

from cellbed_analysis.radio.grid import Grid, grid_of
from cellbed_analysis.radio.packet_path import RadioLog, packet_paths
from cellbed_analysis.tcp.segment import WAY_PARTS, part_label, way_parts
from cellbed_formats.bundle import read_bundle
from cellbed_formats.trace import read_trace

DDDSU = Grid(MS // 2, True, (False, False, False, False, True), (True, True, True, True, False), k2_min=4)
KEYS = {"numerology": 1, "duplex": "tdd", "tdd_pattern": "DDSU", "tdd_special_dl_symbols": 10,
        "tdd_special_ul_symbols": 2, "pdcch_symbols": 2, "k2_min": 3}


def lives(folder: Path, arrivals: list[tuple[float, int, int]], **cell: Any) -> list[dict[str, Any]]:
    """Packets of a UE that may ask in each uplink slot, in order, with their moments in ms."""
    am = {"rlc": {"mode": "am", "t_reassembly_ms": 20}, "rlc_am": {"sn_bits": 18},
          "pdcp": {"sn_bits": 18, "t_reordering_ms": 1000}}
    nr = {"bandwidth_mhz": 40, "layers_dl": 1, "sr_period_slots": 1}
    simulate(folder, "net", arrivals, system="nr", nr=nr, **{"harq": {"max_attempts": 5, "bler": [0.0]}, **am, **cell})
    found = packet_paths(RadioLog(read_trace(folder / "radio.trace", "radio"), DDDSU), 1)
    assert way_parts(found.drop_nulls("out_ns")).select(pl.all().min()).row(0) >= (0,) * len(WAY_PARTS)
    return [{name: value / MS if name.endswith("_ns") and value is not None else value for name, value in row.items()}
            for row in found.iter_rows(named=True)]


@needs_cellsim
def test_a_packet_waits_for_a_downlink_slot(tmp_path: Path) -> None:
    """At 11.6 ms slot 23 has begun, and slot 24 is an uplink one; at 15.1 ms slot 31 is the next, of the downlink."""
    found = lives(tmp_path, [(11.6, NETWORK_PORT + 1, 500), (15.1, NETWORK_PORT + 1, 500)])
    assert [(life["dl_tdd_ns"], life["dl_tx_ns"]) for life in found] == [(12.5, 12.5), (15.5, 15.5)]
    assert all(life["request_ns"] is None and life["tdd_ns"] is None for life in found)


@needs_cellsim
def test_a_request_its_grant_and_the_data(tmp_path: Path) -> None:
    """The SR goes in slot 24. The gNB has it 0.25 ms later, too late for slot 29: slot 34 is decided on in slot 30."""
    (life,) = lives(tmp_path, [(10.1, 1, 100)])
    assert (life["direction"], life["access"]) == ("ul", "stolen")
    assert [life[f"{moment}_ns"] for moment in ("request", "rar", "bsr_tx", "grant", "tdd", "tx", "tried", "out")] == [
        12.0, 15.0, 17.0, None, None, 17.0, 17.75, 17.75]


@needs_cellsim
def test_more_data_wait_for_a_second_grant(tmp_path: Path) -> None:
    """The report on the first grant is heard at 17.75 ms, so slot 40 were the first one; 44 is one of the uplink."""
    first, *_, last = lives(tmp_path, [(10.1 + i / 1000, 1, 1000) for i in range(6)])
    assert first["request_ns"] == last["request_ns"] == 12.0
    assert last["access"] == "request" and last["bsr_rx_ns"] == 17.75
    assert (last["grant_ns"], last["tdd_ns"], last["tx_ns"]) == (20.0, 19.75, 22.0)


@needs_cellsim
def test_what_rlc_sends_again_belongs_to_its_packet(tmp_path: Path) -> None:
    """Blocks that HARQ gives up unnoticed come again as segments; every packet has the time at which its end came."""
    ue = {"name": "ue1", "peer": "network", "mode": "im", "rnti": 61, "bler_dl": 0.2}
    found = lives(tmp_path, [(10 + i / 20, NETWORK_PORT + 1, 1400) for i in range(300)], ues=[ue])
    assert all(life["out_ns"] is not None and life["out_ns"] >= life["dl_rx_ns"] for life in found)
    assert sum(life["dl_rx_ns"] > life["dl_harq_ns"] for life in found) > 10
    log = read_trace(tmp_path / "radio.trace", "radio")
    heard = log.filter(pl.col("event").cast(pl.String) == "mac_rx")["t_ns"]
    assert {round(life["dl_rx_ns"] * MS) for life in found} <= set(heard)


@needs_cellsim
def test_of_two_copies_the_one_counts_that_came(tmp_path: Path) -> None:
    """With PDCP duplication. Both ways have their parts, none of them negative, and both cells delivered packets."""
    layers = {"pdcp": {"sn_bits": 18, "t_reordering_ms": 1000, "duplication": True},
              "harq": {"max_attempts": 5, "bler": [0.5, 0.2, 0.0]}}
    arrivals = [(10 + 3 * i, port, 500) for i in range(100) for port in (1, NETWORK_PORT + 1)]
    found = lives(tmp_path, arrivals, **layers)
    assert len(found) == 200 and all(life["out_ns"] is not None for life in found)
    assert all(life["tx_ns"] is not None for life in found if life["node"] == 1)
    log = read_trace(tmp_path / "radio.trace", "radio")
    ended = log.filter(pl.col("event").cast(pl.String) == "pdcp_copy").group_by("dir", "enb").len()
    assert len(ended) == 4 and ended["len"].min() > 10 and ended["len"].sum() == 200


def test_the_grid_of_a_run(tmp_path: Path) -> None:
    """As its description has it; other systems count in ms."""
    path = write_bundle(tmp_path, "IM-IM")
    bundle = read_bundle(path)
    assert grid_of(bundle) == Grid() and not Grid().tdd
    radio = bundle.settings["radio"]
    radio |= {"system": "nr", "nr": KEYS}
    assert grid_of(bundle) == Grid(500_000, True, (False, False, False, True), (True, True, True, False), 3)
    radio["nr"] = {**KEYS, "tdd_special_ul_symbols": 4, "tdd_special_dl_symbols": 4, "numerology": 3}
    assert grid_of(bundle) == Grid(125_000, True, (False, False, True, True), (True, True, False, False), 3)
    radio["nr"] = {**KEYS, "duplex": "fdd"}
    assert grid_of(bundle) == Grid(500_000, True, k2_min=3)


@pytest.mark.parametrize(("at_ms", "expected_ms"), [(0, 0), (0.1, 0.5), (1.5, 1.5), (1.6, 2.5), (2, 2.5), (4.4, 5)])
def test_the_next_downlink_slot(at_ms: float, expected_ms: float) -> None:
    times = pl.Series([round(at_ms * MS)]).to_numpy() + 7
    assert (DDDSU.next_downlink_ns(times, 7) - 7).tolist() == [round(expected_ms * MS)]


def test_waits_have_names_of_nr() -> None:
    assert part_label("ack_tdd") == "ACK: wait for an uplink slot"
    assert part_label("data_rac_wait", nr=True) == "data: wait for an occasion to request a grant"
    assert part_label("data_rac_wait") == "data: wait before the RAC request"
