# SPDX-License-Identifier: GPL-2.0-or-later
"""Child processes of a run: started in a node's namespace, ready when they say so, stopped by pid."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import math
import os
import select
import signal
import struct
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, Any

from cellbed.error import LabError, told
from cellbed.host.child import Child
from cellbed.host.clock import timespec
from cellbed.host.netns import die_with_parent, in_netns

_LIBC = ctypes.CDLL(None)
_STOP_DEADLINE_S = 10.0
# A program that dies is noticed at once; this ends the wait for one that hangs, also on an emulated machine.
_READY_DEADLINE_S = 60.0
_POLLFD = struct.Struct("ihh")
# Programs whose messages begin with their names, as they share a log.
_IN_ONE_LOG = ("celld", "tcpwatch", "tcpsample", "ipdump", "ccload", "tracepoints")


def await_end(processes: Iterable[subprocess.Popen[bytes] | Child], timeout_s: float) -> bool:
    """Until the first of some children ends, so long, or until a signal comes.

    Asleep all the time, as wake-ups are what a virtual lab costs; Popen.wait() looks again and again, up to 50 ms late.
    By libc and without Popen.poll(), as these read the clock as often as Python's version does, which moves a virtual
    lab's time. Return: whether one may have ended.
    """
    with contextlib.ExitStack() as stack:
        pidfds: list[int] = []
        for process in processes:
            if process.returncode is not None:
                return True
            try:
                pidfds.append(os.pidfd_open(process.pid))
            except ProcessLookupError:  # another thread has just learnt of its end
                return True
            stack.callback(os.close, pidfds[-1])
        asked = b"".join(_POLLFD.pack(fd, select.POLLIN, 0) for fd in pidfds)
        timeout = None if math.isinf(timeout_s) else timespec(max(0, int(timeout_s * 1e9)))
        return bool(_LIBC.ppoll(asked, len(pidfds), timeout, None))


def how_it_ended(status: int) -> str:
    """In words. Args: status: as subprocess.Popen has it."""
    if status >= 0:
        return f"ended with status {status}"
    name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    return f"was ended by {name}" + (", by a system call that its filter forbids" if name == "SIGSYS" else "")


def failure(done: subprocess.CompletedProcess[Any]) -> str:
    """What a program that failed says, else how it ended."""
    said = done.stderr.decode(errors="replace") if isinstance(done.stderr, bytes) else done.stderr or ""
    return " ".join(said.split()) or f"{Path(done.args[0]).name} {how_it_ended(done.returncode)}"


def finished(words: Sequence[str | Path]) -> bytes:
    """Execute a program to its end. Return: what it printed.

    Raises:
        LabError: it cannot be started, or fails.
    """
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise LabError(told(error, words[0])) from error
    if done.returncode:
        raise LabError(failure(done))
    return done.stdout


class NotStarted(LabError):
    """A program could not be started; `shell_status` is what a shell would return, for a command of the user's."""

    def __init__(self, text: str, error: OSError) -> None:
        super().__init__(text)
        self.shell_status = 127 if error.errno == errno.ENOENT else 126


