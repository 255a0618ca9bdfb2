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
# 5800, 11 700, 70 800 and 7000 when this was written; a wide margin, as compilers differ.
AT_MOST = {("UM", "1"): 9_000, ("UM", "10"): 18_000, ("UM", "100"): 110_000, ("AM", "1"): 11_000}


def test_instructions_per_packet():
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    args = [ROOT / "emulator/tests/bench/instructions.py", BUILD / "emulator/tests/bench/bench_packets"]
    one, two = (subprocess.run(args, capture_output=True, text=True, check=True).stdout for _ in range(2))
    assert one == two
    lines = re.findall(r"RLC (\w+),.* UEs: (\d+): (\d+) instructions/packet", one)
    counts = {(mode, ues): int(n) for mode, ues, n in lines}
    assert set(counts) == set(AT_MOST)
    for case, most in AT_MOST.items():
        assert 1000 < counts[case] < most
