# SPDX-License-Identifier: GPL-2.0-or-later
"""CPU time and memory of `cellbed pcap`, tcptrace and tshark: `python tests/bench/captures.py --packets 1000000`.

The capture is of transfers of a thousand packets each with 96 bytes of every packet, one after another. The programs
take turns; the table has the least CPU time and the most memory of all rounds.
"""

import argparse
import os
import shutil
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "captures"))

from files import recording
from transfer import US, Transfer

SNAP, APART_US, PORTS = 96, 2_000_000, 40_000
EPOCH_US = 1_700_000_000_000_000
TCP_AT = 34  # behind Ethernet and IPv4


def capture(path, n_packets):
    """Write it. Return: packets."""
    frames = recording(Transfer(segments=500, lost=(50,)).seen, snap=SNAP).frames
    turns = max(n_packets // len(frames), 1)
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1))
        for turn in range(turns):
            port = struct.pack(">H", 20_000 + turn % PORTS)
            for one in frames:
                at = TCP_AT + 2 * (one.data[TCP_AT:TCP_AT + 2] == b"\x01\xbb")  # the client's port is the other one
                t_us = EPOCH_US + one.t_ns // US + turn * APART_US
                file.write(struct.pack("<4I", t_us // 10**6, t_us % 10**6, len(one.data), one.original)
                           + one.data[:at] + port + one.data[at + 2:])
    return turns * len(frames)


def cost(command):
    """CPU seconds and MB of memory of a command."""
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, spent = os.wait4(pid, 0)
    if status:
        sys.exit(f"{' '.join(command)}: status {os.waitstatus_to_exitcode(status)}")
    return spent.ru_utime + spent.ru_stime, spent.ru_maxrss / 1024


def main():
    asked = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    asked.add_argument("--packets", type=int, default=1_000_000)
    asked.add_argument("--rounds", type=int, default=3)
    wanted = asked.parse_args()
    every = {"cellbed pcap": [sys.executable, "-P", "-m", "cellbed.cli.entry", "pcap", "--json"],
             "tcptrace": ["tcptrace", "-lrn"], "tshark": ["tshark", "-q", "-z", "conv,tcp", "-r"]}
    programs = {name: command for name, command in every.items() if shutil.which(command[0])}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.pcap")
        n_packets = capture(path, wanted.packets)
        print(f"{n_packets} packets, {path.stat().st_size / 1e6:.0f} MB\n")
        costs = {name: [] for name in programs}
        for _ in range(wanted.rounds):
            for name, command in programs.items():
                costs[name].append(cost([*command, str(path)]))
    print("| | CPU s | us a packet | MB |\n| --- | ---: | ---: | ---: |")
    for name, rounds in costs.items():
        cpu_s = min(one for one, _ in rounds)
        print(f"| {name} | {cpu_s:.2f} | {1e6 * cpu_s / n_packets:.2f} | {max(mb for _, mb in rounds):.0f} |")


if __name__ == "__main__":
    main()
