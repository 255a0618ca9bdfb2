#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Instructions that the core takes for a packet, by callgrind: the same on a busy machine and an idle one.

instructions.py PROGRAM    PROGRAM is bench_packets, run with two numbers of packets: start and end do not count
"""

import re
import subprocess
import sys
import tempfile

FEW, MANY = 500, 2500


def instructions(program: str, mode: str, packets: int, ues: int, crowd: int) -> int:
    with tempfile.NamedTemporaryFile() as out:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", program, mode,
             str(packets), str(ues), str(crowd)],
            capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def per_packet(program: str, mode: str, ues: int = 1, crowd: int = 0) -> float:
    few, many = (instructions(program, mode, packets, ues, crowd) for packets in (FEW, MANY))
    return (many - few) / (MANY - FEW)


if __name__ == "__main__":
    for mode, ues in ((mode, ues) for mode in ("um", "am") for ues in (1, 10, 100)):
        count = per_packet(sys.argv[1], mode, ues)
        print(f"RLC {mode.upper()}, 1500 bytes every 0.5 ms, downlink, UEs: {ues}: {count:.0f} instructions/packet")
    for ues in (1, 10, 100):
        print(f"NR, 1500 bytes every 12 us, downlink, UEs: {ues}: {per_packet(sys.argv[1], 'nr', ues):.0f} "
              "instructions/packet")
    for crowd in (50, 500):
        count = per_packet(sys.argv[1], "um", crowd=crowd)
        print(f"RLC UM, 1500 bytes every 0.5 ms, downlink, crowd: {crowd}: {count:.0f} instructions/packet")
    for mode, says in (("busy", "as they are"), ("control", "with SR, CQI reports and CFI 3")):
        print(f"100 busy UEs, {says}: {per_packet(sys.argv[1], mode, 100):.0f} instructions/packet")
