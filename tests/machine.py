# SPDX-License-Identifier: GPL-2.0-or-later
"""A part of the machine that is a test's own, and what is left of the test there.

Whatever else runs on the machine is not seen. Processes are told by descent: the test is the reaper of all that it
starts, so what loses its parent stays below it. For root there are also a network namespace, a cgroup that looks like
the root of the tree, and mounts that nobody else sees. A network namespace lives as long as one of these processes or
mounts.
"""

import contextlib
import ctypes
import functools
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from e2e import CELLBED

from cellbed.host import cgroup

# A run starts within two seconds, but other labs may keep the machine busy.
START_DEADLINE_S = 120
_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_CHILD_SUBREAPER = 36
_CLONE_NEWNS, _CLONE_NEWCGROUP, _CLONE_NEWNET = 0x20000, 0x2000000, 0x40000000


def _call(name, *args):
    if getattr(_LIBC, name)(*args) < 0:
        raise OSError(ctypes.get_errno(), name)


_call("prctl", _PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(besides=()):
    """{pid: command line} of the living processes below this one, but for those of @besides and below them."""
    children = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                children.setdefault(int(parent), []).append(int(stat.parent.name))
    found, waiting = {}, [os.getpid()]
    while waiting:
        for pid in set(children.get(waiting.pop(), ())) - set(besides):
            with contextlib.suppress(OSError):
                found[pid] = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
                waiting.append(pid)
    return found


def guests():
    """Ids of the processes of virtual labs that this one has started."""
    return [pid for pid, said in descendants().items() if "time-travel=inf-cpu" in said]


def wait_until(condition, what, deadline_s=30):
    end = time.monotonic() + deadline_s
    while not condition():
        assert time.monotonic() < end, f"{what} did not happen within {deadline_s} s"
        time.sleep(0.05)


@contextlib.contextmanager
def nothing_left(deadline_s=30):
    """Of what the block starts nothing is there so long after it."""
    with own_part() as left:
        yield
        still = left(deadline_s)
        assert not still, f"left behind: {still}"


@contextlib.contextmanager
def own_part():
    """Run the block in a part of the machine. Yields: what says, in words, what the block has left so long after."""
    others = set(descendants())
    with contextlib.ExitStack() as stack:
        runtime = stack.enter_context(_own_runtime_folder())
        stack.callback(_kill_all, others)
        if _own_mounts():
            stack.enter_context(_own_network())
            stack.enter_context(_own_cgroup())
        before = _objects()

        def left(deadline_s=0):
            end = time.monotonic() + deadline_s
            while True:
                found = sorted([f"process {pid}: {said}" for pid, said in descendants(others).items()]
                               + list(_objects() - before)
                               + [f"ledger entry {path.name}" for path in runtime.rglob("*.json")])
                if not found or time.monotonic() > end:
                    return found
                time.sleep(0.05)

        yield left


def _objects():
    """What is there besides processes, in words; nothing without a part of one's own."""
    if not _own_mounts():
        return set()
    root = cgroup.mount_point()
    mounts = [line.split()[3:5] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    return ({f"interface {name}" for _, name in socket.if_nameindex()}
            | {f"mount {what} on {where}" for what, where in mounts}
            | {f"cgroup {path}" for path in (root.rglob("*/") if root else ()) if path.is_dir()})


def _kill_all(others):
    for pid in descendants(others):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def _own_runtime_folder():
    """`cellbed clean` finds what is written down there."""
    with tempfile.TemporaryDirectory() as folder:
        outer = os.environ.get("XDG_RUNTIME_DIR")
        os.environ["XDG_RUNTIME_DIR"] = folder
        try:
            yield Path(folder)
        finally:
            if outer is None:
                del os.environ["XDG_RUNTIME_DIR"]
            else:
                os.environ["XDG_RUNTIME_DIR"] = outer


@functools.cache
def _own_mounts():
    """From now on mounts of this process are its own. Return: False where that is not allowed."""
    try:
        _call("unshare", _CLONE_NEWNS)
    except PermissionError:
        return False
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    return True


@contextlib.contextmanager
def _own_namespace(kind, flag):
    outer = os.open(f"/proc/self/ns/{kind}", os.O_RDONLY)
    try:
        _call("unshare", flag)
        yield
    finally:
        _call("setns", outer, flag)
        os.close(outer)


@contextlib.contextmanager
def _own_network():
    with _own_namespace("net", _CLONE_NEWNET):
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        yield


@contextlib.contextmanager
def _own_cgroup():
    """A cgroup of this process and all that it starts, mounted where the root was."""
    root = cgroup.mount_point()
    if root is None:
        yield
        return
    outer, own = cgroup.own(), root / f"test-{os.getpid()}"
    own.mkdir()
    try:
        (own / "cgroup.procs").write_text(str(os.getpid()))
        with _own_namespace("cgroup", _CLONE_NEWCGROUP):
            subprocess.run(["mount", "--bind", own, root], check=True)
            try:
                yield
            finally:
                subprocess.run(["umount", "--lazy", root], check=True)
    finally:
        (outer / "cgroup.procs").write_text(str(os.getpid()))
        for path in [*sorted(own.rglob("*/"), reverse=True), own]:
            if path.is_dir():
                cgroup.remove(path)


def start(scenario, results, lab, *options):
    """A run that has got as far as its traffic. Return: the process of the command."""
    process = subprocess.Popen([CELLBED, "run", scenario, "--results", results, "--lab", lab,
                                *(options or ("--variant", "DM-DM", "--set", "traffic.0.duration_s=2000"))],
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_until(lambda: any(re.search(r"\nat (?!0\.000 )", file.read_text())
                           for file in Path(results).glob(".tmp-*/progress")), "traffic", START_DEADLINE_S)
    return process
