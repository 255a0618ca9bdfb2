# SPDX-License-Identifier: GPL-2.0-or-later
"""`cellbed clean`: removes what killed runs left behind, and nothing of runs that live or of other users."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from cellbed.host import cgroup, claim, ledger
from cellbed.host.python_child import python_command


def clean() -> list[str]:
    """Remove leftovers. Return: what was removed, in words."""
    removed = []
    living = set()
    found, refused = ledger.read()
    ledger.remove_unwritten()
    # Folders last, when nobody writes into them any more.
    for path, entry in sorted(found, key=lambda one: one[1].lab == ledger.BUNDLE):
        if entry.alive:
            living.add(entry.cgroup)
            continue
        if n := entry.kill_guest():
            removed.append(f"{n} processes of the guest {entry.lab_pid}")
        if entry.cgroup is not None and entry.cgroup.exists():
            removed.append(f"cgroup {entry.cgroup} with {cgroup.remove(entry.cgroup)} processes")
        if ledger.remove_folder(entry.temporary):
            what = "scratch folder" if entry.lab == ledger.SCRATCH else "unfinished bundle"
            removed.append(f"{what} {entry.temporary}")
        if entry.lab == ledger.BUNDLE:
            removed += [f"unfinished bundle {folder}" for folder in unfinished(entry.temporary.parent)
                        if ledger.remove_folder(folder)]
            claim.remove_free(entry.temporary.parent)
        path.unlink(missing_ok=True)
    for path in refused:
        path.unlink(missing_ok=True)
        removed.append(f"{path}, which is no entry of a lab; nothing that it names was touched")
    if os.geteuid() == 0:
        removed += _trace_buffers()
    for path in cgroup.leftovers():
        if path not in living and not _owned(path):
            removed.append(f"cgroup {path} with {cgroup.remove(path)} processes")
    return removed


def unfinished(results: Path) -> list[Path]:
    """Folders of bundles whose runners have died, also of those that others put there for them."""
    found = []
    for path in results.resolve().glob(f"{ledger.TEMPORARY_PREFIX}*.*"):
        pid = path.name.rpartition(".")[2]
        if pid.isdigit() and ledger.start_time(int(pid)) is None:
            found.append(path)
    return found


def _trace_buffers() -> list[str]:
    """Remove those of killed runs, in a process of its own: it may have to mount tracefs where nobody else sees it."""
    done = subprocess.run(python_command("cellbed.host.tracepoints", "--clean"), capture_output=True, text=True,
                          check=False)
    return done.stdout.splitlines()


def _owned(path: Path) -> bool:
    """A lab between making its cgroup and its ledger entry, or of another user."""
    pid = path.name.rpartition(".")[2]
    return pid.isdigit() and ledger.start_time(int(pid)) is not None or path.lstat().st_uid != os.geteuid()
