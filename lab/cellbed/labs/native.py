# SPDX-License-Identifier: GPL-2.0-or-later
"""The native lab: network namespaces on this machine's own kernel, in real time, as root."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from cellbed.error import LabError
from cellbed.host import cgroup, ledger
from cellbed.host.netns import die_with_parent
from cellbed.labs.caller import Caller
from cellbed.labs.follow import Watch, follow, timing
from cellbed.run import shaping

_STOP_DEADLINE_S = 20.0


def check() -> None:
    """Raises LabError when the lab cannot run here."""
    if os.geteuid() != 0:
        raise LabError("the native lab needs root; use --lab virtual, or run it with sudo")
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        raise LabError("the native lab needs /dev/net/tun; load the tun module with `modprobe tun`")


def current_congestion_control() -> str:
    return Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip()


def congestion_controls(which: str = "available") -> list[str]:
    """What this kernel has loaded; "allowed": what its network namespaces may choose of that."""
    return Path(f"/proc/sys/net/ipv4/tcp_{which}_congestion_control").read_text().split()


def play(directory: Path, description: dict[str, Any], cpu: int, watch: Watch, caller: Caller | None) -> dict[str, Any]:
    """Play the run in @directory in a cgroup of its own, its command attached to @caller.

    Returns and raises as virtual.play().
    """
    check()
    refusal = shaping.refusal(description["settings"])
    if refusal is not None:
        raise LabError(refusal)
    started = time.monotonic()
    group = cgroup.create(ledger.lab_name(directory))

    def enter() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        die_with_parent(signal.SIGTERM)  # the runner then cleans up by itself
        (group / "cgroup.procs").write_text(str(os.getpid()))

    try:
        with ledger.entry("native", os.getpid(), directory, group), open(directory / "console", "wb") as out:
            # A caller's terminal stays that of the session; its keys are for the command, not for the runner.
            own: dict[str, Any] = {"start_new_session": True} if caller is None else \
                {"process_group": 0, "pass_fds": caller.attach_natively(directory)}
            runner: subprocess.Popen[bytes] = subprocess.Popen(
                [sys.executable, "-m", "cellbed.run.runner", str(directory)], preexec_fn=enter,
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, **own)
            try:
                marks = follow(runner, directory, watch)
            finally:
                _end(runner)
    finally:
        cgroup.remove(group)
    if runner.returncode != 0:
        error = directory / "error"
        console = (directory / "console").read_text(errors="replace").splitlines()[-3:]
        told = error.read_text().strip() if error.exists() else ""
        raise LabError(told or f"the runner died: {' | '.join(console) or '(it printed nothing)'}")
    return timing(started, marks)


def _end(runner: subprocess.Popen[bytes]) -> None:
    """Let a runner that still works clean up; it has little to do."""
    if runner.poll() is None:
        runner.terminate()
        try:
            runner.wait(_STOP_DEADLINE_S)
        except subprocess.TimeoutExpired:
            runner.kill()
            runner.wait()
