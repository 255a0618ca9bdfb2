# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets whose blocks HARQ, or RLC, sent again: every moment is there, and the parts add up.

The traces are the emulator's own, of cells with errors.
"""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import MS, NETWORK_PORT, execute, needs_cellsim, simulate

from cellbed_analysis.radio.packet_path import MOMENTS, RadioLog, packet_paths, uplink_pdus
from cellbed_analysis.tcp.segment import WAY_PARTS, way_parts
from cellbed_formats.error import DataError
from cellbed_formats.trace import read_trace

pytestmark = needs_cellsim

GOLDEN = Path(__file__).parents[3] / "emulator" / "tests" / "golden"
#: 30 % of first attempts fail, 10 % of those that follow one or two.
HARQ = {"max_attempts": 5, "bler": [0.3, 0.03, 0.003, 0.0]}
FIRST = ("tx_ns", "tried_ns", "harq_ns", "rx_ns")
SECOND = tuple(f"dl_{moment}" for moment in FIRST)


def random_packets(seed: int, n: int, ports: tuple[int, ...] = (1, 2)) -> list[tuple[float, int, int]]:
    rng = random.Random(seed)
    return [(rng.uniform(0, 2 * n), rng.choice(ports), rng.choice((40, 52, 576, 1500))) for _ in range(n)]


def checked(log: RadioLog, n_ue: int = 2) -> pl.DataFrame:
    """Lives of the packets that were delivered, after checking what holds for each of them.

    What an eNB forwards to another leaves through a tunnel, whatever of it was on the air.
    """
    delivered = pl.col("out_ns").is_not_null() & ~pl.col("pkt").is_in(log.rows("ho_forward")["pkt"].to_list())
    lives = packet_paths(log, n_ue).filter(delivered)
    sent, relayed = pl.col("tx_ns").is_not_null(), pl.col("dl_tx_ns").is_not_null()
    assert lives.filter(pl.col("node") > 0)["tx_ns"].null_count() == 0
    assert lives.filter(sent).select(FIRST).null_count().sum_horizontal().item() == 0
    assert lives.filter(relayed).select(SECOND).null_count().sum_horizontal().item() == 0
    for life in lives.iter_rows(named=True):
        times = [max(life[moment], life["in_ns"]) for moment in MOMENTS if life[moment] is not None]
        assert times == sorted(times), life
    parts = way_parts(lives)
    assert lives.is_empty() or min(parts.min().row(0)) >= 0
    assert parts.sum_horizontal().to_list() == (lives["out_ns"] - lives["in_ns"]).to_list()
    return lives


def blocks_of(log: RadioLog, event: str, direction: str) -> set[int]:
    return set(log.rows(event, dir=direction)["block"])


def test_uplink_and_downlink_with_errors(tmp_path: Path) -> None:
    log = simulate(tmp_path, "im im", random_packets(1, 400), harq=HARQ)
    lives = checked(log)
    assert len(lives) == 400
    assert lives.select(*FIRST, *SECOND).null_count().sum_horizontal().item() == 0
    parts = way_parts(lives)
    for part, direction in (("harq", "ul"), ("dl_harq", "dl")):
        rounds_ms = (parts[part] / MS).to_numpy()
        assert 0.2 < (rounds_ms > 0).mean() < 0.5
        assert set(rounds_ms[rounds_ms < 12]) <= {0.0, 8.0} or direction == "dl"
    # The air itself takes what it takes without errors.
    assert set(parts["air"].unique()) == {3_750_000} == set(parts["dl"].unique())
    assert parts["arq"].sum() == parts["dl_arq"].sum() == 0


def test_a_round_is_8_ms_in_the_uplink_and_in_the_downlink_the_configured_ones(tmp_path: Path) -> None:
    """Every first attempt fails, no second one does; nothing else is on the air."""
    packets = [(100.0 * k, 1, 576) for k in range(5)]
    harq = {"max_attempts": 2, "bler": [1.0, 0.0], "dl_rtt_tti": 12}
    parts = way_parts(checked(simulate(tmp_path, "im im", packets, harq=harq)))
    found = {part: set(parts[part] / MS) for part in ("bsr_harq", "harq", "arq", "dl_harq", "dl_arq")}
    assert found == {"bsr_harq": {8.0}, "harq": {8.0}, "arq": {0.0}, "dl_harq": {12.0}, "dl_arq": {0.0}}


def test_direct_mode_with_errors(tmp_path: Path) -> None:
    lives = checked(simulate(tmp_path, "dm im", random_packets(2, 400), harq=HARQ))
    direct = lives.filter(pl.col("node") == 1)
    assert direct["direction"].unique().to_list() == ["sl"]
    rounds = way_parts(direct)["harq"]
    assert 0.2 < (rounds > 0).mean() < 0.5
    assert direct["dl_tx_ns"].null_count() == len(direct)


def test_codewords_of_a_sub_frame_are_told_apart(tmp_path: Path) -> None:
    """Two carriers of two codewords each: four blocks a sub-frame, of which some fail."""
    packets = [(10 + k * 0.1, 1 + NETWORK_PORT, 1500) for k in range(1200)]
    log = simulate(tmp_path, "net net", packets, harq=HARQ, dl_carriers=2, dl_codewords=2, n_rb=25)
    lives = checked(log)
    assert len(lives) == 1200
    together = log.rows("mac_tx", dir="dl").group_by("sn").agg(pl.col("block"))
    nacked = blocks_of(log, "harq_nack", "dl")
    assert any(0 < len(nacked.intersection(blocks)) < len(blocks) for blocks in together["block"].to_list())
    of_packet = log.rows("rlc_tx", dir="dl").filter(pl.col("aux") & 1 == 1).select("pkt", "block")
    retried = of_packet.filter(pl.col("block").is_in(list(nacked)))["pkt"]
    harq = lives.select("pkt").with_columns(way_parts(lives)["dl_harq"])
    assert set(harq.filter(pl.col("dl_harq") > 0)["pkt"]) == set(retried)


def test_carriers_of_the_uplink_are_told_apart(tmp_path: Path) -> None:
    """Three blocks a sub-frame, each with a grant of its own."""
    packets = [(10 + k * 0.2, 1, 1500) for k in range(900)]
    log = simulate(tmp_path, "net net", packets, harq=HARQ, dl_carriers=3, ul_carriers=3, n_rb=25)
    lives, pdus = checked(log), uplink_pdus(log, 1)
    assert len(lives) == 900
    assert pdus["block"].is_unique().all() and len(pdus) == len(log.rows("mac_tx", node=1))
    assert pdus.group_by("tx_ns").len()["len"].max() == 3
    assert pdus.filter(pl.col("grant_ns").is_null())["on_rar"].all()


AM = {"rlc": {"mode": "am"}, "rlc_am": {"t_poll_retransmit_ms": 80, "t_status_prohibit_ms": 10}}


@pytest.mark.parametrize("modes", ["im im", "dm dm", "net net"])
def test_rlc_sends_again_what_harq_gave_up(tmp_path: Path, modes: str) -> None:
    ports = (1, 2, 1 + NETWORK_PORT) if modes == "net net" else (1, 2)
    harq = {"max_attempts": 2, "bler": [0.3, 0.1]}
    log = simulate(tmp_path, modes, random_packets(3, 400, ports), harq=harq, n_rb=15, **AM)
    lives = checked(log)
    assert len(lives) == 400
    parts = way_parts(lives)
    for prefix, directions in (("", ("ul", "sl")), ("dl_", ("dl",))):
        lost = set().union(*(blocks_of(log, "mac_lost", direction) for direction in directions))
        if not lost:
            continue
        ends = log.rows("rlc_tx").filter((pl.col("aux") & 1 == 1) & pl.col("block").is_in(list(lost)))["pkt"]
        late = lives.select("pkt").with_columns(parts[f"{prefix}arq"]).filter(pl.col(f"{prefix}arq") > 0)["pkt"]
        assert set(late) == set(ends) and len(late) > 10


def test_bearers_count_their_pdus_apart(tmp_path: Path) -> None:
    """Two AM bearers of a UE use the same SNs at the same time: each retransmission belongs to its own."""
    sizes = random_packets(7, 400, (1, 1 + NETWORK_PORT))
    headers = [bytes([0x45, 46 << 2 if k % 2 else 0]) for k in range(len(sizes))]
    arrivals = "".join(
        f"{round(ms * MS)} {port} {size} {k + 1:x} {headers[k].ljust(size, bytes(1)).hex()}\n"
        for k, (ms, port, size) in enumerate(sorted(sizes))
    )
    ues = [{"name": "ue1", "peer": "network", "mode": "im", "bearers": [{"filters": [{"dscp": 46}]}]}]
    config = {"format": 1, "seed": 1, "events": [],
              "cell": {"ues": ues, "harq": {"max_attempts": 2, "bler": [0.3, 0.1]}, "n_rb": 15, **AM},
              "output": {"trace": "radio.trace", "pcap": None, "stats": "radio.json"}}  # fmt: skip
    log = execute(tmp_path, config, arrivals)
    lives = checked(log, 1)
    assert len(lives) == 400
    again = log.rows("rlc_retx").group_by("node", "dir", "sn").agg(pl.col("lcid").n_unique())
    assert len(again.filter(pl.col("lcid") > 1)) > 0, "no SN that both bearers sent again"
    parts = way_parts(lives)
    for prefix, direction in (("", "ul"), ("dl_", "dl")):
        lost = blocks_of(log, "mac_lost", direction)
        ends = log.rows("rlc_tx").filter((pl.col("aux") & 1 == 1) & pl.col("block").is_in(list(lost)))["pkt"]
        late = lives.select("pkt").with_columns(parts[f"{prefix}arq"]).filter(pl.col(f"{prefix}arq") > 0)["pkt"]
        assert set(late) == set(ends) and len(late) > 10


def test_segments_of_a_retransmission(tmp_path: Path) -> None:
    """Blocks that shrink: what was sent whole comes again in segments, and the last byte with one of them."""
    rng = random.Random(5)
    packets = [(10 + k * 0.6, 1 + NETWORK_PORT, rng.choice((40, 90, 700))) for k in range(800)]
    ues = [{"name": "ue1", "peer": "network", "mode": "im", "bler_dl": 0.3},
           {"name": "ue2", "peer": "network", "mode": "im"}]
    packets += [(20 + k * 1.3, 2 + NETWORK_PORT, 1500) for k in range(300)]  # takes a share of the blocks now and then
    log = simulate(tmp_path, "net net", packets, ues=ues, n_rb=15, **AM)
    checked(log)
    whole = log.rows("rlc_tx").select("sn", "peer", "bytes").unique()
    again = log.rows("rlc_retx").join(whole, on=["sn", "peer", "bytes"], how="anti")
    assert len(again) > 50, "no segments"


def test_a_late_harq_round_and_an_early_rlc_retransmission(tmp_path: Path) -> None:
    """RLC's timers are shorter than HARQ's rounds, so that both bring the same bytes: the first to come counts."""
    am = {"rlc": {"mode": "am", "t_reordering_ms": 1}, "rlc_am": {"t_poll_retransmit_ms": 5, "t_status_prohibit_ms": 0,
                                                                  "max_retx_threshold": 32}}
    harq = {"max_attempts": 8, "bler": [0.6, 0.4, 0.3, 0.2, 0.0], "dl_rtt_tti": 32}
    log = simulate(tmp_path, "net net", random_packets(4, 300, (1, 1 + NETWORK_PORT)), harq=harq, **am)
    lives = checked(log)
    ended = log.rows("mac_rx").select("block", ended_ns="t_ns")
    last_bytes = log.rows("rlc_tx", dir="dl").filter(pl.col("aux") & 1 == 1).select("pkt", "block")
    overtaken = lives.join(last_bytes.join(ended, on="block"), on="pkt").filter(pl.col("dl_rx_ns") < pl.col("ended_ns"))
    assert len(overtaken) > 5


@pytest.mark.parametrize("mode", ["um", "am"])
def test_a_handover_with_errors(tmp_path: Path, mode: str) -> None:
    config = json.loads((GOLDEN / "handover" / "config.json").read_text())
    config["cell"] |= {"harq": HARQ, "rlc": {"mode": mode, "queue_pkts": 200}}
    log = execute(tmp_path, config, (GOLDEN / "handover" / "arrivals.txt").read_text())
    assert len(log.rows("ho_forward")) > 2 and len(log.rows("harq_tx")) > 2
    lives = checked(log, len(config["cell"]["ues"]))
    assert lives["dl_rx_ns"].drop_nulls().len() > 5


@pytest.mark.parametrize("flush", ["discard", "keep", "retransmit"])
def test_mode_switches_with_errors(tmp_path: Path, flush: str) -> None:
    events = [{"t_ms": 50 * k, "ue": "ue1", "mode": "dm" if k % 2 else "im"} for k in range(1, 16)]
    log = simulate(tmp_path, "im im", random_packets(6, 400), events, harq=HARQ, mode_switch={"flush": flush}, **AM)
    assert len(log.rows("route")) >= 15
    lives = checked(log)
    assert lives.filter(pl.col("node") == 1)["direction"].n_unique() == 2


def test_radio_systems_without_transport_blocks(tmp_path: Path) -> None:
    """A dedicated channel numbers RLC's blocks only, a recorded link has none: what is known still adds up."""
    utran = json.loads((GOLDEN / "utran-losses" / "config.json").read_text())
    (tmp_path / "utran").mkdir()
    log = execute(tmp_path / "utran", utran, (GOLDEN / "utran-losses" / "arrivals.txt").read_text())
    assert_sums(log)
    link = {"uplink": [1, 2, 3], "downlink": [1, 2, 3], "delay_ms": 10}
    ues = [{"name": "ue1", "peer": "network", "mode": "im"}]
    log = simulate(tmp_path, "", random_packets(7, 50, (1, 1 + NETWORK_PORT)), system="packet_trace", ues=ues,
                   packet_trace=link)  # fmt: skip
    assert_sums(log)


