# SPDX-License-Identifier: GPL-2.0-or-later
"""Trial boots: whether the guest of a lab starts on this machine at all, before runs are executed in it.

A guest can fail to start where everything that it needs is there: a CPU with more state than a kernel expects, a
sandbox that forbids part of ptrace, memory that must not hold code. Trying takes a tenth of a second.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from cellbed.error import LabError, told
from cellbed.labs import in_guest, virtual

WORD = "cellbed: the guest has started"
DEADLINE_S = 10.0
_MEMORY_MIB = 128
# The Python that executes runs, without its packages, which take longer than the boot.
_LAST = f"""exec {shlex.quote(sys.executable)} -IS -c '
import ctypes
print("{WORD}", flush=True)
ctypes.CDLL(None).reboot(0x4321FEDC)'
"""
_POLL_S = 0.01


def await_word(guest: subprocess.Popen[bytes], console: Path, deadline_s: float = DEADLINE_S) -> None:
    """Wait until a guest's console has the word that its init says.

    Raises:
        LabError: the guest has ended without it, or the time is over; with what it said last.
    """
    end = time.monotonic() + deadline_s
    while True:
        ended = guest.poll() is not None
        said = console.read_text(errors="replace")
        if WORD in said:
            return
        if ended:
            raise LabError(in_guest.last_words(said))
        if time.monotonic() > end:
            raise LabError(f"nothing within {deadline_s:g} s; {in_guest.last_words(said)}")
        time.sleep(_POLL_S)


@contextlib.contextmanager
def started(kernel: Path, script: str = "") -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A guest that executes a shell's script, says its word and ends; and the file with what it says."""
    with tempfile.TemporaryDirectory(prefix="cellbed-trial-") as name:
        directory = Path(name)
        program, console = directory / "guest-init", directory / "console"
        program.write_text(f"#!/bin/sh\n{script}{_LAST}")
        program.chmod(0o755)
        with open(console, "wb") as out:
            guest = virtual.start(kernel, directory, 0, min(os.sched_getaffinity(0)), _MEMORY_MIB, out)
        try:
            yield guest, console
        finally:
            virtual.end(guest)


def boot(kernel: Path, deadline_s: float = DEADLINE_S) -> None:
    """Boot a kernel of the virtual lab.

    Raises:
        LabError: it does not start on this machine.
    """
    with contextlib.ExitStack() as stack:
        try:
            await_word(*stack.enter_context(started(kernel)), deadline_s)
        except (LabError, OSError) as error:
            why = told(error) if isinstance(error, OSError) else error
            raise LabError(f"the lab kernel {kernel.parent.name} does not start on this machine: {why}") from None


def boot_once(kernel: Path) -> None:
    """Boot a kernel of the virtual lab unless it has started here since this machine did.

    Raises:
        LabError: it does not start on this machine.
    """
    remembered = kernel.with_name("started")
    machine = Path("/proc/sys/kernel/random/boot_id").read_text()
    with contextlib.suppress(OSError):
        if remembered.read_text() == machine:
            return
    boot(kernel)
    with contextlib.suppress(OSError):  # somebody else's cache
        remembered.write_text(machine)
