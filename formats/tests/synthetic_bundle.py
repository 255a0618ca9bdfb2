# SPDX-License-Identifier: GPL-2.0-or-later
"""A small result bundle in the documented formats, for tests only.

One segment and its ACK at a time cross a cell by the timeline of Figure 4, so
every metric can be worked out by hand:

    data: captured -0.23, enters -0.22, RAC request 0, RAR 3, BSR 5, decoded 8.75,
    grant 9, sent 11, decoded 14.75 (+ downlink: sent 16, decoded 19.75)
    ACK: enters 0.01 ms after the data left, request at the next sub-frame, and so
    on; captured 0.01 ms after it left. With stealing it goes with the BSR.
"""

from __future__ import annotations

import dataclasses
import json
import struct
from decimal import Decimal
from pathlib import Path
from typing import Any

import dpkt

from cellbed_formats import checksums
from cellbed_formats.inside import Inside

MS = 1_000_000
OFFSET_NS = 1_600_000_000_000_000_000  # CLOCK_REALTIME minus CLOCK_MONOTONIC
START_NS = 5_000_000_000
SADDR, DADDR = "10.45.0.1", "10.45.0.2"
SPORT, CONTROL_SPORT, PORT = 40002, 40000, 5201
ISN_DATA, ISN_ACK = 0xFFFF0000, 7000  # the data's sequence numbers wrap on the way
PAYLOAD, COOKIE = 1460, 37

RADIO_FIELDS = (
    ("t_ns", "i64"), ("tag", "u64"), ("pkt", "u32"), ("bytes", "u32"), ("sn", "u32"),
    ("value", "i32"), ("event", "u16"), ("rb", "u16"), ("node", "u8"), ("peer", "u8"),
    ("dir", "u8"), ("lcid", "u8"), ("mcs", "u8"), ("cqi", "u8"), ("aux", "u8"),
    ("enb", "u8"), ("block", "u32"),
)  # fmt: skip
EVENTS = (
    "none", "pkt_in", "pkt_out", "pkt_drop", "ra_preamble", "ra_collision", "ra_response",
    "ra_timeout", "bsr_tx", "bsr_rx", "grant", "mac_tx", "mac_rx", "mac_lost", "rlc_tx", "rlc_rx",
    "rlc_discard", "t_reordering", "buffer", "route", "harq_nack", "harq_tx", "rlc_retx",
)  # fmt: skip
DIRS = ("ul", "dl", "sl")
DROPS = ("none", "queue_full", "radio_loss", "rlc_discard", "pdcp_discard", "shutdown")
RADIO_SYMBOLS = {
    name: {str(i): label for i, label in enumerate(labels)}
    for name, labels in (("event", EVENTS), ("dir", DIRS), ("drop", DROPS))
}

TCP_FIELDS = (
    ("t_ns", "i64"), ("cookie", "u64"), ("saddr", "u32"), ("daddr", "u32"), ("sport", "u16"),
    ("dport", "u16"), ("kind", "u8"), ("ca_state", "u8"), ("tcp_flags", "u8"), ("state", "u8"),
    *((name, "u32") for name in (
        "seq", "ack", "len", "snd_una", "snd_nxt", "rcv_nxt", "snd_cwnd", "snd_ssthresh", "mss",
        "srtt_us", "mdev_us", "rtt_us", "min_rtt_us", "packets_out", "retrans_out", "lost_out",
        "sacked_out", "total_retrans", "delivered", "snd_wnd", "arg",
    )),
)  # fmt: skip
KINDS = ("segment_out", "segment_in", "rtt", "rto", "retransmit", "state")
TCP_SYMBOLS = {"kind": {str(i + 1): name for i, name in enumerate(KINDS)}}
SIZES = {"8": 1, "16": 2, "32": 4, "64": 8}
CODES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i32": "i", "i64": "q"}


