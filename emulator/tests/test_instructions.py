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
# 6400 and 7600 when this was written; a wide margin, as compilers differ.
AT_MOST = {"UM": 10_000, "AM": 12_000}


def test_instructions_per_packet():
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    args = [ROOT / "emulator/tests/bench/instructions.py", BUILD / "emulator/tests/bench/bench_packets"]
    one, two = (subprocess.run(args, capture_output=True, text=True, check=True).stdout for _ in range(2))
    assert one == two
    counts = {mode: int(n) for mode, n in re.findall(r"RLC (\w+),.* (\d+) instructions/packet", one)}
    assert set(counts) == {"UM", "AM"}
    for mode, most in AT_MOST.items():
        assert 1000 < counts[mode] < most
