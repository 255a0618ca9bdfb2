# SPDX-License-Identifier: GPL-2.0-or-later
"""Children that are copies of this process: what they are to do is imported already.

In a guest a copy takes 16 ms, where a Python of its own takes 75.
"""

from __future__ import annotations

import os
import signal
import sys

from cellbed.host.clock import sleep_until
from cellbed.host.netns import die_with_parent, in_netns

# As typing has it, whose import would take a guest longer than all this.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_DESCRIPTORS_MAX = 1 << 16


def in_a_child(work: Callable[[], object]) -> int:
    """Have a copy of this process do @work and end. Return: its pid."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        die_with_parent()
        work()
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)


def become(args: list[str], netns_pid: int, at_ns: int, stdout: Path) -> None:
    """Be another program, in the network namespace of a process, from that time of the monotonic clock on.

    Between the time and the program's start Python reads no clock: when the program starts does not depend on Python.
    It starts in its own folder and writes to its stdout, so that no path is on its stack, and addresses there are the
    same wherever the program and the run lie. The C library makes the name of a temporary file from such an address,
    and for some it draws one more random number: all that the program draws next would be others.

    Args:
        args: first the program's path.
    """
    folder, name = os.path.split(args[0])
    os.dup2(os.open(stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), 1)
    with in_netns(netns_pid):
        os.chdir(folder)
        sleep_until(at_ns)
        os.execv(f"./{name}", [name, *args[1:]])


def ended(pid: int) -> bool:
    """Whether a child has ended; it can still be awaited."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None


def await_child(pid: int) -> None:
    """Raises ChildProcessError for one that has failed."""
    _, status = os.waitpid(pid, 0)
    if status:
        raise ChildProcessError(f"an end of the flow ended with status {status}")


class Child:
    """A copy with nothing of this process but its memory; what a run does with a subprocess.Popen it can do with it."""

    stdout = None

    def __init__(self, work: Callable[[], object], log: Path) -> None:
        """Args: log: where its stderr goes."""
        self.returncode: int | None = None
        self.pid = in_a_child(lambda: self._start(work, log))

    @staticmethod
    def _start(work: Callable[[], object], log: Path) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        null, stderr = os.open(os.devnull, os.O_RDWR), os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        for fd, own in enumerate((null, null, stderr)):
            os.dup2(own, fd)
        os.closerange(3, _DESCRIPTORS_MAX)
        work()

    def poll(self) -> int | None:
        """Its status once it has ended, as subprocess.Popen.poll() has it."""
        if self.returncode is None:
            self._take(os.WNOHANG)
        return self.returncode

    def wait(self) -> int:
        while self.returncode is None:
            self._take(0)
        return self.returncode

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def _take(self, options: int) -> None:
        pid, status = os.waitpid(self.pid, options)
        if pid:
            self.returncode = os.waitstatus_to_exitcode(status)
