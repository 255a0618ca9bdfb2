# SPDX-License-Identifier: GPL-2.0-or-later
"""Network namespaces of nodes, each held by a process that does nothing.

A holder shares the memory of this process, so it costs next to nothing in a guest, where a copy of Python's memory
takes longer than all that is done in the namespace. It has a pid of its own and can be killed like any other process.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections.abc import Iterator
from pathlib import Path

from cellbed.host.netns import enter_netns

_LIBC = ctypes.CDLL(None, use_errno=True)
# Source: include/uapi/linux/sched.h
_CLONE_VM, _CLONE_FILES, _CLONE_NEWNS, _CLONE_NEWNET = 0x100, 0x400, 0x20000, 0x40000000
_STACK_BYTES = 16384
_STACK_ALIGNMENT = 16


@contextlib.contextmanager
def holding(number: int) -> Iterator[list[int]]:
    """Hold so many network namespaces during the block. Yields: their processes.

    Each has a mount namespace, too, in which a shell of the node can have a /sys of its own.

    Raises:
        OSError: with the errno of clone(2).
    """
    stacks = [ctypes.create_string_buffer(_STACK_BYTES) for _ in range(number)]
    pids: list[int] = []
    # A signal's handler is Python's, which must not run in a second process.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        for stack in stacks:
            pids.append(_hold(stack))
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        yield pids
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        for pid in pids:
            os.waitpid(pid, 0)


@contextlib.contextmanager
def visiting(netns: int) -> Iterator[int]:
    """Hold a network namespace that is there already during the block. Yields: a process in it.

    Args:
        netns: a descriptor of it.

    Raises:
        OSError: it may not be entered.
    """
    from cellbed.host.child import in_a_child  # of no use in a guest

    entered, told = os.pipe()
    pid = in_a_child(lambda: _stay(netns, told))
    os.close(told)
    try:
        with open(entered, "rb") as answer:
            if error := answer.read():
                raise OSError(int(error), f"entering a network namespace: {os.strerror(int(error))}")
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def read_in(netns: str, file: str) -> str:
    """The text of a file of /proc/sys/net as a process in a network namespace sees it, without privileges on the
    machine, too; empty where there is none, or the namespace is somebody else's.
    """
    from cellbed.host.child import in_a_child  # of no use in a guest

    text, told = os.pipe()
    pid = in_a_child(lambda: _tell(netns, file, told))
    os.close(told)
    with open(text) as answer:
        found = answer.read()
    os.waitpid(pid, 0)
    return found


def _tell(netns: str, file: str, told: int) -> None:
    from cellbed.host import rootless  # of no use in a guest

    with contextlib.suppress(OSError), open(netns, "rb") as there:
        owner = rootless.owner_of(there.fileno())
        if owner is not None:
            rootless.enter(owner)
        enter_netns(there.fileno())
        os.write(told, Path(file).read_bytes())


def _stay(netns: int, told: int) -> None:
    try:
        enter_netns(netns)
        if _LIBC.unshare(_CLONE_NEWNS) < 0:
            raise OSError(ctypes.get_errno(), "unshare")
    except OSError as error:
        os.write(told, str(error.errno).encode())
    os.close(told)
    while True:
        signal.pause()


def _hold(stack: ctypes.Array[ctypes.c_char]) -> int:
    """Start a process that waits for ever. Return: its pid."""
    top = (ctypes.addressof(stack) + _STACK_BYTES) & -_STACK_ALIGNMENT
    pid = _LIBC.clone(_LIBC.pause, ctypes.c_void_p(top),
                      _CLONE_VM | _CLONE_FILES | _CLONE_NEWNS | _CLONE_NEWNET | signal.SIGCHLD, None)
    if pid < 0:
        raise OSError(ctypes.get_errno(), "making a network namespace")
    return pid