class Running:
    """A child at work, however it began."""

    name: str
    log: Path
    popen: subprocess.Popen[bytes] | Child

    def log_tail(self) -> str:
        """What it printed last: its own lines where other programs share the log, what was found of a sanitizer's."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        own = [line for line in lines
               if line.partition(": ")[0] not in _IN_ONE_LOG or line.startswith(f"{self.name}: ")]
        found = [line for line in own if "Sanitizer: " in line or ": runtime error: " in line]
        return "; ".join((found or own)[-5:]) or "it printed nothing"

    def failed(self) -> str | None:
        """How and why, of one that has ended with an error; None of one that has not."""
        status = self.popen.poll()
        return f"{self.name}: {how_it_ended(status)}: {self.log_tail()}" if status else None

    def wait(self, timeout_s: float) -> None:
        """Until the process ends, or so long."""
        await_end([self.popen], timeout_s)

    def kill(self) -> None:
        """End the process for certain; for clean-up after a failure."""
        if self.popen.poll() is None:
            self.popen.kill()
            self.popen.wait()


class Process(Running):
    """One child; its stderr goes to the log unless a pipe is asked for.

    Attributes:
        die_with_parent: whether children end when this process does. In a guest everything ends then; and a child in
            which Python does something first has a copy of its memory, which takes longer there than a program's start.
        process_group: of children for which nothing else is said; 0: each has its own, so that the keys of a terminal
            are not for it.

    Args:
        before_exec: what the child does first, such as to become another user.
        options: further ones of subprocess.Popen.
    """

    die_with_parent = True
    process_group: int | None = None
    popen: subprocess.Popen[bytes]

    def __init__(self, name: str, args: list[str], log: Path, netns_pid: int | None = None,
                 stdout: int | IO[bytes] = subprocess.DEVNULL, stderr: int | IO[bytes] | None = None,
                 stdin: int | IO[bytes] = subprocess.DEVNULL, before_exec: Callable[[], None] | None = None,
                 **options: Any) -> None:
        self.name, self.log = name, log
        options = {"process_group": self.process_group, **options}

        def prepare() -> None:
            if before_exec is not None:
                before_exec()
            if self.die_with_parent:
                die_with_parent()  # last, as a change of user undoes it

        with contextlib.ExitStack() as stack:
            if stderr is None:
                stderr = stack.enter_context(open(log, "ab"))
            if netns_pid is not None:
                stack.enter_context(in_netns(netns_pid))
            try:
                self.popen = subprocess.Popen(args, stdin=stdin, stdout=stdout, stderr=stderr,
                                              preexec_fn=prepare if before_exec or self.die_with_parent else None,
                                              **options)
            except OSError as error:
                raise NotStarted(f"{name}: cannot start {args[0]}: {error.strerror}", error) from error

    def stop(self, sig: signal.Signals = signal.SIGTERM) -> None:
        """Ask the process to end and wait for it.

        Raises:
            LabError: it had failed before, ends with an error or does not end.
        """
        early = self.popen.poll()
        if early is None:
            self.popen.send_signal(sig)
            try:
                code = self.popen.wait(_STOP_DEADLINE_S)
            except subprocess.TimeoutExpired:
                self.popen.kill()
                self.popen.wait()
                raise LabError(f"{self.name}: did not end within {_STOP_DEADLINE_S:.0f} s of {sig.name}") from None
        else:
            code = early
        if code != 0:
            raise LabError(f"{self.name}: {how_it_ended(code)}: {self.log_tail()}")


class Copy(Running):
    """A copy of this process at work; it ends when this one does."""

    def __init__(self, name: str, work: Callable[[], object], log: Path) -> None:
        self.name, self.log = name, log
        self.popen = Child(work, log)


def wait_readable(fd: int, deadline_s: float, process: Process, what: str) -> bytes:
    """Next bytes from @fd.

    Raises:
        LabError: nothing came in time, or the process ended first.
    """
    ready, _, _ = select.select([fd], [], [], deadline_s)
    data = os.read(fd, 4096) if ready else b""
    if data:
        return data
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.popen.wait(1)
    if process.popen.poll() is not None:
        raise LabError(f"{process.name}: {process.log_tail()}")
    raise LabError(f"{process.name}: {what} did not come within {deadline_s:.0f} s: {process.log_tail()}")


def start_ready(name: str, args: Callable[[int], list[str]], log: Path, deadline_s: float = _READY_DEADLINE_S,
                **options: Any) -> Process:
    """Start a daemon that announces readiness on a descriptor; return once it has.

    Args:
        args: command line for a given descriptor number.
        options: further ones of Process.
    """
    read_fd, write_fd = os.pipe()
    try:
        process = Process(name, args(write_fd), log, pass_fds=(write_fd,), **options)
        os.close(write_fd)
        write_fd = -1
        try:
            wait_readable(read_fd, deadline_s, process, "its readiness")
        except BaseException:
            process.kill()
            raise
        return process
    finally:
        os.close(read_fd)
        if write_fd >= 0:
            os.close(write_fd)


def wait_line(process: Process, text: bytes, deadline_s: float = _READY_DEADLINE_S) -> None:
    """Wait until the process has printed @text on its stdout, which is a pipe."""
    assert process.popen.stdout is not None
    fd = process.popen.stdout.fileno()
    seen = b""
    end = time.monotonic() + deadline_s
    while text not in seen:
        seen += wait_readable(fd, max(0.0, end - time.monotonic()), process, f"'{text.decode()}'")