def assert_sums(log: RadioLog) -> None:
    lives = packet_paths(log, 1).filter(pl.col("out_ns").is_not_null())
    assert len(lives) > 5
    parts = way_parts(lives)
    assert parts.sum_horizontal().to_list() == (lives["out_ns"] - lives["in_ns"]).to_list()
    assert min(parts.min().row(0)) >= 0
    assert lives.select("rx_ns", "dl_rx_ns").null_count().row(0) == (len(lives), len(lives))


def test_a_trace_without_numbers_is_refused(tmp_path: Path) -> None:
    simulate(tmp_path, "im im", [(1, 1, 100)])
    old = RadioLog(read_trace(tmp_path / "radio.trace").drop("block"))
    with pytest.raises(DataError, match="no field 'block'"):
        packet_paths(old, 2)


@st.composite
def cells(draw: st.DrawFn) -> dict[str, Any]:
    """A cell with errors: what HARQ, RLC, PDCP and the scheduler are told, UEs and their modes."""
    attempts = draw(st.integers(1, 8))
    rate = st.sampled_from([0.0, 0.01, 0.1, 0.3, 0.6])
    bler = sorted(draw(st.lists(rate, min_size=1, max_size=5)), reverse=True)
    mode = draw(st.sampled_from(["um", "am"]))
    loss = st.sampled_from([0.0, 0.0, 0.1, 0.3])
    modes = st.sampled_from(["dm dm", "dm im", "im im", "net net"])
    pairs = draw(st.lists(modes, min_size=1, max_size=2))
    ues = []
    for n, (modes, first) in enumerate((pair, 2 * k) for k, pair in enumerate(pairs) for _ in range(2)):
        other = first + 2 - n % 2
        net = modes == "net net"
        ues.append({
            "name": f"ue{n + 1}", "peer": "network" if net else f"ue{other}",
            "mode": "im" if net else modes.split()[n % 2], "cqi_dl": draw(st.integers(5, 15)),
            "cqi_ul": draw(st.integers(5, 15)), "bler_ul": draw(loss), "bler_dl": draw(loss), "bler_sl": draw(loss),
        })  # fmt: skip
    carriers, always = draw(st.integers(1, 2)), draw(st.booleans())
    return {
        # In a resource block or two of each UE, AM that begins again with a packet would never be through with it.
        "ues": ues, "n_rb": draw(st.sampled_from([15, 50] if always else [6, 15, 50])),
        "dl_carriers": carriers, "dl_codewords": draw(st.integers(1, 2)),
        "ul_carriers": 1 if always else draw(st.integers(1, carriers)),
        "mac": {"ul_always_scheduled": always, "bandwidth_stealing": draw(st.booleans()),
                "trailing_bsr": draw(st.booleans())},
        "harq": {"max_attempts": attempts, "bler": bler, "dl_rtt_tti": draw(st.sampled_from([8, 12, 32])),
                 "nack_to_ack": draw(st.sampled_from([0.0, 0.1]))},
        "rlc": {"mode": mode, "delivery": draw(st.sampled_from(["in_sequence", "out_of_sequence"])),
                "t_reordering_ms": draw(st.sampled_from([1, 35]))},
        "rlc_am": {"t_poll_retransmit_ms": draw(st.sampled_from([5, 45])), "reestablish_ms": 5,
                   "t_status_prohibit_ms": draw(st.sampled_from([0, 10])),
                   "max_retx_threshold": draw(st.sampled_from([1, 4, 32]))},
        "pdcp": {"reordering": draw(st.booleans())},
        "mode_switch": {"flush": draw(st.sampled_from(["discard", "keep", "retransmit"]))},
    }  # fmt: skip


@settings(max_examples=60)
@given(cells(), st.integers(0, 2**16), st.lists(st.integers(1, 120), max_size=5, unique=True).map(sorted))
def test_whatever_fails_every_packet_has_its_moments(cell: dict[str, Any], seed: int, switches_ms: list[int]) -> None:
    behind = [n for n, ue in enumerate(cell["ues"], 1) if ue["peer"] == "network"]
    ports = (*range(1, len(cell["ues"]) + 1), *(n + NETWORK_PORT for n in behind))
    modes = ["im", "dm"] * len(switches_ms)
    events = [] if 1 in behind else [
        {"t_ms": t_ms, "ue": "ue1", "mode": mode} for t_ms, mode in zip(switches_ms, modes, strict=False)
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        log = simulate(Path(folder), "im im", random_packets(seed, 60, ports), events, **cell)
    checked(log, len(cell["ues"]))


def test_parts_of_retransmissions_have_names() -> None:
    assert [WAY_PARTS[part] for part in ("bsr_harq", "harq", "dl_harq")] == [
        "HARQ retransmissions of the BSR", "HARQ retransmissions", "HARQ retransmissions in the downlink",
    ]  # fmt: skip
