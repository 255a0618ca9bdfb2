# SPDX-License-Identifier: GPL-2.0-or-later
"""Lives of packets: every moment where the trace puts it, and how access was obtained.

Times in ms after START_NS; the timeline is the one of synthetic_bundle.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from synthetic_bundle import MS, START_NS, Cell, radio_trace_bytes

from cellbed_analysis.radio.packet_path import MOMENTS, RadioLog, packet_paths, uplink_pdus
from cellbed_analysis.tcp.segment import WAY_PARTS, way_parts
from cellbed_formats.trace import read_trace


def log_of(cell: Cell, tmp_path: Path) -> RadioLog:
    path = tmp_path / "radio.trace"
    path.write_bytes(radio_trace_bytes(cell.rows))
    return RadioLog(read_trace(path, "radio"))


def at(ms: float) -> int:
    return START_NS + round(ms * MS)


def moments(life: dict[str, Any]) -> dict[str, float]:
    return {name.removesuffix("_ns"): (life[name] - START_NS) / MS for name in MOMENTS if life[name] is not None}


def parts(lives: pl.DataFrame, row: int = 0) -> dict[str, float]:
    return {k: v / MS for k, v in way_parts(lives).row(row, named=True).items() if v}


def test_direct_mode(tmp_path: Path) -> None:
    cell = Cell()
    cell.carry(1, "DM", at(9.78), 1500, tag=77)
    lives = packet_paths(log_of(cell, tmp_path), 2)
    life = lives.row(0, named=True)
    assert moments(life) == {
        "in": 9.78, "request": 10, "rar": 13, "bsr_tx": 15, "bsr_tried": 18.75, "bsr_rx": 18.75,
        "grant": 19, "tx": 21, "tried": 24.75, "harq": 24.75, "rx": 24.75, "out": 24.75,
    }  # fmt: skip
    assert (life["direction"], life["access"], life["tag"]) == ("sl", "request", 77)
    assert life["buffer_empty"]
    assert parts(lives) == pytest.approx(
        {"rac_wait": 0.22, "rar": 3, "bsr": 2, "bsr_decode": 3.75, "schedule": 0.25, "grant": 2,
         "air": 3.75}
    )  # fmt: skip


def test_infrastructure_mode_adds_the_downlink(tmp_path: Path) -> None:
    cell = Cell()
    cell.carry(1, "IM", at(10), 1500, tag=0)
    lives = packet_paths(log_of(cell, tmp_path), 2)
    found = moments(lives.row(0, named=True))
    assert (found["rx"], found["dl_tx"], found["dl_rx"], found["out"]) == (24.75, 26, 29.75, 29.75)
    assert lives["direction"][0] == "ul"
    # No rac_wait: it entered with the sub-frame boundary. Downlink: 1.25 + 3.75 = 5 ms.
    assert parts(lives) == pytest.approx(
        {"rar": 3, "bsr": 2, "bsr_decode": 3.75, "schedule": 0.25, "grant": 2, "air": 3.75,
         "dl_wait": 1.25, "dl": 3.75}
    )  # fmt: skip


def test_stealing_skips_the_data_grant(tmp_path: Path) -> None:
    cell = Cell()
    cell.carry(2, "IM", at(10), 40, tag=0, steal=True)
    lives = packet_paths(log_of(cell, tmp_path), 2)
    life = lives.row(0, named=True)
    assert life["access"] == "stolen"
    assert moments(life) == {
        "in": 10, "request": 10, "rar": 13, "bsr_tx": 15, "tx": 15, "tried": 18.75, "harq": 18.75, "rx": 18.75,
        "dl_tx": 20, "dl_tried": 23.75, "dl_harq": 23.75, "dl_rx": 23.75, "out": 23.75,
    }  # fmt: skip
    assert parts(lives) == pytest.approx({"rar": 3, "bsr": 2, "air": 3.75, "dl_wait": 1.25, "dl": 3.75})


def trailing(cell: Cell) -> None:
    """Packet 1 on a request at 10; packet 2 enters at 14 and follows its trailing BSR.

    The PDU at 21 carries packet 1 and a BSR, decoded at 24.75, granted at 25,
    packet 2 sent at 27, decoded and delivered at 30.75.
    """
    cell.carry(1, "DM", at(10), 1500, tag=1)
    pkt = {"pkt": 2, "tag": 2, "bytes": 1500}
    cell.add(at(14), "pkt_in", node=1, peer=2, dir="sl", **pkt)
    cell.add(at(21), "bsr_tx", node=1, bytes=1502, value=30, dir="sl")
    cell.add(at(24.75), "bsr_rx", peer=1, value=30, dir="sl", block=cell.blocks)
    cell.add(at(25), "grant", peer=1, dir="sl", rb=17, bytes=1551, value=2)
    cell._send(at(27), 1, 2, "sl", 1551, 1500, pkt)
    cell.add(at(30.75), "pkt_out", node=2, peer=1, **pkt)


def test_trailing_bsr(tmp_path: Path) -> None:
    cell = Cell()
    trailing(cell)
    lives = packet_paths(log_of(cell, tmp_path), 2)
    life = lives.row(1, named=True)
    assert life["access"] == "trailing"
    assert not life["buffer_empty"]  # packet 1 was still waiting
    assert (life["request_ns"], life["rar_ns"]) == (None, None)
    # In the queue from 14 to the BSR at 21, and then as any packet.
    assert parts(lives, 1) == pytest.approx({"queue": 7, "bsr_decode": 3.75, "schedule": 0.25, "grant": 2, "air": 3.75})


def test_waiting_behind_earlier_data_is_not_waiting_for_the_request(tmp_path: Path) -> None:
    """Packet 1: request 10, sent 21. Packet 2 enters at 16, its request goes out at 30."""
    cell = Cell()
    cell.carry(1, "DM", at(10), 1500, tag=1)
    cell.carry(1, "DM", at(29.5), 1500, tag=2)
    for row in cell.rows:  # it had been there since 16
        if row["event"] == "pkt_in" and row["pkt"] == 2:
            row["t_ns"] = at(16)
    lives = packet_paths(log_of(cell, tmp_path), 2)
    assert parts(lives, 1) == pytest.approx(
        {"queue": 5, "rac_wait": 9, "rar": 3, "bsr": 2, "bsr_decode": 3.75, "schedule": 0.25,
         "grant": 2, "air": 3.75}
    )  # fmt: skip


def test_a_packet_that_joins_a_request_begins_at_its_arrival(tmp_path: Path) -> None:
    """Packet 2 enters at 12, after packet 1's request at 10, and shares its PDU at 21."""
    cell = Cell()
    cell.carry(1, "DM", at(10), 1000, tag=1)
    pkt = {"pkt": 2, "tag": 2, "bytes": 400}
    cell.add(at(12), "pkt_in", node=1, peer=2, dir="sl", **pkt)
    cell.add(at(21), "rlc_tx", node=1, peer=2, dir="sl", aux=1, value=402, pkt=2, block=cell.blocks)
    cell.add(at(24.75), "pkt_out", node=2, peer=1, **pkt)
    lives = packet_paths(log_of(cell, tmp_path), 2)
    # RAR at 13 is 1 ms after its arrival.
    assert parts(lives, 1) == pytest.approx(
        {"rar": 1, "bsr": 2, "bsr_decode": 3.75, "schedule": 0.25, "grant": 2, "air": 3.75}
    )


