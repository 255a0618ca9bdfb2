# SPDX-License-Identifier: GPL-2.0-or-later
"""The native lab: network namespaces on this machine's own kernel, in real time, as root; of links also without."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cellbed.error import LabError
from cellbed.host import cgroup, ledger, mode, programs, rootless
from cellbed.host.netns import die_with_parent
from cellbed.host.process import how_it_ended
from cellbed.host.python_child import python_command
from cellbed.labs import in_guest
from cellbed.labs.follow import Watch, follow, timing
from cellbed.labs.user_terminal import UserTerminal
from cellbed.run import internet, shaping, xlat
from cellbed.run.runner import WITHOUT_ROOT
from cellbed_formats.inside import Inside

_STOP_DEADLINE_S = 20.0


def check(without_root: bool = False) -> None:
    """Raises LabError when the lab cannot run here."""
    tun = Path("/dev/net/tun")
    if not tun.exists():
        raise LabError(f"the native lab needs {tun}; load the tun module with `modprobe tun`")
    if without_root:
        if refusal := rootless.why_not():
            raise LabError(f"a link without root needs user namespaces, which are not allowed here: {refusal}; use "
                           "--lab virtual, or run it with sudo")
        if not os.access(tun, os.R_OK | os.W_OK):
            raise LabError(f"{tun}: mode {stat.S_IMODE(tun.stat().st_mode):04o}: a link without root needs 0666, which "
                           f"`sudo chmod 0666 {tun}` sets; use --lab virtual, or run it with sudo")
    elif os.geteuid() != 0:
        raise LabError("the native lab needs root; use --lab virtual, or run it with sudo")


def current_congestion_control() -> str:
    return Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip()


def congestion_controls(which: str = "available") -> list[str]:
    """What this kernel has loaded; "allowed": what its network namespaces may choose of that."""
    return Path(f"/proc/sys/net/ipv4/tcp_{which}_congestion_control").read_text().split()


def execute(without_root: bool, directory: Path, description: dict[str, Any], cpu: int, watch: Watch,
         terminal: UserTerminal | None) -> dict[str, Any]:
    """Execute the run in @directory, in a cgroup or in namespaces of its own, its command attached to @terminal.

    Returns and raises as virtual.execute().
    """
    check(without_root)
    settings = description["settings"]
    refusal = shaping.refusal(settings) or internet.refusal(settings) or xlat.refusal(description)
    if refusal is not None:
        raise LabError(refusal)
    started = time.monotonic()
    with contextlib.ExitStack() as stack:
        group = None if without_root else stack.enter_context(_cgroup(ledger.lab_name(directory)))
        owner = _owner_of_brought(description["settings"], without_root)
        stack.enter_context(ledger.entry("native", os.getpid(), directory, group))
        if owner is not None:
            stack.callback(os.close, owner)
        runner = _start(directory, group, owner, terminal)
        try:
            marks = follow(runner, directory, watch)
        finally:
            _end(runner)
    if runner.returncode != 0:
        console = in_guest.text_of(directory, "console").splitlines()[-3:]
        told = in_guest.text_of(directory, "error").strip()
        how = how_it_ended(runner.returncode)
        raise LabError(told or f"the runner {how}: {' | '.join(console) or '(it printed nothing)'}")
    return timing(started, marks)


@contextlib.contextmanager
def _cgroup(name: str) -> Iterator[Path]:
    group = cgroup.create(name)
    try:
        yield group
    finally:
        cgroup.remove(group)


def _owner_of_brought(settings: dict[str, Any], without_root: bool) -> int | None:
    """Look at the network namespaces that a run is to have from outside. Return: without root, whose they are.

    Raises:
        LabError: one is not there, or the user may not change it.
    """
    owner: int | None = None
    with contextlib.ExitStack() as stack:
        for said, path in [(f"key 'nodes.{name}.netns': value {node['netns']}", node["netns"])
                           for name, node in settings["nodes"].items() if node["netns"] is not None]:
            found = _owner(said, path)
            if found is not None:
                stack.callback(os.close, found)
            if without_root and found is None:
                raise LabError(f"{said}: this namespace is not yours; name one that you have made, such as that of a "
                               "rootless container, or run it as root")
            if owner is not None and found is not None and not os.path.sameopenfile(owner, found):
                raise LabError(f"{said}: the namespaces are of several user namespaces; name those of one, "
                               "or run it as root")
            owner = found if without_root else None
        return None if owner is None else os.dup(owner)


def _owner(said: str, path: str) -> int | None:
    try:
        with open(path, "rb") as netns:
            return rootless.owner_of(netns.fileno())
    except OSError as error:
        raise LabError(f"{said}: {error.strerror}") from error


def _start(directory: Path, group: Path | None, owner: int | None,
           terminal: UserTerminal | None) -> subprocess.Popen[bytes]:
    """Start the runner.

    Args:
        group: its cgroup; None: it has namespaces, without root.
        owner: user namespace that it then is in, instead of one of its own.
    """
    def enter() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.umask(mode.OTHERS)  # commands that are another user's read names of nodes; the folder keeps the rest private
        if group is None:
            rootless.enter(owner)
            die_with_parent()  # all of it ends with the first process
        else:
            die_with_parent(signal.SIGTERM)  # the runner then cleans up by itself
            (group / "cgroup.procs").write_text(str(os.getpid()))

    # The user's terminal stays that of the session; its keys are for the command, not for the runner.
    own: dict[str, Any] = {"start_new_session": True} if terminal is None else \
        {"process_group": None if group is None else 0, "pass_fds": terminal.attach_natively(directory, group is None)}
    command = python_command("cellbed.run.runner", str(directory), *([WITHOUT_ROOT] if group is None else []))
    own["env"] = programs.trusted(programs.given())
    with (Inside(directory) / "console").log() as out:
        runner: subprocess.Popen[bytes] = subprocess.Popen(command, preexec_fn=enter, stdin=subprocess.DEVNULL,
                                                           stdout=out, stderr=out, **own)
    if group is None:
        (Inside(directory) / rootless.FILE).write(str(runner.pid))
        if terminal is not None:
            terminal.outside = runner.pid
    return runner


def _end(runner: subprocess.Popen[bytes]) -> None:
    """Let a runner that still works clean up; it has little to do."""
    if runner.poll() is None:
        runner.terminate()
        try:
            runner.wait(_STOP_DEADLINE_S)
        except subprocess.TimeoutExpired:
            runner.kill()
            runner.wait()
