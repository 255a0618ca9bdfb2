# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs of root that have none of his powers: no capability, and nothing of the kernel's that they can write.

Root without capabilities still owns what the kernel shows as files: sysctls, sysfs, cgroups, /proc/sysrq-trigger. So
they are read-only, in a mount namespace of the program's own. What nobody may undo there is undone by no namespace that
the program makes either, since the kernel locks such mounts.

Source: mount_setattr(2), mount_namespaces(7), proc(5)
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from cellbed.host import capabilities

_LIBC = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNS = 0x20000
_MS_BIND, _MS_REC, _MS_SLAVE = 0x1000, 0x4000, 0x80000
_MOUNT_SETATTR = 442  # on every architecture
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_READ_ONLY, _NO_RIGHTS_OF_FILES = 0x1, 0x2  # MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID
_PROC = "/proc"
# File systems in which a file is a setting of the kernel.
_KERNELS = {"proc", "sysfs", "cgroup", "cgroup2", "bpf", "binfmt_misc", "configfs", "debugfs", "efivarfs", "fusectl",
            "pstore", "resctrl", "securityfs", "selinuxfs", "tracefs"}


def confine(but: Collection[int] = ()) -> None:
    """Give up all powers of root but some capabilities, for this process and all that it becomes and starts.

    Raises:
        OSError: the kernel refuses, or is older than 5.12.
    """
    _call("making a mount namespace", _LIBC.unshare(_CLONE_NEWNS))
    _call("parting mounts", _LIBC.mount(None, b"/", None, _MS_REC | _MS_SLAVE, None))
    _set("/", _NO_RIGHTS_OF_FILES)
    for path in _mounted():
        _set(path, _READ_ONLY)
    for path in _settings_of_proc():
        _call(f"mounting {path}", _LIBC.mount(os.fsencode(path), os.fsencode(path), None, _MS_BIND | _MS_REC, None))
        _set(path, _READ_ONLY)
    capabilities.give_up_for_good(but)


def _mounted() -> Iterator[str]:
    """Where file systems of the kernel are that no other hides, but for the /proc that has the files of processes."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        device, _, escaped = before.split()[2:5]
        path = escaped.encode().decode("unicode_escape").encode("latin-1").decode(errors="surrogateescape")
        major, minor = map(int, device.split(":"))
        if path != _PROC and after.split()[0] in _KERNELS and _device(path) == os.makedev(major, minor):
            yield path


def _device(path: str) -> int | None:
    try:
        return os.stat(path).st_dev
    except OSError:
        return None


def _settings_of_proc() -> list[str]:
    """What /proc has beside processes that root may write to."""
    return [entry.path for entry in os.scandir(_PROC)
            if not entry.name.isdigit() and not entry.is_symlink()
            and (entry.is_dir() or stat.S_IMODE(entry.stat().st_mode) & 0o222)]


def _set(path: str, attribute: int) -> None:
    """Of the mount at @path and of all below it."""
    wanted = (ctypes.c_uint64 * 4)(attribute)  # to set, to clear, propagation, user namespace
    _call(f"changing the mount {path}", _LIBC.syscall(_MOUNT_SETATTR, _AT_FDCWD, os.fsencode(path), _AT_RECURSIVE,
                                                      ctypes.byref(wanted), ctypes.sizeof(wanted)))


def _call(what: str, result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
