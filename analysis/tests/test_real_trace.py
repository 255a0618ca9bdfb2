# SPDX-License-Identifier: GPL-2.0-or-later
"""The readers on traces that the emulator itself wrote: cellsim, fed with arrivals."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import polars as pl
import pytest

from cellbed_analysis.life import MOMENTS, RadioLog, packet_lives, uplink_pdus
from cellbed_analysis.metrics import radio
from cellbed_analysis.segment import leg_parts
from cellbed_analysis.trace import read_trace

CELLSIM = Path(__file__).parents[2] / "build" / "emulator" / "sim" / "cellsim"
MS = 1_000_000

pytestmark = pytest.mark.skipif(not CELLSIM.exists(), reason=f"{CELLSIM} is not built")


def simulate(tmp_path: Path, modes: str, arrivals: list[tuple[float, int, int]], **mac: bool) -> RadioLog:
    """radio.trace of packets (ms, UE, bytes); modes such as "dm im" are those of UE 1 and 2."""
    ues = [
        {"name": f"ue{i + 1}", "rnti": 61 + i, "peer": f"ue{2 - i}", "mode": mode}
        for i, mode in enumerate(modes.split())
    ]
    config = {
        "format": 1,
        "seed": 1,
        "cell": {"ues": ues, "mac": mac},
        "output": {"trace": "radio.trace", "pcap": None, "stats": "radio.json"},
    }
    (tmp_path / "celld.json").write_text(json.dumps(config))
    lines = [f"{round(ms * MS)} {ue} {size} {i + 1:x}\n" for i, (ms, ue, size) in enumerate(sorted(arrivals))]
    (tmp_path / "arrivals.txt").write_text("".join(lines))
    subprocess.run(
        [CELLSIM, "--config", tmp_path / "celld.json", "--arrivals", tmp_path / "arrivals.txt", "--out", tmp_path],
        check=True,
        capture_output=True,
        text=True,
    )
    return RadioLog(read_trace(tmp_path / "radio.trace", "radio"))


def moments_after_request(lives: pl.DataFrame) -> dict[str, float]:
    life = lives.row(0, named=True)
    known = {name: life[name] for name in MOMENTS if life[name] is not None}
    return {name.removesuffix("_ns"): (t - life["request_ns"]) / MS for name, t in known.items()}


def test_one_segment_in_direct_mode_lives_by_figure_4(tmp_path: Path) -> None:
    lives = packet_lives(simulate(tmp_path, "dm dm", [(9.75, 1, 1500)]), 2)
    assert moments_after_request(lives) == {
        "in": -0.25, "request": 0, "rar": 3, "bsr_tx": 5, "bsr_rx": 8.75, "grant": 9, "tx": 11, "rx": 14.75,
        "out": 14.75,
    }  # fmt: skip


def test_the_downlink_adds_5_ms(tmp_path: Path) -> None:
    lives = packet_lives(simulate(tmp_path, "im dm", [(9.75, 1, 1500)]), 2)
    found = moments_after_request(lives)
    assert (found["rx"], found["dl_tx"], found["out"]) == (14.75, 16, 19.75)
    assert lives["access"].to_list() == ["request"]


def test_an_ack_is_stolen_in_infrastructure_mode_only(tmp_path: Path) -> None:
    for modes, access in (("im im", "stolen"), ("dm dm", "request")):
        lives = packet_lives(simulate(tmp_path, modes, [(9.75, 2, 40)]), 2)
        assert lives["access"].to_list() == [access]


def test_an_ack_has_46_bytes_at_the_mac_level_or_one_less(tmp_path: Path) -> None:
    """40 and PDCP 2, RLC 2, MAC subheader 2; the last subheader of a PDU needs no length: 1."""
    log = simulate(tmp_path, "dm dm", [(9.75, 2, 40), (60, 2, 40)])
    lives, pdus = packet_lives(log, 2), uplink_pdus(log, 2)
    assert radio.size_metrics(log, 2, lives, pdus)["mac_bytes"] in (45, 46)


@pytest.mark.parametrize("modes", ["dm dm", "dm im", "im dm", "im im"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_any_traffic_falls_into_parts_that_add_up(tmp_path: Path, modes: str, seed: int) -> None:
    rng = random.Random(seed)
    arrivals = [(rng.uniform(0, 400), rng.choice((1, 2)), rng.choice((40, 52, 576, 1500))) for _ in range(300)]
    lives = packet_lives(simulate(tmp_path, modes, arrivals), 2)
    assert len(lives) == 300
    assert lives["out_ns"].null_count() == 0, "a lossless cell delivers everything"
    assert lives["access"].null_count() == 0
    direct = lives["direction"].cast(pl.String) == "sl"
    assert lives.filter(direct)["dl_tx_ns"].null_count() == int(direct.sum())
    assert lives.filter(~direct)["dl_rx_ns"].null_count() == 0
    parts = leg_parts(lives)
    assert min(parts.min().row(0)) >= 0
    assert parts.sum_horizontal().to_list() == (lives["out_ns"] - lives["in_ns"]).to_list()


def test_trailing_bsrs_are_heard_in_infrastructure_mode_only(tmp_path: Path) -> None:
    burst = [(10 + k * 0.3, 1, 1500) for k in range(60)]  # 40 Mbit/s, more than the cell carries
    heard = {}
    for modes in ("dm dm", "im im"):
        lives = packet_lives(simulate(tmp_path, modes, burst), 2)
        heard[modes] = "trailing" in lives["access"].to_list()
    assert heard == {"dm dm": False, "im im": True}
