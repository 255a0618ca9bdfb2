# SPDX-License-Identifier: GPL-2.0-or-later
"""`python tests/captures/compare_programs.py`: what real programs sent again, by the kernel and by three tools.

The captures are those that programs.py made; prints the table of docs/pcap.md.
"""

import csv
import io
import json
import os
import subprocess
from collections import Counter
from pathlib import Path

from cellbed_analysis.pcap.analysis import analyse

CAPTURES = Path(__file__).with_name("programs")
TOOLS = ("kernel", "cellbed pcap", "tshark", "tcptrace")
AGAIN = ("tcp.analysis.retransmission", "tcp.analysis.out_of_order", "tcp.analysis.spurious_retransmission")


def truth():
    """{capture: {flow: segments that the kernel sent again}}"""
    return json.loads((CAPTURES / "truth.json").read_text())


def path_of(capture):
    return CAPTURES / f"{capture}.pcap.zst"


def ours(path):
    """{flow: segments sent again}, and so tshark() and tcptrace()."""
    return {row["flow"]: row["retransmissions"] for row in analyse([path]).rows if row["transport"] == "tcp"}


def tshark(path):
    fields = [word for name in ("ip.src", "tcp.srcport", "ip.dst", "tcp.dstport") for word in ("-e", name)]
    wanted = f"tcp.len > 0 && ({' || '.join(AGAIN)})"
    done = subprocess.run(["tshark", "-r", path, "-Y", wanted, "-T", "fields", *fields], capture_output=True, text=True,
                          check=True, env={**os.environ, "LC_ALL": "C"})
    return Counter("{}:{}-{}:{}".format(*line.split("\t")) for line in done.stdout.splitlines())


def tcptrace(path, folder):
    """Args: folder: for the capture, uncompressed."""
    plain = folder / path.stem
    subprocess.run(["zstd", "-qdf", path, "-o", plain], check=True)
    done = subprocess.run(["tcptrace", "-lrn", "--csv", plain], capture_output=True, text=True, check=True)
    lines = [line for line in done.stdout.splitlines() if line and not line.startswith("#")]
    found = {}
    for row in csv.DictReader(io.StringIO("\n".join(lines)), skipinitialspace=True):
        row = {key.strip(): (value or "").strip() for key, value in row.items() if key}
        a, b = (f"{row[f'host_{end}']}:{row[f'port_{end}']}" for end in "ab")
        found[f"{a}-{b}"], found[f"{b}-{a}"] = int(row["rexmt_data_pkts_a2b"]), int(row["rexmt_data_pkts_b2a"])
    return found


def table(folder):
    """Markdown: of each program over all links the connections, and the segments sent again by each of TOOLS."""
    sums = {}
    for capture, flows in truth().items():
        one = sums.setdefault(capture.rpartition("-")[0], Counter())
        path = path_of(capture)
        one["connections"] += len(flows)
        for tool, found in zip(TOOLS, (flows, ours(path), tshark(path), tcptrace(path, folder)), strict=True):
            one[tool] += sum(found.get(flow, 0) for flow in flows)
    lines = [f"| program | connections | {' | '.join(TOOLS)} |", "| --- |" + " ---: |" * (1 + len(TOOLS))]
    lines += [f"| {program} | {one['connections']} | " + " | ".join(str(one[tool]) for tool in TOOLS) + " |"
              for program, one in sums.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as made:
        print(table(Path(made)))
