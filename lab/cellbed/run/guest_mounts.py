# SPDX-License-Identifier: GPL-2.0-or-later
"""First program of the virtual lab's guest after guest-init: its file systems, then the run.

The root is the host's file system, read-only (so /tmp stays visible: a checkout may be there); only the bundle's
directory can be written, through /mnt. That directory is the working directory of the UML process on the host.
"""

from __future__ import annotations

import ctypes
import os
import sys

_MOUNTS = (("hostfs", "/mnt", "/proc/self/cwd"), ("proc", "/proc", ""), ("sysfs", "/sys", ""), ("devtmpfs", "/dev", ""),
           ("devpts", "/dev/pts", "ptmxmode=666"), ("tmpfs", "/run", ""), ("cgroup2", "/sys/fs/cgroup", ""))
_FOLDERS = {"devtmpfs": ("/dev/pts", "/dev/shm"), "cgroup2": ("/sys/fs/cgroup/cellbed",)}
_TCP = "/proc/sys/net/ipv4/tcp_"
#: A name that each machine's /etc/hosts has; without one programs that look up their own fail.
_HOST = b"localhost"


def mount() -> None:
    """Raises OSError when the kernel refuses."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.sethostname(_HOST, len(_HOST))
    for kind, where, options in _MOUNTS:
        if libc.mount(kind.encode(), where.encode(), kind.encode(), 0, options.encode()) < 0:
            raise OSError(ctypes.get_errno(), f"mounting {kind}")
        for folder in _FOLDERS.get(kind, ()):
            os.mkdir(folder)


def _copy(source: str, target: str) -> None:
    with open(source, "rb", buffering=0) as of, open(target, "wb", buffering=0) as to:
        to.write(of.read(4096))


def main() -> None:
    mount()
    with open("/sys/fs/cgroup/cellbed/cgroup.procs", "wb", buffering=0) as group:
        group.write(b"0")
    # Otherwise a network namespace may choose reno and the default only.
    _copy(f"{_TCP}available_congestion_control", f"{_TCP}allowed_congestion_control")
    os.chdir("/run")
    os.environ["PYTHONPATH"] = sys.path[0] = "/mnt/cellbed.zip"
    from cellbed.run import guest_main

    guest_main.main("/mnt")


if __name__ == "__main__":
    main()