def trace_bytes(
    name: str,
    fields: tuple[tuple[str, str], ...],
    symbols: dict[str, dict[str, str]],
    records: list[dict[str, int]],
    record_bytes: int,
) -> bytes:
    """A trace file; fields lie back to back from the record's start."""
    described, offset = [], 0
    for field, kind in fields:
        described.append({"name": field, "type": kind, "offset": offset, "unit": "1"})
        offset += SIZES[kind[1:]]
    head: dict[str, Any] = {
        "format": "cellbed-trace", "name": name, "version": 1, "header_bytes": 0,
        "record_bytes": record_bytes, "clock": "CLOCK_MONOTONIC",
        "realtime_offset_ns": OFFSET_NS, "fields": described, "symbols": symbols,
    }  # fmt: skip
    length = (len(json.dumps(head)) + 8 + 63) // 64 * 64
    head["header_bytes"] = length
    line = json.dumps(head).encode()
    code = struct.Struct("<" + "".join(CODES[kind] for _, kind in fields))
    body = b"".join(
        code.pack(*(record.get(field, 0) for field, _ in fields)).ljust(record_bytes, b"\0") for record in records
    )
    return line + b" " * (length - len(line) - 1) + b"\n" + body


def radio_trace_bytes(rows: list[dict[str, Any]]) -> bytes:
    """radio.trace from rows with event and dir by name."""
    records = [
        row | {"event": EVENTS.index(row["event"]), "dir": DIRS.index(row.get("dir", "ul"))}
        for row in sorted(rows, key=lambda row: row["t_ns"])
    ]
    return trace_bytes("radio", RADIO_FIELDS, RADIO_SYMBOLS, records, 48)


