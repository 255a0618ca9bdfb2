# SPDX-License-Identifier: GPL-2.0-or-later
"""The readers on traces that the emulator itself wrote: cellsim, fed with arrivals."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest
from simulated import MS, needs_cellsim, simulate

from cellbed_analysis.metrics import radio
from cellbed_analysis.radio.packet_path import MOMENTS, packet_paths, uplink_pdus
from cellbed_analysis.tcp.segment import way_parts

pytestmark = needs_cellsim


def moments_after_request(lives: pl.DataFrame) -> dict[str, float]:
    life = lives.row(0, named=True)
    known = {name: life[name] for name in MOMENTS if life[name] is not None}
    return {name.removesuffix("_ns"): (t - life["request_ns"]) / MS for name, t in known.items()}


def test_one_segment_in_direct_mode_lives_by_figure_4(tmp_path: Path) -> None:
    lives = packet_paths(simulate(tmp_path, "dm dm", [(9.75, 1, 1500)]), 2)
    assert moments_after_request(lives) == {
        "in": -0.25, "request": 0, "rar": 3, "bsr_tx": 5, "bsr_tried": 8.75, "bsr_rx": 8.75, "grant": 9, "tx": 11,
        "tried": 14.75, "harq": 14.75, "rx": 14.75, "out": 14.75,
    }  # fmt: skip


def test_the_downlink_adds_5_ms(tmp_path: Path) -> None:
    lives = packet_paths(simulate(tmp_path, "im dm", [(9.75, 1, 1500)]), 2)
    found = moments_after_request(lives)
    assert (found["rx"], found["dl_tx"], found["out"]) == (14.75, 16, 19.75)
    assert lives["access"].to_list() == ["request"]


def test_an_ack_is_stolen_in_infrastructure_mode_only(tmp_path: Path) -> None:
    for modes, access in (("im im", "stolen"), ("dm dm", "request")):
        lives = packet_paths(simulate(tmp_path, modes, [(9.75, 2, 40)]), 2)
        assert lives["access"].to_list() == [access]


def test_an_ack_has_46_bytes_at_the_mac_level_or_one_less(tmp_path: Path) -> None:
    """40 and PDCP 2, RLC 2, MAC subheader 2; the last subheader of a PDU needs no length: 1."""
    log = simulate(tmp_path, "dm dm", [(9.75, 2, 40), (60, 2, 40)])
    lives, pdus = packet_paths(log, 2), uplink_pdus(log, 2)
    assert radio.size_metrics(log, 2, lives, pdus)["mac_bytes"] in (45, 46)


@pytest.mark.parametrize("modes", ["dm dm", "dm im", "im dm", "im im"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_any_traffic_falls_into_parts_that_add_up(tmp_path: Path, modes: str, seed: int) -> None:
    rng = random.Random(seed)
    arrivals = [(rng.uniform(0, 400), rng.choice((1, 2)), rng.choice((40, 52, 576, 1500))) for _ in range(300)]
    lives = packet_paths(simulate(tmp_path, modes, arrivals), 2)
    assert len(lives) == 300
    assert lives["out_ns"].null_count() == 0, "a lossless cell delivers everything"
    assert lives["access"].null_count() == 0
    direct = lives["direction"].cast(pl.String) == "sl"
    assert lives.filter(direct)["dl_tx_ns"].null_count() == int(direct.sum())
    assert lives.filter(~direct)["dl_rx_ns"].null_count() == 0
    parts = way_parts(lives)
    assert min(parts.min().row(0)) >= 0
    assert parts.sum_horizontal().to_list() == (lives["out_ns"] - lives["in_ns"]).to_list()


def test_trailing_bsrs_are_heard_in_infrastructure_mode_only(tmp_path: Path) -> None:
    burst = [(10 + k * 0.3, 1, 1500) for k in range(60)]  # 40 Mbit/s, more than the cell carries
    heard = {}
    for modes in ("dm dm", "im im"):
        lives = packet_paths(simulate(tmp_path, modes, burst), 2)
        heard[modes] = "trailing" in lives["access"].to_list()
    assert heard == {"dm dm": False, "im im": True}
