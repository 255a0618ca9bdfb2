# SPDX-License-Identifier: GPL-2.0-or-later
"""The smallest scenarios."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

MINIMAL = {
    "format": 1,
    "id": "test",
    "nodes": {"ue1": {"address": "10.45.0.1/24"}, "ue2": {"address": "10.45.0.2/24"}},
    "radio": {"ues": {"ue1": {"peer": "ue2"}, "ue2": {"peer": "ue1"}}},
    "tcp": {"profile": "paper", "congestion_control": "reno", "receive_window": "8KiB", "delayed_ack": False},
    "traffic": [{"id": "file", "from": "ue1", "to": "ue2", "duration_s": 2}],
}

# A server on a wire behind the eNB.
WIRED = {
    **MINIMAL,
    "nodes": {"server": {"kind": "server", "address": "10.1.0.1/24"}, "enb": {"kind": "enb"},
              "ue1": {"address": "10.45.0.1/24"}},
    "links": [{"a": "server", "b": "enb", "rate": "1Gbit", "delay_ms": 1.5}],
    "radio": {"ues": {"ue1": {"peer": "enb"}}},
    "traffic": [{"id": "file", "from": "server", "to": "ue1", "bytes": "122.24MB"}],
}

# A core network: a server behind the S-GW, a router, two eNBs with a UE each; one of them goes to the other cell.
HANDOVER = {
    **MINIMAL,
    "nodes": {"server": {"kind": "server", "address": "10.46.1.1/24"}, "sgw": {"kind": "sgw"},
              "router": {"kind": "router"}, "senb": {"kind": "enb"}, "tenb": {"kind": "enb"},
              "me": {"address": "10.45.0.1/32"}, "c1": {"address": "10.45.0.2/32"}},
    "links": [{"a": "server", "b": "sgw", "rate": "100Mbit", "delay_ms": 2},
              {"a": "sgw", "b": "router", "rate": "100Mbit", "delay_ms": 2},
              {"a": "router", "b": "senb", "rate": "12Mbit", "delay_ms": 2, "queue_pkts": 90},
              {"a": "tenb", "b": "router", "rate": "12Mbit", "delay_ms": 2, "queue_pkts": 90, "aqm": "red"}],
    "radio": {"rlc": {"mode": "am"}, "events": [{"at_s": 3.3, "ue": "me", "handover": "tenb"}],
              "ues": {"me": {"peer": "senb"}, "c1": {"peer": "tenb"}}},
    "traffic": [{"id": "file", "from": "server", "to": "me", "duration_s": 5}],
}
