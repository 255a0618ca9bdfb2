# SPDX-License-Identifier: GPL-2.0-or-later
"""`python tests/captures/compare.py`: the captures of the catalogue as `cellbed pcap`, tshark and tcptrace read them,
beside what is true; prints the table of docs/pcap.md."""

import csv
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from catalogue import CASES

from cellbed_analysis.pcap.analysis import analyse

#: What is compared: segments and retransmissions exactly, the least RTT to within some ms.
COLUMNS = ("segments", "again", "rtt_min_ms")
RTT_OFF_MS = 1.0
TOOLS = ("truth", "cellbed pcap", "tshark", "tcptrace")


def ours(path):
    rows = [row for row in analyse([path]).rows if row["segments"] is not None]
    return _largest([{"segments": row["segments"], "again": row["retransmissions"], "rtt_min_ms": row["rtt_min_ms"]}
                     for row in rows])


def tshark(path):
    """Of the largest stream; again: what it calls a retransmission, or out of order, as what fills a hole soon."""
    names = ("tcp.stream", "tcp.srcport", "tcp.len", "tcp.analysis.retransmission", "tcp.analysis.out_of_order",
             "tcp.analysis.ack_rtt")
    wanted = [word for name in names for word in ("-e", name)]
    # The last of several layers is the innermost one.
    done = subprocess.run(["tshark", "-r", path, "-Y", "tcp", "-T", "fields", "-E", "occurrence=l", *wanted],
                          capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
    streams = {}
    for line in done.stdout.splitlines():
        stream, port, size, again, late, rtt_s = line.split("\t")
        one = streams.setdefault(stream, {"segments": 0, "again": 0, "rtts_ms": []})
        if port == "443" and int(size or 0):
            one["segments"] += 1
            one["again"] += bool(again or late)
        elif port != "443" and rtt_s:
            one["rtts_ms"].append(1000 * float(rtt_s))
    return _largest([one | {"rtt_min_ms": min(one.pop("rtts_ms"), default=None)} for one in streams.values()])


def tcptrace(path):
    done = subprocess.run(["tcptrace", "-lrn", "--csv", path], capture_output=True, text=True, check=False,
                          errors="replace")
    lines = [line for line in done.stdout.splitlines() if line and not line.startswith("#")]
    found = []
    for row in csv.DictReader(io.StringIO("\n".join(lines)), skipinitialspace=True):
        row = {key.strip(): (value or "").strip() for key, value in row.items() if key}
        way = "b2a" if int(row.get("actual_data_pkts_b2a") or 0) else "a2b"
        found.append({"segments": int(row.get(f"actual_data_pkts_{way}") or 0),
                      "again": int(row.get(f"rexmt_data_pkts_{way}") or 0),
                      "rtt_min_ms": float(row[f"RTT_min_{way}"]) if row.get(f"RTT_min_{way}") else None})
    return _largest(found)


def _largest(rows):
    return max(rows, key=lambda row: row["segments"], default=None) or dict.fromkeys(COLUMNS)


def right(said, truth):
    """Whether a tool says what is true; None where that is not asked or nothing can be said."""
    if truth.transport != "tcp" or truth.segments is None or truth.retransmissions is None:
        return None
    rtt = truth.rtt_ms is None or (said["rtt_min_ms"] is not None
                                   and abs(said["rtt_min_ms"] - truth.rtt_ms) <= max(RTT_OFF_MS, truth.rtt_off_ms))
    return said["segments"] == truth.segments and said["again"] == truth.retransmissions and rtt


def compared(folder):
    """{name: {tool: numbers}, ...} of cases with a truth to compare, and who is right."""
    found = {}
    for name, make in CASES.items():
        case = make()
        path = folder / f"{name}{case.suffix}"
        path.write_bytes(case.content)
        truth = {"segments": case.truth.segments, "again": case.truth.retransmissions, "rtt_min_ms": case.truth.rtt_ms}
        if right(truth, case.truth) is None:
            continue
        said = {"truth": truth, "cellbed pcap": ours(path), "tshark": tshark(path), "tcptrace": tcptrace(path)}
        found[name] = {tool: (row, right(row, case.truth)) for tool, row in said.items()}
    return found


def table(found):
    """Markdown: segments, sent again and least RTT of each; what is wrong is in italics."""
    lines = [f"| capture | {' | '.join(TOOLS)} |", "| --- |" + " ---: |" * len(TOOLS)]
    for name, tools in found.items():
        lines.append(f"| {name} | {' | '.join(_cell(*tools[tool]) for tool in TOOLS)} |")
    lines.append(f"| right, of {len(found)} | " + " | ".join(
        str(sum(bool(tools[tool][1]) for tools in found.values())) for tool in TOOLS) + " |")
    return "\n".join(lines)


def _cell(row, true):
    text = " / ".join("–" if value is None else f"{value:.4g}" for value in row.values())
    return text if true else f"*{text}*"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        print(table(compared(Path(made))))
