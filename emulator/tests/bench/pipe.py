#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""celld as a pipe whose radio never limits, beside a forwarder that does nothing: throughput, CPU time, latency.

pipe.py CELLD FORWARDER    needs root; every way in turn, for several rounds: the machine's moods meet all of them

Both join the same two network namespaces. Packets of LTE are small, so that their number and not the carrier is the
limit; a carrier of NR takes 1.5 Gbit/s of whole ones.
"""

import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NAMES = [f"cbp{os.getpid()}{x}" for x in "ab"]
NETNS = [f"/run/netns/{name}" for name in NAMES]
ADDRESSES = ["10.98.0.1", "10.98.0.2"]
SECONDS, ROUNDS = 3, 3
# 12 Gbit/s of Mahimahi's packets of 1500 bytes.
OPPORTUNITIES = [1] * 1000
SMALL, WHOLE = 300, 1500  # bytes
FORWARDERS = {"bare forwarder": SMALL, "bare forwarder, 1500 bytes": WHOLE}
FASTEST = {"n_rb": 110, "dl_carriers": 5, "dl_codewords": 2, "mac": {"ul_always_scheduled": True}}
CELLS = {
    "celld, recorded link": {"system": "packet_trace", "packet_trace": {
        "uplink": OPPORTUNITIES, "downlink": OPPORTUNITIES, "queue_pkts": 30000}},
    "celld, RLC UM": {**FASTEST, "rlc": {"mode": "um", "queue_pkts": 30000}},
    "celld, RLC AM": {**FASTEST, "rlc": {"mode": "am", "queue_pkts": 30000}},
}  # fmt: skip
NR = {"system": "nr", "nr": {"numerology": 1, "bandwidth_mhz": 100, "tdd_pattern": "DDDSU", "layers_dl": 4},
      "harq": {"bler": [0.1, 0.01, 0.0]}, "pdcp": {"sn_bits": 18}}
WHOLE_CELLS = {
    "celld, NR, RLC UM": {**NR, "rlc": {"mode": "um", "queue_pkts": 30000}, "rlc_um": {"sn_bits": 12}},
    "celld, NR, RLC AM": {**NR, "rlc": {"mode": "am", "queue_pkts": 30000}, "rlc_am": {"sn_bits": 18}},
}
# With several segments at once.
AT_ONCE = {f"{name}, at once": cell for name, cell in
           {"celld, recorded link, 1500 bytes": CELLS["celld, recorded link"], **WHOLE_CELLS}.items()}
WHOLE_CELLS = {"celld, recorded link, 1500 bytes": CELLS["celld, recorded link"], **WHOLE_CELLS, **AT_ONCE}


def config(folder: Path, cell: dict, at_once: bool = False) -> Path:
    """A cell with one UE in the first namespace and the network in the second."""
    ue = {"name": "ue1", "peer": "network", "mode": "im", "cqi_ul": 15, "cqi_dl": 15}
    path = folder / "celld.json"
    path.write_text(json.dumps({
        "format": 1, "seed": 1, "realtime": True, "cell": {"max_pkts": 65536, "ues": [ue], **cell},
        "segmentation_offload": at_once,
        "ports": [{"ue": "ue1", "side": side, "netns": netns, "ifname": "lte0"}
                  for side, netns in zip(("ue", "network"), NETNS, strict=True)],
        "output": {"stats": str(folder / "stats.json")}}))  # fmt: skip
    return path


def ip(*args: str) -> None:
    subprocess.run(["ip", *args], check=True)


def inside(side: int, *args: str, **more) -> subprocess.Popen:
    return subprocess.Popen(["ip", "netns", "exec", NAMES[side], *args], stdout=subprocess.PIPE, text=True, **more)


@contextlib.contextmanager
def namespaces():
    with contextlib.ExitStack() as stack:
        for name in NAMES:
            ip("netns", "add", name)
            stack.callback(ip, "netns", "del", name)
            for key in ("all", "default"):
                subprocess.run(["ip", "netns", "exec", name, "sysctl", "-qw", f"net.ipv6.conf.{key}.disable_ipv6=1"],
                               check=False)
        yield


@contextlib.contextmanager
def pipe(argv: list[str], mtu: int):
    """The program between the namespaces, with addresses on its devices and packets of at most @mtu bytes."""
    read, write = os.pipe()
    process = subprocess.Popen([arg.replace("{fd}", str(write)) for arg in argv], stdout=write, pass_fds=[write])
    os.close(write)
    try:
        with os.fdopen(read) as ready:
            assert ready.readline() == "ready\n", f"{argv[0]} did not start"
            for name, address in zip(NAMES, ADDRESSES, strict=True):
                ip("-n", name, "addr", "add", f"{address}/24", "dev", "lte0")
                ip("-n", name, "link", "set", "lte0", "mtu", str(mtu))
            yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)


def cpu_ns(pid: int) -> int:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def forwarded() -> int:
    """Packets that left the devices so far, both ways."""
    total = 0
    for name in NAMES:
        found = subprocess.run(["ip", "-n", name, "-j", "-s", "link", "show", "lte0"], capture_output=True, check=True)
        total += json.loads(found.stdout)[0]["stats64"]["rx"]["packets"]
    return total


def throughput(pid: int) -> dict[str, float]:
    """One TCP connection down, as fast as it goes."""
    server = inside(0, "iperf3", "-s", "-1")
    time.sleep(0.5)
    start_ns, start_pkts = cpu_ns(pid), forwarded()
    client = inside(1, "iperf3", "-c", ADDRESSES[0], "-t", str(SECONDS), "-O", "1", "-J", "-w", "4M")
    done = json.loads(client.communicate()[0])
    packets = forwarded() - start_pkts
    cpu_s = (cpu_ns(pid) - start_ns) / 1e9
    server.wait(10)
    rate_mbps = done["end"]["sum_received"]["bits_per_second"] / 1e6
    return {"Mbit/s": rate_mbps, "us": cpu_s * 1e6 / packets, "packets/s": packets / (SECONDS + 1),
            "CPU s/Gbit": cpu_s / (rate_mbps / 1000 * (SECONDS + 1))}


def latency(_: int) -> dict[str, float]:
    """Pings up, beside datagrams of 30 Mbit/s down."""
    server = inside(0, "iperf3", "-s", "-1")
    time.sleep(0.5)
    client = inside(1, "iperf3", "-u", "-b", "30M", "-l", "200", "-c", ADDRESSES[0], "-t", str(SECONDS))
    pings = inside(1, "ping", "-q", "-i", "0.005", "-c", str(200 * SECONDS), ADDRESSES[0]).communicate()[0]
    client.communicate()
    server.wait(10)
    return {"RTT ms": float(pings.rsplit("=", 1)[1].split("/")[1])}


def measure(folder: Path) -> dict[str, list[dict[str, float]]]:
    """Every way in every round: what was measured, and how late celld woke up beside 30 Mbit/s."""
    ways = {name: ([sys.argv[2], *NETNS], mtu) for name, mtu in FORWARDERS.items()}
    for cells, mtu in ((CELLS, SMALL), (WHOLE_CELLS, WHOLE)):
        for name, cell in cells.items():
            (folder / name).mkdir()
            file = config(folder / name, cell, name in AT_ONCE)
            ways[name] = [sys.argv[1], "--config", str(file), "--ready-fd", "{fd}"], mtu
    found: dict[str, list[dict[str, float]]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, (argv, mtu) in ways.items():
            measured: dict[str, float] = {}
            for measure in (throughput, latency):
                with pipe(argv, mtu) as process:
                    measured |= measure(process.pid)
            if name not in FORWARDERS:
                late = json.loads((folder / name / "stats.json").read_text())["lateness"]
                measured |= {key: late[key] for key in ("p50_us", "p99_us", "p999_us")}
            found[name].append(measured)
    return found


def main() -> int:
    if os.geteuid() != 0:
        print("needs root: TUN devices in network namespaces")
        return 77  # of meson: skipped
    with namespaces(), tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder))
    median = {name: {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}
              for name, rounds in found.items()}
    small, whole = (median[name] for name in FORWARDERS)
    for name, values in median.items():
        base = whole if name in WHOLE_CELLS or values is whole else small
        print(f"{name:41} {values['Mbit/s']:5.0f} Mbit/s ({values['Mbit/s'] / base['Mbit/s']:.0%})  "
              f"{values['packets/s']:7.0f} packets/s  {values['us']:5.2f} us of CPU a packet  "
              f"{values['CPU s/Gbit']:.3f} CPU s/Gbit  "
              f"RTT {values['RTT ms']:5.2f} ms ({values['RTT ms'] - base['RTT ms']:+.2f})", end="")
        print(f"  late p50 {values['p50_us']:.0f}, p99 {values['p99_us']:.0f}, p99.9 {values['p999_us']:.0f} us"
              if name not in FORWARDERS else "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
