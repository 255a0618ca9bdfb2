# SPDX-License-Identifier: GPL-2.0-or-later
"""What the hosts' kernels counted during the traffic, from /proc/net/snmp and /proc/net/netstat."""

from __future__ import annotations

from pathlib import Path

Counters = dict[str, dict[str, int]]  # group, name: value

FILES = ("snmp", "netstat")
GROUPS = ("Tcp", "TcpExt", "Ip", "IpExt", "Udp")


def parse(text: str) -> Counters:
    """Counters of one file: pairs of lines, names above values, both after the name of their group."""
    lines = [line.split() for line in text.splitlines()]
    return {names[0].rstrip(":"): dict(zip(names[1:], map(int, values[1:]), strict=True))
            for names, values in zip(lines[::2], lines[1::2], strict=True)}


def read(pid: int) -> Counters:
    """Counters of the network namespace of process @pid."""
    found: Counters = {}
    for name in FILES:
        found |= parse(Path(f"/proc/{pid}/net/{name}").read_text())
    return {group: found[group] for group in GROUPS if group in found}


def difference(before: Counters, after: Counters) -> Counters:
    """What was counted in between; zeros are left out."""
    return {group: {name: value - before[group][name] for name, value in values.items() if value != before[group][name]}
            for group, values in after.items()}
