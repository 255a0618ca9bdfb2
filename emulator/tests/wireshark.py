# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets through cellsim, and what tshark with the project's profile reads in the radio.pcap that comes of it."""

import json
import os
import socket
import struct
import subprocess
from pathlib import Path

from dpkt.dpkt import in_cksum
from tracereader import read_trace

ROOT = Path(__file__).resolve().parents[2]
CELLSIM = Path(os.environ.get("CELLBED_BUILD", ROOT / "build")) / "emulator/sim/cellsim"
#: Added to a UE's number: its port behind the eNB.
NETWORK_SIDE = 0x80
#: Of no protocol that Wireshark would look for in the payload.
UNKNOWN_PORT = 50009


def tcp_packet(source, dest, seq, ack, payload):
    """An IPv4/TCP packet with right checksums."""
    addresses = socket.inet_aton(source) + socket.inet_aton(dest)
    tcp = struct.pack(">HHIIBBHHH", 40000, UNKNOWN_PORT, seq, ack, 5 << 4, 0x10, 8192, 0, 0) + payload
    tcp = tcp[:16] + struct.pack(">H", in_cksum(addresses + struct.pack(">BBH", 0, 6, len(tcp)) + tcp)) + tcp[18:]
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 1, 0x4000, 64, 6, 0) + addresses
    return ip[:10] + struct.pack(">H", in_cksum(ip)) + ip[12:] + tcp


def simulate(folder, lines, cell, **others):
    """Packets (t_ns, port, bytes) through cellsim. Return: radio.json."""
    lines.sort(key=lambda line: line[0])
    (folder / "arrivals.txt").write_text(
        "".join(f"{t} {port} {len(data)} {i:x} {data.hex()}\n" for i, (t, port, data) in enumerate(lines)))
    (folder / "config.json").write_text(json.dumps({"format": 1, "seed": 7, "cell": cell, **others}))
    subprocess.run([CELLSIM, "--config", folder / "config.json", "--arrivals", folder / "arrivals.txt",
                    "--out", folder / "out"], check=True)
    return json.loads((folder / "out/radio.json").read_text())


def fields(folder, display_filter, *names, options=()):
    """Rows of field values of the frames that match; every occurrence of a field, comma-separated.

    Args:
        options: further ones of tshark.
    """
    args = ["tshark", "-C", "cellbed", *options, "-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE",
            "-r", folder / "out/radio.pcap", "-Y", display_filter, "-T", "fields"]
    for name in names:
        args += ["-e", name]
    env = {**os.environ, "WIRESHARK_CONFIG_DIR": str(ROOT / "captures/wireshark")}
    done = subprocess.run(args, capture_output=True, text=True, check=True, env=env)
    return [line.split("\t") for line in done.stdout.splitlines()]


def occurrences(folder, display_filter, name):
    """Values of a field over all frames that match, one by one."""
    return [value for (values,) in fields(folder, display_filter, name) for value in values.split(",") if value]


def events(folder, name):
    return [row for row in read_trace(folder / "out/radio.trace") if row["event"] == name]
