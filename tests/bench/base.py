# SPDX-License-Identifier: GPL-2.0-or-later
"""Another commit of this repository, built in a folder of its own to be measured beside the present one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from cost import Failed, say

HERE = Path(__file__).resolve().parents[2]


def folder() -> Path:
    """Where commits are built."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cellbed" / "bench"


def built(commit: str) -> Path:
    """Build a commit, unless that was done before. Return: its checkout.

    Raises:
        Failed: there is no such commit, or it does not build.
    """
    named = _git(HERE, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}")
    if named.returncode:
        raise Failed(f"BASE={commit}: no commit of this repository")
    sha = named.stdout.strip()
    checkout = folder() / sha[:12]
    if not (checkout / ".git").exists():
        folder().mkdir(parents=True, exist_ok=True)
        _must(_git(HERE, "clone", "--quiet", "--no-checkout", str(HERE), str(checkout)))
    _must(_git(checkout, "checkout", "--quiet", "--detach", sha))
    say(f"building {sha[:12]} in {checkout}, which takes minutes the first time")
    # What make was told here is not for the other one.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "BASE"))}
    _must(subprocess.run(["make", "setup", "lab-kernel"], cwd=checkout, env=environment, text=True,
                         stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False))
    return checkout


def _git(where: Path, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run(["git", "-C", where, *words], capture_output=True, text=True, check=False)


def _must(done: subprocess.CompletedProcess) -> None:
    if done.returncode:
        raise Failed(f"{' '.join(map(str, done.args))}: {(done.stderr or '').strip() or 'failed'}")
