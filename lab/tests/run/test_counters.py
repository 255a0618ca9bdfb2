# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel counters: parsed in pairs of lines, reported as differences."""

import os

from cellbed.run.counters import GROUPS, difference, parse, read

SNMP = """Ip: Forwarding DefaultTTL InReceives
Ip: 1 64 100
Tcp: RtoAlgorithm MaxConn RetransSegs
Tcp: 1 -1 7
"""


def test_names_stand_above_values():
    assert parse(SNMP) == {"Ip": {"Forwarding": 1, "DefaultTTL": 64, "InReceives": 100},
                           "Tcp": {"RtoAlgorithm": 1, "MaxConn": -1, "RetransSegs": 7}}


def test_this_kernel():
    counters = read(os.getpid())
    assert set(counters) == set(GROUPS)
    assert "RetransSegs" in counters["Tcp"]
    assert "TCPTimeouts" in counters["TcpExt"]


def test_only_what_changed():
    before = {"Tcp": {"MaxConn": -1, "RetransSegs": 7, "CurrEstab": 2}, "Udp": {"InDatagrams": 0}}
    after = {"Tcp": {"MaxConn": -1, "RetransSegs": 9, "CurrEstab": 1}, "Udp": {"InDatagrams": 0}}
    assert difference(before, after) == {"Tcp": {"RetransSegs": 2, "CurrEstab": -1}, "Udp": {}}