def test_a_request_that_failed_is_part_of_the_wait(tmp_path: Path) -> None:
    """Preamble at 10 unanswered, timeout at 20, the next one at 25 is answered."""
    cell = Cell()
    cell.carry(1, "DM", at(25), 1500, tag=1)
    cell.rows[0]["t_ns"] = at(10)
    cell.add(at(10), "ra_preamble", node=1, value=1)
    cell.add(at(20), "ra_timeout", node=1, value=5)
    lives = packet_paths(log_of(cell, tmp_path), 2)
    assert moments(lives.row(0, named=True))["request"] == 25
    assert parts(lives)["rac_wait"] == 15


def test_lost_and_held_packets_have_no_end(tmp_path: Path) -> None:
    cell = Cell()
    cell.carry(1, "DM", at(10), 1500, tag=1)
    cell.rows = [
        row | ({"event": "mac_lost"} if row["event"] == "mac_rx" and row["dir"] == "sl" else {})
        for row in cell.rows
        if row["event"] != "pkt_out"
    ]
    cell.add(at(40), "pkt_in", node=1, peer=2, dir="sl", pkt=2, tag=2, bytes=1500)
    lives = packet_paths(log_of(cell, tmp_path), 2)
    assert lives["rx_ns"].to_list() == [None, None]
    assert lives["out_ns"].to_list() == [None, None]
    assert lives["tx_ns"].to_list() == [at(21), None]


