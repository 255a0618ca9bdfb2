#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Virtual seconds that the virtual lab plays in a second of wall time, by load and by the size of the network.

Every case in turn, for several rounds, so that the machine's moods meet all of them. The guest's start is left out: it
takes a second or two, whatever the case.
"""

import statistics
import sys
import tempfile
from pathlib import Path

import yaml
from soak import Silent

from cellbed.description import expand
from cellbed.sweep import Sweep

ROUNDS, SECONDS = 3, 5
BASE = "30 Mbit/s"


def cell(ues=1, rate="30Mbit", **radio):
    """A server behind an eNB, datagrams to the first of some UEs; the others are idle."""
    names = [f"ue{i + 1}" for i in range(ues)]
    hosts = {name: {"address": f"10.45.0.{i + 1}/24"} for i, name in enumerate(names)}
    return {
        "nodes": {"server": {"kind": "server", "address": "10.46.0.1/24"}, "enb": {"kind": "enb"}, **hosts},
        "links": [{"a": "server", "b": "enb", "rate": "1Gbit", "queue_pkts": 10000}],
        "radio": {"ues": {name: {"peer": "enb", "cqi_dl": 12} for name in names}, **radio},
        "traffic": [{"id": "flow", "kind": "stream", "from": "server", "to": "ue1", "duration_s": SECONDS,
                     "transport": "udp", "rate": rate, "packet_bytes": 1400}],
    }  # fmt: skip


def direct(window):
    """Two UEs and a TCP connection between them: 8 KiB is Nardini's Figure 3."""
    ues = {"ue1": {"peer": "ue2", "mode": "dm"}, "ue2": {"peer": "ue1", "mode": "dm"}}
    return {
        "nodes": {name: {"address": f"10.45.0.{i + 1}/24"} for i, name in enumerate(ues)},
        "radio": {"ues": ues},
        "tcp": {"profile": "paper", "congestion_control": "reno", "receive_window": window},
        "traffic": [{"id": "flow", "kind": "stream", "from": "ue1", "to": "ue2", "duration_s": SECONDS}],
    }


def core_network(enbs):
    """The same load as in one cell, with an S-GW and a number of eNBs."""
    names = [f"enb{k + 1}" for k in range(enbs)]
    wire = {"rate": "1Gbit", "queue_pkts": 10000}
    made = cell()
    del made["nodes"]["enb"]
    made["nodes"] |= {"sgw": {"kind": "sgw"}, "router": {"kind": "router"}} | {name: {"kind": "enb"} for name in names}
    made["nodes"]["ue1"] = {"address": "10.45.0.1/32"}
    ends = [("server", "sgw"), ("sgw", "router"), *(("router", name) for name in names)]
    made["links"] = [{"a": a, "b": b, **wire} for a, b in ends]
    made["radio"]["ues"]["ue1"]["peer"] = "enb1"
    return made


CASES = {
    BASE: cell(),
    "8 KiB window": direct("8KiB"),
    "220 Mbit/s": cell(rate="220Mbit", n_rb=96, dl_carriers=2, dl_codewords=2),
    "30 Mbit/s, 10 idle UEs": cell(ues=11),
    "30 Mbit/s, 99 idle UEs": cell(ues=100),
    "30 Mbit/s, S-GW, 1 eNB": core_network(1),
    "30 Mbit/s, S-GW, 2 eNBs": core_network(2),
    "30 Mbit/s, S-GW, 4 eNBs": core_network(4),
}


def speed(name: str, folder: Path) -> tuple[float, float]:
    """Return: virtual seconds a second of wall time, and seconds of the start."""
    scenario = folder / "bench.yaml"
    scenario.write_text(yaml.safe_dump({"format": 1, "id": "bench", "capture": {"ip": False, "radio": False},
                                        "validity": {"queue_drops_allowed": True}, **CASES[name]}))
    model, (run,) = expand(scenario, seeds=[1])
    with tempfile.TemporaryDirectory(dir=folder) as results:
        (outcome,) = Sweep(model, [], Path(results), "virtual", "6.12", Silent()).play([run], 1)
    if outcome.error is not None:
        sys.exit(f"{name}: {outcome.error}")
    wall_s = outcome.manifest["wall_s"] - outcome.manifest["setup_wall_s"]
    return SECONDS / wall_s, outcome.manifest["setup_wall_s"]


def main() -> None:
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in CASES}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS):
            for name, measured in found.items():
                measured.append(speed(name, Path(folder)))
    base = statistics.median(rate for rate, _ in found[BASE])
    for name, measured in found.items():
        rate = statistics.median(rate for rate, _ in measured)
        start_s = statistics.median(start_s for _, start_s in measured)
        print(f"{name:24} {rate:6.2f} virtual s a second ({rate / base:.2f})  start {start_s:.1f} s", flush=True)


if __name__ == "__main__":
    main()
