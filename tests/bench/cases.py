# SPDX-License-Identifier: GPL-2.0-or-later
"""What the benches of whole runs execute: everything switched on that a run may record, as by default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

Scenario = dict[str, Any]
# Of a UE's transport block in the cases of several Mbit/s: 50 resource blocks carry what LENA's carry, and more.
_CQI = 15


def downlink(ues: int = 1, flows: int = 1, transport: str = "tcp", rate: str | None = None, wire: str = "1Gbit",
             **radio: Any) -> Scenario:
    """A server behind an eNB that sends to the first UEs; the others are idle.

    Args:
        rate: of each flow's datagrams; None for TCP, which @wire limits.
    """
    names = [f"ue{i + 1}" for i in range(ues)]
    hosts = {name: {"address": f"10.45.0.{i + 1}/24"} for i, name in enumerate(names)}
    traffic = {"kind": "stream", "from": "server", "transport": transport}
    if rate is not None:
        traffic |= {"rate": rate, "packet_bytes": 1400}
    return {
        "nodes": {"server": {"kind": "server", "address": "10.46.0.1/24"}, "enb": {"kind": "enb"}, **hosts},
        "links": [{"a": "server", "b": "enb", "rate": wire, "queue_pkts": 10000 if rate else 100}],
        "radio": {"ues": {name: {"peer": "enb", "cqi_dl": _CQI} for name in names}, **radio},
        "traffic": [{"id": f"flow{i + 1}", "to": names[i], "port": 5201 + i, **traffic} for i in range(flows)],
    }


def nr(**load: Any) -> Scenario:
    """A download over NR at 30 kHz in 100 MHz with four layers; a tenth of the blocks needs a second attempt."""
    return downlink(**load, system="nr", nr={"numerology": 1, "bandwidth_mhz": 100, "tdd_pattern": "DDDSU",
                                             "layers_dl": 4}, max_pkts=65536, harq={"bler": [0.1, 0.01, 0.0]})


def direct(window: str) -> Scenario:
    """Two UEs and a TCP connection between them: 8 KiB is Nardini's Figure 3."""
    ues = {"ue1": {"peer": "ue2", "mode": "dm"}, "ue2": {"peer": "ue1", "mode": "dm"}}
    return {
        "nodes": {name: {"address": f"10.45.0.{i + 1}/24"} for i, name in enumerate(ues)},
        "radio": {"ues": ues},
        "tcp": {"profile": "paper", "congestion_control": "reno", "receive_window": window},
        "traffic": [{"id": "flow", "kind": "stream", "from": "ue1", "to": "ue2"}],
    }


def core_network(enbs: int) -> Scenario:
    """Datagrams at 30 Mbit/s as in one cell, with an S-GW and a number of eNBs."""
    names = [f"enb{k + 1}" for k in range(enbs)]
    wire = {"rate": "1Gbit", "queue_pkts": 10000}
    made = downlink(transport="udp", rate="30Mbit")
    del made["nodes"]["enb"]
    made["nodes"] |= {"sgw": {"kind": "sgw"}, "router": {"kind": "router"}} | {name: {"kind": "enb"} for name in names}
    made["nodes"]["ue1"] = {"address": "10.45.0.1/32"}
    ends = [("server", "sgw"), ("sgw", "router"), *(("router", name) for name in names)]
    made["links"] = [{"a": a, "b": b, **wire} for a, b in ends]
    made["radio"]["ues"]["ue1"]["peer"] = "enb1"
    return made


# The 220 Mbit/s need two carriers of 96 resource blocks with two codewords.
_WIDE = {"n_rb": 96, "dl_carriers": 2, "dl_codewords": 2}
CASES: dict[str, Scenario] = {
    "TCP, 30 Mbit/s": downlink(wire="30Mbit"),
    "TCP, window of 8 KiB": direct("8KiB"),
    "datagrams, 30 Mbit/s": downlink(transport="udp", rate="30Mbit"),
    "datagrams, 220 Mbit/s": downlink(transport="udp", rate="220Mbit", **_WIDE),
    "datagrams, 30 Mbit/s, 20 UEs": downlink(20, transport="udp", rate="30Mbit"),
    "TCP, 30 Mbit/s, 20 UEs with a flow": downlink(20, 20, wire="30Mbit"),
    "NR, TCP, 100 Mbit/s": nr(wire="100Mbit"),
    "NR, datagrams, 1 Gbit/s": nr(transport="udp", rate="1Gbit", wire="10Gbit"),
}
# What more UEs and eNBs cost; not run against another commit.
SIZES: dict[str, Scenario] = {
    "datagrams, 30 Mbit/s, 100 UEs": downlink(100, transport="udp", rate="30Mbit"),
    "datagrams, 30 Mbit/s, S-GW and 1 eNB": core_network(1),
    "datagrams, 30 Mbit/s, S-GW and 4 eNBs": core_network(4),
}


def at_once(made: Scenario, offload: bool) -> Scenario:
    """A scenario without what segmentation offload excludes, and with it; the radio has no bytes of the payload."""
    return {**made, "capture": {"ip": False, "radio_snaplen": 100},
            "tcp": {"segmentation_offload": True} if offload else {}}


AT_ONCE: dict[str, Scenario] = {
    f"{name}, {'at once' if offload else 'by packets'}": at_once(made, offload)
    for name, made in {
        "TCP, 30 Mbit/s": CASES["TCP, 30 Mbit/s"],
        "datagrams, 220 Mbit/s": CASES["datagrams, 220 Mbit/s"],
        "NR, TCP, 1 Gbit/s": nr(wire="1Gbit"),
        "NR, datagrams, 1 Gbit/s": CASES["NR, datagrams, 1 Gbit/s"],
    }.items() for offload in (False, True)
}  # fmt: skip


def crowded(count: int) -> Scenario:
    """A download beside so many modelled UEs, which offer 2 Mbit/s together."""
    crowd = {"crowd": {"count": count, "offered_rate": f"{2000 // count}kbit"}} if count else {}
    return downlink(wire="30Mbit", **crowd)


def write(scenario: Scenario, seconds: float, path: Path) -> Path:
    """Write it as a file, its flows so long. Return: @path."""
    traffic = [{**flow, "duration_s": seconds} for flow in scenario["traffic"]]
    path.write_text(yaml.safe_dump({"format": 1, "id": "bench", "validity": {"queue_drops_allowed": True},
                                    **scenario, "traffic": traffic}, sort_keys=False))
    return path
