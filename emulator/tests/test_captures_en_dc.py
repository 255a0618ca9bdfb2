# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark as the referee of EN-DC: one capture has blocks of LTE and of NR, and all packets of both."""

import shutil
from collections import Counter

import pytest
from wireshark import NETWORK_SIDE, events, fields, simulate, tcp_packet

N_PACKETS = 400
# PDCP of NR has the same header with LTE's RLC, which Wireshark is told here.
PDCP_OF_LTE = ("-o", "rlc-lte.call_pdcp_for_drb:18-bit SN")

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")


def simulate_en_dc(folder):
    """A burst that NR alone does not take at once. Return: radio.json."""
    payloads = [bytes(k % 251 for k in range(1 + 39 * i % 1400)) for i in range(N_PACKETS)]
    lines = [(i * 20_000, NETWORK_SIDE | 1, tcp_packet("10.46.0.1", "10.45.0.1", 1000 + 2000 * i, 1, payload))
             for i, payload in enumerate(payloads)]
    cell = {"system": "en_dc", "n_rb": 50, "rlc": {"mode": "am", "t_reassembly_ms": 20}, "rlc_am": {"sn_bits": 18},
            "pdcp": {"sn_bits": 18, "t_reordering_ms": 200}, "harq": {"max_attempts": 5, "bler": [0]},
            "nr": {"bandwidth_mhz": 10, "layers_dl": 1}, "en_dc": {"x2_us": 1000},
            "ues": [{"name": "ue1", "peer": "network", "mode": "im", "cqi_dl": 12, "second_cqi_dl": 9}]}
    return simulate(folder, lines, cell)


def test_one_capture_unfolds_to_tcp(tmp_path):
    radio = simulate_en_dc(tmp_path)
    assert radio["pkts_delivered"] == N_PACKETS
    rows = fields(tmp_path, "tcp", "tcp.seq_raw", "tcp.checksum.status", "mac-lte.ueid", "mac-nr.ueid",
                  options=PDCP_OF_LTE)
    seen = Counter(seq for row in rows for seq in row[0].split(","))
    assert seen == Counter(str(1000 + 2000 * i) for i in range(N_PACKETS))
    assert {status for row in rows for status in row[1].split(",")} == {"1"}
    assert {"mac-lte" for row in rows if row[2]} | {"mac-nr" for row in rows if row[3]} == {"mac-lte", "mac-nr"}
    for kind, enb in (("mac-lte", 0), ("mac-nr", 1)):
        blocks = [row for row in events(tmp_path, "mac_rx") if row["enb"] == enb]
        assert len(fields(tmp_path, f"{kind}.direction", "frame.number")) >= len(blocks) > 10
    assert fields(tmp_path, "_ws.malformed", "frame.number", options=PDCP_OF_LTE) == []
