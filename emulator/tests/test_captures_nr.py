# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark as the referee of NR: it dissects MAC, RLC, PDCP, IP and TCP without complaint and finds every packet."""

import shutil
from collections import Counter

import pytest
from wireshark import NETWORK_SIDE, events, fields, occurrences, simulate, tcp_packet

N_PACKETS = 400
SLOTS = 20  # of a radio frame at numerology 1

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")


def simulate_nr(folder, *, ladder=(0.0,), bler_dl=0.0, bearers=(), gap_ns=100_000, largest=1400, nr=None, **cell):
    """A server sends to a UE, which answers every second packet. Return: radio.json."""
    lines = []
    for i in range(N_PACKETS):
        payload = bytes((i + k) % 251 for k in range(1 + 39 * i % largest))
        lines.append((i * gap_ns, NETWORK_SIDE | 1, tcp_packet("10.46.0.1", "10.45.0.1", 1000 + 2000 * i, 1, payload)))
        if i % 2 == 0:
            lines.append((i * gap_ns + 1000, 1, tcp_packet("10.45.0.1", "10.46.0.1", 1, 1000 + 2000 * i, b"")))
    ue = {"name": "ue1", "peer": "network", "mode": "im", "cqi_dl": 9, "cqi_ul": 9, "bler_dl": bler_dl,
          "bearers": list(bearers)}
    am = {"rlc": {"mode": "am", "t_reassembly_ms": 20}, "rlc_am": {"sn_bits": 18}, "pdcp": {"sn_bits": 18}}
    cell = {"system": "nr", "harq": {"max_attempts": 5, "bler": list(ladder)}, **am, "ues": [ue], **cell}
    return simulate(folder, lines, {**cell, "nr": {"bandwidth_mhz": 20, "layers_dl": 1, **(nr or {})}})


def segments(folder):
    """(sender, sequence number) of each TCP segment that Wireshark unfolds, all with good checksums."""
    rows = fields(folder, "tcp", "ip.src", "tcp.seq_raw", "ip.checksum.status", "tcp.checksum.status")
    assert {status for row in rows for status in ",".join(row[2:]).split(",")} == {"1"}
    return [one for row in rows for one in zip(*(column.split(",") for column in row[:2]), strict=True)]


