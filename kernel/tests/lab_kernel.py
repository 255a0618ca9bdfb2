# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots the lab kernel for the tests beside this file."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

import pytest

BUILD = Path(__file__).resolve().parents[1] / "build"
VERSIONS = ("7.3", "6.12", "6.1")
# Each as runs start it, and those that have a seccomp mode without it.
KINDS = ("7.3", "7.3 ptrace", "6.12", "6.1")


def copy_checkout(folder):
    """All of this checkout that building a kernel takes, without the kernels that were given to it."""
    for part in ("kernel", "lab/cellbed", "formats/cellbed_formats"):
        shutil.copytree(BUILD.parents[1] / part, folder / part,
                        ignore=shutil.ignore_patterns("built", "tests", "__pycache__"))


class Kernel(NamedTuple):
    path: Path
    words: tuple[str, ...]  # more of its command line


def cached(kind):
    """A built kernel; skips the test when there is none."""
    version, _, ptrace = kind.partition(" ")
    done = subprocess.run([BUILD, "--print-path", "--version", version], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(done.stderr.strip())
    seccomp = () if version.startswith("6.") else ("seccomp=off" if ptrace else "seccomp=auto",)
    return Kernel(Path(done.stdout.strip()), seccomp)


def command(kernel, folder, script, seed=1, before=()):
    """The command line of a guest whose init is a shell script.

    Args:
        before: words before the kernel.
    """
    init = folder / "guest-init"
    init.write_text("#!/bin/bash\nmount -t proc p /proc\nmount -t sysfs s /sys\nmount -t tmpfs t /run\n"
                    "mount -t devtmpfs d /dev\n"
                    f"{{ {script}\n}} 2>&1\n"
                    "exec python3 -c 'import ctypes; ctypes.CDLL(None).reboot(0x4321FEDC)'\n")
    init.chmod(0o755)
    return ["taskset", "-c", str(min(os.sched_getaffinity(0))), *before, kernel.path, "mem=256M", "rootfstype=hostfs",
            "rootflags=/", "ro", "init=/proc/self/cwd/guest-init", "time-travel=inf-cpu",
            "time-travel-start=1577836800000000000", f"seed={seed}", "norandmaps", "quiet", "panic=-1", "con=null",
            "con0=null,fd:1", "uml_dir=uml/", "umid=t", *kernel.words]


@contextlib.contextmanager
def started(kernel, folder, script, seed=1, before=(), **environment):
    """A guest in a session of its own, as one that panics signals its group. None of it is left. Yields: a Popen."""
    guest = subprocess.Popen(command(kernel, folder, script, seed, before), cwd=folder, start_new_session=True,
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env={"PATH": os.environ["PATH"], "TMPDIR": str(folder), **environment})
    try:
        yield guest
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(guest.pid, signal.SIGKILL)
        guest.communicate()
        shutil.rmtree(folder / "uml", ignore_errors=True)


def boot(kernel, folder, script, seed=1, before=(), **environment):
    """Run a shell script as the guest's init. Return: what it printed and the wall time in seconds.

    Args:
        environment: more of it for the guest's kernel.
    """
    start = time.monotonic()
    with started(kernel, folder, script, seed, before, **environment) as guest:
        out, errors = guest.communicate(timeout=120)
    assert guest.returncode == 0, out + errors
    return re.sub(r"reboot: .*\n$", "", out), time.monotonic() - start
