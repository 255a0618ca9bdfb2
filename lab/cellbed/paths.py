# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the project's own files and programs are."""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path

from cellbed.error import LabError

_BROUGHT = Path(__file__).resolve().parents[1] / "cellbed_files"
IS_CHECKOUT = not _BROUGHT.is_dir()
# Where all is that is not Python: a checkout, or what a wheel brings of one, at the same places.
ROOT = Path(__file__).resolve().parents[2] if IS_CHECKOUT else _BROUGHT
# What builds lab kernels, as a user types it.
BUILD_COMMAND = "kernel/build" if IS_CHECKOUT else "python -m cellbed_kernel"
# What brings programs that are missing.
SETUP = "run `make setup`" if IS_CHECKOUT else "install cellbed again"
BUILD = Path(os.environ.get("CELLBED_BUILD", ROOT / "build"))
PROGRAMS = {"celld": BUILD / "emulator/daemon/celld", "tcpwatch": BUILD / "ebpf/tcpwatch/tcpwatch",
            "ipdump": BUILD / "emulator/ipdump/ipdump"}
LOADER = {"ccload": BUILD / "ebpf/ccload/ccload"}
# Of a wheel, and of a checkout where `make iperf3` built one; see results.bundle.iperf3().
IPERF3 = BUILD / "iperf3/iperf3"
SAMPLER = {"tcpsample": BUILD / "ebpf/tcpwatch/tcpsample"}


def programs(load: bool = False, rootless: bool = False) -> dict[str, str]:
    """Paths of celld, tcpwatch and ipdump.

    Args:
        load: and of what loads a congestion control in BPF.
        rootless: and of what samples TCP without BPF.

    Raises:
        LabError: not built.
    """
    wanted = PROGRAMS | (LOADER if load else {}) | (SAMPLER if rootless else {})
    for name, path in wanted.items():
        if not path.exists():
            raise LabError(f"{name} is not built ({path} is missing); {SETUP}")
    return {name: str(path) for name, path in wanted.items()}


def cache() -> Path:
    """Folder of what can be made or found out again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cellbed"


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def folder_sha256(*folders: Path) -> str:
    """SHA-256 of the names and contents of all files of folders, but for what Python compiles of them."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
            digest.update(f"{folder.name}/{path.relative_to(folder)}".encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@functools.cache
def code() -> str:
    """SHA-256 of the Python packages that execute runs: whole folders, so that no file of theirs can be forgotten.

    cellbed_formats is not among them: it reads scenarios, whose settings count by themselves, and what runs leave.
    """
    import cellbed_channel

    return folder_sha256(Path(__file__).parent, Path(cellbed_channel.__file__).parent)


def fingerprints(names: dict[str, str]) -> dict[str, str]:
    """SHA-256 of each program and of the Python code: what was rebuilt or edited must not find old results."""
    return {**{name: sha256(Path(path)) for name, path in names.items()}, "code": code()}