def sent():
    down = [("10.46.0.1", str(1000 + 2000 * i)) for i in range(N_PACKETS)]
    return down + [("10.45.0.1", "1")] * (N_PACKETS // 2)


def complaints(folder):
    """What Wireshark's experts warn of, in any layer."""
    rows = fields(folder, "_ws.expert.severity >= 0x600000 || _ws.malformed", "frame.number", "_ws.expert.message")
    return [message for _, message in rows]


@pytest.mark.parametrize("duplex", ["fdd", "tdd"])
def test_one_capture_unfolds_to_tcp_without_complaint(tmp_path, duplex):
    """Every packet once, every block with its slot, which carries that direction."""
    radio = simulate_nr(tmp_path, nr={"duplex": duplex})
    assert complaints(tmp_path) == []
    assert Counter(segments(tmp_path)) == Counter(sent())
    assert len(fields(tmp_path, "mac-nr.direction == 1", "frame.number")) == radio["dl"]["mac_pdus"]
    assert len(fields(tmp_path, "mac-nr.direction == 0", "frame.number")) == radio["ul"]["mac_pdus"]
    assert len(occurrences(tmp_path, "rlc-nr.am", "rlc-nr.am.sn")) >= N_PACKETS
    rows = fields(tmp_path, "mac-nr", "mac-nr.direction", "mac-nr.sfn", "mac-nr.slot", "mac-nr.harqid", "mac-nr.ueid")
    told = Counter((("ul", "dl")[int(way)], int(sfn) * SLOTS + int(slot)) for way, sfn, slot, _, _ in rows)
    assert told == Counter((row["dir"], row["sn"]) for row in events(tmp_path, "mac_rx"))
    assert {row[4] for row in rows} == {"1"} and len({row[3] for row in rows}) > 1
    if duplex == "tdd":
        assert {"DDDSU"[slot % 5] for (way, slot) in told if way == "ul"} == {"U"}
        assert {"DDDSU"[slot % 5] for (way, slot) in told if way == "dl"} <= {"D", "S"}


@pytest.mark.parametrize(("mode", "kind"), [
    ({"rlc": {"mode": "am", "t_reassembly_ms": 20}, "rlc_am": {"sn_bits": 12}}, "am"),
    ({"rlc": {"mode": "um", "t_reassembly_ms": 20}, "rlc_um": {"sn_bits": 12}}, "um"),
    ({"rlc": {"mode": "um", "t_reassembly_ms": 20}, "rlc_um": {"sn_bits": 6}}, "um"),
], ids=["am12", "um12", "um6"])
def test_other_modes_of_rlc_have_channels_of_their_own(tmp_path, mode, kind):
    """Short packets, which no block cuts: UM segments are left alone."""
    simulate_nr(tmp_path, gap_ns=1_000_000, largest=200, **mode)
    assert complaints(tmp_path) == []
    assert Counter(segments(tmp_path)) == Counter(sent())
    assert len(fields(tmp_path, f"rlc-nr.{kind}", "frame.number")) > N_PACKETS / 4


@pytest.mark.parametrize("bler_dl", [0.0, 0.1], ids=["harq", "arq"])
def test_what_was_not_decoded_is_not_in_it(tmp_path, bler_dl):
    """HARQ's failed attempts and what it gave up; RLC sends that again, and every packet comes all the same.

    Wireshark 4.0 puts segments of an SDU together when its last one comes last. Where RLC sends again, two SDUs may be
    cut in one block, whose pieces it confuses, so then only headers are looked at.
    """
    radio = simulate_nr(tmp_path, ladder=(0.3, 0.05, 0.0), bler_dl=bler_dl)
    assert radio["dl"]["harq_retx"] > 10 and radio["pkts_delivered"] == radio["pkts_in"]
    assert len(fields(tmp_path, "mac-nr", "frame.number")) == len(events(tmp_path, "mac_rx"))
    shown = occurrences(tmp_path, "rlc-nr.am && mac-nr.direction == 1", "rlc-nr.am.sn")
    heard = [row["sn"] for row in events(tmp_path, "rlc_rx") if row["dir"] == "dl"]
    assert Counter(map(int, shown)) == Counter(heard)
    if bler_dl:
        assert radio["dl"]["mac_lost"] > 0 and radio["rlc_retx"] > 0
        return
    assert fields(tmp_path, "_ws.malformed || _ws.expert.severity == error", "frame.number") == []
    missing = Counter(sent()) - Counter(segments(tmp_path))
    assert sum(missing.values()) < N_PACKETS / 5


def test_buffer_status_and_random_access(tmp_path):
    """A UE without occasions for requests asks by preambles; the answers are rows, and the reports elements."""
    simulate_nr(tmp_path, gap_ns=5_000_000, nr={"sr_period_slots": 0})
    assert complaints(tmp_path) == []
    answers = fields(tmp_path, "mac-nr.rar", "mac-nr.rnti-type", "mac-nr.rar.rapid")
    assert len(answers) == len(events(tmp_path, "ra_response")) > 10
    assert {row[0] for row in answers} == {"2"}
    assert len(occurrences(tmp_path, "mac-nr", "mac-nr.control.bsr.short.lcg")) > 10
    assert Counter(segments(tmp_path)) == Counter(sent())


def test_a_block_of_more_than_a_hundred_packets_unfolds(tmp_path):
    """Of short packets, in one slot of 100 MHz: more layers than Wireshark shows without the profile."""
    simulate_nr(tmp_path, gap_ns=1, largest=40, nr={"bandwidth_mhz": 100, "layers_dl": 4})
    packets = [row[1].count(",") + 1 for row in fields(tmp_path, "tcp", "frame.number", "tcp.seq_raw")]
    assert max(packets) > 100
    assert complaints(tmp_path) == []
    assert Counter(segments(tmp_path)) == Counter(sent())


def test_both_cells_of_a_duplicated_bearer_unfold(tmp_path):
    """Two bearers to Wireshark, on cells with C-RNTIs of their own."""
    simulate_nr(tmp_path, pdcp={"sn_bits": 18, "duplication": True})
    assert fields(tmp_path, "_ws.malformed || _ws.expert.severity == error", "frame.number") == []
    rows = occurrences(tmp_path, "pdcp-nr", "pdcp-nr.bearer-id")
    cells = Counter(rows)
    assert set(cells) == {"1", "2"} and min(cells.values()) > N_PACKETS / 2
    assert len(set(occurrences(tmp_path, "mac-nr", "mac-nr.rnti"))) == 2
    ended = Counter((row["dir"], row["enb"]) for row in events(tmp_path, "pdcp_copy"))
    assert sum(ended.values()) == N_PACKETS + N_PACKETS // 2
    assert {sequence for _, sequence in segments(tmp_path)} == {sequence for _, sequence in sent()}
