# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark reads the GTP-U packets that the core builds as they were meant."""

import os
import re
import shutil
import socket
import struct
import subprocess
from pathlib import Path

import cffi
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLBED_BUILD", ROOT / "build"))
LINKTYPE_RAW = 101
SGW, SENB, TENB = "10.60.0.1", "10.60.1.1", "10.60.2.1"

PREFIX6 = bytes.fromhex("fd63656c6c620a3c") + bytes(4)

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")


@pytest.fixture(scope="module")
def gtpu():
    ffi = cffi.FFI()
    header = (ROOT / "emulator/core/epc/gtpu.h").read_text()
    header = re.sub(r"^#include.*$", "", header, flags=re.M)
    ffi.cdef(subprocess.run(["cc", "-E", "-P", "-"], input=header, capture_output=True, text=True, check=True).stdout)
    return ffi, ffi.dlopen(str(BUILD / "emulator/core/libcellcore-test.so"))


def address(text):
    return struct.unpack(">I", socket.inet_aton(text))[0]


def udp_packet(payload):
    """An IPv4/UDP packet without a UDP checksum, from a server to a UE."""
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 28 + len(payload), 1, 0x4000, 64, 17, 0)
    ip += socket.inet_aton("10.46.1.1") + socket.inet_aton("10.45.0.1")
    total = sum(struct.unpack(">10H", ip))
    total = (total & 0xFFFF) + (total >> 16)
    ip = ip[:10] + struct.pack(">H", ~total & 0xFFFF) + ip[12:]
    return ip + struct.pack(">HHHH", 40000, 40001, 8 + len(payload), 0) + payload


def dissect(folder, packets, *names):
    """Values of the fields of every packet, one list each; occurrences of a field comma-separated."""
    capture = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, LINKTYPE_RAW)
    for i, data in enumerate(packets):
        capture += struct.pack("<IIII", i, 0, len(data), len(data)) + data
    (folder / "gtpu.pcap").write_bytes(capture)
    args = ["tshark", "-r", folder / "gtpu.pcap", "-T", "fields", "-o", "udp.check_checksum:TRUE",
            "-o", "ip.check_checksum:TRUE"]
    for name in names:
        args += ["-e", name]
    done = subprocess.run(args, capture_output=True, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_wireshark_reads_tunnel_packets(gtpu, tmp_path):
    ffi, lib = gtpu
    inner = [udp_packet(bytes(range(n))) for n in (1, 100, 255)]
    meant = [  # header fields, T-PDU
        ({"src": SGW, "dst": SENB, "teid": 0x1001, "type": lib.GTPU_G_PDU, "tos": 2}, inner[0]),
        ({"src": SENB, "dst": TENB, "teid": 0x2001, "type": lib.GTPU_G_PDU, "has_pdcp_sn": True, "pdcp_sn": 4095},
         inner[1]),
        ({"src": SENB, "dst": TENB, "teid": 0x2001, "type": lib.GTPU_G_PDU}, inner[2]),
        ({"src": SENB, "dst": TENB, "teid": 0x2001, "type": lib.GTPU_END_MARKER}, b""),
    ]
    packets = []
    for i, (fields, data) in enumerate(meant):
        h = ffi.new("struct gtpu *", {**fields, "src": address(fields["src"]), "dst": address(fields["dst"])})
        buf = ffi.new("uint8_t[]", lib.gtpu_header_bytes(h) + len(data))
        lib.gtpu_pack(h, i, data, len(data), buf)
        packets.append(bytes(ffi.buffer(buf)))
    good = dissect(tmp_path, packets, "frame.protocols", "gtp.message", "gtp.teid", "gtp.ext_hdr.pdcp_sn",
                   "ip.src", "ip.checksum.status", "udp.checksum.status", "ip.dsfield.ecn")
    server = "10.46.1.1"
    assert good == [
        ["raw:ip:udp:gtp:ip:udp:data", "0xff", "0x00001001", "", f"{SGW},{server}", "1,1", "1,3", "2,0"],
        ["raw:ip:udp:gtp:ip:udp:data", "0xff", "0x00002001", "4095", f"{SENB},{server}", "1,1", "1,3", "0,0"],
        ["raw:ip:udp:gtp:ip:udp:data", "0xff", "0x00002001", "", f"{SENB},{server}", "1,1", "1,3", "0,0"],
        ["raw:ip:udp:gtp", "0xfe", "0x00002001", "", SENB, "1", "1", "0"],
    ]
    assert dissect(tmp_path, packets, "_ws.malformed", "_ws.expert.message") == [["", ""]] * len(packets)


def test_wireshark_reads_tunnel_packets_over_ipv6(gtpu, tmp_path):
    """With the checksum that IPv6 wants of UDP. Source: RFC 8200 8.1"""
    ffi, lib = gtpu
    packets = []
    for n, fields in enumerate(({"tos": 2}, {"has_pdcp_sn": True, "pdcp_sn": 4095}, {"has_qfi": True, "qfi": 9},
                                {"type": lib.GTPU_END_MARKER})):
        data = b"" if "type" in fields else udp_packet(bytes(range(50 + n)))
        h = ffi.new("struct gtpu *", {"src": 1, "dst": 0x101, "ipv6": True, "prefix": PREFIX6, "teid": 0x1001,
                                      "type": lib.GTPU_G_PDU, **fields})
        buf = ffi.new("uint8_t[]", lib.gtpu_header_bytes(h) + len(data))
        lib.gtpu_pack(h, 0, data, len(data), buf)
        packets.append(bytes(ffi.buffer(buf)))
    ends = ["fd63:656c:6c62:a3c::1", "fd63:656c:6c62:a3c::101"]
    assert dissect(tmp_path, packets, "ipv6.src", "ipv6.dst", "udp.checksum.status", "gtp.message", "gtp.teid") == [
        *[[*ends, "1,3", "0xff", "0x00001001"]] * 3, [*ends, "1", "0xfe", "0x00001001"]]
    assert [row[0] for row in dissect(tmp_path, packets, "ipv6.tclass.ecn")] == ["2", "0", "0", "0"]
    assert dissect(tmp_path, packets, "_ws.malformed", "_ws.expert.message") == [["", ""]] * len(packets)
