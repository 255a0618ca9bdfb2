# SPDX-License-Identifier: GPL-2.0-or-later
"""What `cellbed pcap`, tcptrace, tshark and the probe say of the same connections: `python tests/pcap_agreement.py`
runs them and prints the table of docs/pcap.md."""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl
from e2e import bundles, cellbed, tcptrace

from cellbed_formats.bundle import read_bundle

SCENARIO = """
format: 1
id: pcap-agreement
nodes:
  server: {kind: server, address: 10.1.0.1/24}
  enb: {kind: enb}
  ue1: {address: 10.45.0.1/24}
links: [{a: server, b: enb, rate: 100Mbit}]
radio: {ues: {ue1: {peer: enb}}}
tcp: {congestion_control: cubic, mss: 1400, delayed_ack: false}
traffic: [{id: file, kind: stream, from: ue1, to: server, duration_s: 4}]
validity: {lateness_p99_us: 100000, missed_ttis: 100000, cpu_steal_percent: 100}
sweep:
  variants:
    clean: {}
    cubic-1: {radio.ues.ue1.bler_ul: 0.01, radio.ues.ue1.bler_dl: 0.01}
    cubic-10: {radio.ues.ue1.bler_ul: 0.1, radio.ues.ue1.bler_dl: 0.1}
    bbr-5: {radio.ues.ue1.bler_ul: 0.05, radio.ues.ue1.bler_dl: 0.05, tcp.congestion_control: bbr}
    reno-5: {radio.ues.ue1.bler_ul: 0.05, radio.ues.ue1.bler_dl: 0.05, tcp.profile: paper, tcp.congestion_control: reno}
"""
#: Counters of the sender's kernel for each kind of retransmission.
KERNEL = {"fast": "TCPFastRetrans", "timeouts": "TCPTimeouts", "after_timeouts": "TCPSlowStartRetrans"}
ROWS = {
    "segments": "data segments", "again": "sent again", "fast": "fast", "timeouts": "timeouts",
    "after_timeouts": "after timeouts", "vain": "needless", "rtt_min_ms": "RTT, least (ms)",
    "rtt_p50_ms": "median (ms)", "rtt_max_ms": "largest (ms)",
    "flight_pkts": "most in flight (packets)",
}  # fmt: skip
TOOLS = ("cellbed pcap", "tcptrace", "tshark", "kernel")


def execute(folder):
    """{variant: bundle}"""
    (folder / "scenario.yaml").write_text(SCENARIO)
    cellbed("run", folder / "scenario.yaml", "--results", folder / "results")
    return bundles(folder / "results")


def said(bundle):
    """{tool: {row: number}}; what a tool does not tell is not there."""
    path = bundle / "ip-ue1.pcap"
    return dict(zip(TOOLS, (_ours(path), _tcptrace(path), _tshark(path), _kernel(bundle)), strict=True))


def _ours(path):
    row = max(json.loads(cellbed("pcap", path, "--json").stdout)["flows"], key=lambda row: row["payload_bytes"])
    return {"segments": row["segments"], "again": row["retransmissions"], "vain": row["spurious"],
            **{kind: row[kind] for kind in KERNEL}, "rtt_p50_ms": row["rtt_p50_ms"], "rtt_max_ms": row["rtt_max_ms"],
            "rtt_min_ms": min(row["rtt_min_ms"], row["handshake_ms"]),  # the others count the SYN's, too
            "flight_pkts": round(row["flight_max_bytes"] / row["mss_bytes"]),
            "others": row["tail_probes"] + row["unknown_retransmissions"]}


def _tcptrace(path):
    row = tcptrace(path)
    return {"segments": int(row["actual_data_pkts_a2b"]), "again": int(row["rexmt_data_pkts_a2b"]),
            "rtt_min_ms": float(row["RTT_min_a2b"]), "rtt_max_ms": float(row["RTT_max_a2b"])}


def _tshark(path):
    fields = ("tcp.dstport", "tcp.len", "tcp.analysis.retransmission", "tcp.analysis.out_of_order",
              "tcp.analysis.spurious_retransmission", "tcp.analysis.ack_rtt", "tcp.analysis.bytes_in_flight")
    wanted = [word for name in fields for word in ("-e", name)]
    done = subprocess.run(["tshark", "-r", path, "-Y", "tcp.port == 5201", "-T", "fields", *wanted],
                          capture_output=True, text=True, check=True)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    data = [line for line in lines if line[0] == "5201" and int(line[1])]
    rtts_ms = [float(line[5]) * 1000 for line in lines if line[0] != "5201" and line[5]]
    return {"segments": len(data), "again": sum(bool(line[2] or line[3]) for line in data),
            "called_late": sum(bool(line[3]) for line in data), "vain": sum(bool(line[4]) for line in data),
            "rtt_min_ms": min(rtts_ms), "rtt_p50_ms": statistics.median(rtts_ms), "rtt_max_ms": max(rtts_ms),
            "flight_pkts": round(max(int(line[6] or 0) for line in data) / 1388)}


def _kernel(bundle):
    counters = json.loads((bundle / "counters.json").read_text())["ue1"]
    own = read_bundle(bundle).tcp.filter((pl.col("dport") == 5201) & (pl.col("saddr") == 0x0A2D0001)).with_columns(
        pl.col("kind").cast(pl.String))
    rtts_us = own.filter((pl.col("kind") == "rtt") & (pl.col("rtt_us") > 0))["rtt_us"]  # one of each round trip
    return {"again": counters["Tcp"].get("RetransSegs", 0),
            **{kind: counters["TcpExt"].get(name, 0) for kind, name in KERNEL.items()},
            "vain": counters["TcpExt"].get("TCPDSACKRecv", 0), "rtt_max_ms": rtts_us.max() / 1000,
            "rtt_min_ms": own.filter(pl.col("min_rtt_us") > 0)["min_rtt_us"].min() / 1000,
            "flight_pkts": own["packets_out"].max()}


def _cell(value):
    return "" if value is None else str(value) if isinstance(value, int) else f"{value:.4g}"


def table(found):
    """Markdown. Args: found: {variant: said()}."""
    lines = [f"| | | {' | '.join(TOOLS)} |", "| --- | --- |" + " ---: |" * len(TOOLS)]
    for variant, tools in found.items():
        for name, label in ROWS.items():
            cells = [_cell(tools[tool].get(name)) for tool in TOOLS]
            if any(cells) and (cells[0] != "0" or any(cell not in ("", "0") for cell in cells)):
                lines.append(f"| {variant} | {label} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        print(table({variant: said(path) for variant, path in execute(Path(made)).items()}))
    sys.exit(0)
