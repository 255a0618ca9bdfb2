# SPDX-License-Identifier: GPL-2.0-or-later
"""The virtual lab: one UML guest per run, in virtual time, pinned to one CPU, without root."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import mmap
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from cellbed import paths
from cellbed.error import LabError
from cellbed.host import ledger
from cellbed.host.netns import die_with_parent
from cellbed.labs import in_guest
from cellbed.labs.busy_loop import BusyLoop
from cellbed.labs.follow import Watch, follow, timing
from cellbed.labs.user_terminal import UserTerminal
from cellbed.run import congestion_control, memory, radios
from cellbed_formats.inside import Inside

ADDR_NO_RANDOMIZE = 0x0040000  # of personality(2)
# 2020-01-01 00:00:00 UTC; any fixed time does.
WALL_CLOCK_START_NS = 1_577_836_800_000_000_000
# Of the help that is in each kernel for its options.
_SECCOMP_HELP = b"seccomp=<on/auto/off>"
# What reading the clock takes of the virtual time of NR. It is read for each segment of a burst, and at a gigabit per
# second the microsecond that it takes by default would keep the radio waiting for milliseconds.
_NR_CLOCK_READ_NS = 100
# Variable of the environment: programs of the guest are traced, which isolates them from its kernel.
_TRACED = "CELLBED_PTRACE"
_INIT = "guest-init"


def _memory_dir(fallback: Path, memory_mib: int) -> Path:
    """Where UML keeps its memory file: shared memory when it has room, else beside the results.

    Raises:
        LabError: neither has room. The guest would die when it first uses what is missing.
    """
    shm = Path("/dev/shm")
    if shm.is_dir() and os.access(shm, os.W_OK) and shutil.disk_usage(shm).free > 4 * memory_mib << 20:
        return shm
    if shutil.disk_usage(fallback).free < memory_mib << 20:
        raise LabError(f"the guest's memory of {memory_mib} MiB fits neither in /dev/shm nor in "
                       f"{fallback}; free space there, or lower key 'memory' of the scenario")
    return fallback


def seccomp_words(kernel: Path) -> list[str]:
    """What lets the guest's programs call their kernel by the signal of a seccomp filter, which is quicker than ptrace.

    Where this machine allows no filters the kernel takes ptrace after all. The bytes of a run are the same either way,
    so a program that wants it may have ptrace (docs/trust.md). Older kernels do not know the word, and would hand it to
    the guest's programs.
    """
    with open(kernel, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as image:
        known = image.find(_SECCOMP_HELP) >= 0
    return [f"seccomp={'off' if os.environ.get(_TRACED) else 'auto'}"] if known else []


def clock_words(settings: dict[str, Any]) -> list[str]:
    """What reading the clock takes in the guest, where it is not what the kernel has by default (kernel/README.md)."""
    systems = [of_radio["radio"]["system"] for _, of_radio in radios.each(settings)]
    return [f"clock-read-cost={_NR_CLOCK_READ_NS}"] if {"nr", "en_dc"}.intersection(systems) else []


def command(kernel: Path, seed: int, memory_mib: int, words: Sequence[str] = ()) -> list[str]:
    """The guest's command line, which ends with @words; kernel/README.md explains every option.

    The kernel mixes it into its random pool, so nothing in it may vary between runs of one description: the guest
    finds its files through the working directory of the UML process.
    """
    return [
        str(kernel), f"mem={memory_mib}M", "rootfstype=hostfs", "rootflags=/", "ro",
        "init=/proc/self/cwd/guest-init", "time-travel=inf-cpu", f"time-travel-start={WALL_CLOCK_START_NS}",
        f"seed={seed}", "norandmaps", "quiet", "panic=-1", "con=null", "con0=null,fd:1", "uml_dir=uml/", "umid=guest",
        *seccomp_words(kernel), *words,
    ]


def _furnish(directory: Path) -> None:
    """What the guest needs besides the run description."""
    inside = Inside(directory)
    (inside / _INIT).write(Path(__file__).with_name(_INIT).read_bytes(), 0o755)
    in_guest.copy_package(directory)
    (inside / "python").write(f"{sys.executable}\n")


def _isolate(cpu: int) -> None:
    """Prepare the process of the guest before it starts: on a CPU of its own, as kernel/README.md explains.

    With addresses chosen at random the guest would have a few megabytes of memory more or less. Where personality()
    is not allowed it has.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    die_with_parent()
    os.sched_setaffinity(0, {cpu})
    ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)


def start(kernel: Path, directory: Path, seed: int, cpu: int, memory_mib: int, console: IO[bytes],
          words: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    """Start a guest whose first program is `guest-init` in @directory, its kernel with @words."""
    env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "TMPDIR": str(_memory_dir(directory, memory_mib))}
    return subprocess.Popen(command(kernel, seed, memory_mib, words), cwd=directory, stdin=subprocess.DEVNULL,
                            stdout=console, stderr=console, env=env, start_new_session=True,
                            preexec_fn=functools.partial(_isolate, cpu))


def execute(kernel: Path, directory: Path, description: dict[str, Any], cpu: int, watch: Watch,
         terminal: UserTerminal | None) -> dict[str, Any]:
    """Boot a guest that executes the run in @directory, its command attached to @terminal; return when it has halted.

    Returns:
        wall_s, setup_wall_s (everything but the traffic's time), kernel.

    Raises:
        LabError: the guest died, stalled or reports a failure.
    """
    in_guest.check(description)
    memory_mib = description["memory_mib"]
    memory.check(memory_mib)
    started = time.monotonic()
    console = directory / "console"
    _furnish(directory)
    if terminal is not None:
        terminal.attach_to_guest(directory)
    with (Inside(directory) / console.name).log() as out:
        words = congestion_control.kernel_words(description["settings"]["tcp"]) + clock_words(description["settings"])
        guest = start(kernel, directory, description["seed"], cpu, memory_mib, out, words)
    relayed = terminal.relayed(directory) if terminal is not None else contextlib.nullcontext()
    with ledger.entry("virtual", guest.pid, directory):
        try:
            with relayed:
                marks = follow(guest, directory, watch, computing=BusyLoop(guest.pid, console))
        finally:
            end(guest)
            with contextlib.suppress(OSError):
                (Inside(directory) / "uml").remove_folder()
    in_guest.check_result(guest, directory)
    config = kernel.with_name("config")  # which a kernel of one's own need not have
    return {**timing(started, marks), "kernel": {"config_sha256": paths.sha256(config) if config.exists() else None}}


def end(guest: subprocess.Popen[bytes]) -> None:
    """Kill whatever of the guest is left; UML's user processes are in its session."""
    if guest.poll() is None:
        guest.kill()
        guest.wait()
    ledger.kill_session(guest.pid, signal.SIGKILL)
