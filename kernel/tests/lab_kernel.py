# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots the lab kernel for the tests beside this file."""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

BUILD = Path(__file__).resolve().parents[1] / "build"
VERSIONS = ("6.12", "6.1")


def cached(version=VERSIONS[0]):
    """The built kernel's path; None when there is none."""
    done = subprocess.run([BUILD, "--print-path", "--version", version], capture_output=True, text=True, check=False)
    return Path(done.stdout.strip()) if done.returncode == 0 else None


def boot(kernel, folder, script, seed=1, **environment):
    """Run a shell script as the guest's init. Return: what it printed and the wall time in seconds.

    Args:
        environment: more of it for the guest's kernel.
    """
    init = folder / "guest-init"
    init.write_text("#!/bin/bash\nmount -t proc p /proc\nmount -t sysfs s /sys\nmount -t tmpfs t /run\n"
                    "mount -t devtmpfs d /dev\n"
                    f"{{ {script}\n}} 2>&1\n"
                    "exec python3 -c 'import ctypes; ctypes.CDLL(None).reboot(0x4321FEDC)'\n")
    init.chmod(0o755)
    start = time.monotonic()
    done = subprocess.run(
        ["taskset", "-c", str(min(os.sched_getaffinity(0))), kernel, "mem=256M", "rootfstype=hostfs", "rootflags=/",
         "ro", "init=/proc/self/cwd/guest-init", "time-travel=inf-cpu", "time-travel-start=1577836800000000000",
         f"seed={seed}", "norandmaps", "quiet", "panic=-1", "con=null", "con0=null,fd:1", "uml_dir=uml/", "umid=t"],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
        env={"PATH": os.environ["PATH"], "TMPDIR": str(folder), **environment})
    shutil.rmtree(folder / "uml", ignore_errors=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return re.sub(r"reboot: .*\n$", "", done.stdout), time.monotonic() - start
