# SPDX-License-Identifier: GPL-2.0-or-later
"""`cellbed clean`: removes what killed runs left behind, and nothing of runs that live."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

from cellbed import cgroup, ledger


def clean() -> list[str]:
    """Remove leftovers. Return: what was removed, in words."""
    removed = []
    living = set()
    for path, entry, alive in ledger.entries():
        if alive:
            living.add(entry["cgroup"])
            continue
        if entry["lab_pid"] != entry["owner_pid"] and _same_session(entry):
            n = ledger.kill_session(entry["lab_pid"], signal.SIGKILL)
            removed.append(f"{n} processes of the guest {entry['lab_pid']}")
        if entry["cgroup"] and Path(entry["cgroup"]).exists():
            removed.append(f"cgroup {entry['cgroup']} with {cgroup.remove(Path(entry['cgroup']))} processes")
        if Path(entry["temporary"]).exists():
            shutil.rmtree(entry["temporary"], ignore_errors=True)
            what = "scratch folder" if entry["lab"] == "scratch" else "unfinished bundle"
            removed.append(f"{what} {entry['temporary']}")
        path.unlink(missing_ok=True)
    for path in cgroup.leftovers():
        if str(path) not in living and not _owned(path):
            removed.append(f"cgroup {path} with {cgroup.remove(path)} processes")
    return removed


def _same_session(entry: dict) -> bool:
    """The session's leader is gone or still the one of the entry: its members are ours."""
    now = ledger.start_time(entry["lab_pid"])
    return now is None or now == entry["lab_start"]


def _owned(path: Path) -> bool:
    """A lab between making its cgroup and its ledger entry, or of another user."""
    pid = path.name.rpartition(".")[2]
    return pid.isdigit() and ledger.start_time(int(pid)) is not None