@dataclasses.dataclass
class Cell:
    """Writes the trace rows of packets that meet nobody."""

    rows: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    pkts: int = 0
    blocks: int = 0

    def add(self, t_ns: int, event: str, **fields: Any) -> None:
        """One row."""
        self.rows.append({"t_ns": t_ns, "event": event} | fields)

    def carry(self, node: int, mode: str, in_ns: int, size: int, tag: int, steal: bool = False) -> int:
        """A packet from `node` to the other UE; returns when it leaves there."""
        peer = 3 - node
        self.pkts += 1
        pkt = {"pkt": self.pkts, "tag": tag, "bytes": size}
        direction = "sl" if mode == "DM" else "ul"
        self.add(in_ns, "pkt_in", node=node, peer=peer, dir=direction, **pkt)
        self.add(in_ns, "buffer", node=node, dir=direction, bytes=size + 2, value=1)
        request = -(-(in_ns - START_NS) // MS) * MS + START_NS
        self.add(request, "ra_preamble", node=node, value=1)
        self.add(request + 3 * MS, "ra_response", peer=node, dir="dl", rb=1, bytes=89, value=2)
        bsr = request + 5 * MS
        stolen = steal and mode == "IM"
        left = 0 if stolen else size + 2
        self._send(bsr, node, 0, "ul", 89, size if stolen else 0, pkt if stolen else None, msg3=1)
        self.add(bsr, "bsr_tx", node=node, bytes=left, value=9)
        self.add(bsr + 3_750_000, "bsr_rx", peer=node, dir=direction, value=9, block=self.blocks)
        sent = bsr
        if not stolen:
            sent = bsr + 6 * MS
            self.add(bsr + 4 * MS, "grant", peer=node, dir=direction, rb=17, bytes=1551, cqi=15, value=2)
            self._send(sent, node, peer if direction == "sl" else 0, direction, 1551, size, pkt)
        self.add(sent, "buffer", node=node, dir=direction, bytes=0, value=0)
        out = sent + 3_750_000
        if mode == "IM":
            down = sent + 5 * MS
            self.add(down - MS, "grant", peer=peer, dir="dl", rb=17, bytes=1551, cqi=15, value=1)
            self._send(down, 0, peer, "dl", 1551, size, pkt)
            out = down + 3_750_000
        self.add(out, "pkt_out", node=peer, peer=node, **pkt)
        return out

    def _send(
        self, t_ns: int, node: int, peer: int, direction: str, block: int, size: int,
        pkt: dict[str, int] | None, msg3: int = 0,
    ) -> None:  # fmt: skip
        self.blocks += 1
        block_row = {"node": node, "peer": peer, "dir": direction, "block": self.blocks}
        sent = {"sn": (t_ns - START_NS) // MS, "bytes": block}
        used = 6 if pkt is None else 4 + size + 2  # headers and the packet with PDCP
        if pkt is not None:
            row = {"pkt": pkt["pkt"], "tag": pkt["tag"], "bytes": size + 4, "value": size + 2}
            self.add(t_ns, "rlc_tx", aux=1, **row, **block_row)
        self.add(t_ns, "mac_tx", value=block - used, aux=msg3, **sent, **block_row)
        self.add(t_ns + 3_750_000, "mac_rx", **sent, **block_row | {"node": peer, "peer": node})


def tcp_packet(forward: bool, seq: int, ack: int, payload: int, flags: int = 0x10, sport: int = SPORT) -> bytes:
    """An IPv4 TCP packet of the flow, cut as a capture's snap length would."""
    ports = (sport, PORT) if forward else (PORT, sport)
    segment = dpkt.tcp.TCP(sport=ports[0], dport=ports[1], seq=seq % 2**32, ack=ack % 2**32, flags=flags, win=8192)
    segment.data = b"x" * payload
    ends = (bytes(map(int, SADDR.split("."))), bytes(map(int, DADDR.split("."))))
    packet = dpkt.ip.IP(src=ends[not forward], dst=ends[forward], p=6, data=segment)
    packet.len = 40 + payload
    return bytes(packet)[:128]


def echo(src: str, dst: str, kind: int, number: int, seq: int, payload: int = 56) -> bytes:
    """An IPv4 message of ICMP: an echo request (kind 8), a reply (0), or another."""
    packet = dpkt.ip.IP(src=bytes(map(int, src.split("."))), dst=bytes(map(int, dst.split("."))), p=1,
                        data=struct.pack(">BBHHH", kind, 0, 0, number, seq) + b"x" * payload)
    packet.len = 28 + payload
    return bytes(packet)


def write_pcap(path: Path, packets: list[tuple[int, bytes]], link: int = 101) -> None:
    """Nanosecond pcap from (CLOCK_MONOTONIC ns, packet) in order of time."""
    with path.open("wb") as file:
        writer = dpkt.pcap.Writer(file, snaplen=128, linktype=link, nano=True)
        for t_ns, packet in sorted(packets, key=lambda item: item[0]):
            writer.writepkt(packet, ts=Decimal(t_ns + OFFSET_NS) / 10**9)


def address(dotted: str) -> int:
    """An address as the probe writes it: the first octet in the high byte."""
    return int.from_bytes(bytes(map(int, dotted.split("."))), "big")


def write_bundle(
    results: Path,
    combination: str = "DM-DM",
    scenario: str = "d2d-nardini/static",
    window: str = "8KiB",
    seed: int = 1,
    duration_s: float = 6.0,
    steal: bool = True,
    probe_extra_us: int = 7,
    claims: list[dict[str, Any]] | None = None,
    **manifest: Any,
) -> Path:
    """Write a bundle with one segment per round trip; returns its directory."""
    data_mode, ack_mode = combination.split("-")
    path = results / f"{combination}-{window}-seed{seed}-0123456789"
    path.mkdir(parents=True)
    cell = Cell()
    here: list[tuple[int, bytes]] = []  # at the sender
    there: list[tuple[int, bytes]] = []
    samples: list[dict[str, int]] = []
    _connect(here, there)
    at, position, received = START_NS + 20 * MS, 1, 0
    while at < START_NS + duration_s * 1e9:
        size = PAYLOAD if received else COOKIE
        seq, ack = (ISN_DATA + position) % 2**32, ISN_ACK + 1
        captured = at - 230_000
        out = cell.carry(1, data_mode, at - 220_000, size + 40, seq << 32 | ack)
        position += size
        received += size
        end = (ISN_DATA + position) % 2**32
        back = cell.carry(2, ack_mode, out + 10_000, 40, ack << 32 | end, steal)
        here += [(captured, tcp_packet(True, seq, ack, size))]
        here += [(back + 10_000, tcp_packet(False, ack, end, 0))]
        there += [(out + 5_000, tcp_packet(True, seq, ack, size))]
        there += [(out + 8_000, tcp_packet(False, ack, end, 0))]
        rtt_us = (back + 10_000 - captured) // 1000 + probe_extra_us
        samples += _probe_rows(back + 15_000, end, rtt_us)
        at = -(-(back - START_NS + 300_000) // MS) * MS + START_NS
    write_pcap(path / "ip-ue1.pcap", here)
    write_pcap(path / "ip-ue2.pcap", there)
    (path / "radio.trace").write_bytes(radio_trace_bytes(cell.rows))
    (path / "tcp.trace").write_bytes(trace_bytes("tcp", TCP_FIELDS, TCP_SYMBOLS, samples, 128))
    _write_json_files(path, data_mode, ack_mode, received - COOKIE, duration_s)
    content = _manifest(combination, scenario, window, seed, duration_s, claims or []) | manifest
    (path / "manifest.json").write_text(json.dumps(content))
    return path


def seal(path: Path) -> Path:
    """Give a bundle checksums, as the end of a run does."""
    manifest = json.loads((path / "manifest.json").read_text())
    (path / "manifest.json").unlink()
    sealed = checksums.sealed(manifest, checksums.of_folder(Inside(path)))
    (path / "manifest.json").write_text(json.dumps(sealed))
    return path


def _connect(here: list[tuple[int, bytes]], there: list[tuple[int, bytes]]) -> None:
    """Handshakes and a little control traffic, before the data."""
    for sport, isn in ((CONTROL_SPORT, 100), (SPORT, ISN_DATA)):
        t = START_NS + (sport - CONTROL_SPORT) * MS
        packets = [
            tcp_packet(True, isn, 0, 0, 0x02, sport),
            tcp_packet(False, ISN_ACK, isn + 1, 0, 0x12, sport),
        ]
        if sport == CONTROL_SPORT:
            packets.append(tcp_packet(True, isn + 1, ISN_ACK + 1, COOKIE, 0x18, sport))
        for i, packet in enumerate(packets):
            here.append((t + i * 1000, packet))
            there.append((t + i * 1000, packet))


def _probe_rows(t_ns: int, acked: int, rtt_us: int) -> list[dict[str, int]]:
    common = {
        "t_ns": t_ns, "saddr": address(SADDR), "daddr": address(DADDR), "sport": SPORT,
        "dport": PORT, "snd_una": acked, "snd_cwnd": 10, "srtt_us": rtt_us,
    }  # fmt: skip
    return [
        common | {"kind": 2, "t_ns": t_ns - 3_000},
        common | {"kind": 3, "rtt_us": rtt_us},
    ]


def _write_json_files(path: Path, data_mode: str, ack_mode: str, received: int, duration_s: float) -> None:
    ues = [
        {"name": f"ue{i + 1}", "peer": f"ue{2 - i}", "mode": mode.lower()}
        for i, mode in enumerate((data_mode, ack_mode))
    ]
    files = {
        "celld.json": {"format": 1, "cell": {"ues": ues}},
        "radio.json": {
            "lateness": {
                "count": 1000, "p50_us": 4, "p99_us": 40, "p999_us": 90, "max_us": 130,
                "missed_ttis": 0, "histogram": [[1, 10], [2, 90], [4, 500], [8, 300], [128, 100]],
            }
        },
        "tcp.json": {"samples": 10, "lost": 0, "by_kind": {}},
        "file.iperf3.json": {
            "end": {
                "sum_received": {
                    "bytes": received, "bits_per_second": received * 8 / duration_s,
                    "seconds": duration_s,
                }
            }
        },
    }  # fmt: skip
    for name, content in files.items():
        (path / name).write_text(json.dumps(content))


def _manifest(
    combination: str, scenario: str, window: str, seed: int, duration_s: float,
    claims: list[dict[str, Any]],
) -> dict[str, Any]:  # fmt: skip
    modes = [mode.lower() for mode in combination.split("-")]
    return {
        "format": 1, "id": f"{combination}{window}{seed}", "variant": combination, "seed": seed,
        "description": {
            "format": 1, "scenario": scenario, "variant": combination, "seed": seed, "lab": "virtual",
            "settings": {
                "radio": {"ues": {f"ue{i + 1}": {"mode": mode} for i, mode in enumerate(modes)}},
                "tcp": {"receive_window": window, "congestion_control": "reno"},
                "validity": {"lateness_p99_us": 1000},
            },
        },
        "scenario": {"id": scenario, "title": "Static", "source": "Nardini", "text": ""},
        "params": {"tcp.receive_window": window}, "claims": claims, "lab": "virtual",
        "created": "2026-01-01T00:00:00+00:00", "wall_s": 1.5, "outcome": "complete",
        "kernel": {"release": "6.12.0-cellbed", "version": "#1", "config_sha256": "ab"},
        "congestion_control": {"file": "reno"}, "sysctls": {}, "tools": {"iperf3": "3.12"},
        "git": "abc1234", "validity": {"verdict": "valid", "reasons": []},
        "clock": {"realtime_offset_ns": OFFSET_NS, "start_ns": START_NS, "end_ns": START_NS},
        "flows": [
            {
                "id": "file", "kind": "iperf3", "from": "ue1", "to": "ue2", "saddr": SADDR,
                "daddr": DADDR, "port": PORT, "protocol": "tcp", "start_s": 0,
                "duration_s": duration_s,
            }
        ],
    }  # fmt: skip
