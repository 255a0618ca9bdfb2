# SPDX-License-Identifier: GPL-2.0-or-later
"""A lab without root: user, mount, pid and network namespaces of its own; it has all privileges there, outside none.

Who calls enters the namespaces (`enter`, in the child that becomes the lab's program) and the program begins life
in them (`begin`): the first process there only waits, and when it ends, however that comes, the kernel kills all others
and takes the namespaces away. The user stays who he is, by a map of one id, so his files are his.

Source: user_namespaces(7), pid_namespaces(7)
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import signal
from pathlib import Path

from cellbed.host import capabilities, confinement
from cellbed.host.netns import die_with_parent

# Of a lab's folder: the process in whose namespaces its processes are, as seen from outside.
FILE = "rootless"
_LIBC = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWPID, _CLONE_NEWNET = 0x20000, 0x10000000, 0x20000000, 0x40000000
_NS_GET_USERNS = 0xB701
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 2, 4, 8
# With which value each forbids user namespaces, or makes them useless.
_SWITCHES = {"kernel/unprivileged_userns_clone": "0", "kernel/apparmor_restrict_unprivileged_userns": "1",
             "user/max_user_namespaces": "0"}
# What the keys of a terminal send to all of its foreground processes, and its end; there they are for the command.
_OF_TERMINALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGHUP)


def _call(what: str, result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


# --- entering ---


def enter(user_namespace: int | None = None) -> None:
    """Be in a user and a mount namespace, with all privileges there; children are in a pid namespace, too.

    Programs that this process becomes keep the privileges.

    Args:
        user_namespace: a descriptor of one in which to be, instead of one of its own.

    Raises:
        OSError: the kernel, or its configuration, refuses.
    """
    uid, gid = os.geteuid(), os.getegid()
    if user_namespace is None:
        _call("making a user namespace", _LIBC.unshare(_CLONE_NEWUSER))
        # Groups can be mapped without privileges only by those who cannot drop any.
        for name, content in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            Path("/proc/self", name).write_text(content)
    else:
        _call("joining a user namespace", _LIBC.setns(user_namespace, _CLONE_NEWUSER))
    _call("making mount and pid namespaces", _LIBC.unshare(_CLONE_NEWNS | _CLONE_NEWPID))
    capabilities.keep()


def owner_of(netns: int) -> int | None:
    """The user namespace whose privileges count in a network namespace; None: this process's own, or one beyond it.

    Source: ioctl_ns(2)
    """
    with contextlib.suppress(OSError):
        owner = fcntl.ioctl(netns, _NS_GET_USERNS)
        if os.fstat(owner).st_ino != os.stat("/proc/self/ns/user").st_ino:
            return owner
        os.close(owner)
    return None


# --- the first process ---


def begin() -> None:
    """Go on as a process of the pid namespace, below one that waits there until it ends; /proc shows that namespace.

    The process that calls stays outside and passes the end on, and SIGTERM.

    Raises:
        OSError: /proc cannot be mounted, as in a container that hides a part of it.
    """
    leave_keys_to_the_command()
    if first := os.fork():
        os._exit(_await(first))
    die_with_parent()
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    if _LIBC.mount(b"proc", b"/proc", b"proc", flags, None) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), "mounting /proc")
    if worker := os.fork():
        os._exit(_await(worker))


def leave_network() -> None:
    """Be in a network namespace of one's own, to which one may come back from those of nodes; not so this machine's."""
    _call("making a network namespace", _LIBC.unshare(_CLONE_NEWNET))


def leave_keys_to_the_command() -> None:
    """Do nothing about the keys of a terminal; programs that this process becomes do as they are used to."""
    for sig in _OF_TERMINALS:
        if signal.getsignal(sig) != signal.SIG_IGN:  # as under nohup, for the command as well
            signal.signal(sig, lambda *_: None)


def _await(child: int) -> int:
    """Until a child ends; those who have lost their parents are buried. Return: its status, as a shell has it."""
    signal.signal(signal.SIGTERM, lambda *_: _kill(child))
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)


# --- seen from outside ---


def visit(outside: int) -> None:
    """Go on as a process in the namespaces; this one stays outside, as long as that one lives, and ends as it does.

    Args:
        outside: the process that called begin().

    Raises:
        OSError: they may not be joined.
    """
    here = os.getcwd()
    namespaces = [os.open(f"/proc/{outside}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC)
                  for kind in ("user", "pid_for_children", "mnt")]
    for namespace in namespaces:
        _call("joining a namespace", _LIBC.setns(namespace, 0))
        os.close(namespace)
    os.chdir(here)
    capabilities.keep()
    leave_keys_to_the_command()
    if visitor := os.fork():
        os._exit(_await(visitor))
    die_with_parent()


def outer_pid(outside: int, pid: int) -> int | None:
    """What a process of a pid namespace is called here. Args: outside: the process that called begin()."""
    try:
        namespace = os.readlink(f"/proc/{outside}/ns/pid_for_children")
    except OSError:
        return None
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.readlink(path / "ns/pid") == namespace:
                lines = (path / "status").read_text().splitlines()
                if next(line for line in lines if line.startswith("NSpid:")).split()[-1] == str(pid):
                    return int(path.name)
    return None


def why_not() -> str | None:
    """Why this user cannot have such namespaces on this machine, or None."""
    pid = os.fork()
    if pid:
        return None if os.waitpid(pid, 0)[1] == 0 else _refusal()
    status = 1
    with contextlib.suppress(OSError):
        as_root = os.geteuid() == 0
        enter()
        if as_root:
            confinement.confine()
        status = 0
    os._exit(status)


def _refusal() -> str:
    for name, forbids in _SWITCHES.items():
        path = Path("/proc/sys", name)
        if path.exists() and path.read_text().strip() == forbids:
            return f"{name.replace('/', '.')} is {forbids}"
    return "a chroot or a container's seccomp filter may be the reason"
