# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands as an ordinary user of this machine, for tests that are root.

He has a /dev/net/tun that is everybody's, as udev makes it, and sees the checkout and its Python, which may be in
root's own folder; both in a mount namespace of his command.
"""

import ctypes
import os
import pwd
import shutil
import stat
import sys
import tempfile
from pathlib import Path

import pytest
from e2e import NAMESPACES, ROOT

from cellbed.host import rootless

_LIBC = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNS = 0x20000
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000
_TUN = Path("/dev/net/tun")

needs_an_ordinary_user = pytest.mark.skipif(
    not NAMESPACES or not _TUN.exists(), reason="becoming an ordinary user needs root, namespaces and /dev/net/tun")
# A root that is entered by chroot, as in mmdebstrap's, has none for anybody.
needs_user_namespaces = pytest.mark.skipif(
    (refusal := rootless.why_not()) is not None, reason=f"the kernel makes no user namespace here: {refusal}")


def _call(name, *args):
    if getattr(_LIBC, name)(*args) < 0:
        raise OSError(ctypes.get_errno(), name)


def _bind(what, where):
    _call("mount", os.fsencode(what), os.fsencode(where), None, _MS_BIND | _MS_REC, None)


def own_mounts(binds):
    """Make the mounts of this process its own. Args: binds: what is seen, by each of its other places."""
    _call("unshare", _CLONE_NEWNS)
    _call("mount", None, b"/", None, _MS_REC | _MS_PRIVATE, None)
    for where, what in binds.items():
        _bind(what, where)


def closed(path):
    """The first folder on the way to @path that is not open to everybody, or None."""
    return next((folder for folder in reversed([path, *path.parents]) if not folder.stat().st_mode & stat.S_IXOTH),
                None)


class Ordinary:
    """The user, with a folder of his own; `become` is for subprocess.Popen's preexec_fn."""

    def __init__(self, tun_mode=0o666):
        self.account = pwd.getpwnam("nobody")
        self.folder = Path(tempfile.mkdtemp(prefix="cellbed-user-", dir="/tmp"))
        self.tun_mode = tun_mode
        os.chown(self.folder, self.account.pw_uid, self.account.pw_gid)
        self.needed = [path for path in (Path(sys.base_prefix).resolve(), ROOT) if closed(path)]

    @property
    def environment(self):
        kept = {name: os.environ[name] for name in ("PATH", "CELLBED_BUILD", "TERM") if name in os.environ}
        return {**kept, "HOME": str(self.folder), "TMPDIR": str(self.folder), "SHELL": "/bin/bash"}

    def become(self):
        own_mounts({})
        node = self.folder / f"tun-{os.getpid()}"
        os.mknod(node, stat.S_IFCHR, _TUN.stat().st_rdev)
        node.chmod(self.tun_mode)
        _bind(node, _TUN)
        node.unlink()
        for number, path in enumerate(self.needed):
            kept = self.folder / f"needed-{number}"
            kept.mkdir(exist_ok=True)
            _bind(path, kept)
        for folder in {closed(path) for path in self.needed}:
            _call("mount", b"tmpfs", os.fsencode(folder), b"tmpfs", 0, b"mode=755")
        for number, path in enumerate(self.needed):
            path.mkdir(parents=True, exist_ok=True)
            _bind(self.folder / f"needed-{number}", path)
        os.setgroups([])
        os.setgid(self.account.pw_gid)
        os.setuid(self.account.pw_uid)

    @property
    def options(self):
        """Of subprocess.run() and the like."""
        return {"preexec_fn": self.become, "cwd": self.folder, "env": self.environment}

    def remove(self):
        shutil.rmtree(self.folder)
