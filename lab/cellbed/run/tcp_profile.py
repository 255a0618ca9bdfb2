# SPDX-License-Identifier: GPL-2.0-or-later
"""How the end hosts' TCP is set: sysctls of each node and attributes of its route.

`paper` switches off what kernels of the papers' years lacked; `modern` is the kernel as shipped.
docs/reference/keys.md gives the reason for every key.
"""

from __future__ import annotations

import contextlib
import errno
import re
from pathlib import Path
from typing import Any

from cellbed.error import LabError

# Relative to /proc/sys/net; all of them belong to the network namespace.
PAPER = {
    "ipv4/tcp_sack": "0",
    "ipv4/tcp_dsack": "0",
    "ipv4/tcp_timestamps": "0",
    "ipv4/tcp_recovery": "0",
    "ipv4/tcp_early_retrans": "0",
    "ipv4/tcp_frto": "0",
    "ipv4/tcp_ecn": "0",
    "ipv4/tcp_slow_start_after_idle": "1",
}

# Every run: results must not depend on earlier connections or on the memory of the machine, from which Linux derives
# buffer limits where it has less than a gigabyte.
ALWAYS = {
    "ipv4/tcp_rmem": "4096\t131072\t6291456",
    "ipv4/tcp_wmem": "4096\t16384\t4194304",
    "ipv4/tcp_no_metrics_save": "1",
}
# Of nodes without an address of IPv6, which has packets of its own: nothing but the traffic may be on the radio.
NO_IPV6 = {"ipv6/conf/all/disable_ipv6": "1", "ipv6/conf/default/disable_ipv6": "1"}

ROOT = Path("/proc/sys/net")

# Since then Linux detects losses of SACK connections by RACK alone, and tcp_recovery 0 has no effect.
# Source: Linux 7.3, ip-sysctl.rst, tcp_recovery; commit 1c120191dcec took the code out
_RACK_ONLY = (6, 17)


def always(has_ipv6: bool = False) -> dict[str, str]:
    """Settings of every node in every run, by path below /proc/sys/net."""
    return ALWAYS if has_ipv6 else {**ALWAYS, **NO_IPV6}


def sysctls(tcp: dict[str, Any], has_ipv6: bool = False) -> dict[str, str]:
    """Settings of every host, by path below /proc/sys/net."""
    profile = PAPER if tcp["profile"] == "paper" else {}
    return {**always(has_ipv6), **profile, **_receive_buffer(tcp["receive_window"]),
            "ipv4/tcp_congestion_control": tcp["congestion_control"], **chosen(tcp)}


def chosen(tcp: dict[str, Any]) -> dict[str, str]:
    """Settings that the scenario names itself, by path; they come after the profile's."""
    return {name.removeprefix("net.").replace(".", "/"): str(value) for name, value in tcp["sysctls"].items()}


def segmentation_offload(settings: dict[str, Any]) -> bool:
    """Whether the hosts of a run hand over several segments at once."""
    return "segmentation_offload" in settings["tcp"]


def without_rack(tcp: dict[str, Any]) -> bool:
    """Whether losses are to be detected by counting SACKs: SACK is on, RACK off."""
    wanted = sysctls(tcp)
    recovery = wanted.get("ipv4/tcp_recovery", "1")
    return wanted.get("ipv4/tcp_sack", "1") != "0" and recovery.isdecimal() and not int(recovery) & 1


def can_do_without_rack(release: str) -> bool:
    """Args: release: of Linux, such as 6.12 or 6.18.5-amd64."""
    version = re.match(r"(\d+)\.(\d+)", release)
    return version is not None and tuple(map(int, version.groups())) < _RACK_ONLY


def check(tcp: dict[str, Any], release: str) -> None:
    """Raises LabError when the kernel would ignore how losses are to be detected."""
    if without_rack(tcp) and not can_do_without_rack(release):
        raise LabError("net.ipv4.tcp_recovery: value 0 with net.ipv4.tcp_sack 1: since 6.17 Linux detects losses by "
                       f"RACK all the same, and this is {release}; allowed here 1 (key 'tcp.sysctls'), or an older "
                       "kernel, such as --kernel 6.12")


def _receive_buffer(window: int | None) -> dict[str, str]:
    """Settings under which the route's window holds: autotuning off, or it would raise the window past the route's
    clamp; and a buffer in which the window fits although Linux reckons with the overhead of every packet."""
    if window is None:
        return {}
    buffer = max(131072, 4 * window)
    return {"ipv4/tcp_moderate_rcvbuf": "0", "ipv4/tcp_rmem": f"4096\t{buffer}\t{max(buffer, 6291456)}"}


def file_sender(sizes: list[int]) -> dict[str, str]:
    """Settings of a host that sends files.

    iperf3 closes the connection once the kernel has taken the last byte. What is not sent by then is lost, megabytes
    with a deep queue in the path; this bounds it to a thousandth of the smallest file, but not below a few segments,
    so that acknowledgments always find something to send.
    """
    if not sizes:
        return {}
    return {"ipv4/tcp_notsent_lowat": str(max(4096, min(131072, min(sizes) // 1024)))}


def write(settings: dict[str, str]) -> list[str]:
    """Set them in the current namespace. Return: names the kernel does not have.

    Raises:
        LabError: the kernel refuses the value.
    """
    missing = []
    for name, value in settings.items():
        try:
            with open(ROOT / name, "wb", buffering=0) as file:
                file.write(value.encode())
        except FileNotFoundError:
            missing.append(name)
        except OSError as error:
            raise LabError(_refusal(name, value, error)) from error
    return missing


def _refusal(name: str, value: str, error: OSError) -> str:
    if name == "ipv4/tcp_congestion_control" and error.errno == errno.EPERM:
        return (f"congestion control {value}: this host does not allow it in network namespaces; `make native-lab` "
                "allows all (net.ipv4.tcp_allowed_congestion_control)")
    return f"setting net.{name.replace('/', '.')}: value {value}: {error.strerror}"


def read(names: list[str]) -> dict[str, str | None]:
    """Values in the current namespace; None where the kernel has no such setting."""
    values: dict[str, str | None] = dict.fromkeys(names)
    for name in names:
        with contextlib.suppress(FileNotFoundError), open(ROOT / name, "rb", buffering=0) as file:
            values[name] = file.read(4096).decode().strip()
    return values


def route_attributes(tcp: dict[str, Any]) -> list[str]:
    """Arguments for `ip route`: window and MSS that a host advertises, its first window and least timeout, its ACKs.

    `window` bounds what the receiver advertises (RTAX_WINDOW); `quickack 1` makes it acknowledge every segment,
    as the hosts of the papers' simulators do.
    """
    arguments = []
    if tcp["receive_window"] is not None:
        arguments += ["window", str(tcp["receive_window"])]
    if tcp["mss"] is not None:
        arguments += ["advmss", str(tcp["mss"])]
    if tcp["initial_window_pkts"] is not None:
        arguments += ["initcwnd", str(tcp["initial_window_pkts"])]
    if tcp["rto_min_ms"] is not None:
        arguments += ["rto_min", f"{tcp['rto_min_ms']}ms"]
    if not tcp["delayed_ack"]:
        arguments += ["quickack", "1"]
    return arguments
