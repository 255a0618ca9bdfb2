# SPDX-License-Identifier: GPL-2.0-or-later
"""A test in a guest of its own, which is booted as runs are: what the test before has set or left is not there."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from cellbed.labs import in_guest, virtual

MEMORY_MIB = 256
_POLL_S = 0.05
_ENDED = "conformance: ended with "
# Tests write to /tmp, and may lie there: below /mnt all files of the host are where they are on it. The clock is the
# guest's, so that a test that waits for ever takes no time of ours.
_INIT = """#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/run LC_ALL=C PYTHONDONTWRITEBYTECODE=1
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /run
mount --bind / /mnt
mount -t tmpfs tmpfs /tmp
ip link set lo up
cd {folder}
timeout {limit_s} sh -c {command} 2>&1
status=$?
echo
echo "{ended}$status"
exec {python} -IS -c 'import ctypes; ctypes.CDLL(None).reboot(0x4321FEDC)'
"""
_LIMIT_S = 600


class Test(NamedTuple):
    name: str  # with its suite, as in the list of known failures
    folder: Path  # in which it runs
    command: str  # for a shell; 0 is a pass


class Result(NamedTuple):
    test: Test
    passed: bool
    said: str
    took_s: float


def inside(path: Path) -> str:
    """A path of this machine as a word of a guest's shell."""
    return shlex.quote(f"/mnt{path.resolve()}")


def execute(kernel: Path, test: Test, cpu: int, limit_s: float, stop: threading.Event) -> Result:
    """Boot a guest for one test and wait for its end.

    Args:
        limit_s: wall time after which it counts as failed, for whatever keeps the guest's clock from going on.
        stop: set when nobody waits for the result any more.
    """
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="cellbed-conformance-") as name:
        directory = Path(name)
        init, console = directory / "guest-init", directory / "console"
        init.write_text(_INIT.format(folder=inside(test.folder), command=shlex.quote(test.command), limit_s=_LIMIT_S,
                                     ended=_ENDED, python=inside(Path(os.path.realpath(sys.executable)))))
        init.chmod(0o755)
        with open(console, "wb") as out:
            guest = virtual.start(kernel, directory, 0, cpu, MEMORY_MIB, out)
        try:
            in_time = _await(guest, begin + limit_s, stop)
        finally:
            virtual.end(guest)
        said = console.read_text(errors="replace")
    took_s = time.monotonic() - begin
    if not in_time:
        return Result(test, False, f"{said}\nno end within {limit_s:g} s\n", took_s)
    text, ended, status = said.rpartition(_ENDED)
    if not ended:
        return Result(test, False, f"{said}\nthe guest died; {in_guest.last_words(said)}\n", took_s)
    return Result(test, status.split()[0] == "0", f"{text.rstrip()}\nended with {status.split()[0]}\n", took_s)


def _await(guest: subprocess.Popen[bytes], until: float, stop: threading.Event) -> bool:
    """Return: whether the guest has ended in time."""
    while guest.poll() is None:
        if time.monotonic() > until or stop.wait(_POLL_S):
            return False
    return True
