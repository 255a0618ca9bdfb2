# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the project's own programs are."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from cellbed.error import LabError

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLBED_BUILD", ROOT / "build"))
PROGRAMS = {"celld": BUILD / "emulator/daemon/celld", "tcpwatch": BUILD / "ebpf/tcpwatch/tcpwatch"}


def programs() -> dict[str, str]:
    """Paths of celld and tcpwatch.

    Raises:
        LabError: not built.
    """
    for name, path in PROGRAMS.items():
        if not path.exists():
            raise LabError(f"{name} is not built ({path} is missing); run `make setup`")
    return {name: str(path) for name, path in PROGRAMS.items()}


def cache() -> Path:
    """Folder of what can be made or found out again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cellbed"


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fingerprints(names: dict[str, str]) -> dict[str, str]:
    """SHA-256 of each program: a rebuilt radio must not find old results."""
    digests = {name: sha256(Path(path)) for name, path in names.items()}
    lab = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*")):
        if path.name in ("runner.py", "workload.py", "stream.py", "datagrams.py", "command.py", "realtime.py",
                         "tcp_profile.py", "topology.py", "core_network.py", "shaping.py", "radio_config.py",
                         "counters.py", "capture.py", "names.py", "guest-init"):
            lab.update(path.read_bytes())
    return {**digests, "runner": lab.hexdigest()}


def lab_kernel(version: str) -> Path:
    """The cached lab kernel.

    Raises:
        LabError: not built yet, with how to build it.
    """
    done = subprocess.run([sys.executable, ROOT / "kernel/build", "--version", version, "--print-path"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError(done.stderr.strip().removeprefix("kernel/build: "))
    return Path(done.stdout.strip().splitlines()[-1])
