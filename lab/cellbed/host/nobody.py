# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs of root's that are nobody's, with privileges in namespaces that are nobody's, too, and none outside.

Root maps the user into the user namespace, so it takes no permission that machines give to all users or not.

Source: user_namespaces(7)
"""

from __future__ import annotations

import ctypes
import os
import pwd
import stat
import time
from pathlib import Path

from cellbed.host import capabilities

NAME = "nobody"
_LIBC = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWNET = 0x20000, 0x10000000, 0x40000000
_MS_REC, _MS_SLAVE = 0x4000, 0x80000
_TUN = Path("/dev/net/tun")
_LOOK_S = 0.001


def begin() -> None:
    """Be nobody in a user and a network namespace that begin here, once another process has called admit().

    Raises:
        OSError: the kernel refuses.
    """
    _call("making a user namespace", _LIBC.unshare(_CLONE_NEWUSER | _CLONE_NEWNET))
    while not Path("/proc/self/gid_map").read_text():
        time.sleep(_LOOK_S)
    become()


def begun(pid: int) -> bool:
    """Whether a process has got so far in begin() that it can be admitted."""
    return os.readlink(f"/proc/{pid}/ns/user") != os.readlink("/proc/self/ns/user")


def admit(pid: int) -> None:
    """Let a process that waits in begin() be nobody. Raises OSError when this one may not say so."""
    for name, number in (("uid_map", account().pw_uid), ("gid_map", account().pw_gid)):
        Path(f"/proc/{pid}/{name}").write_text(f"{number} {number} 1")


def join(pid: int) -> None:
    """Be nobody in the user namespace of such a process, with all privileges there, and in the network as before.

    /dev/net/tun, which makes interfaces where one may, can be opened even where only root has it otherwise.
    """
    if stat.S_IMODE(_TUN.stat().st_mode) & 0o006 != 0o006:
        _have_tun()
    namespace = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    _call("joining a user namespace", _LIBC.setns(namespace, _CLONE_NEWUSER))
    os.close(namespace)
    become()
    capabilities.keep()


def _have_tun() -> None:
    device = _TUN.stat().st_rdev
    _call("making a mount namespace", _LIBC.unshare(_CLONE_NEWNS))
    _call("parting mounts", _LIBC.mount(None, b"/", None, _MS_REC | _MS_SLAVE, None))
    _call(f"mounting {_TUN.parent}", _LIBC.mount(b"tmpfs", os.fsencode(_TUN.parent), b"tmpfs", 0, b"mode=755"))
    os.mknod(_TUN, stat.S_IFCHR, device)
    _TUN.chmod(0o666)


def become() -> None:
    """Be nobody from now on. Raises OSError where this process may not."""
    os.setgroups([])
    os.setresgid(*[account().pw_gid] * 3)
    os.setresuid(*[account().pw_uid] * 3)


def account() -> pwd.struct_passwd:
    return pwd.getpwnam(NAME)


def _call(what: str, result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