def test_pdus_tell_how_they_were_granted(tmp_path: Path) -> None:
    cell = Cell()
    trailing(cell)
    pdus = uplink_pdus(log_of(cell, tmp_path), 1)
    assert [(t - START_NS) / MS for t in pdus["tx_ns"]] == [15, 21, 27]
    assert pdus["access"].cast(pl.String).to_list() == ["stolen", "request", "trailing"]
    assert pdus["on_rar"].to_list() == [True, False, False]
    # 89 bytes less 6 of C-RNTI and BSR elements; 1551 less 4 of MAC and RLC, 2 of PDCP.
    assert pdus["padding_bytes"].to_list() == [83, 45, 45]


def test_parts_add_up(tmp_path: Path) -> None:
    cell = Cell()
    trailing(cell)
    cell.carry(2, "IM", at(50.3), 40, tag=0, steal=True)
    cell.carry(1, "IM", at(70.7), 1500, tag=0)
    lives = packet_paths(log_of(cell, tmp_path), 2)
    total = way_parts(lives).sum_horizontal()
    assert total.to_list() == (lives["out_ns"] - lives["in_ns"]).to_list()
    assert way_parts(lives).columns == list(WAY_PARTS)
    assert way_parts(lives).select(pl.all().min()).row(0) >= (0,) * len(WAY_PARTS)


def from_network(cell: Cell, in_ms: float, sent_ms: list[float], pkt: int, out_ms: float) -> None:
    """A packet of a server to UE 1, sent once or, after losses, again."""
    row = {"pkt": pkt, "tag": 100 + pkt, "bytes": 1500}
    cell.add(at(in_ms), "pkt_in", node=0, peer=1, dir="dl", **row)
    for ms in sent_ms:
        cell._send(at(ms), 0, 1, "dl", 1551, 1500, row)
    cell.add(at(out_ms), "pkt_out", node=1, peer=0, dir="dl", **row)


def test_a_servers_packet_enters_at_the_enb(tmp_path: Path) -> None:
    cell = Cell()
    from_network(cell, 9.5, [11], 1, 14.75)
    from_network(cell, 10.5, [12], 2, 15.75)  # meets the first, which has not left yet
    from_network(cell, 12.5, [14], 3, 17.75)
    cell.pkts = 3
    cell.carry(1, "IM", at(20), 40, tag=7)
    lives = packet_paths(log_of(cell, tmp_path), 2)
    assert lives.select("pkt", "node", "direction", "buffer_empty").rows() == [
        (1, 0, "dl", True), (2, 0, "dl", False), (3, 0, "dl", True), (4, 1, "ul", True),
    ]  # fmt: skip
    assert moments(lives.row(0, named=True)) == {
        "in": 9.5, "dl_tx": 11, "dl_tried": 14.75, "dl_harq": 14.75, "dl_rx": 14.75, "out": 14.75,
    }  # fmt: skip
    assert parts(lives) == pytest.approx({"dl_wait": 1.5, "dl": 3.75})


def test_a_packet_sent_again_has_one_life(tmp_path: Path) -> None:
    """ARQ sends twice, and once more after the delivery; two PDUs go in each sub-frame."""
    cell = Cell()
    from_network(cell, 10, [11, 30, 50], 1, 33.75)
    for ms in (11, 30, 50):
        cell._send(at(ms), 0, 1, "dl", 1551, 0, None)
    lives = packet_paths(log_of(cell, tmp_path), 2)
    assert len(lives) == 1
    found = moments(lives.row(0, named=True))
    assert (found["dl_tx"], found["dl_rx"], found["out"]) == (30, 33.75, 33.75)
