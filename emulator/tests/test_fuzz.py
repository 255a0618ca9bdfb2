# SPDX-License-Identifier: GPL-2.0-or-later
"""The fuzz targets find nothing in some seconds of the same inputs; meson's tests replay the corpora."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FUZZ = ROOT / "emulator/fuzz"
SECONDS = 13
TARGETS = sorted(path.stem.removeprefix("fuzz_") for path in FUZZ.glob("fuzz_*.c"))


def test_every_target_has_a_corpus():
    assert len(TARGETS) == 19
    for target in TARGETS:
        inputs = list((FUZZ / "corpus" / target).iterdir())
        assert len(inputs) >= 10, target
        assert sum(path.stat().st_size for path in inputs) < 200_000, target


@pytest.mark.timeout(900)
def test_a_short_run_finds_nothing():
    if not shutil.which("clang"):
        pytest.skip("clang is not installed")
    before = time_spent()
    command = ["make", "-o", "setup", "fuzz", f"FUZZ_SECONDS={SECONDS}", "SEED=1", "PROPERTY_ROUNDS=0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    after = time_spent()
    assert sorted(after) == TARGETS
    assert all(after[target] > before.get(target, 0) for target in TARGETS)


def time_spent() -> dict:
    ledger = ROOT / "build/fuzz/cpu_seconds.json"
    return json.loads(ledger.read_text()) if ledger.exists() else {}
