# SPDX-License-Identifier: GPL-2.0-or-later
"""The smallest scenario with two radio networks."""

TWO_RADIOS = {
    "format": 1,
    "id": "two",
    "nodes": {"server": {"kind": "server", "address": "10.46.1.1/24"}, "enb": {"kind": "enb"}, "ap": {"kind": "enb"},
              "phone": {"address": "10.45.0.1/24", "radios": {"wifi": "10.47.0.1/24"}}},
    "links": [{"a": "server", "b": "enb", "rate": "1Gbit"}, {"a": "server", "b": "ap", "rate": "1Gbit"}],
    "radio": {"ues": {"phone": {"peer": "enb"}}},
    "radios": {"wifi": {"system": "constant_rate", "constant_rate": {}, "ues": {"phone": {"peer": "ap"}}}},
    "traffic": [{"id": "file", "kind": "stream", "transport": "mptcp", "from": "server", "to": "phone",
                 "duration_s": 2}],
}
