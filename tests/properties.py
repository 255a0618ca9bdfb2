#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Property tests with inputs that no run had before: a new seed each round.

    properties.py ROUNDS [PYTEST ARGUMENTS]    exit 1 when a round found something

What fails is kept in build/hypothesis and tried first in every later round, until it holds. The gate does not read that
folder: such an input becomes an @example of its test. `CELLBED_PROPERTY_SEED=SEED pytest` runs a round again.
"""

import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SEEDS = 2**32
LIMIT_S = 3600  # of a test: by the clock on the wall, which a busy machine stretches


def execute(seed: int, arguments: list[str]) -> bool:
    """Return: all properties held."""
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "pytest", "-m", "hypothesis", f"--timeout={LIMIT_S}", *arguments],
                          cwd=ROOT, env={**os.environ, "CELLBED_PROPERTY_SEED": str(seed)}, check=False)
    print(f"properties, seed {seed}: {'held' if done.returncode == 0 else 'failed'}, "
          f"{time.monotonic() - began:.0f} s", flush=True)
    return done.returncode == 0


def main() -> int:
    rounds = [execute(secrets.randbelow(SEEDS), sys.argv[2:]) for _ in range(int(sys.argv[1]))]
    return 0 if all(rounds) else 1


if __name__ == "__main__":
    sys.exit(main())
