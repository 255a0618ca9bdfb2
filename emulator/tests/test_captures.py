# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark as the referee: it dissects radio.pcap without complaint and counts what the core counted."""

import json
import os
import shutil
import socket
import struct
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CELLSIM = Path(os.environ.get("CELLBED_BUILD", ROOT / "build")) / "emulator/sim/cellsim"
N_SEGMENTS = 37

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")


def tcp_packet(source, dest, seq, ack, payload):
    """An IPv4/TCP packet with right checksums."""
    def checksum(data):
        data += b"\0" * (len(data) % 2)
        total = sum(struct.unpack(f">{len(data) // 2}H", data))
        while total >> 16:
            total = (total & 0xFFFF) + (total >> 16)
        return ~total & 0xFFFF

    addresses = socket.inet_aton(source) + socket.inet_aton(dest)
    tcp = struct.pack(">HHIIBBHHH", 40000, 5201, seq, ack, 5 << 4, 0x10, 8192, 0, 0) + payload
    tcp = tcp[:16] + struct.pack(">H", checksum(addresses + struct.pack(">BBH", 0, 6, len(tcp)) + tcp)) + tcp[18:]
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 1, 0x4000, 64, 6, 0) + addresses
    return ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:] + tcp


def play(folder, mode, bler=0.0):
    """UE 1 sends bursts of segments of many sizes, UE 2 small ACKs. Return: radio.json."""
    lines = []
    for i in range(N_SEGMENTS):
        data = tcp_packet("10.45.0.1", "10.45.0.2", 1000 + 2000 * i, 1, bytes((i + k) % 251 for k in range(1 + 39 * i)))
        lines.append((i // 5 * 40_000_000 + i, 1, data))
        ack = tcp_packet("10.45.0.2", "10.45.0.1", 1, 1000 + 2000 * i, b"")
        lines.append((i // 5 * 40_000_000 + 20_000_000 + i, 2, ack))
    lines.sort(key=lambda line: line[0])
    (folder / "arrivals.txt").write_text(
        "".join(f"{t} {ue} {len(data)} {i:x} {data.hex()}\n" for i, (t, ue, data) in enumerate(lines)))
    ues = [{"name": "ue1", "peer": "ue2", "mode": mode, "bler_ul": bler, "bler_sl": bler},
           {"name": "ue2", "peer": "ue1", "mode": mode}]
    (folder / "config.json").write_text(json.dumps({"format": 1, "seed": 7, "cell": {"ues": ues}}))
    subprocess.run([CELLSIM, "--config", folder / "config.json", "--arrivals", folder / "arrivals.txt",
                    "--out", folder / "out"], check=True)
    return json.loads((folder / "out/radio.json").read_text())


def fields(folder, display_filter, *names):
    """Rows of field values of the frames that match; every occurrence of a field, comma-separated."""
    args = ["tshark", "-C", "cellbed", "-r", folder / "out/radio.pcap", "-Y", display_filter, "-T", "fields"]
    for name in names:
        args += ["-e", name]
    env = {**os.environ, "WIRESHARK_CONFIG_DIR": str(ROOT / "captures/wireshark")}
    done = subprocess.run(args, capture_output=True, text=True, check=True, env=env)
    return [line.split("\t") for line in done.stdout.splitlines()]


@pytest.mark.parametrize("mode", ["dm", "im"])
def test_every_frame_dissects(tmp_path, mode):
    radio = play(tmp_path, mode)
    assert fields(tmp_path, "_ws.malformed", "frame.number") == []
    assert fields(tmp_path, "_ws.expert.severity == error", "frame.number") == []
    assert len(fields(tmp_path, "mac-lte.preamble-sent", "frame.number")) == radio["ra_preambles"]
    assert len(fields(tmp_path, "mac-lte.ulsch", "frame.number")) == (
        radio["ul"]["mac_pdus"] + radio["sl"]["mac_pdus"])
    assert len(fields(tmp_path, "mac-lte.dlsch", "frame.number")) == radio["dl"]["mac_pdus"]
    assert len(fields(tmp_path, "mac-lte.control.bsr", "frame.number")) == radio["bsrs"]
    assert len(fields(tmp_path, "rlc-lte.um", "frame.number")) == radio["rlc_pdus_tx"]


@pytest.mark.parametrize(("mode", "legs"), [("dm", 1), ("im", 2)])
def test_one_capture_unfolds_to_tcp(tmp_path, mode, legs):
    """Every segment is reassembled from its RLC PDUs, with its checksum right, once on every leg."""
    play(tmp_path, mode)
    rows = fields(tmp_path, "tcp", "ip.src", "tcp.seq_raw", "tcp.len", "tcp.checksum.status")
    segments = [(ip, int(seq)) for row in rows for ip, seq in zip(row[0].split(","), row[1].split(","), strict=True)]
    sent = [("10.45.0.1", 1000 + 2000 * i) for i in range(N_SEGMENTS)]
    assert sorted(s for s in segments if s[0] == "10.45.0.1") == sorted(sent * legs)
    assert sum(s[0] == "10.45.0.2" for s in segments) == N_SEGMENTS * legs
    lengths = [int(n) for row in rows for n in row[2].split(",")]
    assert sum(lengths) == legs * sum(1 + 39 * i for i in range(N_SEGMENTS))


def test_lost_pdus_are_marked(tmp_path):
    """Residual block errors: a lost PDU's CRC status says so, Wireshark then leaves its bytes alone, and only its."""
    radio = play(tmp_path, "im", bler=0.2)
    lost = sum(radio[d]["mac_lost"] for d in ("ul", "dl", "sl"))
    assert lost > 0
    failed = fields(tmp_path, "mac-lte.crc-status == 0", "frame.number")
    assert len(failed) == lost
    assert fields(tmp_path, "_ws.malformed", "frame.number") == failed
