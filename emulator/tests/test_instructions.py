# SPDX-License-Identifier: GPL-2.0-or-later
"""What a packet costs the core, in instructions: repeatable, and not suddenly much more."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLBED_BUILD", ROOT / "build"))
# 5700, 7000 and 4500 when this was written; a wide margin, as compilers differ.
AT_MOST = {"UM": 9_000, "AM": 11_000, "NR": 7_000}
UES = ("1", "10", "100")


def test_instructions_per_packet():
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    args = [ROOT / "emulator/tests/bench/instructions.py", BUILD / "emulator/tests/bench/bench_packets"]
    one, two = (subprocess.run(args, capture_output=True, text=True, check=True).stdout for _ in range(2))
    assert one == two
    lines = re.findall(r"(?:RLC )?(\w+), 1500.* UEs: (\d+): (\d+) instructions/packet", one)
    counts = {(mode, ues): int(n) for mode, ues, n in lines}
    assert set(counts) == {(mode, ues) for mode in AT_MOST for ues in UES}
    for mode, most in AT_MOST.items():
        assert 1000 < counts[mode, "1"] < most
        # UEs with nothing to do cost nothing; 12 times as much with 100 UEs when each event looked at all of them.
        for ues in UES:
            assert counts[mode, ues] < 1.3 * counts[mode, "1"]
    # Modelled UEs cost what they ask for, which is the same of 50 and of 500.
    few, many = (int(n) for n in re.findall(r"crowd: \d+: (\d+) instructions/packet", one))
    assert counts["UM", "1"] < few < 1.5 * counts["UM", "1"]
    assert many < 1.15 * few
    # What UEs ask for and hear on control channels costs little beside what they send.
    free, controlled = (int(n) for n in re.findall(r"busy UEs, .*: (\d+) instructions/packet", one))
    assert 1000 < controlled < 1.3 * free
